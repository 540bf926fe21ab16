package tui

import (
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// frame is all that the snapshot panes show at one step: made in a command from
// values, read by drawing. A frame is never changed once it is made.
type frame struct {
	seq   int
	at    int // index of the step
	snap  int // index of the snapshot shown, -1 none
	stale int // number of the step the snapshot is from where that is an earlier one, else 0
	url   string
	title string
	page  *page
	docs  []*doc // one a pane of the request, in its order
	grid  *grid
	eye   int32        // line of the page to look at first, -1 none
	seen  session.Seen // what the model really had of the snapshot
	verb  string       // of the step the snapshot is from
}

// frameAsk is what a frame is made from.
type frameAsk struct {
	seq      int
	view     *session.Timeline
	at       int
	policies []policy.Policy
}

// makeFrame renders one step under every policy asked for and lays the answers
// side by side. It is pure but for the renderer's memory.
func makeFrame(r *policy.Renderer, ask frameAsk) *frame {
	f := &frame{seq: ask.seq, at: ask.at, snap: -1, eye: -1}
	if ask.at < 0 || ask.at >= len(ask.view.Steps) {
		return f
	}
	i := ask.at
	for i >= 0 && ask.view.Steps[i].Snap < 0 {
		i--
	}
	if i < 0 {
		return f
	}
	if i != ask.at {
		f.stale = ask.view.Steps[i].N
	}
	f.snap = ask.view.Steps[i].Snap
	sn := ask.view.Snaps[f.snap]
	f.seen, f.verb = sn.Seen, verbOf(ask.view.Steps[i].Action)
	f.url, f.title = sn.Snap.URL, sn.Snap.Title
	prev, has := earlier(ask.view, f.snap)
	f.page = buildPage(prev, sn.Snap.Text, has)
	full := r.Render(ask.view, f.snap, policy.Full())
	for _, p := range ask.policies {
		out := r.Render(ask.view, f.snap, p)
		f.docs = append(f.docs, buildDoc(f.page, sn.Snap.Text, p, out, full.Tokens, headLines(f.url, f.title)))
	}
	f.grid = alignRows(f.page, f.docs)
	if f.stale == 0 {
		f.eye = eyeLine(f.page, ask.view.Steps[i].Action.Target)
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
