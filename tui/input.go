package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"snapscope/tui/safetext"
)

// inputKind says what an input line is for.
type inputKind uint8

const (
	inputCommand inputKind = iota
	inputSearch
	inputNote
	inputBreak
	inputPolicy
	inputFilter
)

// input is the one line that is typed into, at the bottom of the screen, with
// what could complete it above.
type input struct {
	kind   inputKind
	prompt string
	field  textinput.Model // text and cursor; it is drawn here, as page text is
	past   int             // index into the history; len(history): the line being typed
	draft  string
	offers []offer
	chosen int // index into offers; -1 none
	back   int // row to go back to when a search is given up
	err    string
}

func newInput(kind inputKind, prompt, text string) *input {
	in := &input{kind: kind, prompt: prompt, field: textinput.New(), past: -1, chosen: -1}
	in.field.CharLimit = maxInput
	in.field.KeyMap.Paste = key.NewBinding() // the terminal pastes
	in.field.Focus()
	in.set(text)
	return in
}

func (in *input) string() string { return in.field.Value() }

// left is what stands before the cursor.
func (in *input) left() string { return string([]rune(in.string())[:in.field.Position()]) }

func (in *input) set(s string) {
	in.field.SetValue(s)
	in.field.CursorEnd()
}

// insert puts typed or pasted text at the cursor; a line stays one line.
func (in *input) insert(s string) {
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

// maxInput bounds a typed line; a longer paste is cut.
const maxInput = 4000

// typing is what became of the line after a key.
type typing uint8

const (
	typingOn      typing = iota
	typingGivenUp        // closed without an effect
	typingEntered        // to be carried out
)

// press takes a key while the line is open.
func (in *input) press(m *Model, k tea.KeyPressMsg) typing {
	in.err = ""
	switch k.String() {
	case "esc", "ctrl+g":
		in.giveUp(m)
		return typingGivenUp
	case "enter":
		return typingEntered
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
	in.changed(m)
	return typingOn
}

// edit moves the cursor or changes the text; false: the key does nothing here.
func (in *input) edit(k tea.KeyPressMsg) bool {
	text, at := in.string(), in.field.Position()
	in.field, _ = in.field.Update(k)
	return in.string() != text || in.field.Position() != at
}

// recall walks through the history.
func (in *input) recall(m *Model, by int) {
	if in.kind != inputCommand {
		return
	}
	if in.past < 0 {
		in.past, in.draft = len(m.hist), in.string()
	}
	in.past = max(0, min(in.past+by, len(m.hist)))
	if in.past == len(m.hist) {
		in.set(in.draft)
		return
	}
	in.set(m.hist[in.past])
}

// changed follows each change of the text: a search looks as one types, a
// command offers what it could become.
func (in *input) changed(m *Model) {
	in.chosen = -1
	switch in.kind {
	case inputSearch:
		m.search.text = in.string()
		m.search.run(m)
		if i := m.search.at(in.back); i < len(m.search.hits) {
			m.leapTo(int(m.search.hits[i]))
		} else if len(m.search.hits) > 0 {
			m.leapTo(int(m.search.hits[0]))
		} else {
			m.goTo(in.back)
		}
	case inputCommand:
		in.offers = offersFor(m, in.left())
	case inputBreak:
		in.offers = breakOffers(in.left())
	}
}

func (in *input) giveUp(m *Model) {
	if in.kind == inputSearch {
		m.search.text, m.search.hits = "", nil
		m.goTo(in.back)
	}
}

// complete takes the next offer, or as much as all offers have in common.
func (in *input) complete(m *Model, by int) {
	if len(in.offers) == 0 {
		in.changed(m)
		return
	}
	if in.chosen < 0 {
		words := make([]string, len(in.offers))
		for i, o := range in.offers {
			words[i] = o.text
		}
		from := in.offers[0].from
		common := sharedPrefix(words)
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
	in.replace(o.from, o.text)
	if len(in.offers) == 1 {
		in.insert(" ")
		in.changed(m)
	}
}

// replace puts text where the word at the cursor stands, which begins at rune
// from.
func (in *input) replace(from int, text string) {
	have := []rune(in.string())
	in.field.SetValue(string(have[:from]) + text + string(have[in.field.Position():]))
	in.field.SetCursor(from + len([]rune(text)))
}

// offer is one completion: text stands for the word that begins at rune from.
type offer struct {
	text string
	doc  string
	from int
}

// maxOffers is how many completions are shown.
const maxOffers = 8

// draw puts the line on the bottom row and the offers above it.
func (in *input) draw(m *Model) {
	c, th := m.cv, m.th
	r := m.lay.hint
	c.fill(r, " ", th.text)
	x := c.put(r.x+1, r.y, r.x+r.w, in.prompt, th.accent)
	from, _ := in.window(r.w - (x - r.x) - 2)
	end := c.put(x, r.y, r.x+r.w-1, string([]rune(in.string())[from:]), th.text)
	note, look := in.note(m)
	if room := r.x + r.w - end - 3; note != "" && room > 10 {
		c.right(rect{end + 2, r.y, room, 1}, safetext.Cut(note, room), look)
	}
	if len(in.offers) > 0 {
		in.drawOffers(m, r)
	}
}

// note is what stands at the right of the line.
func (in *input) note(m *Model) (string, style) {
	switch {
	case in.err != "":
		return in.err, m.th.bad
	case in.kind == inputSearch && in.string() != "":
		if len(m.search.hits) == 0 {
			return "no match", m.th.warn
		}
		return plural(len(m.search.hits), "line") + " match", m.th.dim
	case in.kind == inputCommand && in.string() == "":
		return "tab completes · ↑ history · esc closes", m.th.faint
	}
	return "", style{}
}

func (in *input) drawOffers(m *Model, r rect) {
	c, th := m.cv, m.th
	n := min(len(in.offers), maxOffers, r.y-2)
	first := max(0, min(in.chosen-n+1, len(in.offers)-n))
	for i := range n { // over the whole width: nothing of what lies below shows beside them
		o := in.offers[first+i]
		row := rect{r.x, r.y - n + i, r.w, 1}
		look := th.dialog
		if first+i == in.chosen {
			look = th.dialog.with(th.accent).with(th.cursor)
		}
		c.fill(row, " ", look)
		row = row.inset(2, 1)
		if rest := len(in.offers) - n; rest > 0 && i == n-1 {
			more := "+" + thousands(rest) + " more"
			c.right(row, more, look.with(th.dim))
			row.w -= safetext.Width(more) + 2
		}
		end := c.text(row, o.text, look)
		c.text(rect{end + 2, row.y, row.x + row.w - end - 2, 1}, o.doc, look.with(th.dim))
	}
}

// window is the first rune that is shown so that the cursor is seen, and the
// column of the cursor within.
func (in *input) window(width int) (from, col int) {
	text, at := []rune(in.string()), in.field.Position()
	col = safetext.Width(string(text[:at]))
	for before := string(text[:at]); before != "" && col >= width; {
		p := safetext.Next(before)
		from += utf8.RuneCountInString(before[:p.Size])
		before, col = before[p.Size:], col-p.Width
	}
	return from, max(col, 0)
}

func (in *input) cursor(m *Model) *tea.Cursor {
	r := m.lay.hint
	x := r.x + 1 + safetext.Width(in.prompt)
	_, col := in.window(r.w - (x - r.x) - 2)
	return tea.NewCursor(min(x+col, r.x+r.w-1), r.y)
}

func trimmed(in *input) string { return strings.TrimSpace(in.string()) }
