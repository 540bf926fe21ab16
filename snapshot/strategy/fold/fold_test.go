package fold

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"
	"snapscope/snapshot/token"
)

const foldPage = `- main [ref=e1]:
  - list "Pages" [ref=e2]:
    - listitem [ref=e3]:
      - link "Leads" [ref=e4] [cursor=pointer]:
        - /url: /leads
    - listitem [ref=e5]:
      - link "Homes" [ref=e6] [cursor=pointer]:
        - /url: /homes | all
    - listitem [ref=e7]: plain
    - listitem [ref=e8]:
      - 'link "a: b" [ref=e9] [cursor=pointer]':
        - /url: ""
  - table [ref=e10]:
    - row "Select Ada Byron Ada Byron Open" [ref=e11]:
      - checkbox "Select Ada Byron" [ref=e12]
      - cell "Ada Byron" [ref=e13]
      - button "Open" [ref=e14]
    - row "Select Ben Okri Ben Okri Open" [ref=e15]:
      - checkbox "Select Ben Okri" [checked] [ref=e16]
      - cell "Ben Okri" [ref=e17]
      - button "Open" [disabled] [ref=e18]
    - row "Select Cy Young Cy Young Open" [ref=e19]:
      - checkbox "Select Cy Young" [ref=e20]
      - cell "Cy Young" [ref=e21]
      - button "Open" [active] [ref=e22]`

const foldWant = `
- main [ref=e1]:
  - list "Pages" [ref=e2]:
    *:
      - listitem [ref]:
        - link … [ref] [cursor=pointer]:
          - /url: …
    * e3 e4 Leads | /leads
    * e5 e6 Homes | "/homes | all"
    - listitem [ref=e7]: plain
    * e8 e9 a: b | ""
  - table [ref=e10]:
    *2:
      - row = [ref]:
        - checkbox "Select …1" [ref]
        - cell …1 [ref]
        - button "Open" [ref]
    *2 e11 e12 e13 Ada Byron | e14
    *2 e15 e16 [checked] e17 Ben Okri | e18 [disabled]
    *2 e19 e20 e21 Cy Young | e22 [active]`

func TestFoldReads(t *testing.T) {
	v := strategytest.Apply(t, Strategy, strategytest.Page(foldPage), "min_savings=0")
	if d := cmp.Diff(foldHead+foldWant, v.Text); d != "" {
		t.Errorf("%s\nwant -, got +\n%s", v.Reason(), d)
	}
	if back, err := unfold(v.Text); err != nil || back != foldPage {
		t.Errorf("%v\n%s", err, cmp.Diff(foldPage, back))
	}
}

func TestFoldExceptions(t *testing.T) {
	lines := []string{"- table [ref=e1]:"}
	for i := range 20 {
		ref := string(rune('a' + i))
		name := "Open"
		if i == 7 {
			name = `Re"open`
		}
		lines = append(lines, `  - row "Row `+ref+`" [ref=r`+ref+`]:`, `    - button `+foldJSON(name)+` [ref=b`+ref+`]`, `    - text: `+ref+ref)
	}
	text := strings.Join(lines, "\n")
	v := strategytest.Apply(t, Strategy, strategytest.Page(text))
	if !strings.Contains(v.Text, `bh ="Re\"open" hh`) || v.Kind != strategy.KindCompressed {
		t.Errorf("%s\n%s", v.Reason(), v.Text)
	}
	if back, err := unfold(v.Text); err != nil || back != text {
		t.Errorf("%v\n%s", err, back)
	}
}

func TestFoldIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strategytest.Aria(t, "page")
		in := strategytest.Page(text)
		v := Strategy.Apply(in, Strategy.Values(strategy.Values{"min_savings": 0, "min_items": float64(rapid.IntRange(2, 3).Draw(t, "least"))}))
		back, err := unfold(v.Text)
		if err != nil || back != text {
			t.Fatalf("%v\n%s", err, v.Text)
		}
	})
}

func TestFoldKeepsEveryRef(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strategytest.Rows(t)
		in := strategytest.Page(text)
		v := Strategy.Apply(in, Strategy.Values(strategy.Values{"min_savings": 0, "min_items": 2}))
		strategytest.Check(t, in, v)
		back, err := unfold(v.Text)
		if err != nil || back != text {
			t.Fatalf("%v\ngot:\n%s\nwant:\n%s\nfolded:\n%s", err, back, text, v.Text)
		}
		for r := range notation.Read(text, notation.Aria).Refs() {
			if !hasWord(v.Text, r.Ref) {
				t.Fatalf("%s is gone:\n%s", r.Ref, v.Text)
			}
		}
		v = Strategy.Apply(in, Strategy.Values(strategy.Values{"min_savings": 0, "min_items": 2, "refs": 1}))
		strategytest.Check(t, in, v)
		back, err = unfold(v.Text)
		if err != nil {
			t.Fatalf("%v\n%s", err, v.Text)
		}
		want := strings.Split(text, "\n")
		for _, g := range v.Gone {
			for i := g.From; i < g.To; i++ {
				want[i] = strings.Replace(want[i], " [ref="+notation.Own(want[i], "")+"]", "", 1)
			}
		}
		if back != strings.Join(want, "\n") {
			t.Fatalf("got:\n%s\nwant:\n%s\nfolded:\n%s", back, strings.Join(want, "\n"), v.Text)
		}
	})
}

// hasWord reports whether a ref stands in a text by itself.
func hasWord(text, ref string) bool {
	in := func(i int) bool { return i >= 0 && i < len(text) && foldRef(text[i:i+1]) }
	for at := 0; ; at++ {
		i := strings.Index(text[at:], ref)
		if i < 0 {
			return false
		}
		if at += i; !in(at-1) && !in(at+len(ref)) {
			return true
		}
	}
}

// The tables of 500 rows are cut by 60 % with every ref in place.
func TestFoldOnSnapshots(t *testing.T) {
	counter, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range strategytest.Snapshots(t) {
		in := strategytest.Page(text)
		in.Count = counter.Count
		v := Strategy.Apply(in, Strategy.Values(nil))
		strategytest.Check(t, in, v)
		if back, err := unfold(v.Text); err != nil || back != text {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.HasSuffix(name, ".aria") {
			continue
		}
		words := map[string]bool{}
		for _, w := range strings.FieldsFunc(v.Text, func(r rune) bool { return r > 0x7F || !foldRef(string(r)) }) {
			words[w] = true
		}
		for r := range notation.Read(text, notation.Aria).Refs() {
			if !words[r.Ref] {
				t.Errorf("%s: %s is gone", name, r.Ref)
			}
		}
		if full, sent := counter.Count(text), counter.Count(v.Text); full > 60_000 && float64(sent) > 0.4*float64(full) {
			t.Errorf("%s: %d of %d tokens are left: %s", name, sent, full, v.Reason())
		}
	}
}

func TestFoldVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		set        []string
		kind       strategy.Kind
		reason     string
	}{
		{"nothing alike", "- main:\n  - button \"a\"", nil, strategy.KindFull, "no 3 elements under one parent are built alike → full"},
		{"saves too little", foldPage, []string{"min_savings=0.9"}, strategy.KindFull, "< 90 % → full"},
		{"not aria", "<p>\n<p>\n<p>", nil, strategy.KindFull, "there is no tree to fold → full"},
		{"a star", "- list:\n* a", nil, strategy.KindFull, "a line of the page begins with *"},
		{"folded already", foldHead + "\n* e1", nil, strategy.KindFull, "the page begins as a folded one does"},
	} {
		in := strategytest.Page(tt.text)
		v := strategytest.Apply(t, Strategy, in, tt.set...)
		strategytest.Check(t, in, v)
		if v.Kind != tt.kind || !strings.Contains(v.Reason(), tt.reason) {
			t.Errorf("%s: %s, %s", tt.name, v.Kind, v.Reason())
		}
		if back, err := unfold(v.Text); err != nil || back != tt.text {
			t.Errorf("%s: %v, %q", tt.name, err, back)
		}
	}
}

func TestUnfoldErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"* e1", "line 2: there is no pattern \"*\""},
		{"*:", "line 3: a whole pattern is expected"},
		{"*:\n  - row [ref\n", "line 3:"},
		{"*:\n  - row [ref]\n*  e1", "has no ref for row"},
		{"*:\n  - row [ref]\n* e1 e2", `"e2" is left over`},
		{"*:\n  - row …\n* e1\n* \"e1", "line 5: \"\\\"e1\" is no whole string"},
		{"*:\n  - row \"…2\" [ref]\n* e1", "a whole pattern is expected"},
		{"*:\n  - row [ref]:\n    - text: …\n* e1", "a value is missing"},
	} {
		_, err := unfold(foldHead + "\n" + tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add(foldPage, uint8(0))
	for _, text := range strategytest.Bad() {
		if len(text) < 4096 {
			f.Add(text, uint8(1))
		}
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		in := strategytest.Page(text)
		v := Strategy.Apply(in, Strategy.Values(strategy.Values{"min_savings": 0, "min_items": float64(2 + n%4), "refs": float64(n / 4 % 2)}))
		strategytest.Check(t, in, v)
		back, err := unfold(v.Text)
		if err != nil || n/4%2 == 0 && back != text {
			t.Fatalf("%v\ngot  %q\nwant %q\n%s", err, back, text, v.Text)
		}
	})
}

func FuzzUnfold(f *testing.F) {
	f.Add(foldWant[1:])
	f.Add("*:\n  - a \"x…1\" [ref]: …1\n    - /b: \"c\"\n* e1 [checked] =\"q\" v")
	f.Fuzz(func(t *testing.T, text string) {
		if back, err := unfold(text); err == nil && !strings.HasPrefix(text, foldHead) && back != text {
			t.Fatalf("a full page became %q", back)
		}
		if _, err := unfold(foldHead + "\n" + text); err != nil && !strings.Contains(err.Error(), "line") {
			t.Fatal(err)
		}
	})
}

// Each example of the grammar is a line that the strategy writes.
func TestGrammarExamplesAreWritten(t *testing.T) {
	want := map[string]bool{}
	for _, s := range signs {
		want[s.example] = true
	}
	var list strings.Builder
	list.WriteString("- list:")
	for i := range 40 {
		name := "Save"
		if i == 5 {
			name = "Keep"
		}
		fmt.Fprintf(&list, "\n  - button \"%s\" [ref=e%d]", name, i)
	}
	table := `- table "Leads" [ref=e1]:
  - row "Select Ada Ada Open" [ref=e2]:
    - cell "Select Ada" [ref=e3]:
      - checkbox "Select Ada" [checked] [ref=e4]
    - cell "Ada" [ref=e5]
    - cell "Open" [ref=e6]
  - row "Select Ben Ben Won" [ref=e7]:
    - cell "Select Ben" [ref=e8]:
      - checkbox "Select Ben" [ref=e9]
    - cell "Ben" [ref=e10]
    - cell "Won" [ref=e11]
  - row "Select Cy Cy Open | new" [ref=e12]:
    - cell "Select Cy" [ref=e13]:
      - checkbox "Select Cy" [ref=e14]
    - cell "Cy" [ref=e15]
    - cell "Open | new" [ref=e16]`
	for _, page := range []string{table, list.String()} {
		v := Strategy.Apply(strategytest.Page(page), Strategy.Values(strategy.Values{"min_savings": 0}))
		for line := range strings.SplitSeq(v.Text, "\n") {
			delete(want, strings.TrimSpace(line))
		}
	}
	if len(want) > 0 {
		t.Errorf("nothing is written as %q", slices.Sorted(maps.Keys(want)))
	}
}

// unfold is the page that a text gives back.
func unfold(text string) (string, error) {
	lines, _, err := Unfold(text, nil)
	return strings.Join(lines, "\n"), err
}
