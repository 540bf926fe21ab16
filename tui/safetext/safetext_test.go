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
		{"a\u0301\u0302\u0303", "á\u0302\u0303"},
		{"e\u0301\u0302\u0303\u0304\u0306", "é\u0302\u0303\u0304‹U+0306›"},
		{"ɛ\u0301 m\u0328\u0301", "ɛ\u0301 m\u0328\u0301"},
		{"Z\u0351\u036b", "Z‹U+0351›‹U+036B›"},
		{"ภาษาไทย ที่นี่ ก็", "ภาษาไทย ที่นี่ ก็"},
		{"น\u0e49\u0e33", "น\u0e4d\u0e49\u0e32"}, // sara am in its two parts
		{"\u0e33 \u0e31", "‹U+0E33› ‹U+0E31›"},
		{"a\u0e31 \u05d0\u064e", "a‹U+0E31› \u05d0‹U+064E›"},
		{"שָׁלוֹם", "שָׁלוֹם"},
		{"مُحَمَّد هٰذا", "مُحَمَّد هٰذا"},
		{"\u0e01" + strings.Repeat("\u0e49", 5), "\u0e01\u0e49\u0e49\u0e49‹U+0E49›‹U+0E49›"},
		{"पुनः मे\u0902 क्ष हिन्दी", "पुनः मे\u0902 क्ष हिन्दी"},
		{"বাংলা தமிழ் తెలుగు ខ្មែរ", "বাংলা தமிழ் తెలుగు ខ្មែរ"},
		{"क्\u200dष क\u200dष", "क्\u200dष क‹zwj›ष"}, // a joiner joins behind a virama only
		{"क" + strings.Repeat("\u093f", 9), "क" + strings.Repeat("‹U+093F›", 9)},
		{"ש\u200fל\u061c", "ש‹rlm›ל‹alm›"},
		{"\u0301lone", "‹U+0301›lone"},
		{"日本語 한국어", "日本語 한국어"},
		{"❤\ufe0f ✔\ufe0f", "❤ ✔"},
		{"👍🏽", "👍"},
		{"👨\u200d👩\u200d👧", "👨👩👧"},
		{"🇩🇪", "🇩🇪"},
		{"🇩🇪🇫", "🇩🇪‹F›"},
		{"1\ufe0f\u20e3", "1‹U+20E3›"},
		{"bad \xff\xc3(", "bad ‹xFF›‹xC3›("},
		{"nb\u00a0sp\u3000w", "nb sp  w"},
		{"soft\u00adhyphen", "soft‹shy›hyphen"},
		{"\ue000", "‹U+E000›"},
		{"🫠", "🫠"},
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

func TestCutFront(t *testing.T) {
	for _, c := range []struct {
		in   string
		w    int
		want string
	}{
		{"/a/b/c.jsonl", 12, "/a/b/c.jsonl"},
		{"/a/b/c.jsonl", 8, "…c.jsonl"},
		{"日本語", 5, "…本語"},
		{"日本語", 4, "…語"},
		{"a\u202eb", 3, "…b"},
		{"abc", 1, "…"},
		{"abc", 0, ""},
	} {
		if got := CutFront(c.in, c.w); got != c.want {
			t.Errorf("CutFront(%q, %d) = %q, want %q", c.in, c.w, got, c.want)
		}
	}
}

// TestByCluster holds that a terminal that counts by cluster is sent joined emoji as
// they are.
func TestByCluster(t *testing.T) {
	ByCluster(true)
	defer ByCluster(false)
	for _, in := range []string{"👨\u200d👩\u200d👧", "👍🏽", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "🏳\ufe0f\u200d🌈", "हिन्दी"} {
		if got := Line(in); got != in {
			t.Errorf("Line(%q) = %q", in, got)
		}
		if got, want := Width(in), ansi.StringWidth(in); got != want {
			t.Errorf("Width(%q) = %d, want %d", in, got, want)
		}
	}
	for in, bad := range map[string]string{
		"👨\u200d\u200d👩": "\u200d\u200d", "🏴\U000E0068\U000E0069\U000E007F": "\U000E0068", "a\u200db": "\u200d",
		strings.Repeat("👨\u200d", 40) + "👨": strings.Repeat("👨\u200d", 5),
	} {
		if got := Line(in); strings.Contains(got, bad) {
			t.Errorf("Line(%q) = %q lets %q through", in, got, bad)
		}
	}
}

// checkSafe holds the laws that every text must obey once it went through, on
// terminals of either kind.
func checkSafe(t interface{ Fatalf(string, ...any) }, in string) {
	defer ByCluster(false)
	for _, by := range []bool{true, false} {
		ByCluster(by)
		out := Line(in)
		if !utf8.ValidString(out) {
			t.Fatalf("Line(%q) = %q is not valid UTF-8", in, out)
		}
		checkFormats(t, in, out)
		checkWidths(t, in, out)
		checkMarks(t, in, out)
		if again := Line(out); again != out {
			t.Fatalf("Line is not stable on %q: %q then %q", in, out, again)
		}
		for _, width := range []int{0, 1, 2, 3, 7, 20} {
			cut := Cut(in, width)
			if got := measured(cut); got > width {
				t.Fatalf("Cut(%q, %d) = %q is %d wide", in, width, cut, got)
			}
			if end := CutFront(in, width); measured(end) > width {
				t.Fatalf("CutFront(%q, %d) = %q is too wide", in, width, end)
			}
		}
	}
}

// measured is the width of a text on the terminal that ByCluster was told of.
func measured(s string) int {
	if byCluster.Load() {
		return ansi.StringWidth(s)
	}
	return ansi.StringWidthWc(s)
}

// checkFormats holds that no control and no format character passes but a joiner
// between what it joins and the tags of a known flag.
func checkFormats(t interface{ Fatalf(string, ...any) }, in, out string) {
	for c := range regions {
		out = strings.ReplaceAll(out, c, "")
	}
	last := ' '
	for _, r := range out {
		joins := (r == zwj || r == zwnj) && viramas[last] || r == zwj && byCluster.Load() && (picture(last) || selector(last))
		if unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) && !joins {
			t.Fatalf("Line(%q) lets %U through", in, r)
		}
		last = r
	}
}

// checkMarks holds that no letter bears more marks than mostMarks, and nothing but a
// letter or an emoji bears one.
func checkMarks(t interface{ Fatalf(string, ...any) }, in, out string) {
	n, bearer := 0, rune(' ')
	for _, r := range out {
		if !unicode.Is(unicode.M, r) || selector(r) {
			if r != zwj && r != zwnj {
				n, bearer = 0, r
			}
			continue
		}
		if n++; n > mostMarks || !unicode.IsLetter(bearer) || unicode.Is(unicode.Mc, r) && !unicode.In(bearer, joined...) {
			t.Fatalf("Line(%q) = %q: mark %d, %U, on %U", in, out, n, r, bearer)
		}
	}
}

// checkWidths holds that the terminal takes as many cells as were counted, as a
// whole and piece by piece.
func checkWidths(t interface{ Fatalf(string, ...any) }, in, out string) {
	w := Width(in)
	if got := measured(out); got != w {
		t.Fatalf("Line(%q) = %q: our width %d, by the terminal %d", in, out, w, got)
	}
	if clustered := clusterSum(out); clustered != w {
		t.Fatalf("Line(%q) = %q: our width %d, piece by piece %d", in, out, w, clustered)
	}
}

func clusterSum(s string) int {
	sum, method := 0, ansi.WcWidth
	if byCluster.Load() {
		method = ansi.GraphemeWidth
	}
	for s != "" {
		c, w := ansi.FirstGraphemeCluster(s, method)
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
	0x627, 0x64b, 0x651, 0xe49, 0xeb1, 0xe99, 0xeb3, 0x323, 0x302, 0x5c1, 0x5bc, 0x947, 0x928, 0x3042, 0x3099, 0x4e00, 0x2764, 0x1b, 0x9b, 0x202e, 0x1f600, 0x1fae0, 0xff21, 0xff9e, 0x2500, 0xe0067, 0x1f3f4, ' ',
}

func TestNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOfN(rapid.SampledFrom(awkward), 0, 12).Draw(t, "runes"))
		checkSafe(t, in)
	})
}

// TestMarks holds the laws for every letter and mark of the scripts whose marks
// pass, in any order: none stands in a way that the measures disagree on.
func TestMarks(t *testing.T) {
	var runes []rune
	for _, tab := range append([]*unicode.RangeTable{unicode.Latin, unicode.Inherited}, markScripts...) {
		for _, r16 := range tab.R16 {
			for r := rune(r16.Lo); r <= rune(r16.Hi); r += rune(r16.Stride) {
				runes = append(runes, r)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		checkSafe(t, string(rapid.SliceOfN(rapid.SampledFrom(runes), 0, 16).Draw(t, "runes")))
	})
	letters := map[*unicode.RangeTable]rune{}
	for _, r := range runes {
		if s := scriptOf(r); s != nil && letters[s] == 0 {
			letters[s] = r
		}
	}
	for s, l := range letters {
		passed := 0
		for _, r := range runes {
			in := string([]rune{l, r, l})
			out := Line(in)
			checkWidths(t, in, out)
			checkMarks(t, in, out)
			if unicode.Is(unicode.Mn, r) && Line(in) == in {
				passed++
			}
		}
		if s != unicode.Latin && passed == 0 {
			t.Errorf("no mark passes on %U", l)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "\x1b[2J", "日本\u0301", "👨\u200d👩", strings.Repeat("\u0301", 9), "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkSafe(t, s) })
}

// TestPlainASCIIByEights: the fast way finds what is not printable ASCII wherever it
// stands, and nothing else.
func TestPlainASCIIByEights(t *testing.T) {
	for n := range 20 {
		plain := strings.Repeat("~", n)
		if !plainASCII(plain) {
			t.Fatalf("%q is plain", plain)
		}
		for at := range n {
			for b := range 256 {
				s := plain[:at] + string([]byte{byte(b)}) + plain[at+1:]
				if got, want := plainASCII(s), b >= 0x20 && b < 0x7f; got != want {
					t.Fatalf("plainASCII(%q) = %v", s, got)
				}
			}
		}
	}
}
