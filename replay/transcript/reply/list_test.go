package reply

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/snapshot/notation"
)

// WebVoyager's elements stand in a row; each is a line of the page, whatever its words.
func TestListsOfElements(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var items, names []string
		for i := range rapid.IntRange(2, 20).Draw(rt, "elements") {
			name := rapid.StringMatching(`[a-zä0-9][a-zä0-9 '\[\]:<>.,"]{0,12}[a-z]`).Draw(rt, "name")
			item := fmt.Sprintf("[%d]: %s\"%s\"", i, rapid.SampledFrom([]string{"", "<button> ", "<input> ", "<textarea> "}).Draw(rt, "tag"), name)
			if rapid.Bool().Draw(rt, "label") {
				item += `, "a label"`
			}
			items, names = append(items, item+";"), append(names, name)
		}
		before := "Observation: look.\n"
		text := before + strings.Join(items, "\t")
		r := Read(Call{Tab: -1}, text)
		if !r.Found || r.Seen != session.SeenInline || r.Dialect != notation.Index || r.Before != before || r.Before+r.Snap+r.After != text {
			rt.Fatalf("%+v", r)
		}
		page := notation.Read(r.Tree, r.Dialect)
		if page.Elements() != len(items) || page.Len() != len(items) {
			rt.Fatalf("%d elements of %d in\n%s", page.Elements(), len(items), r.Tree)
		}
		for i, name := range names {
			at := page.Find(fmt.Sprint(i))
			l := page.Line(at)
			if want, _, _ := strings.Cut(name, `", "`); at != i || l.Name() != want {
				rt.Fatalf("element %d is on line %d, called %q, want %q", i, at, l.Name(), want)
			}
		}
	})
	for _, no := range []string{"[1]: <https://x.test> \"X\"\n[2]: <https://y.test> \"Y\"", "[1]: \"a\" and\t[2]: \"b\"", "see [1]: \"a\";\t[b]: \"c\";", "[02-14] error: x\n[02-15] error: y", "[10-12] INFO: x\n[10-13] INFO: y"} {
		if r := Parse(no); r.Found {
			t.Errorf("%q is a page: %q", no, r.Snap)
		}
	}
}
