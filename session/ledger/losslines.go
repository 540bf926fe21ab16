package ledger

import (
	"strings"

	"snapscope/snapshot/wording"
)

// htmlLoss is one loss with the lines around it.
type htmlLoss struct {
	Under, Step           string
	Lost                  Lost
	Before, After         []lossLine
	BeforeSays, AfterSays string
}

type lossLine struct {
	Text string
	Here bool
}

// around is how many lines are shown on each side of a lost one, and longestLine
// how many letters of each.
const (
	around      = 3
	longestLine = 160
)

// firstLoss is the first lost element that a page once showed, of the reports in
// their order; nil for none.
func (s Sheet) firstLoss() *htmlLoss {
	for _, r := range s.shown() {
		for i, l := range r.Survival.Lost {
			if !l.Never && l.Line != "" && r.hist != nil && i < len(r.lost) && r.lost[i].item >= 0 {
				return r.lossLines(i)
			}
		}
	}
	return nil
}

// lossLines shows a loss: the page where the element stood, and what the model
// read of it.
func (r *Report) lossLines(i int) *htmlLoss {
	h, l := r.hist, r.Survival.Lost[i]
	it := &h.items[r.lost[i].item]
	page := h.reading(it)
	n := 0
	for n < page.Len()-1 && page.Raw(n) != l.Line {
		n++
	}
	out := &htmlLoss{Under: r.under(), Lost: l, Step: "step " + wording.Count(l.Step) + ", " + h.stepName(l.Step)}
	out.BeforeSays = "The page at step " + wording.Count(l.From)
	for k := max(0, n-around); k < min(page.Len(), n+around+1); k++ {
		out.Before = append(out.Before, lossLine{cut(page.Raw(k), longestLine), k == n})
	}
	out.AfterSays = "What the model read there, " + r.under()
	switch {
	case it.expired && l.Cured:
		out.AfterSays = "What the model read there when it chose step " + wording.Count(l.Step) + ", " + r.under()
		out.After = []lossLine{{Text: it.by.placeholder}}
	case it.gone:
		out.After = []lossLine{{Text: "(removed by the agent's own compaction)"}}
	default:
		out.After = h.readAround(it, n)
	}
	return out
}

// readAround is what the model read of an item near a line of its page: the lines
// that stand for its neighbours and what is between them.
func (h *history) readAround(it *item, n int) (out []lossLine) {
	text := it.asShown()
	at := -1
	if it.rewritten() {
		text = it.rendered.Text
		at = it.nearest(n)
	}
	lines := strings.Split(text, "\n")
	if at < 0 {
		at = len(lines) / 2
	}
	from, to := max(0, at-around), min(len(lines), at+around+1)
	if from > 0 {
		out = append(out, lossLine{Text: "…"})
	}
	for _, line := range lines[from:to] {
		out = append(out, lossLine{Text: cut(line, longestLine)})
	}
	if to < len(lines) {
		out = append(out, lossLine{Text: "…"})
	}
	return out
}
