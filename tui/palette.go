package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
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
	run  func(*Model) tea.Cmd
	why  func(*Model) string
}

func (m *Model) doPalette() tea.Cmd {
	p := &palette{}
	for _, a := range m.bindings.actions {
		if a.name == "palette" {
			continue
		}
		p.all = append(p.all, paletteRow{a.name, a.doc, a.label(), a.run, a.why})
	}
	for _, pol := range m.allPolicies() {
		p.all = append(p.all, paletteRow{"policy " + pol.Name, "show it in a pane", "", func(m *Model) tea.Cmd {
			cmd, err := m.wordPolicy(pol.Name)
			if err != nil {
				m.say(levelWarn, err.Error())
			}
			return cmd
		}, nil})
	}
	for _, t := range themeNames {
		p.all = append(p.all, paletteRow{"theme " + t, "how the screen looks", "", func(m *Model) tea.Cmd {
			m.setTheme(t)
			m.cfg.Theme, m.picked = t, true
			return nil
		}, (*Model).noTheme})
	}
	p.find(m)
	m.over = p
	return nil
}

// find picks the rows that the letters typed so far stand in, best first.
func (p *palette) find(m *Model) {
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
		if r.why != nil {
			if why := r.why(m); why != "" {
				row.faint, row.note = true, why
			}
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

func (p *palette) press(m *Model, key string) tea.Cmd {
	switch key {
	case "esc", "ctrl+g":
		m.over = nil
		return nil
	case "enter":
		if p.menu.at >= len(p.hits) {
			return nil
		}
		m.over = nil
		r := p.all[p.hits[p.menu.at]]
		return m.do(&action{run: r.run, why: r.why})
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
			return nil
		}
		if r := []rune(key); len(r) == 1 && len(p.query) < 80 {
			p.query = append(p.query, r[0])
		}
	}
	p.find(m)
	return nil
}

func (p *palette) draw(m *Model, r rect) {
	in := m.sheet(r, 84, min(22, r.h-6), "palette", fmt.Sprintf("%d of %d · enter does it · esc closes", len(p.hits), len(p.all)))
	x := m.cv.put(in.x, in.y, in.x+in.w, "› ", m.onSheet(m.th.accent))
	x = m.cv.put(x, in.y, in.x+in.w-1, safetext.Line(string(p.query)), m.onSheet(m.th.text))
	m.cv.put(x, in.y, in.x+in.w, "▏", m.onSheet(m.th.accent))
	p.menu.draw(m, rect{in.x + 2, in.y + 1, in.w - 2, in.h - 1})
}
