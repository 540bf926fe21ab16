package quote

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts are the candidates of a text as they stand in it.
func texts(text string) (out []string) {
	found, _ := Candidates(text)
	for _, c := range found {
		out = append(out, c.Text)
	}
	return out
}

func TestCandidates(t *testing.T) {
	for text, want := range map[string][]string{
		`The order KX-2207-B shows "Card was declined, code 4177".`: {"4177", "KX-2207-B", "Card was declined, code 4177"},
		"The total is 4,812 with 73.5 % tax.":                       {"4,812", "73.5 %"},
		"It costs $40, or 35 €, not ¥ 9.":                           {"$40", "35 €"},
		"12 345 visits, 7 of them new, in 2024":                     {"12 345"},
		"from 2024-12-01 at 12:30 on Aug 5 or 15 August 2024":       {"2024-12-01", "12:30", "15", "Aug 5", "15 August 2024"},
		"mail mira@otter.test or see https://otter.test/a/b":        {"mira@otter.test", "https://otter.test/a/b"},
		"Owner is Mira Lindqvist and Bo.":                           {"Mira Lindqvist"},
		"Then Mira Lindqvist wrote.":                                {"Then Mira Lindqvist", "Mira Lindqvist"},
		"Click [12], ref=34, index: 56":                             nil,
		"٤٬٨١٢ and ４１７７ and ४२":                                     {"٤٬٨١٢", "４１７７", "४२"},
		"「合計は四千」 was 4812元":                                         {"4812", "合計は四千"},
		`{"total": "4,812", "index": 77}`:                           {"4,812"},
		"1 of 9, 05 and 3":                                          nil,
		"":                                                          nil,
	} {
		got := texts(text)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// finds reports whether what a model says stands on a line.
func finds(says, line string) bool {
	f := NewFinder()
	found, _ := Candidates(says)
	for _, c := range found {
		f.Add(c.Words)
	}
	ok := false
	f.Find(line, func(int32) { ok = true })
	return ok
}

func TestFindsWholeTokensInEveryForm(t *testing.T) {
	for _, c := range []struct {
		says, line string
		want       bool
	}{
		{"it has 12 rows", "12 rows", true},
		{"it has 12 rows", "12.5 kg", false},
		{"it has 12 rows", "12,000", false},
		{"it has 12 rows", "2024-12-01 at 12:30", false},
		{"it has 12 rows", "/order/12", false},
		{"it has 12 rows", "A12", false},
		{"73.5 %", "tax 73.5%", true},
		{"73.5 %", "tax 73.5", false},
		{"12 345", "12\u202f345 visits", true},
		{"12 345", "12\u00a0345 visits", true},
		{"4812", "٤٨١٢", true},
		{"4,812", "٤٬٨١٢", true},
		{"4812", "４８１２ 円", true},
		{"code kx‑2207‑b", "Order number KX-2207-B.", true},
		{`"Card was declined"`, "card  was\u00a0declined, code 4177", true},
		{`"Card was declined"`, "card was not declined", false},
		{"it is 4812", "総計4812元", true},
		{`it says "合計は"`, "これは合計は四千", true},
		{"Mira Lindqvist wrote", "Mira\u00adLindqvist", false},
		{"Mira Lindqvist wrote", "by Mira Lind\u00adqvist", true},
	} {
		if got := finds(c.says, c.line); got != c.want {
			t.Errorf("%q on %q: %v", c.says, c.line, got)
		}
	}
}

// A text of any size is taken in bounded pieces, and a page is gone through once.
func TestBounds(t *testing.T) {
	page := strings.Repeat("1234 5678 ", 500_000) // 5 MB of numbers
	found, cut := Candidates(page)
	if !cut || len(found) != mostCandidates {
		t.Errorf("%d candidates, cut %v", len(found), cut)
	}
	f := NewFinder()
	for _, c := range found {
		f.Add(c.Words)
	}
	if f.Len() > 4 { // 1234, 5678: the same words are one candidate
		t.Errorf("%d different candidates", f.Len())
	}
	n := 0
	f.Find(page, func(int32) { n++ })
	if n < 500_000 {
		t.Errorf("found %d", n)
	}
	if _, cut := Candidates(strings.Repeat(`"a b" `, 2000)); !cut {
		t.Error("not told to be cut")
	}
	many := strings.Repeat("Aa ", 20_000) + `"` + strings.Repeat("aa ", 60) + `"`
	f = NewFinder()
	long, _ := Candidates(many)
	for _, c := range long {
		f.Add(c.Words)
	}
	f.Find(many, func(int32) {})
	if len(f.active) > mostWords+1 {
		t.Errorf("%d under way", len(f.active))
	}
}

func FuzzCandidates(f *testing.F) {
	for _, s := range []string{`"a b" 12 345 %`, "[12] ref=1 Aug 5", "“x y” ４１ \\n", "\xff1234\xc2"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, says, line string) {
		found, _ := Candidates(says)
		fi := NewFinder()
		for _, c := range found {
			if len(c.Words) == 0 || c.Text == "" || !strings.Contains(says, c.Text) {
				t.Fatalf("%+v is no part of %q", c, says)
			}
			fi.Add(c.Words)
			in := false
			fi.Find(c.Text, func(int32) { in = true })
			if !in && utf8.ValidString(says) && !strings.ContainsAny(says, "\\") {
				t.Fatalf("%q is not found in itself", c.Text)
			}
		}
		fi.Find(line, func(k int32) {
			if int(k) >= fi.Len() {
				t.Fatal("no such candidate")
			}
		})
	})
}
