package published

import (
	"strings"
	"testing"
)

// FuzzSignature holds the scanners against the literal regular expressions.
func FuzzSignature(f *testing.F) {
	for _, l := range []string{`- 'row "a: b" [ref=e5]': x`, "- text: it's '' 12 é3", "- text: 😀'", "\ufeff- link \"\\\"\" [ref=]"} {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.ReplaceAll(line, "\n", " ")
		if strings.ToValidUTF8(line, "\uFFFD") != line || hasPrivate(line) {
			return
		}
		var s signer
		if got, want := halves(string(s.sign(line))), plainSignature(line); got != want {
			t.Fatalf("%q:\n got %q\nwant %q", line, got, want)
		}
	})
}

// hasPrivate reports whether a text uses the characters that stand in for
// halves of surrogate pairs.
func hasPrivate(s string) bool {
	for _, r := range s {
		if r >= 0xE000 && r < 0xE800 {
			return true
		}
	}
	return false
}
