package tui

import (
	"fmt"

	"github.com/sahilm/fuzzy"

	"snapscope/tui/safetext"
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
	does reply
}

// newPalette lists the actions, the policies and the themes; why tells what
// cannot be done now.
func newPalette(m *Model, why func(action string) string) *palette {
	p := &palette{}
	for _, a := range m.keys.Actions {
		if a.Name != "palette" {
			p.all = append(p.all, paletteRow{a.Name, a.Doc, a.Label(), why(a.Name), reply{close: true, do: a.Name}})
		}
	}
	for _, pol := range m.allPolicies() {
		p.all = append(p.all, paletteRow{"policy " + pol.Name, "show it in a pane", "", "", reply{close: true, line: "policy " + pol.Name}})
	}
	for _, t := range themeNames {
		p.all = append(p.all, paletteRow{"theme " + t, "how the screen looks", "", m.noTheme(), reply{close: true, line: "theme " + t}})
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

func (p *palette) press(_ *Model, key string) reply {
	switch key {
	case "esc", "ctrl+g":
		return reply{close: true}
	case "enter":
		if p.menu.at >= len(p.hits) {
			return reply{}
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
			return reply{}
		}
		if r := []rune(key); len(r) == 1 && len(p.query) < 80 {
			p.query = append(p.query, r[0])
		}
	}
	p.find()
	return reply{}
}

func (p *palette) draw(m *Model, r rect) {
	in := m.sheet(r, 84, min(22, r.h-6), "palette", fmt.Sprintf("%d of %d · enter does it · esc closes", len(p.hits), len(p.all)))
	x := m.cv.put(in.x, in.y, in.x+in.w, "› ", m.onSheet(m.th.accent))
	x = m.cv.put(x, in.y, in.x+in.w-1, safetext.Line(string(p.query)), m.onSheet(m.th.text))
	m.cv.put(x, in.y, in.x+in.w, "▏", m.onSheet(m.th.accent))
	p.menu.draw(m, rect{in.x + 2, in.y + 1, in.w - 2, in.h - 1})
}
