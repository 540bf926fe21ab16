package ledger

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/guard"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// Options say how a session is counted.
type Options struct {
	// Renderer counts tokens and renders snapshots; it is also the cache that
	// makes a second simulation quick. Required.
	Renderer *policy.Renderer
	// Prices is the price table; nil: no cost, and the cache rule is the bare
	// longest identical prefix.
	Prices *Prices
	// Model names the model the prices are of; "" takes the session's own.
	Model string
	// System and Definitions are tokens of the system prompt and the tool
	// definitions where the session does not tell them, or to say otherwise.
	System, Definitions int
	// Client is what the agent's client does to answers that are too long for it,
	// applied to what a policy makes of a page, too; nil: nothing is cut. A client that is
	// not known leaves what it left where a policy changes nothing. As sent is not
	// touched by it.
	Client *agents.Cut
	// UpToStep ends the session after that step's result; 0 takes all of it.
	UpToStep int
	// Fixes asks for the knob change that would have kept each lost element.
	Fixes bool
	// Full is the report of policy full over the same session: SavedRatio is of it.
	Full *Report
	// AsSent is the report of what the session really sent, as AsSent answers it:
	// SavedOfSent is of it. It also saves working out again what the vendor
	// counted beside us.
	AsSent *Report
	asSent bool    // no policy: everything stands as the source had it
	quotes *quotes // the session's, where they are known; nil: they are found
	// Named answers the words that name a policy on a command line, for the line of
	// advice; nil: --policy and its name.
	Named func(policy.Policy) string
	// Asked says that a person named the policies of the sheet: then one that is made
	// of several published rules may be advised, too.
	Asked bool
	// CountOnly leaves out what the vendor counted beside us.
	CountOnly bool
	// agesOnly leaves out who could read what: only the counters are asked for.
	agesOnly bool
	// only is the step whose losses alone are asked for; 0: all of it. See Losses for
	// one that there is not yet.
	only  int
	scale float64 // with CountOnly: tokens of the figures for one of ours; 0: 1
	// Progress is told how many snapshots of all are rendered. It is called from
	// several goroutines, never at the same time.
	Progress func(done, total int)
}

// Run answers what every model call of t carries under policy p. The error is
// ctx's own, or a *guard.Broke.
func Run(ctx context.Context, t *session.Timeline, p policy.Policy, o Options) (rep *Report, err error) {
	err = guard.Do("counting the session under policy "+p.Name, func() error {
		m, err := simulate(ctx, t, p, o)
		if err == nil && o.Fixes {
			err = m.fix(ctx)
		}
		if err == nil {
			rep = m.rep
		}
		return err
	})
	return rep, err
}

// AsSent answers what the session really sent: changed parts as they stood,
// links as links, what the agent's client cut as it was cut, what the agent
// cleared cleared. Its policy is called "as sent".
func AsSent(ctx context.Context, t *session.Timeline, o Options) (*Report, error) {
	o.asSent, o.Fixes, o.Full, o.AsSent = true, false, nil, nil
	return Run(ctx, t, policy.Policy{Name: AsSentName, Title: "what the session really sent"}, o)
}

// LostAt answers what AsSent does of the elements that one step acted on and that could
// not be read, without the rest of the report: how often they were used and what they
// cost is not worked out.
func LostAt(ctx context.Context, t *session.Timeline, step int, r *policy.Renderer) ([]Lost, error) {
	rep, err := AsSent(ctx, t, Options{Renderer: r, CountOnly: true, only: step})
	if err != nil {
		return nil, err
	}
	return rep.Survival.Lost, nil
}

// AsSentName is what a report of AsSent calls its policy.
const AsSentName = "as sent"

// All simulates several policies over one session, as sent and full first
// whether they are asked for or not, so that every report knows what it saved.
func All(ctx context.Context, t *session.Timeline, ps []policy.Policy, o Options) ([]*Report, error) {
	if err := o.baselines(ctx, t); err != nil {
		return nil, err
	}
	out := make([]*Report, 0, len(ps))
	for _, p := range ps {
		r, err := Run(ctx, t, p, o)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// baselines works out what savings are measured against, where it is not given.
func (o *Options) baselines(ctx context.Context, t *session.Timeline) (err error) {
	if o.quotes == nil {
		o.quotes = quotesIn(t, o.Renderer)
	}
	if o.AsSent == nil {
		if o.AsSent, err = AsSent(ctx, t, *o); err != nil {
			return err
		}
	}
	if o.Full == nil {
		plain := *o
		plain.Fixes = false
		if o.Full, err = Run(ctx, t, policy.Full(), plain); err != nil {
			return err
		}
	}
	sent := *o.AsSent
	sent.SavedRatio, sent.NetSavedRatio = sent.saved(o.Full)
	o.AsSent = &sent
	return nil
}

// machine is one simulation at work.
type machine struct {
	t      *session.Timeline
	p      policy.Policy
	o      Options
	h      *history
	keeper strategy.Retention
	rule   *strategy.Strategy // the retention rule; nil none
	price  *Price
	rep    *Report
	reader *reader
	quoted quoteReader
	end    int     // the last event that counts
	byCall [][]int // by call: the indexes of the steps that it chose
	rec    receipts
	shares session.Usage // of the whole bill
	epoch  int           // the first call since the last compaction (an index)
	marks  []mark        // ends of earlier calls that the cache may still hold

	unbilled, unpriced int // calls without a receipt beside those with one; of a model without a price

	prev    int  // tokens of the call before
	front   int  // of them, what the vendor counted beside us
	changed int  // position in history.order of the first entry that turned since the call before; -1 none
	mark    int  // entries in history.order at the call before
	shrunk  bool // a compaction came since the call before
	live    int  // snapshots that can be read
	expired int  // snapshots that are cleared
	sums    Breakdown
}

func simulate(ctx context.Context, t *session.Timeline, p policy.Policy, o Options) (*machine, error) {
	plan := o.Renderer.Plan(p)
	end := len(t.Events)
	if o.UpToStep > 0 && o.UpToStep <= len(t.Steps) {
		end = t.Steps[o.UpToStep-1].ResultSeq
	}
	var err error
	if o.only == 0 { // else hardly a page is rendered to be read
		err = prepare(ctx, t, plan, o, end)
	}
	if err != nil {
		return nil, err
	}
	m, err := newMachine(ctx, t, p, o, plan, end)
	if err != nil {
		return nil, err
	}
	next := 1
	calls := t.Calls()
	m.byCall = grouped(len(t.Steps), len(calls), func(i int) int { return t.Steps[i].Call })
	m.rep.Calls = slices.Grow(m.rep.Calls, len(calls))
	for i := range calls {
		c := &calls[i]
		if c.Seq > end {
			break
		}
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.events(&next, c.Seq)
		m.call(c)
		m.survive(i)
		m.quoted.judge(m, i)
	}
	m.events(&next, end+1)
	m.finish()
	return m, nil
}

// newMachine is a simulation at its beginning.
func newMachine(ctx context.Context, t *session.Timeline, p policy.Policy, o Options, plan policy.Plan, end int) (m *machine, err error) {
	m = &machine{t: t, p: p, o: o, end: end, changed: -1}
	if m.rec, err = receiptsOf(ctx, t, o); err != nil {
		return nil, err
	}
	scale := m.rec.scale()
	if o.scale > 0 {
		scale = o.scale
	}
	m.h, m.shares = newHistory(t, plan, o, scale), sharesOf(t)
	m.reader = &reader{h: m.h}
	if !o.agesOnly && o.only == 0 {
		if m.quoted.q = o.quotes; m.quoted.q == nil {
			m.quoted.q = quotesIn(t, o.Renderer)
		}
		if m.quoted.q.finder != nil {
			m.quoted.at = make([][]shown, m.quoted.q.finder.Len())
		}
	}
	if st, ok := p.Retention(); ok {
		m.rule, m.keeper = st.Strategy, st.Strategy.Retain(st.Values())
	}
	m.begin()
	return m, nil
}

// prepare renders the snapshots that the history will ask for, on every core.
func prepare(ctx context.Context, t *session.Timeline, plan policy.Plan, o Options, end int) error {
	var want []int
	for i, s := range t.Snaps {
		if t.Steps[s.Step].ResultSeq <= end && s.Seen.Given() {
			want = append(want, i)
		}
	}
	workers := min(runtime.GOMAXPROCS(0), len(want)/4)
	if workers < 2 && o.Progress == nil {
		return ctx.Err()
	}
	var done atomic.Int64
	var mu sync.Mutex
	n := max(1, workers)
	return guard.Each(ctx, n, n, "rendering the session's pages", func(w int) error {
		for _, i := range want[len(want)*w/n : len(want)*(w+1)/n] {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			plan.Render(t, i)
			n := int(done.Add(1))
			if o.Progress != nil {
				mu.Lock()
				o.Progress(n, len(want))
				mu.Unlock()
			}
		}
		return nil
	})
}

func (m *machine) begin() {
	t := m.t
	m.rep = &Report{
		Recording: t.Start.Name, Policy: m.p, Implied: len(t.Calls()) == 0 || t.Calls()[0].Model == nil,
		System: m.h.head[1], Definitions: m.h.head[0], hist: m.h,
		Assumed: m.h.head != [2]int{t.Start.Definitions, t.Start.System}, Factor: m.rec.factor, Billed: m.rec.billed,
	}
	for _, e := range m.h.entries { // system prompt and tool definitions
		m.count(e.kind, e.state, asCame, e.weight)
	}
	model := modelOf(t, m.o.Model)
	m.rep.Model, m.rep.Rule = model, bareRule()
	if m.o.Prices != nil {
		if pr, ok := m.o.Prices.Find(model); ok {
			m.price, m.rep.Rule = &pr, pr.Rule
		}
	}
}

// modelOf is the model that prices and the rule for pictures are of: as set, as
// the session says, or as its first call does that names one.
func modelOf(t *session.Timeline, set string) string {
	if set != "" {
		return set
	}
	model := t.Start.Model
	for i := 0; model == "" && i < len(t.Calls()); i++ {
		if c := t.Calls()[i].Model; c != nil {
			model = c.Model
		}
	}
	return model
}

// events takes what came before event seq into the history.
func (m *machine) events(next *int, seq int) {
	for ; *next < seq && *next <= m.end; *next++ {
		e := &m.t.Events[*next-1]
		if e.Compact != nil {
			m.compact(e)
			continue
		}
		if i := m.h.steps[e.Seq].action; i > 0 && m.t.Steps[i-1].Call < 0 {
			m.judge(&m.t.Steps[i-1]) // no call chose it: what stood before it counts
		}
		from := len(m.h.entries)
		it := m.h.take(e)
		if e.Expiry != nil && m.h.asSent {
			m.clearedBySource(e.Expiry.IDs)
		}
		for _, en := range m.h.entries[from:] {
			m.count(en.kind, en.state, asCame, en.weight)
		}
		if it == nil {
			continue
		}
		m.quoted.arrives(m.h, len(m.h.items)-1)
		if it.result != nil {
			m.rep.AppendedTokens += it.own
			m.rep.Snapshots += b2i(it.seen.Shows())
			m.rep.Steps += b2i(it.step > 0)
			m.live += b2i(it.live)
		}
		if m.keeper != nil {
			m.keeper.Arrive(strategy.Arrival{ID: it.id(), Step: it.step, User: it.user, Snapshot: it.live, Tokens: it.tokens})
		}
	}
}

// count puts a weight to the running sums.
func (m *machine) count(k PartKind, s State, f form, w weight) {
	n := w.tokens
	if f != absent {
		m.sums.Own += w.own
	}
	switch {
	case f == absent:
	case f == cleared || s == Expired:
		m.sums.Expired += n
	case k == PartSnapshot:
		m.sums.Snapshots += n
	case k == PartImage:
		m.sums.Images += n
	case k == PartResult:
		m.sums.Results += n
	case k == PartDefinitions || k == PartSystem:
		m.sums.Fixed += n
	default:
		m.sums.Messages += n
		if k == PartUser || k == PartSummary {
			m.sums.User += n
		}
	}
}

// call closes one request: what expires now, what it carries, what the cache
// holds of it.
func (m *machine) call(c *session.Call) {
	n := len(m.rep.Calls) + 1
	gone := m.expire(n)
	by := m.sums
	if n <= len(m.rec.uncounted) {
		by.Uncounted = max(m.rec.uncounted[n-1], -by.Sum())
	}
	f := Call{
		Call: n, Seq: c.Seq, Step: m.firstStep(n - 1), By: by, InputTokens: by.Sum(), ChangedAt: -1,
		LiveSnapshots: m.live, ExpiredSnapshots: m.expired,
	}
	front := max(0, min(by.Uncounted, m.front)) // of what is not counted, as much as stood in the call before too
	head := by.Fixed + front
	p := prefix{tokens: m.prev, head: head, before: m.prev, behind: m.h.messages(m.mark)}
	whole := p
	if m.shrunk { // no expiry's doing
		whole.tokens = min(head, m.prev)
	}
	if n > 1 && m.changed >= 0 {
		p.tokens, p.behind = front+m.h.tokensBefore(m.changed, m.sums.Sum()), m.h.messages(m.changed)
		f.ChangedAt = p.tokens
	}
	if m.shrunk {
		m.epoch = n - 1
	}
	m.atMark(&p, front)
	f.CachedTokens = min(m.rep.Rule.hit(p), f.InputTokens)
	f.WrittenTokens = m.rep.Rule.written(f.InputTokens, f.CachedTokens)
	f.PlainTokens = f.InputTokens - f.CachedTokens - f.WrittenTokens
	if gone != nil {
		gone.weigh(m, &f, m.rep.Rule.hit(whole))
	}
	m.charge(&f, n-1, c)
	if m.rep.Rule.Marked {
		m.marks = append(m.marks, mark{f.InputTokens - by.Uncounted, m.h.length()})
	}
	m.rep.Calls = append(m.rep.Calls, f)
	m.prev, m.front, m.changed, m.mark, m.shrunk = f.InputTokens, by.Uncounted, -1, m.h.length(), false
}

// firstStep is the number of the first step that call i (an index) chose.
func (m *machine) firstStep(i int) int {
	if s := m.byCall[i]; len(s) > 0 {
		return m.t.Steps[s[0]].N
	}
	return 0
}

func (m *machine) finish() {
	r := m.rep
	r.ModelCalls = len(r.Calls)
	var cost float64
	priced := 0
	for i := range r.Calls {
		c := &r.Calls[i]
		r.InputTokens += c.InputTokens
		r.Uncounted += c.By.Uncounted
		r.CachedTokens += c.CachedTokens
		r.WrittenTokens += c.WrittenTokens
		r.HourTokens += c.HourTokens
		r.PlainTokens += c.PlainTokens
		r.PeakTokens = max(r.PeakTokens, c.InputTokens)
		if c.Cost != nil {
			cost += *c.Cost
			priced++
		}
		if u := c.Real; u != nil {
			if r.Usage == nil {
				r.Usage = &Usage{}
			}
			r.Usage.Calls++
			r.Usage.Usage.Add(*u)
			r.Usage.Own += c.By.Own
		}
	}
	if m.price != nil && (priced > 0 || len(r.Calls) == 0) {
		r.Cost = &cost
	}
	for i := range r.Expiries {
		r.Expiries[i].left(len(r.Calls))
	}
	if m.h.notes.pages == 0 {
		r.Survival, m.rep.lost = Survival{Unknown: true}, nil
		r.Reading, m.rep.quotes = Reading{Unknown: true}, nil
	}
	r.price(m)
	r.SavedRatio, r.NetSavedRatio = r.saved(m.o.Full)
	r.SavedOfSent, r.NetSavedOfSent = r.saved(m.o.AsSent)
	if m.h.asSent && !m.o.agesOnly && !m.o.CountOnly {
		m.rep.Troubles = m.troubles()
	}
	m.remarks()
}

func (s Survival) never() (n int) {
	for _, l := range s.Lost {
		n += b2i(l.Never)
	}
	return n
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
