package tune_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/replay/replaytest"
	"snapscope/replay/transcript"
	"snapscope/replay/tune"
	recording "snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// stopped searches until a number of evaluations is used up, as a clock would stop it.
func stopped(t *testing.T, all []tune.Session, after int) *tune.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	res, err := tune.Run(ctx, all, tune.Options{Keep: 1, Progress: func(p tune.Progress) {
		if p.Evaluations >= after {
			cancel()
		}
	}})
	must(t, err)
	return res
}

// A search that is stopped early has tried every built-in policy first, so what it
// answers is never below the best of them. The sessions are thirty recordings,
// varied from those in testdata.
func TestAStoppedSearchIsNeverBelowTheBestBuiltIn(t *testing.T) {
	sources, err := filepath.Glob("../../testdata/sessions/recorded/*.jsonl.zst")
	must(t, err)
	files, err := replaytest.Make(t.Context(), t.TempDir(), sources, 30)
	must(t, err)
	count, err := token.New("o200k_base")
	must(t, err)
	var all []tune.Session
	for _, file := range files {
		im, err := transcript.Read(t.Context(), file, transcript.Options{})
		must(t, err)
		all = append(all, tune.Of(file, recording.NewTimeline(im.Events), ledger.Options{Renderer: policy.NewRenderer(count.Count)}))
	}
	best, name, keys := 0, "", map[string]bool{}
	for _, p := range policy.Builtin() {
		keys[p.Key()] = true
		if total, lost := totalOf(t, all, p); lost == 0 && (best == 0 || total < best) {
			best, name = total, p.Name
		}
	}
	built := len(keys) * len(all)
	for _, after := range []int{built, built + 200} {
		res := stopped(t, all, after)
		if !res.Stopped || res.Best == nil {
			t.Fatalf("after %d evaluations: stopped %v with %+v", after, res.Stopped, res.Best)
		}
		got := res.Best.Total.Input + res.Best.Total.Recovery
		t.Logf("after %d evaluations %s: %d tokens; the best built-in, %s: %d", res.Evaluations, res.Best.Policy.Name, got, name, best)
		if got > best || res.Best.Losses > 0 {
			t.Errorf("after %d evaluations the search answers %s with %d tokens and %d losses, built-in %s comes to %d", res.Evaluations, res.Best.Policy.Name, got, res.Best.Losses, name, best)
		}
	}
}

// Where nothing was acted on, nothing is known of a policy that leaves something out:
// only one that leaves nothing out is answered, and it is said that no act tested it.
func TestWithoutActsOnlyAnExactPolicyIsFound(t *testing.T) {
	m := base()
	m.acted, m.keepN, m.calls = 0, nil, 0
	s := tune.Session{Name: "read", Evaluate: func(ctx context.Context, p policy.Policy) (tune.Figures, error) {
		f, err := m.evaluate(ctx, p)
		if len(p.Stages) == 1 && p.Stages[0].Strategy.Name == "delta" {
			f.Input /= 2
		}
		return f, err
	}}
	res, err := tune.Run(t.Context(), []tune.Session{s}, tune.Options{Keep: 1})
	must(t, err)
	if res.Best == nil || !res.Best.Policy.Exact() || len(res.Best.Policy.Stages) == 0 {
		t.Fatalf("the best is %+v", res.Best)
	}
	if !slices.ContainsFunc(res.Trust.Warnings, func(s string) bool { return strings.HasPrefix(s, "0 acts of these sessions tested it") }) {
		t.Errorf("warnings %q", res.Trust.Warnings)
	}
}
