package quote

import (
	"unicode"
	"unicode/utf8"
)

// word is a word of a text. Words are runs of letters and digits, with the signs that
// join them: the hyphen of a code, the comma of a number, the dot of a version or an
// address. Percent and currency signs, and the letters of scripts that write without
// spaces, are words of their own.
type word struct {
	norm     []byte // what is compared; good until the next word
	from, to int    // bytes of the text
	letters  int
	digits   int
	upper    bool // it begins with a capital letter
	sign     bool // a percent or currency sign
	address  bool // it has the sign of a path or a query in it
}

// class is what a rune does to a word.
type class uint8

const (
	parts  class = iota // ends it
	letter              // goes on with it
	digit
	single // is a word
	sign   // is a word: percent, a currency
	joint  // joins two letters or digits
	comma  // joins two digits
	skip   // is not there: marks of direction, soft hyphens
)

var ascii = func() (of [utf8.RuneSelf]class) {
	for r := range of {
		switch {
		case r >= '0' && r <= '9':
			of[r] = digit
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			of[r] = letter
		}
	}
	for _, r := range "-./'@_+=&?#~" {
		of[r] = joint
	}
	of[','], of[':'], of['%'], of['$'] = comma, comma, sign, sign
	return of
}()

// plain is a rune without its form: full-width signs, the dashes, the digits and the
// separators of other scripts.
func plain(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFF01 + '!'
	case r >= 0x2010 && r <= 0x2015, r == 0x2212:
		return '-'
	case r == 0x2019, r == 0x02BC:
		return '\''
	case r == 0x066B:
		return '.'
	case r == 0x066C:
		return ','
	case r == 0x066A:
		return '%'
	case unicode.IsDigit(r):
		for _, d := range unicode.Nd.R16 {
			if r >= rune(d.Lo) && r <= rune(d.Hi) {
				return '0' + (r-rune(d.Lo))%10
			}
		}
		for _, d := range unicode.Nd.R32 {
			if r >= rune(d.Lo) && r <= rune(d.Hi) {
				return '0' + (r-rune(d.Lo))%10
			}
		}
	}
	return r
}

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return ascii[r]
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return single
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
		return letter
	case unicode.Is(unicode.Sc, r):
		return sign
	case unicode.Is(unicode.Cf, r):
		return skip
	}
	return parts
}

// read is the rune at i, without its form, with its class and its length.
func read(text string, i int) (r rune, c class, size int) {
	if b := text[i]; b < utf8.RuneSelf {
		return rune(b), ascii[b], 1
	}
	r, size = utf8.DecodeRuneInString(text[i:])
	r = plain(r)
	return r, classOf(r), size
}

// scan cuts a text into words.
func scan(text string, each func(w *word)) {
	w := word{norm: make([]byte, 0, 64)}
	for i := 0; i < len(text); {
		r, c, size := read(text, i)
		switch c {
		case letter, digit:
			i = w.run(text, i)
			each(&w)
			continue
		case single, sign:
			w = word{norm: utf8.AppendRune(w.norm[:0], r), from: i, to: i + size, letters: b2i(c == single), sign: c == sign}
			each(&w)
		case parts:
			if r == '\\' && i+1 < len(text) && (text[i+1] == 'n' || text[i+1] == 't' || text[i+1] == 'r') {
				size = 2 // a break inside a JSON string
			}
		}
		i += size
	}
}

// run reads the word that begins at i and answers where it ends.
func (w *word) run(text string, i int) int {
	*w = word{norm: w.norm[:0], from: i, to: i}
	last := parts
	for i < len(text) {
		r, c, size := read(text, i)
		switch c {
		case letter, digit:
			w.letters, w.digits = w.letters+b2i(c == letter), w.digits+b2i(c == digit)
			if last == parts && c == letter {
				w.upper = unicode.IsUpper(r) || unicode.IsTitle(r)
			}
			if r < utf8.RuneSelf {
				if r >= 'A' && r <= 'Z' {
					r += 'a' - 'A'
				}
				w.norm = append(w.norm, byte(r))
			} else {
				w.norm = utf8.AppendRune(w.norm, unicode.ToLower(r))
			}
			last = c
			w.to = i + size
		case skip:
		case joint, comma:
			if i+size >= len(text) {
				return w.to
			}
			_, next, _ := read(text, i+size)
			switch {
			case next != letter && next != digit, c == comma && (last != digit || next != digit), r == '=' && !w.address:
				return w.to
			case r == '/' || r == '?':
				w.address = true
			}
			w.norm = append(w.norm, byte(r))
		default:
			return w.to
		}
		i += size
	}
	return i
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
