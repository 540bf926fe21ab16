package pane

import (
	"fmt"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// knobs draws the column of knobs.
type knobs struct{ *Painter }

// draw lists the knobs of all shown policies and of the expiry rule.
func (m knobs) draw(r layout.Rect) {
	k := &m.S.Knobs
	c, th := m.Cv, m.Th
	head := th.Strong
	mark := " "
	if m.S.OnSide {
		head, mark = th.Accent, "▸"
	}
	c.Put(r.X, r.Y, r.X+r.W, mark+"knobs", head)
	chosen, ok := k.Chosen()
	if !ok {
		c.Text(r.Row(2).Inset(1, 1), "no shown policy has a knob", th.Dim)
		return
	}
	rows := m.S.KnobRows()
	lines := k.Lines(rows)
	body, foot := view.SplitKnobs(r, len(lines))
	if more := len(lines) - k.First - body.H; more > 0 {
		c.Right(layout.R(body.X, r.Y, body.W, 1), fmt.Sprintf("%d more ↓", more), th.Dim)
	}
	for i := 0; i < body.H && k.First+i < len(lines); i++ {
		if l := lines[k.First+i]; l.Row >= 0 {
			m.Hit(body.Row(i), HitKnob, l.Row)
		}
		m.drawKnob(body.Row(i), lines[k.First+i], rows)
	}
	m.drawKnobFoot(foot, chosen)
}

func (m knobs) drawKnob(r layout.Rect, l view.KnobLine, rows []view.KnobRow) {
	c, th := m.Cv, m.Th
	if l.Row < 0 {
		c.Text(r.Inset(1, 1), l.Name, th.Strong)
		return
	}
	kr := rows[l.Row]
	look := th.Text
	if l.Row == m.S.Knobs.Cur {
		c.Put(r.X+1, r.Y, r.X+r.W, "▸", th.Accent)
		look = th.Strong
	}
	numeric := kr.Knob.Type == strategy.Int || kr.Knob.Type == strategy.Ratio
	const valueWidth = 7
	val := view.KnobText(kr.Knob, kr.Value)
	vl := th.Text
	if kr.Value != kr.Knob.Default {
		vl = th.Accent
	}
	at := c.Right(r.Inset(0, 1), val, vl)
	sw := min(16, r.W-valueWidth-20)
	if !numeric || sw < 5 {
		c.Text(layout.R(r.X+3, r.Y, at-r.X-4, 1), l.Name, look)
		return
	}
	from := r.X + r.W - valueWidth - sw - 2
	c.Text(layout.R(r.X+3, r.Y, from-r.X-4, 1), l.Name, look)
	c.Put(from, r.Y, at, view.Slider(kr.Knob, kr.Value, sw-2), th.Faint.With(draw.Style{Fg: vl.Fg}))
	m.drawEdges(from+1, r.Y, sw-2, m.S.Knobs.EdgesOf(kr), kr)
}

// drawEdges marks along a slider which values lose elements.
func (m knobs) drawEdges(x, y, cells int, e *view.Edges, kr view.KnobRow) {
	at := view.SliderCell(kr.Knob, kr.Value, cells)
	for i := range cells {
		switch {
		case !e.At(i, cells):
		case i == at:
			m.Cv.Put(x+i, y, x+i+1, "●", m.Th.Bad)
		default:
			m.Cv.Put(x+i, y, x+i+1, "×", m.Th.Bad)
		}
	}
}

// drawKnobFoot explains the chosen knob and shows old → new.
func (m knobs) drawKnobFoot(r layout.Rect, kr view.KnobRow) {
	c, th := m.Cv, m.Th
	if r.H < 4 {
		m.drawKnobBrief(r, kr)
		return
	}
	if y := r.Y; y > m.S.Lay.Side.Y { // below the list
		c.Fill(r.Row(0).Inset(1, 1), "─", th.Faint)
	} else { // beside it
		c.Text(r.Row(0).Inset(1, 1), m.S.KnobOwner(kr)+" · "+kr.Knob.Key, th.Strong)
	}
	y := 1
	meta := fmt.Sprintf("default %s · %s to %s", view.KnobText(kr.Knob, kr.Knob.Default), view.KnobText(kr.Knob, kr.Knob.Min), view.KnobText(kr.Knob, kr.Knob.Max))
	if kr.Knob.Type == strategy.Choice {
		meta = "default " + view.KnobText(kr.Knob, kr.Knob.Default) + " · " + strings.Join(kr.Knob.Choices, ", ")
	}
	if kr.Knob.Unit != "" {
		meta += " " + kr.Knob.Unit
	}
	if kr.Knob.Type == strategy.Bool {
		meta = "default " + view.KnobText(kr.Knob, kr.Knob.Default)
	}
	for _, l := range draw.WrapWords(kr.Knob.Doc, r.W-2) {
		if y >= r.H-4 {
			break
		}
		c.Text(r.Row(y).Inset(1, 1), l, th.Text)
		y++
	}
	c.Text(r.Row(y).Inset(1, 1), meta, th.Dim)
	y++
	if e := m.S.Knobs.EdgesOf(kr); e != nil && y < r.H-4 {
		c.Text(r.Row(y).Inset(1, 1), "× "+e.Text, th.Text)
		y++
	}
	if w, ok := m.S.Knobs.Before(kr.Pane); ok {
		m.drawWas(layout.R(r.X, r.Y+y, r.W, r.H-y), kr.Pane, w)
		return
	}
	keys := fmt.Sprintf("%s %s turn · %s reset · %s undo", m.S.Keys.Label("more"), m.S.Keys.Label("less"), m.S.Keys.Label("reset"), m.S.Keys.Label("undo"))
	c.Text(r.Row(r.H-1).Inset(1, 1), safetext.Cut(keys, r.W-2), th.Faint)
}

// drawKnobBrief is the foot in two lines: what the knob does, or old → new.
func (m knobs) drawKnobBrief(r layout.Rect, kr view.KnobRow) {
	w, ok := m.S.Knobs.Before(kr.Pane)
	if !ok {
		m.Cv.Text(r.Row(0).Inset(1, 1), kr.Knob.Doc, m.Th.Text)
		m.Cv.Text(r.Row(1).Inset(1, 1), "default "+view.KnobText(kr.Knob, kr.Knob.Default), m.Th.Dim)
		return
	}
	lines := m.S.Knobs.OldAndNew(kr.Pane, w)
	for y := range 2 {
		x := r.X + 1
		for i := 2 * y; i < min(2*y+2, len(lines)); i++ {
			x = m.Turned(layout.R(x, r.Y+y, r.X+r.W-x, 1), lines[i].Label+" ", lines[i]) + 3
		}
	}
}

// drawWas shows old → new, a figure a line.
func (m knobs) drawWas(r layout.Rect, pane int, w view.WasFigures) {
	for y, l := range m.S.Knobs.OldAndNew(pane, w) {
		row := r.Row(y).Inset(1, 1)
		if row.Empty() {
			return
		}
		m.Cv.Text(row.ClipRight(9), l.Label, m.Th.Dim)
		m.Turned(row.Inset(9, 0), "", l)
	}
}

// Turned writes a figure before and after a turn and answers the column behind it. Any
// difference counts.
func (m *Painter) Turned(r layout.Rect, label string, l view.Turned) int {
	x := m.Cv.Put(r.X, r.Y, r.X+r.W, label+l.Was+" → ", m.Th.Dim)
	return m.Cv.Put(x, r.Y, r.X+r.W, l.Now, m.Th.Savings(float64(l.Gain)).As(draw.Bold))
}
