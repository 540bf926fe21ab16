package ledger_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// differs says where LostAt answers another thing than the whole report; asked counts
// the losses that were compared.
func differs(t *session.Timeline) (diff string, asked int, err error) {
	rep, err := ledger.AsSent(context.Background(), t, ledger.Options{Renderer: policy.NewRenderer(words)})
	if err != nil {
		return "", 0, err
	}
	r := policy.NewRenderer(words)
	for _, s := range t.Steps {
		var want []ledger.Lost
		for _, l := range rep.Survival.Lost {
			if l.Step == s.N {
				want = append(want, l)
			}
		}
		got, err := ledger.LostAt(context.Background(), t, s.N, r)
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(ledger.Lost{}, "Uses", "Price", "Cost"), cmpopts.IgnoreUnexported(ledger.Lost{})); err != nil || d != "" {
			return fmt.Sprintf("step %d: %s", s.N, d), asked, err
		}
		asked += len(want)
	}
	return "", asked, nil
}

// What a breakpoint asks of one step is what the report of the whole session says.
func TestTheLossesOfOneStepAreThoseOfTheReport(t *testing.T) {
	asked := 0
	check := func(t rapid.TB, tl *session.Timeline) {
		d, n, err := differs(tl)
		if err != nil || d != "" {
			t.Fatal(d, err)
		}
		asked += n
	}
	rapid.Check(t, func(rt *rapid.T) { check(rt, drawn(rt)) })
	if asked < 20 {
		t.Errorf("%d losses: nothing is tested", asked)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "transcripts", "truth", "*.json"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if im, err := transcript.Read(t.Context(), f, transcript.Options{Count: words}); err == nil {
			check(t, session.NewTimeline(im.Events))
		}
	}
}
