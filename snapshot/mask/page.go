package mask

import (
	"cmp"
	"slices"
	"strings"

	"snapscope/snapshot/notation"
)

// editor writes a text again with parts of it masked. Of a page's line it masks
// only what the page says: names, values and texts. Roles, refs and attributes
// belong to the notation and stay. Cuts come from front to back.
type editor struct {
	s    string
	out  strings.Builder
	done int

	end    int // of the line that closed was read from
	closed []notation.Span
}

// mask masks s[from:to], in parts where the notation lies between; it returns how
// many parts it masked.
func (e *editor) mask(from, to int, with string) (n int) {
	from = max(from, e.done)
	first := from
	for at := from; at < to; at = e.end + 1 {
		e.line(at, first)
		for len(e.closed) > 0 && e.closed[0].From < to {
			n += e.put(from, e.closed[0].From, with)
			from = max(from, e.closed[0].To)
			if e.closed[0].To >= to {
				break
			}
			e.closed = e.closed[1:]
		}
	}
	return n + e.put(from, to, with)
}

func (e *editor) put(from, to int, with string) int {
	if from >= to || strings.TrimSpace(e.s[from:to]) == "" || strings.HasPrefix(e.s[from:to], Masked) {
		return 0
	}
	e.out.WriteString(e.s[e.done:from])
	e.out.WriteString(with)
	e.done = to
	return 1
}

// text is the text with all cuts made.
func (e *editor) text() string {
	if e.done == 0 {
		return e.s
	}
	e.out.WriteString(e.s[e.done:])
	return e.out.String()
}

// line reads the line around a byte, unless that is the line that is read already.
// A cut that began before it is one of several lines: it says nothing of attributes
// and addresses, so these stay whole.
func (e *editor) line(at, from int) {
	if at < e.end || at == e.end && at > 0 {
		return
	}
	start := strings.LastIndexByte(e.s[:at], '\n') + 1
	e.end = len(e.s)
	if n := strings.IndexByte(e.s[at:], '\n'); n >= 0 {
		e.end = at + n
	}
	e.closed = closed(e.s[start:e.end], from < start)
	for i := range e.closed {
		e.closed[i].From += start
		e.closed[i].To += start
	}
}

// readLine reads a line of a page, whatever its dialect.
func readLine(line string) (l notation.Line, d notation.Dialect) {
	for _, d = range []notation.Dialect{"", notation.Index, notation.AXTree} {
		if l = notation.ReadLine(line, d); l.Kind != notation.OtherLine {
			break
		}
	}
	return l, d
}

// closed are the parts of a page's line that no mask may touch, in their order:
// all that is not the page's own words. The line breaks around it are among them.
// A line that is no page's has none. With words only, all attributes and properties
// are among them, too.
func closed(line string, words bool) []notation.Span {
	l, d := readLine(line)
	if l.Kind == notation.OtherLine || l.Own() == "" && !isRole(l.Role) {
		return nil
	}
	to := max(l.Indent, l.RoleAt.To)
	if l.Kind == notation.TextLine || l.Kind == notation.PropertyLine {
		to = max(to, min(l.KeyAt.To+1, len(line)))
	}
	out := []notation.Span{{From: -1, To: to}, {From: len(line), To: len(line) + 1}}
	if l.Kind == notation.UnchangedLine || words && l.Kind == notation.PropertyLine {
		return []notation.Span{{From: -1, To: len(line) + 1}}
	}
	if !l.RefAt.Empty() {
		out = append(out, l.RefAt)
	}
	if at := l.KeyAt.To; !l.KeyAt.Empty() && strings.HasPrefix(line[at:], ":") {
		out = append(out, notation.Span{From: at, To: max(at+1, l.ValueAt.From)})
	}
	out = append(out, quotes(line, l.NameAt)...)
	out = append(out, quotes(line, l.ValueAt)...)
	if d == notation.Index { // the tag's own signs
		end := max(l.RoleAt.To, l.AttrsAt.To)
		if l.HasName {
			out = append(out, notation.Span{From: end, To: max(end, l.NameAt.From)})
			end = max(end, l.NameAt.To)
		}
		out = append(out, notation.Span{From: end, To: len(line)})
	}
	if words && !l.AttrsAt.Empty() {
		out = append(out, notation.Span{From: max(0, l.AttrsAt.From-1), To: min(len(line), l.AttrsAt.To+1)})
	}
	for a := range l.Attrs() {
		out = append(out, closedAttr(line, a, d)...)
	}
	slices.SortFunc(out, func(a, b notation.Span) int { return cmp.Compare(a.From, b.From) })
	return out
}

// isRole reports whether a word can be a role or a property's key: a list in plain
// text looks like a page, and its words may be keys.
func isRole(word string) bool {
	return len(word) <= longState && !strings.ContainsAny(word, "0123456789_")
}

// quotes are the quotes around a part of a line.
func quotes(line string, at notation.Span) []notation.Span {
	s := at.Of(line)
	if len(s) < 2 || strings.IndexByte(`"'/`, s[0]) < 0 || s[len(s)-1] != s[0] {
		return nil
	}
	return []notation.Span{{From: at.From, To: at.From + 1}, {From: at.To - 1, To: at.To}}
}

// longState is the longest value of an attribute that is a state and no text.
const longState = 32

// saying are attributes whose values are a page's own words.
var saying = map[string]bool{
	"value": true, "text": true, "valuetext": true, "description": true, "placeholder": true, "aria-label": true, "title": true, "alt": true,
	"url": true, "href": true, "src": true, "action": true, "content": true,
}

// flags are attributes without a value, where values are written without quotes.
var flags = map[string]bool{
	"checked": true, "disabled": true, "required": true, "readonly": true, "selected": true, "expanded": true, "focused": true, "hidden": true,
	"multiple": true, "open": true, "pressed": true, "invalid": true, "/": true,
}

// closedAttr is what stays of an attribute: all of a state ("level=2"), the key of
// one that holds a page's words.
func closedAttr(line string, a notation.Span, d notation.Dialect) []notation.Span {
	s := a.Of(line)
	key, value, has := s, "", false
	if i := strings.IndexAny(s, "=:"); i >= 0 {
		key, value, has = s[:i], strings.Trim(s[i+1:], " \"'"), true
	}
	around := []notation.Span{{From: max(0, a.From-1), To: a.From}, {From: a.To, To: min(len(line), a.To+1)}}
	switch {
	case !has && d == notation.Index && !flags[s]: // a further word of the attribute before, which has no quotes
		return nil
	case !has && !isState(key) || has && isKey(value):
		return around
	case !has, !saying[key] && !isSecretName(key) && isState(key) && (isState(value) || key == "ref"):
		return []notation.Span{{From: around[0].From, To: around[1].To}}
	}
	from := a.From + len(key) + 1
	around[0].To = from
	if d == notation.Index { // the value may go on behind the space
		around = around[:1]
	}
	return append(around, quotes(line, notation.Span{From: from, To: a.To})...)
}

// isState reports whether a text can be the name or the value of a state: a short
// word, or none.
func isState(s string) bool {
	if len(s) > longState {
		return false
	}
	for i := range len(s) {
		if !isKeyByte(s[i]) && s[i] != '%' {
			return false
		}
	}
	return true
}

// longPath bounds how far back an address is looked for, in bytes.
const longPath = 512

// inPath reports whether s[from:to] is a word of an address's host or path: there it
// names a place, even where somebody has typed the same word as a password. What is
// part letters, part digits is taken for the secret itself.
func inPath(s string, from, to int) bool {
	if word := s[from:to]; strings.ContainsAny(word, "0123456789") && len(word) >= 8 {
		return false
	}
	start := from
	for start > 0 && from-start < longPath && strings.IndexByte(" \t\r\n\"'`<>()[]", s[start-1]) < 0 {
		start--
	}
	before := s[start:from]
	if strings.ContainsAny(before, "?#") || to < len(s) && s[to] == '@' {
		return false
	}
	return s[start] == '/' || strings.Contains(before, "://")
}
