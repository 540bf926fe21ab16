package notation

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// node draws a valid node: what a page may make the printer print.
func node(depth int) *rapid.Generator[*Node] {
	str := rapid.OneOf(
		rapid.SampledFrom([]string{
			"Save", "a: b", "x #1", "12", "-1e5", "0x1F", "true", "No", "it's", `say "hi"`, "{a}", "`b`", "tail ", " head", "a\nb",
			"/re/", "/", "- dash", "é 中 😀", "[ref=e9]", "\u0001", "\u0085", "a:", "#", "back\\slash", "Infinity", "\t",
		}),
		rapid.StringN(0, 12, -1),
	)
	return rapid.Custom(func(t *rapid.T) *Node {
		if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
			return &Node{Role: "text", Text: str.Draw(t, "text"), HasText: true}
		}
		n := &Node{Role: rapid.SampledFrom([]string{"generic", "button", "row", "cell", "link"}).Draw(t, "role")}
		if n.HasName = rapid.Bool().Draw(t, "named"); n.HasName {
			n.Name = str.Draw(t, "name")
		}
		for _, a := range []string{"checked=mixed", "active", "level=2"} {
			if rapid.IntRange(0, 3).Draw(t, a) == 0 {
				n.Attrs = append(n.Attrs, a)
			}
		}
		if rapid.Bool().Draw(t, "ref") {
			n.Ref = fmt.Sprint("e", rapid.IntRange(1, 99).Draw(t, "number"))
			n.Attrs = append(n.Attrs, "ref="+n.Ref)
		}
		if rapid.IntRange(0, 3).Draw(t, "link") == 0 {
			n.Props = []Prop{{Key: "url", Value: str.Draw(t, "url")}}
		}
		if depth > 0 {
			n.Children = rapid.SliceOfN(node(depth-1), 0, 3).Draw(t, "children")
		}
		if len(n.Children)+len(n.Props) == 0 && rapid.Bool().Draw(t, "inline") {
			n.Text, n.HasText = str.Draw(t, "value"), true
		}
		return n
	})
}

// all walks a tree in the order of its text.
func all(t *Tree) iter.Seq[*Node] {
	return func(yield func(*Node) bool) { walk(t.Roots, yield) }
}

var sameNode = cmp.Options{
	cmpopts.IgnoreFields(Node{}, "Parent", "Line"), cmpopts.IgnoreFields(Prop{}, "Line"),
	cmpopts.IgnoreUnexported(Node{}), cmpopts.EquateEmpty(),
}

func TestPrintParsePrint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roots := rapid.SliceOfN(node(3), 1, 3).Draw(t, "roots")
		text := printed(roots)
		got, err := Parse(text)
		if err != nil || got.Odd > 0 {
			t.Fatalf("%v, notes %v\n%s", err, got.Notes, text)
		}
		if d := cmp.Diff(roots, got.Roots, sameNode); d != "" {
			t.Fatalf("want -, got +\n%s\n%s", d, text)
		}
		if again := printed(got.Roots); again != text {
			t.Fatalf("printed again:\n%s\nwant:\n%s", again, text)
		}
		for n := range all(got) {
			if n.IsRaw() {
				t.Fatalf("line %d is raw: %q", n.Line, n.Raw)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range odd {
		f.Add(s)
	}
	f.Add("- 'link \"a: b\" [ref=e1]':\n  - /url: \"x: y\"\n  - text: \"\\x01\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := Parse(text)
		if got := printed(tree.Roots); got != text {
			t.Fatalf("%q became %q", text, got)
		}
		if err != nil && !errors.Is(err, ErrNotAria) {
			t.Fatal(err)
		}
		last := -1
		for n := range all(tree) {
			if n.Line <= last {
				t.Fatalf("line %d after %d", n.Line, last)
			}
			last = n.Line
		}
		for _, d := range []Dialect{Aria, UID, AgentBrowser, Index} {
			for r := range Read(text, d).Refs() {
				if text[r.Start:r.End] != r.Ref || strings.Count(text[:r.Start], "\n") != r.Line {
					t.Fatalf("%s ref %+v", d, r)
				}
			}
		}
	})
}

var odd = []string{
	"", "\n", "- ", "-", "- a:\n\n    - b\n - c\n", "- row \"x\" [ref=e1\n", "- a: \"b", "\xff\xfe", "- a \"\xff\"", "- a:\r\n  - b\r\n",
	"<html>\n  <body a=\"[ref=e1]\">\n", "{\"a\": [1,2]}", "uid=1_0 RootWebArea \"x\"\n  uid=1_1 link \"y\"", "- /url: x", "- a:\n  - b\n  - /url: x",
	"- a\n\t- b", "- text: ''", "- link /x/ [ref=e1]: y", "- 'a", "- a: b\n  - c: d\n\n\n", "- a [ref=e1] [", "- \"a\": b", strings.Repeat("  ", 2000) + "- deep",
}

func TestAnyTextIsKept(t *testing.T) {
	for _, text := range odd {
		tree, _ := Parse(text)
		if got := printed(tree.Roots); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestSnapshotsParseWhole(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/snapshots/*.aria")
	if len(files) == 0 {
		t.Fatal("no snapshots")
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := Parse(string(data))
		if err != nil || tree.Odd > 0 {
			t.Errorf("%s: %v, notes %v", f, err, tree.Notes)
		}
		refs := 0
		for n := range all(tree) {
			if n.IsRaw() && strings.TrimSpace(n.Raw) != "" {
				t.Errorf("%s:%d is raw: %s", f, n.Line+1, n.Raw)
			}
			if n.Ref != "" {
				refs++
			}
		}
		if got := Read(string(data), Aria).Elements(); got != refs {
			t.Errorf("%s: the scan finds %d refs, the tree has %d", f, got, refs)
		}
		if printed(tree.Roots) != string(data) {
			t.Errorf("%s is printed differently", f)
		}
	}
}

func TestParseFields(t *testing.T) {
	text := `- main [active] [ref=e1]:
  - 'link "Docs: intro" [ref=e2] [cursor=pointer]':
    - /url: "#top"
    - text: Docs
  - checkbox "it's" [checked=mixed] [ref=e3]
  - textbox "Name" [ref=f1e4]: "true"`
	tree, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []*Node{{
		Role: "main", Attrs: []string{"active", "ref=e1"}, Ref: "e1", Children: []*Node{
			{
				Role: "link", Name: "Docs: intro", HasName: true, Attrs: []string{"ref=e2", "cursor=pointer"}, Ref: "e2",
				Props: []Prop{{Key: "url", Value: "#top"}}, Children: []*Node{{Role: "text", Text: "Docs", HasText: true}},
			},
			{Role: "checkbox", Name: "it's", HasName: true, Attrs: []string{"checked=mixed", "ref=e3"}, Ref: "e3"},
			{Role: "textbox", Name: "Name", HasName: true, Attrs: []string{"ref=f1e4"}, Ref: "f1e4", Text: "true", HasText: true},
		},
	}}
	if d := cmp.Diff(want, tree.Roots, sameNode); d != "" {
		t.Error(d)
	}
	if link := tree.Roots[0].Children[0]; link.Line != 1 || link.Parent.Ref != "e1" || !tree.Roots[0].Children[1].Has("checked") {
		t.Errorf("the link is %+v", link)
	}
}

func TestParseError(t *testing.T) {
	_, err := Parse("\n  <html>\n")
	if !errors.Is(err, ErrNotAria) || !strings.Contains(err.Error(), "line 2, column 3") {
		t.Errorf("the error is %v", err)
	}
	tree, err := Parse("- a\n- b [x\n- c\nfoo")
	if err != nil || tree.Odd != 2 || tree.Notes[0].Line != 1 || tree.Notes[0].Col != 3 || tree.Notes[1].Line != 3 {
		t.Errorf("%v, notes %+v", err, tree.Notes)
	}
}

func TestQuoteValue(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain", "plain"},
		{"", `""`},
		{" a", `" a"`},
		{"a:", `"a:"`},
		{"a:b", "a:b"},
		{"a: b", `"a: b"`},
		{"a #b", `"a #b"`},
		{"a#b", "a#b"},
		{"12", `"12"`},
		{"-1.5e3", `"-1.5e3"`},
		{"0x1f", `"0x1f"`},
		{"0x1p3", "0x1p3"},
		{"1_000", "1_000"},
		{"1,000", "1,000"},
		{"Infinity", `"Infinity"`},
		{"inf", "inf"},
		{"NaN", "NaN"},
		{"Yes", `"Yes"`},
		{"null", `"null"`},
		{"nullable", "nullable"},
		{"a\nb", `"a\nb"`},
		{"\x01", `"\x01"`},
		{"-a", `"-a"`},
		{"~", `"~"`},
		{"~a", "~a"},
		{"{", `"{"`},
		{"[a", `"[a"`},
		{"a[", "a["},
		{"%", `"%"`},
		{"a%", "a%"},
		{"$4", "$4"},
		{"47.13", `"47.13"`},
		{".5", `".5"`},
		{"5.", `"5."`},
		{"e5", "e5"},
		{"+", "+"},
	} {
		if got := QuoteValue(tt.in); got != tt.want {
			t.Errorf("%q is written %s, want %s", tt.in, got, tt.want)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile("../../testdata/snapshots/table500.aria")
	if err != nil {
		b.Fatal(err)
	}
	text := string(data)[:170<<10]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func TestKeySize(t *testing.T) {
	for _, line := range []string{`- button`, `- button "Save \"all\"\n\t\u0001 ä" [checked] [ref=e1]`, `- link /a\/b/ [ref=e2]`, `- 'row "a: b" [ref=e3]'`} {
		tree, _ := Parse(line)
		if n := tree.Roots[0]; n.KeySize() != len(n.appendKey(nil)) {
			t.Errorf("%s: %d, want %d", line, n.KeySize(), len(n.appendKey(nil)))
		}
	}
}

// printed is a page whose roots these are.
func printed(roots []*Node) string {
	var b []byte
	for i, n := range roots {
		if i > 0 {
			b = append(b, '\n')
		}
		b = n.AppendTo(b)
	}
	return string(b)
}
