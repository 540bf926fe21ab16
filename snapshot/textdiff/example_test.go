package textdiff_test

import (
	"fmt"
	"strings"

	"snapscope/snapshot/textdiff"
)

func ExampleDiff() {
	before := strings.Split("main\n  status: 0 selected\n  button\n  link", "\n")
	after := strings.Split("main\n  status: 1 selected\n  button\n  link", "\n")
	edits := textdiff.Diff(before, after)
	for _, e := range edits {
		fmt.Println([]string{"equal", "delete", "insert"}[e.Op], before[e.A0:e.A1], after[e.B0:e.B1])
	}
	added, removed, equal := textdiff.Counts(edits)
	fmt.Println(added, removed, equal)
	// Output:
	// equal [main] [main]
	// delete [  status: 0 selected] []
	// insert [] [  status: 1 selected]
	// equal [  button   link] [  button   link]
	// 1 1 3
}
