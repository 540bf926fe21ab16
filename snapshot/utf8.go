package snapshot

import (
	"strings"
	"unicode/utf8"
)

// DecodeUTF8 makes text of bytes as a browser or an agent's program does (the
// decoder of WHATWG's Encoding standard): bytes that are no UTF-8 become U+FFFD,
// one for each longest beginning of a character that breaks off, else one a byte.
// A byte-order mark stays.
func DecodeUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b) + 16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = brokenOff(b)
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// brokenOff is how many bytes begin a character that breaks off, at least 1.
func brokenOff(b []byte) int {
	low, high, more := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		more = 1
	case c >= 0xE0 && c <= 0xEF:
		more = 2
	case c >= 0xF0 && c <= 0xF4:
		more = 3
	}
	switch b[0] { // no overlong forms, no surrogates, nothing above U+10FFFF
	case 0xE0:
		low = 0xA0
	case 0xED:
		high = 0x9F
	case 0xF0:
		low = 0x90
	case 0xF4:
		high = 0x8F
	}
	n := 1
	for n <= more && n < len(b) && b[n] >= low && b[n] <= high {
		n++
		low, high = 0x80, 0xBF
	}
	return n
}
