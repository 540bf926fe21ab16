package mask

import (
	"strings"

	"snapscope/snapshot/notation"
)

// fieldValues finds the values that password fields show in a page's text:
// - textbox "Password" [ref=e5]: hunter2, in any dialect.
func fieldValues(s string, cut func(from, to int, learn bool)) {
	f := newFinder(s, "box", "<input") // a quick look that spares most lines the reader
	for at := 0; ; {
		i, _ := f.from(at)
		if i < 0 {
			return
		}
		if strings.HasSuffix(s[:i], "check") { // no field's role
			at = i + 1
			continue
		}
		start := strings.LastIndexByte(s[:i], '\n') + 1
		end := len(s)
		if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
			end = i + n
		}
		if from, to, ok := passwordValue(s[start:end]); ok {
			cut(start+from, start+to, true)
		}
		at = end
	}
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
			for a := range l.Attrs() { // without quotes, its further words look like attributes
				if w := a.Of(line); a.From == at.To+1 && !strings.ContainsAny(w, "=:") && !flags[w] {
					at.To = a.To
				}
			}
		}
		return at.From, at.To, l.HasValue == (d != notation.Index) && !at.Empty() && SaysSecret(said)
	}
	return 0, 0, false
}
