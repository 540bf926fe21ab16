package ledger

import (
	"math"
	"sort"
)

// Bill says what a session's input was made of, as it was sent. Where the
// session holds the vendor's counts it is of the calls that the vendor counted
// and its parts sum to that count; else it is of all calls by our own.
type Bill struct {
	Calls     int  // the calls it is of
	Of        int  // all calls
	Vendor    *int // the vendor's input tokens; nil: the session does not hold them
	Counted   int  // what we count of the same calls, by our own count
	Ours      int  // the same in the vendor's tokens, where Vendor is known
	Uncounted *int // what the vendor counts of each call besides, rounded; nil where Vendor is
	Factor    Factor
	Parts     BillParts

	// Snapshots by what they hold, which sum to Parts.Snapshots: lines that no
	// snapshot before had shown, and lines that one had.
	Fresh, Repeated int
	// NeverActed is the part of Parts.Snapshots in snapshots from which no element
	// was taken.
	NeverActed int
	// Browsing is what the results of browser tools took, Results what those of all
	// tools did, by our count.
	Browsing, Results int
}

// BillParts splits input tokens by what they are.
type BillParts struct {
	SystemTools  int // system prompt, tool definitions, and what else the session does not hold
	User         int // what users said, and summaries
	Model        int // what the model said and its tool calls
	Snapshots    int
	Screenshots  int // pictures
	OtherResults int // results besides snapshots, and placeholders
}

func (p BillParts) list() [6]int {
	return [6]int{p.SystemTools, p.User, p.Model, p.Snapshots, p.Screenshots, p.OtherResults}
}

// Sum is all tokens of the parts.
func (p BillParts) Sum() (n int) {
	for _, x := range p.list() {
		n += x
	}
	return n
}

func (p *BillParts) add(l [6]int) {
	p.SystemTools += l[0]
	p.User += l[1]
	p.Model += l[2]
	p.Snapshots += l[3]
	p.Screenshots += l[4]
	p.OtherResults += l[5]
}

// BillOf makes the bill of a session from its report as sent.
func BillOf(sent *Report) *Bill {
	b := &Bill{Of: len(sent.Calls), Factor: sent.Factor}
	vendor := 0
	for _, c := range sent.Calls {
		if c.Real != nil && c.Real.Input > 0 {
			vendor += c.Real.Input
			b.Calls++
		}
	}
	all := b.Calls == 0
	for _, c := range sent.Calls {
		if !all && (c.Real == nil || c.Real.Input <= 0) {
			continue
		}
		b.Counted += c.By.Own
		b.Ours += c.InputTokens - c.By.Uncounted
		parts := [6]int{c.By.Fixed, c.By.User, c.By.Messages - c.By.User, c.By.Snapshots, c.By.Images, c.By.Results + c.By.Expired}
		switch {
		case c.By.Uncounted >= 0:
			parts[0] += c.By.Uncounted
		default: // we count more than the vendor: ours are shares of its count
			parts = shared(parts, c.InputTokens)
		}
		b.Parts.add(parts)
	}
	if all {
		b.Calls = len(sent.Calls)
	} else {
		each := int(math.Round(float64(vendor-b.Ours) / float64(b.Calls)))
		b.Vendor, b.Uncounted = &vendor, &each
	}
	b.snapshots(sent)
	return b
}

// shared scales parts so that they sum to a total; what rounding leaves goes to
// the largest.
func shared(parts [6]int, total int) [6]int {
	sum, largest := 0, 0
	for i, n := range parts {
		sum += n
		if n > parts[largest] {
			largest = i
		}
	}
	if sum == 0 {
		return [6]int{total}
	}
	left := total
	for i, n := range parts {
		parts[i] = int(float64(n) / float64(sum) * float64(total))
		left -= parts[i]
	}
	parts[largest] += left
	return parts
}

// snapshots splits the snapshots of the bill by what they hold, and works out how
// much of what tools answered is of a browser's.
func (b *Bill) snapshots(sent *Report) {
	h := sent.hist
	if h == nil {
		return
	}
	seqs := []int{} // of the bill's calls
	for _, c := range sent.Calls {
		if b.Vendor == nil || c.Real != nil && c.Real.Input > 0 {
			seqs = append(seqs, c.Seq)
		}
	}
	again, unused, total := 0.0, 0.0, 0.0
	for _, v := range sent.values() {
		e := &h.entries[v.part]
		n := float64(h.callsWith(e, sent.Calls, seqs))
		total += n * float64(e.tokens)
		again += n * float64(v.repeated)
		if !v.acted {
			unused += n * float64(e.tokens)
		}
	}
	of := func(n float64) int { return int(math.Round(float64(b.Parts.Snapshots) * n / math.Max(1, total))) }
	b.Repeated = min(b.Parts.Snapshots, of(again))
	b.Fresh = b.Parts.Snapshots - b.Repeated
	b.NeverActed = min(b.Parts.Snapshots, of(unused))
	for k := range h.entries {
		e := &h.entries[k]
		if e.step <= 0 || e.item < 0 {
			continue
		}
		n := e.own * h.callsWith(e, sent.Calls, seqs)
		b.Results += n
		if h.t.Steps[e.step-1].Action.Verb != "" {
			b.Browsing += n
		}
	}
}

// callsWith counts the calls, of those with these positions, that hold an entry
// as it came.
func (h *history) callsWith(e *entry, calls []Call, seqs []int) (n int) {
	from, f := sort.SearchInts(seqs, e.seq+1), asCame
	for _, turn := range e.turns {
		at := len(seqs)
		if turn.call <= len(calls) {
			at = sort.SearchInts(seqs, calls[turn.call-1].Seq)
		}
		if at = max(at, from); f == asCame {
			n += at - from
		}
		from, f = at, turn.form
	}
	if f == asCame {
		n += len(seqs) - from
	}
	return n
}
