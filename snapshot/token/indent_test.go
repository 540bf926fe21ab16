package token

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// A long indent has the tokens that the library and merge count, at every length.
func TestIndentsOfEveryLength(t *testing.T) {
	for _, e := range []tokenizer.Encoding{tokenizer.O200kBase, tokenizer.Cl100kBase} {
		c := newCodec(e)
		for _, unit := range []string{" ", "\t"} {
			for n := longIndent; n < 1500; n++ {
				p := strings.Repeat(unit, n)
				want := merge(p, c.blank())
				if n%50 == 0 {
					if lib, err := c.lib.Count(p); err != nil || lib != want {
						t.Fatalf("%d of %q: merge has %d tokens, the library %d", n, unit, want, lib)
					}
				}
				if got := repeated(p, c.blank()); got != want {
					t.Fatalf("%s: %d of %q: %d tokens, want %d", e, n, unit, got, want)
				}
			}
		}
	}
}

// A page 4,000 levels deep is 8 MB of indents, of which no two are the same: they are
// counted without working on each of their bytes, which takes many times their memory.
func TestDeepPage(t *testing.T) {
	c, err := New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range 4000 {
		b.WriteString(strings.Repeat(" ", i) + "- generic:\n")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := c.Count(b.String())
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
		t.Errorf("%d tokens took %d MB", n, took>>20)
	}
}
