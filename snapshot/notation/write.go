package notation

import "strings"

// RefAttr is a handle among the attributes of a Node or of an agent-browser
// line: ref=e4.
func RefAttr(ref string) string { return refKey + ref }

// UnchangedItem is the line, without indent, for an element that stayed as it
// was with all below it: - ref=e4 [unchanged].
func UnchangedItem(ref string) string { return "- " + refKey + ref + " " + unchangedMark }

// MarkChanged marks an element's line as the root of a change: - <changed> row.
// A line that begins otherwise stays as it is.
func MarkChanged(line string) string {
	at := Indent(line)
	if !strings.HasPrefix(line[at:], "- ") {
		return line
	}
	at += len("- ")
	if strings.HasPrefix(line[at:], "'") {
		at++
	}
	return line[:at] + changedMark + line[at:]
}

// UnmarkChanged undoes MarkChanged.
func UnmarkChanged(line string) string {
	at := Indent(line)
	if !strings.HasPrefix(line[at:], "- ") {
		return line
	}
	at += len("- ")
	if strings.HasPrefix(line[at:], "'") {
		at++
	}
	return line[:at] + strings.TrimPrefix(line[at:], changedMark)
}

// WithRef gives the element of a line another ref; a line without one stays as it
// is.
func WithRef(line, ref string, d Dialect) string {
	l := ReadLine(line, d)
	if l.RefAt.Empty() {
		return line
	}
	return line[:l.RefAt.From] + ref + line[l.RefAt.To:]
}

// marks are what every line with a handle holds, by dialect.
var marks = map[Dialect]string{Aria: refKey, AgentBrowser: refKey, UID: uidKey, Index: "]<", AXTree: "] ", Loose: "e"}

// NextMark is the byte at or behind from where a handle of the dialect may
// stand, -1 where none does. It is a quick look: only ReadLine of the line
// tells whether it is one.
func NextMark(text string, from int, d Dialect) int {
	mark, ok := marks[d]
	if !ok {
		mark = refKey
	}
	i := strings.Index(text[from:], mark)
	if d == Index {
		i = earliest(text[from:], i, "] <", "]: ")
	}
	if d == AXTree {
		i = earliest(text[from:], i, chromeRef)
	}
	if i < 0 {
		return -1
	}
	return from + i
}

func earliest(text string, i int, marks ...string) int {
	for _, m := range marks {
		if k := strings.Index(text, m); k >= 0 && (i < 0 || k < i) {
			i = k
		}
	}
	return i
}

// HasUnchanged reports whether a line of the text only names an element that is
// not printed.
func HasUnchanged(text string, d Dialect) bool {
	for at := 0; ; at += len(unchangedMark) {
		i := strings.Index(text[at:], unchangedMark)
		if i < 0 {
			return false
		}
		at += i
		start := strings.LastIndexByte(text[:at], '\n') + 1
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if ReadLine(text[start:end], d).Kind == UnchangedLine {
			return true
		}
		at = end - len(unchangedMark)
	}
}

// IsRef reports the shape of Playwright's refs: e12, and f1e3 in a frame.
func IsRef(s string) bool {
	if rest, ok := strings.CutPrefix(s, "f"); ok {
		n := digitsEnd(rest)
		if n == 0 {
			return false
		}
		s = rest[n:]
	}
	rest, ok := strings.CutPrefix(s, "e")
	return ok && rest != "" && digitsEnd(rest) == len(rest)
}

func digitsEnd(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// BareRef is the handle in what an agent names an element by: e12 of "e12",
// "ref=e12", "aria-ref=e12", "[ref=e12]" and "@e12", 1_21 of "uid=1_21". Anything
// else comes back as it is.
func BareRef(s string) string {
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s = s[1 : len(s)-1]
	}
	for _, p := range []string{"aria-" + refKey, refKey, uidKey, "@"} {
		if rest, ok := strings.CutPrefix(s, p); ok {
			return rest
		}
	}
	return s
}

// AttrRank is the place of an attribute in the order in which Playwright prints
// them, from 1; 0 for one it does not print.
func AttrRank(attr string) int {
	if i := strings.IndexByte(attr, '='); i >= 0 {
		attr = attr[:i]
	}
	switch attr {
	case "checked":
		return 1
	case "disabled":
		return 2
	case "expanded":
		return 3
	case "active":
		return 4
	case "invalid":
		return 5
	case "level":
		return 6
	case "pressed":
		return 7
	case "selected":
		return 8
	case "aria-hidden":
		return 9
	case "ref":
		return 10
	case "cursor":
		return 11
	case "box":
		return 12
	}
	return 0
}

// AddAttr adds an attribute to an element's aria line at its place; any other
// line stays as it is.
func AddAttr(line, attr string) string {
	l := ReadLine(line, Aria)
	if !l.IsElement() {
		return line
	}
	at := l.RoleAt.To
	if l.HasName {
		at = l.NameAt.To
	}
	for a := range l.Attrs() {
		if r := AttrRank(a.Of(line)); r == 0 || r >= AttrRank(attr) {
			break
		}
		at = a.To + 1
	}
	return line[:at] + " [" + attr + "]" + line[at:]
}

// DropAttr takes an attribute off an element's aria line; ok is false where it
// has none such.
func DropAttr(line, attr string) (without string, ok bool) {
	if !strings.Contains(line, attr) {
		return line, false
	}
	l := ReadLine(line, Aria)
	if !l.IsElement() || l.together {
		return line, false
	}
	for a := range l.Attrs() {
		if a.Of(line) == attr {
			return line[:a.From-len(" [")] + line[a.To+1:], true
		}
	}
	return line, false
}
