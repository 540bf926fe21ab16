package ledger

import "snapscope/session"

// Expiry is what a retention rule cleared before one call, and whether it paid.
//
// What stands behind the first cleared part was cached and has to be written
// again: that is paid once. What was cleared is carried by no later call: that
// is saved at the price it would have been read for. The placeholder is written
// too and counts with what is rewritten.
type Expiry struct {
	Call    int // the first call without the snapshots
	Step    int // the last step before it
	Cleared []Cleared
	At      int // token position of the first cleared part in the call
	Saved   int // tokens that each call from this one on does not carry
	// Rewritten is how many tokens the call had to write that it would have read.
	Rewritten int
	// Cost is what the rewriting cost once and SavedPerCall what each call saves,
	// both in plain input tokens; USD is what one plain token costs.
	Cost         float64
	SavedPerCall float64
	USD          *float64
	// BreakEven is the number of calls, this one included, after which it has
	// paid; −1: it never does.
	BreakEven float64
	CallsLeft int  // calls that profit: this one to the end, or until it was undone
	Paid      bool // CallsLeft reaches BreakEven
	Known     bool // the provider's multipliers are known; else there is no verdict

	until int // the call that undid it; 0 none
}

// Cleared is one snapshot or result that was cleared.
type Cleared struct {
	Step   int
	Tokens int // what it weighed
	Reason string

	item int
}

// Net is what the expiry saved in all, in plain input tokens; less than 0: it
// lost.
func (e Expiry) Net() float64 { return float64(e.CallsLeft)*e.SavedPerCall - e.Cost }

// expire asks the retention rule before call n. nil: nothing was cleared.
func (m *machine) expire(n int) *Expiry {
	if m.keeper == nil {
		return nil
	}
	out, back := m.keeper.Call(m.sums.Sum())
	var e *Expiry
	for k := range out {
		x := &out[k]
		i, ok := m.h.called(x.ID)
		if !ok || m.h.items[i].clearedAt() == n || m.h.items[i].gone {
			continue
		}
		it := &m.h.items[i]
		it.by, it.age = &clearing{x.Rule, x.Placeholder, n, m.lastStep()}, age{x.Calls, x.Limit}
		if it.expired {
			continue
		}
		if e == nil {
			e = &Expiry{Call: n, Step: m.lastStep()}
		}
		e.Cleared = append(e.Cleared, Cleared{Step: it.step, Tokens: it.tokens, Reason: x.Reason(), item: i})
		m.turn(i, n, true)
	}
	for _, id := range back {
		if i, ok := m.h.called(id); ok && m.h.items[i].expired && m.h.items[i].clearedAt() != n && !m.h.items[i].gone {
			m.turn(i, n, false)
			m.undone(i, n)
		}
	}
	return e
}

func (m *machine) lastStep() int { return m.h.last }

// turn clears an item from call n on, or puts it back.
func (m *machine) turn(i, n int, clear bool) {
	it := &m.h.items[i]
	it.expired = clear
	m.h.clears(i, clear)
	if it.live {
		d := b2i(clear)*2 - 1
		m.live -= d
		m.expired += d
	}
	m.sums.Cleared += it.tokens * (b2i(clear)*2 - 1)
	for k := it.from; k < it.to; k++ {
		f, w := asCame, m.h.entries[k].weight
		if clear {
			f, w = absent, weight{}
			if k == it.to-1 {
				f, w = cleared, m.h.weigh(m.h.r.Tokens(it.by.placeholder))
			}
		}
		m.set(k, n, f, w)
	}
	m.touch(m.h.position(it.from))
}

// set gives an entry its form from call n on.
func (m *machine) set(k, n int, f form, w weight) {
	e := &m.h.entries[k]
	of, was := e.now()
	m.count(e.kind, e.state, of, weight{-was.tokens, -was.own})
	m.count(e.kind, e.state, f, w)
	if l := len(e.turns); l > 0 && e.turns[l-1].call == n {
		e.turns[l-1] = turn{n, f, w}
		return
	}
	e.turns = append(e.turns, turn{n, f, w})
}

// touch notes that the request changes at a position of the order. What the call
// before did not carry yet is no change.
func (m *machine) touch(pos int) {
	if pos < m.mark && (m.changed < 0 || pos < m.changed) {
		m.changed = pos
	}
}

func (m *machine) undone(item, call int) {
	for i := len(m.rep.Expiries) - 1; i >= 0; i-- {
		e := &m.rep.Expiries[i]
		for _, c := range e.Cleared {
			if c.item == item && e.until == 0 {
				e.until = call
				return
			}
		}
	}
}

// weigh works out what the expiry cost and saves; whole is what the call would
// have read from the cache without it.
func (e *Expiry) weigh(m *machine, f *Call, whole int) {
	e.At = max(0, f.ChangedAt)
	sent, holders := 0, 0
	for _, c := range e.Cleared {
		it := &m.h.items[c.item]
		p := m.h.weigh(m.h.r.Tokens(it.by.placeholder)).tokens
		e.Saved += c.Tokens - p
		holders += p
		if m.h.position(it.from) < m.mark {
			sent += c.Tokens
		}
	}
	e.Rewritten = max(0, whole-f.CachedTokens-sent) + holders
	r := m.rep.Rule
	if e.Known = r.Write > 0; e.Known {
		rate, write := r.Read, r.Write
		if whole == 0 { // nothing would have been read: what is saved is plain
			rate = 1
		}
		if f.WrittenTokens == 0 { // too short to be kept now: what is sent anew is plain
			write = 1
		}
		e.Cost = float64(e.Rewritten) * (write - rate)
		e.SavedPerCall = float64(e.Saved) * rate
		if m.price != nil {
			usd := m.price.Input / 1e6
			if !m.rec.any {
				usd *= m.rec.factor.Value
			}
			e.USD = &usd
		}
		e.BreakEven = -1
		switch {
		case e.Cost <= 0:
			e.BreakEven = 0
		case e.SavedPerCall > 0:
			e.BreakEven = e.Cost / e.SavedPerCall
		}
	}
	m.rep.Expiries = append(m.rep.Expiries, *e)
}

func (e *Expiry) left(calls int) {
	end := calls + 1
	if e.until > 0 {
		end = e.until
	}
	e.CallsLeft = end - e.Call
	e.Paid = e.Known && e.BreakEven >= 0 && float64(e.CallsLeft) >= e.BreakEven
}

// compact shortens the history as the session's agent did.
func (m *machine) compact(e *session.Event) {
	h, n := m.h, len(m.rep.Calls)+1
	cut := h.keepFrom(e.Compact.Keep)
	m.touch(h.heads)
	m.shrunk = true
	standing := len(h.items) - h.kept
	h.cutOff(cut, func(k int) { m.set(k, n, absent, weight{}) })
	if w := h.weigh(h.r.Tokens(e.Compact.Text)); w.own > 0 {
		h.summarize(entry{kind: PartSummary, seq: e.Seq, weight: w, item: -1})
		m.count(PartSummary, "", asCame, w)
	}
	for ; h.kept < len(h.items) && h.items[h.kept].from < cut; h.kept++ {
		it := &h.items[h.kept]
		it.gone = true
		m.live -= b2i(it.live && !it.expired)
		m.expired -= b2i(it.live && it.expired)
		if it.expired {
			m.sums.Cleared -= it.tokens
		}
	}
	h.forgets()
	if m.keeper != nil && e.Compact.Keep < standing { // else it forgets nothing
		m.keeper.Compacted(e.Compact.Keep)
	}
}

// recordedPlaceholder stands for what the session's own agent cleared, where the
// session does not tell the text: the one of OpenClaw, whose events these are.
const recordedPlaceholder = "[Browser snapshot expired - content cleared]"

// clearedBySource clears what the session's own agent cleared, for the report of
// what was really sent.
func (m *machine) clearedBySource(actions []string) {
	n := len(m.rep.Calls) + 1
	for _, id := range actions {
		i, ok := m.h.byCall[id]
		if !ok || m.h.items[i].expired || m.h.items[i].gone {
			continue
		}
		it := &m.h.items[i]
		it.by = &clearing{placeholder: recordedPlaceholder, call: n, step: m.lastStep()}
		m.turn(i, n, true)
	}
}
