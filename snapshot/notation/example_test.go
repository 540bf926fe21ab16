package notation_test

import (
	"fmt"

	"snapscope/snapshot/notation"
)

const page = `- main [ref=e1]:
  - paragraph [ref=e2]: "docs: click [ref=e3] to go on"
  - 'button "Save: all" [disabled] [ref=e4]'`

func ExampleReadLine() {
	l := notation.ReadLine(`  - checkbox "Select Ada" [checked] [ref=e47]`, notation.Aria)
	fmt.Println(l.Role, l.Name(), l.Has("checked"), l.Ref)

	l = notation.ReadLine(`uid=1_21 checkbox "Select Ada" checked`, notation.UID)
	fmt.Println(l.Role, l.Name(), l.Has("checked"), l.Ref)
	// Output:
	// checkbox Select Ada true e47
	// checkbox Select Ada true 1_21
}

// What a page says in its texts is no handle.
func ExampleText() {
	t := notation.Read(page, notation.Aria)
	fmt.Println(t.Elements(), t.Find("e4"), t.Find("e3"))
	i := t.FindRole("button", "Save: all", 1)
	fmt.Println(t.Ref(i), t.Ref(t.Parent(i)))
	// Output:
	// 3 2 -1
	// e4 e1
}

func ExampleParse() {
	tree, err := notation.Parse(page)
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := range tree.Roots[0].Walk() {
		fmt.Println(n.Role, n.Attrs)
	}
	fmt.Println(string(tree.Roots[0].AppendTo(nil)) == page)
	// Output:
	// main [ref=e1]
	// paragraph [ref=e2]
	// button [disabled ref=e4]
	// true
}

func ExampleRead_refs() {
	for r := range notation.Read(page, notation.Aria).Refs() {
		fmt.Println(r.Ref, r.Line)
	}
	// Output:
	// e1 0
	// e2 1
	// e4 2
}
