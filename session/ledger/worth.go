package ledger

import (
	"hash/maphash"
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
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

// Value works out what a session's tokens were for. Only Renderer, System,
// Definitions and UpToStep of the options matter.
func Value(t *session.Timeline, o Options) *Worth {
	full := Simulate(t, policy.Full(), Options{
		Renderer: o.Renderer, System: o.System, Definitions: o.Definitions, UpToStep: o.UpToStep,
	})
	h := full.hist
	w := &Worth{}
	for _, e := range h.entries {
		switch e.kind {
		case PartDefinitions:
			w.Definitions += e.tokens
		case PartSystem:
			w.System += e.tokens
		case PartUser, PartSummary:
			w.User += e.tokens
		case PartAssistant:
			w.Assistant += e.tokens
		case PartToolCall:
			w.Calls += e.tokens
		case PartResult:
			w.Results += e.tokens
		case PartSnapshot:
			w.Snapshots += e.tokens
		}
	}
	h.repeats(w)
	h.used(w, t, o.UpToStep)
	return w
}

// repeats counts the snapshot lines that stood before.
func (h *history) repeats(w *Worth) {
	seed := maphash.MakeSeed()
	texts, lines := map[uint64]bool{}, map[uint64]bool{}
	for i := range h.items {
		it := &h.items[i]
		if !it.shows {
			continue
		}
		text := it.shown()
		key := maphash.String(seed, text)
		if texts[key] {
			w.Duplicate += h.entries[it.to-1].tokens
			continue
		}
		texts[key] = true
		again := 0
		for line := range strings.SplitSeq(text, "\n") {
			if strings.TrimSpace(line) == "" {
				continue
			}
			k := maphash.String(seed, line)
			if lines[k] {
				again += h.r.Count(line + "\n")
			}
			lines[k] = true
		}
		w.Duplicate += min(again, h.entries[it.to-1].tokens)
	}
}

// used finds for each action the newest snapshot that showed its target.
func (h *history) used(w *Worth, t *session.Timeline, upTo int) {
	touched := map[int]bool{}
	lines := map[[2]int]bool{}
	calls := t.Calls()
	for i := range t.Steps {
		s := &t.Steps[i]
		if upTo > 0 && s.N > upTo {
			continue
		}
		seq := s.ActionSeq
		if s.Call >= 0 && s.Call < len(calls) {
			seq = calls[s.Call].Seq
		}
		for _, want := range wants(s.Action) {
			item, at := h.newest(want, seq)
			if item < 0 {
				continue
			}
			touched[item] = true
			n, line := lineAt(h.items[item].source(), at)
			if key := [2]int{item, n}; !lines[key] {
				lines[key] = true
				w.Acted += h.r.Tokens(line + "\n")
			}
		}
	}
	for i := range h.items {
		it := &h.items[i]
		if !it.shows {
			continue
		}
		w.Shown++
		if !touched[i] {
			w.Unused++
			w.UnusedTokens += h.entries[it.to-1].tokens
		}
	}
	w.Acted = min(w.Acted, w.Snapshots)
}

// newest is the last item before an event whose snapshot shows the element, and
// where; -1 none.
func (h *history) newest(w want, seq int) (item, at int) {
	e := newEyes(h)
	for i := len(h.items) - 1; i >= 0; i-- {
		it := &h.items[i]
		if !it.shows || h.entries[it.from].seq >= seq || it.snap >= 0 && !e.pageHas(it, w) {
			continue
		}
		if at := w.find(it.source(), 0); at >= 0 {
			return i, at
		}
	}
	return -1, -1
}

// source is the page as far as it is known, else what the model was shown.
func (it *item) source() string {
	if sn := it.result.Snapshot; sn != nil && sn.Text != "" {
		return sn.Text
	}
	return it.shown()
}
