// Package wording writes numbers and foreign words for people: one form for all
// commands, files and screens.
//
//	Count(8000)          8,000
//	Plural(1, "line")    1 line
//	Percent(0.7614)      76.1 %
//	Share(0.2)           20 %
//
// A minus is the real sign (−), as wide as a plus; a percent sign has a space
// before it (ISO 31-0).
package wording

import (
	"math"
	"strconv"
	"strings"
)

// Minus is the sign before a negative number.
const Minus = "−"

// Count writes a whole number in groups of three: 53,223.
func Count(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = Minus, s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Plural writes a number with its noun: 1 line, 2 lines.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Count(n) + " " + noun + "s"
}

// Percent writes a share with one decimal: 0.7614 is 76.1 %.
func Percent(x float64) string { return percent(x, 1) }

func percent(x float64, digits int) string {
	switch {
	case math.IsInf(x, -1):
		return Minus + "∞ %"
	case math.IsInf(x, 1):
		return "∞ %"
	case math.IsNaN(x):
		return "0 %"
	}
	s := strconv.FormatFloat(x*100, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" { // nothing is not less than nothing
		s = strings.TrimPrefix(s, "-")
	}
	return strings.Replace(s, "-", Minus, 1) + " %"
}

// PercentAgainst writes a share that is compared with a limit with as many
// decimals as it takes for the comparison to be seen: 19.997 %, not 20.0 %,
// against 20 %.
func PercentAgainst(x, limit float64) string {
	for digits := 1; digits < 6; digits++ {
		shown := math.Round(x*math.Pow10(digits+2)) / math.Pow10(digits+2)
		if (shown < limit) == (x < limit) && (shown > limit) == (x > limit) {
			return percent(x, digits)
		}
	}
	return percent(x, 6)
}

// Share writes a share that was set, without idle zeros: 0.2 is 20 %.
func Share(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e4, 'f', -1, 64) + " %"
}

// OneLine takes line breaks and runs of white space out of words that are not
// ours and cuts them to a number of characters. It does not make them safe for
// a terminal.
func OneLine(s string, most int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) <= most {
		return s
	}
	if r := []rune(s); len(r) > most {
		return string(r[:max(most-1, 0)]) + "…"
	}
	return s
}

// And lists words in a sentence: a; a and b; a, b and c.
func And(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
