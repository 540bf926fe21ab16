package ledger

import (
	"cmp"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/session/quote"
	"snapscope/snapshot/mask"
	"snapscope/snapshot/notation"
)

// Quotes are what the model took from the pages that it was given: see package quote
// for what can be one. Which they are is the session's own, whatever the policy: they
// are found once, in three passes.
//
//	what the model says and types ─▶ candidates, in one tree
//	every page, each of its lines once ─▶ which lines have which candidates
//	the events in their order ─▶ uses: a candidate that a page, as it was sent, had
//	    given since the user, a tool or the model itself last wrote it
//
// A policy's report then follows the lines with quotes, and no others, through its
// renderings (quoteread.go).
type quotes struct {
	finder *quote.Finder
	text   []string             // by candidate: as the model first wrote it
	uses   [][]use              // by call (an index)
	page   map[string][]mention // by the content hash of a page
	stood  map[int][]mention    // by the event of a result: what stood in it, where that is not its page
	cut    bool                 // a text had more candidates than are looked at
}

// mention is a line of a text with a candidate in it; they are in the order of the lines.
type mention struct{ line, token int32 }

// use is one quote: a candidate in what the model wrote after a call.
type use struct {
	token    int32
	step     int // the first step of the call; 0 none
	document int
	seq      int // of the result whose page gave it last
}

// madeQuotes keeps the quotes of the timelines that were asked for last.
type madeQuotes struct {
	mu   sync.Mutex
	list []quotesOf
}

type quotesOf struct {
	first  *session.Event // tells timelines apart
	events int
	q      *quotes
}

// keptQuotes is how many timelines' quotes a renderer keeps.
const keptQuotes = 4

// quotesIn are a timeline's quotes, made once for all who ask with the same renderer.
func quotesIn(t *session.Timeline, r *policy.Renderer) *quotes {
	if len(t.Events) == 0 {
		return &quotes{}
	}
	made := r.Cached(madeQuotesKey{}, func() any { return &madeQuotes{} }).(*madeQuotes)
	made.mu.Lock()
	defer made.mu.Unlock()
	for _, m := range made.list {
		if m.first == &t.Events[0] && m.events == len(t.Events) {
			return m.q
		}
	}
	m := quotesOf{&t.Events[0], len(t.Events), findQuotes(t, r)}
	made.list = append([]quotesOf{m}, made.list[:min(len(made.list), keptQuotes-1)]...)
	return m.q
}

type madeQuotesKey struct{}

// quoter finds the quotes of one session.
type quoter struct {
	*quotes
	h     *history
	turns []turnWords // by call
	lines map[uint64][]int32
	seed  maphash.Seed
	state []origin // by token

	arrivals []int // events of what arrived, for compactions
}

// turnWords are what the model wrote in one turn.
type turnWords struct {
	texts []spoken
	names [][]string // what it called its targets: words of the interface
}

// spoken is one text with its candidates, as numbers of the finder.
type spoken struct {
	found  []quote.Candidate
	tokens []int32
}

// origin is where a token stood last, as events; 0 nowhere.
type origin struct {
	given    int // a page, as it was sent
	document int
	written  int  // the model, a tool, or a summary
	stood    bool // a page has given it, be it one that a compaction took
	foreign  bool // the user had it, or the model itself before any page
}

func findQuotes(t *session.Timeline, r *policy.Renderer) *quotes {
	calls := t.Calls()
	b := &quoter{
		quotes: &quotes{finder: quote.NewFinder(), uses: make([][]use, len(calls)), page: map[string][]mention{}, stood: map[int][]mention{}},
		h:      &history{t: t, r: r, asSent: true}, turns: make([]turnWords, len(calls)), lines: map[uint64][]int32{}, seed: maphash.MakeSeed(),
	}
	b.collect(calls)
	if b.finder.Len() == 0 {
		return b.quotes
	}
	b.state = make([]origin, b.finder.Len())
	b.follow(calls)
	b.trim()
	return b.quotes
}

// collect puts all that the model wrote into the finder.
func (b *quoter) collect(calls []session.Call) {
	for i := range calls {
		if m := calls[i].Model; m != nil && m.Text != "" {
			b.say(i, m.Text)
		}
	}
	for i := range b.h.t.Steps {
		s := &b.h.t.Steps[i]
		if s.Call < 0 || s.Call >= len(calls) || s.Action.Person {
			continue
		}
		if s.Action.Spoken && calls[s.Call].Model != nil {
			continue // it stands in the text
		}
		typed(s.Action.Args, func(key, text string) {
			switch key {
			case "text", "value", "values":
				b.say(s.Call, text)
			case "element":
				b.turns[s.Call].names = append(b.turns[s.Call].names, quote.Words(text))
			}
		})
	}
}

func (b *quoter) say(call int, text string) {
	found, cut := quote.Candidates(text)
	b.cut = b.cut || cut
	tokens := make([]int32, len(found))
	for i, c := range found {
		tokens[i] = b.finder.Add(c.Words)
		if int(tokens[i]) == len(b.text) {
			b.text = append(b.text, c.Text)
		}
	}
	b.turns[call].texts = append(b.turns[call].texts, spoken{found, tokens})
}

// typed goes through the texts among arguments, with the key they stand under.
func typed(v map[string]any, each func(key, text string)) {
	var walk func(key string, v any)
	walk = func(key string, v any) {
		switch v := v.(type) {
		case string:
			each(key, v)
		case []any:
			for _, x := range v {
				walk(key, x)
			}
		case []string:
			for _, x := range v {
				each(key, x)
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(k, v[k])
			}
		}
	}
	walk("", v)
}

// follow goes through the session and notes of each turn what it took from a page.
func (b *quoter) follow(calls []session.Call) {
	t := b.h.t
	next := 0
	steps := make([]stepAt, len(t.Events)+1)
	first := make([]int, len(calls))
	for i := range t.Steps {
		s := &t.Steps[i]
		steps[s.ActionSeq].action, steps[s.ResultSeq].result = i+1, i+1
		if s.Call >= 0 && s.Call < len(calls) && first[s.Call] == 0 {
			first[s.Call] = s.N
		}
	}
	snapOf := map[string]int{}
	for i := range t.Events {
		e := &t.Events[i]
		for ; next < len(calls) && calls[next].Seq <= e.Seq; next++ {
			b.turn(next, first[next], e.Seq)
		}
		switch {
		case e.User != nil:
			b.arrivals = append(b.arrivals, e.Seq)
			b.finder.Find(e.User.Text, func(k int32) { b.state[k].foreign = true })
		case e.Compact != nil:
			b.compacted(e)
		case e.Action != nil && !e.Action.Person:
			typed(e.Action.Args, func(_, text string) { b.finder.Find(text, func(k int32) { b.wrote(k, e.Seq) }) })
		case e.Result != nil:
			var s *session.Step
			if k := steps[e.Seq].result; k > 0 {
				s = &t.Steps[k-1]
			}
			b.arrivals = append(b.arrivals, e.Seq)
			if s == nil || !s.Action.Person {
				b.result(e, s, snapOf)
			}
		}
	}
}

// turn takes what the model wrote after a call: of what overlaps the longest counts.
func (b *quoter) turn(call, step, seq int) {
	w := &b.turns[call]
	counted := map[int32]bool{}
	for _, text := range w.texts {
		order := make([]int, len(text.found))
		for i := range order {
			order[i] = i
		}
		size := func(i int) int { return text.found[i].To - text.found[i].From }
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
		taken := map[int]bool{}
		for _, i := range order {
			c, k := &text.found[i], text.tokens[i]
			o := b.state[k]
			if o.given == 0 && !o.foreign || overlaps(taken, c) {
				continue
			}
			for p := c.From; p < c.To; p++ {
				taken[p] = true
			}
			if o.foreign || o.given < o.written || counted[k] || secret(c.Text) || named(w.names, c.Words) {
				continue
			}
			counted[k] = true
			b.uses[call] = append(b.uses[call], use{k, step, o.document, o.given})
		}
	}
	for _, text := range w.texts {
		for _, k := range text.tokens {
			b.wrote(k, seq)
		}
	}
}

// secret reports a text with a secret in it, or with the sign of one that was masked.
func secret(text string) bool {
	return strings.Contains(text, mask.Masked) || mask.New(false).Text(text) != text
}

func overlaps(taken map[int]bool, c *quote.Candidate) bool {
	for p := c.From; p < c.To; p++ {
		if taken[p] {
			return true
		}
	}
	return false
}

// named reports words that are those of a target, or a part of them.
func named(names [][]string, words []string) bool {
	for _, n := range names {
		for i := 0; i+len(words) <= len(n); i++ {
			if slices.Equal(n[i:i+len(words)], words) {
				return true
			}
		}
	}
	return false
}

// wrote notes that the model itself, or a tool that shows no page, wrote a token.
func (b *quoter) wrote(token int32, seq int) {
	o := &b.state[token]
	o.foreign = o.foreign || !o.stood
	o.written = seq
}

// result notes what a result says and shows.
func (b *quoter) result(e *session.Event, s *session.Step, snapOf map[string]int) {
	it := item{seq: e.Seq, result: e.Result, seen: seen(e.Result), snap: -1}
	document := 0
	if s != nil {
		it.step, it.snap, document = s.N, s.Snap, s.Document
	}
	if it.snap >= 0 {
		snapOf[e.Result.Action] = it.snap
	}
	b.finder.Find(resultText(e.Result), func(k int32) { b.state[k].written = e.Seq })
	if it.seen == "" || it.seen != session.SeenExcerpt && !it.seen.Given() {
		return
	}
	var page []mention
	if it.snap >= 0 {
		page = b.mentions(b.h.t.Snaps[it.snap].Snap.Hash, b.h.page(&it))
	}
	given := page
	if got, ok := b.wired(&it, snapOf); ok {
		it.rendered, given = got, nil
		(&follower{q: b.quotes}).shown(&it, page, func(m mention, base bool) { given = append(given, m) })
	} else if stood := b.h.stood(&it); stood != it.page {
		given = b.mentions("", stood)
		b.stood[e.Seq] = given
	}
	for _, m := range given {
		if o := &b.state[m.token]; o.given != e.Seq {
			o.given, o.document, o.stood = e.Seq, document, true
		}
	}
}

func (b *quoter) wired(it *item, snapOf map[string]int) (policy.Rendered, bool) {
	if it.snap < 0 || it.seen == session.SeenExcerpt {
		return policy.Rendered{}, false
	}
	return Wired(b.h.r, b.h.t, it.snap, func(action string) int {
		if k, ok := snapOf[action]; ok {
			return k
		}
		return -1
	})
}

// mentions are the lines of a text that have a candidate. Each line is looked at once,
// on however many pages it stands.
func (b *quoter) mentions(hash string, text *notation.Text) []mention {
	if hash != "" {
		if got, ok := b.page[hash]; ok {
			return got
		}
	}
	var out []mention
	for i := range text.Len() {
		raw := text.Raw(i)
		key := maphash.String(b.seed, raw)
		tokens, known := b.lines[key]
		if !known {
			says(text, i, func(said string) { b.finder.Find(said, func(k int32) { tokens = append(tokens, k) }) })
			slices.Sort(tokens)
			tokens = slices.Compact(tokens)
			b.lines[key] = tokens
		}
		for _, k := range tokens {
			out = append(out, mention{int32(i), k})
		}
	}
	if hash != "" {
		b.page[hash] = out
	}
	return out
}

// says goes through what a line of a page says: its name, its value, its text, and
// never its role, its ref or its states.
func says(text *notation.Text, i int, each func(said string)) {
	l := text.Line(i)
	switch {
	case l.Kind == notation.OtherLine:
		each(l.Raw)
		return
	case text.Dialect() == notation.Index: // a field's words stand in its tag
		each(l.AttrsAt.Of(l.Raw))
	}
	each(l.Name())
	each(l.Value())
}

// compacted takes what a compaction took: a page that is gone gave nothing.
func (b *quoter) compacted(e *session.Event) {
	from := e.Seq
	if n := len(b.arrivals); e.Compact.Keep > 0 && n > 0 {
		from = b.arrivals[max(0, n-e.Compact.Keep)]
	}
	for k := range b.state {
		if b.state[k].given < from {
			b.state[k].given = 0
		}
	}
	b.finder.Find(e.Compact.Text, func(k int32) { b.state[k].written = e.Seq })
}

// trim leaves the mentions of what was quoted.
func (b *quoter) trim() {
	quoted := make([]bool, b.finder.Len())
	for _, us := range b.uses {
		for _, u := range us {
			quoted[u.token] = true
		}
	}
	keep := func(ms []mention) []mention {
		return slices.Clip(slices.DeleteFunc(ms, func(m mention) bool { return !quoted[m.token] }))
	}
	for k, ms := range b.page {
		b.page[k] = keep(ms)
	}
	for k, ms := range b.stood {
		b.stood[k] = keep(ms)
	}
}
