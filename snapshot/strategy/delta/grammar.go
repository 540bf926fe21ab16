package delta

import (
	"fmt"
	"strings"
)

// grammarPage is the page that the examples of the grammar change.
const grammarPage = `- main [ref=e1]:
  - status [ref=e2]: 0 selected
  - list "Leads" [ref=e3]:
    - item [ref=e4]: Ada
    - item [ref=e5]: Ben
    - text: and
    - item [ref=e6]: Cy
  - button "Save" [active] [ref=e7]
  - paragraph:
    - text: the end
  - text: bye`

// signs are the lines of a delta: one as it is written for a change of
// grammarPage, and what it says.
var signs = []struct{ example, says string }{
	{`focus e5`, `[active] is now on e5 (its new ref) and nowhere else, before its brackets other than [checked], [disabled], [expanded]; "focus none": nowhere`},
	{`indent e3 +2`, `e3 and all below it stand 2 spaces deeper ("e4..e6 -2": e4 to the end of e6, less deep); done before all that follows`},
	{`@e3 main > list "Leads"`, `go on inside e3, behind its own line; the names only say where e3 is, and a later sign may leave it`},
	{`@e1+8 main`, `go on inside e1, but behind the first 8 lines below it, however deep these are`},
	{`@after e6`, `go on behind e6 and all below it, as deep as e6 ("@line 6": behind the first 6 lines of the page, not indented)`},
	{`~ status [ref=e2]: 1 selected`, `this is now the line of e2; a line without a ref replaces the next line`},
	{`~e5 item [ref=e9]: Bo`, `this is now the line that was e5; it may be another element`},
	{`= e4 → e9, e5 → e10`, `the same lines with new refs`},
	{`+ item [ref=e9]:`, `new here, as deep as the line last named by = ~ x or @after (of x e4..e5: e4), or one level inside e3 after @e3 or @e3+1; further spaces behind + make it deeper`},
	{`    link "Di" [ref=e10]`, `new below the + before it: deeper lines have no sign of their own`},
	{`x e5 item`, `e5 and all below it are gone; what + adds next stands in its place`},
	{`x e4..e5`, `gone from e4 to the end of e5`},
	{`x e5*2`, `gone: 2 lines from e5 on, however deep`},
	{`x 2 paragraph`, `gone: the next 2 lines, the first of them a paragraph`},
	{`^ e4 item`, `e4 and all below it now stand here, with the spaces they had (after indent); "x e4 item (moved)" tells where they stood; "^ e4..e6" is a run`},
	{`+:loose words`, `behind a colon stands a line that has no dash, behind a bar (+| and ~|) a line as it is, with its spaces`},
}

// grammar tells an agent how to read a delta, for its prompt.
var grammar = writeGrammar()

func writeGrammar() string {
	var b strings.Builder
	b.WriteString(`A page delta tells, from top to bottom, how the page differs from the one shown last; what it does not name is as it was.
Refs left of → and behind @ x ^ ~, and numbers of lines, are those of the page shown last: its gone lines count, new ones do not.
[page delta: …] names the signs that follow. [page unchanged]: nothing differs but, where a line says so, the focus.
The dash of a line is left out. A line that stays below gone ones keeps its spaces and belongs to the nearest line above it that is less deep.
The examples change this page:
`)
	b.WriteString(grammarPage)
	b.WriteByte('\n')
	for _, s := range signs {
		fmt.Fprintf(&b, "%-30s  %s\n", s.example, s.says)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
