package strategy

import (
	"math"
	"strconv"
	"strings"
)

// percent writes a share with one decimal: 0.7614 → "76.1 %".
func percent(x float64) string { return percentDigits(x, 1) }

func percentDigits(x float64, digits int) string {
	switch {
	case math.IsInf(x, -1):
		return "−∞ %"
	case math.IsInf(x, 1):
		return "∞ %"
	case math.IsNaN(x):
		return "0 %"
	}
	s := strconv.FormatFloat(x*100, 'f', digits, 64)
	return strings.Replace(s, "-", "−", 1) + " %"
}

// percentAgainst writes a share that is being compared with limit with as many
// decimals as it takes for the comparison to be seen: 19.997 %, not 20.0 %,
// when it is held against 20 %.
func percentAgainst(x, limit float64) string {
	for digits := 1; digits < 6; digits++ {
		shown := math.Round(x*math.Pow10(digits+2)) / math.Pow10(digits+2)
		if (shown < limit) == (x < limit) && (shown > limit) == (x > limit) {
			return percentDigits(x, digits)
		}
	}
	return percentDigits(x, 6)
}

// percentShort writes a knob's ratio without idle zeros: 0.2 → "20 %".
func percentShort(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e4, 'f', -1, 64) + " %"
}

// count writes a number with commas: 8000 → "8,000".
func count(n int) string {
	s := strconv.Itoa(n)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "−" + s
	}
	return s
}

// plural writes a number with its noun: 1 line, 2 lines.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n) + " " + noun + "s"
}

// whole is the verdict of a rewrite that leaves the page as it is.
func whole(in Input, reason string, facts ...Fact) Verdict {
	return Verdict{Kind: KindFull, Reason: withOdd(reason, in.Page), Text: in.Page.Text, Facts: facts}
}

// losses gathers single lost lines, in order, into runs.
type losses struct {
	runs       []Loss
	rule, knob string
}

func (l *losses) add(line int) { l.addAs(line, l.rule, l.knob) }

func (l *losses) addAs(line int, rule, knob string) {
	if n := len(l.runs); n > 0 && l.runs[n-1].To == line && l.runs[n-1].Rule == rule {
		l.runs[n-1].To++
		return
	}
	l.runs = append(l.runs, Loss{From: line, To: line + 1, Rule: rule, Knob: knob})
}
