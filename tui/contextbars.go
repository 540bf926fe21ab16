package tui

import (
	"fmt"
	"slices"
	"strings"

	"snapscope/session/ledger"
)

// sideBySide is the width from which two policies' bars stand beside each other.
const sideBySide = 130

// besides are the two policies whose bars stand side by side: the one that was
// chosen for it and the one looked at, or, where both are the same, the next one.
// two is false where there is no other.
func (v *contextView) besides(f policyFigures) (left, right policyFigures, two bool) {
	named := func(name string) (policyFigures, bool) {
		for _, p := range v.set.pol {
			if p.policy.Name == name {
				return p, true
			}
		}
		full := v.set.full
		full.policy.Name = "full"
		return full, name == "full"
	}
	if ref, ok := named(v.ref); ok && v.ref != f.policy.Name {
		return ref, f, true
	}
	for _, p := range slices.Concat(v.set.pol[min(v.at+1, len(v.set.pol)):], v.set.pol) {
		if p.policy.Name != f.policy.Name {
			return f, p, true
		}
	}
	return f, f, false
}

// drawCalls draws one bar for each model call: under the chosen policy and,
// where there is room, beside it under another one, on one scale.
func (v *contextView) drawCalls(m *Model, r rect, f policyFigures) {
	c, th := m.cv, m.th
	if r.h < 4 {
		return
	}
	x := r.x
	for _, l := range []struct {
		t string
		s style
	}{{"█ live snapshots", th.barLive}, {"▓ the rest", th.barOther}, {cachedGlyph(th) + " read from cache", th.barHit}, {"░ cleared, carried no more", th.barOld}} {
		x = c.put(x, r.y, r.x+r.w, l.t, l.s) + 3
	}
	body := rect{r.x, r.y + 1, r.w, r.h - 1}
	left, right, two := v.besides(f)
	shared := max(left.report.PeakTokens, right.report.PeakTokens)
	switch {
	case two && r.w >= sideBySide:
		half := (body.w - 3) / 2
		v.drawBars(m, rect{body.x, body.y, half, body.h}, left, v.scale(left, shared))
		v.drawBars(m, rect{body.x + half + 3, body.y, half, body.h}, right, v.scale(right, shared))
	case two && body.h >= 14:
		half := body.h / 2
		v.drawBars(m, rect{body.x, body.y, body.w, half}, left, v.scale(left, shared))
		v.drawBars(m, rect{body.x, body.y + half, body.w, body.h - half}, right, v.scale(right, shared))
	default:
		v.drawBars(m, body, f, max(1, f.report.PeakTokens))
	}
}

// scale is the tokens of a full bar.
func (v *contextView) scale(f policyFigures, shared int) int {
	if v.own {
		return max(1, f.report.PeakTokens)
	}
	return max(1, shared)
}

// drawBars draws the calls under one policy.
func (v *contextView) drawBars(m *Model, r rect, f policyFigures, scale int) {
	c, th := m.cv, m.th
	x := c.put(r.x, r.y, r.x+r.w, "call  ", th.dim)
	look := th.strong
	if f.policy.Name == v.name {
		look = th.accent
	}
	x = c.put(x, r.y, r.x+r.w, f.policy.Name, look)
	c.text(rect{x + 1, r.y, r.x + r.w - x - 1, 1}, "· a full bar is "+thousands(scale), th.faint)
	rows := r.h - 1
	calls := f.report.Calls
	now := m.callAt(f.report)
	if rows >= len(calls)+callDetail && len(calls) > 0 {
		rows -= callDetail
		v.drawDetail(m, r.row(len(calls)+callDetail).inset(5, 0), calls[now])
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
		v.drawCall(m, r.row(i+1), calls[first+i], scale, first+i == now)
	}
}

// callDetail is how many rows the parts of one call take below the bars.
const callDetail = 2

// drawDetail says what the call before the step looked at is made of.
func (v *contextView) drawDetail(m *Model, r rect, call ledger.Call) {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, thousands(n)+" "+what)
		}
	}
	add(call.By.Snapshots, "snapshots")
	add(call.By.Results, "results")
	add(call.By.Messages, "messages")
	add(call.By.Fixed, "fixed")
	add(call.By.Expired, "placeholders")
	m.cv.text(r, fmt.Sprintf("call %d: %s", call.Call, strings.Join(parts, " + ")), m.th.dim)
}

// callAt is the index of the last call before the step looked at.
func (m *Model) callAt(rep *ledger.Report) int {
	s := m.step()
	out := 0
	for i, c := range rep.Calls {
		if s != nil && c.Seq <= s.ResultSeq {
			out = i
		}
	}
	return out
}

func (v *contextView) drawCall(m *Model, r rect, call ledger.Call, scale int, now bool) {
	c, th := m.cv, m.th
	look := th.dim
	if now {
		look = th.accent
	}
	c.right(rect{r.x, r.y, 4, 1}, fmt.Sprint(call.Call), look)
	c.right(rect{r.x + 5, r.y, 10, 1}, thousands(call.InputTokens), look)
	tail := fmt.Sprintf("%d live", call.LiveSnapshots)
	if call.ExpiredSnapshots > 0 {
		tail += fmt.Sprintf(" %d expired", call.ExpiredSnapshots)
	}
	left := r.x + 17
	width := r.w - 17 - 19
	if width < 10 {
		return
	}
	cells := func(n int) int {
		k := (n*width + scale/2) / scale
		if k == 0 && n > 0 {
			k = 1
		}
		return k
	}
	end := left + width
	rest := call.By.Sum() - call.By.Snapshots
	x := c.put(left, r.y, end, strings.Repeat("▓", cells(rest)), th.barOther)
	x = c.put(x, r.y, end, strings.Repeat("█", cells(call.By.Snapshots)), th.barLive)
	for i := left; i < min(left+call.CachedTokens*width/scale, x); i++ { // the prefix that was read from the cache
		c.put(i, r.y, i+1, cachedGlyph(th), th.barHit)
	}
	if call.By.Cleared > 0 {
		x = c.put(x, r.y, end, strings.Repeat("░", min(cells(call.By.Cleared), width)), th.barOld)
	}
	c.text(rect{x + 1, r.y, r.x + r.w - x - 1, 1}, tail, th.dim)
}

// cachedGlyph tells what was read from the cache by its texture where there is
// no colour.
func cachedGlyph(th *theme) string {
	if th.barHit.fg == 0 {
		return "▒"
	}
	return "█"
}
