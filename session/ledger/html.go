package ledger

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed report.html
var reportHTML string

// page is the HTML report's template. html/template escapes every text that it
// is given: nothing of a page is ever markup.
var page = template.Must(template.New("report").Funcs(template.FuncMap{
	"n":       Thousands,
	"plain":   plain,
	"trim":    strings.TrimSpace,
	"share":   width,
	"bar":     bar,
	"verdict": Expiry.Verdict,
	"usd":     Dollars,
}).Parse(reportHTML))

// WriteHTML writes sheets as one HTML file that needs nothing else.
func WriteHTML(w io.Writer, sheets ...Sheet) error {
	type view struct {
		Sheet
		Headline string
		Peak     int
		Names    []string
		Rows     [][]string
		Foot     []string
	}
	var views []view
	for _, s := range sheets {
		v := view{Sheet: s, Headline: s.headline(), Names: s.header(), Rows: s.rows()}
		for _, r := range s.Reports {
			v.Peak = max(v.Peak, r.PeakTokens)
		}
		s.foot(func(line string) { v.Foot = append(v.Foot, line) }, func() {})
		views = append(views, v)
	}
	return page.Execute(w, map[string]any{"Sheets": views, "Columns": nil})
}

// segment is one coloured piece of a call's bar.
type segment struct {
	Class string
	Style template.CSS // a width that we computed, never text from outside
	Title string
}

// bar splits a call's bar, full width being the peak of the sheet.
func bar(c Call, peak int) []segment {
	var out []segment
	for _, p := range []struct {
		class, title string
		n            int
	}{
		{"fixed", "system prompt and definitions", c.By.Fixed},
		{"messages", "messages and tool calls", c.By.Messages},
		{"results", "other results", c.By.Results},
		{"snapshots", "snapshots", c.By.Snapshots},
		{"expired", "placeholders", c.By.Expired},
	} {
		if p.n > 0 {
			out = append(out, segment{
				Class: p.class, Title: fmt.Sprintf("%s: %s", p.title, Thousands(p.n)),
				Style: width(p.n, peak),
			})
		}
	}
	return out
}

// width is a width: so many tokens of a full bar's.
func width(n, peak int) template.CSS {
	return template.CSS(fmt.Sprintf("width:%.3f%%", 100*float64(n)/float64(max(1, peak))))
}
