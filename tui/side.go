package tui

import (
	"fmt"
)

// drawSide draws what the side column holds.
func (m *Model) drawSide(r rect) {
	if r.empty() {
		return
	}
	switch m.side {
	case sideKnobs:
		m.knobs.draw(m, r)
	case sideEvents:
		m.drawEvents(r)
	case sidePicture:
		m.pic.draw(m, r)
	}
}

// toggleSide opens one kind of side column or closes it.
func (m *Model) toggleSide(k sideKind) {
	if m.side == k {
		m.side, m.onSide = sideNone, false
	} else {
		m.side, m.onSide, m.zoom = k, false, false
	}
	m.arrange()
	m.clampView()
}

func (m *Model) doEvents() {
	m.toggleSide(sideEvents)
}

// eventLine is a line of the events column.
type eventLine struct {
	label, text string
	look        func(*theme) style
}

func lookBad(t *theme) style  { return t.bad }
func lookWarn(t *theme) style { return t.warn }

// eventLines says what happened in the step looked at, besides its snapshot.
func (m *Model) eventLines() []eventLine {
	s := m.step()
	if s == nil {
		return nil
	}
	var out []eventLine
	add := func(label, text string, look func(*theme) style) {
		out = append(out, eventLine{label, text, look})
	}
	if calls := m.tl.Calls(); s.Call >= 0 && s.Call < len(calls) && calls[s.Call].Model != nil {
		if c := calls[s.Call].Model; c.Text != "" {
			add("model", c.Text, nil)
		}
	}
	add("action", s.Action.Label(), lookStrong)
	res := s.Result
	if !res.OK {
		add("error", res.Error, lookBad)
	}
	if res.Millis > 0 {
		add("took", thousands(int(res.Millis))+" ms", nil)
	}
	if res.Waited != "" {
		add("waited", res.Waited, nil)
	}
	if res.Text != "" {
		add("answer", res.Text, nil)
	}
	if res.Seen != "" {
		add("seen", string(res.Seen), nil)
	}
	for _, e := range res.Events {
		add("event", e, lookWarn)
	}
	for _, e := range res.Console {
		add("console", e, nil)
	}
	if res.Snapshot != nil {
		if res.Snapshot.Elements > 0 {
			add("page", plural(res.Snapshot.Elements, "element"), nil)
		}
		for _, n := range res.Snapshot.Notes {
			add("note", n, lookWarn)
		}
	}
	for _, n := range m.notesOn(s.N) {
		if n == "" {
			n = "bookmarked"
		}
		add("✎", n, func(t *theme) style { return t.accent })
	}
	return out
}

func (m *Model) drawEvents(r rect) {
	c, th := m.cv, m.th
	x := c.put(r.x+1, r.y, r.x+r.w, "events", th.strong)
	if s := m.step(); s != nil {
		c.text(rect{x + 1, r.y, r.x + r.w - x - 2, 1}, fmt.Sprintf("of step %d", s.N), th.dim)
	}
	y := 1
	for _, e := range m.eventLines() {
		look := th.text
		if e.look != nil {
			look = e.look(th)
		}
		for i, l := range wrapCells(e.text, r.w-11, 6) {
			if y >= r.h {
				return
			}
			if i == 0 {
				c.text(r.row(y).inset(1, 0).clipRight(8), e.label, th.dim)
			}
			c.text(r.row(y).inset(10, 1), l, look)
			y++
		}
	}
}
