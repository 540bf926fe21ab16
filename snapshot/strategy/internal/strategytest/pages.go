package strategytest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/wording"

	"pgregory.net/rapid"
)

// Homes is a page like the one dev-browser-mcp's design complains of: 5,538 elements, cards in
// lists under landmarks.
func Homes() string {
	var b strings.Builder
	n := 0
	put := func(depth int, format string, args ...any) {
		n++
		fmt.Fprintf(&b, "%s- "+format+"\n", append([]any{strings.Repeat("  ", depth)}, args...)...)
	}
	ref := func() string { return fmt.Sprintf("[ref=e%d]", n+1) }
	put(0, "generic [active] %s:", ref())
	put(1, "banner %s:", ref())
	for _, name := range []string{"Buy", "Rent", "Sell", "Sign in"} {
		put(2, "link %q %s [cursor=pointer]:", name, ref())
		fmt.Fprintf(&b, "      - /url: /%s\n", strings.ToLower(name))
	}
	put(1, "main %s:", ref())
	put(2, "textbox \"Location\" %s: Springfield", ref())
	put(2, "list %s:", ref())
	for card := 0; n < 5538-9; card++ {
		put(3, "listitem %s:", ref())
		put(4, "heading \"%d Example Street, Springfield\" [level=3] %s", card, ref())
		put(4, "generic %s: $%d,000", ref(), 100+card)
		put(4, "generic %s: %d bds, 2 ba, 1,480 sqft - House for sale", ref(), card%5+1)
		put(4, "link \"%d Example Street\" %s [cursor=pointer]:", card, ref())
		fmt.Fprintf(&b, "          - /url: https://homes.example.com/detail/%d-example-street/%d_zpid/\n", card, 1000+card)
		put(4, "button \"Save this home\" %s [cursor=pointer]", ref())
		put(4, "img \"photo %d\" %s", card, ref())
		put(4, "combobox \"Tour\" %s", ref())
		put(4, "paragraph %s: Listing by agent number %d of the county", ref(), card)
	}
	for n < 5538 {
		put(1, "paragraph %s: The end", ref())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Snapshots reads the repository's own snapshots of real pages.
func Snapshots(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../../testdata/snapshots/*.*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d snapshots, %v", len(files), err)
	}
	out := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = string(data)
	}
	return out
}

// Numbered writes n lines with their number in each.
func Numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, strings.ReplaceAll(format, "#", "%[1]d"), i+1)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Rows draws a table: rows of one build with names, states and links that
// sometimes repeat, join or contain each other.
func Rows(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"Ada", "Ada Byron", "1001", "Select Ada", "a | b", "…1", "=", "[x]", "| a", "é: ü", "", " ", "7", "$", `q"q`, "x\ny", "*"})
	var roots []*notation.Node
	table := &notation.Node{Role: "table"}
	refs := 0
	mk := func(role, name string, named, ref bool, states ...string) *notation.Node {
		n := &notation.Node{Role: role, Name: name, HasName: named, Attrs: states}
		if ref {
			refs++
			n.Ref = "e" + wording.Count(refs)
			n.Attrs = append(slices.Clone(states), notation.RefAttr(n.Ref))
		}
		return n
	}
	ref, button := rapid.Bool().Draw(t, "ref"), rapid.Bool().Draw(t, "button")
	for range rapid.IntRange(2, 12).Draw(t, "rows") {
		who := name.Draw(t, "who")
		var states []string
		if rapid.IntRange(0, 3).Draw(t, "state") == 0 {
			states = []string{"checked"}
		}
		row := mk("row", rapid.SampledFrom([]string{who + " Open", "Select " + who, "odd"}).Draw(t, "row"), true, ref)
		link := mk("link", "Go to "+who, true, true, states...)
		link.Props = []notation.Prop{{Key: "url", Value: "/" + name.Draw(t, "url")}}
		text := mk("text", "", false, false)
		text.Text, text.HasText = who, true
		row.Children = []*notation.Node{mk("cell", who, true, ref), link, text}
		if button || rapid.IntRange(0, 5).Draw(t, "more") == 0 {
			row.Children = append(row.Children, mk("button", "Open", true, true))
		}
		table.Children = append(table.Children, row)
	}
	roots = append(roots, table)
	return Printed(roots)
}

// Printed is a page whose roots these are.
func Printed(roots []*notation.Node) string {
	var b []byte
	for i, n := range roots {
		if i > 0 {
			b = append(b, '\n')
		}
		b = n.AppendTo(b)
	}
	return string(b)
}

const Orders = `- generic [active] [ref=e1]:
  - navigation [ref=e2]:
    - link "Home" [ref=e3]:
      - /url: /
  - main [ref=e4]:
    - status [ref=e5]: 0 selected
    - table [ref=e6]:
      - 'row "a: 1" [ref=e7]':
        - checkbox "Select a" [ref=e8]
      - row "b 2" [ref=e9]:
        - checkbox "Select b" [ref=e10]
    - text: loose`
