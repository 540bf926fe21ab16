package registry

import (
	"strings"
	"testing"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/budget"
	"snapscope/snapshot/strategy/internal/strategytest"
	"snapscope/snapshot/strategy/published"
)

// fuzzStrategy feeds one strategy pairs of texts and every switch and choice.
func fuzzStrategy(f *testing.F, s *strategy.Strategy) {
	f.Helper()
	for _, text := range strategytest.Bad() {
		if len(text) < 4096 {
			f.Add(text, text+"\n- button \"x\" [ref=e9]", uint8(0))
			f.Add("- main [ref=e1]:\n  - text: a", text, uint8(1))
		}
	}
	f.Add(strategytest.Orders, strings.Replace(strategytest.Orders, "0 selected", "1 selected", 1), uint8(2))
	f.Add(strategytest.Numbered(120, "- listitem [ref=e#]: Item #\n"), strategytest.Numbered(120, "- 'row \"a: #\" [ref=e#]':\n  - button\n\n"), uint8(3))
	all := strategytest.Settings(s)
	f.Fuzz(func(t *testing.T, before, after string, n uint8) {
		v := all[int(n)%len(all)]
		if _, ok := s.Knob("fire_threshold"); ok {
			v = s.Values(strategy.Values{"fire_threshold": float64(n % 8), "keep_n": float64(n / 8 % 4), "scope": float64(n / 32 % 2)})
		}
		in := strategytest.Page(after)
		strategytest.Check(t, in, s.Apply(in, v))
		in = strategytest.Against(before, after)
		in.Prev, in.Visited = in.Base, []string{before}
		got := s.Apply(in, v)
		strategytest.Check(t, in, got)
		if got.Kind == strategy.KindFull && got.Lines == nil && got.Text != after {
			t.Fatalf("full text differs")
		}
	})
}

func FuzzPassmark(f *testing.F)     { fuzzStrategy(f, published.Passmark) }
func FuzzCompress(f *testing.F)     { fuzzStrategy(f, published.Compress) }
func FuzzBudget(f *testing.F)       { fuzzStrategy(f, budget.Strategy) }
func FuzzResponseDiff(f *testing.F) { fuzzStrategy(f, published.ResponseDiff) }
func FuzzIncremental(f *testing.F)  { fuzzStrategy(f, published.Incremental) }
func FuzzAgentBrowser(f *testing.F) { fuzzStrategy(f, published.AgentBrowser) }

// FuzzKeepers plays any history to every retention rule.
func FuzzKeepers(f *testing.F) {
	f.Add([]byte("AARAR|R<A||"))
	f.Fuzz(func(t *testing.T, script []byte) {
		for _, s := range all {
			if s.Retain == nil {
				continue
			}
			for _, v := range strategytest.Settings(s) {
				k := s.Retain(v)
				for i, c := range script {
					id := string(rune(i + 256))
					switch c % 5 {
					case 0:
						k.Arrive(strategy.Arrival{ID: id, Step: i, Snapshot: true, Tokens: int(c) * 1000})
					case 1:
						k.Arrive(strategy.Arrival{ID: id, Step: i, Tokens: int(c)})
					case 2:
						k.Arrive(strategy.Arrival{ID: id, User: true})
					case 3:
						k.Compacted(int(c) / 5)
					case 4:
						cleared, _ := k.Call(int(c) * 1000)
						for _, e := range cleared {
							if e.ID == "" || e.Reason() == "" || e.Placeholder == "" {
								t.Fatalf("%s: %+v", s.Name, e)
							}
						}
					}
					for _, l := range k.Live() {
						if l.ID == "" || l.Calls < 0 {
							t.Fatalf("%s: %+v", s.Name, l)
						}
					}
				}
			}
		}
	})
}
