package notation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// say writes what was read of a line in one line of its own.
func say(l Line) string {
	kind := [...]string{"other", "element", "changed", "unchanged", "text", "property"}[l.Kind]
	out := fmt.Sprintf("%s %d %s", kind, l.Indent, l.Role)
	if l.HasName {
		out += fmt.Sprintf(" %q", l.Name())
	}
	for a := range l.Attrs() {
		out += " <" + a.Of(l.Raw) + ">"
	}
	if l.Ref != "" {
		out += " @" + l.Ref
	}
	if l.HasValue {
		out += fmt.Sprintf(" = %q", l.Value())
	}
	if l.Kind != OtherLine && !l.Whole {
		out += " …"
	}
	return out
}

func TestReadLine(t *testing.T) {
	for _, tt := range []struct {
		d          Dialect
		line, want string
	}{
		{Aria, `  - button "Save" [disabled] [ref=e5]: now`, `element 2 button "Save" <disabled> <ref=e5> @e5 = "now"`},
		{Aria, `- button "[ref=e9]" [disabled] [ref=e1]: see [ref=e8]`, `element 0 button "[ref=e9]" <disabled> <ref=e1> @e1 = "see [ref=e8]"`},
		{Aria, `- paragraph: "docs: click [ref=e300]"`, `element 0 paragraph = "docs: click [ref=e300]"`},
		{Aria, `- paragraph: 'docs'`, `element 0 paragraph = "'docs'"`},
		{Aria, `- text: "[ref=e8]"`, `text 0 text = "[ref=e8]"`},
		{Aria, `- text: uid=1_2 button`, `text 0 text = "uid=1_2 button"`},
		{Aria, `- 'row "a: b" [ref=e2]':`, `element 0 row "a: b" <ref=e2> @e2`},
		{Aria, `- 'row "it''s: x" [ref=e2]': "y: z"`, `element 0 row "it's: x" <ref=e2> @e2 = "y: z"`},
		{Aria, `- 'row "'' [ref=e9]'': " [ref=e2]'`, `element 0 row "' [ref=e9]': " <ref=e2> @e2`},
		{Aria, `- link /a b/ [ref=e3]`, `element 0 link "/a b/" <ref=e3> @e3`},
		{Aria, `- link /a [ref=e9]/ [ref=e3]: x / [ref=e8]`, `element 0 link "/a [ref=e9]/" <ref=e3> @e3 = "x / [ref=e8]"`},
		{Aria, `- link /x/ [ref=e9] / [ref=e3]:`, `element 0 link "/x/ [ref=e9] /" <ref=e3> @e3`},
		{Aria, `- link /not a pattern [ref=e3]`, `element 0 link …`},
		{Aria, `- button "say \"hi\" [ref=e9]" [ref=e4]`, `element 0 button "say \"hi\" [ref=e9]" <ref=e4> @e4`},
		{Aria, `- button "a\nb" [ref=f1e4] [cursor=pointer]`, `element 0 button "a\nb" <ref=f1e4> <cursor=pointer> @f1e4`},
		{Aria, `- button "no end [ref=e4]`, `element 0 button …`},
		{Aria, `- 'row "no end [ref=e4]`, `other 0 `},
		{Aria, `- button "x" then [ref=e4]`, `element 0 button "x" …`},
		{Aria, "- main [ref=e1]:\r", `element 0 main <ref=e1> @e1`},
		{Aria, "- main [ref=e1]: x\r", `element 0 main <ref=e1> @e1 = "x"`},
		{Aria, "\t- main [ref=e1]", `element 1 main <ref=e1> @e1`},
		{Aria, `- /url: "#top"`, `property 0 url = "#top"`},
		{Aria, `- /placeholder: Search [ref=e4]`, `property 0 placeholder = "Search [ref=e4]"`},
		{Aria, `- <changed> row "x" [ref=e4]:`, `changed 0 row "x" <ref=e4> @e4`},
		{Aria, `- '<changed> row "x: y" [ref=e4]':`, `changed 0 row "x: y" <ref=e4> @e4`},
		{Aria, `  - ref=e4 [unchanged]`, `unchanged 2  @e4`},
		{Aria, `- text: ref=e4 [unchanged]`, `text 0 text = "ref=e4 [unchanged]"`},
		{Aria, `- ref=e4 unchanged`, `other 0 `},
		{Aria, `uid=1_2 button "x"`, `other 0 `},
		{Aria, `- `, `other 0 `},
		{Aria, `- -`, `other 0 `},
		{Aria, ``, `other 0 `},
		{"", `uid=1_2 button "x"`, `element 0 button "x" @1_2`},
		{UID, `  uid=1_21 checkbox "Select" checked value="a b" focusable`, `element 2 checkbox "Select" <checked> <value="a b"> <focusable> @1_21 = "a b"`},
		{UID, `uid=1_21 button "uid=9_9" focusable`, `element 0 button "uid=9_9" <focusable> @1_21`},
		{UID, `uid=1_23 "Boris Hale"`, `element 0  "Boris Hale" @1_23`},
		{UID, `uid=1_3 StaticText "say "hi""`, `element 0 StaticText "say \"hi\"" @1_3`},
		{UID, `uid=1_0 RootWebArea "Todo" url="http://a.test/?x=1"`, `element 0 RootWebArea "Todo" <url="http://a.test/?x=1"> @1_0`},
		{UID, `- button [ref=e4]`, `other 0 `},
		{UID, `and then uid=4 button`, `other 0 `},
		{AgentBrowser, `- checkbox "x" [checked=false, ref=e30]`, `element 0 checkbox "x" <checked=false> <ref=e30> @e30`},
		{AgentBrowser, `- button "say "hi"" [ref=e30]: v`, `element 0 button "say \"hi\"" <ref=e30> @e30 = "v"`},
		{AgentBrowser, `- StaticText "a, ref=e9"`, `element 0 StaticText "a, ref=e9"`},
		{Index, "[12]<button type=submit />", `element 0 button <type=submit> @12`},
		{Index, "\t*[3]<a role=link>Home [4]<b</a>", `element 1 a "Home [4]<b" <role=link> @3`},
		{Index, "|SCROLL|[7]<div aria-label='a > b' />", `element 0 div <aria-label='a > b'> @7`},
		{Index, "12[:]<button>Go</button>", `element 0 button "Go" @12`},
		{Index, "[x] [4]", `other 0 `},
		{Index, "see [4]<a>", `other 0 `},
		{AXTree, "\t[3] searchbox 'Search' focused: True required: False", `element 1 searchbox "Search" <focused: True> <required: False> @3`},
		{AXTree, `[a12] button "it's [3] button 'x'", clickable, value='v w'`, `element 0 button "it's [3] button 'x'" <clickable> <value='v w'> @a12 = "v w"`},
		{AXTree, `RootWebArea 'Shop', focused`, `element 0 RootWebArea "Shop" <focused>`},
		{AXTree, `[5] StaticText 'Results: \'0\''`, `element 0 StaticText "Results: '0'" @5`},
		{AXTree, `[5] and more`, `other 0 `},
		{Loose, `button Go [e1]`, `element 0  @e1 …`},
		{Loose, `[f1e3] button Go`, `element 0  @f1e3 …`},
		{Loose, `see [e1] for more`, `other 0 `},
		{Loose, `- text: see [e1]`, `text 0 text = "see [e1]"`},
	} {
		l := ReadLine(tt.line, tt.d)
		if diff := cmp.Diff(tt.want, say(l)); diff != "" {
			t.Errorf("%s line %q\n%s", tt.d, tt.line, diff)
		}
	}
}

func TestTell(t *testing.T) {
	for text, want := range map[string]Dialect{
		"": "", "hello\n- world\n": "", "Page:\n- main [ref=e1]:\n  - button": Aria, "- main:\n  - checkbox \"x\" [checked=false, ref=e3]": AgentBrowser,
		"- text: uid=1_2\n- button \"a, ref=e3\" [ref=e1]": Aria, "## Latest\nuid=1_0 RootWebArea \"x\"": UID, "Interactive:\n[0]<a>x</a>": Index,
		"Observation:\n[1] RootWebArea 'Shop' focused: True": AXTree, "see [1] for details 'x'": "",
	} {
		if got := Tell(text); got != want {
			t.Errorf("%q is told to be %q, want %q", text, got, want)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{UnchangedItem("e4"), "- ref=e4 [unchanged]"},
		{MarkChanged(`  - row "x"`), `  - <changed> row "x"`},
		{MarkChanged(`- 'row "a: b"'`), `- '<changed> row "a: b"'`},
		{UnmarkChanged(`- '<changed> row "a: b"'`), `- 'row "a: b"'`},
		{UnmarkChanged(`  - <changed> row "x"`), `  - row "x"`},
		{UnmarkChanged("text: - <changed> "), "text: - <changed> "},
		{WithRef(`- row "[ref=e1]" [ref=e1]: [ref=e1]`, "e2", Aria), `- row "[ref=e1]" [ref=e2]: [ref=e1]`},
		{WithRef(`- text: "[ref=e1]"`, "e2", Aria), `- text: "[ref=e1]"`},
		{BareRef("aria-ref=e4"), "e4"},
		{BareRef("[ref=e4]"), "e4"},
		{BareRef("@e4"), "e4"},
		{BareRef("uid=1_4"), "1_4"},
		{BareRef("text=Save"), "text=Save"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
	for s, want := range map[string]bool{"e1": true, "f2e13": true, "e": false, "fe1": false, "f1": false, "e1x": false, "": false, "1_2": false} {
		if IsRef(s) != want {
			t.Errorf("IsRef(%q) is %v", s, !want)
		}
	}
}

// checkLine holds what is true of a reading of any line.
func checkLine(t interface {
	Helper()
	Fatalf(string, ...any)
}, raw string, d Dialect,
) {
	t.Helper()
	l := ReadLine(raw, d)
	for _, s := range []Span{l.KeyAt, l.RoleAt, l.NameAt, l.AttrsAt, l.RefAt, l.ValueAt} {
		if s.From < 0 || s.To < s.From || s.To > len(raw) {
			t.Fatalf("%s %q: %+v", d, raw, l)
		}
	}
	if l.RoleAt.Of(raw) != l.Role || l.RefAt.Of(raw) != l.Ref || l.Raw != raw {
		t.Fatalf("%s %q: %+v", d, raw, l)
	}
	if l.Kind == OtherLine && (l.Own() != "" || l.IsElement()) {
		t.Fatalf("%s %q: %+v", d, raw, l)
	}
	seen := ""
	for a := range l.Attrs() {
		if a.From < l.AttrsAt.From || a.To > l.AttrsAt.To {
			t.Fatalf("%s %q: attribute %v outside of %v", d, raw, a, l.AttrsAt)
		}
		if ref, ok := strings.CutPrefix(a.Of(raw), refKey); ok && l.bracketed && seen == "" {
			if seen = ref; ref != l.Ref {
				t.Fatalf("%s %q: %q and %q", d, raw, ref, l.Ref)
			}
		}
	}
	_, _ = l.Name(), l.Value()
}

var dialects = []Dialect{"", Aria, UID, AgentBrowser, Index, AXTree, Loose}

func FuzzReadLine(f *testing.F) {
	for _, s := range odd {
		f.Add(s)
	}
	for _, s := range []string{
		`- 'row "a: b" [a, ref=e2] [x]': "y"`, `uid=1_2 a "b" c="d e" f`, `[1] a 'b\'' c: d, e='f'`, `*[1]<a b='c>d' />e</a>`, `- a /b [c]/ [ref=e1]: d`,
		`- ref=e4 [unchanged]`, `- '<changed> a`, `|x|[3]<b`, "- a \"\\", "[e1]", "x [e1]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, _, _ := strings.Cut(text, "\n")
		for _, d := range dialects {
			checkLine(t, line, d)
			checkText(t, text, d)
		}
		Tell(text)
		LooksLikeSnapshot(text)
	})
}

func TestHasUnchanged(t *testing.T) {
	for text, want := range map[string]bool{
		"- ref=e4 [unchanged]": true, "- a:\n  - ref=e4 [unchanged]\n- b": true, "": false,
		`- text: "ref=e4 [unchanged]"`: false, "- a: x [unchanged]\n- b": false, "- a: x [unchanged]\n- ref=e1 [unchanged]": true,
	} {
		if got := HasUnchanged(text, Aria); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What takes linear time in one line takes no more than that in a hostile one.
func TestHostileLines(t *testing.T) {
	for _, s := range []string{" [", "/ [", "'", `" `, `"`, "\\", "ref=", ", ", "[1]<", " / [a]", "<changed> ", "|"} {
		for _, head := range []string{"- a ", "- a /", "- 'a ", "uid=1 a \"", "[1] a '", "[1]<a ", "|"} {
			for _, d := range dialects {
				checkLine(t, head+strings.Repeat(s, 1<<18/len(s)), d)
			}
		}
	}
}
