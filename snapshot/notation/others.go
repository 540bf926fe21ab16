package notation

import "strings"

const uidKey = "uid="

// readUID reads a chrome-devtools line: uid=1_21 checkbox "Select" checked
// value="x". Names and values are written there without escapes.
func (l *Line) readUID() bool {
	at := l.Indent
	if !strings.HasPrefix(l.Raw[at:], uidKey) {
		return false
	}
	at += len(uidKey)
	end := at
	for end < len(l.Raw) && strings.IndexByte(" \t\r", l.Raw[end]) < 0 {
		end++
	}
	if end == at {
		return false
	}
	l.Kind, l.Whole = ElementLine, true
	l.setRef(Span{at, end})
	from := end
	if strings.HasPrefix(l.Raw[end:], " ") && !strings.HasPrefix(l.Raw[end:], ` "`) { // a text has no role
		from = end + 1
		end = from
		for end < len(l.Raw) && strings.IndexByte(" \t\r", l.Raw[end]) < 0 {
			end++
		}
		l.RoleAt = Span{from, end}
		l.Role = l.RoleAt.Of(l.Raw)
	}
	if strings.HasPrefix(l.Raw[end:], ` "`) {
		stop := looseStringEnd(l.Raw, end+1, func(next string) bool { return len(next) > 1 && next[0] == ' ' && letter(next[1]) })
		if stop > 0 {
			l.NameAt, l.HasName = Span{end + 1, stop}, true
			end = stop
		}
	}
	l.tail(end)
	return true
}

// readIndex reads a browser-use line: [12]<button type=submit>Go</button>, with
// "*" before it where it is new and bars around a remark; the first versions
// wrote 12[:]<button>. Convergence's agents write a list: - [12] <button>Go</button>,
// WebVoyager [12]: <button> "Go"; or [12]: "Go";.
func (l *Line) readIndex() bool {
	at := l.Indent
	item := l.skip(&at, "- ")
	for at < len(l.Raw) && strings.IndexByte("* \t", l.Raw[at]) >= 0 {
		at++
	}
	if strings.HasPrefix(l.Raw[at:], "|") {
		open := strings.IndexByte(l.Raw[at:], '[')
		if open < 0 || strings.ContainsAny(l.Raw[at:at+open], "<\"") {
			return false
		}
		at += open
	}
	bracket := strings.HasPrefix(l.Raw[at:], "[")
	if bracket {
		at++
	}
	end := at
	if end < len(l.Raw) && l.Raw[end] >= 'A' && l.Raw[end] <= 'Z' { // Notte tells links, buttons and inputs apart: B1
		end++
	}
	digits := end
	for end < len(l.Raw) && l.Raw[end] >= '0' && l.Raw[end] <= '9' {
		end++
	}
	closing := "]<"
	switch {
	case bracket && !item && end > digits && strings.HasPrefix(l.Raw[end:], "]: "):
		return l.readQuoted(at, end)
	case item:
		closing = "] <"
	case !bracket:
		closing = "[:]<"
	}
	if bracket && strings.HasPrefix(l.Raw[end:], "]*<") { // how older versions of browser-use mark a new one
		closing = "]*<"
	}
	if end == digits || item && !bracket || !strings.HasPrefix(l.Raw[end:], closing) {
		return false
	}
	l.Kind, l.Whole = ElementLine, true
	l.setRef(Span{at, end})
	from := end + len(closing)
	end = wordEnd(l.Raw, from)
	l.RoleAt = Span{from, end}
	l.Role = l.RoleAt.Of(l.Raw)
	l.readTag(end)
	return true
}

// readQuoted reads WebVoyager's elements: a tag where it is a field or a button, its
// words, and its label where that is another: [12]: <button> "Go", "Search";.
func (l *Line) readQuoted(from, to int) bool {
	end := len(strings.TrimRight(l.Raw, " \t\r"))
	if end < 2 || l.Raw[end-2:end] != `";` {
		return false
	}
	at := to + len("]: ")
	role := Span{}
	if strings.HasPrefix(l.Raw[at:], "<") {
		role = Span{at + 1, wordEnd(l.Raw, at+1)}
		if role.Empty() || !strings.HasPrefix(l.Raw[role.To:], "> ") {
			return false
		}
		at = role.To + len("> ")
	}
	if at+1 >= end || l.Raw[at] != '"' {
		return false
	}
	l.Kind, l.Whole = ElementLine, true
	l.setRef(Span{from, to})
	l.RoleAt, l.Role = role, role.Of(l.Raw)
	stop := end - 2
	if i := strings.Index(l.Raw[at+1:max(at+1, stop)], `", "`); i >= 0 {
		l.AttrsAt = Span{at + 1 + i + len(`", "`), stop}
		stop = at + 1 + i
	}
	l.NameAt = Span{at + 1, max(at+1, stop)}
	l.HasName = !l.NameAt.Empty()
	l.KeyAt = Span{l.Indent, at}
	return true
}

// readTag reads what follows a tag's name: attributes, and the words up to its
// end tag, which are the element's name.
func (l *Line) readTag(at int) {
	end, quote := at, byte(0)
	for end < len(l.Raw) && (quote != 0 || l.Raw[end] != '>') {
		switch c := l.Raw[end]; {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"') && l.Raw[end-1] == '=':
			quote = c
		}
		end++
	}
	l.AttrsAt = trim(l.Raw, Span{at, end})
	if n := l.AttrsAt.To; n > at && n <= len(l.Raw) && !l.AttrsAt.Empty() && l.Raw[n-1] == '/' {
		l.AttrsAt = trim(l.Raw, Span{at, n - 1})
	}
	if end >= len(l.Raw) {
		l.KeyAt = Span{l.Indent, end}
		return
	}
	from := end + 1
	stop := len(l.Raw)
	if i := strings.LastIndex(l.Raw[from:], "</"); i >= 0 {
		stop = from + i
	}
	l.NameAt = trim(l.Raw, Span{from, stop})
	l.HasName = !l.NameAt.Empty()
	l.KeyAt = Span{l.Indent, from}
}

// chromeRef is how a handle of Claude in Chrome begins.
const chromeRef = "ref_"

// readAXTree reads a line of an accessibility tree as WebVoyager and BrowserGym
// print it: [12] button 'Go' focused: True, or without a handle: button 'Go'.
// Names are Python strings. Claude in Chrome writes button "Go" [ref_12], and of what
// it finds - ref_12: button "Go".
func (l *Line) readAXTree() bool {
	at := l.Indent
	if strings.HasPrefix(l.Raw[at:], "- "+chromeRef) {
		end := wordEnd(l.Raw, at+2)
		if !strings.HasPrefix(l.Raw[end:], ": ") {
			return false
		}
		return l.readChrome(end+2, Span{at + 2, end})
	}
	if l.readChrome(at, Span{}) {
		return true
	}
	handle := Span{}
	if strings.HasPrefix(l.Raw[at:], "[") {
		end := wordEnd(l.Raw, at+1)
		if n := numbersEnd(l.Raw, at+1); n > end {
			return l.readStagehand(Span{at + 1, n})
		}
		if end == at+1 || !strings.HasPrefix(l.Raw[end:], "] ") {
			return false
		}
		handle = Span{at + 1, end}
		at = end + 2
	}
	end := at
	for end < len(l.Raw) && (word(l.Raw[end]) || l.Raw[end] == '-' && end > at) {
		end++
	}
	if end == at || !letter(l.Raw[at]) || end+1 >= len(l.Raw) || l.Raw[end] != ' ' || l.Raw[end+1] != '\'' && l.Raw[end+1] != '"' {
		return false
	}
	stop := stringEnd(l.Raw, end+1)
	if stop < 0 {
		return false
	}
	l.Kind, l.Whole = ElementLine, true
	if !handle.Empty() {
		l.setRef(handle)
	}
	l.RoleAt = Span{at, end}
	l.Role = l.RoleAt.Of(l.Raw)
	l.NameAt, l.HasName = Span{end + 1, stop}, true
	l.tail(stop)
	return true
}

// numbersEnd is the end of two numbers with a dash between them that begin at i; i: they
// do not.
func numbersEnd(s string, i int) int {
	digits := func(at int) int {
		for at < len(s) && s[at] >= '0' && s[at] <= '9' {
			at++
		}
		return at
	}
	dash := digits(i)
	if dash == i || s[i] == '0' && dash > i+1 || dash >= len(s) || s[dash] != '-' {
		return i
	}
	if end := digits(dash + 1); end > dash+1 {
		return end
	}
	return i
}

// readStagehand reads [0-12] button: Go, of which the handle is a frame and a node.
func (l *Line) readStagehand(handle Span) bool {
	at := handle.To + len("] ")
	if !strings.HasPrefix(l.Raw[handle.To:], "] ") || at+1 >= len(l.Raw) || !letter(l.Raw[at]) || l.Raw[at+1] < 'a' || l.Raw[at+1] > 'z' {
		return false // [10-12] INFO: is a log's line
	}
	end := at
	for end < len(l.Raw) && (word(l.Raw[end]) || strings.IndexByte("-, ", l.Raw[end]) >= 0) { // scrollable, html
		end++
	}
	name := Span{end, end}
	switch {
	case strings.HasPrefix(l.Raw[end:], ": "):
		name = trim(l.Raw, Span{end + 2, len(l.Raw)})
	case strings.TrimSpace(l.Raw[end:]) != "":
		return false
	}
	l.Kind, l.Whole = ElementLine, true
	l.setRef(handle)
	l.RoleAt = trim(l.Raw, Span{at, end})
	l.Role = l.RoleAt.Of(l.Raw)
	l.NameAt, l.HasName = name, !name.Empty()
	l.KeyAt = Span{l.Indent, len(l.Raw)}
	return true
}

// readChrome reads role, name and handle as Claude in Chrome writes them from at on;
// handle is one that stood before.
func (l *Line) readChrome(at int, handle Span) bool {
	end := at
	for end < len(l.Raw) && (word(l.Raw[end]) || l.Raw[end] == '-' && end > at) {
		end++
	}
	if end == at || !letter(l.Raw[at]) {
		return false
	}
	role, name := Span{at, end}, Span{}
	if strings.HasPrefix(l.Raw[end:], ` "`) {
		stop := stringEnd(l.Raw, end+1)
		if stop < 0 {
			return false
		}
		name, end = Span{end + 1, stop}, stop
	}
	if handle.Empty() {
		open := end + len(" [")
		if !strings.HasPrefix(l.Raw[end:], " ["+chromeRef) {
			return false
		}
		if end = wordEnd(l.Raw, open); end >= len(l.Raw) || l.Raw[end] != ']' {
			return false
		}
		handle = Span{open, end}
		end++
	}
	l.Kind, l.Whole = ElementLine, true
	l.setRef(handle)
	l.RoleAt, l.Role = role, role.Of(l.Raw)
	l.NameAt, l.HasName = name, !name.Empty()
	l.tail(end)
	return true
}

// readLoose reads a line of a text whose notation is not known: one of the
// dialects, or a line that begins or ends with a handle, [e12].
func (l *Line) readLoose() {
	if (l.readDash() || l.readUID() || l.readIndex() || l.readAXTree()) && l.Kind != OtherLine {
		return
	}
	body := trim(l.Raw, Span{l.Indent, len(l.Raw)})
	s := body.Of(l.Raw)
	if at, ok := bareMark(s); ok {
		l.Kind = ElementLine
		l.setRef(Span{body.From + at.From, body.From + at.To})
		return
	}
	if i := strings.LastIndexByte(s, '['); i > 0 {
		if at, ok := bareMark(s[i:]); ok && i+at.To+1 == len(s) {
			l.Kind = ElementLine
			l.setRef(Span{body.From + i + at.From, body.From + i + at.To})
		}
	}
}

// bareMark reads [e12] or [ref=e12] at the start of s.
func bareMark(s string) (Span, bool) {
	if !strings.HasPrefix(s, "[") {
		return Span{}, false
	}
	from := 1
	if strings.HasPrefix(s[from:], refKey) {
		from += len(refKey)
	}
	end := wordEnd(s, from)
	if end >= len(s) || s[end] != ']' || !IsRef(s[from:end]) {
		return Span{}, false
	}
	return Span{from, end}, true
}

func (l *Line) setRef(at Span) {
	l.RefAt = at
	l.Ref = at.Of(l.Raw)
}

// tail is what stands behind a name: attributes as words, of which value="…" is
// the element's value.
func (l *Line) tail(at int) {
	l.KeyAt = Span{l.Indent, len(l.Raw)}
	l.AttrsAt = trim(l.Raw, Span{at, len(l.Raw)})
	for a := range l.Attrs() {
		if key, v, ok := cutAttr(l.Raw, a); ok && key == "value" {
			l.ValueAt, l.HasValue = v, true
		}
	}
}
