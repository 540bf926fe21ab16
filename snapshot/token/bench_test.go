package token

import (
	"fmt"
	"strings"
	"testing"
)

func page(bytes int) []string {
	lines := []string{"- generic [active] [ref=e1]:"}
	for n, size := 2, 0; size < bytes; n++ {
		l := fmt.Sprintf("    - cell \"Order %d of %s\" [ref=e%d]", n*7919%9973, []string{"Ada Byron", "Chen Evans", "Dina Braun"}[n%3], n)
		lines = append(lines, l)
		size += len(l) + 1
	}
	return lines
}

// BenchmarkChanged counts an 80 KB snapshot of which 5 % of the lines are new.
func BenchmarkChanged(b *testing.B) {
	lines := page(80 << 10)
	x := newCounterFor(encodings[0])
	x.Count(strings.Join(lines, "\n"))
	b.ReportAllocs()
	round := 0
	for b.Loop() {
		b.StopTimer()
		round++
		for i := 0; i < len(lines); i += 20 {
			lines[i] = fmt.Sprintf("    - cell \"Changed %d\" [ref=e%d]", round, i)
		}
		text := strings.Join(lines, "\n")
		b.StartTimer()
		x.Count(text)
	}
}

// BenchmarkSame counts an 80 KB snapshot that was counted before.
func BenchmarkSame(b *testing.B) {
	text := strings.Join(page(80<<10), "\n")
	x := newCounterFor(encodings[0])
	for b.Loop() {
		x.Count(text)
	}
}

// BenchmarkCold counts 80 KB without the memo of lines.
func BenchmarkCold(b *testing.B) {
	text := strings.Join(page(80<<10), "\n")
	x := newCounterFor(encodings[0])
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		x.whole(text)
	}
}
