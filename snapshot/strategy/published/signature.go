package published

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/notation"
)

// Bounds of a compress signature, in UTF-16 units.
const (
	signatureLen = 80  // of the signature
	quotedRunLen = 200 // of a single-quoted run that is taken out
)

// signer makes compress signatures. It writes into its own two buffers; what it
// answers is valid until the next call.
//
// The rules are five text substitutions one after another (strategies page,
// section 4). They are written as scanners because a page has thousands of
// lines and is signed again whenever a knob turns; a test holds each scanner
// against the literal regular expression.
type signer struct {
	a, b []byte
}

// sign is a line's signature: trimmed, without refs, names and numbers.
func (s *signer) sign(line string) []byte {
	return truncateUnits(s.strip(line), signatureLen)
}

// mended is the signature of scope parent: what stands after the key's colon
// does not count.
func (s *signer) mended(line string) []byte {
	return truncateUnits(dropText(s.strip(line)), signatureLen)
}

func (s *signer) strip(line string) []byte {
	s.a = append(s.a[:0], ecma.TrimEnd(line)...)
	s.b = maskRefs(s.b[:0], s.a)
	s.a = maskNames(s.a[:0], s.b)
	if word, rest, ok := quotedKey(s.a); ok {
		s.b = append(s.b[:0], "- '"...)
		s.b = append(s.b, word...)
		s.b = append(s.b, "...'"...)
		s.b = append(s.b, rest...)
	} else {
		s.b = maskQuoted(s.b[:0], s.a)
	}
	s.a = maskNumbers(s.a[:0], s.b)
	return ecma.TrimLeft(s.a)
}

// maskRefs writes [ref=…] as [ref=?].
func maskRefs(dst, src []byte) []byte {
	for {
		i := bytes.Index(src, []byte("[ref="))
		if i < 0 {
			return append(dst, src...)
		}
		end := bytes.IndexByte(src[i+5:], ']')
		if end < 0 { // no later one can end either
			return append(dst, src...)
		}
		if end == 0 { // [ref=] has nothing to hide
			dst = append(dst, src[:i+5]...)
			src = src[i+5:]
			continue
		}
		dst = append(dst, src[:i]...)
		dst = append(dst, "[ref=?]"...)
		src = src[i+5+end+1:]
	}
}

// maskNames empties every run between two double quotes.
func maskNames(dst, src []byte) []byte {
	for {
		i := bytes.IndexByte(src, '"')
		if i < 0 {
			return append(dst, src...)
		}
		end := bytes.IndexByte(src[i+1:], '"')
		if end < 0 {
			return append(dst, src...)
		}
		dst = append(dst, src[:i+1]...)
		dst = append(dst, '"')
		src = src[i+1+end+1:]
	}
}

// quotedKey parts a line whose key is quoted, - 'row …' or - 'row …': rest: the
// key's first word, and what stands behind the key. The first quote after the
// word has to end the key; the rest is one line.
func quotedKey(line []byte) (word, rest []byte, ok bool) {
	key, ok := bytes.CutPrefix(ecma.TrimLeft(line), []byte("- '"))
	if !ok {
		return nil, nil, false
	}
	n := 0
	for n < len(key) && ecma.Word(key[n]) {
		n++
	}
	end := bytes.IndexByte(key, '\'')
	if n == 0 || end < 0 {
		return nil, nil, false
	}
	rest = key[end+1:]
	if len(rest) > 0 && rest[0] != ':' || bytes.IndexFunc(rest, ecma.LineEnd) >= 0 {
		return nil, nil, false
	}
	return key[:n], rest, true
}

// maskQuoted empties every run of at most quotedRunLen units between two
// single quotes.
func maskQuoted(dst, src []byte) []byte {
	for {
		i := bytes.IndexByte(src, '\'')
		if i < 0 {
			return append(dst, src...)
		}
		end := bytes.IndexByte(src[i+1:], '\'')
		if end < 0 {
			return append(dst, src...)
		}
		dst = append(dst, src[:i+1]...)
		run := src[i+1 : i+1+end]
		if unitsWithin(run, quotedRunLen) {
			dst = append(dst, '\'')
			src = src[i+1+end+1:]
			continue
		}
		dst = append(dst, run...) // the second quote may open the next run
		src = src[i+1+end:]
	}
}

// unitsWithin reports whether text has at most n UTF-16 units.
func unitsWithin(text []byte, n int) bool {
	if len(text) <= n {
		return true
	}
	if len(text) > 3*n { // a unit takes three bytes at most
		return false
	}
	return ecma.Len(string(text)) <= n
}

// maskNumbers writes every run of digits that is a word of its own as N.
func maskNumbers(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		if !ecma.Word(src[i]) {
			dst = append(dst, src[i])
			i++
			continue
		}
		end, digits := i, true
		for end < len(src) && ecma.Word(src[end]) {
			digits = digits && src[end] >= '0' && src[end] <= '9'
			end++
		}
		if digits {
			dst = append(dst, 'N')
		} else {
			dst = append(dst, src[i:end]...)
		}
		i = end
	}
	return dst
}

// truncateUnits is slice(0, n) in UTF-16 units. A pair cut in half leaves its
// first half, written as the three bytes such a half would take, so that two
// characters that share it stay equal.
func truncateUnits(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for i := 0; i < len(text); {
		if n == 0 {
			return text[:i]
		}
		r, size := utf8.DecodeRune(text[i:])
		if r > 0xFFFF {
			if n == 1 {
				half := 0xD800 + (r-0x10000)>>10
				return append(text[:i:i], byte(0xE0|half>>12), byte(0x80|half>>6&0x3F), byte(0x80|half&0x3F))
			}
			n--
		}
		n--
		i += size
	}
	return text
}

// dropText cuts a signature after the colon that ends its key.
func dropText(sig []byte) []byte {
	if i := bytes.Index(sig, []byte(": ")); i >= 0 {
		return append(sig[:i:i], ": …"...)
	}
	return sig
}

// protectedWords are the words that keep a line in scope page, as published.
var protectedWords = wordSet("button input textbox checkbox radio select dialog alert navigation main form search menuitem tab " +
	"status heading link banner region columnheader rowheader gridcell")

// mendedRoles are the roles that keep a line in scope parent besides those.
var mendedRoles = wordSet("combobox grid listbox menu menubar menuitemcheckbox menuitemradio option slider spinbutton switch " +
	"tree treegrid treeitem searchbox")

const longestProtected = len("menuitemcheckbox")

// roleWords is a set of lower-case ASCII words. lens holds, by first letter, a bit for
// each length: most words of a page are ruled out by it.
type roleWords struct {
	in   map[string]bool
	lens ['z' - 'a' + 1]uint32
}

func wordSet(list string) roleWords {
	w := roleWords{in: map[string]bool{}}
	for word := range strings.FieldsSeq(list) {
		w.in[word] = true
		w.lens[word[0]-'a'] |= 1 << len(word)
	}
	return w
}

// has looks a word up in ASCII lower case without making garbage.
func (w *roleWords) has(word string) bool {
	if len(word) == 0 || len(word) > longestProtected {
		return false
	}
	first := word[0] | 0x20
	if first < 'a' || first > 'z' || w.lens[first-'a']&(1<<len(word)) == 0 {
		return false
	}
	var low [longestProtected]byte
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		low[i] = c
	}
	return w.in[string(low[:len(word)])]
}

// holdsProtectedWord reports whether a line holds a protected word anywhere, in
// any case: its role, its name, its text.
func holdsProtectedWord(line string) bool {
	for i := 0; i < len(line); {
		if !ecma.Word(line[i]) {
			i++
			continue
		}
		end := i
		for end < len(line) && ecma.Word(line[end]) {
			end++
		}
		if protectedWords.has(line[i:end]) {
			return true
		}
		i = end
	}
	return false
}

// mendedProtected reports whether a line's role is one an agent acts on or
// finds its way by. A line that has no role is held to the published rule, but for a
// text of chrome-devtools-mcp's, which has none.
func mendedProtected(line string, d notation.Dialect) bool {
	l := notation.ReadLine(line, d)
	if l.Kind != notation.TextLine && !l.IsElement() || l.Role == "" && d != notation.UID {
		return holdsProtectedWord(line)
	}
	return protectedWords.in[l.Role] || mendedRoles.in[l.Role]
}
