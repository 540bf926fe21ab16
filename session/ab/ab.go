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
// The ledger counts what each call of the first policy's runs would have carried
// under another policy, with a tokenizer of its own. The vendor counts otherwise:
// another tokenizer, a system prompt, the frames of messages. How the two relate
// is learned from the first policy's own receipts, call by call, as a straight
// line (Fit), and the forecast is told in the vendor's tokens. So a forecast for
// the first policy itself is nearly its own measurement; for the others it is one.
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
	Policy  string        `json:"policy"`
	Round   int           `json:"round"` // from 1
	End     string        `json:"end"`   // how it ended: the agent's last words, or what went wrong
	OK      bool          `json:"ok"`    // the agent's process ended well
	Seconds float64       `json:"seconds"`
	Steps   int           `json:"steps"`
	Calls   int           `json:"model_calls"` // of the session that bear a count
	Usage   session.Usage `json:"usage"`       // their sum, by the vendor
	First   session.Usage `json:"first_call"`  // of the first of them
	Others  int           `json:"other_calls"` // the agent's calls beside its session
	Beside  session.Usage `json:"other_usage"`
	Cost    *float64      `json:"cost_usd"`                  // of the session's calls, by the price table
	Later   *float64      `json:"cost_usd_after_first_call"` // the same without the first
	Receipt *Receipt      `json:"receipt,omitempty"`
	Asked   int           `json:"asked_for_pages"` // calls of the snapshot tool
	Astray  int           `json:"pages_astray"`    // other pages that went out otherwise than the policy makes them
	Acted   int           `json:"acted"`           // elements the agent acted on
	Lost    []string      `json:"lost"`            // those it could not read when it acted, a sentence each
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
	for _, s := range t.Steps {
		switch {
		case s.Action.Verb == session.VerbSnapshot:
			r.Asked++
		case s.Snap < 0 || !p.Rewrites() || !s.Result.Seen.Given(): // of a link to a page nothing is rewritten
		case s.Result.Showed() != o.Renderer.Render(t, s.Snap, p).Text:
			r.Astray++
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

// Forecast is what a policy was predicted to cost, from a run under another one.
type Forecast struct {
	Calls   int      `json:"model_calls"`
	Input   float64  `json:"input_tokens"`
	Cached  float64  `json:"cached_tokens"`  // from the second call on, as
	Written float64  `json:"written_tokens"` // this
	Cost    *float64 `json:"cost_usd"`       // and this
	Lost    int      `json:"lost"`
	Fit     Fit      `json:"fit"`
}

// Predict answers what a session would have cost under a policy, in the vendor's
// tokens. ok is false where the session holds no count to learn from.
func Predict(ctx context.Context, t *session.Timeline, p policy.Policy, o ledger.Options) (f Forecast, ok bool, err error) {
	o.Fixes, o.CountOnly, o.Full, o.AsSent = false, true, nil, nil
	sent, err := ledger.AsSent(ctx, t, o)
	if err != nil {
		return f, false, err
	}
	f.Fit, ok = Learn(sent)
	if !ok {
		return f, false, nil
	}
	o, fit := f.Fit.ground(t, o)
	rep, err := ledger.Run(ctx, t, p, o)
	if err != nil {
		return f, false, err
	}
	f.Calls = len(rep.Calls)
	var u session.Usage
	later := 0.0
	for i, c := range rep.Calls {
		in := fit.Vendor(float64(c.InputTokens), len(rep.Parts(c.Call)))
		f.Input += in
		if i == 0 {
			continue
		}
		later += in
		if c.CachedTokens > 0 {
			hit := fit.Vendor(float64(c.CachedTokens), cachedParts(rep, c.Call))
			f.Cached += min(hit, in)
		}
		f.Written += fit.Slope * float64(c.WrittenTokens)
		if c.Real != nil {
			u.Output += c.Real.Output
		}
	}
	f.Lost = len(rep.Survival.Lost)
	u.Input, u.CacheRead = int(math.Round(later)), int(math.Round(f.Cached))
	if writes(sent) {
		u.CacheWrite = min(int(math.Round(f.Written)), u.Input-u.CacheRead)
	} else {
		f.Written = 0
	}
	f.Cost = price(o.Prices, model(t, o), u)
	return f, true, nil
}

// writes reports whether the vendor counts what it writes to its cache.
func writes(r *ledger.Report) bool {
	for _, c := range r.Calls {
		if c.Real != nil && c.Real.CacheWrite > 0 {
			return true
		}
	}
	return false
}
