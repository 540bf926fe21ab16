package pane

import (
	"strings"

	"snapscope/tui/draw"
	"snapscope/tui/layout"
)

// Column is one column of a table whose rows are of type T.
type Column[T any] struct {
	Head string
	Gap  int // blanks before it
	W    int
	Left bool // set to the left
	Key  int  // what the table is sorted by in this column; 0: nothing
	Cell func(T) (string, draw.Style)
	Draw func(layout.Rect, T) // in place of Cell, where it is more than a text
}

// Sorted is what a table is sorted by.
type Sorted struct {
	Key int
	Up  bool // the least first
}

// Arrow is the sign behind the heading that a table is sorted by.
func (s Sorted) Arrow() string {
	if s.Up {
		return "▴"
	}
	return "▾"
}

// Heads names the columns, the one that the table is sorted by set off; each is a
// place to sort by it.
func Heads[T any](m *Painter, r layout.Rect, cols []Column[T], by Sorted) {
	each(r, cols, func(r layout.Rect, c Column[T]) {
		m.Hit(layout.R(r.X-c.Gap, r.Y, r.W+c.Gap, 1), HitHead, c.Key)
		text, look := c.Head, m.Th.Dim
		if c.Head != "" && c.Key != 0 && c.Key == by.Key {
			text, look = text+by.Arrow(), m.Th.Accent
		}
		m.set(r, text, look, c.Left)
	})
}

// Cells draws a row of a table.
func Cells[T any](m *Painter, r layout.Rect, cols []Column[T], row T) {
	each(r, cols, func(r layout.Rect, c Column[T]) {
		if c.Draw != nil {
			c.Draw(r, row)
			return
		}
		text, look := c.Cell(row)
		m.set(r, text, look, c.Left)
	})
}

// set writes a text into a column.
func (m *Painter) set(r layout.Rect, text string, look draw.Style, left bool) {
	if left {
		m.Cv.Text(r, text, look)
		return
	}
	if strings.HasSuffix(text, " ") { // its padding reaches over the column's edge
		r.W++
	}
	m.Cv.Right(r, text, look)
}

// each gives the place of each column.
func each[T any](r layout.Rect, cols []Column[T], do func(layout.Rect, Column[T])) {
	x := r.X
	for _, c := range cols {
		do(layout.R(x+c.Gap, r.Y, c.W, 1), c)
		x += c.Gap + c.W
	}
}

// Wide is how many cells columns take.
func Wide[T any](cols []Column[T]) int {
	w := 0
	for _, c := range cols {
		w += c.Gap + c.W
	}
	return w
}

// Fitting are the columns that fit into a width, from the first on.
func Fitting[T any](cols []Column[T], width int) []Column[T] {
	for i := range cols {
		if Wide(cols[:i+1]) > width {
			return cols[:i]
		}
	}
	return cols
}
