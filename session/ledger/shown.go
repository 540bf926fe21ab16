package ledger

import (
	"strings"

	"snapscope/session/policy"
	"snapscope/snapshot"
	"snapscope/snapshot/strategy"
)

// shownLines is where a rendering shows the lines of its page, as the verdicts of
// its stages say.
type shownLines struct {
	at    []int32      // by page line: the line of the text that shows it; -1 none does
	noRef map[int]bool // page lines that are shown without their ref
}

// has reports whether a page line is shown, with its ref where that is asked for.
func (s *shownLines) has(line int, byRef bool) bool {
	return line >= 0 && line < len(s.at) && s.at[line] >= 0 && !(byRef && s.noRef[line])
}

// whole shows all lines of a page.
func whole(lines int) *shownLines {
	s := &shownLines{at: make([]int32, lines)}
	for i := range s.at {
		s.at[i] = int32(i)
	}
	return s
}

// through follows the lines through one stage, which was given text.
func (s *shownLines) through(st *policy.StageView, sn *snapshot.Snapshot, text string) {
	in, before := stageInput(st.Strategy, sn, text)
	v := &st.Verdict
	to := make([]int32, 1+strings.Count(in, "\n"))
	for i := range to {
		to[i] = -1
	}
	for line, page := range v.Elements() {
		if page < len(to) && to[page] < 0 {
			to[page] = int32(line)
		}
	}
	for i, at := range s.at {
		if at < 0 {
			continue
		}
		k := int(at) + before
		if k >= len(to) {
			s.at[i] = -1
			continue
		}
		s.at[i] = to[k]
		if to[k] >= 0 && !v.ShowsRef(k) {
			if s.noRef == nil {
				s.noRef = map[int]bool{}
			}
			s.noRef[i] = true
		}
	}
}

// stageInput is the text that a stage was given for a page, and how many lines
// the session put before the page's own.
func stageInput(s *strategy.Strategy, sn *snapshot.Snapshot, text string) (in string, before int) {
	if s.Compose == nil {
		return text, 0
	}
	in = s.Compose(strategy.Page{URL: sn.URL, Title: sn.Title, Text: text, Dialect: sn.Dialect, Elements: sn.Elements})
	return in, strings.Count(strings.TrimSuffix(in, text), "\n")
}

// after is what the first stages of an item's rendering show of its page.
func (h *history) after(it *item, stages int) *shownLines {
	sn := h.t.Snaps[it.snap].Snap
	s, text := whole(h.page(it).Len()), sn.Text
	for k := range it.rendered.Stages[:stages] {
		st := &it.rendered.Stages[k]
		s.through(st, sn, text)
		text = st.Verdict.Text
	}
	return s
}

// shown is what an item's rendering shows of its page by itself.
func (h *history) shown(it *item) *shownLines {
	if it.own == nil {
		it.own = h.after(it, len(it.rendered.Stages))
	}
	return it.own
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
func (h *history) given(it *item, line int) bool {
	k := comparing(&it.rendered)
	if k <= 0 {
		return true
	}
	if it.given == nil {
		it.given = h.after(it, k)
	}
	return it.given.has(line, false)
}

// nearest is the line of an item's rendering that shows the last line of its page
// up to line n that it shows; -1 none.
func (h *history) nearest(it *item, n int) int {
	s := h.shown(it)
	for ; n >= 0; n-- {
		if s.has(n, false) {
			return int(s.at[n])
		}
	}
	return -1
}
