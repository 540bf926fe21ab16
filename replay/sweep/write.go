package sweep

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
)

// WriteText writes a sweep for people: one line a setting, fewest tokens first,
// a dot before those on the front; then, for the setting that keeps the most, the
// recordings by site, model or format as asked for, and those that lose most.
func WriteText(w io.Writer, r *Result) error {
	head := []string{" "}
	for _, a := range r.Axes {
		head = append(head, a.Key())
	}
	head = append(head, "input", "saved", "peak", "survival", "quotes")
	if len(r.Recordings) > 1 {
		head = append(head, "whole runs")
	}
	priced := len(r.Points) > 0 && r.Points[0].Cost != nil
	if priced {
		head = append(head, "cost")
	}
	rows := [][]string{head}
	for _, p := range r.Points {
		row := []string{" "}
		if p.Front {
			row[0] = "●"
		}
		for _, s := range p.Settings {
			row = append(row, s.Value)
		}
		row = append(row, wording.Count(p.Input), wording.Percent(p.Saved), wording.Count(p.Peak),
			ledger.Survival{Acted: p.Acted, Survived: p.Survived}.Label(), ledger.Survival{Acted: p.Quotes, Survived: p.Read}.Label())
		if len(r.Recordings) > 1 {
			row = append(row, p.Runs.Label())
		}
		if priced {
			row = append(row, ledger.Dollars(p.Cost))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	plural := "s"
	if len(r.Recordings) == 1 {
		plural = ""
	}
	fmt.Fprintf(&b, "policy %s over %d recording%s; full takes %s input tokens; ● no other setting takes less and keeps as much\n\n",
		r.Policy.Name, len(r.Recordings), plural, wording.Count(r.Full))
	ledger.WriteTable(&b, rows)
	writeGroups(&b, r)
	for _, f := range r.Failed {
		fmt.Fprintf(&b, "✗ %s\n", f)
	}
	for _, f := range r.LeftOut {
		fmt.Fprintf(&b, "left out %s\n", f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeGroups tells of the point that keeps the most.
func writeGroups(b *strings.Builder, r *Result) {
	p := r.Pick()
	if p == nil || len(r.Recordings) < 2 {
		return
	}
	if len(r.Groups) > 0 {
		rows := [][]string{{"", "", "recordings", "input", "saved", "survival", "quotes", "whole runs"}}
		for _, g := range r.Groups {
			rows = append(rows, []string{
				g.By, g.Name, wording.Count(g.Recordings), wording.Count(g.Input), wording.Percent(g.Saved()),
				ledger.Survival{Acted: g.Acted, Survived: g.Survived}.Label(), ledger.Survival{Acted: g.Quotes, Survived: g.Read}.Label(), g.Runs.Label(),
			})
		}
		fmt.Fprintf(b, "\nunder %s\n", p.Name())
		ledger.WriteTable(b, rows)
	}
	if len(r.Outliers) == 0 {
		return
	}
	fmt.Fprintf(b, "\nwhat loses most under %s\n", p.Name())
	for _, o := range r.Outliers {
		fmt.Fprintf(b, "  %d of %d lost: %s\n", o.Lost, o.Acted, r.opens(o, p))
	}
}

// opens is the command line that opens an outlier in the debugger under a point.
func (r *Result) opens(o Outlier, p *Point) string {
	line := "snapscope replay " + fileWord(o.Recording, r.Reading) + r.Reading
	if r.Words != nil {
		return line + " " + r.Words(p.Policy)
	}
	line += " --policy " + ledger.Word(r.Policy.Name)
	for _, s := range p.Settings {
		line += " --set " + ledger.Word(s.Key+"="+s.Value)
	}
	return line
}

type jsonResult struct {
	Policy     string        `json:"policy"`
	Recordings []string      `json:"recordings"`
	Full       int           `json:"full_input_tokens"`
	Points     []jsonPoint   `json:"points"`
	Groups     []jsonGroup   `json:"groups,omitempty"`
	Outliers   []jsonOutlier `json:"outliers"`
	Failed     []jsonFailure `json:"failed"`
	LeftOut    []jsonFailure `json:"left_out,omitempty"`
}

type jsonGroup struct {
	By         string       `json:"by"`
	Name       string       `json:"name"`
	Recordings int          `json:"recordings"`
	Input      int          `json:"input_tokens"`
	Saved      float64      `json:"saved_ratio"`
	Survival   jsonSurvival `json:"survival"`
	Reading    jsonReading  `json:"reading"`

	Runs ledger.RunsJSON `json:"runs"`
}

type jsonOutlier struct {
	Recording string `json:"recording"`
	Lost      int    `json:"lost"`
	Acted     int    `json:"acted"`
	Command   string `json:"command"` // opens it in the debugger under that setting
}

type jsonFailure struct {
	Recording string `json:"recording"`
	Error     string `json:"error"`
}

type jsonPoint struct {
	Set      map[string]string `json:"set"`
	Input    int               `json:"input_tokens"`
	Appended int               `json:"appended_tokens"`
	Peak     int               `json:"peak_tokens"`
	Saved    float64           `json:"saved_ratio"`
	Cached   int               `json:"cached_tokens"`
	Cost     *float64          `json:"cost_usd"`
	Survival jsonSurvival      `json:"survival"`
	Reading  jsonReading       `json:"reading"`
	Runs     ledger.RunsJSON   `json:"runs"`
	Pareto   bool              `json:"pareto"`
}

type jsonSurvival struct {
	Acted    int `json:"acted"`
	Survived int `json:"survived"`
}

type jsonReading struct {
	Quotes int `json:"quotes"`
	Kept   int `json:"kept"`
}

// WriteJSON writes a sweep as one object.
func WriteJSON(w io.Writer, r *Result) error {
	out := jsonResult{Policy: r.Policy.Name, Recordings: r.Recordings, Full: r.Full, Points: []jsonPoint{}, Outliers: []jsonOutlier{}, Failed: []jsonFailure{}}
	for _, f := range r.Failed {
		out.Failed = append(out.Failed, jsonFailure(f))
	}
	for _, f := range r.LeftOut {
		out.LeftOut = append(out.LeftOut, jsonFailure(f))
	}
	for _, g := range r.Groups {
		out.Groups = append(out.Groups, jsonGroup{g.By, g.Name, g.Recordings, g.Input, math.Round(g.Saved()*1e6) / 1e6, jsonSurvival{g.Acted, g.Survived}, jsonReading{g.Quotes, g.Read}, g.Runs.JSON()})
	}
	for _, o := range r.Outliers {
		out.Outliers = append(out.Outliers, jsonOutlier{o.Recording, o.Lost, o.Acted, r.opens(o, r.Pick())})
	}
	for _, p := range r.Points {
		set := make(map[string]string, len(p.Settings))
		for _, s := range p.Settings {
			set[s.Key] = s.Value
		}
		j := jsonPoint{
			Set: set, Input: p.Input, Appended: p.Appended, Peak: p.Peak, Saved: math.Round(p.Saved*1e6) / 1e6,
			Cached: p.Cached, Survival: jsonSurvival{p.Acted, p.Survived}, Reading: jsonReading{p.Quotes, p.Read}, Runs: p.Runs.JSON(), Pareto: p.Front,
		}
		if p.Cost != nil {
			c := math.Round(*p.Cost*1e9) / 1e9
			j.Cost = &c
		}
		out.Points = append(out.Points, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
