// Package format writes numbers as people read them: shares that were
// saved, spans of time, bars of blocks.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"snapscope/snapshot/wording"
)

// Short writes a number in at most five characters: 950, 12.4 k, 213 k, 1.2 M,
// 31.8 G.
func Short(n int) string {
	v := float64(n)
	switch a := math.Abs(v); {
	case a < 1000:
		return wording.Count(n)
	case a < 99_950:
		return strings.ReplaceAll(fmt.Sprintf("%.1f k", v/1000), "-", wording.Minus)
	case a < 999_500:
		return strings.ReplaceAll(fmt.Sprintf("%.0f k", v/1000), "-", wording.Minus)
	}
	if math.Abs(v) < 999.95e6 {
		return strings.ReplaceAll(fmt.Sprintf("%.1f M", v/1e6), "-", wording.Minus)
	}
	return strings.ReplaceAll(fmt.Sprintf("%.1f G", v/1e9), "-", wording.Minus)
}

// Delta writes a share that is saved as people read it: −97.7 % for 0.977,
// +3.0 % for a text that grew. It never rounds to a whole where there is a
// rest.
func Delta(saved float64) string {
	p := saved * 100
	if p > 99.9 && p < 100 {
		p = 99.9
	}
	switch s := strconv.FormatFloat(math.Abs(p), 'f', 1, 64); {
	case s == "0.0":
		return "±0.0 %"
	case p > 0:
		return wording.Minus + s + " %"
	default:
		return "+" + s + " %"
	}
}

// Roughly is delta without its decimal, where there is little room.
func Roughly(saved float64) string {
	switch p := int(math.Round(saved * 100)); {
	case p > 0:
		return wording.Minus + strconv.Itoa(p) + " %"
	case p < 0:
		return "+" + strconv.Itoa(-p) + " %"
	}
	return "±0 %"
}

// Duration is a span of time for people: 0.4 s, 12 s, 2 min 5 s.
func Duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	if d < time.Hour {
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Brief is a duration in one unit: 0.3 s, 12 min, 3.1 h.
func Brief(d time.Duration) string {
	switch {
	case d < time.Minute:
		return Duration(d)
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// eighths are the blocks of a horizontal bar by eighths of a cell.
var eighths = []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// Bar is a horizontal bar of share (0 to 1) of width cells. Less than half an
// eighth of a cell is no bar.
func Bar(share float64, width int) string {
	if width <= 0 || math.IsNaN(share) {
		return ""
	}
	n := int(math.Round(min(max(share, 0), 1) * float64(width) * 8))
	return strings.Repeat("█", n/8) + eighths[n%8]
}

// Spark is a row of vertical bars, one for each value, the highest full.
func Spark(values []int, width int) string {
	if len(values) > width {
		values = values[len(values)-width:]
	}
	top := 1
	for _, v := range values {
		top = max(top, v)
	}
	levels := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, v := range values {
		if v <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(levels[min(7, (v*8-1)/top)])
	}
	return b.String()
}

// SharedPrefix is the longest beginning that all words have in common.
func SharedPrefix(words []string) string {
	if len(words) == 0 {
		return ""
	}
	p := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, p) {
			p = p[:len(p)-1]
		}
	}
	return p
}

// Base is the last part of a path.
func Base(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[i+1:]
	}
	return path
}

// Ago is a time that has passed, roughly.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return wording.Plural(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour:
		return wording.Plural(int(d.Hours()), "hour") + " ago"
	}
	return wording.Plural(int(d.Hours()/24), "day") + " ago"
}

// ShellWord writes a text as one word of a command line for a POSIX shell.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@%+,~", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" && s[0] != '~' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
