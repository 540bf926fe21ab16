package strategy

// Whole is the verdict of a rewrite that leaves the page as it is.
func Whole(in Input, rule Rule, facts ...Fact) Verdict {
	return Verdict{Kind: KindFull, Rules: []Rule{rule}, Odd: Odd(in.Page), Text: in.Page.Text, Facts: facts}
}

// Losses gathers single lost lines, in order, into runs.
type Losses struct{ Runs []Loss }

// Add notes a page line that a rule took; knob is the key of the knob that
// would keep it.
func (l *Losses) Add(line int, rule, knob string) {
	if n := len(l.Runs); n > 0 && l.Runs[n-1].To == line && l.Runs[n-1].Rule == rule {
		l.Runs[n-1].To++
		return
	}
	l.Runs = append(l.Runs, Loss{From: line, To: line + 1, Rule: rule, Knob: knob})
}
