package view

import (
	"context"
	"fmt"
	"math"

	"snapscope/replay/ab"
	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
)

// vendor sets our count of the session beside the vendor's, or finds it in the
// answer before.
func (ask FigureAsk) vendor(ctx context.Context) (*ab.Drift, error) {
	if h := ask.Have; h != nil && h.events == len(ask.View.Events) {
		return h.Vendor, nil
	}
	d, ok, err := ab.CheckDrift(ctx, ask.View, ask.Opt)
	if err != nil || !ok {
		return nil, err
	}
	return &d, nil
}

// VendorLine is what the vendor counted of the calls so far and how far off we
// are.
func (s *FigureSet) VendorLine() string {
	d := s.Vendor
	cached, out := 0, 0
	for _, c := range d.Each {
		cached += c.Real.CacheRead
		out += c.Real.Output
	}
	line := fmt.Sprintf("vendor: %s in, %s of it cached, %s out, over %s · our count %s", wording.Count(d.Vendor), wording.Count(cached),
		wording.Count(out), wording.Plural(d.Calls, "call"), apart(d.Off))
	if r := s.Sent.Report; r != nil && r.Usage != nil && r.Factor.From != ledger.FromNothing {
		line += fmt.Sprintf(" · input in vendor tokens (× %.2f)", r.Factor.Value)
	}
	if d.Cached {
		line += " · our model of its cache " + apart(d.Cache.Off)
	}
	return line
}

// VendorCauses name what is more than 2 % off, with its likely cause.
func (s *FigureSet) VendorCauses() []string {
	var out []string
	if c := s.Vendor.Cause; c != "" {
		out = append(out, "count "+apart(s.Vendor.Off)+": "+c)
	}
	if c := s.Vendor.Cache.Explained; c != "" {
		out = append(out, "cache "+apart(s.Vendor.Cache.Off)+": "+c)
	}
	return out
}

// VendorOf is the vendor's count of one call beside ours; "" there is none.
func (s *FigureSet) VendorOf(call int) string {
	if s.Vendor == nil {
		return ""
	}
	c, ok := s.Vendor.Each[call]
	if !ok {
		return ""
	}
	text := fmt.Sprintf("vendor: %s in, %s cached; ours %s, %s", wording.Count(c.Real.Input), wording.Count(c.Real.CacheRead), wording.Count(c.Ours), apart(c.Off))
	if c.Cause != "" {
		text += ": " + c.Cause
	}
	return text
}

// apart is a distance as a share, with its sign.
func apart(x float64) string {
	sign := "+"
	if x < 0 {
		sign = wording.Minus
	}
	return sign + wording.Percent(math.Abs(x))
}
