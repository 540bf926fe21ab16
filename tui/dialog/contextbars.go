package dialog

import (
	"fmt"
	"slices"
	"strings"

	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/view"
)

// sideBySide is the width from which two policies' bars stand beside each other.
const sideBySide = 130

// besides are the two policies whose bars stand side by side: the one that was
// chosen for it and the one looked at, or, where both are the same, the next one.
// two is false where there is no other.
func (v *ContextView) besides(f view.PolicyFigures) (left, right view.PolicyFigures, two bool) {
	named := func(name string) (view.PolicyFigures, bool) {
		for _, p := range v.set.Pol {
			if p.Policy.Name == name {
				return p, true
			}
		}
		full := v.set.Full
		full.Policy.Name = "full"
		return full, name == "full"
	}
	if ref, ok := named(v.ref); ok && v.ref != f.Policy.Name {
		return ref, f, true
	}
	for _, p := range slices.Concat(v.set.Pol[min(v.at+1, len(v.set.Pol)):], v.set.Pol) {
		if p.Policy.Name != f.Policy.Name {
			return f, p, true
		}
	}
	return f, f, false
}

// drawCalls draws one bar for each model call: under the chosen policy and,
// where there is room, beside it under another one, on one scale.
func (v *ContextView) drawCalls(m *pane.Painter, r layout.Rect, f view.PolicyFigures) {
	c, th := m.Cv, m.Th
	if r.H < 4 {
		return
	}
	x := r.X
	for _, l := range []struct {
		t string
		s draw.Style
	}{{"█ live snapshots", th.BarLive}, {"▓ the rest", th.BarOther}, {cachedGlyph(th) + " read from cache", th.BarHit}, {"░ cleared, sent no more", th.BarOld}} {
		x = c.Put(x, r.Y, r.X+r.W, l.t, l.s) + 3
	}
	body := layout.R(r.X, r.Y+1, r.W, r.H-1)
	left, right, two := v.besides(f)
	shared := max(left.Report.PeakTokens, right.Report.PeakTokens)
	switch {
	case two && r.W >= sideBySide:
		half := (body.W - 3) / 2
		v.drawBars(m, layout.R(body.X, body.Y, half, body.H), left, v.scale(left, shared))
		v.drawBars(m, layout.R(body.X+half+3, body.Y, half, body.H), right, v.scale(right, shared))
	case two && body.H >= 14:
		half := body.H / 2
		v.drawBars(m, layout.R(body.X, body.Y, body.W, half), left, v.scale(left, shared))
		v.drawBars(m, layout.R(body.X, body.Y+half, body.W, body.H-half), right, v.scale(right, shared))
	default:
		v.drawBars(m, body, f, max(1, f.Report.PeakTokens))
	}
}

// scale is the tokens of a full bar.
func (v *ContextView) scale(f view.PolicyFigures, shared int) int {
	if v.own {
		return max(1, f.Report.PeakTokens)
	}
	return max(1, shared)
}

// drawBars draws the calls under one policy.
func (v *ContextView) drawBars(m *pane.Painter, r layout.Rect, f view.PolicyFigures, scale int) {
	c, th := m.Cv, m.Th
	x := c.Put(r.X, r.Y, r.X+r.W, "call  ", th.Dim)
	look := th.Strong
	if f.Policy.Name == v.name {
		look = th.Accent
	}
	x = c.Put(x, r.Y, r.X+r.W, f.Policy.Name, look)
	c.Text(layout.R(x+1, r.Y, r.X+r.W-x-1, 1), "· a full bar is "+wording.Count(scale), th.Faint)
	rows := r.H - 1
	calls := f.Report.Calls
	now := m.S.CallAt(f.Report)
	if rows >= len(calls)+v.detail() && len(calls) > 0 {
		rows -= v.detail()
		v.drawDetail(m, layout.R(r.X+5, r.Y+len(calls)+callDetail, r.W-5, v.detail()-1), calls[now])
	}
	first := v.call
	if !v.moved {
		first = now - rows/2
	}
	first = max(0, min(first, len(calls)-rows))
	if v.moved {
		v.call = first
	}
	for i := 0; i < rows && first+i < len(calls); i++ {
		v.drawCall(m, r.Row(i+1), calls[first+i], scale, first+i == now)
	}
}

// callDetail is how many rows the parts of one call take below the bars.
const callDetail = 2

// detail is the same with the vendor's count of it, where there is one.
func (v *ContextView) detail() int {
	if v.set.Vendor != nil {
		return callDetail + 1
	}
	return callDetail
}

// drawDetail says what the call before the step looked at is made of.
func (v *ContextView) drawDetail(m *pane.Painter, r layout.Rect, call ledger.Call) {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, wording.Count(n)+" "+what)
		}
	}
	add(call.By.Snapshots, "snapshots")
	add(call.By.Results, "results")
	add(call.By.Messages, "messages")
	add(call.By.Fixed, "fixed")
	add(call.By.Expired, "placeholders")
	add(call.By.Uncounted, "that only the vendor counts")
	m.Cv.Text(r.Row(0), fmt.Sprintf("call %d: %s", call.Call, strings.Join(parts, " + ")), m.Th.Dim)
	m.Cv.Text(r.Row(1), v.set.VendorOf(call.Call), m.Th.Dim)
}

func (v *ContextView) drawCall(m *pane.Painter, r layout.Rect, call ledger.Call, scale int, now bool) {
	c, th := m.Cv, m.Th
	look := th.Dim
	if now {
		look = th.Accent
	}
	c.Right(layout.R(r.X, r.Y, 4, 1), fmt.Sprint(call.Call), look)
	c.Right(layout.R(r.X+5, r.Y, 10, 1), wording.Count(call.InputTokens), look)
	tail := fmt.Sprintf("%d live", call.LiveSnapshots)
	if call.ExpiredSnapshots > 0 {
		tail += fmt.Sprintf(" %d expired", call.ExpiredSnapshots)
	}
	left := r.X + 17
	width := r.W - 17 - 19
	if width < 10 {
		return
	}
	cells := func(n int) int {
		k := (max(n, 0)*width + scale/2) / scale // less than nothing is where the vendor counts less than we do
		if k == 0 && n > 0 {
			k = 1
		}
		return k
	}
	end := left + width
	rest := call.By.Sum() - call.By.Snapshots
	x := c.Put(left, r.Y, end, strings.Repeat("▓", cells(rest)), th.BarOther)
	x = c.Put(x, r.Y, end, strings.Repeat("█", cells(call.By.Snapshots)), th.BarLive)
	for i := left; i < min(left+call.CachedTokens*width/scale, x); i++ { // the prefix that was read from the cache
		c.Put(i, r.Y, i+1, cachedGlyph(th), th.BarHit)
	}
	if call.By.Cleared > 0 {
		x = c.Put(x, r.Y, end, strings.Repeat("░", min(cells(call.By.Cleared), width)), th.BarOld)
	}
	c.Text(layout.R(x+1, r.Y, r.X+r.W-x-1, 1), tail, th.Dim)
}

// cachedGlyph tells what was read from the cache by its texture where there is
// no colour.
func cachedGlyph(th *draw.Theme) string {
	if th.BarHit.Fg == 0 {
		return "▒"
	}
	return "█"
}
