package ledger

import (
	"cmp"
	"context"
	"math"
	"slices"

	"snapscope/session"
)

// Factor is how many of the vendor's tokens one token of our own count is.
type Factor struct {
	Value, Low, High float64 // Low and High: the spread; half of what was seen lies between them
	From             string  // one of the words below
	Increments       int     // learned from so many
}

// Where a factor comes from.
const (
	FromReceipts  = "receipts"  // learned from the vendor's counts in the session
	FromPublished = "published" // the price table has one for the model
	FromNothing   = "none"      // nothing is known of the model: 1
)

// known reports whether the factor is more than a guess of 1.
func (f Factor) known() bool { return f.From == FromReceipts || f.From == FromPublished }

// publishedFactor is the price table's factor of a model.
func publishedFactor(o Options, model string) Factor {
	if o.Prices != nil {
		if pr, ok := o.Prices.Find(model); ok && pr.Rule.Tokens > 0 {
			return Factor{Value: pr.Rule.Tokens, Low: pr.Rule.TokensMin, High: pr.Rule.TokensMax, From: FromPublished}
		}
	}
	return Factor{Value: 1, Low: 1, High: 1, From: FromNothing}
}

// What a factor is learned from, and what is believed.
const (
	leastIncrement  = 16  // tokens of ours: of smaller ones the frame of a message is the larger part
	leastIncrements = 3   // that a factor takes
	widestSpread    = 0.5 // of the middle half, as a share of the value: beyond it the calls do not agree
	leastFactor     = 0.5 // no tokenizer makes fewer of ours,
	mostFactor      = 3.0 // or more
)

// learnFactor learns the factor from what each call has more than the one before
// it, by the vendor's count and by ours: what stands in front of every call (the
// system prompt, tools) is in neither. It is the median of their ratios, each
// with the weight of its text, so neither thoughts that the file does not hold
// nor a few odd calls move it. ok is false where the calls do not tell.
func learnFactor(calls []Call, t *session.Timeline) (f Factor, ok bool) {
	type increment struct{ ratio, weight float64 }
	var list []increment
	total := 0.0
	for i := 1; i < len(calls); i++ {
		a, b := &calls[i-1], &calls[i]
		if a.Real == nil || b.Real == nil || a.Real.Input <= 0 || b.Real.Input <= 0 || b.ChangedAt >= 0 || !sameModel(t, i) {
			continue
		}
		pictures := b.By.Images - a.By.Images // in the vendor's tokens already
		ours := b.By.Own - a.By.Own - pictures
		theirs := b.Real.Input - a.Real.Input - pictures
		if ours < leastIncrement || theirs <= 0 {
			continue
		}
		list = append(list, increment{float64(theirs) / float64(ours), float64(ours)})
		total += float64(ours)
	}
	if len(list) < leastIncrements {
		return f, false
	}
	slices.SortFunc(list, func(a, b increment) int { return cmp.Compare(a.ratio, b.ratio) })
	at := func(share float64) float64 {
		sum := 0.0
		for _, x := range list {
			if sum += x.weight; sum >= share*total {
				return x.ratio
			}
		}
		return list[len(list)-1].ratio
	}
	f = Factor{Value: at(0.5), Low: at(0.25), High: at(0.75), From: FromReceipts, Increments: len(list)}
	return f, f.Value >= leastFactor && f.Value <= mostFactor && f.High-f.Low <= widestSpread*f.Value
}

func sameModel(t *session.Timeline, i int) bool {
	calls := t.Calls()
	return calls[i].Model != nil && calls[i-1].Model != nil && calls[i].Model.Model == calls[i-1].Model.Model
}

// receipts is what the vendor counted of a session's calls, beside our count of
// them as they were sent.
type receipts struct {
	factor    Factor
	any       bool   // some call bears the vendor's count
	billed    bool   // and some call's says what of it was cached
	uncounted []int  // by call: Breakdown.Uncounted
	sent      []Call // as they were sent, Uncounted in their input
}

// scale is what a count of ours is multiplied with in the figures: without
// receipts they are by our own count.
func (r receipts) scale() float64 {
	if r.any {
		return r.factor.Value
	}
	return 1
}

// receiptsOf reads a session's receipts. A call that the vendor did not count
// takes the difference of the call before, else that of the first one counted.
func receiptsOf(ctx context.Context, t *session.Timeline, o Options) (r receipts, err error) {
	calls := t.Calls()
	first := len(calls)
	for i := range calls {
		if u := told(&calls[i]); u != nil && !o.CountOnly {
			r.any, r.billed, first = true, r.billed || !u.NoCache, min(first, i)
		}
	}
	if o.CountOnly {
		r.factor = Factor{Value: 1, Low: 1, High: 1, From: FromNothing}
		return r, nil
	}
	r.factor = publishedFactor(o, modelOf(t, o.Model))
	if !r.any {
		return r, nil
	}
	if o.AsSent != nil {
		r.factor, r.sent = o.AsSent.Factor, slices.Clone(o.AsSent.Calls)
	} else if r.sent, err = r.count(ctx, t, o); err != nil {
		return r, err
	}
	r.uncounted = make([]int, len(calls))
	last := 0
	for k := range calls {
		i := k
		if k == 0 {
			i = first
		}
		if u := told(&calls[i]); i < len(r.sent) && u != nil {
			c := &r.sent[i]
			last = u.Input - (c.InputTokens - c.By.Uncounted)
		}
		r.uncounted[k] = last
		if k < first {
			r.uncounted[k] = max(0, last)
		}
	}
	if o.AsSent == nil {
		r.raise()
	}
	return r, nil
}

// Ready answers options with what every simulation of one session starts from, worked
// out once: for who simulates it under many policies. A session without receipts
// needs nothing.
func Ready(ctx context.Context, t *session.Timeline, o Options) (Options, error) {
	o.quotes = quotesIn(t, o.Renderer)
	if o.AsSent != nil || o.CountOnly || !slices.ContainsFunc(t.Calls(), func(c session.Call) bool { return told(&c) != nil }) {
		return o, nil
	}
	plain := o
	plain.agesOnly, plain.Progress = true, nil
	var err error
	o.AsSent, err = AsSent(ctx, t, plain)
	return o, err
}

// count counts the calls as they were sent: by our own count first, from which the
// factor is learned, then in the vendor's tokens.
func (r *receipts) count(ctx context.Context, t *session.Timeline, o Options) ([]Call, error) {
	o.CountOnly, o.agesOnly, o.Progress, o.Full = true, true, nil, nil
	own, err := AsSent(ctx, t, o)
	if err != nil {
		return nil, err
	}
	if f, ok := learnFactor(own.Calls, t); ok {
		r.factor = f
	}
	if o.scale = r.factor.Value; o.scale == 1 {
		return own.Calls, nil
	}
	sent, err := AsSent(ctx, t, o)
	if err != nil {
		return nil, err
	}
	return sent.Calls, nil
}

// raise puts what the vendor counted beside us in front of the calls as they were
// sent.
func (r *receipts) raise() {
	for k := range r.sent {
		c := &r.sent[k]
		u := max(r.uncounted[k], -c.By.Sum())
		c.By.Uncounted = u
		c.InputTokens += u
		if c.ChangedAt >= 0 && k > 0 {
			c.ChangedAt += max(0, min(u, r.uncounted[k-1]))
		}
	}
}

// told is the vendor's count of a call; nil: there is none.
func told(c *session.Call) *session.Usage {
	if c.Model == nil || c.Model.Usage == nil || c.Model.Usage.Input <= 0 {
		return nil
	}
	return c.Model.Usage
}

// weight is what a part weighs: in the tokens of the figures, and by our own count.
type weight struct{ tokens, own int }

// weigh is the weight of a text of so many tokens by our own count.
func (h *history) weigh(own int) weight {
	if h.scale == 1 {
		return weight{own, own}
	}
	return weight{int(math.Round(h.scale * float64(own))), own}
}
