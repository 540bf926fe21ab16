package safetext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"\x1b[31mred", "␛[31mred"},
		{"\x1b]0;owned\x07", "␛]0;owned␇"},
		{"a\tb\r\nc\x00\x7f", "a␉b␍␊c␀␡"},
		{"csi \u009b31m", "csi ‹csi›31m"},
		{"abc\u202edef\u202c", "abc‹rlo›def‹pdf›"},
		{"zero\u200bwidth\u200d\ufeff", "zero‹zwsp›width‹zwj›‹bom›"},
		{"café cafe\u0301", "café café"},
		{"a\u0302\u0301 e\u0323\u0302", "ấ ệ"},
		{"a\u0301\u0302\u0303", "á‹U+0302›‹U+0303›"},
		{"Z\u0351\u036b", "Z‹U+0351›‹U+036B›"},
		{"\u0e20\u0e31", "\u0e20‹U+0E31›"},
		{"\u0301lone", "‹U+0301›lone"},
		{"日本語 한국어", "日本語 한국어"},
		{"❤\ufe0f ✔\ufe0f", "❤ ✔"},
		{"👍🏽", "👍"},
		{"👨\u200d👩\u200d👧", "👨‹zwj›👩‹zwj›👧"},
		{"🇩🇪", "‹DE›"},
		{"1\ufe0f\u20e3", "1‹U+20E3›"},
		{"bad \xff\xc3(", "bad ‹xFF›‹xC3›("},
		{"nb\u00a0sp\u3000w", "nb sp  w"},
		{"soft\u00adhyphen", "soft‹shy›hyphen"},
		{"\ue000", "‹U+E000›"},
		{"🫠", "‹U+1FAE0›"},
		{"ᄒ\u1161\u11ab", "‹U+1112›‹U+1161›‹U+11AB›"},
	} {
		if got := Line(c.in); got != c.want {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdef", 5, "abcd…"},
		{"abcdef", 1, "…"},
		{"abcdef", 0, ""},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"日本語", 1, "…"},
		{"a\u202eb", 7, "a‹rlo›b"},
		{"a\u202eb", 6, "a‹rlo›"[:1] + "…"},
	} {
		if got := Cut(c.in, c.w); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

// checkSafe holds the laws that every text must obey once it went through.
func checkSafe(t interface{ Fatalf(string, ...any) }, in string) {
	out := Line(in)
	if !utf8.ValidString(out) {
		t.Fatalf("Line(%q) = %q is not valid UTF-8", in, out)
	}
	for _, r := range out {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			t.Fatalf("Line(%q) lets %U through", in, r)
		}
	}
	checkWidths(t, in, out)
	if again := Line(out); again != out {
		t.Fatalf("Line is not stable on %q: %q then %q", in, out, again)
	}
	for _, width := range []int{0, 1, 2, 3, 7, 20} {
		cut := Cut(in, width)
		if got := ansi.StringWidth(cut); got > width {
			t.Fatalf("Cut(%q, %d) = %q is %d wide", in, width, cut, got)
		}
	}
}

// checkWidths holds that all measures agree on what came out.
func checkWidths(t interface{ Fatalf(string, ...any) }, in, out string) {
	w := Width(in)
	if g, wc := ansi.StringWidth(out), ansi.StringWidthWc(out); g != w || wc != w {
		t.Fatalf("Line(%q) = %q: our width %d, by cluster %d, by code point %d", in, out, w, g, wc)
	}
	if clustered := clusterSum(out); clustered != w {
		t.Fatalf("Line(%q) = %q: our width %d, piece by piece %d", in, out, w, clustered)
	}
}

func clusterSum(s string) int {
	sum := 0
	for s != "" {
		c, w := ansi.FirstGraphemeCluster(s, ansi.WcWidth)
		sum += w
		s = s[len(c):]
	}
	return sum
}

func TestEveryRuneAlone(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		uniform := r >= 0x3400 && r < 0xa000 || r >= 0xac00 && r < 0xd7a0 || r >= 0x12000 && r < 0x1f000 || r >= 0x20000 && r < 0xe0000 || r >= 0xe0200
		if uniform && r%61 != 0 { // one rule holds for the whole block
			continue
		}
		if utf8.ValidRune(r) {
			checkWidths(t, string(r), Line(string(r)))
			checkWidths(t, "a"+string(r)+"b", Line("a"+string(r)+"b"))
		}
	}
}

// awkward are runes whose neighbours matter.
var awkward = []rune{
	'a', 'é', 0x301, 0x308, 0x20e3, 0x200d, 0x200c, 0xfe0f, 0xfe0e, 0x1f3fd, 0x1f468, 0x1f469, 0x1f1e9, 0x1f1ea,
	0x1100, 0x1161, 0x11a8, 0xac00, 0xd7a3, 0x915, 0x94d, 0x937, 0x93f, 0xe01, 0xe33, 0xe34, 0x600, 0x661, 0x5d0, 0x5b0,
	0x627, 0x64b, 0x3042, 0x3099, 0x4e00, 0x2764, 0x1b, 0x9b, 0x202e, 0x1f600, 0x1fae0, 0xff21, 0xff9e, 0x2500, 0xe0067, 0x1f3f4, ' ',
}

func TestNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOfN(rapid.SampledFrom(awkward), 0, 12).Draw(t, "runes"))
		checkSafe(t, in)
	})
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "\x1b[2J", "日本\u0301", "👨\u200d👩", strings.Repeat("\u0301", 9), "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSafe(t, s) })
}
