package ab

import (
	"context"
	"fmt"
	"math"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
)

// Fit relates our count of a call to the vendor's: vendor = Base + Slope × ours +
// Frame × parts, a part being a message, a tool call or a result.
type Fit struct {
	Base  float64 `json:"base"`
	Slope float64 `json:"slope"`
	Frame float64 `json:"frame"` // what the form of each part weighs
	Calls int     `json:"calls"` // that it was learned from
	// Off is the largest distance of a call from the line, as a share of the call.
	Off float64 `json:"off"`
}

// Vendor is a count of ours in the vendor's tokens.
func (f Fit) Vendor(ours float64, parts int) float64 {
	return max(0, f.Base+f.Slope*ours+f.Frame*float64(parts))
}

// ground puts what the vendor counts of every call, and we do not, in front of the
// history, where it is cached: a cache's least prefix is then held against whole
// requests. The fit that comes back is for counts with it.
func (f Fit) ground(t *session.Timeline, o ledger.Options) (ledger.Options, Fit) {
	if f.Base <= 0 {
		return o, f
	}
	if o.System == 0 {
		o.System = t.Start.System
	}
	front := int(math.Round(f.Base / f.Slope))
	o.System += front
	f.Base -= f.Slope * float64(front)
	return o, f
}

// String is the fit as people read it.
func (f Fit) String() string {
	return fmt.Sprintf("vendor = %.0f + %.3f × ours + %.1f a part, over %d calls, at most %s off", f.Base, f.Slope, f.Frame, f.Calls, wording.Percent(f.Off))
}

// point is one call: our count, its parts, the vendor's count.
type point struct{ ours, parts, vendor float64 }

// mostFrame is more than any vendor's frame of a message weighs, in tokens.
const mostFrame = 25

// Learn finds the line through the calls of a session as it was sent (least
// squares); sent is a report with Options.CountOnly. Where the calls do not tell
// the parts' weight from the text's, the parts weigh nothing; with few calls,
// calls that are all alike or a slope that no tokenizer has, the line is a plain
// factor. ok is false without any count.
func Learn(sent *ledger.Report) (f Fit, ok bool) {
	var list []point
	for _, c := range sent.Calls {
		if c.Real != nil && c.Real.Input > 0 && c.InputTokens > 0 {
			list = append(list, point{float64(c.InputTokens), float64(len(sent.Parts(c.Call))), float64(c.Real.Input)})
		}
	}
	if len(list) == 0 {
		return Fit{}, false
	}
	f = factor(list)
	if len(list) >= 3 {
		if line, ok := line(list, false); ok {
			f = line
		}
	}
	if len(list) >= 5 {
		if plane, ok := line(list, true); ok {
			f = plane
		}
	}
	f.Calls = len(list)
	for _, p := range list {
		f.Off = max(f.Off, math.Abs(f.Vendor(p.ours, int(p.parts))-p.vendor)/p.vendor)
	}
	return f, true
}

// factor is the fit of a session that tells no more than a ratio.
func factor(list []point) Fit {
	var ours, vendor float64
	for _, p := range list {
		ours += p.ours
		vendor += p.vendor
	}
	return Fit{Slope: vendor / ours}
}

// line is the least squares fit, with the parts' weight or without. ok is false
// where the calls do not determine it.
func line(list []point, frames bool) (f Fit, ok bool) {
	var x, k, y mean
	for _, p := range list {
		x.add(p.ours)
		k.add(p.parts)
		y.add(p.vendor)
	}
	var xx, kk, xk, xy, ky float64
	for _, p := range list {
		dx, dk, dy := p.ours-x.of(), p.parts-k.of(), p.vendor-y.of()
		xx, kk, xk, xy, ky = xx+dx*dx, kk+dk*dk, xk+dx*dk, xy+dx*dy, ky+dk*dy
	}
	if xx < 1e-4*x.of()*x.of()*float64(len(list)) {
		return f, false
	}
	f.Slope = xy / xx
	if frames {
		det := xx*kk - xk*xk
		if det < 1e-3*xx*kk { // text and parts grow together
			return f, false
		}
		f.Slope = (xy*kk - ky*xk) / det
		f.Frame = (ky*xx - xy*xk) / det
	}
	f.Base = y.of() - f.Slope*x.of() - f.Frame*k.of()
	return f, f.Slope > 0.3 && f.Slope < 3 && f.Frame >= 0 && f.Frame <= mostFrame
}

type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }
func (m mean) of() float64    { return m.sum / float64(m.n) }

// cachedParts is how many parts of call n the ledger takes to be cached.
func cachedParts(r *ledger.Report, n int) int {
	k := 0
	for _, p := range r.Parts(n) {
		if !p.Cached {
			break
		}
		k++
	}
	return k
}

// String is the check in words.
func (k CacheCheck) String() string {
	s := fmt.Sprintf("%s tokens modelled, %s by the vendor, %s", whole(k.Modelled), wording.Count(k.Vendor), signed(k.Off))
	if k.Explained != "" {
		s += ": " + k.Explained
	}
	return s
}

// CacheCheck sets the ledger's model of the prompt cache beside what the vendor
// read from it, over the calls of one session.
type CacheCheck struct {
	Calls     int     `json:"calls"` // compared: from the second that bears a count
	Modelled  float64 `json:"modelled_tokens"`
	Vendor    int     `json:"vendor_tokens"`
	Off       float64 `json:"off"`        // (modelled − vendor) / vendor; 0 where the vendor read nothing and neither did the model
	Worst     int     `json:"worst_call"` // the call that is furthest off; 0 none
	WorstOff  int     `json:"worst_tokens"`
	Misses    int     `json:"misses"` // calls of which the vendor read nothing though the model would
	Rule      string  `json:"rule"`
	Explained string  `json:"explained"`
}

// CheckCache checks the cache model on a session as it was sent. ok is false
// where the session holds no count of two calls.
func CheckCache(ctx context.Context, t *session.Timeline, o ledger.Options) (k CacheCheck, ok bool, err error) {
	o.Fixes, o.CountOnly, o.Full, o.AsSent = false, true, nil, nil
	sent, err := ledger.AsSent(ctx, t, o)
	if err != nil {
		return k, false, err
	}
	fit, ok := Learn(sent)
	if !ok {
		return k, false, nil
	}
	o, fit = fit.ground(t, o)
	if sent, err = ledger.AsSent(ctx, t, o); err != nil {
		return k, false, err
	}
	k.Rule = sent.Rule.Name
	worst, first, short := 0.0, true, 0.0
	for _, c := range sent.Calls {
		if c.Real == nil {
			continue
		}
		if first { // who ran before decides what it reads
			first = false
			continue
		}
		m := 0.0
		if c.CachedTokens > 0 {
			m = min(fit.Vendor(float64(c.CachedTokens), cachedParts(sent, c.Call)), float64(c.Real.Input))
		}
		k.Calls++
		k.Modelled += m
		k.Vendor += c.Real.CacheRead
		d := m - float64(c.Real.CacheRead)
		if c.Real.CacheRead == 0 && m > 0 {
			k.Misses++
			short += m
		}
		if math.Abs(d) > worst {
			worst, k.Worst, k.WorstOff = math.Abs(d), c.Call, int(math.Round(d))
		}
	}
	if k.Calls == 0 {
		return k, false, nil
	}
	switch {
	case k.Vendor > 0:
		k.Off = (k.Modelled - float64(k.Vendor)) / float64(k.Vendor)
	case k.Modelled > 0:
		k.Off = 1
	}
	k.Explained = k.explain(short)
	return k, true, nil
}

// drift is the distance that is named with its likely cause.
const drift = 0.02

// explain names the likely cause of a drift; "" where there is none.
func (k CacheCheck) explain(short float64) string {
	switch {
	case math.Abs(k.Off) <= drift:
		return ""
	case k.Vendor == 0 && k.Misses == k.Calls:
		return "the vendor read nothing from its cache in any call: it was not asked to cache, or the prefix changes with every call"
	case k.Off > 0 && short >= (k.Modelled-float64(k.Vendor))/2:
		return fmt.Sprintf("%d calls read nothing from the cache: they came after it had run dry, or something before the history changed", k.Misses)
	case k.Off > 0:
		return fmt.Sprintf("the vendor reads less than the longest equal prefix, most at call %d (%d tokens): the agent changed an earlier message, or set its cache marks before the end", k.Worst, k.WorstOff)
	}
	return fmt.Sprintf("the vendor reads more than the model knows of, most at call %d (%d tokens): calls beside the session, or an earlier session, left a prefix", k.Worst, -k.WorstOff)
}
