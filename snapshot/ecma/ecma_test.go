package ecma

import (
	"bytes"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// The quick ways agree with the plain ones.
func TestQuickWaysAgree(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune("  \t\n\u00a0\u2028ab{é€😀")))
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "s")
		if got, want := Len(s), len(utf16.Encode([]rune(s))); got != want {
			t.Errorf("Len(%q) = %d, want %d", s, got, want)
		}
		if got, want := TrimLeft([]byte(s)), bytes.TrimLeftFunc([]byte(s), Space); !bytes.Equal(got, want) {
			t.Errorf("TrimLeft(%q) = %q, want %q", s, got, want)
		}
	})
}
