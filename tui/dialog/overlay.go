// Package dialog is what lies over the panes and has the keys while it is open:
// sheets to read, lists to choose from, the context view, and the line that is
// typed into. A dialog changes view.State through its methods and answers each key
// with a Reply; it does not know the root.
package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/keymap"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/view"
)

// Overlay is what lies over the panes and has the keys while it is open.
type Overlay interface {
	Press(m *view.State, key string) Reply
	Arrange(m *view.State, r layout.Rect) // brings what is chosen into sight, before r is drawn
	Draw(m *pane.Painter, r layout.Rect)
}

// sheetRoom is how many rows of a sheet over r are left for so many of text.
func sheetRoom(r layout.Rect, rows int) int { return min(rows+3, r.H) - 2 }

// Reply is what an overlay or a typed line asks of the screen after a key, beside
// what it changed itself.
type Reply struct {
	Close  bool
	Do     string // an action of the key table, by name
	Line   string // a line for the command line, to be carried out
	Type   string // a line for the command line, to be gone on with
	Copy   clip   // a text for the clipboard
	Open   string // path of a session to open
	Export Export // something to export
}

// clip is a text to be copied and what it is called.
type clip struct{ What, Text string }

// textLine is a line of a scrolled text: a key or label, and its text.
type textLine struct {
	left, text string
	also       string // what else it is found by: an action's name
	look       func(*draw.Theme) draw.Style
	live       func(*view.State) (string, view.Tone) // made when it is drawn; nil: text
}

// heads reports a line that heads those below it.
func (l textLine) heads() bool { return l.left == "" && l.look != nil && l.text != "" }

// fixLine says which knob keeps what was lost in the step looked at.
func fixLine(m *view.State) (string, view.Tone) {
	l, ok := m.LossHere(m.Focus)
	switch {
	case !ok:
		return "", view.ToneDim
	case l.Keep != nil && l.Tried:
		return m.Keys.Label("fold") + ": " + l.Fix(), view.ToneGood
	}
	return l.Fix(), view.ToneDim
}

// live is a line whose text is made when it is drawn.
func live(text func(*view.State) (string, view.Tone)) textLine { return textLine{live: text} }

// Scrolled is an overlay of lines to read: help, a reason's arithmetic.
type Scrolled struct {
	title string
	left  int // width of the left column; 0: none
	width int
	two   bool // in two columns where the screen has room for them
	lines []textLine
	find  typed // what is looked for in it
	fixes bool  // f fixes the loss that it is about
	top   int
	rows  int // of the text as it was arranged last
	last  int // of them seen
}

func (s *Scrolled) Press(m *view.State, key string) Reply {
	if s.find.on {
		s.find.press(key)
		s.top = 0
		return Reply{}
	}
	switch m.Keys.NameOf(key) {
	case "search":
		s.find = typed{on: true}
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
	case "fold":
		if s.fixes {
			m.Knobs.FixHere()
			return Reply{Close: true}
		}
		return Reply{Close: true}
	case "export":
		return Reply{Close: true, Do: "export"}
	default:
		return Reply{Close: true}
	}
	s.top = max(0, min(s.top, s.rows-s.last))
	return Reply{}
}

// Of a text in two columns.
const (
	leastColumn = 70 // cells of a column
	columnGap   = 3
)

// columns breaks the lines for a screen of r: into one column or, at a heading,
// into two.
func (s *Scrolled) columns(r layout.Rect) (cols [][]textLine, width int) {
	if w := (r.W - 6 - columnGap) / 2; s.two && w >= leastColumn {
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
	width = min(s.width, r.W-4)
	return [][]textLine{s.flow(width)}, width
}

// flow breaks what is longer than its column.
func (s *Scrolled) flow(width int) []textLine {
	var out []textLine
	for _, l := range s.find.linesOf(s.lines) {
		room := width
		if s.left > 0 && !(l.left == "" && l.look != nil) {
			room -= s.left + 1
		}
		for i, text := range draw.WrapCells(l.text, room, 9) {
			if i > 0 {
				l.left = ""
			}
			out = append(out, textLine{left: l.left, text: text, look: l.look, live: l.live})
		}
	}
	return out
}

// Arrange keeps the window within the text.
func (s *Scrolled) Arrange(_ *view.State, r layout.Rect) {
	cols, _ := s.columns(r)
	s.rows = len(slices.MaxFunc(cols, func(a, b []textLine) int { return len(a) - len(b) }))
	s.last = sheetRoom(r, s.rows)
	s.top = max(0, min(s.top, s.rows-s.last))
}

// Draw draws the sheet over r.
func (s *Scrolled) Draw(m *pane.Painter, r layout.Rect) {
	cols, width := s.columns(r)
	foot := "any key closes"
	if s.fixes {
		foot = m.S.Keys.Label("fold") + " keeps the element · any other key closes"
	}
	if s.rows > r.H-3 {
		foot = fmt.Sprintf("%s %s scroll · %s searches · any other key closes", m.S.Keys.Label("down"), m.S.Keys.Label("up"), m.S.Keys.Label("search"))
	}
	in := m.Sheet(r, width*len(cols)+columnGap*(len(cols)-1), s.rows, s.title, s.find.foot(foot))
	for i, lines := range cols {
		col := layout.R(in.X+i*(width+columnGap), in.Y, width, in.H)
		for y := 0; y < in.H && s.top+y < len(lines); y++ {
			s.drawLine(m, col.Row(y), lines[s.top+y])
		}
	}
	if s.rows > in.H {
		at := s.top * (in.H - 1) / max(1, s.rows-in.H)
		m.Cv.Put(in.X+in.W+1, in.Y+at, in.X+in.W+2, "▐", m.OnSheet(m.Th.Accent))
	}
}

func (s *Scrolled) drawLine(m *pane.Painter, row layout.Rect, l textLine) {
	look := m.Th.Text
	if l.look != nil {
		look = l.look(m.Th)
	}
	if s.left > 0 && !(l.left == "" && (l.look != nil || l.live != nil)) {
		m.Cv.Text(row.ClipRight(s.left), l.left, m.OnSheet(m.Th.Key))
		row = row.Inset(s.left+1, 0)
	}
	text := l.text
	if l.live != nil {
		var tone view.Tone
		text, tone = l.live(m.S)
		look = m.Look(tone)
	}
	m.Cv.Text(row, text, m.OnSheet(look))
}

func lookStrong(t *draw.Theme) draw.Style { return t.Strong }

func lookDim(t *draw.Theme) draw.Style { return t.Dim }

// HelpSheet lists every key from the key table, then what can be typed.
func HelpSheet(m *view.State) *Scrolled {
	s := &Scrolled{title: "keys and commands", left: 18, width: 78, two: true}
	if here := m.Here(); here != nil { // what means something of its own where it was called from
		s.heading("Here: " + here.Title)
		for _, r := range here.Rows {
			if r.Doc != "" {
				s.lines = append(s.lines, textLine{left: m.Keys.Label(r.Action), text: r.Doc, also: r.Action})
			}
		}
	}
	group := ""
	for _, a := range m.Keys.Actions {
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
			k := m.Keys.Letter
			label, doc = "1 – 9", fmt.Sprintf("go to a pane; before %s, %s%s, %s, %s, %s and %s a count", k("bottom"), k("top"), k("top"), k("down"), k("up"), k("prev"), k("next"))
		}
		s.lines = append(s.lines, textLine{left: label, text: doc, also: a.Name})
	}
	s.heading("Actions to type after " + m.Keys.Label("command"))
	for _, v := range session.Verbs {
		s.lines = append(s.lines, textLine{left: string(v.Verb), text: v.Doc})
	}
	s.heading("Words about the screen")
	for _, w := range m.Keys.Words {
		s.lines = append(s.lines, textLine{left: w.Word, text: w.Doc + " · " + w.Word + " " + w.Args})
	}
	s.heading("Conditions to stop at")
	for _, f := range breakpoint.Forms {
		s.lines = append(s.lines, textLine{left: f.Word, text: f.Doc + " · " + f.Usage})
	}
	s.heading("Marks")
	s.lines = append(s.lines,
		textLine{left: "+ " + wording.Minus + " ~", text: "added, removed, changed since the snapshot before"},
		textLine{left: "┊ ⋯", text: "left out by this pane's rules: how much and by which"},
		textLine{left: "↑", text: "what the lines below lie in, scrolled off: underlined, none of the rows"},
		textLine{left: "▔", text: "something above this line is gone"},
		textLine{left: "●●○ 2/3", text: "a snapshot's age, and when it expires"},
		textLine{left: "✗ LOST", text: "the agent could no longer see what it used"},
		textLine{left: "! ◔", text: "what went wrong: a call failed, a page was cut, no page showed the element; a page was read too early"},
		textLine{left: "✗", text: "what a shown policy would have hidden, had it run"},
		textLine{left: "✎ ‖", text: "a person edited; a person held or gave"},
	)
	return s
}

func (s *Scrolled) heading(text string) {
	if len(s.lines) > 0 {
		s.lines = append(s.lines, textLine{})
	}
	s.lines = append(s.lines, textLine{text: text, look: lookStrong})
}

// ReasonSheet is the arithmetic of the focused pane's verdict; nil where there is
// none yet.
func ReasonSheet(m *view.State) *Scrolled {
	d := m.DocOf(m.FocusAt())
	if d == nil {
		return nil
	}
	s := &Scrolled{title: "why · " + d.Policy.Name, left: 24, width: min(84, m.W-6)}
	single := len(d.Rendered.Stages) == 1 && d.Rendered.Stages[0].Strategy.Name == d.Policy.Name
	wrap := func(text string, look func(*draw.Theme) draw.Style) {
		for _, l := range draw.WrapWords(text, s.width) {
			s.lines = append(s.lines, textLine{text: l, look: look})
		}
	}
	if why := m.WrongAt(m.At); why != "" {
		s.heading("! What went wrong in this step")
		wrap(why, func(t *draw.Theme) draw.Style { return t.Warn })
	}
	if l, ok := m.LossAt(m.Focus); ok {
		s.heading("✗ What would be lost under " + d.Policy.Name + ": " + l.Ref)
		wrap(l.Why, func(t *draw.Theme) draw.Style { return t.Bad })
		if l.Line != "" {
			wrap("it was: "+view.ElementOf(l.Line), lookDim)
		}
		s.fixes = true
		if f, ok := m.FiguresOf(d.Policy.Name); ok {
			m.FindFixes(f)
		}
		s.lines = append(s.lines, live(fixLine))
	}
	if why := cmp.Or(m.Fr.Unread(), m.Fr.InPart()); why != "" {
		s.heading("What the model really had")
		wrap(why, func(t *draw.Theme) draw.Style { return t.Warn })
		wrap("What follows is what it would have read here.", lookDim)
	}
	switch {
	case d.Why != "":
		wrap(d.Why, nil2text)
	case len(d.Rendered.Stages) == 0:
		wrap("Nothing is left out: the agent reads the page as it is.", nil2text)
	}
	for _, st := range d.Rendered.Stages {
		switch {
		case !single:
			s.heading(st.Strategy.Name + " → " + string(st.Verdict.Kind))
		case len(s.lines) > 0:
			s.heading("What the rule did")
		}
		wrap(st.Verdict.Reason(), nil2text)
		if st.Base >= 0 && st.Base < len(m.Tl.Snaps) {
			s.lines = append(s.lines, textLine{left: "compared with", text: fmt.Sprintf("the snapshot of step %d", m.Tl.Snaps[st.Base].Moment.Step)})
		}
		for _, f := range st.Verdict.Facts {
			s.lines = append(s.lines, textLine{left: f.Label, text: f.Value})
		}
	}
	s.heading("Tokens")
	s.lines = append(s.lines,
		textLine{left: "the page", text: wording.Count(d.Full)},
		textLine{left: "what the agent gets", text: wording.Count(d.Rendered.Tokens)},
		textLine{left: "saved", text: fmt.Sprintf("(%s %s %s) / %s = %.1f %%", wording.Count(d.Full), wording.Minus, wording.Count(d.Rendered.Tokens), wording.Count(d.Full), d.Saved()*100)},
	)
	return s
}

func nil2text(t *draw.Theme) draw.Style { return t.Text }

// Words is what the user or the model said, in full.
func Words(r view.StepRow) *Scrolled {
	s := &Scrolled{title: "the user said", width: 84}
	if r.Kind == view.RowModel {
		s.title = "the model said"
	}
	for _, l := range strings.Split(r.Text, "\n") {
		s.lines = append(s.lines, textLine{text: l})
	}
	return s
}
