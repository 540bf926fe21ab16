package view

import (
	"strings"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// Frame is all that the snapshot panes show at one step: made in a command from
// values, read by drawing. A frame is never changed once it is made.
type Frame struct {
	Seq   int
	at    int // index of the step
	Snap  int // index of the snapshot shown, -1 none
	Stale int // number of the step the snapshot is from where that is an earlier one, else 0
	Url   string
	Title string
	Page  *Page
	Docs  []*Doc // one a pane of the request, in its order
	grid  *Grid
	focus int32        // line of the page to look at first, -1 none
	Seen  session.Seen // what the model really had of the snapshot
	verb  string       // of the step the snapshot is from
}

// FrameAsk is what a frame is made from.
type FrameAsk struct {
	Seq      int
	View     *session.Timeline
	At       int
	Policies []policy.Policy
}

// MakeFrame renders one step under every policy asked for and lays the answers
// side by side. It is pure but for the renderer's memory.
func MakeFrame(r *policy.Renderer, ask FrameAsk) *Frame {
	f := &Frame{Seq: ask.Seq, at: ask.At, Snap: -1, focus: -1}
	if ask.At < 0 || ask.At >= len(ask.View.Steps) {
		return f
	}
	i := ask.At
	for i >= 0 && ask.View.Steps[i].Snap < 0 {
		i--
	}
	if i < 0 {
		return f
	}
	if i != ask.At {
		f.Stale = ask.View.Steps[i].N
	}
	f.Snap = ask.View.Steps[i].Snap
	sn := ask.View.Snaps[f.Snap]
	f.Seen, f.verb = sn.Seen, verbOf(ask.View.Steps[i].Action)
	f.Url, f.Title = sn.Snap.URL, sn.Snap.Title
	prev, has := earlier(ask.View, f.Snap)
	f.Page = buildPage(prev, sn.Snap.Text, sn.Snap.Dialect, has)
	full := r.Render(ask.View, f.Snap, policy.Full())
	for _, p := range ask.Policies {
		if isSent(p) {
			f.Docs = append(f.Docs, sentDoc(r, ask.View, i, f.Page, full.Tokens, headLines(f.Url, f.Title)))
			continue
		}
		sent, goes := ledger.SentAt(ask.View, f.Snap, p, r)
		if !goes { // what might have been
			sent.Rendered = r.Render(ask.View, f.Snap, p)
		}
		d := buildDoc(f.Page, sn.Snap.Text, p, sent.Rendered, full.Tokens, headLines(f.Url, f.Title))
		d.teach(r.Tokens(sent.Grammar))
		f.Docs = append(f.Docs, d)
	}
	f.grid = alignRows(f.Page, f.Docs)
	if f.Stale == 0 {
		f.focus = firstLook(f.Page, ask.View.Steps[i].Action.Target)
	}
	return f
}

// earlier is the text of the snapshot before, where both are of one document.
func earlier(t *session.Timeline, i int) (string, bool) {
	if i == 0 {
		return "", false
	}
	a, b := t.Snaps[i-1], t.Snaps[i]
	if a.Moment.Tab != b.Moment.Tab || a.Moment.Document != b.Moment.Document {
		return "", false
	}
	if a.Moment.Document == "" && a.Snap.URL != b.Snap.URL {
		return "", false
	}
	return a.Snap.Text, true
}

// headLines counts the lines that a strategy composes before a page's text.
func headLines(url, title string) func(*strategy.Strategy) int {
	return func(s *strategy.Strategy) int {
		if s.Compose == nil {
			return 0
		}
		return strings.Count(s.Compose(strategy.Page{URL: url, Title: title}), "\n")
	}
}
