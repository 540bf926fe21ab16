package safetext

import (
	"slices"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Some writing is only read where several characters are drawn as one: syllables
// of the Indic scripts, joined emoji, flags. They pass as they are. What they take
// is the terminal's affair, so it is asked: a terminal that counts by grapheme
// cluster (DEC mode 2027) draws a joined emoji in two cells, any other counts code
// point by code point, and there joined emoji are shown side by side.

// byCluster tells how the terminal counts; it is a property of the one terminal
// that the program draws on.
var byCluster atomic.Bool

// ByCluster says whether the terminal counts by grapheme cluster.
func ByCluster(on bool) { byCluster.Store(on) }

// joined are the scripts whose syllables are several characters drawn as one.
var joined = []*unicode.RangeTable{
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Myanmar, unicode.Khmer,
}

// mostJoined is how many characters a syllable may have: three consonants with
// their viramas, a vowel and two signs. A longer one is no language's.
const mostJoined = 8

// Joiners: they ask for a form of the letters beside them, and mean something only
// behind a virama.
const (
	zwnj = 0x200c
	zwj  = 0x200d
)

// syllable judges a cluster of a joined script; ok is false for any other.
func syllable(c string) (p Piece, ok bool) {
	base, n := utf8.DecodeRuneInString(c)
	i := slices.IndexFunc(joined, func(t *unicode.RangeTable) bool { return unicode.Is(t, base) })
	if i < 0 || !unicode.IsLetter(base) || utf8.RuneCountInString(c) > mostJoined {
		return Piece{}, false
	}
	last, marks := base, 0
	for _, r := range c[n:] {
		switch {
		case r == zwj || r == zwnj:
			if !viramas[last] {
				return Piece{}, false
			}
		case !unicode.Is(joined[i], r):
			return Piece{}, false
		case unicode.IsLetter(r):
			marks = 0
		case unicode.In(r, unicode.Mn, unicode.Mc):
			if marks++; marks > mostMarks {
				return Piece{}, false
			}
		default:
			return Piece{}, false
		}
		last = r
	}
	if last == zwj || last == zwnj { // there is nothing that it could join
		return Piece{}, false
	}
	w := ansi.StringWidthWc(c)
	if byCluster.Load() {
		w = ansi.StringWidth(c)
	}
	if w < 1 {
		return Piece{}, false
	}
	return Piece{Text: c, Width: w, Size: len(c)}, true
}

// regions are the flags that are written with tags (Unicode emoji data,
// emoji-sequences.txt, RGI_Emoji_Tag_Sequence). Any other tags could carry a text
// that nobody sees.
var regions = map[string]string{
	"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F": "‹flag of England›",
	"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F": "‹flag of Scotland›",
	"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F": "‹flag of Wales›",
}

// mostEmoji is how many pictures one joined emoji may have: a family of four.
const mostEmoji = 4

// emoji judges a cluster of joined pictures, or a flag; ok is false for any other.
func emoji(c string) (p Piece, ok bool) {
	base, n := utf8.DecodeRuneInString(c)
	second, m := utf8.DecodeRuneInString(c[n:])
	if regional(base) {
		if regional(second) && n+m == len(c) && agreed(c) == 2 {
			return Piece{Text: c, Width: 2, Size: len(c)}, true
		}
		return Piece{}, false
	}
	if name, flag := regions[c]; flag {
		if byCluster.Load() {
			return Piece{Text: c, Width: 2, Size: len(c)}, true
		}
		return spell(name, len(c)), true
	}
	if !picture(base) || n == len(c) {
		return Piece{}, false
	}
	pictures, joins := 1, false
	for _, r := range c[n:] {
		switch {
		case r == zwj:
			if joins {
				return Piece{}, false
			}
			joins = true
		case selector(r):
		case picture(r) && joins:
			if pictures++; pictures > mostEmoji {
				return Piece{}, false
			}
			joins = false
		default:
			return Piece{}, false
		}
	}
	if joins {
		return Piece{}, false
	}
	if byCluster.Load() {
		return Piece{Text: c, Width: 2, Size: len(c)}, ansi.StringWidth(c) == 2
	}
	return Piece{}, false
}

// apart is a joined emoji's first picture with the joiner behind it, for terminals
// that count by code point: the pictures stand side by side.
func apart(s string) (p Piece, ok bool) {
	base, n := utf8.DecodeRuneInString(s)
	if byCluster.Load() || !picture(base) {
		return Piece{}, false
	}
	p = single(base, s[:n])
	for n < len(s) {
		r, m := utf8.DecodeRuneInString(s[n:])
		if r == zwj {
			next, _ := utf8.DecodeRuneInString(s[n+m:])
			if !picture(next) {
				return Piece{}, false
			}
			p.Size = n + m
			return p, !p.Spelled
		}
		if !selector(r) {
			return Piece{}, false
		}
		n += m
	}
	return Piece{}, false
}

// picture reports an emoji that may be joined with others.
func picture(r rune) bool {
	return r >= 0x1f300 && r <= 0x1faff && !selector(r) && !regional(r) || r >= 0x2600 && r <= 0x27bf || r == 0x2b1b || r == 0x2b50 || r == 0x2194 || r == 0x2195
}
