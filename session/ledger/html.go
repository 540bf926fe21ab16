package ledger

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

//go:embed report.html
var reportHTML string

// page is the HTML report's template. html/template escapes every text that it
// is given: nothing of a page is ever markup.
var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"n":       wording.Count,
	"plain":   plain,
	"trim":    strings.TrimSpace,
	"percent": wording.Percent,
	"verdict": Expiry.Verdict,
	"priced":  Lost.priced,
	"name":    Lost.name,
}).Parse(reportHTML))

// htmlSheet is one session as the page shows it.
type htmlSheet struct {
	Sheet
	Headline    string
	Wrong       []string // what did go wrong
	MoreWrong   int
	Advice      [3]string // the command apart: before it, it, behind it
	Chart       *chart
	Bill        []htmlPart
	BillSays    string
	Columns     []string
	Rows        [][]string
	Legend      []string
	Turned      []string
	Loss        *htmlLoss
	Under       []htmlPolicy
	CallColumns []string
	Calls       []htmlCall
	MoreCalls   int
	Foot        []string
}

// htmlPart is one piece of the bill's bar and one row of its list.
type htmlPart struct {
	billRow
	Class string
	Style template.CSS // a width that we computed, never text from outside
}

// htmlPolicy is what one policy lost and cleared.
type htmlPolicy struct {
	Name     string
	Lost     []Lost
	Expiries []Expiry
	Sum      string
}

// htmlCall is one model call: what it chose, and its input under each policy.
type htmlCall struct {
	Name   string
	Cells  []string
	Pieces []htmlPart // of the first column, as parts of the largest call
}

// mostCalls is how many model calls the page lists; the JSON has all.
const mostCalls = 200

// WriteHTML writes sheets as one HTML file that needs nothing else and runs
// nothing.
func WriteHTML(w io.Writer, sheets ...Sheet) error {
	var views []htmlSheet
	for _, s := range sheets {
		views = append(views, s.html())
	}
	return page.Execute(w, map[string]any{"Sheets": views})
}

func (s Sheet) html() htmlSheet {
	v := htmlSheet{
		Sheet: s, Headline: s.headline(), Columns: s.header(), Rows: s.rows(), Legend: s.legend(), Turned: s.turned(), Loss: s.firstLoss(),
	}
	if s.AsSent != nil {
		for _, t := range s.AsSent.Troubles[:min(mostLines, len(s.AsSent.Troubles))] {
			v.Wrong = append(v.Wrong, s.AsSent.troubleLine(t))
		}
		v.MoreWrong = len(s.AsSent.Troubles) - len(v.Wrong)
	}
	if s.Advice != nil {
		v.Advice[0] = s.Advice.Text
		if c := s.Advice.Command; c != "" {
			v.Advice[0], v.Advice[2], _ = strings.Cut(s.Advice.Text, c)
			v.Advice[1] = c
		}
		v.Chart = chartOf(s.compared(), s.Advice.Report)
	}
	if s.Bill != nil && s.Bill.Parts.Sum() > 0 {
		v.BillSays = s.Bill.sentence()
		for i, r := range s.Bill.billRows() {
			v.Bill = append(v.Bill, htmlPart{r, fmt.Sprintf("part%d", i%9), width(r.Tokens, s.Bill.Parts.Sum())})
		}
	}
	for _, r := range s.shown() {
		if lost := r.listed(); len(lost) > 0 || len(r.Expiries) > 0 {
			p := htmlPolicy{Name: r.under(), Lost: lost, Sum: r.expirySum()}
			if p.Expiries = r.Expiries; len(r.Expiries) == 0 {
				p.Sum = ""
			} else if !r.judged() {
				p.Expiries = nil
			}
			v.Under = append(v.Under, p)
		}
	}
	v.calls()
	s.foot(func(line string) { v.Foot = append(v.Foot, line) }, func() {})
	return v
}

// shown are the reports that the tables show.
func (s Sheet) shown() []*Report {
	if s.differs() {
		return append([]*Report{s.AsSent}, s.Reports...)
	}
	return s.Reports
}

// compared are the reports of the chart: what was sent, full, and all that was
// tried.
func (s Sheet) compared() []*Report {
	out := []*Report{s.Full}
	if s.differs() {
		out = append(out, s.AsSent)
	}
	for i, r := range s.Candidates {
		turned := slices.ContainsFunc(s.Candidates[:i], func(x *Report) bool { return x.Policy.Name == r.Policy.Name })
		if len(r.Policy.Stages) > 0 && !turned { // under one name the one that was asked for
			out = append(out, r)
		}
	}
	return out
}

// calls lists the model calls by what they chose.
func (v *htmlSheet) calls() {
	shown := v.shown()
	if len(shown) == 0 {
		return
	}
	peak := 0
	for _, r := range shown {
		v.CallColumns = append(v.CallColumns, plain(r.Policy.Name))
		peak = max(peak, r.PeakTokens)
	}
	for i, c := range shown[0].Calls {
		if i == mostCalls {
			v.MoreCalls = len(shown[0].Calls) - i
			break
		}
		row := htmlCall{Name: shown[0].callName(i), Pieces: pieces(c.By, peak)}
		for _, r := range shown {
			row.Cells = append(row.Cells, wording.Count(r.Calls[i].InputTokens))
		}
		v.Calls = append(v.Calls, row)
	}
}

// callName says what call i (an index) chose.
func (r *Report) callName(i int) string {
	c := &r.Calls[i]
	if c.Step == 0 || r.hist == nil {
		return fmt.Sprintf("call %d, an answer", c.Call)
	}
	name := r.hist.stepName(c.Step)
	more := 0
	for _, s := range r.hist.t.Steps {
		if s.Call == i && s.N != c.Step {
			more++
		}
	}
	if more > 0 {
		name += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%d  %s", c.Step, name)
}

// longestName is how many letters of a step's name are shown.
const longestName = 72

// stepName is a step in a few words, its element by role and name.
func (h *history) stepName(n int) string {
	s := &h.t.Steps[n-1]
	a := *s.Action
	if a.Target != nil && a.Target.Ref != "" {
		w := want{ref: a.Target.Ref}
		for i := len(h.items) - 1; i >= 0; i-- {
			it := &h.items[i]
			if it.snap < 0 || h.entries[it.from].seq >= s.ActionSeq {
				continue
			}
			if k := w.line(h.page(it)); k >= 0 {
				line := h.page(it).Line(k)
				t := *a.Target
				t.Ref, t.Role, t.Name = "", line.Role, line.Name()
				a.Target = &t
				break
			}
		}
	}
	return cut(plain(a.Label()), longestName)
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// turned lists the knobs of the shown policies that are not at their defaults.
func (s Sheet) turned() (out []string) {
	for _, r := range s.Reports {
		for _, st := range r.Policy.Stages {
			out = append(out, turnedOf(r.Policy.Name, st)...)
		}
	}
	return out
}

func turnedOf(name string, st policy.Stage) (out []string) {
	v := st.Values()
	for _, k := range st.Strategy.Knobs {
		if v[k.Key] != k.Default {
			out = append(out, fmt.Sprintf("%s: %s.%s %s (default %s)", plain(name), st.Strategy.Name, k.Key, k.Format(v[k.Key]), k.Format(k.Default)))
		}
	}
	return out
}

// pieces splits a call's bar, full width being the peak of the sheet.
func pieces(by Breakdown, peak int) []htmlPart {
	var out []htmlPart
	for _, p := range []struct {
		class, name string
		n           int
	}{
		{"fixed", "system prompt, tools and whatever else is not in the file", by.Fixed + max(0, by.Uncounted)},
		{"messages", "messages and tool calls", by.Messages},
		{"results", "other results and pictures", by.Results + by.Images},
		{"snapshots", "page snapshots", by.Snapshots},
		{"expired", "placeholders", by.Expired},
	} {
		if p.n > 0 {
			out = append(out, htmlPart{billRow{Name: p.name, Tokens: p.n}, p.class, width(p.n, peak)})
		}
	}
	return out
}

// width is so many tokens of a full bar's.
func width(n, peak int) template.CSS {
	return template.CSS(fmt.Sprintf("width:%.3f%%", 100*float64(n)/float64(max(1, peak))))
}
