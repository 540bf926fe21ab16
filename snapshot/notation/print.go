package notation

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"snapscope/snapshot/ecma"
)

// appendTree writes the node and all below it, without a final newline.
func (n *Node) appendTree(b []byte, depth int) []byte {
	if n.raw {
		b = append(b, n.Raw...)
	} else {
		b = n.appendLine(b, depth)
	}
	for _, p := range n.Props {
		b = append(b, '\n')
		b = p.appendLine(b, depth+1)
	}
	for _, c := range n.Children {
		b = append(b, '\n')
		b = c.appendTree(b, depth+1)
	}
	return b
}

// AppendTo writes the node and all below it as aria text, behind what stands in b and
// without a final newline. The roots of any text's tree, a line each, are that text
// again.
func (n *Node) AppendTo(b []byte) []byte { return n.appendTree(b, 0) }

// KeySize is the length in bytes of the node's key as it stands before quoting:
// role, name and brackets.
func (n *Node) KeySize() int {
	size := len(n.Role)
	if n.HasName {
		size += 1 + len(n.Name)
		if !n.bare {
			size += 2 + escapes(n.Name)
		}
	}
	for _, a := range n.Attrs {
		size += 3 + len(a)
	}
	return size
}

// escapes is how many bytes appendJSON adds to a text besides its quotes.
func escapes(s string) (more int) {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"', c == '\\':
			more++
		case c >= ' ':
		case strings.IndexByte("\b\f\n\r\t", c) >= 0:
			more++
		default:
			more += 5
		}
	}
	return more
}

func (n *Node) appendKey(b []byte) []byte {
	b = append(b, n.Role...)
	if n.HasName {
		b = append(b, ' ')
		if n.bare {
			b = append(b, n.Name...)
		} else {
			b = appendJSON(b, n.Name)
		}
	}
	for _, a := range n.Attrs {
		b = append(b, " ["...)
		b = append(b, a...)
		b = append(b, ']')
	}
	return b
}

// appendLine writes the node's own line at a depth of the tree.
func (n *Node) appendLine(b []byte, depth int) []byte {
	b = appendDash(b, depth)
	from := len(b)
	b = n.appendKey(b)
	if key := string(b[from:]); needsQuotes(key) {
		b = append(b[:from], '\'')
		b = append(b, strings.ReplaceAll(key, "'", "''")...)
		b = append(b, '\'')
	}
	switch {
	case n.HasText:
		b = append(b, ": "...)
		b = append(b, QuoteValue(n.Text)...)
	case len(n.Props)+len(n.Children) > 0:
		b = append(b, ':')
	}
	return b
}

func (p Prop) appendLine(b []byte, depth int) []byte {
	b = appendDash(b, depth)
	b = append(b, '/')
	b = append(b, p.Key...)
	b = append(b, ": "...)
	return append(b, QuoteValue(p.Value)...)
}

func appendDash(b []byte, depth int) []byte {
	for range depth {
		b = append(b, "  "...)
	}
	return append(b, "- "...)
}

// appendJSON writes s as JavaScript's JSON.stringify does.
func appendJSON(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		if k := strings.IndexByte("\"\\\b\f\n\r\t", c); k >= 0 {
			b = append(b, '\\', "\"\\bfnrt"[k])
		} else {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

// QuoteValue writes a value behind a colon: plain where the notation allows it,
// else in double quotes.
func QuoteValue(s string) string {
	if !needsQuotes(s) {
		return s
	}
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch k := strings.IndexRune("\\\"\b\f\n\r\t", r); {
		case k >= 0:
			b.WriteByte('\\')
			b.WriteByte("\\\"bfnrt"[k])
		case r < ' ' || r >= 0x7F && r <= 0x9F:
			b.WriteString(`\x`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// needsQuotes reports what YAML would read as something else than plain text.
func needsQuotes(s string) bool {
	if s == "" {
		return true
	}
	if isSpace(s) || strings.IndexByte("-&*],?!>|@\"'#%[", s[0]) >= 0 {
		return true
	}
	for i := 0; i < len(s); i++ {
		if !telling[s[i]] {
			continue
		}
		switch c := s[i]; {
		case c < ' ' && c != '\t', c == '{', c == '}', c == '`', c == 0x7F:
			return true
		case c == ':' && (i+1 == len(s) || spaceAt(s, i+1)):
			return true
		case c == '#' && spaceBefore(s, i):
			return true
		case c == 0xC2 && i+1 < len(s) && s[i+1] < 0xA0: // U+0080 to U+009F
			return true
		}
	}
	return isWord(s) || isNumber(s)
}

// telling are the bytes at which needsQuotes looks twice.
var telling = func() (out [256]bool) {
	for c := range 0x20 {
		out[c] = true
	}
	for _, c := range []byte("{}`\x7f:#\xc2") {
		out[c] = true
	}
	return out
}()

func isSpace(s string) bool { return spaceAt(s, 0) || spaceBefore(s, len(s)) }

// spaceAt and spaceBefore know the white space of JavaScript's \s.
func spaceAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return ecma.Space(r)
}

func spaceBefore(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return i > 0 && ecma.Space(r)
}

// isWord reports the words YAML reads as truth values or nothing.
func isWord(s string) bool {
	if len(s) > 5 {
		return false
	}
	switch strings.ToLower(s) {
	case "~", "y", "n", "yes", "no", "true", "false", "on", "off", "null":
		return true
	}
	return false
}

// isNumber reports what JavaScript's Number reads as a number.
func isNumber(s string) bool {
	if c := s[0]; c >= 'a' && c <= 'z' || c >= utf8.RuneSelf {
		return false
	}
	if len(s) > 2 && s[0] == '0' {
		if base := map[byte]int{'x': 16, 'o': 8, 'b': 2}[s[1]|0x20]; base > 0 {
			return allDigits(s[2:], base)
		}
	}
	body := strings.TrimLeft(s[:1], "+-") + s[1:]
	if body == "Infinity" {
		return true
	}
	if body == "" || strings.ContainsAny(body, "_xXpPiInN") { // forms only Go reads
		return false
	}
	f, err := strconv.ParseFloat(s, 64)
	return err == nil || math.IsInf(f, 0)
}

func allDigits(s string, base int) bool {
	for _, c := range []byte(strings.ToLower(s)) {
		d := strings.IndexByte("0123456789abcdef", c)
		if d < 0 || d >= base {
			return false
		}
	}
	return s != ""
}
