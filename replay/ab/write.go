package ab

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
)

// WriteJSON writes the table as one object.
func WriteJSON(w io.Writer, t Table) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(t)
}

// head names the columns. Whether a run succeeded is known by a check alone; without
// one the table says how many ended with status 0.
func head(t Table) []string {
	third := "ended"
	if slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Succeeded != nil }) {
		third = "succeeded"
	}
	return []string{"policy", "runs", third, "steps", "calls", "input", "cached", "written", "output", "cost", "receipt", "lost"}
}

func cells(r Row) []string {
	ok := r.OK
	if r.Succeeded != nil {
		ok = *r.Succeeded
	}
	return []string{
		plain(r.Policy), strconv.Itoa(r.Runs), fmt.Sprintf("%d/%d", ok, r.Runs), decimal(r.Steps.Mean), decimal(r.Calls.Mean),
		whole(r.Input.Mean), whole(r.Cached.Mean), whole(r.Written.Mean), whole(r.Output.Mean), dollars(r.Cost), dollars(r.Receipt), decimal(r.Lost.Mean),
	}
}

var foreHead = []string{"predicted beside measured", "input", "measured", "off", "cached*", "measured*", "off", "cost*", "measured*", "off"}

// foreCells is a row of the second table; nil where there is no forecast.
func foreCells(r Row) []string {
	f := r.Forecast
	if f == nil {
		return nil
	}
	cost, measured, offCost := ledger.Dollars(f.Cost), dollars(r.After), "–"
	if r.OffCost != nil {
		offCost = signed(*r.OffCost)
	}
	return []string{
		plain(r.Policy), whole(f.Input), whole(r.Input.Mean), signed(r.OffInput), whole(f.Cached), whole(r.Later.Mean), signed(r.OffCached), cost, measured, offCost,
	}
}

func whole(f float64) string { return wording.Count(int(math.Round(f))) }

// decimal writes a figure without a fraction that is none.
func decimal(f float64) string {
	if f == math.Trunc(f) {
		return strconv.FormatFloat(f, 'f', 0, 64)
	}
	return strconv.FormatFloat(f, 'f', 1, 64)
}

func dollars(m *Mean) string {
	if m == nil {
		return "–"
	}
	return ledger.Dollars(&m.Mean)
}

func signed(f float64) string {
	s := strconv.FormatFloat(math.Abs(f)*100, 'f', 2, 64) + " %"
	switch {
	case s == "0.00 %":
		return s
	case f < 0:
		return "−" + s
	}
	return "+" + s
}

// remarks are the sentences below the tables.
func remarks(t Table) []string {
	var out []string
	for _, r := range t.Rows {
		for _, e := range r.Ends {
			out = append(out, plain(r.Policy+" ended: "+e))
		}
	}
	for _, r := range t.Runs {
		if r.Succeeded != nil && !*r.Succeeded {
			out = append(out, plain(fmt.Sprintf("%s run %d did not succeed: %s", r.Policy, r.Round, r.Check)))
		}
	}
	for _, r := range t.Rows {
		if d := r.Against; d != nil {
			s := fmt.Sprintf("%s against %s: input %s", r.Policy, t.Rows[0].Policy, signed(d.Input))
			if d.Cost != nil {
				s += ", cost " + signed(*d.Cost)
			}
			word := "no larger than the spread of the runs"
			if d.Sure {
				word = "larger than the spread of the runs"
			}
			word += " (" + d.Why + ")"
			if d.Why == oneRun {
				word = oneRun
			}
			out = append(out, plain(s+"; "+word))
		}
	}
	for _, r := range t.Rows {
		for _, c := range r.Drift {
			out = append(out, plain(fmt.Sprintf("the forecast for %s is off: %s", r.Policy, c)))
		}
	}
	for _, c := range t.Checks {
		out = append(out, plain(fmt.Sprintf("cache model, %s run %d: %s", c.Policy, c.Round, c.CacheCheck)))
	}
	for _, r := range t.Rows {
		if r.Forecast != nil {
			out = append(out, fmt.Sprintf("fitted on %s: vendor tokens = %s + %.3f × ours", plain(t.Rows[0].Policy), whole(r.Forecast.Base), r.Forecast.Factor))
			break
		}
	}
	for _, r := range t.Rows {
		if r.Others.Mean > 0 {
			out = append(out, plain(fmt.Sprintf("%s: %s of the input tokens a run are in calls beside the session (titles, summaries, subagents), predicted as in the runs of %s", r.Policy, whole(r.Others.Mean), t.Rows[0].Policy)))
		}
	}
	for _, r := range t.Rows {
		if r.Told != nil {
			out = append(out, plain(fmt.Sprintf("%s: the client's own receipt has %s input tokens, %s the vendor's count", r.Policy, whole(r.Told.Mean), against(r.Told.Mean, r.Input.Mean))))
		}
	}
	for _, n := range t.Notes {
		out = append(out, plain(n))
	}
	return out
}

// against says how a figure stands to another.
func against(a, b float64) string {
	if math.Round(a) == math.Round(b) {
		return "exactly"
	}
	return signed(off(a, b)) + " of"
}

const cachedNote = "* without the first call, which may read an earlier run's cache"

// WriteText writes the table for people.
func WriteText(w io.Writer, t Table) error {
	var b strings.Builder
	rows := [][]string{head(t)}
	for _, r := range t.Rows {
		rows = append(rows, cells(r))
	}
	ledger.WriteTable(&b, rows, 0)
	fore := [][]string{foreHead}
	for _, r := range t.Rows {
		if c := foreCells(r); c != nil {
			fore = append(fore, c)
		}
	}
	if len(fore) > 1 {
		b.WriteByte('\n')
		ledger.WriteTable(&b, fore, 0)
		b.WriteString(cachedNote + "\n")
	}
	b.WriteByte('\n')
	for _, s := range remarks(t) {
		b.WriteString(s + "\n")
	}
	for _, r := range t.Runs {
		fmt.Fprintf(&b, "recording: %s run %d  %s\n", plain(r.Policy), r.Round, plain(r.File))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the table as Markdown.
func WriteMarkdown(w io.Writer, t Table) error {
	var b strings.Builder
	table := func(names []string, rows [][]string) {
		b.WriteString("| " + strings.Join(names, " | ") + " |\n| ---" + strings.Repeat(" | ---:", len(names)-1) + " |\n")
		for _, r := range rows {
			for i := range r {
				r[i] = md(r[i])
			}
			b.WriteString("| " + strings.Join(r, " | ") + " |\n")
		}
	}
	var rows, fore [][]string
	for _, r := range t.Rows {
		rows = append(rows, cells(r))
		if c := foreCells(r); c != nil {
			fore = append(fore, c)
		}
	}
	table(head(t), rows)
	if len(fore) > 0 {
		b.WriteByte('\n')
		h := append([]string(nil), foreHead...)
		for i := range h {
			h[i] = md(h[i])
		}
		table(h, fore)
		b.WriteString("\n" + md(cachedNote) + "\n")
	}
	b.WriteByte('\n')
	for _, s := range remarks(t) {
		b.WriteString("- " + md(s) + "\n")
	}
	for _, r := range t.Runs {
		fmt.Fprintf(&b, "- %s run %d: [%s](<%s>)\n", md(plain(r.Policy)), r.Round, md(plain(r.File)), strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "").Replace(plain(r.Link)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// md escapes what Markdown would take for its own.
func md(s string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "<", "&lt;", "#", `\#`).Replace(s)
}

var page = template.Must(template.New("ab").Funcs(template.FuncMap{
	"cells": cells, "fore": foreCells, "remarks": remarks, "plain": plain,
	"note": func() string { return cachedNote }, "head": head, "forehead": func() []string { return foreHead },
}).Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>snapscope: policies compared</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.3rem .7rem;text-align:right;border-bottom:1px solid #8884}td:first-child,th:first-child{text-align:left}
div.t{overflow-x:auto}code{word-break:break-all}
</style>
<h1>Policies compared</h1>
<p><code>{{range .Agent}}{{plain .}} {{end}}</code></p>
<div class="t"><table><tr>{{range head .}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range cells .}}<td>{{.}}</td>{{end}}</tr>
{{end}}</table></div>
<div class="t"><table><tr>{{range forehead}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}{{with fore .}}<tr>{{range .}}<td>{{.}}</td>{{end}}</tr>
{{end}}{{end}}</table></div>
<p>{{note}}</p>
<ul>{{range remarks .}}<li>{{.}}</li>
{{end}}</ul>
<h2>Runs</h2>
<ul>{{range .Runs}}<li>{{plain .Policy}} run {{.Round}}: <a href="{{.Link}}">{{plain .File}}</a></li>
{{end}}</ul>
</html>
`))

// WriteHTML writes the table as one page that needs nothing else.
func WriteHTML(w io.Writer, t Table) error { return page.Execute(w, t) }
