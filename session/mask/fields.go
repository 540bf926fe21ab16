package mask

import (
	"strings"

	"snapscope/snapshot/notation"
)

// fieldValues finds the values that password fields show in a page's text:
// - textbox "Password" [ref=e5]: hunter2, in any dialect.
func fieldValues(s string, cut func(from, to int, learn bool)) {
	for at := 0; at < len(s); {
		end := strings.IndexByte(s[at:], '\n')
		if end < 0 {
			end = len(s)
		} else {
			end += at
		}
		if line := s[at:end]; mayBeField(line) {
			if from, to, ok := passwordValue(line); ok {
				cut(at+from, at+to, true)
			}
		}
		at = end + 1
	}
}

// mayBeField is a quick look that spares most lines the reader.
func mayBeField(line string) bool {
	return strings.Contains(line, "box") || strings.Contains(line, "<input")
}

// fieldRoles are the roles of elements that are typed into.
var fieldRoles = map[string]bool{"textbox": true, "searchbox": true, "combobox": true, "spinbutton": true, "input": true}

// passwordValue is where the value of a password field stands in a page's line.
func passwordValue(line string) (from, to int, ok bool) {
	for _, d := range []notation.Dialect{"", notation.Index, notation.AXTree} {
		l := notation.ReadLine(line, d)
		if !l.IsElement() || !fieldRoles[l.Role] {
			continue
		}
		at := l.ValueAt
		said := l.NameAt.Of(line)
		if d == notation.Index {
			said = l.AttrsAt.Of(line) + said
			value, has := l.Attr("value")
			i := strings.Index(l.AttrsAt.Of(line), value)
			if !has || value == "" || i < 0 {
				return 0, 0, false
			}
			at = notation.Span{From: l.AttrsAt.From + i, To: l.AttrsAt.From + i + len(value)}
		}
		return at.From, at.To, l.HasValue == (d != notation.Index) && !at.Empty() && SaysSecret(said)
	}
	return 0, 0, false
}
