package token

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class holds what the encodings' split rules ask of a rune, one bit a question.
type class uint8

const (
	letter  class = 1 << iota // \p{L}
	number                    // \p{N}
	space                     // \s: Unicode White_Space
	newline                   // \r or \n
	upper                     // \p{Lu} \p{Lt} \p{Lm} \p{Lo} \p{M}: may stand in a word's first part
	lower                     // \p{Ll} \p{Lm} \p{Lo} \p{M}: may stand in a word's second part
)

// classes holds the classes of the first two planes, where nearly all text
// lives; the rest is asked of the unicode tables.
var classes [0x20000]class

var fillClasses = sync.OnceFunc(func() {
	fill := func(t *unicode.RangeTable, c class) {
		for _, r := range t.R16 {
			for x := uint32(r.Lo); x <= uint32(r.Hi); x += uint32(r.Stride) {
				classes[x] |= c
			}
		}
		for _, r := range t.R32 {
			for x := r.Lo; x <= r.Hi && x < uint32(len(classes)); x += r.Stride {
				classes[x] |= c
			}
		}
	}
	for t, c := range classTables {
		fill(t, c)
	}
	classes['\r'] |= newline
	classes['\n'] |= newline
})

var classTables = map[*unicode.RangeTable]class{
	unicode.Lu: letter | upper, unicode.Lt: letter | upper, unicode.Ll: letter | lower,
	unicode.Lm: letter | upper | lower, unicode.Lo: letter | upper | lower,
	unicode.M: upper | lower, unicode.N: number, unicode.White_Space: space,
}

// at answers the class of the rune at text[i:] and its width. The text is valid
// UTF-8 and i is inside it.
func at(text string, i int) (class, int) {
	if b := text[i]; b < utf8.RuneSelf {
		return classes[b], 1
	}
	r, w := utf8.DecodeRuneInString(text[i:])
	if int(r) < len(classes) {
		return classes[r], w
	}
	var c class
	for t, bits := range classTables {
		if unicode.Is(t, r) {
			c |= bits
		}
	}
	return c, w
}

// run answers the end of the longest run from i of runes that have any of the
// bits in want.
func run(text string, i int, want class) int {
	for i < len(text) {
		c, w := at(text, i)
		if c&want == 0 {
			break
		}
		i += w
	}
	return i
}

// runNone is run for runes that have none of the bits in not.
func runNone(text string, i int, not class) int {
	for i < len(text) {
		c, w := at(text, i)
		if c&not != 0 {
			break
		}
		i += w
	}
	return i
}
