// Package safetext stands between foreign text and the terminal.
//
// A page is hostile: its names, titles and URLs may hold escape sequences,
// direction overrides, invisible joiners, and characters that terminals do not
// agree on the width of. Next takes such text apart into pieces that are safe
// to print and whose width in cells is known:
//
//	foreign text ──▶ Next ──▶ a cluster of some cells          "a" "é" "日" "क्षे" "🇩🇪"
//	                          or a visible name in plain text  "␛" "‹U+202E›"
//
// What is written in a living script is shown as it is written; what can move the
// cursor, hide text or reverse its order is spelled out. A character passes where
// three measures give it the same width: by grapheme cluster (terminals with mode
// 2027), by code point (wcwidth, as tmux counts), and this package's own table. A
// letter with a mark becomes the one character that Unicode has for both
// (compose.go); where there is none, a mark that by all measures takes no cell
// passes with its letter (marks.go). Syllables, joined emoji and flags pass whole,
// counted as the terminal does (clusters.go). Everything else is spelled out.
// Selectors that only choose between a text and a picture form (variation
// selectors, skin tones) are dropped where they do not stand in such a cluster,
// since the two forms differ in width from terminal to terminal.
package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Piece is what Next makes of the start of a text.
type Piece struct {
	Text  string // safe to print
	Width int    // cells Text takes
	Size  int    // bytes of the source it stands for
	// Spelled: Text is a name for something that is not shown as it is. It is
	// several single cells, and may be cut between any two of its runes.
	Spelled bool
}

// Next takes the first piece off s. s must not be empty. The Text of a piece is
// empty where a character is dropped.
func Next(s string) Piece {
	b := s[0]
	if printable(b) && (len(s) == 1 || s[1] < 0x80) {
		return Piece{Text: s[:1], Width: 1, Size: 1}
	}
	if b < 0x20 || b == 0x7f {
		return control(b)
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		return spell(fmt.Sprintf("‹x%02X›", b), 1)
	}
	if w := simple(r); w > 0 && plainAhead(s[n:]) {
		return Piece{Text: s[:n], Width: w, Size: n}
	}
	return cluster(s)
}

// control names a C0 control character or DEL by its picture.
func control(b byte) Piece {
	pic := rune(0x2400) + rune(b)
	if b == 0x7f {
		pic = 0x2421
	}
	return Piece{Text: string(pic), Width: 1, Size: 1, Spelled: true}
}

func spell(text string, size int) Piece {
	return Piece{Text: text, Width: utf8.RuneCountInString(text), Size: size, Spelled: true}
}

// simple answers the width of runes that are the same everywhere and never join
// with a rune of this kind after them; 0: not known to be so.
func simple(r rune) int {
	switch {
	case r >= 0x20 && r < 0x7f,
		r >= 0xa1 && r <= 0xff && r != 0xad && r != 0xa9 && r != 0xae,
		r >= 0x100 && r <= 0x2af,
		r >= 0x391 && r <= 0x3a1, r >= 0x3a3 && r <= 0x3ce,
		r >= 0x400 && r <= 0x482, r >= 0x48a && r <= 0x52f,
		r >= 0x2010 && r <= 0x2027,
		r >= 0x2030 && r <= 0x203b,
		r == 0x2190 || r == 0x2191 || r == 0x2192 || r == 0x2193,
		r == 0x2212 || r == 0x2264 || r == 0x2265 || r == 0x22ee || r == 0x22ef,
		r >= 0x2500 && r <= 0x25a9, r >= 0x25ac && r <= 0x25b5, r >= 0x25b7 && r <= 0x25bf,
		r >= 0x25c1 && r <= 0x25fa:
		return 1
	case r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa,
		r >= 0x4e00 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xff01 && r <= 0xff60:
		return 2
	}
	return 0
}

// plainAhead reports that nothing at the start of s can join with what stands
// before it.
func plainAhead(s string) bool {
	if s == "" || s[0] < 0x80 {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return simple(r) > 0
}

// cluster judges the first grapheme cluster of s by all measures.
func cluster(s string) Piece {
	c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	base, n := utf8.DecodeRuneInString(c)
	if n == len(c) {
		return single(base, c)
	}
	if p, ok := syllable(c); ok {
		return p
	}
	if p, ok := emoji(c); ok {
		return p
	}
	if p, ok := apart(c); ok {
		return p
	}
	return marked(c, base, n)
}

// marked judges a letter of n bytes with what stands on it: marks are composed
// with it, then pass with it; the first that does neither ends the piece, and is
// spelled out by the next.
func marked(c string, base rune, n int) Piece {
	letter, size := base, n
	script, marks, vowel := scriptOf(base), "", ""
	for _, r := range c[n:] {
		made, composes := composed[[2]rune{letter, r}]
		parts, parted := partedVowels[r]
		room := utf8.RuneCountInString(marks) < mostMarks
		switch {
		case selector(r):
		case composes && marks == "":
			letter = made
		case room && parted && stands(parts[0], script):
			marks, vowel = string(parts[0])+marks, string(parts[1])
		case room && stands(r, script):
			marks += string(r)
		default:
			return withMarks(letter, size, marks, vowel)
		}
		if size += utf8.RuneLen(r); vowel != "" {
			break
		}
	}
	return withMarks(letter, size, marks, vowel)
}

func withMarks(letter rune, size int, marks, vowel string) Piece {
	p := single(letter, string(letter))
	p.Text += marks + vowel
	p.Width += utf8.RuneCountInString(vowel)
	p.Size = size
	return p
}

// single judges one rune that stands alone.
func single(r rune, src string) Piece {
	n := len(src)
	if name, ok := names[r]; ok {
		return spell("‹"+name+"›", n)
	}
	switch {
	case selector(r):
		return Piece{Size: n}
	case regional(r):
		return spell("‹"+string('A'+r-0x1f1e6)+"›", n)
	case r == 0x3000:
		return Piece{Text: "  ", Width: 2, Size: n, Spelled: true}
	case unicode.Is(unicode.Zs, r):
		return Piece{Text: " ", Width: 1, Size: n}
	case !unicode.IsPrint(r), unicode.Is(unicode.M, r), joins(r):
		return spell(fmt.Sprintf("‹U+%04X›", r), n)
	}
	if w := agreed(src); w == 1 || w == 2 {
		return Piece{Text: src, Width: w, Size: n}
	}
	return spell(fmt.Sprintf("‹U+%04X›", r), n)
}

// agreed is the width that all measures give, 0 where they differ.
func agreed(c string) int {
	w := ansi.StringWidth(c)
	if ansi.StringWidthWc(c) != w {
		return 0
	}
	if first, _ := ansi.FirstGraphemeCluster(c, ansi.GraphemeWidth); first != c {
		return 0
	}
	return w
}

// names of characters that are met often enough to have one.
var names = map[rune]string{
	0x00ad: "shy", 0x061c: "alm", 0x200b: "zwsp", 0x200c: "zwnj", 0x200d: "zwj",
	0x200e: "lrm", 0x200f: "rlm", 0x2028: "lsep", 0x2029: "psep",
	0x202a: "lre", 0x202b: "rle", 0x202c: "pdf", 0x202d: "lro", 0x202e: "rlo",
	0x2060: "wj", 0x2066: "lri", 0x2067: "rli", 0x2068: "fsi", 0x2069: "pdi",
	0xfeff: "bom", 0x0085: "nel", 0x009b: "csi", 0x009d: "osc",
}

func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// selector reports runes that only choose a form: variation selectors and skin
// tones.
func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0100 && r <= 0xe01ef
}

// joins reports runes that may melt into a neighbour: jamo, and letters that
// Unicode puts into one cluster with what follows or precedes.
func joins(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97c || r >= 0xd7b0 && r <= 0xd7fb ||
		r >= 0x600 && r <= 0x605 || r == 0x6dd || r == 0x70f || r == 0x8e2 || r == 0xd4e ||
		r == 0xfdfd || r == 0xe33 || r == 0xeb3 || r == 0xff9e || r == 0xff9f || r >= 0x11000 && r <= 0x12000
}

// Line is the whole of s in safe pieces.
func Line(s string) string {
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		p := Next(s)
		b.WriteString(p.Text)
		s = s[p.Size:]
	}
	return b.String()
}

// Width is the number of cells that s takes when shown by Line.
func Width(s string) int {
	if plainASCII(s) {
		return len(s)
	}
	w := 0
	for s != "" {
		p := Next(s)
		w += p.Width
		s = s[p.Size:]
	}
	return w
}

// Cut is Line(s) where it fits into width cells, else its beginning with an
// ellipsis.
func Cut(s string, width int) string {
	if width <= 0 {
		return ""
	}
	if plainASCII(s) {
		if len(s) <= width {
			return s
		}
		return s[:width-1] + "…"
	}
	var b strings.Builder
	w, fits := 0, 0 // fits: bytes of b that leave room for the ellipsis
	for s != "" {
		p := Next(s)
		s = s[p.Size:]
		if w+p.Width > width {
			return b.String()[:fits] + "…"
		}
		b.WriteString(p.Text)
		if w += p.Width; w < width {
			fits = b.Len()
		}
	}
	return b.String()
}

// CutFront is Line(s) where it fits into width cells, else an ellipsis and its end.
func CutFront(s string, width int) string {
	over := Width(s) - width
	if over <= 0 {
		return Line(s)
	}
	if width <= 0 {
		return ""
	}
	for over++; s != "" && over > 0; { // the ellipsis takes a cell, too
		p := Next(s)
		s, over = s[p.Size:], over-p.Width
	}
	return "…" + Line(s)
}

// plainASCII reports that s is nothing but printable ASCII, eight bytes at a time:
// every line of a screen is asked for its width.
func plainASCII(s string) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		// A byte over 0x7f, one under 0x20, and 0x7f itself set a high bit.
		if (x|(x-ones*0x20)|(x+ones))&highs != 0 {
			return false
		}
	}
	for i := 0; i < len(s); i++ {
		if !printable(s[i]) {
			return false
		}
	}
	return true
}

func printable(b byte) bool { return b >= 0x20 && b < 0x7f }

// Plain is how many bytes at the start of s are printable ASCII that nothing behind
// them can join: each is a piece of one cell.
func Plain(s string) int {
	n := 0
	for n < len(s) && printable(s[n]) {
		n++
	}
	if n > 0 && n < len(s) && s[n] >= 0x80 {
		n--
	}
	return n
}
