package safetext

import "unicode"

// A mark that stands on, under or around the letter before it takes no cell of
// its own by any measure, where it is written in the letter's own script. Such a
// mark passes; all others are spelled out:
//
//   - spacing vowel signs (category Mc), which take a cell of their own in some
//     terminals and none in others
//   - viramas, which join two letters into one cluster
//   - marks on a letter of another script, or on none, which no language writes
//   - more than mostMarks on one letter: they would reach into the rows above
//     and below

// mostMarks is how many marks one letter may bear beyond what is composed with
// it: a vowel, a doubling or tone sign and a dot.
const mostMarks = 3

// markScripts are the living scripts whose marks pass on their own letters.
var markScripts = []*unicode.RangeTable{
	unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
	unicode.Thai, unicode.Lao,
	unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
	unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
}

// scriptOf is the table of a letter's script; nil where no mark passes on it.
func scriptOf(letter rune) *unicode.RangeTable {
	if !unicode.IsLetter(letter) || single(letter, string(letter)).Spelled {
		return nil
	}
	for _, t := range markScripts {
		if unicode.Is(t, letter) {
			return t
		}
	}
	if unicode.In(letter, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
		return unicode.Latin
	}
	return nil
}

// stands reports a mark that may pass on a letter of a script.
func stands(mark rune, script *unicode.RangeTable) bool {
	switch {
	case script == nil || !unicode.Is(unicode.Mn, mark) || viramas[mark]:
		return false
	case script == unicode.Latin: // and Greek and Cyrillic: the accents that some letter is composed with
		_, ok := compositions[mark]
		return ok
	case script == unicode.Arabic || script == unicode.Syriac: // they share the vowel signs
		if mark >= 0x64b && mark <= 0x655 || mark == 0x670 {
			return true
		}
	}
	return unicode.Is(script, mark)
}

// viramas kill a letter's vowel and join it with the next one.
var viramas = map[rune]bool{
	0x94d: true, 0x9cd: true, 0xa4d: true, 0xacd: true, 0xb4d: true, 0xbcd: true, 0xc4d: true,
	0xccd: true, 0xd3b: true, 0xd3c: true, 0xd4d: true, 0xdca: true,
}

// partedVowels are the vowels of Thai and Lao that Unicode decomposes into a mark
// and a letter (compatibility decomposition). Terminals disagree on the width of
// a letter with the one character and agree on the two.
var partedVowels = map[rune][2]rune{0xe33: {0xe4d, 0xe32}, 0xeb3: {0xecd, 0xeb2}}
