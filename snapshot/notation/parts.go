package notation

import (
	"encoding/json"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Name is the element's accessible name, unquoted; of an indexed element the
// words inside its tag.
func (l *Line) Name() string {
	name, _ := l.name()
	return name
}

// name is false where the quoting is not the notation's; the name is then what
// stands between the quotes.
func (l *Line) name() (string, bool) {
	s := l.plain(l.NameAt.Of(l.Raw))
	if len(s) < 2 || l.dialect == Index {
		return s, true
	}
	switch s[0] {
	case '"':
		if s[len(s)-1] != '"' {
			return s, false
		}
		if body := s[1 : len(s)-1]; strings.IndexByte(body, '\\') < 0 {
			return body, utf8.ValidString(body)
		}
		var out string
		if json.Unmarshal([]byte(s), &out) == nil {
			return out, true
		}
		return unescape(s[1 : len(s)-1]), false
	case '\'':
		return unescape(s[1 : len(s)-1]), true
	}
	return s, true
}

// Value is the text behind the key's colon, unquoted; of a chrome-devtools line
// its value attribute.
func (l *Line) Value() string {
	v, _ := l.value()
	return v
}

// value is false for a value that only looks quoted; it is then given as it
// stands.
func (l *Line) value() (string, bool) {
	s := l.ValueAt.Of(l.Raw)
	if v, ok := unquoteValue(s); ok {
		return v, true
	}
	return s, false
}

// Attrs are the places of the element's attributes, in their order and without
// their brackets: checked, level=2, ref=e5.
func (l *Line) Attrs() iter.Seq[Span] {
	return func(yield func(Span) bool) {
		switch {
		case l.AttrsAt.Empty():
		case l.bracketed:
			l.brackets(yield)
		default:
			l.words(yield)
		}
	}
}

func (l *Line) brackets(yield func(Span) bool) {
	for at := l.AttrsAt.From; at < l.AttrsAt.To; at++ {
		at++ // the bracket
		end := at + strings.IndexByte(l.Raw[at:], ']')
		for {
			next := strings.Index(l.Raw[at:end], ", ")
			if next < 0 {
				break
			}
			if !yield(Span{at, at + next}) {
				return
			}
			at += next + 2
		}
		if !yield(Span{at, end}) {
			return
		}
		at = end + 1 // and the space
	}
}

// words are attributes set apart by spaces or commas; a value may be quoted, or
// stand behind a colon and a space.
func (l *Line) words(yield func(Span) bool) {
	s := l.Raw[:l.AttrsAt.To]
	for at := l.AttrsAt.From; at < len(s); {
		if s[at] == ' ' || s[at] == ',' || s[at] == '\t' {
			at++
			continue
		}
		end := at
		for end < len(s) && strings.IndexByte(" ,\t", s[end]) < 0 {
			if (s[end] == '"' || s[end] == '\'') && end > at && s[end-1] == '=' {
				if stop := stringEnd(s, end); stop > 0 {
					end = stop
					continue
				}
			}
			end++
		}
		if end > at+1 && s[end-1] == ':' && end+1 < len(s) && s[end] == ' ' && l.dialect == AXTree {
			for end++; end < len(s) && strings.IndexByte(" ,\t", s[end]) < 0; {
				end++
			}
		}
		if !yield(Span{at, end}) {
			return
		}
		at = end
	}
}

// cutAttr parts an attribute at its equals sign, or its colon in an
// accessibility tree; a quoted value loses its quotes.
func cutAttr(line string, a Span) (key string, value Span, ok bool) {
	s := a.Of(line)
	i := strings.IndexAny(s, "=:")
	if i < 0 {
		return s, Span{a.To, a.To}, false
	}
	value = trim(line, Span{a.From + i + 1, a.To})
	if v := value.Of(line); len(v) > 1 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
		value = Span{value.From + 1, value.To - 1}
	}
	return s[:i], value, true
}

// Attr is the value of an attribute: "2" for [level=2], "" for [checked]; ok
// says whether it is there.
func (l *Line) Attr(key string) (value string, ok bool) {
	for a := range l.Attrs() {
		if k, v, _ := cutAttr(l.Raw, a); k == key {
			return v.Of(l.Raw), true
		}
	}
	return "", false
}

// Has reports an attribute: Has("checked") is true of [checked] and
// [checked=mixed].
func (l *Line) Has(key string) bool {
	_, ok := l.Attr(key)
	return ok
}

// unescape reads the backslashes of a string that a program wrote; what is no
// escape stays as it is.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for s != "" {
		r, _, tail, err := strconv.UnquoteChar(s, 0)
		switch {
		case err == nil && (s[0] != '\\' || len(s) > 1):
			b.WriteRune(r)
			s = tail
		case s[0] == '\\' && len(s) > 1 && (s[1] == '\'' || s[1] == '"' || s[1] == '/'):
			b.WriteByte(s[1])
			s = s[2:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}

// unquoteValue undoes QuoteValue. A value that only looks quoted is refused.
func unquoteValue(s string) (string, bool) {
	if s == "" || s[0] != '"' {
		return s, s != "" && utf8.ValidString(s)
	}
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, utf8.ValidString(s) && strings.IndexByte(s, '"') < 0
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		if k := strings.IndexByte("\\\"bfnrt", s[i]); k >= 0 {
			b.WriteByte("\\\"\b\f\n\r\t"[k])
			continue
		}
		if s[i] != 'x' || i+2 >= len(s) {
			return "", false
		}
		c, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b.WriteRune(rune(c))
		i += 2
	}
	return b.String(), utf8.ValidString(b.String())
}

// plain undoes the doubling of quotes in a quoted key.
func (l *Line) plain(s string) string {
	if l.doubled && strings.IndexByte(s, '\'') >= 0 {
		return strings.ReplaceAll(s, "''", "'")
	}
	return s
}

// Key is the line up to the end of its key; a line that has none is all key.
func (l *Line) Key() string {
	if l.KeyAt.Empty() {
		return l.Raw
	}
	return l.Raw[:l.KeyAt.To]
}

// WrittenName is the name as it is written, still escaped, without the quotes or
// slashes around it.
func (l *Line) WrittenName() string {
	if !l.HasName {
		return ""
	}
	s := l.plain(l.NameAt.Of(l.Raw))
	if len(s) < 2 || l.dialect == Index {
		return s
	}
	return s[1 : len(s)-1]
}

// HasAttr reports an attribute as a whole: cursor=pointer.
func (l *Line) HasAttr(attr string) bool {
	if !strings.Contains(l.AttrsAt.Of(l.Raw), attr) {
		return false
	}
	for a := range l.Attrs() {
		if a.Of(l.Raw) == attr {
			return true
		}
	}
	return false
}
