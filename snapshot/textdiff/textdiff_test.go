package textdiff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// apply builds the new lines from the old ones and checks that the edits are
// maximal, in order and cover both sides.
func apply(t rapid.TB, a, b []string, edits []Edit) []string {
	var out []string
	x, y := 0, 0
	for k, e := range edits {
		if e.A0 != x || e.B0 != y {
			t.Fatalf("edit %d starts at %d,%d, want %d,%d: %v", k, e.A0, e.B0, x, y, edits)
		}
		x, y = e.A1, e.B1
		if k > 0 && edits[k-1].Op == e.Op || k > 0 && edits[k-1].Op == Insert && e.Op == Delete {
			t.Fatalf("edit %d is not maximal: %v", k, edits)
		}
		switch e.Op {
		case Equal:
			out = append(out, a[e.A0:e.A1]...)
			if e.A1-e.A0 != e.B1-e.B0 || e.A0 == e.A1 {
				t.Fatalf("edit %d is not equal: %v", k, e)
			}
		case Insert:
			out = append(out, b[e.B0:e.B1]...)
			if e.A0 != e.A1 || e.B0 == e.B1 {
				t.Fatalf("edit %d is no insertion: %v", k, e)
			}
		case Delete:
			if e.B0 != e.B1 || e.A0 == e.A1 {
				t.Fatalf("edit %d is no deletion: %v", k, e)
			}
		}
	}
	if x != len(a) || y != len(b) {
		t.Fatalf("the edits end at %d,%d of %d,%d", x, y, len(a), len(b))
	}
	return out
}

// longest is the textbook table, quadratic and plainly right.
func longest(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diag := 0
		for j := range b {
			up := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diag + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diag = up
		}
	}
	return row[len(b)]
}

func TestDiffIsExactAndMinimal(t *testing.T) {
	few := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "  c", "  d", "c\r", "    e"}), 0, 30)
	many := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 40), func(n int) string { return strings.Repeat(" ", n%3*2) + fmt.Sprint(n) }), 0, 60)
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SampledFrom([]*rapid.Generator[[]string]{few, many}).Draw(t, "alphabet")
		a, b := gen.Draw(t, "a"), gen.Draw(t, "b")
		edits := Diff(a, b)
		if got := apply(t, a, b, edits); !equalLines(got, b) {
			t.Fatalf("applied: %q, want %q", got, b)
		}
		_, _, same := Counts(edits)
		if want := longest(a, b); same != want {
			t.Fatalf("%d equal lines, the longest common subsequence has %d", same, want)
		}
	})
}

func TestDiffTable(t *testing.T) {
	for _, tt := range []struct {
		name, a, b string
		want       []Edit
	}{
		{"both empty", "", "", []Edit{{Equal, 0, 1, 0, 1}}},
		{"same", "a\nb", "a\nb", []Edit{{Equal, 0, 2, 0, 2}}},
		{"final newline", "a", "a\n", []Edit{{Equal, 0, 1, 0, 1}, {Insert, 1, 1, 1, 2}}},
		{"carriage return", "a\r\nb", "a\nb", []Edit{{Delete, 0, 1, 0, 0}, {Insert, 1, 1, 0, 1}, {Equal, 1, 2, 1, 2}}},
		{"nothing common", "a\nb", "c", []Edit{{Delete, 0, 2, 0, 0}, {Insert, 2, 2, 0, 1}}},
		{
			"a new subtree is one run", "- row:\n  - cell\n- end", "- row:\n  - cell\n- row:\n  - cell\n- end",
			[]Edit{{Equal, 0, 2, 0, 2}, {Insert, 2, 2, 2, 4}, {Equal, 2, 3, 4, 5}},
		},
		{
			"it starts at the least indented line", "- row:\n  - cell\n  - x", "- row:\n  - cell\n  - y\n- row:\n  - cell\n  - x",
			[]Edit{{Insert, 0, 0, 0, 3}, {Equal, 0, 3, 3, 6}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Diff(Split(tt.a), Split(tt.b))); d != "" {
				t.Errorf("want -, got +\n%s", d)
			}
		})
	}
	if got := Diff(nil, nil); len(got) != 0 {
		t.Errorf("no lines against none: %v", got)
	}
}

func TestSplitJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(a|\n|\r\n|é){0,12}`).Draw(t, "text")
		if got := join(Split(text)); got != text {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// More distinct lines than a 16-bit number, and more than the surrogates allow.
func TestManyDistinctLines(t *testing.T) {
	const n = 70_000
	a, b := make([]string, n), make([]string, 0, n)
	for i := range a {
		a[i] = fmt.Sprint("line ", i)
		if i%1000 == 7 {
			b = append(b, "new")
		}
		if i%500 != 3 {
			b = append(b, a[i])
		}
	}
	edits := Diff(a, b)
	if got := apply(t, a, b, edits); !equalLines(got, b) {
		t.Fatal("the edits do not give the new lines")
	}
	if added, removed, _ := Counts(edits); added != n/1000 || removed != n/500 {
		t.Errorf("%d added, %d removed", added, removed)
	}
}

// One large text is the other with lines left out, and these repeat elsewhere.
func TestLargeTextWithin(t *testing.T) {
	const n = 6000
	a, b := make([]string, n), make([]string, 0, n)
	for i := range a {
		a[i] = fmt.Sprint("row ", i*i%1999)
		if i%13 != 5 {
			b = append(b, a[i])
		}
	}
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		edits := Diff(pair[0], pair[1])
		if got := apply(t, pair[0], pair[1], edits); !equalLines(got, pair[1]) {
			t.Fatal("the edits do not give the new lines")
		}
		if _, _, same := Counts(edits); same != len(b) {
			t.Errorf("%d equal lines, want %d", same, len(b))
		}
	}
}

// Shuffled lines without refs are the quadratic case: the answer is bounded and
// still correct.
func TestBoundedOnShuffledLines(t *testing.T) {
	for _, distinct := range []int{30_000, 50} {
		const n = 30_000
		a, b := make([]string, n), make([]string, n)
		for i := range a {
			a[i] = fmt.Sprint("  - text ", i%distinct)
			b[i] = fmt.Sprint("  - text ", (i*7919+13)%n%distinct)
		}
		edits := Diff(a, b)
		if got := apply(t, a, b, edits); !equalLines(got, b) {
			t.Fatalf("%d distinct lines: the edits do not give the new lines", distinct)
		}
	}
}

func TestCoarseAnswersAreCorrect(t *testing.T) {
	ids := rapid.SliceOfN(rapid.Int32Range(0, 30), 1, 80)
	rapid.Check(t, func(t *rapid.T) {
		x, y := ids.Draw(t, "x"), ids.Draw(t, "y")
		m := matcher{left: rapid.IntRange(0, 50).Draw(t, "left")}
		m.split(x, y, 0, 0)
		last := pair{-1, -1}
		for _, p := range m.out {
			if x[p.a] != y[p.b] || p.a <= last.a || p.b <= last.b {
				t.Fatalf("%v after %v is no match", p, last)
			}
			last = p
		}
	})
}

func TestHunks(t *testing.T) {
	a := strings.Split("1 2 3 4 5 6 7 8 9", " ")
	b := strings.Split("1 2 x 4 5 6 7 9 y", " ")
	got := ""
	for _, h := range Hunks(Diff(a, b), 1) {
		got += fmt.Sprintf("@%d-%d %d-%d:", h.A0, h.A1, h.B0, h.B1)
		for _, e := range h.Edits {
			got += fmt.Sprintf(" %c%d,%d", "=-+"[e.Op], e.A1-e.A0, e.B1-e.B0)
		}
		got += "\n"
	}
	want := "@1-4 1-4: =1,1 -1,0 +0,1 =1,1\n@6-9 6-9: =1,1 -1,0 =1,1 +0,1\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if h := Hunks(Diff(a, a), 3); h != nil {
		t.Errorf("equal texts have hunks %v", h)
	}
	rapid.Check(t, func(t *rapid.T) {
		gen := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 20)
		edits := Diff(gen.Draw(t, "a"), gen.Draw(t, "b"))
		var changes, kept []Edit
		for _, e := range edits {
			if e.Op != Equal {
				changes = append(changes, e)
			}
		}
		for _, h := range Hunks(edits, rapid.IntRange(0, 5).Draw(t, "context")) {
			for _, e := range h.Edits {
				if e.Op != Equal {
					kept = append(kept, e)
				}
			}
		}
		if d := cmp.Diff(changes, kept); d != "" {
			t.Fatal(d)
		}
	})
}

func TestWords(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{`- text: 1 selected`, `- text: 12 selected`, `=- text: |-1|+12|= selected`},
		{`checkbox "A" [ref=e1]`, `checkbox "A" [checked] [ref=e1]`, `=checkbox "A" [|+checked] [|=ref=e1]`},
		{"", "a", "+a"},
		{"naïve e\u0301", "naïve", "=naïve|- e\u0301"},
	} {
		var got []string
		for _, e := range Words(tt.a, tt.b) {
			switch e.Op {
			case Equal:
				got = append(got, "="+tt.a[e.A0:e.A1])
			case Delete:
				got = append(got, "-"+tt.a[e.A0:e.A1])
			case Insert:
				got = append(got, "+"+tt.b[e.B0:e.B1])
			}
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%q → %q: %s, want %s", tt.a, tt.b, s, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		out := ""
		for _, e := range Words(a, b) {
			if e.Op == Equal && a[e.A0:e.A1] != b[e.B0:e.B1] {
				t.Fatalf("%q is not %q", a[e.A0:e.A1], b[e.B0:e.B1])
			}
			if e.Op != Delete {
				out += b[e.B0:e.B1]
			}
		}
		if out != b {
			t.Fatalf("%q, want %q", out, b)
		}
	})
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc", "a\nc\nd\n")
	f.Add("- row:\r\n  - cell\r\n", "- row:\n  - cell")
	f.Add("\xff\xfe\n\x00", "\xed\xa0\x80\n")
	f.Fuzz(func(t *testing.T, x, y string) {
		if len(x)+len(y) > 4000 {
			return
		}
		a, b := Split(x), Split(y)
		edits := Diff(a, b)
		if got := join(apply(t, a, b, edits)); got != y {
			t.Fatalf("%q, want %q", got, y)
		}
		if _, _, same := Counts(edits); same != longest(a, b) {
			t.Fatalf("%d equal lines of %d", same, longest(a, b))
		}
	})
}

func equalLines(a, b []string) bool {
	return strings.Join(a, "\n") == strings.Join(b, "\n") && len(a) == len(b)
}

func join(lines []string) string { return strings.Join(lines, "\n") }
