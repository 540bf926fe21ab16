package format

import "sort"

// idTree watches the parents that entries name. Agents write a session as a
// tree: going back to an earlier point starts a branch. Nothing walks up the
// tree, so a cycle can hold nobody; it is named.
type idTree struct {
	seen     map[string]bool
	later    map[string]int // parents named before they stood, with the line
	branches []int
	last     string
}

// add notes an entry and answers whether it starts a branch: its parent is an
// earlier entry than the one before it.
func (t *idTree) add(id, parent string, line int) (branch bool) {
	if parent != "" && parent != t.last {
		if t.seen[parent] {
			branch = true
			t.branches = addLine(t.branches, line)
		} else {
			if t.later == nil {
				t.later = map[string]int{}
			}
			t.later[parent] = line
		}
	}
	if id != "" {
		t.seen[id] = true
		t.last = id
	}
	return branch
}

func (t *idTree) report(p *importer) {
	var lines []int
	for parent, line := range t.later {
		if t.seen[parent] {
			lines = append(lines, line)
		}
	}
	sort.Ints(lines)
	for _, line := range lines {
		p.im.skip("parent that stands after its child (a cycle, or lines out of order); the order of the file was kept", line)
	}
}
