package ledger

import "slices"

// summarize puts a summary before all but the head.
func (h *history) summarize(e entry) {
	h.said++
	h.sums = append(h.sums, len(h.entries))
	h.entries = append(h.entries, e)
}

// length is the number of entries that a request holds now.
func (h *history) length() int { return h.heads + len(h.sums) - h.sumsCut + len(h.tail) }

// standing is the entry at a position of the request.
func (h *history) standing(pos int) int {
	if pos < h.heads {
		return pos
	}
	if pos -= h.heads; pos < len(h.sums)-h.sumsCut {
		return h.sums[len(h.sums)-1-pos]
	}
	return h.tail[pos-len(h.sums)+h.sumsCut]
}

// cutOff takes the entries before one out of the request, but not the head, and gives
// each of them.
func (h *history) cutOff(before int, gone func(k int)) {
	for ; h.sumsCut < len(h.sums) && h.sums[h.sumsCut] < before; h.sumsCut++ {
		gone(h.sums[h.sumsCut])
		h.said--
	}
	n, _ := slices.BinarySearch(h.tail, before)
	for i, k := range h.tail[:n] {
		gone(k)
		if i == 0 || h.entries[h.tail[i-1]].seq != h.entries[k].seq {
			h.said--
		}
	}
	h.tail = h.tail[n:]
}

// position is where an entry, which is no summary, stands in the request; 0 where it
// is gone.
func (h *history) position(k int) int {
	if i, ok := slices.BinarySearch(h.tail, k); ok {
		return h.length() - len(h.tail) + i
	}
	return 0
}

// tokensBefore sums the entries before a position as they last turned; whole is
// the sum of all: what turns stands near the end of most requests.
func (h *history) tokensBefore(pos, whole int) int {
	if n := h.length(); pos > n/2 {
		return whole - h.tokens(pos, n)
	}
	return h.tokens(0, pos)
}

// tokens sums the entries at positions as they last turned.
func (h *history) tokens(from, to int) (n int) {
	for pos := from; pos < to; pos++ {
		_, w := h.entries[h.standing(pos)].now()
		n += w.tokens
	}
	return n
}

// messages counts the messages from a position of the order on: the parts of
// one event are one.
func (h *history) messages(pos int) int {
	if pos == h.heads {
		return h.said
	}
	n, last := 0, -1
	for ; pos < h.length(); pos++ {
		e := &h.entries[h.standing(pos)]
		if f, _ := e.now(); f != absent && e.seq != last {
			n, last = n+1, e.seq
		}
	}
	return n
}

// keepFrom is the first entry that stands after a compaction to the last keep
// arrivals: a kept result keeps the tool call before it.
func (h *history) keepFrom(keep int) int {
	if keep <= 0 || len(h.items) == 0 {
		return len(h.entries)
	}
	first := &h.items[max(0, len(h.items)-keep)]
	if k := h.callOf[first.step]; first.step > 0 && k > 0 {
		return min(first.from, k-1)
	}
	return first.from
}
