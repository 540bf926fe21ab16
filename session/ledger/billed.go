package ledger

import (
	"math"
	"sort"

	"snapscope/session"
)

// A session with receipts is charged by them. As sent, a call costs exactly what
// its receipt says. Under a policy the receipt is moved: what was read from the
// cache is read again, up to the same place of the conversation, as long as the
// policy changed nothing before that place; the rest is written to the cache, for
// minutes or for an hour, or is plain, in the shares of the bill. So a policy that
// changes nothing costs what was billed.

// charge takes the receipt of call i to the call, or leaves what the rule makes of
// it where there is none, and works out the call's cost.
func (m *machine) charge(f *Call, i int, c *session.Call) {
	if c.Model != nil {
		f.Real = c.Model.Usage
	}
	u := told(c)
	if u != nil && !u.NoCache && !m.o.CountOnly {
		f.receipt(m.moved(f, i, *u))
	}
	p := m.priceOf(c)
	switch {
	case m.price == nil:
	case m.rec.billed && u == nil:
		m.unbilled++
	case p == nil:
		m.unpriced++
	default:
		usage := session.Usage{Input: f.InputTokens, CacheRead: f.CachedTokens, CacheWrite: f.WrittenTokens, CacheHour: f.HourTokens}
		cost := p.Billed(usage) * m.money(f)
		f.Cost = &cost
	}
}

// receipt puts a count in the place of what the rule says is cached and written.
func (f *Call) receipt(u session.Usage) {
	f.CachedTokens = max(0, min(u.CacheRead, f.InputTokens))
	f.WrittenTokens = max(0, min(u.CacheWrite, f.InputTokens-f.CachedTokens))
	f.HourTokens = max(0, min(u.CacheHour, f.WrittenTokens))
	f.PlainTokens = f.InputTokens - f.CachedTokens - f.WrittenTokens
}

// moved is the receipt of call i as the policy leaves it.
func (m *machine) moved(f *Call, i int, u session.Usage) session.Usage {
	if m.h.asSent || i >= len(m.rec.sent) {
		return u
	}
	s := &m.rec.sent[i]
	read := m.place(f, i, u.CacheRead)
	if s.ChangedAt != f.ChangedAt {
		as := m.place(f, i, max(0, s.ChangedAt)) // where the session itself changed, in this call's tokens
		switch {
		case f.ChangedAt >= 0 && (s.ChangedAt < 0 || f.ChangedAt < as):
			read = min(read, f.CachedTokens) // the policy changed what the call had read
		case s.ChangedAt >= 0 && (f.ChangedAt < 0 || f.ChangedAt > as) && u.CacheRead <= s.ChangedAt:
			read = max(read, f.CachedTokens) // the session changed it, and the policy does not
		}
	}
	if read != u.CacheRead {
		read = m.rep.Rule.floor(read)
	}
	rest := max(0, f.InputTokens-read)
	of := u // whose shares the rest takes
	if u.Input-u.CacheRead <= 0 {
		of = m.shares
	}
	out := session.Usage{Input: f.InputTokens, CacheRead: read}
	if n := of.Input - of.CacheRead; n > 0 {
		out.CacheWrite = portion(rest, of.CacheWrite, n)
	}
	if of.CacheWrite > 0 {
		out.CacheHour = portion(out.CacheWrite, of.CacheHour, of.CacheWrite)
	}
	return out
}

// portion is part/whole of n.
func portion(n, part, whole int) int {
	return int(math.Round(float64(n) * float64(part) / float64(whole)))
}

// place finds where in call i a token position of the same call as it was sent
// lies: at the same share of the way between the ends of two earlier calls.
func (m *machine) place(f *Call, i, pos int) int {
	sent := func(k int) int { return m.rec.sent[k].InputTokens }
	now := func(k int) int {
		if k == i {
			return f.InputTokens
		}
		return m.rep.Calls[k].InputTokens
	}
	from := min(m.epoch, i)
	if pos < sent(from) { // in what stands in front of everything
		return max(0, min(pos, now(from), f.InputTokens))
	}
	j := from + sort.Search(i-from, func(k int) bool { return sent(from+k+1) > pos })
	at := now(j) + pos - sent(j)
	if j < i && sent(j+1) > sent(j) {
		at = now(j) + portion(now(j+1)-now(j), pos-sent(j), sent(j+1)-sent(j))
	}
	return max(0, min(at, f.InputTokens))
}

// cacheRule names what says which tokens are cached.
func (r *Report) cacheRule() string {
	if r.Billed {
		return "as billed"
	}
	return r.Rule.Name
}

// sharesOf is the sum of a session's receipts: what a call was billed that had
// nothing but cached tokens is shared as they are.
func sharesOf(t *session.Timeline) (sum session.Usage) {
	for _, c := range t.Calls() {
		if u := told(&c); u != nil && !u.NoCache {
			sum.Add(*u)
		}
	}
	return sum
}

// priceOf is the price of a call: of the model that it names, unless the options
// name one.
func (m *machine) priceOf(c *session.Call) *Price {
	if m.price == nil || m.o.Model != "" || c.Model == nil || c.Model.Model == "" || c.Model.Model == m.rep.Model {
		return m.price
	}
	if p, ok := m.o.Prices.Find(c.Model.Model); ok {
		return &p
	}
	return nil
}

// money is how many tokens are paid for one of the figures': without receipts the
// figures are by our own count, and pictures by the vendor's.
func (m *machine) money(f *Call) float64 {
	if m.rec.any || f.InputTokens == 0 {
		return 1
	}
	text := float64(f.InputTokens - f.By.Images)
	return (text*m.rec.factor.Value + float64(f.By.Images)) / float64(f.InputTokens)
}
