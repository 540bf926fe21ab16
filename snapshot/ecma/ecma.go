// Package ecma measures and trims text as ECMAScript does.
//
// The systems that are rebuilt here are written in JavaScript. To answer byte for
// byte what they answer, strings are measured in UTF-16 units, Trim knows U+FEFF
// but not U+0085, and a word is ASCII (ECMA-262: WhiteSpace, LineTerminator,
// String.prototype.length, \w). Texts are taken to be UTF-8: a JavaScript program
// would have been given U+FFFD for anything else.
package ecma

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Space reports whether String.prototype.trim takes r away: WhiteSpace and
// LineTerminator of ECMA-262.
func Space(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}

// TrimLeft is TrimStart of bytes.
func TrimLeft(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	if len(b) > 0 && b[0] > ' ' && b[0] < 0x80 {
		return b
	}
	return bytes.TrimLeftFunc(b, Space)
}

// Trim takes white space off both ends, TrimStart and TrimEnd off one.
func Trim(s string) string { return strings.TrimFunc(s, Space) }

// TrimStart is Trim at the start alone.
func TrimStart(s string) string { return strings.TrimLeftFunc(s, Space) }

// TrimEnd is Trim at the end alone.
func TrimEnd(s string) string { return strings.TrimRightFunc(s, Space) }

// Blank reports whether nothing of s is left after trimming.
func Blank(s string) bool { return TrimStart(s) == "" }

// Indent is the number of white-space units a line starts with. Every white
// space is one UTF-16 unit.
func Indent(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	if n < len(line) && line[n] > ' ' && line[n] < utf8.RuneSelf {
		return n
	}
	n = 0
	for _, r := range line {
		if !Space(r) {
			break
		}
		n++
	}
	return n
}

// Len is String.length: the number of UTF-16 units of a UTF-8 text.
func Len(s string) int {
	n := 0
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if w&0x8080808080808080 == 0 { // eight characters of one byte
			n += 8
		} else {
			n += units(s[:8])
		}
		s = s[8:]
	}
	return n + units(s)
}

// units counts, byte by byte, the UTF-16 units that begin in a text.
func units(s string) (n int) {
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

// Word reports whether \w matches the byte.
func Word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// LineEnd reports whether a regular expression's dot refuses r.
func LineEnd(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x2028 || r == 0x2029
}
