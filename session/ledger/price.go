package ledger

// price works out what each loss would cost to bring back, and what the policy saves
// after paying for it. An element that is lost and used five times is one loss
// with five uses: brought back once, it can be read for all of them.
//
// Recovery is one more model call with the context of that point, which asks for
// the page, and the snapshot in the call that then acts and in those after it:
// to the end of the session, or where a retention rule is at work, until the next
// snapshot takes its place. Where the same rule would hide the element again, it
// is the page in full that would have to be carried.
func (r *Report) price(m *machine) {
	type element struct {
		document int
		ref      string
	}
	each := func(lost []Lost, at []place) (sum int) {
		first := map[element]int{}
		for i := range lost {
			l := &lost[i]
			key := element{at[i].document, l.Ref}
			if k, again := first[key]; again {
				lost[k].Uses++
				continue
			}
			first[key], l.Uses = i, 1
			if k := at[i].item; k >= 0 && l.Call > 0 {
				m.priced(l, &m.h.items[k])
				sum += l.Price
			}
		}
		return sum
	}
	r.Recovery += each(r.Survival.Lost, r.lost)
	each(r.Reading.Lost, r.quotes) // told beside it: a quote that is lost need not be asked for again
}

func (m *machine) priced(l *Lost, it *item) {
	page := 0
	switch {
	case it.snap >= 0:
		page = m.h.weigh(m.h.r.Tokens(m.t.Snaps[it.snap].Snap.Text)).tokens
	case it.part >= 0:
		page = m.h.entries[it.part].tokens
	}
	calls := m.rep.Calls
	c := &calls[l.Call-1]
	until := len(calls)
	if m.keeper != nil {
		for i := range m.h.items {
			if x := &m.h.items[i]; x.live && x.step >= l.Step {
				seq := m.h.entries[x.from].seq
				for until > l.Call && calls[until-1].Seq > seq {
					until--
				}
				break
			}
		}
	}
	carried := page * (until - l.Call + 1)
	l.Price = c.InputTokens + carried
	if m.price != nil {
		usd := m.price.input(0, min(m.rep.Rule.hit(prefix{tokens: c.InputTokens, before: c.InputTokens}), c.InputTokens), 0) +
			m.price.input(0, carried-page, page)
		if !m.rec.any {
			usd *= m.rec.factor.Value
		}
		l.Cost = &usd
	}
}

// saved is what the report saves of another's input, before and after paying for
// its losses.
func (r *Report) saved(of *Report) (plain, net float64) {
	if of == nil || of.InputTokens <= 0 {
		return 0, 0
	}
	whole := float64(of.InputTokens)
	plain = 1 - float64(r.InputTokens)/whole
	return plain, plain - float64(r.Recovery)/whole
}
