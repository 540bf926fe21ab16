package ledger_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

// drawn makes any session: snapshots of a page that grows, shrinks and changes,
// messages, failures, notices, parallel actions, told and untold model calls,
// orphans and compactions.
func drawn(t *rapid.T) *session.Timeline {
	s := new(script)
	told := rapid.Bool().Draw(t, "told")
	page := rapid.IntRange(1, 40).Draw(t, "page")
	ref := func() string { return fmt.Sprintf("e%d", rapid.IntRange(1, 60).Draw(t, "ref")) }
	for range rapid.IntRange(0, 14).Draw(t, "events") {
		if told && rapid.Bool().Draw(t, "call") {
			s.call(rapid.SampledFrom([]string{"", "I will look"}).Draw(t, "text"), nil)
		}
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 0:
			s.user("do it then")
		case 1:
			s.act(session.VerbClick, ref(), "")
		case 2:
			s.put(session.Event{Kind: session.KindCompact, Compact: &session.Compaction{
				Keep: rapid.IntRange(0, 4).Draw(t, "keep"), Text: "what was before",
			}})
		case 3:
			s.put(session.Event{Kind: session.KindResult, Result: &session.Result{Action: "nobody", Text: "an orphan"}})
		case 4:
			s.act(session.VerbClick, ref(), "")
			r := s.events[len(s.events)-1].Result
			r.Seen, r.Shown = rapid.SampledFrom([]session.Seen{session.SeenLink, session.SeenDropped, session.SeenSpilled, session.SeenExpired}).Draw(t, "seen"), "a notice"
		case 5:
			s.act(session.VerbGoto, "", lines(1, page))
			s.doc += "+"
		default:
			page = max(1, page+rapid.IntRange(-3, 3).Draw(t, "grow"))
			from := rapid.IntRange(1, 2).Draw(t, "from")
			s.act(session.VerbClick, ref(), lines(from, from+page))
		}
	}
	return s.timeline()
}

// anyPolicy is one of the built-in policies with knobs turned, or several
// strategies in a row.
func anyPolicy(t *rapid.T) policy.Policy {
	var rewrites, rules []string
	for _, s := range registry.All() {
		switch {
		case s.Retain != nil:
			rules = append(rules, s.Name)
		case s.Name != "full":
			rewrites = append(rewrites, s.Name)
		}
	}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom(rewrites), 0, 2, rapid.ID[string]).Draw(t, "rewrites")
	if rapid.Bool().Draw(t, "retain") {
		names = append(names, rapid.SampledFrom(rules).Draw(t, "rule"))
	}
	p := policy.Policy{Name: "drawn"}
	for _, n := range names {
		s, err := registry.Get(n)
		if err != nil {
			t.Fatal(err)
		}
		st := policy.Stage{Strategy: s, Knobs: strategy.Values{}}
		for _, k := range s.Knobs {
			if rapid.IntRange(0, 2).Draw(t, "turn") == 0 {
				st.Knobs[k.Key] = k.Clamp(rapid.Float64Range(k.Min, k.Max).Draw(t, k.Key))
			}
		}
		p.Stages = append(p.Stages, st)
	}
	return p
}

func TestLawsOfEveryReport(t *testing.T) {
	prices := handPrices(t)
	rapid.Check(t, func(rt *rapid.T) {
		tl, p := drawn(rt), anyPolicy(rt)
		o := options()
		o.Prices, o.Model = prices, rapid.SampledFrom([]string{"", "writer", "blocker", "near", "open"}).Draw(rt, "model")
		o.System = rapid.IntRange(0, 200).Draw(rt, "system")
		r := simulate(tl, p, o)
		if r.Steps != len(tl.Steps) || r.ModelCalls != len(tl.Calls()) {
			rt.Fatalf("%d steps of %d, %d calls of %d", r.Steps, len(tl.Steps), r.ModelCalls, len(tl.Calls()))
		}
		input, cached, written, plain := 0, 0, 0, 0
		for i, c := range r.Calls {
			sum := 0
			for _, part := range r.Parts(c.Call) {
				sum += part.Tokens
			}
			if sum != c.InputTokens || c.By.Sum() != sum {
				rt.Fatalf("call %d: parts %d, by kind %d, input %d", c.Call, sum, c.By.Sum(), c.InputTokens)
			}
			if c.CachedTokens < 0 || c.WrittenTokens < 0 || c.PlainTokens < 0 || c.CachedTokens+c.WrittenTokens+c.PlainTokens != c.InputTokens {
				rt.Fatalf("call %d: %+v", c.Call, c)
			}
			if i > 0 && c.CachedTokens > r.Calls[i-1].InputTokens {
				rt.Fatalf("call %d reads more than the one before wrote: %+v", c.Call, c)
			}
			if c.By.Fixed < 0 || c.By.Messages < 0 || c.By.Results < 0 || c.By.Snapshots < 0 || c.By.Expired < 0 || c.By.Cleared < 0 ||
				c.LiveSnapshots < 0 || c.ExpiredSnapshots < 0 {
				rt.Fatalf("call %d counts below nothing: %+v", c.Call, c)
			}
			input, cached, written, plain = input+c.InputTokens, cached+c.CachedTokens, written+c.WrittenTokens, plain+c.PlainTokens
			if c.InputTokens > r.PeakTokens {
				rt.Fatalf("call %d is above the peak", c.Call)
			}
		}
		if input != r.InputTokens || cached != r.CachedTokens || written != r.WrittenTokens || plain != r.PlainTokens {
			rt.Fatalf("sums %d %d %d %d, report %+v", input, cached, written, plain, r)
		}
		if v := r.Survival; v.Survived > v.Acted || v.Acted-v.Survived != len(v.Lost) {
			rt.Fatalf("survival %+v", v)
		}
		for _, l := range r.Survival.Lost {
			if l.Why == "" || l.Ref == "" {
				rt.Fatalf("a loss without its reason: %+v", l)
			}
		}
	})
}

// What the cache rule is given is the longest run of leading parts that equal
// those of the call before, found here by comparing them one by one; the cost is
// the price of what is left.
func TestCacheIsTheLongestIdenticalPrefix(t *testing.T) {
	prices := handPrices(t)
	rapid.Check(t, func(rt *rapid.T) {
		tl, p := drawn(rt), anyPolicy(rt)
		o := options()
		o.Prices, o.Model = prices, rapid.SampledFrom([]string{"", "blocker", "writer"}).Draw(rt, "model")
		o.System = rapid.IntRange(0, 150).Draw(rt, "system")
		r := simulate(tl, p, o)
		var before []ledger.Part
		for i, c := range r.Calls {
			now := r.Parts(c.Call)
			same := 0
			for k := 0; k < len(now) && k < len(before); k++ {
				a, b := now[k], before[k]
				a.Cached, b.Cached = false, false
				if a != b {
					break
				}
				same += a.Tokens
			}
			if o.Model == "blocker" || o.Model == "writer" {
				step := map[string]int{"blocker": 50, "writer": 1}[o.Model]
				if same = same / step * step; i == 0 || same < 100 || r.Calls[i-1].InputTokens < 100 {
					same = 0
				}
			}
			// A message of no tokens at the end of the prefix may count or not.
			if c.CachedTokens != same && o.Model != "writer" || c.CachedTokens > same {
				rt.Fatalf("call %d reads %d, the parts say %d\n%+v\n%+v", c.Call, c.CachedTokens, same, before, now)
			}
			if c.Cost != nil {
				read, write := map[string]float64{"blocker": 0.5, "writer": 0.1}[o.Model], map[string]float64{"blocker": 1, "writer": 1.25}[o.Model]
				want := (float64(c.PlainTokens) + read*float64(c.CachedTokens) + write*float64(c.WrittenTokens)) / 1e5
				if math.Abs(*c.Cost-want) > 1e-12 {
					rt.Fatalf("call %d costs %v, want %v", c.Call, *c.Cost, want)
				}
			}
			before = now
		}
	})
}

// Under full the history only grows, nothing is cleared, and no element that a
// snapshot before the call showed is lost.
func TestLawsOfFull(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tl := drawn(rt)
		for _, e := range tl.Events {
			if e.Compact != nil {
				return
			}
		}
		r := simulate(tl, policy.Full(), options())
		before := 0
		for _, c := range r.Calls {
			if c.InputTokens < before || c.CachedTokens != before || c.ExpiredSnapshots != 0 || c.ChangedAt != -1 {
				rt.Fatalf("call %d after one of %d: %+v", c.Call, before, c)
			}
			before = c.InputTokens
		}
		calls := tl.Calls()
		for _, l := range r.Survival.Lost {
			st := tl.Steps[l.Step-1]
			seq := st.ActionSeq
			if st.Call >= 0 {
				seq = calls[st.Call].Seq
			}
			view := 0
			for _, other := range tl.Steps {
				if other.ResultSeq < seq {
					view = other.Document
				}
			}
			for _, other := range tl.Steps {
				if res := other.Result; other.ResultSeq < seq && other.Document == view && res.Snapshot != nil && strings.Contains(res.Snapshot.Text, "[ref="+l.Ref+"]") {
					rt.Fatalf("%s of step %d stood in the snapshot of step %d", l.Ref, l.Step, other.N)
				}
			}
		}
	})
}

// Simulating again, with a warm cache, in parts or on a grown timeline, gives
// the same figures.
func TestSimulationHasNoMemory(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tl, p, q := drawn(rt), anyPolicy(rt), anyPolicy(rt)
		cold := simulate(tl, p, options())
		o := options()
		half := session.NewTimeline(tl.Events[:len(tl.Events)/2])
		simulate(half, p, o)
		simulate(tl, q, o)
		warm := simulate(tl, p, o)
		if diff := cmp.Diff(cold.Calls, warm.Calls); diff != "" {
			rt.Fatal(diff)
		}
		if diff := cmp.Diff(cold.Survival, warm.Survival); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// A named fix keeps what it is named for.
func TestFixesHold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tl, p := drawn(rt), anyPolicy(rt)
		o := options()
		o.Fixes = true
		for _, l := range simulate(tl, p, o).Survival.Lost {
			if l.Keep == nil {
				continue
			}
			fixed := l.Keep.Apply(p)
			if lostStep(simulate(tl, fixed, options()).Survival, l.Step) {
				rt.Fatalf("%s does not keep %s of step %d", l.Keep.Assignment(), l.Ref, l.Step)
			}
			again := p.Clone()
			if err := again.Set(l.Keep.Assignment()); err != nil {
				rt.Fatalf("%s cannot be set: %v", l.Keep.Assignment(), err)
			}
		}
	})
}

// A strategy that only says things shorter loses nothing, as long as nothing
// expires and the page takes nothing away.
func TestLosslessStrategiesLoseNothing(t *testing.T) {
	for _, name := range []string{"passmark", "delta", "fold", "playwright-incremental"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				s := new(script).act(session.VerbGoto, "", lines(1, 10))
				n := 10
				for range rapid.IntRange(1, 8).Draw(rt, "steps") {
					n += rapid.IntRange(0, 20).Draw(rt, "more")
					s.act(session.VerbClick, fmt.Sprintf("e%d", rapid.IntRange(1, n).Draw(rt, "ref")), lines(1, n))
					byName := fmt.Sprintf("b%d", rapid.IntRange(1, n).Draw(rt, "name"))
					s.act(session.VerbHover, "", "")
					s.events[len(s.events)-2].Action.Target = &session.Target{Role: "button", Name: byName}
				}
				tl := s.timeline()
				full := simulate(tl, policy.Full(), options()).Survival
				got := simulate(tl, named(name), options()).Survival
				if got.Survived != full.Survived {
					rt.Fatalf("survived %d of %d, full %d: %+v", got.Survived, got.Acted, full.Survived, got.Lost)
				}
			})
		})
	}
}
