package fold

import (
	"fmt"
	"strings"
)

// signs are the lines of a folded page that are not a page's own: one as it is
// written, and what it says.
var signs = []struct{ example, says string }{
	{`*:`, `a pattern ("*2:" the second): an element with holes`},
	{`- row = [ref]:`, `it has a ref; = its name joins the names and texts below it`},
	{`- cell …1 [ref]`, `… is a value; …1 one that others repeat`},
	{`- checkbox "Select …1" [ref]`, `these words and that value`},
	{`* e2 e3 e4 [checked] e5 Ada | e6 Open`, `an item ("*2 " of the second): refs with states, and values, in the pattern's order`},
	{`* e12 e13 e14 e15 Cy | e16 "Open | new"`, `" | " ends a value that is no JSON string`},
	{`* e5 ="Keep"`, `a name that is not the pattern's`},
}

// grammar tells an agent how to read a folded page, for its prompt.
var grammar = writeGrammar()

func writeGrammar() string {
	var b strings.Builder
	b.WriteString("A folded page writes elements of one build as a pattern and one line each; other lines are the page's own.\n")
	for _, s := range signs {
		fmt.Fprintf(&b, "%s  %s\n", s.example, s.says)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
