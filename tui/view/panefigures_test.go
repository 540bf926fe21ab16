package view

import (
	"cmp"
	"path/filepath"
	"testing"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// What a pane's head says that a page takes is what a report counts for it: with the
// lines that explain a notation before the first page in it, the first pages as they
// came for want of them, and no page that the agent's program cut as a base.
func TestAPaneSaysWhatTheReportCounts(t *testing.T) {
	const data = "../../testdata/"
	taught, untaught, steps := 0, 0, 0
	for file, agent := range map[string]string{
		"sessions/recorded/pages-1.jsonl.zst":                                "",
		"sessions/recorded/widgets-2.jsonl.zst":                              "codex",
		"transcripts/truth/sent-incremental.json":                            "",
		"transcripts/truth/incremental-no-root-ref.json":                     "",
		"transcripts/codex/rollout-2026-02-03T09-00-00-0199.jsonl":           "",
		"transcripts/claude-code/7d2f0000-0000-4000-8000-000000000001.jsonl": "",
		"../session/demo/recordings/leads.jsonl.zst":                         "codex",
		"transcripts/mcp/unchanged.jsonl":                                    "",
	} {
		im, err := transcript.Read(t.Context(), filepath.Join(data, filepath.FromSlash(file)), transcript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tl := session.NewTimeline(im.Events)
		tl.Start.Agent = cmp.Or(agent, tl.Start.Agent)
		rd := policy.NewRenderer(func(s string) int { return len(s) })
		set := MakeFigures(t.Context(), FigureAsk{View: tl, Policies: policy.Builtin(), Opt: ledger.Options{Renderer: rd, CountOnly: true}})
		for _, f := range set.Pol {
			if _, clears := f.Policy.Retention(); clears {
				continue
			}
			counted := map[int]int{} // by step: what the report counts, in the last call
			for _, p := range f.Report.Parts(len(f.Report.Calls)) {
				if p.Kind == ledger.PartSnapshot {
					counted[p.Step] += p.Tokens
				}
			}
			last := f.Report.Calls[len(f.Report.Calls)-1]
			for i, s := range tl.Steps {
				if s.Snap < 0 || s.ResultSeq >= last.Seq {
					continue
				}
				if f.Tokens[i] != counted[s.N] {
					t.Errorf("%s, step %d under %s: the list says %d, the report counts %d", file, s.N, f.Policy.Name, f.Tokens[i], counted[s.N])
				}
				if _, goes := ledger.Goes(tl, s.Snap); !goes { // the pane shows what might have been
					continue
				}
				fresh := policy.NewRenderer(func(s string) int { return len(s) }) // that rendered nothing before
				d := MakeFrame(fresh, FrameAsk{View: tl, At: i, Policies: []policy.Policy{f.Policy}}).Docs[0]
				if steps++; d.Rendered.Tokens != counted[s.N] {
					t.Errorf("%s, step %d under %s: the pane says %d, the report counts %d", file, s.N, f.Policy.Name, d.Rendered.Tokens, counted[s.N])
				}
				if d.Taught > 0 {
					taught++
				}
				if d.Rendered.Whole == session.WholeUntaught {
					untaught++
				}
			}
		}
	}
	if taught < 4 || untaught < 4 || steps < 300 {
		t.Errorf("%d pages with and %d pages for want of a notation's explanation, of %d: too few to say anything", taught, untaught, steps)
	}
}
