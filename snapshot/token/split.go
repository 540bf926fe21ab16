package token

import (
	"strings"
	"unicode/utf8"
)

// family is a rule by which an encoding cuts text into pieces before it merges
// bytes within a piece. The rules are published with the encodings as regular
// expressions; here they are written out by hand, which is several times faster
// and free of the faults that regular-expression engines differ in.
type family uint8

const (
	o200k family = iota
	cl100k
)

// next answers the end of the piece that starts at i < len(text).
func (f family) next(text string, i int) int {
	if f == cl100k {
		return next100(text, i)
	}
	return next200(text, i)
}

// next200 is o200k_base's rule, in its own order of preference: a word with an
// optional leading sign, first part upper, second part lower; the same without
// a lower part; up to three digits; signs with an optional leading space, with
// the newlines and slashes after them; space up to its last newline; space but
// for the one before a word; space.
func next200(text string, i int) int {
	c, w := at(text, i)
	if c&(newline|letter|number) == 0 && i+w < len(text) {
		if end := word(text, i+w); end > 0 {
			return end
		}
	}
	if c&(upper|lower) != 0 {
		if end := word(text, i); end > 0 {
			return end
		}
	}
	if c&number != 0 {
		return digits(text, i)
	}
	if end := signs(text, i, c, w); end > 0 {
		for end < len(text) && (text[end] == '\n' || text[end] == '\r' || text[end] == '/') {
			end++
		}
		return end
	}
	return spaces(text, i, false)
}

// word is the part of o200k_base's word rules behind the optional leading sign;
// 0 when no word starts at i. Marks and letters without case fit both parts of
// a word, so the first part may have to give one back to the second.
func word(text string, i int) int {
	u, back := i, -1 // end of the first part; last rune in it that also fits the second
	for u < len(text) {
		c, w := at(text, u)
		if c&upper == 0 {
			break
		}
		if c&lower != 0 {
			back = u
		}
		u += w
	}
	end := run(text, u, lower)
	switch {
	case end > u: // a second part follows
	case back >= 0: // the first part gives its last fitting rune to the second
		_, w := at(text, back)
		end = back + w
	case u > i: // all upper
		end = u
	default:
		return 0
	}
	return end + contraction(text, end)
}

// next100 is cl100k_base's rule: a contraction; a word with an optional leading
// sign; up to three digits; signs with an optional leading space and the
// newlines after them; space.
func next100(text string, i int) int {
	if n := contraction(text, i); n > 0 {
		return i + n
	}
	c, w := at(text, i)
	if c&letter != 0 {
		return run(text, i, letter)
	}
	if c&(newline|number) == 0 {
		if end := run(text, i+w, letter); end > i+w {
			return end
		}
	}
	if c&number != 0 {
		return digits(text, i)
	}
	if end := signs(text, i, c, w); end > 0 {
		for end < len(text) && (text[end] == '\n' || text[end] == '\r') {
			end++
		}
		return end
	}
	return spaces(text, i, true)
}

func digits(text string, i int) int {
	for n := 0; n < 3 && i < len(text); n++ {
		c, w := at(text, i)
		if c&number == 0 {
			break
		}
		i += w
	}
	return i
}

// signs matches an optional space and then runes that are no space, letter or
// number; 0 when there are none. c and w belong to the rune at i.
func signs(text string, i int, c class, w int) int {
	if c&space != 0 {
		if text[i] != ' ' {
			return 0
		}
		i += w
	}
	if end := runNone(text, i, space|letter|number); end > i {
		return end
	}
	return 0
}

// spaces matches white space: up to its last newline, else up to the one before
// a word. With tail set, white space that ends the text is one piece whatever
// is in it.
func spaces(text string, i int, tail bool) int {
	end, last := i, -1
	for end < len(text) {
		c, w := at(text, end)
		if c&space == 0 {
			break
		}
		end += w
		if c&newline != 0 {
			last = end
		}
	}
	if last > 0 && (!tail || end < len(text)) {
		return last
	}
	return beforeWord(text, i, end)
}

// beforeWord leaves the last rune of the white space text[i:end] to the word
// behind it, unless it is the only one or nothing follows.
func beforeWord(text string, i, end int) int {
	if end == len(text) {
		return end
	}
	_, w := utf8.DecodeLastRuneInString(text[i:end])
	if end-w > i {
		return end - w
	}
	return end
}

// contraction answers the length of an English contraction ('s, 'll, …) at i,
// 0 when there is none. Without regard to case, the long s counts as an s.
func contraction(text string, i int) int {
	if i+1 >= len(text) || text[i] != '\'' {
		return 0
	}
	rest := text[i+1:]
	if strings.HasPrefix(rest, "ſ") {
		return 1 + len("ſ")
	}
	a, b := rest[0], byte(0)
	if len(rest) > 1 {
		b = rest[1]
	}
	a, b = lowerASCII(a), lowerASCII(b)
	switch {
	case a == 's' || a == 't' || a == 'm' || a == 'd':
		return 2
	case a == 'r' && b == 'e', a == 'v' && b == 'e', a == 'l' && b == 'l':
		return 3
	}
	return 0
}

func lowerASCII(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
