package notation

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	text := strings.Join([]string{
		"- main [ref=e1]:",
		"  - 'link \"Docs: a\" [ref=e2]':",
		"    - /url: \"#top\"",
		"    - text: see [ref=e9]",
		"",
		"  - button \"Save\" [ref=e3]",
		"  - button \"Save\" [ref=e4]",
		"  - paragraph [ref=e3]: Save",
		"- ref=e7 [unchanged]",
		"- <changed> list [ref=e8]:",
	}, "\n")
	x := Read(text, Aria)
	for ref, want := range map[string]int{"e1": 0, "e2": 1, "e3": 5, "e4": 6, "e8": 9, "e9": -1, "e7": -1, "": -1} {
		if got := x.Find(ref); got != want {
			t.Errorf("%q is found on line %d, want %d", ref, got, want)
		}
	}
	if x.Unchanged("e7") != 8 || x.Unchanged("e1") != -1 {
		t.Error("the unchanged element is not found")
	}
	for _, tt := range []struct {
		role, name string
		nth, want  int
	}{
		{"button", "Save", 0, 5},
		{"button", "Save", 1, 5},
		{"button", "Save", 2, 6},
		{"button", "Save", 3, -1},
		{"link", "Docs: a", 1, 1},
		{"paragraph", "Save", 1, 7},
		{"main", "", 1, 0},
		{"list", "", 1, 9},
		{"butt", "", 1, -1},
	} {
		if got := x.FindRole(tt.role, tt.name, tt.nth); got != tt.want {
			t.Errorf("%s %q number %d is on line %d, want %d", tt.role, tt.name, tt.nth, got, tt.want)
		}
	}
	var parents, ends []int
	for i := range x.Len() {
		parents, ends = append(parents, x.Parent(i)), append(ends, x.End(i))
	}
	if d := cmp.Diff([]int{-1, 0, 1, 1, 1, 0, 0, 0, -1, -1}, parents); d != "" {
		t.Error("parents", d)
	}
	if d := cmp.Diff([]int{8, 5, 3, 4, 5, 6, 7, 8, 9, 10}, ends); d != "" {
		t.Error("ends", d)
	}
	if x.Elements() != 6 {
		t.Errorf("%d elements", x.Elements())
	}
}

// checkText holds a Text against its lines, read one by one.
func checkText(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, d Dialect,
) {
	t.Helper()
	x := Read(text, d)
	lines := strings.Split(text, "\n")
	if x.Len() != len(lines) || x.String() != text {
		t.Fatalf("%d lines of %d", x.Len(), len(lines))
	}
	first := map[string]int{}
	var refs []RefAt
	at := 0
	for i, raw := range lines {
		l := ReadLine(raw, d)
		if x.Raw(i) != raw || x.Kind(i) != l.Kind || x.Ref(i) != l.Own() || x.Start(i) != at {
			t.Fatalf("%s line %d %q: %v %q", d, i, raw, x.Kind(i), x.Ref(i))
		}
		if p := x.Parent(i); p >= i || p < -1 || x.End(i) <= i || x.End(i) > len(lines) {
			t.Fatalf("%s line %d: parent %d, end %d", d, i, p, x.End(i))
		} else if l.Kind != OtherLine && p >= 0 && (x.Indent(p) >= x.Indent(i) || x.End(p) < x.End(i)) {
			t.Fatalf("%s line %d is not below its parent %d", d, i, p)
		}
		if r := l.Own(); r != "" {
			if _, ok := first[r]; !ok {
				first[r] = i
			}
			refs = append(refs, RefAt{r, i, at + l.RefAt.From, at + l.RefAt.To})
		}
		at += len(raw) + 1
	}
	for r, i := range first {
		if x.Find(r) != i {
			t.Fatalf("%s ref %q is on line %d, found on %d", d, r, i, x.Find(r))
		}
		if raw, ok := LineOf(text, d, r); !ok || raw != x.Raw(i) {
			t.Fatalf("%s ref %q is on line %q, found on %q", d, r, x.Raw(i), raw)
		}
	}
	for _, r := range []string{"", "e", "no such ref", "\n"} {
		if _, known := first[r]; known {
			continue
		}
		if raw, ok := LineOf(text, d, r); ok {
			t.Fatalf("%s ref %q is nowhere, found on %q", d, r, raw)
		}
	}
	var got []RefAt
	for r := range x.Refs() {
		got = append(got, r)
	}
	if diff := cmp.Diff(refs, got); diff != "" {
		t.Fatalf("refs %s", diff)
	}
}

// An element is found by what Print wrote of it, whatever its name and text say.
func TestPrintedElementsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := &Tree{Roots: rapid.SliceOfN(node(3), 1, 3).Draw(t, "roots")}
		text := printed(tree.Roots)
		checkText(t, text, Aria)
		parsed, _ := Parse(text)
		x := Read(text, Aria)
		n := 0
		for e := range all(parsed) {
			l := x.Line(e.Line)
			if x.Ref(e.Line) != e.Ref || l.Role != e.Role || l.Name() != e.Name || l.HasName != e.HasName || l.Value() != e.Text || !l.Whole {
				t.Fatalf("line %d is %s\n%s", e.Line, say(l), text)
			}
			up := -1
			if e.Parent != nil {
				up = e.Parent.Line
			}
			if x.Parent(e.Line) != up {
				t.Fatalf("line %d hangs below %d, want %d\n%s", e.Line, x.Parent(e.Line), up, text)
			}
			if e.Ref != "" {
				n++
			}
		}
		if x.Elements() != n {
			t.Fatalf("%d elements, want %d\n%s", x.Elements(), n, text)
		}
	})
}

func TestSnapshotsReadAlike(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/snapshots/*.aria")
	if len(files) == 0 {
		t.Fatal("no snapshots")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, string(data), Aria)
		tree, _ := Parse(string(data))
		x := Read(string(data), Aria)
		for n := range all(tree) {
			if n.Ref != x.Ref(n.Line) || n.Ref != "" && x.Find(n.Ref) != n.Line {
				t.Errorf("%s:%d: %q and %q", f, n.Line+1, n.Ref, x.Ref(n.Line))
			}
		}
	}
}

// A ref may be as long as a line: what it names is found all the same.
func TestLongRefs(t *testing.T) {
	for _, n := range []int{1, 65_535, 65_536, 1 << 20} {
		ref := "e" + strings.Repeat("1", n-1)
		text := Read("- main [ref=a]:\n  - button \"x\" [ref="+ref+"]", Aria)
		if text.Elements() != 2 || text.Find(ref) != 1 || text.Ref(1) != ref || text.Line(1).Ref != ref {
			t.Errorf("a ref of %d bytes: %d elements, found at %d", n, text.Elements(), text.Find(ref))
		}
	}
}

func TestCache(t *testing.T) {
	texts := make([]string, 20)
	for i := range texts {
		texts[i] = fmt.Sprintf("- button \"%d\" [ref=e%d]\n%s", i, i, strings.Repeat("- text: x\n", 100))
	}
	one := Read(texts[0], Aria).Bytes()
	c := NewCache(5*one + one/2)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 200 {
				k := (i*7 + w) % len(texts)
				x := c.Read(fmt.Sprint(k), texts[k], Aria)
				if x.Find(fmt.Sprint("e", k)) != 0 {
					t.Errorf("text %d is another", k)
				}
			}
		})
	}
	wg.Wait()
	if n := len(c.by); n != c.order.Len() || n == 0 || n > 5 || c.bytes > c.most {
		t.Errorf("%d texts of %d bytes in a cache of %d", n, c.bytes, c.most)
	}
	a := c.Read("0", texts[0], Aria)
	if b := c.Load("0", Aria, func() string { t.Error("asked for a text it holds"); return "" }); a != b {
		t.Error("the text is read again")
	}
	if b := c.Read("0", texts[0], UID); a == b || b.Elements() != 0 {
		t.Error("a text is one in each dialect")
	}
	if NewCache(0).Read("0", texts[0], Aria).Find("e0") != 0 {
		t.Error("a text that is too large is not read")
	}
}

func BenchmarkRead(b *testing.B) {
	data, err := os.ReadFile("../../testdata/snapshots/table500.aria")
	if err != nil {
		b.Fatal(err)
	}
	text := string(data)[:170<<10]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Read(text, Aria)
	}
}

func BenchmarkFind(b *testing.B) {
	data, err := os.ReadFile("../../testdata/snapshots/table500.aria")
	if err != nil {
		b.Fatal(err)
	}
	x := Read(string(data)[:170<<10], Aria)
	for b.Loop() {
		x.Find("e1234")
	}
}
