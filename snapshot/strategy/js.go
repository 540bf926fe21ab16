package strategy

import (
	"strings"
	"unicode/utf8"
)

// The systems rebuilt here are written in JavaScript. To answer byte for byte
// what they answer, lengths, trimming and word borders follow ECMAScript and
// not Go: strings are measured in UTF-16 units, trim() knows U+FEFF but not
// U+0085, and \w, \d and \b are ASCII. Texts are taken to be UTF-8: a
// JavaScript program would have been given U+FFFD for anything else, and so would
// an agent (token.ReplaceInvalid).

// jsSpace reports whether String.prototype.trim takes r away: WhiteSpace and
// LineTerminator of ECMA-262.
func jsSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

func jsTrim(s string) string      { return strings.TrimFunc(s, jsSpace) }
func jsTrimStart(s string) string { return strings.TrimLeftFunc(s, jsSpace) }
func jsTrimEnd(s string) string   { return strings.TrimRightFunc(s, jsSpace) }

// jsBlank reports whether nothing of s is left after trimming.
func jsBlank(s string) bool { return jsTrimStart(s) == "" }

// jsIndent is the number of white-space units a line starts with. Every white
// space is one UTF-16 unit.
func jsIndent(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	if n < len(line) && line[n] > ' ' && line[n] < utf8.RuneSelf {
		return n
	}
	n = 0
	for _, r := range line {
		if !jsSpace(r) {
			break
		}
		n++
	}
	return n
}

// jsLen is String.length: the number of UTF-16 units of a UTF-8 text.
func jsLen(s string) int {
	n := 0
	for _, c := range []byte(s) {
		if c < 0x80 || c >= 0xC0 { // not the inside of a character
			n++
		}
		if c >= 0xF0 { // above U+FFFF
			n++
		}
	}
	return n
}

// jsWord reports whether \w matches the byte.
func jsWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// jsLineEnd reports whether a regular expression's dot refuses r.
func jsLineEnd(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029
}
