package ledger

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// counted is a session as testdata/transcripts/count.mjs counts it: another
// program, that knows the files' layouts by itself.
type countedSession struct {
	Calls, Results, Pages, Models, Pictures, Vendor int
	Tokens                                          struct{ System, User, Model, Results, Pages, Input int }
}

// Calls, results, pages and tokens are those of the independent count, to the
// token; and where the vendor counted, the whole bill is its count.
func TestIndependentCountOfTokens(t *testing.T) {
	const folder = "../../testdata/transcripts"
	data, err := os.ReadFile(filepath.Join(folder, "counts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]countedSession
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	count, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			im, err := transcript.Read(t.Context(), filepath.Join(folder, name), transcript.Options{KeepSecrets: true, Count: count.Count})
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Renderer: policy.NewRenderer(count.Count), CountOnly: true}
			sent, err := AsSent(t.Context(), session.NewTimeline(im.Events), o)
			if err != nil {
				t.Fatal(err)
			}
			got := countedSession{Calls: im.Calls, Results: im.Results, Pages: sent.Snapshots, Models: sent.ModelCalls, Pictures: im.Images, Vendor: im.Usage.Input}
			add := map[PartKind]*int{
				PartSystem: &got.Tokens.System, PartUser: &got.Tokens.User, PartAssistant: &got.Tokens.Model, PartToolCall: &got.Tokens.Model,
				PartResult: &got.Tokens.Results, PartSnapshot: &got.Tokens.Results,
			}
			for _, e := range sent.hist.entries {
				if n := add[e.kind]; n != nil {
					*n += e.tokens
				}
				if e.kind == PartSnapshot {
					got.Tokens.Pages += e.tokens
				}
			}
			for _, c := range sent.Calls {
				got.Tokens.Input += c.InputTokens - c.By.Images
			}
			if diff := cmp.Diff(w, got); diff != "" {
				t.Error(diff)
			}
			o.CountOnly = false
			whole, err := AsSent(t.Context(), session.NewTimeline(im.Events), o)
			if err != nil {
				t.Fatal(err)
			}
			vendor := 0
			for _, c := range whole.Calls {
				if c.Real != nil {
					vendor += c.InputTokens
				}
			}
			if b := BillOf(whole); vendor != w.Vendor || w.Vendor > 0 && (*b.Vendor != vendor || b.Parts.Sum() != vendor) {
				t.Errorf("the calls that the vendor counted come to %d, its count is %d, the bill's parts to %d", vendor, w.Vendor, b.Parts.Sum())
			}
		})
	}
}
