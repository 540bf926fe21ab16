package expiry

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"snapscope/snapshot/strategy"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// play runs a script of arrivals against a keeper: "A" a snapshot result of the
// next step, "r" another result, "u" a user message, "|" a model call, "<n" a
// compaction to the last n. It answers after each call what expired, and the
// counters of what is live.
func play(t *testing.T, s *strategy.Strategy, script string, set ...string) (expired, live []string) {
	t.Helper()
	v := s.Values(nil)
	for _, a := range set {
		if err := s.Set(v, a); err != nil {
			t.Fatal(err)
		}
	}
	k := s.Retain(v)
	step := 0
	for i, w := range strings.Fields(script) {
		switch {
		case w == "|":
			var ids, counters []string
			cleared, _ := k.Call(100_000)
			for _, e := range cleared {
				ids = append(ids, e.ID)
				if e.Placeholder == "" || e.Reason() == "" {
					t.Errorf("%+v says too little", e)
				}
			}
			for _, c := range k.Live() {
				counters = append(counters, fmt.Sprintf("%s%d", c.ID, c.Calls))
			}
			expired = append(expired, strings.Join(ids, ","))
			live = append(live, strings.Join(counters, ","))
		case w == "u":
			k.Arrive(strategy.Arrival{ID: fmt.Sprint("u", i), User: true})
		case w == "r":
			step++
			k.Arrive(strategy.Arrival{ID: fmt.Sprint("r", i), Step: step, Tokens: 10})
		case w[0] == '<':
			var n int
			if _, err := fmt.Sscanf(w, "<%d", &n); err != nil {
				t.Fatal(err)
			}
			k.Compacted(n)
		default:
			step++
			k.Arrive(strategy.Arrival{ID: w, Step: step, Snapshot: true, Tokens: 1000})
		}
	}
	return expired, live
}

func TestOpenclaw(t *testing.T) {
	for _, c := range []struct {
		name, script  string
		set           []string
		expired, live []string
	}{
		{
			"the document, first timeline: A expires at counter 3", "u | A | r | r | r |", nil,
			[]string{"", "", "", "", "A"},
			[]string{"", "A0", "A1", "A2", ""},
		},
		{
			"the document, second timeline: B expires A at once", "u | A | r | B |", nil,
			[]string{"", "", "", "A"},
			[]string{"", "A0", "A1", "B0"},
		},
		{"user messages count", "A | u | u | r |", nil, []string{"", "", "", "A"}, []string{"A0", "A1", "A2", ""}},
		{"parallel results count one each", "A | r r | r |", nil, []string{"", "", "A"}, []string{"A0", "A2", ""}},
		{"more than the limit at once", "A | r r r r |", nil, []string{"", "A"}, []string{"A0", ""}},
		{"what came along does not count", "r A r | r | r | r |", nil, []string{"", "", "", "A"}, []string{"A0", "A1", "A2", ""}},
		{"several at once: the last stays", "A B C |", nil, []string{"A,B"}, []string{"C0"}},
		{"several at once expire an older one", "A | B C |", nil, []string{"", "A,B"}, []string{"A0", "C0"}},
		{"tool_calls 1", "A | r |", []string{"tool_calls=1"}, []string{"", "A"}, []string{"A0", ""}},
		{"disabled", "A | r r r | B |", []string{"enabled=false"}, []string{"", "", ""}, []string{"A0", "A3", "A4,B0"}},
		{"calls with nothing new", "A | | | |", nil, []string{"", "", "", ""}, []string{"A0", "A0", "A0", "A0"}},
		{"stays expired", "A | r r r | r | B | r |", nil, []string{"", "A", "", "", ""}, []string{"A0", "", "", "B0", "B1"}},
		{
			"published: blanked once, then back for good", "A | r r r | r | B | r |",
			[]string{"sticky=false"},
			[]string{"", "A", "", "", ""},
			[]string{"A0", "", "A3", "A3,B0", "A3,B1"},
		},
		{
			// Four results at the call before, two kept, one new: three now, so
			// nothing is counted; the next one counts again.
			"a shrunken history never counts backwards", "r r r A | <2 r | r | r | r |", nil,
			[]string{"", "", "", "", "A"},
			[]string{"A0", "A0", "A1", "A2", ""},
		},
		{"compacted away", "A | r r | <1 r |", nil, []string{"", "", ""}, []string{"A0", "A2", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			expired, live := play(t, OpenClaw, c.script, c.set...)
			if diff := cmp.Diff(c.expired, expired); diff != "" {
				t.Error("expired", diff)
			}
			if diff := cmp.Diff(c.live, live); diff != "" {
				t.Error("live", diff)
			}
		})
	}
}

// saidExpired is an expiry with the knob that decided, what was measured, and the
// sentence made of it.
type saidExpired struct {
	id          string
	step        int
	knob        string
	measured    float64
	reason      string
	placeholder string
}

// called is what a keeper clears before a call.
func called(k strategy.Retention, tokens int) []strategy.Expired {
	out, _ := k.Call(tokens)
	return out
}

func saidOf(list []strategy.Expired) []saidExpired {
	var out []saidExpired
	for _, e := range list {
		out = append(out, saidExpired{e.ID, e.Step, e.Rule.Knob, e.Rule.Measured, e.Reason(), e.Placeholder})
	}
	return out
}

func TestOpenclawReasons(t *testing.T) {
	k := OpenClaw.Retain(OpenClaw.Values(nil))
	k.Arrive(strategy.Arrival{ID: "A", Step: 1, Snapshot: true})
	k.Call(0)
	for i := range 3 {
		k.Arrive(strategy.Arrival{ID: fmt.Sprint(i), Step: i + 2})
	}
	if diff := cmp.Diff([]strategy.Counter{{ID: "A", Step: 1, Calls: 3, Limit: 3}}, k.Live()); diff != "" {
		t.Error("counters before the call", diff)
	}
	want := []saidExpired{{"A", 1, "tool_calls", 3, "3 results or messages ≥ tool_calls 3 → expired", "[Browser snapshot expired - content cleared]"}}
	if diff := cmp.Diff(want, saidOf(called(k, 0)), cmp.AllowUnexported(saidExpired{})); diff != "" {
		t.Error(diff)
	}
	k.Arrive(strategy.Arrival{ID: "B", Step: 5, Snapshot: true})
	k.Call(0)
	k.Arrive(strategy.Arrival{ID: "C", Step: 6, Snapshot: true})
	want = []saidExpired{{"B", 5, "", 0, "a newer snapshot came at step 6 → expired", "[Browser snapshot expired - content cleared]"}}
	if diff := cmp.Diff(want, saidOf(called(k, 0)), cmp.AllowUnexported(saidExpired{})); diff != "" {
		t.Error(diff)
	}
}

func TestKeepOne(t *testing.T) {
	expired, live := play(t, KeepOne, "A | r r r r | B | r C D | <2 |")
	if diff := cmp.Diff([]string{"", "", "A", "B,C", ""}, expired); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"A0", "A4", "B0", "D0", "D0"}, live); diff != "" {
		t.Error(diff)
	}
}

func TestClearToolUses(t *testing.T) {
	for _, c := range []struct {
		name, script  string
		set           []string
		expired, live []string
	}{
		{"at the trigger nothing goes", "A r r r r |", nil, []string{""}, []string{"A4"}},
		{"over it all but three go", "A r r r r |", []string{"trigger=99999"}, []string{"A,r1"}, []string{""}},
		{"and one more with each call", "A r r r | B | r |", []string{"trigger=99999"}, []string{"A", "r1", "r2"}, []string{"", "B0", "B1"}},
		{"keep 0", "A r | u |", []string{"trigger=99999", "keep=0"}, []string{"A,r1", ""}, []string{"", ""}},
		{"not worth it", "A r r r |", []string{"trigger=99999", "clear_at_least=1001"}, []string{""}, []string{"A3"}},
		{"just worth it", "A r r r |", []string{"trigger=99999", "clear_at_least=1000"}, []string{"A"}, []string{""}},
		{"compacted", "A r r r | B r r r <5 |", []string{"trigger=99999"}, []string{"A", "r3,B"}, []string{"", ""}},
		{"cleared ones still count for the prompt", "A r r r | r |", []string{"trigger=100999", "keep=3"}, []string{"", ""}, []string{"A3", "A4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			expired, live := play(t, ClearToolUses, c.script, c.set...)
			if diff := cmp.Diff(c.expired, expired); diff != "" {
				t.Error("expired", diff)
			}
			if diff := cmp.Diff(c.live, live); diff != "" {
				t.Error("live", diff)
			}
		})
	}
}

// The client's history stays whole: what was cleared still counts for the
// prompt that is held against the trigger.
func TestClearToolUsesWeighsThePromptAsSent(t *testing.T) {
	k := ClearToolUses.Retain(ClearToolUses.Values(nil))
	for i := range 4 {
		k.Arrive(strategy.Arrival{ID: fmt.Sprint("r", i), Step: i + 1, Tokens: 40_000})
	}
	want := []saidExpired{{"r0", 1, "trigger", 160_000, "prompt 160,000 tokens > trigger 100,000: all but the last 3 tool results → cleared", clearedPlaceholder}}
	if diff := cmp.Diff(want, saidOf(called(k, 160_000)), cmp.AllowUnexported(saidExpired{})); diff != "" {
		t.Error(diff)
	}
	k.Arrive(strategy.Arrival{ID: "r4", Step: 5, Tokens: 10})
	if got := called(k, 70_000); len(got) != 1 || got[0].ID != "r1" { // 70,000 carried + 40,000 cleared
		t.Errorf("%+v, want r1", got)
	}
}

// Laws of every retention rule: nothing unknown and nothing twice expires, and
// what is live did arrive and did not expire (unless sticky is off).
func TestKeeperLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, s := range []*strategy.Strategy{OpenClaw, KeepOne, ClearToolUses} {
			if s.Retain == nil {
				continue
			}
			k := s.Retain(s.Values(strategy.Values{"tool_calls": float64(rapid.IntRange(1, 4).Draw(t, "limit")), "trigger": 1000}))
			arrived, gone := map[string]bool{}, map[string]bool{}
			for i := range rapid.IntRange(0, 40).Draw(t, "events") {
				id := fmt.Sprint(i)
				switch rapid.IntRange(0, 5).Draw(t, "event") {
				case 0:
					k.Arrive(strategy.Arrival{ID: id, User: true})
				case 1:
					k.Arrive(strategy.Arrival{ID: id, Step: i, Tokens: 100})
					arrived[id] = true
				case 2:
					k.Arrive(strategy.Arrival{ID: id, Step: i, Snapshot: true, Tokens: 100})
					arrived[id] = true
				case 3:
					k.Compacted(rapid.IntRange(0, 10).Draw(t, "keep"))
				default:
					cleared, back := k.Call(2000)
					for _, id := range back {
						if !gone[id] {
							t.Fatalf("%s brings %s back, which was not cleared", s.Name, id)
						}
					}
					for _, e := range cleared {
						if !arrived[e.ID] || gone[e.ID] {
							t.Fatalf("%s expired %s", s.Name, e.ID)
						}
						gone[e.ID] = true
					}
				}
				for _, c := range k.Live() {
					if !arrived[c.ID] || gone[c.ID] || c.Calls < 0 {
						t.Fatalf("%s lists %+v", s.Name, c)
					}
				}
			}
		}
	})
}

// A call takes as long after many as after few: what stays is not gone through again.
func TestACallDoesNotWalkTheHistory(t *testing.T) {
	for name, k := range map[string]func() strategy.Retention{
		"keep-one":          func() strategy.Retention { return KeepOne.Retain(KeepOne.Values(nil)) },
		"below the trigger": func() strategy.Retention { return ClearToolUses.Retain(ClearToolUses.Values(nil)) },
		"clears at each": func() strategy.Retention {
			return ClearToolUses.Retain(ClearToolUses.Values(strategy.Values{"trigger": 1000}))
		},
		"not worth clearing": func() strategy.Retention {
			return ClearToolUses.Retain(ClearToolUses.Values(strategy.Values{"trigger": 1000, "clear_at_least": 1e6}))
		},
	} {
		var took [2]time.Duration
		for i, n := range []int{2000, 60_000} {
			took[i] = time.Hour
			for range 3 {
				k, begun := k(), time.Now()
				for i := range n {
					k.Arrive(strategy.Arrival{ID: strconv.Itoa(i), Step: i, Snapshot: true, Tokens: 1})
					k.Call(2000)
				}
				k.Live()
				took[i] = min(took[i], time.Since(begun))
			}
		}
		if took[1] > 400*took[0] { // thirty times as many, and nine hundred times as long if each went through all before it
			t.Errorf("%s: 2,000 calls take %v, 60,000 take %v", name, took[0], took[1])
		}
	}
}
