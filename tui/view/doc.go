package view

import (
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// DocLine is one line of the text that an agent reads under a policy.
type DocLine struct {
	Text string
	Mark strategy.Mark
	Page int32 // line of the page it stands for, -1 none
}

// Doc is what one pane shows: a snapshot under a policy, each line tied to the
// line of the page that it was made from.
type Doc struct {
	Policy   policy.Policy
	Rendered policy.Rendered
	Full     int // tokens of the whole page
	Lines    []DocLine
	ByPage   []int32 // line of the doc for each line of the page; -1 dropped
	Prefix   int     // bytes of sign before the page's own text ("+ ", "- ")
	Same     bool    // the text is the page's own
	Why      string  // in place of the verdict's reason; "" that one
	Taught   int     // of Rendered.Tokens, the lines before the page that explain its notation
	rule     []span  // what was dropped and by which rule, in lines of the page
}

// span is a run of dropped page lines.
type span struct {
	From, To int32 // to exclusive
	Rule     string
	knob     string
}

// teach counts the lines that go out before the page and explain its notation.
func (d *Doc) teach(tokens int) {
	d.Taught = tokens
	d.Rendered.Tokens += tokens
}

// Saved is the share of the page's tokens that the policy leaves out.
func (d *Doc) Saved() float64 {
	if d.Full == 0 {
		return 0
	}
	return 1 - float64(d.Rendered.Tokens)/float64(d.Full)
}

// buildDoc ties a rendering to its page. url and title are the page's, for the
// lines that a strategy composes before the text.
func buildDoc(pg *Page, text string, pol policy.Policy, r policy.Rendered, full int, head func(*strategy.Strategy) int) *Doc {
	d := &Doc{Policy: pol, Rendered: r, Full: full}
	lines := splitLines(r.Text)
	d.Lines = make([]DocLine, len(lines))
	d.ByPage = make([]int32, len(pg.Lines))
	for i := range d.ByPage {
		d.ByPage[i] = -1
	}
	d.Same = r.Text == text
	back, marks := trace(r, len(lines), head)
	for i, l := range lines {
		src := back[i]
		if src >= len(pg.Lines) {
			src = -1
		}
		d.Lines[i] = DocLine{Text: l, Mark: marks[i], Page: int32(src)}
		if src >= 0 && d.ByPage[src] < 0 && marks[i] != strategy.Removed {
			d.ByPage[src] = int32(i)
		}
	}
	d.Prefix = signWidth(pg, d.Lines)
	d.rule = droppedBy(r, len(pg.Lines), d.ByPage, head)
	return d
}

// trace follows every line of a rendering back through its stages to the line
// of the page, -1 where a stage made it itself, and gathers the loudest mark.
func trace(r policy.Rendered, n int, head func(*strategy.Strategy) int) (back []int, marks []strategy.Mark) {
	back, marks = make([]int, n), make([]strategy.Mark, n)
	for i := range back {
		back[i] = i
	}
	for k := len(r.Stages) - 1; k >= 0; k-- {
		st := r.Stages[k]
		off := head(st.Strategy)
		for i, at := range back {
			if at < 0 {
				continue
			}
			src := at
			if ls := st.Verdict.Lines; ls != nil {
				if at >= len(ls) {
					back[i] = -1
					continue
				}
				src = ls[at].Source
				if marks[i] == strategy.Same {
					marks[i] = ls[at].Mark
				}
			}
			if src >= 0 {
				src -= off
			}
			if src < 0 && marks[i] == strategy.Same {
				marks[i] = strategy.Message // composed by the session: url, title
			}
			back[i] = max(src, -1)
		}
	}
	return back, marks
}

// signWidth is how many bytes stand before the page's own text on each line
// that has a source: the signs of a diff. 0 where lines are the page's own.
func signWidth(pg *Page, lines []DocLine) int {
	for _, l := range lines {
		if l.Page < 0 {
			continue
		}
		own := pg.Lines[l.Page]
		if n := len(l.Text) - len(own); n > 0 && n <= 2 && strings.HasSuffix(l.Text, own) {
			return n
		}
		return 0
	}
	return 0
}

// droppedBy names the rule for every run of page lines that is not in the text.
func droppedBy(r policy.Rendered, n int, byPage []int32, head func(*strategy.Strategy) int) []span {
	var out []span
	for i := 0; i < n; {
		if byPage[i] >= 0 {
			i++
			continue
		}
		j := i + 1
		for j < n && byPage[j] < 0 {
			j++
		}
		out = append(out, span{From: int32(i), To: int32(j)})
		i = j
	}
	if len(out) == 0 {
		return nil
	}
	stages := make([]fates, len(r.Stages))
	for k := range r.Stages {
		stages[k] = fatesOf(&r.Stages[k], head(r.Stages[k].Strategy))
	}
	for k := range out {
		out[k].Rule, out[k].knob = ruleFor(stages, int(out[k].From))
	}
	return out
}

// fates are what became of each line that a stage was given.
type fates struct {
	st    *policy.StageView
	head  int     // lines of its own before the page's
	gone  []int32 // by line, the span of Verdict.Gone that holds it; -1 none
	shown []int32 // by line, the line that shows it; -1 none, nil where every line stands where it stood
}

func fatesOf(st *policy.StageView, head int) fates {
	f := fates{st: st, head: head}
	for k, g := range st.Verdict.Gone {
		f.gone = upTo(f.gone, g.To)
		for at := max(g.From, 0); at < g.To; at++ {
			if f.gone[at] < 0 {
				f.gone[at] = int32(k)
			}
		}
	}
	if st.Verdict.Lines == nil {
		return f
	}
	f.shown = []int32{}
	for i, l := range st.Verdict.Lines {
		if l.Source < 0 {
			continue
		}
		if f.shown = upTo(f.shown, l.Source+1); f.shown[l.Source] < 0 {
			f.shown[l.Source] = int32(i)
		}
	}
	return f
}

// upTo makes s at least n long; what is new is -1.
func upTo(s []int32, n int) []int32 {
	for len(s) < n {
		s = append(s, -1)
	}
	return s
}

// ruleFor finds the stage that dropped a page line, in the stage's own words.
func ruleFor(stages []fates, line int) (rule, knob string) {
	at := line
	for k := range stages {
		f := &stages[k]
		at += f.head
		if at < len(f.gone) && f.gone[at] >= 0 {
			g := &f.st.Verdict.Gone[f.gone[at]]
			return g.Rule, g.Knob
		}
		if f.shown == nil {
			continue
		}
		if at >= len(f.shown) || f.shown[at] < 0 {
			return kindRule(*f.st), ""
		}
		at = int(f.shown[at])
	}
	return "", ""
}

// kindRule says in general why a line is not in a stage's text.
func kindRule(st policy.StageView) string {
	switch st.Verdict.Kind {
	case strategy.KindDelta:
		return "unchanged"
	case strategy.KindUnchanged:
		return "nothing changed"
	}
	return st.Strategy.Name
}

// SpanAt finds the dropped run that a page line lies in.
func (d *Doc) SpanAt(line int32) (span, bool) {
	lo, hi := 0, len(d.rule)
	for lo < hi {
		mid := (lo + hi) / 2
		switch s := d.rule[mid]; {
		case line < s.From:
			hi = mid
		case line >= s.To:
			lo = mid + 1
		default:
			return s, true
		}
	}
	return span{}, false
}

// verbOf is what an action is called in a sentence.
func verbOf(a *session.Action) string {
	if a.Verb != "" {
		return string(a.Verb)
	}
	return a.Tool
}

// Unread says why the model did not have the snapshot that the panes show; ""
// where it had.
func (f *Frame) Unread() string {
	switch f.Seen {
	case session.SeenUnasked:
		return "not shown to the agent: " + f.verb + " answers without the page"
	case session.SeenLink:
		return "not shown to the agent: " + f.verb + " gave it a link, and it read no more"
	case session.SeenSpilled:
		return "not shown to the agent: too large, saved to a file; it read the notice"
	case session.SeenDropped:
		return "not shown to the agent: too large, cut; it read the notice"
	case session.SeenExpired:
		return "not shown to the agent: a placeholder stood for it from the start"
	}
	return ""
}

// InPart says which part of the snapshot the model had, where it was not all; ""
// where it had all of it, or none.
func (f *Frame) InPart() string {
	switch f.Seen {
	case session.SeenIncremental:
		return "the agent itself had only the changed parts"
	case session.SeenCut:
		return "the agent's client cut it and left a part out"
	}
	return ""
}
