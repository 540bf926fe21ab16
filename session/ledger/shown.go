package ledger

import (
	"snapscope/session/policy"
)

// shownAt follows a line of an item's page through the first stages of its
// rendering, by what their verdicts say: to the line of the text that shows it, -1
// where none does, and whether it is shown with its ref.
func shownAt(stages []policy.StageView, line int) (at int, withRef bool) {
	at, withRef = line, true
	for k := range stages {
		if at = through(&stages[k], at, &withRef); at < 0 {
			return -1, false
		}
	}
	return at, withRef
}

// through is the line of a stage's text that shows a line of the text that it was
// given; -1 none does.
func through(st *policy.StageView, line int, withRef *bool) int {
	if line < 0 {
		return -1
	}
	v := &st.Verdict
	line += st.Offset
	if !v.ShowsRef(line) {
		*withRef = false
	}
	if v.Lines == nil {
		return line
	}
	for at, page := range v.Elements() {
		if page == line {
			return at
		}
	}
	return -1
}

// shows reports whether an item's rendering shows a line of its page by itself,
// with its ref where that is asked for.
func (it *item) shows(line int, byRef bool) bool {
	at, withRef := shownAt(it.rendered.Stages, line)
	return at >= 0 && (withRef || !byRef)
}

// comparing is the last stage of a rendering whose text builds on a base; -1
// none.
func comparing(r *policy.Rendered) int {
	for k := len(r.Stages) - 1; k >= 0; k-- {
		if r.Stages[k].Verdict.NeedsBase {
			return k
		}
	}
	return -1
}

// given reports whether the last comparing stage was given a line of the page: a
// stage before it may have left it out.
func (it *item) given(line int) bool {
	k := comparing(&it.rendered)
	if k <= 0 {
		return true
	}
	at, _ := shownAt(it.rendered.Stages[:k], line)
	return at >= 0
}

// nearest is the line of an item's rendering that shows the last line of its page
// up to line n that it shows; -1 none.
func (it *item) nearest(n int) int {
	for ; n >= 0; n-- {
		if at, _ := shownAt(it.rendered.Stages, n); at >= 0 {
			return at
		}
	}
	return -1
}
