package strategy

import (
	"strings"
	"testing"
)

// fuzzStrategy feeds one strategy pairs of texts and every switch and choice.
func fuzzStrategy(f *testing.F, s *Strategy) {
	f.Helper()
	for _, text := range bad() {
		if len(text) < 4096 {
			f.Add(text, text+"\n- button \"x\" [ref=e9]", uint8(0))
			f.Add("- main [ref=e1]:\n  - text: a", text, uint8(1))
		}
	}
	f.Add(orders, strings.Replace(orders, "0 selected", "1 selected", 1), uint8(2))
	f.Add(numbered(120, "- listitem [ref=e#]: Item #\n"), numbered(120, "- 'row \"a: #\" [ref=e#]':\n  - button\n\n"), uint8(3))
	all := settings(s)
	f.Fuzz(func(t *testing.T, before, after string, n uint8) {
		v := all[int(n)%len(all)]
		if _, ok := s.Knob("fire_threshold"); ok {
			v = s.Values(Values{"fire_threshold": float64(n % 8), "keep_n": float64(n / 8 % 4), "scope": float64(n / 32 % 2)})
		}
		in := page(after)
		checkVerdict(t, in, s.Apply(in, v))
		in = against(before, after)
		in.Prev, in.Visited = in.Base, []string{before}
		got := s.Apply(in, v)
		checkVerdict(t, in, got)
		if got.Kind == KindFull && got.Lines == nil && got.Text != after {
			t.Fatalf("full text differs")
		}
	})
}

func FuzzPassmark(f *testing.F)     { fuzzStrategy(f, passmark) }
func FuzzCompress(f *testing.F)     { fuzzStrategy(f, compress) }
func FuzzBudget(f *testing.F)       { fuzzStrategy(f, budget) }
func FuzzResponseDiff(f *testing.F) { fuzzStrategy(f, responseDiff) }
func FuzzIncremental(f *testing.F)  { fuzzStrategy(f, incremental) }
func FuzzAgentBrowser(f *testing.F) { fuzzStrategy(f, agentBrowser) }

// FuzzSignature holds the scanners against the literal regular expressions.
func FuzzSignature(f *testing.F) {
	for _, l := range []string{`- 'row "a: b" [ref=e5]': x`, "- text: it's '' 12 é3", "- text: 😀'", "\ufeff- link \"\\\"\" [ref=]"} {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.ReplaceAll(line, "\n", " ")
		if strings.ToValidUTF8(line, "\uFFFD") != line || hasPrivate(line) {
			return
		}
		var s signer
		if got, want := halves(string(s.sign(line))), plainSignature(line); got != want {
			t.Fatalf("%q:\n got %q\nwant %q", line, got, want)
		}
	})
}

// hasPrivate reports whether a text uses the characters that stand in for
// halves of surrogate pairs.
func hasPrivate(s string) bool {
	for _, r := range s {
		if r >= 0xE000 && r < 0xE800 {
			return true
		}
	}
	return false
}

// FuzzKeepers plays any history to every retention rule.
func FuzzKeepers(f *testing.F) {
	f.Add([]byte("AARAR|R<A||"))
	f.Fuzz(func(t *testing.T, script []byte) {
		for _, s := range all {
			if s.Retain == nil {
				continue
			}
			for _, v := range settings(s) {
				k := s.Retain(v)
				for i, c := range script {
					id := string(rune(i + 256))
					switch c % 5 {
					case 0:
						k.Arrive(Arrival{ID: id, Step: i, Snapshot: true, Tokens: int(c) * 1000})
					case 1:
						k.Arrive(Arrival{ID: id, Step: i, Tokens: int(c)})
					case 2:
						k.Arrive(Arrival{ID: id, User: true})
					case 3:
						k.Compacted(int(c) / 5)
					case 4:
						for _, e := range k.Call(int(c) * 1000) {
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
