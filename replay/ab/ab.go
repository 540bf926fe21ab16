// Package ab compares policies on real runs of an agent: what each run cost by
// the vendor's own count, and whether that is what was predicted.
//
//	recording of a run ─▶ Measure ─▶ Run ───────────────────────────┐
//	recording of a run under the first policy ─▶ Predict ─▶ Forecast ┴─▶ Compare ─▶ Table ─▶ text, JSON, Markdown, HTML
//
// It is pure arithmetic: who runs the agents and reads the recordings hands them
// in.
//
// # Prediction
//
// The ledger works out what each call of the first policy's runs would have carried
// under another policy, in the vendor's tokens: it starts from the receipt of each
// call, so what the recordings do not hold (system prompt, thoughts, pictures) is in
// the forecast, and a forecast for the first policy itself is its own measurement.
// Calls beside the session (titles, subagents) are taken as they were.
//
// # Cache
//
// How much of a run's first call comes from the cache depends on who ran before
// it, so forecast and measurement of cached tokens and of cost are compared from
// the second call on.
package ab

import (
	"context"
	"math"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// Run is one run of the agent as it was measured.
type Run struct {
	Policy string `json:"policy"`
	Round  int    `json:"round"` // from 1
	End    string `json:"end"`   // how it ended: the agent's last words, or what went wrong
	OK     bool   `json:"ok"`    // the agent's process ended with status 0
	// Succeeded is what the comparison's own check says of the run; nil: there is none.
	Succeeded *bool `json:"succeeded,omitempty"`
	// Check is the check's last line, or what was missing.
	Check   string        `json:"check,omitempty"`
	Seconds float64       `json:"seconds"`
	Steps   int           `json:"steps"`
	Calls   int           `json:"model_calls"` // of the session that bear a count
	Usage   session.Usage `json:"usage"`       // their sum, by the vendor
	First   session.Usage `json:"first_call"`  // of the first of them
	Others  int           `json:"other_calls"` // the agent's calls beside its session
	Beside  session.Usage `json:"other_usage"`
	// BesideOf is Beside by model: helpers often run on a smaller one.
	BesideOf map[string]session.Usage `json:"other_usage_by_model,omitempty"`
	Cost     *float64                 `json:"cost_usd"`                  // of all calls, by the price table
	Later    *float64                 `json:"cost_usd_after_first_call"` // the same without the first
	Receipt  *Receipt                 `json:"receipt,omitempty"`
	Asked    int                      `json:"asked_for_pages"` // calls of the snapshot tool
	Astray   int                      `json:"pages_astray"`    // pages that went out otherwise than the policy makes them
	// AstrayTokens is what those weigh more than the policy's, in all calls that carry them.
	AstrayTokens int      `json:"pages_astray_tokens,omitempty"`
	Acted        int      `json:"acted"` // elements the agent acted on
	Lost         []string `json:"lost"`  // those it could not read when it acted, a sentence each
	// Pairs are the tool calls found in the recordings of both seats; Lone those of
	// the MCP side that no model call tells of.
	Pairs int    `json:"joined_calls"`
	Lone  int    `json:"unjoined_calls,omitempty"`
	File  string `json:"recording,omitempty"`
	Link  string `json:"recording_link,omitempty"` // File as a reader of the report follows it
}

// Measure reads a run off its session: what the vendor counted, what the prices
// make of that, what was lost on the way, and whether the pages went out as policy
// p makes them. The rest of Run is the caller's.
func Measure(ctx context.Context, t *session.Timeline, p policy.Policy, o ledger.Options) (Run, error) {
	r := Run{Steps: len(t.Steps), Lost: []string{}}
	o.Fixes = false
	sent, err := ledger.AsSent(ctx, t, o)
	if err != nil {
		return r, err
	}
	for _, c := range sent.Calls {
		u := c.Real
		if u == nil {
			continue
		}
		if r.Calls == 0 {
			r.First = *u
		}
		r.Calls++
		r.Usage.Add(*u)
	}
	sends := ledger.Sends(t, p, o.Renderer)
	for _, s := range t.Steps {
		r.Asked += b2i(s.Action.Verb == session.VerbSnapshot)
		if s.Snap < 0 || !p.Rewrites() || !s.Result.Seen.Given() { // of a link to a page nothing is rewritten
			continue
		}
		if want, got := sends.Page(t, s.Snap, s.Result.Text), s.Result.Showed(); got != want.Text {
			r.Astray++
			more := sent.Factor.Value * float64(o.Renderer.Tokens(got)-want.Tokens)
			r.AstrayTokens += int(math.Round(more)) * callsAfter(sent, s.ResultSeq)
		}
	}
	r.Acted = sent.Survival.Acted
	for _, l := range sent.Survival.Lost {
		r.Lost = append(r.Lost, l.Why)
	}
	r.Cost = price(o.Prices, model(t, o), r.Usage)
	later := r.Usage
	later.Input -= r.First.Input
	later.CacheRead -= r.First.CacheRead
	later.CacheWrite -= r.First.CacheWrite
	later.CacheHour -= r.First.CacheHour
	later.Output -= r.First.Output
	r.Later = price(o.Prices, model(t, o), later)
	return r, nil
}

// callsAfter counts the calls with a receipt that carry what came at an event.
func callsAfter(sent *ledger.Report, seq int) (n int) {
	for _, c := range sent.Calls {
		n += b2i(c.Real != nil && c.Seq > seq)
	}
	return n
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AddBeside puts what the calls beside the session cost to the run's cost: titles,
// summaries, helpers of the agent's own. Without a price for one of their models
// the cost is not known.
func (r *Run) AddBeside(p *ledger.Prices) {
	for name, u := range r.BesideOf {
		more := price(p, name, u)
		for _, c := range []**float64{&r.Cost, &r.Later} {
			if *c == nil || more == nil {
				*c = nil
				continue
			}
			sum := **c + *more
			*c = &sum
		}
	}
}

// model is the model whose prices count.
func model(t *session.Timeline, o ledger.Options) string {
	if o.Model != "" {
		return o.Model
	}
	for _, c := range t.Calls() {
		if c.Model != nil && c.Model.Model != "" {
			return c.Model.Model
		}
	}
	return t.Start.Model
}

// price is what a usage costs in US dollars; nil where the model has no price.
func price(p *ledger.Prices, model string, u session.Usage) *float64 {
	if p == nil {
		return nil
	}
	pr, ok := p.Find(model)
	if !ok {
		return nil
	}
	cost := pr.Billed(u) + float64(u.Output)*pr.Output/1e6
	return &cost
}

// Add puts to a forecast the calls of the same run that were beside its session:
// what a policy does in them is not known, so they are taken as they were.
func (f *Forecast) Add(r Run, p *ledger.Prices) {
	f.Input += float64(r.Beside.Input)
	f.Cached += float64(r.Beside.CacheRead)
	f.Written += float64(r.Beside.CacheWrite)
	with := Run{Cost: f.Cost, BesideOf: r.BesideOf}
	with.AddBeside(p)
	f.Cost = with.Cost
}

// Forecast is what a policy was predicted to cost, from a run under another one.
type Forecast struct {
	Calls   int      `json:"model_calls"`
	Input   float64  `json:"input_tokens"`
	Cached  float64  `json:"cached_tokens"`  // from the second call on, as
	Written float64  `json:"written_tokens"` // this
	Cost    *float64 `json:"cost_usd"`       // and this
	Lost    int      `json:"lost"`
	// Factor and Base: the vendor's tokens are Base + Factor × ours, on average.
	Factor float64 `json:"vendor_factor"`
	Base   float64 `json:"base_tokens"`
}

// Predict answers what a session would have cost under a policy, in the vendor's
// tokens: the ledger's what-if, which starts from the receipts of each call. Calls
// without a receipt were made before the run (of a session that was resumed) or
// failed; they are in no sum. ok is false where the session holds no receipt.
func Predict(ctx context.Context, t *session.Timeline, p policy.Policy, o ledger.Options) (f Forecast, ok bool, err error) {
	o.Fixes, o.CountOnly, o.Full = false, false, nil
	if o.AsSent, err = ledger.AsSent(ctx, t, o); err != nil {
		return f, false, err
	}
	cut := ledger.ClientCut(t)
	o.Client = &cut
	rep, err := ledger.Run(ctx, t, p, o)
	if err != nil {
		return f, false, err
	}
	var later session.Usage
	for i := range rep.Calls {
		c, real := &rep.Calls[i], o.AsSent.Calls[i].Real
		if real == nil || real.Input <= 0 {
			continue
		}
		f.Calls++
		f.Input += float64(c.InputTokens)
		f.Base += float64(c.By.Uncounted)
		if f.Calls > 1 {
			later.Add(session.Usage{Input: c.InputTokens, CacheRead: c.CachedTokens, CacheWrite: c.WrittenTokens, CacheHour: c.HourTokens, Output: real.Output})
		}
	}
	if f.Calls == 0 {
		return f, false, nil
	}
	f.Base /= float64(f.Calls)
	f.Factor, f.Lost = rep.Factor.Value, len(rep.Survival.Lost)
	f.Cached, f.Written = float64(later.CacheRead), float64(later.CacheWrite)
	f.Cost = price(o.Prices, model(t, o), later)
	return f, true, nil
}
