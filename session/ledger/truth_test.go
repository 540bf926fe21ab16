package ledger_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// study reads a transcript and works out its sheet under some policies, with
// the candidates that a test names.
func study(t *testing.T, file string, policies ...string) ledger.Sheet {
	t.Helper()
	return studied(t, opened(t, file), policies...)
}

func opened(t *testing.T, file string) *session.Timeline {
	t.Helper()
	im, err := transcript.Read(context.Background(), file, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return session.NewTimeline(im.Events)
}

func studied(t *testing.T, tl *session.Timeline, policies ...string) ledger.Sheet {
	t.Helper()
	count, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	var ps []policy.Policy
	for _, name := range policies {
		ps = append(ps, named(name))
	}
	o := ledger.Options{Renderer: policy.NewRenderer(count.Count), Prices: ledger.DefaultPrices()}
	s, err := ledger.Study(context.Background(), tl, ps, ps, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func truth(t *testing.T, name string, policies ...string) ledger.Sheet {
	t.Helper()
	return study(t, filepath.Join("..", "..", "testdata", "transcripts", "truth", name+".json"), policies...)
}

// survives is a survival as a person writes it: "1/2", "not known", "–".
func survives(r *ledger.Report) string {
	s, _, _ := strings.Cut(r.Survival.Label(), " 0")
	if f := strings.Fields(s); len(f) > 1 && strings.Contains(f[0], "/") {
		return f[0]
	}
	return s
}

func mustSurvive(t *testing.T, s ledger.Sheet, want ...string) {
	t.Helper()
	for i, r := range s.Reports {
		if got := survives(r); got != want[i] {
			t.Errorf("%s: survival %s, want %s: %+v", r.Policy.Name, got, want[i], r.Survival.Lost)
		}
	}
}

func TestTruthIncrementalWithoutARootRef(t *testing.T) {
	s := truth(t, "incremental-no-root-ref", "full", "delta", "playwright-incremental")
	if s.Full.Snapshots != 3 || s.AsSent.Unbuilt != 0 {
		t.Errorf("%d snapshots, %d not put together", s.Full.Snapshots, s.AsSent.Unbuilt)
	}
	mustSurvive(t, s, "2/2", "2/2", "2/2")
}

func TestTruthIncrementalAfterEmpty(t *testing.T) {
	s := truth(t, "incremental-after-empty", "full", "delta")
	if s.Full.Snapshots != 3 || s.AsSent.Unbuilt != 0 {
		t.Errorf("%d snapshots, %d not put together", s.Full.Snapshots, s.AsSent.Unbuilt)
	}
	mustSurvive(t, s, "1/1", "1/1")
}

func TestTruthSentIncremental(t *testing.T) {
	for _, name := range []string{"sent-incremental", "query-changes"} {
		s := truth(t, name, "full", "compress", "delta")
		full, compress, delta := s.Reports[0], s.Reports[1], s.Reports[2]
		if s.AsSent.InputTokens >= full.InputTokens {
			t.Errorf("%s: as sent %d, full %d", name, s.AsSent.InputTokens, full.InputTokens)
		}
		if compress.InputTokens != full.InputTokens || compress.SavedRatio != 0 || compress.SavedOfSent >= 0 {
			t.Errorf("%s: compress changes nothing and sends %d, full %d, saves %v", name, compress.InputTokens, full.InputTokens, compress.SavedRatio)
		}
		// The pages are shorter than the lines that tell how a delta is read: all go
		// as they came, though two of the three would be deltas.
		if delta.InputTokens != full.InputTokens || kinds(t, name, "delta") != "full delta unchanged" {
			t.Errorf("%s: delta sends %d, full %d, pages are %s", name, delta.InputTokens, full.InputTokens, kinds(t, name, "delta"))
		}
		mustSurvive(t, s, "2/2", "2/2", "2/2")
		if s.Advice.Policy != "" {
			t.Errorf("%s: advice %+v", name, s.Advice)
		}
	}
}

// kinds are what a policy makes of each page of a session, were its notation known.
func kinds(t *testing.T, name, pol string) string {
	t.Helper()
	p, err := policy.Find(pol, nil)
	if err != nil {
		t.Fatal(err)
	}
	tl := opened(t, filepath.Join("..", "..", "testdata", "transcripts", "truth", name+".json"))
	var out []string
	for i := range tl.Snaps {
		out = append(out, string(options().Renderer.Render(tl, i, p).Kind))
	}
	return strings.Join(out, " ")
}

func TestTruthRefOfAnotherPage(t *testing.T) {
	s := truth(t, "ref-of-another-page", "full", "compress")
	mustSurvive(t, s, "1/1", "0/1")
	l := s.Reports[1].Survival.Lost[0]
	if l.From != 2 || l.Strategy != "compress" || l.Knob != "keep_n" || l.Cured || l.Price <= 0 || l.Uses != 1 {
		t.Errorf("lost %+v", l)
	}
	if r := s.Reports[1]; r.NetSavedRatio >= r.SavedRatio {
		t.Errorf("saved %v, net %v", r.SavedRatio, r.NetSavedRatio)
	}
}

func TestTruthForgedByText(t *testing.T) {
	s := truth(t, "forged-by-text", "full", "compress")
	mustSurvive(t, s, "1/1", "0/1")
	if s.Advice.Policy == "compress" {
		t.Errorf("advice %q", s.Advice.Text)
	}
}

func TestTruthExampleInDocs(t *testing.T) {
	s := truth(t, "example-in-docs", "full", "keep-one")
	if s.Full.Snapshots != 2 {
		t.Errorf("%d snapshots", s.Full.Snapshots)
	}
	mustSurvive(t, s, "1/1", "1/1")
}

func TestTruthPagesInUserMessages(t *testing.T) {
	for name, pictures := range map[string]int{"axtree-in-user-messages": 2, "indexed-dom-in-user-messages": 0} {
		s := truth(t, name, "full")
		if s.Full.Snapshots != 3 {
			t.Errorf("%s: %d snapshots", name, s.Full.Snapshots)
		}
		mustSurvive(t, s, "2/2")
		if got := saidPictures(s.AsSent); got != pictures {
			t.Errorf("%s: %d pictures, want %d: %q", name, got, pictures, s.AsSent.Notes)
		}
	}
}

// saidPictures is how many pictures the notes tell of.
func saidPictures(r *ledger.Report) (n int) {
	for _, note := range r.Notes {
		var k int
		if _, err := fmt.Sscanf(note, "%d picture", &k); err == nil {
			n += k
		}
	}
	return n
}

func TestTruthBrowserUseWithoutPages(t *testing.T) {
	s := truth(t, "browser-use-without-pages", "full", "compress")
	mustSurvive(t, s, "not known", "not known")
	if s.Bill.Vendor == nil || *s.Bill.Vendor != 7001+7420 || s.Bill.Parts.Sum() != 7001+7420 || s.AsSent.InputTokens != 7001+7420 {
		t.Errorf("bill %+v, as sent %d", s.Bill, s.AsSent.InputTokens)
	}
	if s.Advice.Policy != "" || !strings.Contains(s.Advice.Text, "not known") {
		t.Errorf("advice %q", s.Advice.Text)
	}
}

func TestTruthReloadOfTheSameURL(t *testing.T) {
	s := truth(t, "reload-same-url", "full", "agent-browser", "keep-one")
	mustSurvive(t, s, "1/1", "1/1", "0/1")
	if l := s.Reports[2].Survival.Lost[0]; l.Never || l.From != 1 || l.Strategy != "keep-one" {
		t.Errorf("lost %+v", l)
	}
}

func TestTruthReopenedUnchanged(t *testing.T) {
	s := truth(t, "reopened-unchanged", "full", "delta", "playwright-incremental")
	if s.Full.Snapshots != 5 || s.AsSent.Unbuilt != 0 {
		t.Errorf("%d snapshots, %d not put together", s.Full.Snapshots, s.AsSent.Unbuilt)
	}
	mustSurvive(t, s, "3/3", "3/3", "3/3")
	if got := survives(s.AsSent); got != "3/3" {
		t.Errorf("as sent %s: %+v", got, s.AsSent.Survival.Lost)
	}
}

func TestTruthOfOtherAgentsFiles(t *testing.T) {
	for name, c := range map[string]struct {
		system  int // tokens a call, at least
		outcome string
	}{"webvoyager": {1, ""}, "langchain": {100, ""}, "open-operator": {100, "success"}} {
		im, err := transcript.Read(t.Context(), filepath.Join("..", "..", "testdata", "transcripts", "truth", name+".json"), transcript.Options{Count: words})
		if err != nil || len(im.Skipped) > 0 {
			t.Fatalf("%s: %v, skipped %+v", name, err, im.Skipped)
		}
		s := studied(t, session.NewTimeline(im.Events), "full")
		mustSurvive(t, s, "2/2")
		if s.Full.Snapshots != 3 || s.Full.Steps != 3 || s.Outcome != c.outcome || s.AsSent.System < c.system {
			t.Errorf("%s: %d snapshots, %d steps, outcome %q, %d tokens of system prompt", name, s.Full.Snapshots, s.Full.Steps, s.Outcome, s.AsSent.System)
		}
		var b strings.Builder
		if err := ledger.WriteJSON(&b, s); err != nil || strings.Contains(b.String(), `"outcome":"success"`) != (c.outcome != "") {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
	}
}
