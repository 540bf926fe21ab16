package view

import (
	"context"
	"slices"
	"strings"

	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/textdiff"
	"snapscope/snapshot/wording"
)

// Sent is the pane of what the agent's model was really given, beside what each
// policy would have made of the same pages. It has no knobs.
func Sent() policy.Policy {
	return policy.Policy{Name: ledger.AsSentName, Title: "what the session really sent"}
}

func isSent(p policy.Policy) bool { return p.Name == ledger.AsSentName && len(p.Stages) == 0 }

// seats are the sources of sessions that were recorded on their way between an
// agent and its servers.
var seats = []string{"mcp-seat", "api-seat", "both seats"}

// Began shows the pane of what went out where a session comes from a seat.
func (m *State) Began(s session.Start) {
	if slices.Contains(seats, s.Source) {
		m.showSent()
	}
}

// Came shows the pane of what went out once a session is there in which that was
// not each page in full: the panes of full pages and of policies are what might have
// been, and nothing else says what the agent really read.
func (m *State) Came() {
	for i := range m.Tl.Steps {
		r := m.Tl.Steps[i].Result
		if r.Snapshot != nil && r.Seen != session.SeenUnasked && r.Showed() != r.Snapshot.Text {
			m.showSent()
			m.Ask(WantFrame)
			return
		}
	}
}

// showSent puts the pane of what went out first, in the place of full pages.
func (m *State) showSent() {
	if slices.ContainsFunc(m.Panes, func(p Pane) bool { return isSent(p.Policy) }) {
		return
	}
	if i := m.SparePane(); len(m.Panes) == 9 && i >= 0 {
		m.Panes = slices.Delete(m.Panes, i, i+1)
		if m.Focus > i {
			m.Focus--
		}
	}
	m.Panes = slices.Insert(m.Panes, 0, PaneOf(Sent()))
	m.Focus++
	for i := 1; i < len(m.Panes); i++ { // where nothing is rewritten they are the same
		if p := &m.Panes[i]; p.Policy.Name == "full" && p.Shown {
			if p.Shown = false; m.Focus == i {
				m.Focus = 0
			}
		}
	}
	m.Arrange()
}

// sentDoc is a step's page as it went out. Where it can be made again as it was made,
// its lines are tied to the page as the policy ties them.
func sentDoc(r *policy.Renderer, t *session.Timeline, step int, pg *Page, full int, head func(*strategy.Strategy) int) *Doc {
	res, i := t.Steps[step].Result, t.Steps[step].Snap
	text, page := res.Showed(), t.Snaps[i].Snap.Text
	var d *Doc
	switch made, ok := ledger.Wired(r, t, i, func(action string) int { return snapOf(t, i, action) }); {
	case ok:
		d = buildDoc(pg, page, Sent(), made, full, head)
	case text == page:
		d = buildDoc(pg, text, Sent(), r.Render(t, i, policy.Full()), full, head)
	default:
		d = likeDoc(pg, text, r.Tokens(text), full)
	}
	d.Why = sentWhy(res, d)
	if res.Recipe != nil {
		d.teach(r.Tokens(res.Recipe.Grammar))
	}
	return d
}

// snapOf is the page of an action among a session's first ones up to the last; -1
// where there is none.
func snapOf(t *session.Timeline, last int, action string) int {
	for i := last; i >= 0; i-- {
		if t.Steps[t.Snaps[i].Step].Action.ID == action {
			return i
		}
	}
	return -1
}

// sentWhy says what made the page go out as it did.
func sentWhy(res *session.Result, d *Doc) string {
	var why []string
	if res.Policy != "" {
		why = append(why, "went out under "+res.Policy)
	}
	switch res.Seen {
	case session.SeenCut, session.SeenSpilled, session.SeenDropped:
		why = append(why, wording.Count(d.Rendered.Tokens)+" of its "+wording.Count(d.Full)+" tokens reached the model")
	case session.SeenLink, session.SeenUnasked:
		why = append(why, "only a link to the page went out")
	case session.SeenIncremental:
		why = append(why, "only what had changed went out: "+wording.Count(d.Rendered.Tokens)+" of "+wording.Count(d.Full)+" tokens")
	}
	switch res.Touched {
	case session.TouchedEdited:
		why = append(why, "edited by a person")
	case session.TouchedAnswered:
		why = append(why, "answered by a person")
	case session.TouchedDropped:
		why = append(why, "never went out")
	}
	if len(why) == 0 {
		if d.Same {
			return "went out as the server gave it"
		}
		return "went out otherwise than the server gave it"
	}
	return strings.Join(why, " · ")
}

// likeDoc ties a text to the page by the lines that are equal.
func likeDoc(pg *Page, text string, tokens, full int) *Doc {
	d := &Doc{Policy: Sent(), Rendered: policy.Rendered{Text: text, Kind: strategy.KindFull, Tokens: tokens, Base: -1}, Full: full}
	var lines []string
	if text != "" {
		lines = splitLines(text)
	}
	d.ByPage = make([]int32, len(pg.Lines))
	for i := range d.ByPage {
		d.ByPage[i] = -1
	}
	for _, e := range textdiff.Diff(pg.Lines, lines) {
		for i := e.B0; i < e.B1; i++ {
			l := DocLine{Text: lines[i], Mark: strategy.Message, Page: -1}
			if e.Op == textdiff.Equal {
				at := e.A0 + i - e.B0
				l.Mark, l.Page, d.ByPage[at] = strategy.Same, int32(at), int32(i)
			}
			d.Lines = append(d.Lines, l)
		}
	}
	for i := 0; i < len(d.ByPage); i++ {
		from := i
		for i < len(d.ByPage) && d.ByPage[i] < 0 {
			i++
		}
		if i > from {
			d.rule = append(d.rule, span{From: int32(from), To: int32(i), Rule: "did not go out"})
		}
	}
	return d
}

// sent are the figures of what went out.
func (ask FigureAsk) sent(ctx context.Context, p policy.Policy) (PolicyFigures, error) {
	f := PolicyFigures{Policy: p, Key: ledger.AsSentName}
	if h := ask.Have; h != nil && h.events == len(ask.View.Events) {
		if h.Sent.Report != nil && h.model == ask.Opt.Model {
			return h.Sent, nil
		}
	}
	var err error
	if f.Report, err = ledger.AsSent(ctx, ask.View, ask.Opt); err != nil {
		guard.Raise(err)
		return f, err
	}
	f.Tokens = make([]int, len(ask.View.Steps))
	for s, st := range ask.View.Steps {
		if st.Snap < 0 {
			continue
		}
		f.Tokens[s] = ask.Opt.Renderer.Tokens(st.Result.Showed())
		if r := st.Result.Recipe; r != nil {
			f.Tokens[s] += ask.Opt.Renderer.Tokens(r.Grammar)
		}
	}
	return f, nil
}
