package tui

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/tui/keymap"
	"snapscope/tui/safetext"
)

// overlay is what lies over the panes and has the keys while it is open.
type overlay interface {
	press(m *Model, key string) reply
	draw(m *Model, r rect)
}

// reply is what an overlay or a typed line asks of the screen after a key, beside
// what it changed itself.
type reply struct {
	close bool
	do    string // an action of the key table, by name
	line  string // a line for the command line
	copy  clip   // a text for the clipboard
	open  string // path of a session to open
}

// clip is a text to be copied and what it is called.
type clip struct{ what, text string }

// sheet clears a part of the middle of r for an overlay and answers the room
// within.
func (m *Model) sheet(r rect, w, h int, title, foot string) rect {
	w, h = w+4, min(h+3, r.h)
	if w > r.w-8 { // no sliver of what lies below at its sides
		w = r.w
	}
	box := rect{r.x + (r.w-w)/2, r.y + (r.h-h)/2, w, h}
	c, th := m.cv, m.th
	c.fill(box, " ", th.dialog)
	if th.dialog.bg == 0 { // without colour a frame tells the sheet from what is below
		m.frameBox(box)
	}
	head := box.row(0).inset(2, 2)
	c.text(head, title, th.accent.with(style{bg: th.dialog.bg}))
	if foot != "" {
		c.text(box.row(box.h-1).inset(2, 2), foot, th.dim.with(style{bg: th.dialog.bg}))
	}
	return rect{box.x + 2, box.y + 1, box.w - 4, box.h - 2}
}

func (m *Model) frameBox(b rect) {
	c, s := m.cv, m.th.faint
	c.fill(rect{b.x, b.y, b.w, 1}, "─", s)
	c.fill(rect{b.x, b.y + b.h - 1, b.w, 1}, "─", s)
	c.fill(rect{b.x, b.y, 1, b.h}, "│", s)
	c.fill(rect{b.x + b.w - 1, b.y, 1, b.h}, "│", s)
	for _, k := range []struct {
		x, y int
		t    string
	}{{b.x, b.y, "┌"}, {b.x + b.w - 1, b.y, "┐"}, {b.x, b.y + b.h - 1, "└"}, {b.x + b.w - 1, b.y + b.h - 1, "┘"}} {
		c.put(k.x, k.y, k.x+1, k.t, s)
	}
}

// sheetStyle is a style on a sheet's ground.
func (m *Model) onSheet(s style) style {
	if m.th.dialog.bg != 0 {
		s.bg = m.th.dialog.bg
	}
	return s
}

// textLine is a line of a scrolled text: a key or label, and its text.
type textLine struct {
	left, text string
	look       func(*theme) style
}

// heads reports a line that heads those below it.
func (l textLine) heads() bool { return l.left == "" && l.look != nil && l.text != "" }

// scrolled is an overlay of lines to read: help, a reason's arithmetic.
type scrolled struct {
	title string
	left  int // width of the left column; 0: none
	width int
	two   bool // in two columns where the screen has room for them
	lines []textLine
	top   int
	rows  int // of the text as drawn last
	last  int // of them seen
}

func (s *scrolled) press(m *Model, key string) reply {
	switch m.keys.NameOf(key) {
	case "down":
		s.top++
	case "up":
		s.top--
	case "page-down":
		s.top += max(s.last-1, 1)
	case "page-up":
		s.top -= max(s.last-1, 1)
	case "top":
		s.top = 0
	case "bottom":
		s.top = s.rows
	default:
		return reply{close: true}
	}
	s.top = max(0, min(s.top, s.rows-s.last))
	return reply{}
}

// Of a text in two columns.
const (
	leastColumn = 70 // cells of a column
	columnGap   = 3
)

// columns breaks the lines for a screen of r: into one column or, at a heading,
// into two.
func (s *scrolled) columns(r rect) (cols [][]textLine, width int) {
	if w := (r.w - 6 - columnGap) / 2; s.two && w >= leastColumn {
		width = min(w, s.width)
		all := s.flow(width)
		at := 0
		for i, l := range all {
			if l.heads() && max(i, len(all)-i) < max(at, len(all)-at) {
				at = i
			}
		}
		if at > 0 {
			return [][]textLine{all[:at], all[at:]}, width
		}
	}
	width = min(s.width, r.w-4)
	return [][]textLine{s.flow(width)}, width
}

// flow breaks what is longer than its column.
func (s *scrolled) flow(width int) []textLine {
	var out []textLine
	for _, l := range s.lines {
		room := width
		if s.left > 0 && !(l.left == "" && l.look != nil) {
			room -= s.left + 1
		}
		for i, text := range wrapCells(l.text, room, 9) {
			if i > 0 {
				l.left = ""
			}
			out = append(out, textLine{l.left, text, l.look})
		}
	}
	return out
}

func (s *scrolled) draw(m *Model, r rect) {
	cols, width := s.columns(r)
	s.rows = len(cols[0])
	if len(cols) > 1 {
		s.rows = max(s.rows, len(cols[1]))
	}
	foot := "any key closes"
	if s.rows > r.h-3 {
		foot = fmt.Sprintf("%s %s scroll · any other key closes", m.keys.Label("down"), m.keys.Label("up"))
	}
	in := m.sheet(r, width*len(cols)+columnGap*(len(cols)-1), s.rows, s.title, foot)
	s.last = in.h
	s.top = max(0, min(s.top, s.rows-in.h))
	for i, lines := range cols {
		col := rect{in.x + i*(width+columnGap), in.y, width, in.h}
		for y := 0; y < in.h && s.top+y < len(lines); y++ {
			s.drawLine(m, col.row(y), lines[s.top+y])
		}
	}
	if s.rows > in.h {
		at := s.top * (in.h - 1) / max(1, s.rows-in.h)
		m.cv.put(in.x+in.w+1, in.y+at, in.x+in.w+2, "▐", m.onSheet(m.th.accent))
	}
}

func (s *scrolled) drawLine(m *Model, row rect, l textLine) {
	look := m.th.text
	if l.look != nil {
		look = l.look(m.th)
	}
	if s.left > 0 && !(l.left == "" && l.look != nil) {
		m.cv.text(row.clipRight(s.left), l.left, m.onSheet(m.th.key))
		row = row.inset(s.left+1, 0)
	}
	m.cv.text(row, l.text, m.onSheet(look))
}

func lookStrong(t *theme) style { return t.strong }
func lookDim(t *theme) style    { return t.dim }

// helpSheet lists every key from the key table, then what can be typed.
func helpSheet(m *Model) *scrolled {
	s := &scrolled{title: "keys and commands", left: 18, width: 78, two: true}
	group := ""
	for _, a := range m.keys.Actions {
		if len(a.Keys) == 0 {
			continue
		}
		if strings.HasPrefix(a.Name, "pane-") && a.Name != "pane-1" {
			continue
		}
		if a.Group != group {
			s.heading(a.Group)
			group = a.Group
		}
		keys := make([]string, len(a.Keys))
		for i, k := range a.Keys {
			keys[i] = keymap.Pretty(k)
		}
		label, doc := strings.Join(keys, " "), a.Doc
		if a.Name == "pane-1" && a.Keys[0] == "1" {
			label, doc = "1 – 9", "show or hide a pane"
		}
		s.lines = append(s.lines, textLine{left: label, text: doc})
	}
	s.heading("Actions to type after " + m.keys.Label("command"))
	for _, v := range session.Verbs {
		s.lines = append(s.lines, textLine{left: string(v.Verb), text: v.Doc})
	}
	s.heading("Words about the screen")
	for _, w := range keymap.Words() {
		s.lines = append(s.lines, textLine{left: w.Word, text: w.Doc + " · " + w.Word + " " + w.Args})
	}
	s.heading("Conditions to stop at")
	for _, f := range breakpoint.Forms {
		s.lines = append(s.lines, textLine{left: f.Word, text: f.Doc + " · " + f.Usage})
	}
	s.heading("Marks")
	s.lines = append(s.lines,
		textLine{left: "+ " + minus + " ~", text: "added, removed, changed since the snapshot before"},
		textLine{left: "┊ ⋯", text: "left out by this pane's rules: how much and by which"},
		textLine{left: "↑", text: "what the lines below lie in, scrolled off: underlined, none of the rows"},
		textLine{left: "▔", text: "something above this line is gone"},
		textLine{left: "●●○ 2/3", text: "a snapshot's age, and when it expires"},
		textLine{left: "✗ LOST", text: "the agent could no longer see what it used"},
	)
	return s
}

func (s *scrolled) heading(text string) {
	if len(s.lines) > 0 {
		s.lines = append(s.lines, textLine{})
	}
	s.lines = append(s.lines, textLine{text: text, look: lookStrong})
}

// reasonSheet is the arithmetic of the focused pane's verdict; nil where there is
// none yet.
func reasonSheet(m *Model) *scrolled {
	d := m.docOf(m.focusAt())
	if d == nil {
		return nil
	}
	s := &scrolled{title: "why · " + d.policy.Name, left: 24, width: min(84, m.w-6)}
	single := len(d.rendered.Stages) == 1 && d.rendered.Stages[0].Strategy.Name == d.policy.Name
	wrap := func(text string, look func(*theme) style) {
		for _, l := range wrapWords(text, s.width) {
			s.lines = append(s.lines, textLine{text: l, look: look})
		}
	}
	if l, ok := m.lossAt(m.focus); ok {
		s.heading("Lost " + l.Ref)
		wrap(l.Why, func(t *theme) style { return t.bad })
		if l.Line != "" {
			wrap("it was: "+elementOf(l.Line), lookDim)
		}
	}
	if why := m.fr.unread(); why != "" {
		s.heading("What the model really had")
		wrap(why, lookWarn)
		wrap("What follows is what it would have read here.", lookDim)
	}
	if len(d.rendered.Stages) == 0 {
		wrap("Nothing is left out: the agent reads the page as it is.", nil2text)
	}
	for _, st := range d.rendered.Stages {
		switch {
		case !single:
			s.heading(st.Strategy.Name + " → " + string(st.Verdict.Kind))
		case len(s.lines) > 0:
			s.heading("What the rule did")
		}
		wrap(st.Verdict.Reason, nil2text)
		if st.Base >= 0 && st.Base < len(m.tl.Snaps) {
			s.lines = append(s.lines, textLine{left: "compared with", text: fmt.Sprintf("the snapshot of step %d", m.tl.Snaps[st.Base].Moment.Step)})
		}
		for _, f := range st.Verdict.Facts {
			s.lines = append(s.lines, textLine{left: f.Label, text: f.Value})
		}
	}
	s.heading("Tokens")
	s.lines = append(s.lines,
		textLine{left: "the page", text: thousands(d.full)},
		textLine{left: "what the agent gets", text: thousands(d.rendered.Tokens)},
		textLine{left: "saved", text: fmt.Sprintf("(%s %s %s) / %s = %.1f %%", thousands(d.full), minus, thousands(d.rendered.Tokens), thousands(d.full), d.saved()*100)},
	)
	return s
}

func nil2text(t *theme) style { return t.text }

// menu is a list of things to choose from.
type menu struct {
	rows  []menuRow
	at    int
	top   int
	shown int
}

type menuRow struct {
	text, note string
	faint      bool
	look       func(*theme) style
}

// move answers whether the key moved the choice.
func (l *menu) move(key string) bool {
	switch key {
	case "down", "ctrl+n", "tab":
		l.at++
	case "up", "ctrl+p", "shift+tab":
		l.at--
	case "pgdown":
		l.at += max(1, l.shown-1)
	case "pgup":
		l.at -= max(1, l.shown-1)
	case "home":
		l.at = 0
	case "end":
		l.at = len(l.rows) - 1
	default:
		return false
	}
	l.at = max(0, min(l.at, len(l.rows)-1))
	return true
}

// fit brings the chosen row into sight among so many.
func (l *menu) fit(height int) {
	l.shown = height
	l.at = max(0, min(l.at, len(l.rows)-1))
	l.top = max(0, min(l.top, l.at), l.at-height+1)
}

func (l *menu) draw(m *Model, r rect) {
	l.fit(r.h)
	for i := 0; i < r.h && l.top+i < len(l.rows); i++ {
		row, line := l.rows[l.top+i], r.row(i)
		look := m.th.text
		if row.look != nil {
			look = row.look(m.th)
		}
		if row.faint {
			look = m.th.faint
		}
		note := m.th.dim
		if l.top+i == l.at {
			m.cv.put(line.x-2, line.y, line.x, "▸", m.onSheet(m.th.accent))
			look = m.th.accent
		}
		nw := min(safetext.Width(row.note), line.w*2/3)
		m.cv.text(line.clipRight(line.w-nw-1), row.text, m.onSheet(look))
		m.cv.right(rect{line.x + line.w - nw, line.y, nw, 1}, row.note, m.onSheet(note))
	}
}
