package ledger_test

import (
	"strings"
	"testing"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/snapshot/notation"
)

// What real servers answered (Playwright MCP 0.0.41 and others), cut as the
// clients cut it: as sent, an element is lost exactly where its line stood in
// the part that was cut away.
func TestACutOfARealServersPageLosesWhatWasCut(t *testing.T) {
	cuts := map[string]struct {
		source string
		seen   session.Seen
		cut    func(text string) string
	}{
		"Claude Code": {"claude-code", session.SeenSpilled, func(text string) string {
			return "<persisted-output>\nOutput too large (60KB). Full output saved to: /x/t1.txt\n\nPreview (first 2KB):\n" + text[:2000] + "\n...\n</persisted-output>"
		}},
		"Codex": {"codex", session.SeenCut, func(text string) string {
			return text[:1500] + "…1234 tokens truncated…" + text[len(text)-1500:]
		}},
	}
	for name, c := range cuts {
		t.Run(name, func(t *testing.T) {
			pages, lost, kept := 0, 0, 0
			for _, file := range []string{"table/full.rpc.jsonl", "mcp/frames.jsonl", "mcp/selectors.jsonl", "mcp/unchanged.jsonl"} {
				im, err := transcript.Read(t.Context(), "../../testdata/transcripts/"+file, transcript.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for _, sn := range session.NewTimeline(im.Events).Snaps {
					if len(sn.Snap.Text) < 5000 || sn.Snap.Dialect != notation.Aria {
						continue
					}
					pages++
					l, k := cutPage(t, c.source, c.seen, sn.Snap.Text, c.cut(sn.Snap.Text))
					lost, kept = lost+l, kept+k
				}
			}
			if pages < 3 || lost < 20 || kept < 20 {
				t.Errorf("%d pages with %d elements lost and %d kept are too few to say anything", pages, lost, kept)
			}
		})
	}
}

// cutPage acts on every element of a page that was cut and holds what is lost
// against what the cut left.
func cutPage(t *testing.T, source string, seen session.Seen, text, shown string) (lost, kept int) {
	t.Helper()
	s := &script{events: []session.Event{{Kind: session.KindStart, Start: &session.Start{Source: source}}}}
	s.act(session.VerbGoto, "", text)
	r := s.events[2].Result
	r.Seen, r.Shown = seen, shown
	want := map[string]bool{}
	for line := range strings.SplitSeq(text, "\n") {
		if l := notation.ReadLine(line, notation.Aria); l.Own() != "" {
			want[l.Own()] = !strings.Contains("\n"+shown+"\n", "\n"+line+"\n")
			s.act(session.VerbHover, l.Own(), "")
		}
	}
	got := map[string]bool{}
	for _, l := range studied(t, s.timeline(), "full").AsSent.Survival.Lost {
		got[l.Ref] = true
	}
	for ref, is := range want {
		if got[ref] != is {
			t.Errorf("%s: lost %v, want %v", ref, got[ref], is)
		}
		if is {
			lost++
		} else {
			kept++
		}
	}
	return lost, kept
}
