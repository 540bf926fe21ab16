package token

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// exact counts with one encoding. What it remembers is bounded: two generations
// of line counts, of which the older is dropped when the younger is full, and a
// few piece counts for each goroutine that counts at the same time.
type exact struct {
	enc    Encoding
	codec  func() *codec
	pieces sync.Pool // pieceMemo

	mu         sync.RWMutex
	young, old map[string]int32 // line → tokens
	held       int              // bytes of the lines in young
	most       int              // bytes of lines in one generation
}

const (
	maxHeld     = 8 << 20 // bytes of lines in one generation
	passingHeld = 512 << 10
	maxLine     = 4 << 10 // a longer line is counted anew each time
	maxPieces   = 1 << 15
	maxPiece    = 48
)

type pieceMemo map[string]int32

func newExact(e Encoding) *exact {
	x := &exact{enc: e, young: map[string]int32{}, most: maxHeld}
	x.codec = sync.OnceValue(func() *codec { return newCodec(e.library) })
	x.pieces.New = func() any { return pieceMemo{} }
	return x
}

func (x *exact) Name() string { return x.enc.Name }
func (x *exact) Exact() bool  { return true }

// Count answers the tokens of text, as the encoding's reference implementation
// counts them with no special tokens allowed: <|endoftext|> is ordinary text.
// Bytes that are not UTF-8 count as U+FFFD, one for each maximal part of a rune.
func (x *exact) Count(text string) int {
	fillClasses()
	text = ReplaceInvalid(text)
	var fresh []string // lines to remember: new ones and hits in the old generation
	var counts []int32
	total := 0
	x.mu.RLock()
	for len(text) > 0 {
		line := text[:x.enc.family.cut(text)]
		text = text[len(line):]
		n, ok := x.young[line]
		if ok {
			total += int(n)
			continue
		}
		if n, ok = x.old[line]; !ok {
			x.mu.RUnlock()
			n = int32(x.whole(line))
			x.mu.RLock()
		}
		total += int(n)
		if len(line) <= maxLine {
			fresh, counts = append(fresh, line), append(counts, n)
		}
	}
	x.mu.RUnlock()
	if len(fresh) > 0 {
		x.remember(fresh, counts)
	}
	return total
}

func (x *exact) remember(lines []string, counts []int32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, l := range lines {
		if _, ok := x.young[l]; ok {
			continue
		}
		x.young[strings.Clone(l)] = counts[i] // a clone: the text it was cut from need not stay
		if x.held += len(l); x.held > x.most {
			x.old, x.young, x.held = x.young, map[string]int32{}, 0
		}
	}
}

// whole counts text piece by piece, without the memo of lines.
func (x *exact) whole(text string) int {
	c := x.codec()
	memo := x.pieces.Get().(pieceMemo)
	total := 0
	for i := 0; i < len(text); {
		end := x.enc.family.next(text, i)
		p := text[i:end]
		i = end
		n, ok := memo[p]
		if !ok {
			n = int32(c.piece(p))
			if len(p) <= maxPiece {
				if len(memo) >= maxPieces {
					clear(memo)
				}
				memo[strings.Clone(p)] = n
			}
		}
		total += int(n)
	}
	x.pieces.Put(memo)
	return total
}

// cut answers the length of the first stretch of text behind which a piece is
// sure to end, whatever follows: so stretches may be counted apart. It is a line
// with its newline, longer where a piece may straddle the newline.
//
// The rules let a piece run on over blank lines, over white space at the end of
// the text, and (o200k_base) over slashes after signs.
func (f family) cut(text string) int {
	for i := 0; ; i++ {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		i += n
		rest := text[i+1:]
		if f == o200k && strings.HasPrefix(rest, "/") {
			continue
		}
		if !blankAhead(rest) {
			return i + 1
		}
	}
}

// blankAhead reports whether text begins with a line of nothing but white space,
// or a carriage return before its first word. An empty text does not.
func blankAhead(text string) bool {
	for i := 0; i < len(text); {
		c, w := at(text, i)
		if c&newline != 0 {
			return true
		}
		if c&space == 0 {
			return false
		}
		i += w
	}
	return text != ""
}

// ReplaceInvalid puts U+FFFD in the place of each maximal part of a rune that
// is not valid UTF-8 (Unicode 3.9, "substitution of maximal subparts"), as a
// browser, Node or Python does that reads bytes as text: what an agent is given.
func ReplaceInvalid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		r, w := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && w == 1 {
			w = maximalPart(text[i:])
		}
		b.WriteRune(r)
		i += w
	}
	return b.String()
}

// maximalPart is the length of the longest start of s that begins a valid rune,
// at least 1. s does not start with a whole rune.
func maximalPart(s string) int {
	lo, hi, need := byte(0x80), byte(0xBF), 0
	switch b := s[0]; {
	case b >= 0xC2 && b <= 0xDF:
		need = 1
	case b >= 0xE0 && b <= 0xEF:
		need = 2
		if b == 0xE0 {
			lo = 0xA0
		} else if b == 0xED {
			hi = 0x9F
		}
	case b >= 0xF0 && b <= 0xF4:
		need = 3
		if b == 0xF0 {
			lo = 0x90
		} else if b == 0xF4 {
			hi = 0x8F
		}
	}
	n := 1
	for ; n <= need && n < len(s) && s[n] >= lo && s[n] <= hi; n++ {
		lo, hi = 0x80, 0xBF
	}
	return n
}
