package notation

import "strings"

// The marks of Playwright's incremental snapshots.
const (
	changedMark   = "<changed> "
	unchangedMark = "[unchanged]"
	refKey        = "ref="
)

// readDash reads a line of aria text or of an agent-browser tree; false where it
// begins otherwise.
func (l *Line) readDash() bool {
	at := l.Indent + len("- ")
	if at >= len(l.Raw) || !strings.HasPrefix(l.Raw[l.Indent:], "- ") {
		return false
	}
	changed := l.skip(&at, changedMark)
	switch {
	case at >= len(l.Raw):
	case l.Raw[at] == '/' && !changed:
		l.readProperty(at)
	case strings.HasPrefix(l.Raw[at:], refKey):
		l.readUnchanged(at)
	default:
		l.readElement(at, changed)
	}
	return true
}

// skip moves at behind a mark that stands there.
func (l *Line) skip(at *int, mark string) bool {
	if !strings.HasPrefix(l.Raw[*at:], mark) {
		return false
	}
	*at += len(mark)
	return true
}

// readProperty reads "/url: v".
func (l *Line) readProperty(at int) {
	l.Kind = PropertyLine
	end := len(l.Raw)
	if c := strings.IndexByte(l.Raw[at:], ':'); c >= 0 {
		end = at + c
	}
	l.KeyAt = Span{at, end}
	l.RoleAt = Span{at + 1, end}
	l.Role = l.RoleAt.Of(l.Raw)
	l.readValue(end)
}

// readUnchanged reads "ref=e4 [unchanged]".
func (l *Line) readUnchanged(at int) {
	at += len(refKey)
	end := at
	for end < len(l.Raw) && l.Raw[end] != ' ' {
		end++
	}
	rest := trim(l.Raw, Span{end, len(l.Raw)})
	if end == at || rest.Of(l.Raw) != unchangedMark {
		return
	}
	l.Kind, l.Whole = UnchangedLine, true
	l.RefAt = Span{at, end}
	l.Ref = l.RefAt.Of(l.Raw)
	l.KeyAt = Span{at - len(refKey), rest.To}
}

// readElement reads "role "name" [attribute]", quoted as a whole or not, and
// what stands behind it.
func (l *Line) readElement(at int, changed bool) {
	from, limit, behind := at, len(l.Raw), -1 // the key reaches to limit; quoted, the line goes on behind it
	if l.Raw[at] == '\'' {
		end := singleEnd(l.Raw, at)
		if end < 0 {
			return
		}
		at++
		limit, behind, l.doubled = end, end+1, true
		changed = l.skip(&at, changedMark) || changed
	}
	end := l.readRole(at, limit)
	if end < 0 {
		return
	}
	l.Kind = ElementLine
	if changed {
		l.Kind = ChangedLine
	}
	end = l.readName(end, limit)
	end = l.readAttrs(end, limit)
	whole := true
	if behind >= 0 {
		whole, end = end == limit, behind
	}
	l.KeyAt = Span{from, end}
	if l.Role == "text" && l.Ref == "" && strings.HasPrefix(l.Raw[end:], ":") {
		l.Kind = TextLine
	}
	l.readValue(end)
	l.Whole = l.Whole && whole
}

// readRole answers the role's end; -1 where no role stands.
func (l *Line) readRole(at, limit int) int {
	end := at
	for end < limit && (word(l.Raw[end]) || l.Raw[end] == '-' && end > at) {
		end++
	}
	if end == at || !letter(l.Raw[at]) {
		return -1
	}
	if end < limit {
		switch l.Raw[end] {
		case ' ', ':', '\r':
		default:
			return -1
		}
	}
	l.RoleAt = Span{at, end}
	l.Role = l.RoleAt.Of(l.Raw)
	return end
}

// readName reads a quoted name or a bare pattern, /…/, and answers its end, or
// at where none stands.
func (l *Line) readName(at, limit int) int {
	s := l.Raw[:limit]
	end := -1
	switch {
	case strings.HasPrefix(s[at:], ` "`) && l.dialect == AgentBrowser:
		end = looseStringEnd(s, at+1, func(next string) bool { return next[0] == ':' || strings.HasPrefix(next, " [") })
	case strings.HasPrefix(s[at:], ` "`):
		end = stringEnd(s, at+1)
	case strings.HasPrefix(s[at:], " /"):
		end = l.patternEnd(at+1, limit)
	}
	if end < 0 {
		return at
	}
	l.NameAt, l.HasName = Span{at + 1, end}, true
	return end
}

// patternEnd finds the slash that ends a bare name which may itself hold "/ [":
// the key ends at a colon that a bare name cannot hold, and what stands at its
// end in brackets are the attributes.
func (l *Line) patternEnd(at, limit int) int {
	if !l.doubled {
		if c := strings.Index(l.Raw[at:limit], ": "); c >= 0 {
			limit = at + c
		} else {
			for limit > at && blank(l.Raw[limit-1]) {
				limit--
			}
			if limit > at && l.Raw[limit-1] == ':' {
				limit--
			}
		}
	}
	for limit > at && l.Raw[limit-1] == ']' {
		open := strings.LastIndex(l.Raw[at:limit], " [")
		if open < 0 {
			return -1
		}
		limit = at + open
	}
	if limit-at < 2 || l.Raw[limit-1] != '/' {
		return -1
	}
	return limit
}

// readAttrs reads " [checked] [ref=e1]" and answers its end.
func (l *Line) readAttrs(at, limit int) int {
	from := at
	for strings.HasPrefix(l.Raw[at:limit], " [") {
		end := strings.IndexByte(l.Raw[at:limit], ']')
		if end < 0 {
			break
		}
		l.readBracket(at+2, at+end)
		at += end + 1
	}
	if at > from {
		l.AttrsAt, l.bracketed = Span{from + 1, at}, true
	}
	return at
}

// readBracket looks for the ref in one pair of brackets.
func (l *Line) readBracket(from, to int) {
	for {
		end := to
		comma := -1
		for i := from; i+1 < to; i++ {
			if l.Raw[i] == ',' && l.Raw[i+1] == ' ' {
				comma, end, l.together = i, i, true
				break
			}
		}
		if l.Ref == "" && strings.HasPrefix(l.Raw[from:end], refKey) {
			l.RefAt = Span{from + len(refKey), end}
			l.Ref = l.RefAt.Of(l.Raw)
		}
		if comma < 0 {
			return
		}
		from = end + 2
	}
}

// readValue reads what stands behind the key that ends at end.
func (l *Line) readValue(end int) {
	l.ValueAt = trim(l.Raw, Span{end, len(l.Raw)})
	switch {
	case l.ValueAt.Empty():
		l.Whole = true
	case l.Raw[end] != ':': // something that has no place here
	default:
		l.ValueAt = trim(l.Raw, Span{end + 1, len(l.Raw)})
		l.HasValue = !l.ValueAt.Empty()
		l.Whole = !l.HasValue || l.ValueAt.From > end+1
	}
}

// singleEnd finds the quote that closes the single-quoted key that opens at i; a
// quote in it is doubled. -1: none.
func singleEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		if s[i] != '\'' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			i++
			continue
		}
		return i
	}
	return -1
}

// stringEnd is the byte behind the string that opens at i; -1 where it does not
// end.
func stringEnd(s string, i int) int {
	quote := s[i]
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return -1
}

// looseStringEnd is stringEnd for writers that do not escape quotes: the string
// ends at the first quote that what may follow follows.
func looseStringEnd(s string, i int, follows func(next string) bool) int {
	for j := i; ; {
		end := stringEnd(s, j)
		if end < 0 {
			break
		}
		if end == len(s) || s[end] == '\r' || follows(s[end:]) {
			return end
		}
		j = end - 1
	}
	return stringEnd(s, i)
}
