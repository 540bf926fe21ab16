package tui

import (
	"strings"
	"unicode"

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
	text   []rune
	at     int // cursor, in runes
	past   int // index into the history; len(history): the line being typed
	draft  string
	offers []offer
	chosen int // index into offers; -1 none
	back   int // row to go back to when a search is given up
	err    string
}

func newInput(kind inputKind, prompt, text string) *input {
	return &input{kind: kind, prompt: prompt, text: []rune(text), at: len([]rune(text)), past: -1, chosen: -1}
}

func (in *input) string() string { return string(in.text) }

func (in *input) set(s string) {
	in.text = []rune(s)
	in.at = len(in.text)
}

// insert puts typed or pasted text at the cursor; a line stays one line.
func (in *input) insert(s string) {
	var add []rune
	for _, r := range s {
		if r == '\n' || r == '\r' || r == '\t' {
			r = ' '
		}
		if !unicode.IsControl(r) {
			add = append(add, r)
		}
	}
	if len(in.text)+len(add) > maxInput {
		add = add[:max(0, maxInput-len(in.text))]
	}
	in.text = append(in.text[:in.at:in.at], append(add, in.text[in.at:]...)...)
	in.at += len(add)
}

// maxInput bounds a typed line; a longer paste is cut.
const maxInput = 4000

// press takes a key while the line is open.
func (in *input) press(m *Model, k tea.KeyPressMsg) tea.Cmd {
	in.err = ""
	switch k.String() {
	case "esc", "ctrl+g":
		return in.giveUp(m)
	case "enter":
		return in.accept(m)
	case "tab":
		return in.complete(m, 1)
	case "shift+tab":
		return in.complete(m, -1)
	case "up", "ctrl+p":
		in.recall(m, -1)
	case "down", "ctrl+n":
		in.recall(m, 1)
	default:
		if !in.edit(k) {
			return nil
		}
	}
	return in.changed(m)
}

// edit moves the cursor or changes the text; false: the key does nothing here.
func (in *input) edit(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		in.at = max(0, in.at-1)
	case "right", "ctrl+f":
		in.at = min(len(in.text), in.at+1)
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.text)
	case "backspace", "ctrl+h":
		if in.at > 0 {
			in.cut(in.at-1, in.at)
		}
	case "delete", "ctrl+d":
		if in.at < len(in.text) {
			in.cut(in.at, in.at+1)
		}
	case "ctrl+w", "alt+backspace":
		in.cut(in.wordStart(), in.at)
	case "ctrl+u":
		in.cut(0, in.at)
	case "ctrl+k":
		in.cut(in.at, len(in.text))
	default:
		if k.Text == "" {
			return false
		}
		in.insert(k.Text)
	}
	return true
}

func (in *input) cut(from, to int) {
	in.text = append(in.text[:from:from], in.text[to:]...)
	in.at = from
}

// wordStart is where the word before the cursor begins.
func (in *input) wordStart() int {
	i := in.at
	for i > 0 && in.text[i-1] == ' ' {
		i--
	}
	for i > 0 && in.text[i-1] != ' ' {
		i--
	}
	return i
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
func (in *input) changed(m *Model) tea.Cmd {
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
		in.offers = offersFor(m, string(in.text[:in.at]))
	case inputBreak:
		in.offers = breakOffers(string(in.text[:in.at]))
	}
	return nil
}

func (in *input) giveUp(m *Model) tea.Cmd {
	m.input = nil
	if in.kind == inputSearch {
		m.search.text, m.search.hits = "", nil
		m.goTo(in.back)
	}
	return nil
}

// complete takes the next offer, or as much as all offers have in common.
func (in *input) complete(m *Model, by int) tea.Cmd {
	if len(in.offers) == 0 {
		return in.changed(m)
	}
	if in.chosen < 0 {
		words := make([]string, len(in.offers))
		for i, o := range in.offers {
			words[i] = o.text
		}
		from := in.offers[0].from
		common := sharedPrefix(words)
		if len(in.offers) > 1 && len([]rune(common)) > in.at-from {
			in.replace(from, common)
			in.chosen = -1
			return nil
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
		return in.changed(m)
	}
	return nil
}

// replace puts text where the word at the cursor stands, which begins at rune
// from.
func (in *input) replace(from int, text string) {
	in.text = append(append(in.text[:from:from], []rune(text)...), in.text[in.at:]...)
	in.at = from + len([]rune(text))
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
	end := c.put(x, r.y, r.x+r.w-1, string(in.text[from:]), th.text)
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
	case in.kind == inputSearch && len(in.text) > 0:
		if len(m.search.hits) == 0 {
			return "no match", m.th.warn
		}
		return plural(len(m.search.hits), "line") + " match", m.th.dim
	case in.kind == inputCommand && len(in.text) == 0:
		return "tab completes · ↑ history · esc closes", m.th.faint
	}
	return "", style{}
}

func (in *input) drawOffers(m *Model, r rect) {
	c, th := m.cv, m.th
	n := min(len(in.offers), maxOffers, r.y-2)
	first := max(0, min(in.chosen-n+1, len(in.offers)-n))
	width := 24
	for _, o := range in.offers[first : first+n] {
		width = max(width, safetext.Width(o.text)+3+min(safetext.Width(o.doc), 48))
	}
	width = min(width+2, r.w-2)
	for i := range n {
		o := in.offers[first+i]
		row := rect{r.x + 1, r.y - n + i, width, 1}
		look := th.dialog
		if first+i == in.chosen {
			look = th.dialog.with(th.accent).with(th.cursor)
		}
		c.fill(row, " ", look)
		end := c.text(row.inset(1, 1), o.text, look)
		c.text(rect{end + 2, row.y, row.x + row.w - end - 3, 1}, o.doc, look.with(th.dim))
	}
	if rest := len(in.offers) - n; rest > 0 {
		row := rect{r.x + 1 + width, r.y - 1, 12, 1}
		c.text(row.clip(m.w, m.h), " +"+thousands(rest)+" more", th.dim)
	}
}

// window is the first rune that is shown so that the cursor is seen, and the
// column of the cursor within.
func (in *input) window(width int) (from, col int) {
	col = safetext.Width(string(in.text[:in.at]))
	for from < in.at && col >= width {
		col -= safetext.Width(string(in.text[from]))
		from++
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
