package view

import (
	"snapscope/snapshot/strategy"
)

// Grid is the rows that all panes share. A row is one line of the page, so that
// an element stands on the same row in every pane; or a line that only some
// panes have: a header, a removed line. Rows are computed for the whole page
// once; drawing looks at the visible ones only.
type Grid struct {
	panes   int
	Page    []int32 // line of the page for each row, -1: extra row
	lines   []int32 // row*panes+pane → line of the pane's doc, -1: nothing there
	ofPage  []int32 // row of each line of the page
	Changes []int32 // of every run of changed rows the first that is a changed line of the page, else the first
	folded  []int32 // for a folded row, how many page rows it stands for; nil: nothing is folded
}

func (g *Grid) Len() int { return len(g.Page) }

// Line is the doc line that pane p shows on a row.
func (g *Grid) Line(row, p int) int32 { return g.lines[row*g.panes+p] }

// Fold is how many rows a row stands for; 0 for a row of its own.
func (g *Grid) Fold(row int) int32 {
	if g.folded == nil {
		return 0
	}
	return g.folded[row]
}

// alignRows lays the docs of all panes side by side.
func alignRows(pg *Page, docs []*Doc) *Grid {
	g := &Grid{panes: len(docs)}
	extra := make([]map[int32][]int32, len(docs)) // pane → insertion point → doc lines
	inGap := make([]map[int32]int32, len(docs))   // pane → dropped page line → the doc's own gap line
	for p, d := range docs {
		extra[p], inGap[p] = placeExtras(d, int32(len(pg.Lines)))
	}
	g.Page = make([]int32, 0, len(pg.Lines)+16)
	g.lines = make([]int32, 0, (len(pg.Lines)+16)*max(1, len(docs)))
	g.ofPage = make([]int32, len(pg.Lines))
	for at := int32(0); at <= int32(len(pg.Lines)); at++ {
		g.addExtras(extra, at)
		if at == int32(len(pg.Lines)) {
			break
		}
		g.ofPage[at] = int32(len(g.Page))
		g.Page = append(g.Page, at)
		for p, d := range docs {
			l := d.ByPage[at]
			if gap, ok := inGap[p][at]; l < 0 && ok {
				l = gap
			}
			g.lines = append(g.lines, l)
		}
	}
	g.Changes = findChanges(pg, docs, g)
	return g
}

// addExtras adds the rows that stand before page line at.
func (g *Grid) addExtras(extra []map[int32][]int32, at int32) {
	rows := 0
	for p := range extra {
		rows = max(rows, len(extra[p][at]))
	}
	for i := range rows {
		g.Page = append(g.Page, -1)
		for p := range extra {
			l := int32(-1)
			if ls := extra[p][at]; i < len(ls) {
				l = ls[i]
			}
			g.lines = append(g.lines, l)
		}
	}
}

// placeExtras finds the row for each line that has no line of the page. A gap
// line takes the first dropped row that it stands for. What stands before a gap
// belongs to the line above it, what stands after to the line below.
func placeExtras(d *Doc, n int32) (extra map[int32][]int32, inGap map[int32]int32) {
	extra, inGap = map[int32][]int32{}, map[int32]int32{}
	after := int32(0)
	for i := 0; i < len(d.Lines); {
		if p := d.Lines[i].Page; p >= 0 {
			after = max(after, p+1)
			i++
			continue
		}
		j := i
		for j < len(d.Lines) && d.Lines[j].Page < 0 {
			j++
		}
		before := n
		if j < len(d.Lines) {
			before = d.Lines[j].Page
		}
		at := after
		for k := i; k < j; k++ {
			if d.Lines[k].Mark == strategy.Gap && at < before && at < n {
				if _, taken := inGap[at]; !taken && d.ByPage[at] < 0 {
					inGap[at] = int32(k)
					at = max(at+1, before)
					continue
				}
			}
			extra[at] = append(extra[at], int32(k))
		}
		i = j
	}
	return extra, inGap
}

// changedRow reports that a row shows a change in the page or in a pane.
func changedRow(pg *Page, docs []*Doc, g *Grid, row int) bool {
	if l := g.Page[row]; l >= 0 && (pg.Mark[l] != MarkSame || pg.Lost[l] > 0) {
		return true
	}
	for p, d := range docs {
		if l := g.Line(row, p); l >= 0 {
			if m := d.Lines[l].Mark; m == strategy.Added || m == strategy.Removed || m == strategy.Named {
				return true
			}
		}
	}
	return false
}

func findChanges(pg *Page, docs []*Doc, g *Grid) []int32 {
	var out []int32
	in, onPage := false, false
	for row := range g.Page {
		now := changedRow(pg, docs, g, row)
		if now && !in {
			out = append(out, int32(row))
			onPage = g.Page[row] >= 0
		} else if now && !onPage && g.Page[row] >= 0 { // a removed line stands in one pane only: stand on what all have
			out[len(out)-1] = int32(row)
			onPage = true
		}
		in = now
	}
	return out
}

// foldContext is how many rows stay on each side of a change when the rest is
// folded.
const foldContext = 3

// foldSame makes a grid without the runs of rows in which nothing changed.
func foldSame(pg *Page, docs []*Doc, g *Grid) *Grid {
	keep := make([]bool, g.Len())
	for row := range keep {
		if changedRow(pg, docs, g, row) || g.Page[row] < 0 {
			for r := max(0, row-foldContext); r <= min(len(keep)-1, row+foldContext); r++ {
				keep[r] = true
			}
		}
	}
	return shrink(pg, docs, g, keep)
}

// shrink keeps some rows and puts one row for each run of the others.
func shrink(pg *Page, docs []*Doc, g *Grid, keep []bool) *Grid {
	out := &Grid{panes: g.panes, ofPage: make([]int32, len(g.ofPage)), folded: []int32{}}
	for row := 0; row < g.Len(); {
		if keep[row] {
			if l := g.Page[row]; l >= 0 {
				out.ofPage[l] = int32(len(out.Page))
			}
			out.Page = append(out.Page, g.Page[row])
			out.lines = append(out.lines, g.lines[row*g.panes:(row+1)*g.panes]...)
			out.folded = append(out.folded, 0)
			row++
			continue
		}
		end := row
		for end < g.Len() && !keep[end] {
			if l := g.Page[end]; l >= 0 {
				out.ofPage[l] = int32(len(out.Page))
			}
			end++
		}
		out.Page = append(out.Page, -1)
		for range g.panes {
			out.lines = append(out.lines, -1)
		}
		out.folded = append(out.folded, int32(end-row))
		row = end
	}
	out.Changes = findChanges(pg, docs, out)
	return out
}
