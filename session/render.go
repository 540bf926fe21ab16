package session

import (
	"strings"
	"sync"

	"snapscope/snapshot"
	"snapscope/snapshot/strategy"
)

// Rendered is one snapshot result as an agent would read it under a policy.
type Rendered struct {
	Stages []StageView // the rewrites in order; empty under full
	Text   string
	Kind   strategy.Kind
	Tokens int // of Text
	Base   int // index into Timeline.Snaps whose rendering Text is read on top of; -1: it stands alone
	Offset int // lines of Text's page that stand before the aria text's first line
}

// StageView is what one rewrite of a policy did.
type StageView struct {
	Strategy *strategy.Strategy
	Verdict  strategy.Verdict
	Base     int // the baseline's index, -1 none
}

// Reason is the last stage that did something, in its own words.
func (r Rendered) Reason() string {
	for i := len(r.Stages) - 1; i >= 0; i-- {
		if v := r.Stages[i].Verdict; v.Kind != strategy.KindFull || i == 0 {
			return v.Reason
		}
	}
	return "nothing is left out"
}

// Renderer applies policies to the snapshots of a timeline and remembers what
// it made: a turned knob computes again only the stages from that knob on.
// It is safe for concurrent use.
type Renderer struct {
	count func(string) int
	mu    sync.Mutex
	memo  map[memoKey]Rendered
}

type memoKey struct {
	policy string // strategies and knob values up to a stage
	snap   int
	hash   string // of the snapshot, so that one renderer cannot answer for another timeline
}

// NewRenderer makes a renderer that counts tokens with count.
func NewRenderer(count func(string) int) *Renderer {
	return &Renderer{count: count, memo: map[memoKey]Rendered{}}
}

// Count is the tokenizer the renderer was made with.
func (r *Renderer) Count(text string) int { return r.count(text) }

// Render answers what snapshot i of the timeline looks like under policy p.
func (r *Renderer) Render(t *Timeline, i int, p Policy) Rendered {
	stages := make([]bound, 0, len(p.Stages))
	key := ""
	for _, st := range p.Stages {
		s, err := strategy.Get(st.Strategy)
		if err != nil || s.Apply == nil {
			continue
		}
		v := s.Values(st.Knobs)
		key += s.Name + "{" + v.Key() + "}"
		stages = append(stages, bound{s, v, key})
	}
	return r.stage(t, i, stages)
}

type bound struct {
	s   *strategy.Strategy
	v   strategy.Values
	key string
}

func (r *Renderer) stage(t *Timeline, i int, stages []bound) Rendered {
	sn := t.Snaps[i]
	key := memoKey{snap: i, hash: sn.Snap.Hash}
	if n := len(stages); n > 0 {
		key.policy = stages[n-1].key
	}
	r.mu.Lock()
	got, ok := r.memo[key]
	r.mu.Unlock()
	if ok {
		return got
	}
	out := r.apply(t, i, stages)
	r.mu.Lock()
	r.memo[key] = out
	r.mu.Unlock()
	return out
}

func (r *Renderer) apply(t *Timeline, i int, stages []bound) Rendered {
	sn := t.Snaps[i]
	if len(stages) == 0 {
		return Rendered{Text: sn.Snap.Text, Kind: strategy.KindFull, Tokens: r.count(sn.Snap.Text), Base: -1}
	}
	last := stages[len(stages)-1]
	before := r.stage(t, i, stages[:len(stages)-1])
	page, offset := compose(last.s, pageOf(sn.Snap, before.Text))
	in := strategy.Input{Page: page, Tool: sn.Moment.Tool, Count: r.count}
	base := -1
	if last.s.Base != nil {
		past := make([]strategy.Moment, i)
		for j := range past {
			past[j] = t.Snaps[j].Moment
		}
		if base = last.s.Base(past, sn.Moment, last.v); base >= 0 {
			b := r.stage(t, base, stages[:len(stages)-1])
			p, _ := compose(last.s, pageOf(t.Snaps[base].Snap, b.Text))
			in.Base = &p
		}
	}
	in.Visited, in.Prev = r.history(t, i)
	v := last.s.Apply(in, last.v)
	out := Rendered{
		Stages: append(before.Stages[:len(before.Stages):len(before.Stages)], StageView{last.s, v, base}),
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
		out.Tokens = r.count(v.Text)
	}
	return out
}

// compose gives the text a session hands to a strategy and how many lines it
// put before the page's own.
func compose(s *strategy.Strategy, p strategy.Page) (strategy.Page, int) {
	if s.Compose == nil {
		return p, 0
	}
	text := s.Compose(p)
	offset := strings.Count(strings.TrimSuffix(text, p.Text), "\n")
	p.Text = text
	return p, offset
}

func pageOf(s *snapshot.Snapshot, text string) strategy.Page {
	return strategy.Page{
		URL: s.URL, Title: s.Title, Text: text, Dialect: s.Dialect,
		Elements: s.Elements, Viewport: s.Viewport, Boxes: s.Boxes,
	}
}

// history tells the documents before snapshot i: their names and the last one's
// page.
func (r *Renderer) history(t *Timeline, i int) (visited []string, prev *strategy.Page) {
	now := t.Snaps[i].Moment
	doc := ""
	for j := 0; j < i; j++ {
		s := t.Snaps[j]
		if k := s.Moment.Document + "\x00" + s.Snap.URL; k != doc {
			doc = k
			name := s.Snap.Title
			if name == "" {
				name = s.Snap.URL
			}
			visited = append(visited, name)
		}
		if s.Moment.Document != now.Document || s.Snap.URL != t.Snaps[i].Snap.URL {
			p := pageOf(s.Snap, s.Snap.Text)
			prev = &p
		}
	}
	return visited, prev
}
