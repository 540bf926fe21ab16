package ledger

import (
	"hash/maphash"
	"sort"
	"strings"
)

// Worth tells what the tokens of a session went for: by source, and of the
// snapshots, what repeats and what was never acted on. It is of the session as
// it was recorded, each part counted once.
type Worth struct {
	Definitions int // tool definitions
	System      int // system prompt
	User        int // user messages and summaries
	Assistant   int // what the model said
	Calls       int // tool calls
	Results     int // results besides snapshots
	Snapshots   int // snapshot parts

	// Duplicate is how many tokens of Snapshots are lines that an earlier
	// snapshot had already shown, letter by letter.
	Duplicate int
	// Acted is how many tokens of Snapshots are the lines of elements that were
	// acted on; the rest never was.
	Acted int
	// Unused counts the snapshots from which no element was taken, UnusedTokens
	// what they weigh.
	Unused       int
	UnusedTokens int
	Shown        int // snapshots in all
}

// Total is all tokens, each part once.
func (w Worth) Total() int {
	return w.Definitions + w.System + w.User + w.Assistant + w.Calls + w.Results + w.Snapshots
}

// worth works out what a session's tokens were for, from its report as sent.
func (r *Report) worth() *Worth {
	w := &Worth{}
	for _, e := range r.hist.entries {
		switch e.kind {
		case PartDefinitions:
			w.Definitions += e.own
		case PartSystem:
			w.System += e.own
		case PartUser, PartSummary:
			w.User += e.own
		case PartAssistant:
			w.Assistant += e.own
		case PartToolCall:
			w.Calls += e.own
		case PartResult, PartImage:
			w.Results += e.own
		case PartSnapshot:
			w.Snapshots += e.own
		}
	}
	for _, v := range r.values() {
		w.Shown++
		w.Duplicate += v.repeated
		w.Acted += v.used
		if !v.acted {
			w.Unused++
			w.UnusedTokens += r.hist.entries[v.part].own
		}
	}
	w.Acted = min(w.Acted, w.Snapshots)
	return w
}

// snapshotValue is what one snapshot was good for.
type snapshotValue struct {
	item, part int
	repeated   int  // tokens of lines that a snapshot before it had shown
	acted      bool // an element of it was acted on
	used       int  // tokens of the lines of such elements
}

// values weighs the snapshots that the model read, oldest first. It is worked
// out once.
func (r *Report) values() []snapshotValue {
	h := r.hist
	if h.weighed != nil {
		return h.weighed
	}
	out := []snapshotValue{}
	at := map[int]int{}
	for i := range h.items {
		if it := &h.items[i]; it.live && it.part >= 0 {
			at[i] = len(out)
			out = append(out, snapshotValue{item: i, part: it.part})
		}
	}
	h.repeats(out)
	h.used(out, at, r.Steps)
	h.weighed = out
	return out
}

// repeats counts the snapshot lines that stood before.
func (h *history) repeats(out []snapshotValue) {
	seed := maphash.MakeSeed()
	texts, lines := map[uint64]bool{}, map[uint64]bool{}
	for i := range out {
		v := &out[i]
		text, tokens := h.items[v.item].asShown(), h.entries[v.part].own
		key := maphash.String(seed, text)
		if texts[key] {
			v.repeated = tokens
			continue
		}
		texts[key] = true
		for line := range strings.SplitSeq(text, "\n") {
			if strings.TrimSpace(line) == "" {
				continue
			}
			k := maphash.String(seed, line)
			if lines[k] {
				v.repeated += h.r.Count(line + "\n")
			}
			lines[k] = true
		}
		v.repeated = min(v.repeated, tokens)
	}
}

// used finds for each action the newest snapshot that showed its target.
func (h *history) used(out []snapshotValue, at map[int]int, steps int) {
	lines := map[[2]int]bool{}
	calls := h.t.Calls()
	told, last, live := make([]int, len(h.items)), -1, []int(nil)
	for i := range h.items {
		it := &h.items[i]
		if it.result != nil && it.document != 0 {
			last = i
		}
		told[i] = last
		if it.live {
			live = append(live, it.place)
		}
	}
	for i := range h.t.Steps[:min(steps, len(h.t.Steps))] {
		s := &h.t.Steps[i]
		seq := s.ActionSeq
		if s.Call >= 0 && s.Call < len(calls) {
			seq = calls[s.Call].Seq
		}
		for _, want := range wants(s.Action) {
			item, n := h.shown(want, seq, told, live)
			k, ok := at[item]
			if item < 0 || !ok {
				continue
			}
			out[k].acted = true
			if key := [2]int{item, n}; !lines[key] {
				lines[key] = true
				out[k].used += h.r.Tokens(h.reading(&h.items[item]).Raw(n) + "\n")
			}
		}
	}
}

// shown is the last live item before an event whose page shows the element, and the
// line; -1 none. told are, by item, the last one up to it that tells its document.
func (h *history) shown(w want, seq int, told, live []int) (item, line int) {
	end := sort.Search(len(h.items), func(i int) bool { return h.entries[h.items[i].from].seq >= seq })
	lists := []list{in(live)}
	if end > 0 && told[end-1] >= 0 { // what came behind it tells no document
		lists = append(lists, h.document(w, h.items[told[end-1]].document))
	}
	before := sort.SearchInts(h.t.Told(), seq) - 1
	lists = append(lists, func(at int) int { return min(at, before) })
	for i, it := range h.newest(h.shows(w), lists...) {
		if end > 0 && told[end-1] > i && it.document != h.items[told[end-1]].document {
			continue
		}
		if n := w.line(h.reading(it)); n >= 0 {
			return i, n
		}
	}
	return -1, -1
}
