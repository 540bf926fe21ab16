package textdiff

import (
	"fmt"
	"strings"
	"testing"
)

// page makes about size bytes of aria text: rows of a table with links, so that
// a fifth of the lines bear no ref and many of these are alike.
func page(size, firstRef, salt int) []string {
	var out []string
	ref := firstRef
	next := func() int { ref++; return ref }
	for n := 0; size > 0; n++ {
		row := []string{
			fmt.Sprintf("    - row \"Order %d\" [ref=e%d]:", n+salt, next()),
			fmt.Sprintf("      - cell \"%s %d\" [ref=e%d]", []string{"Ada", "Boris", "Chen"}[n%3], n*31%97+salt, next()),
			fmt.Sprintf("      - cell \"Open\" [ref=e%d]:", next()),
			fmt.Sprintf("        - link \"Open\" [ref=e%d] [cursor=pointer]:", next()),
			fmt.Sprintf("          - /url: /orders/%d", n%40),
		}
		for _, l := range row {
			size -= len(l) + 1
		}
		out = append(out, row...)
	}
	return out
}

func change(lines []string, every int) []string {
	out := append([]string(nil), lines...)
	for i := every / 2; i < len(out); i += every {
		out[i] += " changed"
	}
	return out
}

func bench(b *testing.B, x, y []string) {
	text, other := strings.Join(x, "\n"), strings.Join(y, "\n")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	var same int
	for b.Loop() {
		_, _, same = Counts(Diff(Split(text), Split(other)))
	}
	b.ReportMetric(float64(len(y)-same), "changed-lines")
}

func BenchmarkOneChange80KB(b *testing.B) {
	p := page(80<<10, 1, 0)
	bench(b, p, change(p, len(p)))
}

func BenchmarkUnrelated80KB(b *testing.B) { bench(b, page(80<<10, 1, 0), page(80<<10, 50_000, 7000)) }

func BenchmarkChanged5Percent2MB(b *testing.B) {
	p := page(2<<20, 1, 0)
	bench(b, p, change(p, 20))
}

func BenchmarkRenumbered2MB(b *testing.B) { bench(b, page(2<<20, 1, 0), page(2<<20, 500_000, 0)) }

// BenchmarkShuffled2MB is the case that has to be bounded.
func BenchmarkShuffled2MB(b *testing.B) {
	n := 40_000
	x, y := make([]string, n), make([]string, n)
	for i := range x {
		x[i] = fmt.Sprintf("      - listitem: entry number %d of a long list", i%2000)
		y[i] = fmt.Sprintf("      - listitem: entry number %d of a long list", i*7919%n%2000)
	}
	bench(b, x, y)
}
