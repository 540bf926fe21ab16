package dialog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sahilm/fuzzy"

	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// palette finds any action by a few letters of its name or what it does, with
// its key, and why it cannot be done now.
type palette struct {
	Menu  // the rows that were found
	query typed
	all   []paletteRow
}

type paletteRow struct {
	name, doc string
	MenuRow
}

// NewPalette lists the actions, the policies and the themes; why tells what
// cannot be done now.
func NewPalette(m *view.State, why func(action string) string) *palette {
	p := &palette{}
	add := func(name, doc, key, why string, does Reply) {
		p.all = append(p.all, paletteRow{name, doc, MenuRow{text: name + " · " + doc, note: cmp.Or(why, key), faint: why != "", Does: does}})
	}
	for _, a := range m.Keys.Actions {
		if a.Name != "palette" {
			add(a.Name, a.Doc, a.Label(), why(a.Name), Reply{Do: a.Name})
		}
	}
	for _, pol := range m.AllPolicies() {
		add("policy "+pol.Name, "show it in a pane", "", "", Reply{Line: "policy " + pol.Name})
	}
	for _, t := range draw.ThemeNames {
		add("theme "+t, "how the screen looks", "", why("theme"), Reply{Line: "theme " + t})
	}
	p.find()
	return p
}

// find picks the rows that the letters typed so far stand in: those whose name, then
// those whose description holds them, each best first.
func (p *palette) find() {
	p.Menu = Menu{}
	if len(p.query.text) == 0 {
		for _, r := range p.all {
			p.add(r.MenuRow)
		}
		return
	}
	var hits []int
	for _, of := range []func(paletteRow) string{
		func(r paletteRow) string { return r.name },
		func(r paletteRow) string { return r.doc },
	} {
		texts := make([]string, len(p.all))
		for i, r := range p.all {
			texts[i] = of(r)
		}
		for _, f := range fuzzy.Find(string(p.query.text), texts) {
			if !slices.Contains(hits, f.Index) {
				hits = append(hits, f.Index)
				p.add(p.all[f.Index].MenuRow)
			}
		}
	}
}

// Press takes a key: what no other use is made of is typed.
func (p *palette) Press(_ *view.State, key string) Reply {
	switch {
	case key == "esc" || key == "ctrl+g":
		return Reply{Close: true}
	case key == "enter":
		if p.N > 0 {
			return p.Rows[p.At].Does
		}
	case p.Move(motions[key], 1):
	case p.query.edit(key):
		p.find()
	}
	return Reply{}
}

// Arrange brings the chosen row into sight, below what is typed.
func (p *palette) Arrange(_ *view.State, r layout.Rect) {
	p.Fit(sheetRoom(r, min(22, r.H-6))-1, 0)
}

// Draw draws the palette over r.
func (p *palette) Draw(m *pane.Painter, r layout.Rect) {
	in := m.Sheet(r, 84, min(22, r.H-6), "palette", fmt.Sprintf("%d of %d · enter does it · esc closes", p.N, len(p.all)))
	x := m.Cv.Put(in.X, in.Y, in.X+in.W, "› ", m.OnSheet(m.Th.Accent))
	x = m.Cv.Put(x, in.Y, in.X+in.W-1, safetext.Line(string(p.query.text)), m.OnSheet(m.Th.Text))
	m.Cv.Put(x, in.Y, in.X+in.W, "▏", m.OnSheet(m.Th.Accent))
	p.drawRows(m, layout.R(in.X+2, in.Y+1, in.W-2, in.H-1))
}
