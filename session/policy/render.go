package policy

import (
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
)

// Rendered is one snapshot result as an agent would read it under a policy.
type Rendered struct {
	Stages []StageView // the rewrites in order; empty under full
	Text   string
	Kind   strategy.Kind
	Tokens int // of Text; 0 of a renderer that only decides
	Base   int // index into Timeline.Snaps whose rendering Text is read on top of; -1: it stands alone
	Offset int // lines of Text's page that stand before the aria text's first line
	// Whole says why the page stands as it came though the policy rewrites; "" else.
	Whole session.Whole
}

// StageView is what one rewrite of a policy did.
type StageView struct {
	Strategy *strategy.Strategy
	Verdict  strategy.Verdict
	Base     int  // the baseline's index, -1 none
	Offset   int  // lines of its input that stand before those of the stage before
	Exact    bool // with its knobs it leaves nothing out, see strategy.Strategy
}

// Reason is the last stage that did something, in its own words.
func (r Rendered) Reason() string {
	if r.Whole != "" {
		return "as it came: " + r.Whole.String()
	}
	for i := len(r.Stages) - 1; i >= 0; i-- {
		if v := r.Stages[i].Verdict; v.Kind != strategy.KindFull || i == 0 {
			return v.Reason()
		}
	}
	return "nothing is left out"
}

// Renderer applies policies to the snapshots of a timeline and remembers what
// it made: a turned knob computes again only the stages from that knob on, and a
// timeline that grew only its new snapshots. What was not asked for longest is
// forgotten first when the memory is full. It is safe for concurrent use.
type Renderer struct {
	count func(string) int

	mu     sync.Mutex
	ids    map[string]int // of strategies with knob values up to a stage
	memo   map[int]*shelf // by that id
	tick   int
	bytes  int
	limit  int
	rough  bool            // see NewDeciding
	alone  bool            // nobody else holds the pages: a rendering that is its page counts, too
	counts map[string]int  // tokens of the short texts around snapshots
	pages  *notation.Cache // snapshots as they are read

	cache sync.Map // what others keep with the renderer, see Cached
}

// shelf holds what one row of stages made of the snapshots, by their lineage.
type shelf struct {
	made  map[string]Rendered
	bytes int
	used  int // the tick it was last asked
}

// rendererLimit is how many bytes of renderings are kept: about a thousand
// snapshots of 80 KB under two policies that change all of them.
const rendererLimit = 192 << 20

// pagesLimit is how many bytes of read pages are kept: those of about a thousand
// snapshots of 80 KB, their texts counted.
const pagesLimit = 192 << 20

// Pages keeps the pages read last; whoever looks at a snapshot shares them.
func (r *Renderer) Pages() *notation.Cache { return r.pages }

// NewRenderer makes a renderer that counts tokens with count.
func NewRenderer(count func(string) int) *Renderer {
	return newRenderer(count, rendererLimit, pagesLimit)
}

// NewBatch makes a renderer for one of many sessions that are gone through side by
// side, a few at a time: it keeps a quarter of what NewRenderer's does.
func NewBatch(count func(string) int) *Renderer {
	return newRenderer(count, rendererLimit/4, pagesLimit/4)
}

// NewPassing makes a renderer for a session that is looked at as it goes by: it
// remembers the last few pages and not the session.
func NewPassing(count func(string) int) *Renderer {
	r := newRenderer(count, 2<<20, 2<<20)
	r.alone = true
	return r
}

// deciding is how many bytes of renderings, and of pages as they are read, a renderer
// keeps for whoever waits for the texts alone: that asks for the newest page, and for
// those that it is compared with.
const deciding = 4 << 20

// NewDeciding makes a renderer for whoever waits for the texts alone: it counts
// only what a decision hangs on, and tells no Tokens.
func NewDeciding(count func(string) int) *Renderer {
	r := newRenderer(count, deciding, deciding)
	r.rough, r.alone = true, true
	return r
}

func newRenderer(count func(string) int, limit, pages int) *Renderer {
	return &Renderer{
		count: count, ids: map[string]int{}, memo: map[int]*shelf{},
		limit: limit, counts: map[string]int{}, pages: notation.NewCache(pages),
	}
}

// Count is the tokenizer the renderer was made with.
func (r *Renderer) Count(text string) int { return r.count(text) }

// Tokens is Count for a text that will be asked for again: the messages and
// tool calls between snapshots.
func (r *Renderer) Tokens(text string) int {
	if text == "" {
		return 0
	}
	r.mu.Lock()
	n, ok := r.counts[text]
	r.mu.Unlock()
	if ok {
		return n
	}
	n = r.count(text)
	r.mu.Lock()
	if len(r.counts) > 1<<16 {
		clear(r.counts)
	}
	r.counts[text] = n
	r.mu.Unlock()
	return n
}

// Cached answers what was made before under key, else makes it: a place for
// what is derived from texts and lives as long as the renderer does.
func (r *Renderer) Cached(key any, make func() any) any {
	if v, ok := r.cache.Load(key); ok {
		return v
	}
	v, _ := r.cache.LoadOrStore(key, make())
	return v
}

// Plan is a policy's rewrites bound to a renderer: make it once to render many
// snapshots.
type Plan struct {
	r      *Renderer
	stages []bound
}

type bound struct {
	s  *strategy.Strategy
	v  strategy.Values
	id int // of the stages up to this one
}

// Plan binds the rewrites of policy p.
func (r *Renderer) Plan(p Policy) Plan {
	out := Plan{r: r}
	key := ""
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, st := range p.Stages {
		s := st.Strategy
		if s.Apply == nil {
			continue
		}
		v := st.Values()
		key += s.Name + "{" + v.Key() + "}"
		id, ok := r.ids[key]
		if !ok {
			id = len(r.ids) + 1
			r.ids[key] = id
		}
		out.stages = append(out.stages, bound{s, v, id})
	}
	return out
}

// Rewrites reports whether the plan has any rewrite: without one every snapshot
// stands as it came.
func (p Plan) Rewrites() bool { return len(p.stages) > 0 }

// Compares reports whether the plan has a rewrite that looks at pages before.
func (p Plan) Compares() bool {
	for _, st := range p.stages {
		if st.s.Base != nil {
			return true
		}
	}
	return false
}

// Remembers reports whether what goes out of a page can hang on what went out before
// it: a rewrite compares pages, or has a notation that is taught once.
func (p Plan) Remembers() bool {
	return p.Compares() || slices.ContainsFunc(p.stages, func(st bound) bool { return st.s.Notation != "" })
}

// Render answers what snapshot i of the timeline looks like under the plan, with
// every page as a base that its reader was given and still has. What goes out in a
// whole session hangs on more than that: see Reader.
func (p Plan) Render(t *session.Timeline, i int) Rendered { return p.r.stage(t, i, 0, p.stages) }

// since is Render with the snapshots before a first one as no base for anybody.
func (p Plan) since(t *session.Timeline, i, first int) Rendered {
	return p.r.stage(t, i, first, p.stages)
}

// Render answers what snapshot i of the timeline looks like under policy p.
func (r *Renderer) Render(t *session.Timeline, i int, p Policy) Rendered {
	return r.Plan(p).Render(t, i)
}

func (r *Renderer) stage(t *session.Timeline, i, first int, stages []bound) Rendered {
	id := 0
	if n := len(stages); n > 0 {
		id = stages[n-1].id
	}
	past := t.Past(i)
	key := past.Lineage
	if len(past.Readable) > 0 && past.Readable[0] < first {
		key += " " + strconv.Itoa(i-first) // the lineage tells of all before it
	}
	if got, ok := r.recall(id, key); ok {
		return got
	}
	out := r.apply(t, i, first, stages)
	r.keep(id, key, out, t.Snaps[i].Snap.Text)
	return out
}

func (r *Renderer) recall(id int, key string) (Rendered, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.memo[id]
	if s == nil {
		return Rendered{}, false
	}
	r.tick++
	s.used = r.tick
	got, ok := s.made[key]
	return got, ok
}

func (r *Renderer) keep(id int, key string, out Rendered, source string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.memo[id]
	if s == nil {
		s = &shelf{made: map[string]Rendered{}}
		r.memo[id] = s
	}
	r.tick++
	s.used = r.tick
	if _, ok := s.made[key]; ok {
		return
	}
	s.made[key] = out
	if r.alone {
		source = ""
	}
	n := out.size(source)
	s.bytes += n
	r.bytes += n
	for r.bytes > r.limit && r.forget(id) {
	}
	if r.rough && r.bytes > r.limit { // nobody asks for what went out long ago
		s.made, s.bytes, r.bytes = map[string]Rendered{key: out}, n, n
	}
}

// forget drops the row of stages that was not asked for longest, never keep.
func (r *Renderer) forget(keep int) bool {
	old := -1
	for id, s := range r.memo {
		if id != keep && (old < 0 || s.used < r.memo[old].used) {
			old = id
		}
	}
	if old < 0 {
		return false
	}
	r.bytes -= r.memo[old].bytes
	delete(r.memo, old)
	return true
}

// Forget drops what was made for policy p and for it alone: for a benchmark, or
// when a policy will not be asked for again.
func (r *Renderer) Forget(p Policy) {
	stages := r.Plan(p).stages
	if len(stages) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id := stages[len(stages)-1].id
	if s := r.memo[id]; s != nil {
		r.bytes -= s.bytes
		delete(r.memo, id)
	}
}

// size is about how many bytes a rendering holds of its own.
func (r Rendered) size(source string) int {
	n := 160
	if len(r.Text) != len(source) || r.Text != source {
		n += len(r.Text)
	}
	if k := len(r.Stages); k > 0 { // those before it are counted with their own stage
		n += 16*len(r.Stages[k-1].Verdict.Lines) + 200*k
	}
	return n
}

// Largest is the largest page that is rewritten, in bytes: no model reads a larger
// one, and an agent waits for the rewrite.
const Largest = 4 << 20

// whole says why a page stands as it came under every policy; "" where it does not.
func whole(sn *session.Snap) session.Whole {
	switch {
	case sn.Again:
		return session.WholeAgain
	case sn.Moment.Failed:
		return session.WholeFailed
	case len(sn.Snap.Text) > Largest:
		return session.WholeLarge
	}
	return ""
}

func (r *Renderer) apply(t *session.Timeline, i, first int, stages []bound) Rendered {
	sn := t.Snaps[i]
	if len(stages) == 0 {
		return r.asCame(sn.Snap.Text, "")
	}
	if why := whole(&sn); why != "" {
		return r.asCame(sn.Snap.Text, why)
	}
	last := stages[len(stages)-1]
	before := r.stage(t, i, first, stages[:len(stages)-1])
	page, offset := compose(last.s, r.pageOf(sn.Snap, before.Text))
	in := strategy.Input{Page: page, Tool: sn.Moment.Tool, Count: r.count, Rough: r.rough}
	base := baseOf(t, i, first, last)
	if base >= 0 {
		b := r.stage(t, base, first, stages[:len(stages)-1])
		p, _ := compose(last.s, r.pageOf(t.Snaps[base].Snap, b.Text))
		in.Base = &p
	}
	past := t.Past(i)
	in.Visited = past.Visited
	if j := past.Prev; j >= 0 {
		p := r.pageOf(t.Snaps[j].Snap, t.Snaps[j].Snap.Text)
		in.Prev = &p
	}
	v := last.s.Apply(in, last.v)
	out := Rendered{
		Stages: append(before.Stages[:len(before.Stages):len(before.Stages)], StageView{last.s, v, base, offset, last.s.Exact != nil && last.s.Exact(last.v)}),
		Text:   v.Text, Kind: v.Kind, Base: before.Base, Offset: before.Offset + offset,
	}
	if v.Kind == strategy.KindFull {
		out.Kind = before.Kind
	}
	if v.NeedsBase {
		out.Base = base
	}
	out.Tokens = before.Tokens
	if v.Text != before.Text {
		out.Tokens = r.tokens(v.Text)
	}
	return out
}

func (r *Renderer) asCame(text string, why session.Whole) Rendered {
	return Rendered{Text: text, Kind: strategy.KindFull, Tokens: r.tokens(text), Base: -1, Whole: why}
}

func (r *Renderer) tokens(text string) int {
	if r.rough {
		return 0
	}
	return r.count(text)
}

// baseOf asks a stage which earlier snapshot it compares snapshot i with. Only
// those are offered that its reader was given and still has, from the first on:
// what was merely linked to is no base for anyone.
func baseOf(t *session.Timeline, i, first int, b bound) int {
	if b.s.Base == nil {
		return -1
	}
	past := t.Past(i)
	from := sort.SearchInts(past.Readable, first)
	k := b.s.Base(past.Moments[from:], t.Snaps[i].Moment, b.v)
	if k < 0 || from+k >= len(past.Readable) {
		return -1
	}
	return past.Readable[from+k]
}

// compose gives the text a session hands to a strategy and how many lines it
// put before the page's own.
func compose(s *strategy.Strategy, p strategy.Page) (strategy.Page, int) {
	if s.Compose == nil {
		return p, 0
	}
	text := s.Compose(p)
	offset := strings.Count(strings.TrimSuffix(text, p.Text), "\n")
	p.Text, p.Parsed = text, nil
	return p, offset
}

// pageOf is a snapshot as a strategy gets it. The page's own text is read once
// and shared by all who look at it.
func (r *Renderer) pageOf(s *snapshot.Snapshot, text string) strategy.Page {
	p := strategy.Page{
		URL: s.URL, Title: s.Title, Text: text, Dialect: s.Dialect,
		Elements: s.Elements, Viewport: s.Viewport, Boxes: s.Boxes,
	}
	switch s.Dialect {
	case notation.Aria, notation.UID, notation.AgentBrowser:
		if len(text) == len(s.Text) && text == s.Text {
			p.Parsed = func() *notation.Text { return r.pages.Read(s.Hash, s.Text, s.Dialect) }
		}
	}
	return p
}
