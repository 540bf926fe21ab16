package dialog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/format"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// InputKind says what an input line is for.
type InputKind uint8

const (
	InputCommand InputKind = iota
	InputSearch
	InputNote
	InputBreak
	InputPolicy
	InputFilter
	InputSteps // a filter of the list of steps
	InputKnob  // a value of the chosen knob
)

// Input is the one line that is typed into, at the bottom of the screen, with
// what could complete it above.
type Input struct {
	Kind   InputKind
	prompt string
	field  textinput.Model // text and cursor; it is drawn here, as page text is
	past   int             // index into the history; len(history): the line being typed
	draft  string
	offers []view.Offer
	chosen int // index into offers; -1 none
	Back   int // row to go back to when a search is given up
	Err    string
	Asked  string // the line that waits for a second enter, since the first only asked
}

func NewInput(kind InputKind, prompt, text string) *Input {
	in := &Input{Kind: kind, prompt: prompt, field: textinput.New(), past: -1, chosen: -1}
	in.field.CharLimit = MaxInput
	in.field.KeyMap.Paste = key.NewBinding() // the terminal pastes
	in.field.Focus()
	in.set(text)
	return in
}

func (in *Input) String() string { return in.field.Value() }

// left is what stands before the cursor.
func (in *Input) left() string { return string([]rune(in.String())[:in.field.Position()]) }

func (in *Input) set(s string) {
	in.field.SetValue(s)
	in.field.CursorEnd()
}

// Insert puts typed or pasted text at the cursor; a line stays one line.
func (in *Input) Insert(s string) {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
	at := in.field.Position()
	in.replace(at, s)
}

// MaxInput bounds a typed line, in characters; a longer paste is cut.
const MaxInput = 4000

// typing is what became of the line after a key.
type typing uint8

const (
	typingOn      typing = iota
	TypingGivenUp        // closed without an effect
	TypingEntered        // to be carried out
)

// Press takes a key while the line is open.
func (in *Input) Press(m *view.State, k tea.KeyPressMsg) typing {
	in.Err = ""
	switch k.String() {
	case "esc", "ctrl+g":
		in.giveUp(m)
		return TypingGivenUp
	case "enter":
		return TypingEntered
	case "tab":
		in.complete(m, 1)
		return typingOn
	case "shift+tab":
		in.complete(m, -1)
		return typingOn
	case "up", "ctrl+p":
		in.recall(m, -1)
	case "down", "ctrl+n":
		in.recall(m, 1)
	default:
		if !in.edit(k) {
			return typingOn
		}
	}
	in.Changed(m)
	return typingOn
}

// edit moves the cursor or changes the text; false: the key does nothing here.
func (in *Input) edit(k tea.KeyPressMsg) bool {
	text, at := in.String(), in.field.Position()
	in.field, _ = in.field.Update(k)
	return in.String() != text || in.field.Position() != at
}

// recall walks through the history.
func (in *Input) recall(m *view.State, by int) {
	if in.Kind != InputCommand {
		return
	}
	if in.past < 0 {
		in.past, in.draft = len(m.Hist), in.String()
	}
	in.past = max(0, min(in.past+by, len(m.Hist)))
	if in.past == len(m.Hist) {
		in.set(in.draft)
		return
	}
	in.set(m.Hist[in.past])
}

// Changed follows each change of the text: a search looks as one types, a
// command offers what it could become.
func (in *Input) Changed(m *view.State) {
	in.chosen = -1
	switch in.Kind {
	case InputSearch:
		_ = m.SetSearch(in.String()) // what is wrong is said when it is entered
		if i := m.Search.At(in.Back); i < len(m.Search.Hits) {
			m.LeapTo(int(m.Search.Hits[i]))
		} else if len(m.Search.Hits) > 0 {
			m.LeapTo(int(m.Search.Hits[0]))
		} else {
			m.GoTo(in.Back)
		}
	case InputCommand:
		in.offers = offersFor(m, in.left())
	case InputBreak:
		in.offers = view.BreakOffers(in.left())
	case InputSteps:
		in.offers = stepOffers(in.left())
	}
}

func (in *Input) giveUp(m *view.State) {
	if in.Kind == InputSearch {
		_ = m.SetSearch("") // nothing is no regular expression
		m.GoTo(in.Back)
	}
}

// complete takes the next offer, or as much as all offers have in common.
func (in *Input) complete(m *view.State, by int) {
	if len(in.offers) == 0 {
		in.Changed(m)
		return
	}
	if in.chosen < 0 {
		words := make([]string, len(in.offers))
		for i, o := range in.offers {
			words[i] = o.Text
		}
		from := in.offers[0].From
		common := format.SharedPrefix(words)
		if len(in.offers) > 1 && len([]rune(common)) > in.field.Position()-from {
			in.replace(from, common)
			in.chosen = -1
			return
		}
	}
	in.chosen = (in.chosen + by + len(in.offers)) % len(in.offers)
	if in.chosen < 0 {
		in.chosen = 0
	}
	o := in.offers[in.chosen]
	in.replace(o.From, o.Text)
	if len(in.offers) == 1 {
		in.Insert(" ")
		in.Changed(m)
	}
}

// replace puts text where the word at the cursor stands, which begins at rune
// from.
func (in *Input) replace(from int, text string) {
	have := []rune(in.String())
	in.field.SetValue(string(have[:from]) + text + string(have[in.field.Position():]))
	in.field.SetCursor(from + len([]rune(text)))
}

// maxOffers is how many completions are shown.
const maxOffers = 8

// Draw puts the line on the bottom row and the offers above it.
func (in *Input) Draw(m *pane.Painter) {
	c, th := m.Cv, m.Th
	r := m.S.Lay.Hint
	c.Fill(r, " ", th.Text)
	x := c.Put(r.X+1, r.Y, r.X+r.W, in.prompt, th.Accent)
	from, _ := in.window(r.W - (x - r.X) - 2)
	end := c.Put(x, r.Y, r.X+r.W-1, string([]rune(in.String())[from:]), th.Text)
	note, look := in.note(m)
	if room := r.X + r.W - end - 3; note != "" && room > 10 {
		c.Right(layout.R(end+2, r.Y, room, 1), safetext.Cut(note, room), look)
	}
	if len(in.offers) > 0 {
		in.drawOffers(m, r)
	}
}

// note is what stands at the right of the line.
func (in *Input) note(m *pane.Painter) (string, draw.Style) {
	switch {
	case in.Err != "" && in.Asked == in.String():
		return in.Err, m.Th.Warn
	case in.Err != "":
		return in.Err, m.Th.Bad
	case in.Kind == InputSearch && in.String() != "":
		if len(m.S.Search.Hits) == 0 {
			return "not on this page · enter looks through the session", m.Th.Warn
		}
		return wording.Plural(len(m.S.Search.Hits), "line") + " match", m.Th.Dim
	case in.Kind == InputCommand && in.String() == "":
		return "tab completes · ↑ history · esc closes", m.Th.Faint
	}
	return "", draw.Style{}
}

func (in *Input) drawOffers(m *pane.Painter, r layout.Rect) {
	c, th := m.Cv, m.Th
	n := min(len(in.offers), maxOffers, r.Y-2)
	first := max(0, min(in.chosen-n+1, len(in.offers)-n))
	for i := range n { // over the whole width: nothing of what lies below shows beside them
		o := in.offers[first+i]
		row := layout.R(r.X, r.Y-n+i, r.W, 1)
		look := th.Dialog
		if first+i == in.chosen {
			look = th.Dialog.With(th.Accent).With(th.Cursor)
		}
		c.Fill(row, " ", look)
		row = row.Inset(2, 1)
		if rest := len(in.offers) - n; rest > 0 && i == n-1 {
			more := "+" + wording.Count(rest) + " more"
			c.Right(row, more, look.With(th.Dim))
			row.W -= safetext.Width(more) + 2
		}
		end := c.Text(row, o.Text, look)
		c.Text(layout.R(end+2, row.Y, row.X+row.W-end-2, 1), o.Doc, look.With(th.Dim))
	}
}

// window is the first rune that is shown so that the cursor is seen, and the
// column of the cursor within.
func (in *Input) window(width int) (from, col int) {
	text, at := []rune(in.String()), in.field.Position()
	col = safetext.Width(string(text[:at]))
	for before := string(text[:at]); before != "" && col >= width; {
		p := safetext.Next(before)
		from += utf8.RuneCountInString(before[:p.Size])
		before, col = before[p.Size:], col-p.Width
	}
	return from, max(col, 0)
}

func (in *Input) Cursor(m *view.State) *tea.Cursor {
	r := m.Lay.Hint
	x := r.X + 1 + safetext.Width(in.prompt)
	_, col := in.window(r.W - (x - r.X) - 2)
	return tea.NewCursor(min(x+col, r.X+r.W-1), r.Y)
}

func Trimmed(in *Input) string { return strings.TrimSpace(in.String()) }
