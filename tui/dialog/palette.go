package dialog

import (
	"fmt"

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
	query []rune
	all   []paletteRow
	hits  []int
	menu  menu
}

type paletteRow struct {
	name string
	doc  string
	key  string
	why  string // why it cannot be done now
	does Reply
}

// NewPalette lists the actions, the policies and the themes; why tells what
// cannot be done now.
func NewPalette(m *view.State, why func(action string) string) *palette {
	p := &palette{}
	for _, a := range m.Keys.Actions {
		if a.Name != "palette" {
			p.all = append(p.all, paletteRow{a.Name, a.Doc, a.Label(), why(a.Name), Reply{Close: true, Do: a.Name}})
		}
	}
	for _, pol := range m.AllPolicies() {
		p.all = append(p.all, paletteRow{"policy " + pol.Name, "show it in a pane", "", "", Reply{Close: true, Line: "policy " + pol.Name}})
	}
	for _, t := range draw.ThemeNames {
		p.all = append(p.all, paletteRow{"theme " + t, "how the screen looks", "", m.NoTheme(), Reply{Close: true, Line: "theme " + t}})
	}
	p.find()
	return p
}

// find picks the rows that the letters typed so far stand in, best first.
func (p *palette) find() {
	p.hits = p.hits[:0]
	if len(p.query) == 0 {
		for i := range p.all {
			p.hits = append(p.hits, i)
		}
	} else {
		p.match(func(r paletteRow) string { return r.name })
		p.match(func(r paletteRow) string { return r.doc })
	}
	p.menu.rows = p.menu.rows[:0]
	for _, i := range p.hits {
		r := p.all[i]
		row := menuRow{text: r.name + " · " + r.doc, note: r.key}
		if r.why != "" {
			row.faint, row.note = true, r.why
		}
		p.menu.rows = append(p.menu.rows, row)
	}
	p.menu.at = 0
}

// match adds the rows whose name, then those whose description, holds the
// letters, each best first.
func (p *palette) match(of func(paletteRow) string) {
	texts := make([]string, len(p.all))
	for i, r := range p.all {
		texts[i] = of(r)
	}
	have := make(map[int]bool, len(p.hits))
	for _, h := range p.hits {
		have[h] = true
	}
	for _, f := range fuzzy.Find(string(p.query), texts) {
		if !have[f.Index] {
			p.hits = append(p.hits, f.Index)
		}
	}
}

func (p *palette) Press(_ *view.State, key string) Reply {
	switch key {
	case "esc", "ctrl+g":
		return Reply{Close: true}
	case "enter":
		if p.menu.at >= len(p.hits) {
			return Reply{}
		}
		return p.all[p.hits[p.menu.at]].does
	case "backspace":
		if len(p.query) > 0 {
			p.query = p.query[:len(p.query)-1]
		}
	case "ctrl+u":
		p.query = nil
	case "space":
		p.query = append(p.query, ' ')
	default:
		if p.menu.move(key) {
			return Reply{}
		}
		if r := []rune(key); len(r) == 1 && len(p.query) < 80 {
			p.query = append(p.query, r[0])
		}
	}
	p.find()
	return Reply{}
}

func (p *palette) Draw(m *pane.Painter, r layout.Rect) {
	in := m.Sheet(r, 84, min(22, r.H-6), "palette", fmt.Sprintf("%d of %d · enter does it · esc closes", len(p.hits), len(p.all)))
	x := m.Cv.Put(in.X, in.Y, in.X+in.W, "› ", m.OnSheet(m.Th.Accent))
	x = m.Cv.Put(x, in.Y, in.X+in.W-1, safetext.Line(string(p.query)), m.OnSheet(m.Th.Text))
	m.Cv.Put(x, in.Y, in.X+in.W, "▏", m.OnSheet(m.Th.Accent))
	p.menu.Draw(m, layout.R(in.X+2, in.Y+1, in.W-2, in.H-1))
}
