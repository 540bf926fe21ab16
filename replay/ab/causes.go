package ab

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// cause is something that the recordings show, with the input tokens of a run that
// it makes more (or fewer) than was predicted.
type cause struct {
	tokens float64
	says   string
}

// weighty is the share of a miss from which a cause is named.
const weighty = 0.2

// causes names what made a forecast more than 2 % wrong. Only what the recordings
// show is named, with its weight, and only where it moves the input the way that
// the forecast is wrong.
func (row *Row) causes(runs []Run, first Row) []string {
	out := []string{}
	if math.Abs(row.OffInput) <= drift && math.Abs(row.OffCached) <= drift {
		return out
	}
	f := row.Forecast
	miss := row.Input.Mean - f.Input
	if math.Abs(row.OffInput) <= drift {
		return append(out, "the input is as predicted, its cached part is not: see the check of the cache model")
	}
	astray, weight := 0, 0.0
	for _, r := range runs {
		astray += r.Astray
		weight += float64(r.AstrayTokens) / float64(len(runs))
	}
	calls := row.Calls.Mean - float64(f.Calls)
	list := []cause{
		{weight, fmt.Sprintf("%d pages were sent otherwise than the policy makes them: the proxy had no time to rewrite them, the client cut them, or the page before was not in the model's context", astray)},
		{(row.Front.Mean - first.Front.Mean) * row.Calls.Mean, fmt.Sprintf("the first call has %s tokens, that of %s has %s, and each later call carries the difference: the agent said or was told something else there", whole(row.Front.Mean), first.Policy, whole(first.Front.Mean))},
		{row.Others.Mean - first.Others.Mean, fmt.Sprintf("calls beside the session have %s tokens, those of %s have %s", whole(row.Others.Mean), first.Policy, whole(first.Others.Mean))},
	}
	if math.Abs(calls) >= 0.5 && row.Calls.Mean > 0 {
		says := fmt.Sprintf("the agent made %s model calls, %d were predicted: it did something else", decimal(row.Calls.Mean), f.Calls)
		if row.Lost.Mean > float64(f.Lost) {
			says += fmt.Sprintf("; %s elements a run could not be read when it used them", decimal(row.Lost.Mean))
		}
		if len(row.Ends) == 1 && (len(first.Ends) != 1 || row.Ends[0] != first.Ends[0]) {
			says += fmt.Sprintf("; it ended with %q", row.Ends[0])
		}
		each := (row.Input.Mean - row.Others.Mean) / row.Calls.Mean
		if calls < 0 && f.Calls > 0 { // the calls that were not made are known from the forecast alone
			each = f.Input / float64(f.Calls)
		}
		list = append(list, cause{calls * each, says})
	}
	slices.SortStableFunc(list, func(a, b cause) int { return cmp.Compare(math.Abs(b.tokens), math.Abs(a.tokens)) })
	rest := miss
	for _, c := range list {
		if c.tokens*miss > 0 && math.Abs(c.tokens) >= weighty*math.Abs(miss) {
			out = append(out, fmt.Sprintf("%s tokens a run: %s", plus(c.tokens), c.says))
			rest -= c.tokens
		}
	}
	if rest*miss > 0 && math.Abs(rest) > math.Abs(miss)/2 {
		out = append(out, plus(rest)+" tokens a run: no cause was found in the recordings")
	}
	return out
}

// plus is a number of tokens with its sign.
func plus(f float64) string {
	if f < 0 {
		return "−" + whole(-f)
	}
	return "+" + whole(f)
}
