package api

import (
	"hash/maphash"
	"strconv"
	"sync"

	"snapscope/snapshot/strategy"
)

// Rule is a retention rule with what it needs to know of a history.
type Rule struct {
	Strategy *strategy.Strategy // has Retain
	Values   strategy.Values
	// Shows reports whether a tool's answer shows a page.
	Shows func(tool string, args []byte, text string) bool
	// Count counts tokens; asked only for a rule that goes by them.
	Count func(string) int
}

// Expiry applies a retention rule to the requests of a proxy and remembers what
// it took out. It is safe for concurrent use.
type Expiry struct {
	rule   Rule
	tokens bool // the rule goes by tokens
	seed   maphash.Seed

	mu     sync.Mutex
	gone   map[[32]byte]gone // results that are expired, by Block.key
	shows  map[uint64]bool   // whether a text shows a page
	counts map[uint64]int    // tokens of texts
}

type gone struct{ placeholder, reason string }

// NewExpiry makes the state of a rule for one proxy.
func NewExpiry(r Rule) *Expiry {
	e := &Expiry{rule: r, seed: maphash.MakeSeed(), gone: map[[32]byte]gone{}, shows: map[uint64]bool{}, counts: map[uint64]int{}}
	for _, k := range r.Strategy.Knobs {
		e.tokens = e.tokens || k.Unit == "tokens"
	}
	return e
}

// Cleared is one result that a request goes out without.
type Cleared struct {
	ID     string // of the tool call
	Reason string // which rule took it, with its numbers
	New    bool   // by this request for the first time
	Block  int    // index into Request.Blocks
}

// limits of what is remembered; the oldest histories of a proxy that runs for
// days are over long before.
const (
	maxGone = 200_000
	maxMemo = 100_000
)

// Apply answers the request as it goes to the vendor, and what of it is cleared.
// The request itself comes back where nothing is, or where the vendor keeps the
// history and the request holds only its end.
func (e *Expiry) Apply(r *Request) ([]byte, []Cleared) {
	if r.Previous != "" {
		return r.source, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	found, sticky := e.replay(r)
	var edits []Edit
	var out []Cleared
	times := map[[32]byte]int{}
	for i := range r.Blocks {
		k := &r.Blocks[i]
		if k.Role != Result {
			continue
		}
		g, now := found[i]
		key := k.key(0)
		if n := times[key]; n > 0 { // some servers use one id for every call
			times[key]++
			key = k.key(n)
		} else {
			times[key] = 1
		}
		before, was := e.gone[key]
		switch {
		case now:
			if sticky && !was {
				if len(e.gone) >= maxGone {
					clear(e.gone)
				}
				e.gone[key] = g
			}
		case was && sticky:
			g = before
		default:
			continue
		}
		edits = append(edits, Edit{i, g.placeholder})
		out = append(out, Cleared{ID: k.ID, Reason: g.reason, New: !was, Block: i})
	}
	return r.Splice(edits), out
}

// replay runs the history through the rule, one call for each of the model's
// turns and one for the request itself. It answers what is expired by block, and
// whether the rule leaves expired what it expired once.
func (e *Expiry) replay(r *Request) (found map[int]gone, sticky bool) {
	keeper := e.rule.Strategy.Retain(e.rule.Values)
	h := history{e: e, r: r, keeper: keeper, found: map[int]gone{}, byID: map[string]int{}, calls: map[string]*Block{}, sticky: true}
	if e.tokens {
		h.carried = e.count(string(r.System)) + e.count(string(r.Tools))
	}
	modelTurn := false
	for i := range r.Blocks {
		k := &r.Blocks[i]
		model := k.Role == Model || k.Role == Call
		if model && !modelTurn && h.begun {
			h.call()
		}
		modelTurn = model
		h.take(i, k)
	}
	if !modelTurn { // a request that ends with the model's own words goes on with them
		h.call()
	}
	return h.found, h.sticky
}

// history is one replay.
type history struct {
	e       *Expiry
	r       *Request
	keeper  strategy.Retention
	found   map[int]gone
	byID    map[string]int    // arrivals' ids to blocks
	calls   map[string]*Block // tool calls by id
	carried int               // tokens so far, with what is expired left out
	steps   int
	begun   bool
	sticky  bool
}

// take tells the keeper of one block.
func (h *history) take(i int, k *Block) {
	n := 0
	if h.e.tokens {
		n = h.e.count(k.Text) + h.e.count(string(k.Args))
		h.carried += n
	}
	switch k.Role {
	case Call:
		h.calls[k.ID] = k
	case Result:
		h.steps++
		id := "r" + strconv.Itoa(i)
		h.byID[id] = i
		h.keeper.Arrive(strategy.Arrival{ID: id, Step: h.steps, Snapshot: h.e.showsPage(h.calls[k.ID], k), Tokens: n})
	case User:
		if _, ok := h.r.Said(i); ok {
			h.keeper.Arrive(strategy.Arrival{ID: "u" + strconv.Itoa(i), User: true, Tokens: n})
		}
	}
	h.begun = true
}

// call asks the keeper before a model call.
func (h *history) call() {
	cleared, back := h.keeper.Call(h.carried)
	for _, x := range cleared {
		i, ok := h.byID[x.ID]
		if !ok {
			continue
		}
		if _, already := h.found[i]; !already && h.e.tokens {
			h.carried += h.e.count(x.Placeholder) - h.e.count(h.r.Blocks[i].Text)
		}
		h.found[i] = gone{x.Placeholder, x.Reason()}
	}
	for _, id := range back {
		if i, ok := h.byID[id]; ok {
			if _, was := h.found[i]; was {
				delete(h.found, i)
				h.sticky = false
			}
		}
	}
}

// showsPage reports whether a result shows a page, once for each text.
func (e *Expiry) showsPage(call, k *Block) bool {
	var name string
	var args []byte
	if call != nil {
		name, args = call.Name, call.Args
	}
	h := e.hash(name, string(args), k.Text)
	shows, ok := e.shows[h]
	if !ok {
		if len(e.shows) >= maxMemo {
			clear(e.shows)
		}
		shows = e.rule.Shows(name, args, k.Text)
		e.shows[h] = shows
	}
	return shows
}

func (e *Expiry) count(text string) int {
	if text == "" || e.rule.Count == nil {
		return 0
	}
	h := e.hash(text)
	n, ok := e.counts[h]
	if !ok {
		if len(e.counts) >= maxMemo {
			clear(e.counts)
		}
		n = e.rule.Count(text)
		e.counts[h] = n
	}
	return n
}

func (e *Expiry) hash(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(e.seed)
	for _, p := range parts {
		_, _ = h.WriteString(p) // it never fails
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}
