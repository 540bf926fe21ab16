package tune

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"snapscope/snapshot/wording"
)

//go:embed tune.html
var pageText string

var page = template.Must(template.New("tune").Funcs(template.FuncMap{"percent": wording.Percent}).Parse(pageText))

// WriteHTML writes a result as a page of its own, without scripts: the answer,
// how far to trust it, the front as a chart, and the tables.
func WriteHTML(w io.Writer, r *Result) error {
	data := htmlPage{Answer: r.answer(), Chart: frontChart(r), Foot: wording.Count(r.Evaluations) + " evaluations over " + wording.Plural(len(r.Sessions), "session")}
	if r.Stopped {
		data.Foot += "; the search was stopped early"
	}
	if t := r.Trust; t != nil {
		data.Trust, data.Warnings = t.says(), t.Warnings
	}
	for _, t := range []struct {
		title string
		of    []Candidate
	}{{"Each strategy alone, where it keeps enough", r.Each}, {"The front", r.Front}} {
		if len(t.of) > 0 {
			data.Tables = append(data.Tables, htmlTable{t.title, htmlRows(r, t.of)})
		}
	}
	if len(r.Sessions) > 1 {
		data.Parts = r.Parts()
	}
	return page.Execute(w, data)
}

type htmlPage struct {
	Answer, Trust, Foot string
	Warnings            []string
	Chart               *htmlChart
	Tables              []htmlTable
	Parts               []Part
}

type htmlTable struct {
	Title string
	Rows  []htmlRow
}

type htmlRow struct {
	Policy, Input, Peak, Saved, Kept string
	Lost                             bool
}

func htmlRows(r *Result, of []Candidate) []htmlRow {
	var out []htmlRow
	for _, c := range of {
		out = append(out, htmlRow{
			Policy: Describe(c.Policy), Input: wording.Count(c.Total.Input), Peak: wording.Count(c.Total.Peak), Saved: wording.Percent(c.Saved),
			Kept: fmt.Sprintf("%d/%d", r.could()-c.Losses, r.could()), Lost: c.Losses > 0,
		})
	}
	return out
}

// htmlChart is the front in units of the SVG.
type htmlChart struct {
	Top, Bottom, Left, Right, Line string
	Points                         []htmlPoint
}

type htmlPoint struct {
	X, Y  float64
	Title string
	Knee  bool
}

// frontChart draws the front; nil where it is a single point.
func frontChart(r *Result) *htmlChart {
	if len(r.Front) < 2 {
		return nil
	}
	lo, hi, least := r.Front[len(r.Front)-1].Saved, r.Front[0].Saved, 1.0
	for _, c := range r.Front {
		least = math.Min(least, c.Kept)
	}
	if hi <= lo || least >= 1 {
		return nil
	}
	out := &htmlChart{Top: "100 %", Bottom: wording.Percent(least), Left: wording.Percent(lo), Right: wording.Percent(hi)}
	var line []string
	for _, c := range r.Front {
		p := htmlPoint{
			X: math.Round(520+2940*(c.Saved-lo)/(hi-lo)) / 10, Y: math.Round(140+2260*(1-c.Kept)/(1-least)) / 10, Knee: c.Knee,
			Title: fmt.Sprintf("%s: saves %s, keeps %d of %d", Describe(c.Policy), wording.Percent(c.Saved), r.could()-c.Losses, r.could()),
		}
		out.Points = append(out.Points, p)
		line = append(line, fmt.Sprintf("%g,%g", p.X, p.Y))
	}
	out.Line = strings.Join(line, " ")
	return out
}
