package sweep

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"snapscope/session/ledger"
)

// WriteText writes a sweep for people: one line a setting, fewest tokens first,
// a dot before those on the front.
func WriteText(w io.Writer, r *Result) error {
	head := []string{" "}
	for _, a := range r.Axes {
		head = append(head, a.Key())
	}
	head = append(head, "input", "saved", "peak", "survival")
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
		row = append(row, ledger.Thousands(p.Input), ledger.Percent(p.Saved), ledger.Thousands(p.Peak),
			ledger.Survival{Acted: p.Acted, Survived: p.Survived}.Label())
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
	fmt.Fprintf(&b, "policy %s over %d recording%s; full carries %s input tokens; ● no other setting carries less and keeps as much\n\n",
		r.Policy.Name, len(r.Recordings), plural, ledger.Thousands(r.Full))
	ledger.WriteTable(&b, rows)
	_, err := io.WriteString(w, b.String())
	return err
}

type jsonResult struct {
	Policy     string      `json:"policy"`
	Recordings []string    `json:"recordings"`
	Full       int         `json:"full_input_tokens"`
	Points     []jsonPoint `json:"points"`
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
	Pareto   bool              `json:"pareto"`
}

type jsonSurvival struct {
	Acted    int `json:"acted"`
	Survived int `json:"survived"`
}

// WriteJSON writes a sweep as one object.
func WriteJSON(w io.Writer, r *Result) error {
	out := jsonResult{Policy: r.Policy.Name, Recordings: r.Recordings, Full: r.Full, Points: []jsonPoint{}}
	for _, p := range r.Points {
		set := make(map[string]string, len(p.Settings))
		for _, s := range p.Settings {
			set[s.Key] = s.Value
		}
		j := jsonPoint{
			Set: set, Input: p.Input, Appended: p.Appended, Peak: p.Peak, Saved: math.Round(p.Saved*1e6) / 1e6,
			Cached: p.Cached, Survival: jsonSurvival{p.Acted, p.Survived}, Pareto: p.Front,
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
