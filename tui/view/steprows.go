package view

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/wording"
	"snapscope/tui/safetext"
)

// RowKind says what a row of the list of steps is.
type RowKind uint8

// The kinds of a row.
const (
	RowStep  RowKind = iota
	RowUser          // what the user said before the step
	RowModel         // what the model said when it chose the step
)

// StepRow is one row of the list of steps: a step, or words between two.
type StepRow struct {
	Kind RowKind
	Step int // index of the step; of words the step that follows them, or the last
	N    int // the step's number

	When    time.Time
	Did     string // in the page's words: click button "Assign to me"
	Verb    string
	Page    string // the last part of its URL, else its title
	Text    string // of words
	Error   string // why it failed; empty: it did not
	Touched session.Touched
	Held    time.Duration // how long a person held it on its way
	Wrong   string        // what did go wrong, as far as it is known; empty: nothing
	Lost    string        // why the agent could not read what it acted on, under which policy; empty: it could
	LostBy  string        // that policy
	Early   string        // how the page was read before it was complete; empty: it was not

	Millis  int64
	Added   int      // tokens that the result really added to the history
	Carried int      // tokens of the first call that really carried the result; 0: there was none
	Cost    *float64 // of that call, in dollars; nil: not known
	Full    int      // what the result would have added with the page in full
	Under   int      // the same under the policy of the list
}

// Saved is the share of a full answer's tokens that the policy of the list leaves
// out.
func (r StepRow) Saved() float64 {
	if r.Full == 0 {
		return 0
	}
	return 1 - float64(r.Under)/float64(r.Full)
}

// StepTable is the whole session as rows, in order. It is made in a command and
// never changed.
type StepTable struct {
	Rows   []StepRow
	Policy string // under which the rows say what would be saved
	Most   int    // the most that one step added

	PageWidth int  // cells of the longest name of a page
	Priced    bool // some call has a cost
	Timed     bool // some step tells how long it took
	Sum       StepSum

	names  []string // by step: what was done, for the next table
	events int
}

// Steps is how many steps the table holds.
func (o *StepTable) Steps() int { return len(o.names) }

// Names are what was done, by step.
func (o *StepTable) Names() []string { return o.names }

// StepSum is the session in one line.
type StepSum struct {
	Steps, Calls, Peak int
	Wrong              int    // steps in which something did go wrong
	Lost               int    // elements that a policy would lose
	LostBy             string // the policy that lost most
	Cost               *float64
	Model              string
}

// StepAsk is what a table of steps is made from.
type StepAsk struct {
	View   *session.Timeline
	Set    *FigureSet       // nil: no figures are known yet
	Policy string           // under which to say what would be saved
	Count  *policy.Renderer // counts the words of results
	Have   *StepTable       // an earlier answer of the same session
}

// MakeSteps puts the session into rows.
func MakeSteps(ask StepAsk) *StepTable {
	t := ask.View
	out := &StepTable{Policy: ask.Policy, events: len(t.Events)}
	out.names = make([]string, 0, len(t.Steps))
	if ask.Have != nil {
		out.names = append(out.names, ask.Have.names[:min(len(ask.Have.names), len(t.Steps))]...)
	}
	for i := len(out.names); i < len(t.Steps); i++ {
		out.names = append(out.names, DidWhat(t, i))
	}
	step := 0
	for _, e := range t.Events {
		switch {
		case e.User != nil && strings.TrimSpace(e.User.Text) != "":
			out.words(RowUser, t, step, e.Time, e.User.Text)
		case e.Call != nil && strings.TrimSpace(e.Call.Text) != "":
			out.words(RowModel, t, step, e.Time, e.Call.Text)
		}
		if e.Call != nil && e.Call.Model != "" {
			out.Sum.Model = e.Call.Model
		}
		for step < len(t.Steps) && t.Steps[step].ResultSeq <= e.Seq {
			out.step(ask, step, e.Time)
			step++
		}
	}
	out.figures(ask)
	return out
}

func (o *StepTable) words(k RowKind, t *session.Timeline, step int, when time.Time, text string) {
	n := 0
	if step < len(t.Steps) {
		n = t.Steps[step].N
	}
	o.Rows = append(o.Rows, StepRow{Kind: k, Step: min(step, len(t.Steps)-1), N: n, When: when, Text: strings.TrimSpace(text)})
}

func (o *StepTable) step(ask StepAsk, i int, when time.Time) {
	t := ask.View
	s := &t.Steps[i]
	r := StepRow{Step: i, N: s.N, When: when, Did: o.names[i], Verb: verbOf(s.Action), Page: pageOf(t, i), Millis: s.Result.Millis, Touched: s.Result.Touched, Held: time.Duration(s.Result.Held) * time.Millisecond}
	if r.Touched == "" && s.Action.Given != nil { // its arguments were changed
		r.Touched = session.TouchedEdited
	}
	if !s.Result.OK {
		if r.Error = s.Result.Error; r.Error == "" {
			r.Error = "it failed"
		}
		r.Wrong = "the call failed: " + r.Error
	}
	if s.Result.Rest.Early() {
		r.Early = EarlyWords(s.Result)
	}
	if ask.Count != nil {
		r.Added = ask.Count.Tokens(s.Result.Text)
		r.Full, r.Under = r.Added, r.Added
	}
	o.PageWidth = max(o.PageWidth, safetext.Width(r.Page))
	o.Timed = o.Timed || r.Millis > 0
	o.Rows = append(o.Rows, r)
}

// EarlyWords say that a page was captured before it had come to rest, and why.
func EarlyWords(r *session.Result) string {
	text := "captured before the page had come to rest"
	if r.Waited != "" {
		text += ": " + r.Waited
	}
	return text
}

// figures fills in what the figures of the session say of each step: what it really
// added and what really carried it, and what it would have been under the policy of
// the list.
func (o *StepTable) figures(ask StepAsk) {
	t := ask.View
	o.Sum.Steps, o.Sum.Calls = len(t.Steps), len(t.Calls())
	defer o.countWrong()
	if ask.Set == nil {
		return
	}
	mine := ask.Set.Full
	for _, f := range ask.Set.Pol {
		if f.Policy.Name == ask.Policy {
			mine = f
		}
	}
	lost, by := o.losses(ask.Set)
	sent := ask.Set.Sent
	wrong, early := byStep(sent.Report.Troubles)
	calls := sent.Report.Calls
	o.Sum.Peak, o.Sum.Cost = sent.Report.PeakTokens, sent.Report.Cost
	c := 0
	for i := range o.Rows {
		r := &o.Rows[i]
		if r.Kind != RowStep {
			continue
		}
		r.Added += at(sent.Tokens, r.Step)
		r.Full += at(ask.Set.Full.Tokens, r.Step)
		r.Under += at(mine.Tokens, r.Step)
		o.Most = max(o.Most, r.Added)
		for c < len(calls) && calls[c].Seq <= t.Steps[r.Step].ResultSeq {
			c++
		}
		if c < len(calls) {
			r.Carried, r.Cost = calls[c].InputTokens, calls[c].Cost
			o.Priced = o.Priced || r.Cost != nil
		}
		r.Lost, r.LostBy = lost[r.N], by[r.N]
		r.Wrong, r.Early = cmp.Or(wrong[r.N], r.Wrong), cmp.Or(r.Early, early[r.N])
	}
}

// countWrong counts the steps in which something did go wrong.
func (o *StepTable) countWrong() {
	for _, r := range o.Rows {
		if r.Wrong != "" || r.Early != "" {
			o.Sum.Wrong++
		}
	}
}

// at is an entry of a list, 0 where it has none: figures may be of a shorter session.
func at(list []int, i int) int {
	if i >= len(list) {
		return 0
	}
	return list[i]
}

// losses tells for each step why its element was lost and under which policy, and
// sums up which policy lost most.
func (o *StepTable) losses(set *FigureSet) (why, by map[int]string) {
	why, by = map[int]string{}, map[int]string{}
	for _, f := range set.Pol {
		lost := f.Lost()
		for _, l := range lost {
			if _, had := why[l.Step]; !had {
				why[l.Step], by[l.Step] = lossInShort(f.Policy.Name, l), f.Policy.Name
			}
		}
		if n := len(lost); n > o.Sum.Lost {
			o.Sum.Lost, o.Sum.LostBy = n, f.Policy.Name
		}
	}
	return why, by
}

// lossInShort says in a few words which rule hid an element.
func lossInShort(policy string, l ledger.Lost) string {
	if l.Knob == "" {
		return policy + " hid it"
	}
	return fmt.Sprintf("%s hid it: %s %s", policy, l.Knob, l.Value)
}

// DidWhat says what a step did, in the words of the page that the agent had
// before it: click button "Assign to me" for click e154.
func DidWhat(t *session.Timeline, i int) string {
	s := &t.Steps[i]
	label := s.Action.Label()
	for _, scheme := range []string{"https://", "http://"} {
		label = strings.Replace(label, " "+scheme, " ", 1)
	}
	g := s.Action.Target
	if g == nil || g.Ref == "" {
		return label
	}
	words := g.String()
	if g.Role != "" && g.Name != "" {
		words = g.Role + " " + `"` + g.Name + `"`
	} else if named := named(t, i, g.Ref); named != "" {
		words = named
	}
	return strings.Replace(label, g.String(), words, 1)
}

// NameOf is the role and name of the element with a ref, as the newest page that
// shows it has it; empty where none does.
func NameOf(t *session.Timeline, ref string) string {
	if ref == "" {
		return ""
	}
	return named(t, len(t.Steps), ref)
}

// namedWithin is how many snapshots back an element is looked for.
const namedWithin = 8

// named is the role and name of the element with a ref, as the last snapshot
// before a step that shows it has it; empty where none does.
func named(t *session.Timeline, step int, ref string) string {
	left := namedWithin
	for i := len(t.Snaps) - 1; i >= 0 && left > 0; i-- {
		sn := t.Snaps[i]
		if sn.Step >= step {
			continue
		}
		left--
		if l, ok := lineOf(sn.Snap.Text, ref, sn.Snap.Dialect); ok {
			words := strings.TrimSpace(l.Role)
			if name := l.Name(); name != "" {
				words += " " + `"` + wording.OneLine(name, 60) + `"`
			}
			return words
		}
	}
	return ""
}

// lineOf is the line that shows the element with a ref. It reads only lines that
// hold the ref's letters.
func lineOf(text, ref string, d notation.Dialect) (notation.Line, bool) {
	for at := 0; at < len(text); {
		i := strings.Index(text[at:], ref)
		if i < 0 {
			break
		}
		i += at
		from := strings.LastIndexByte(text[:i], '\n') + 1
		to := len(text)
		if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
			to = i + j
		}
		if l := notation.ReadLine(text[from:to], d); l.Own() == ref {
			return l, true
		}
		at = to
	}
	return notation.Line{}, false
}

// pageOf names the page that a step ended on: the last part of its URL, else its
// title.
func pageOf(t *session.Timeline, i int) string {
	r := t.Steps[i].Result
	url, title := r.URL, r.Title
	if url == "" && r.Snapshot != nil {
		url, title = r.Snapshot.URL, r.Snapshot.Title
	}
	url, _, _ = strings.Cut(url, "#")
	path, query, has := strings.Cut(url, "?")
	_, rest, ok := strings.Cut(path, "://")
	if !ok {
		rest = path
	}
	host, rest, _ := strings.Cut(rest, "/")
	rest = strings.Trim(rest, "/")
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		rest = rest[i+1:]
	}
	switch {
	case rest == "" && title != "" && host == "":
		return title
	case rest == "":
		rest = host
	}
	if has && len(rest)+len(query) < 14 {
		rest += "?" + query
	}
	return rest
}
