package tune

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// Describe is a policy's stages with the knobs that differ from their defaults:
// "compress keep_n 274, then openclaw".
func Describe(p policy.Policy) string {
	if len(p.Stages) == 0 {
		return "full"
	}
	parts := make([]string, len(p.Stages))
	for i, st := range p.Stages {
		parts[i] = st.Strategy.Name
		for _, k := range st.Strategy.Knobs {
			if v, ok := st.Knobs[k.Key]; ok && v != k.Default {
				parts[i] += " " + k.Key + " " + k.Format(v)
			}
		}
	}
	return strings.Join(parts, ", then ")
}

// Promise is what the result says of its best policy; nil where there is none,
// or where it was not measured on sessions that the search did not see.
func (r *Result) Promise() *policy.Promise {
	if r.Best == nil || r.Trust == nil || r.Trust.Measured == 0 {
		return nil
	}
	t := r.Trust
	runs := 0.0
	if r.Options.KeepRuns > 0 {
		runs = math.Min(r.Options.KeepRuns, t.Runs.NoLoss())
	}
	return &policy.Promise{
		Runs: runs,
		Keep: math.Min(r.Options.Keep, t.Kept), Minimize: string(r.Options.Minimize),
		Saved: t.Saved, Low: t.Low, High: t.High, Sessions: t.Measured,
	}
}

// WriteText writes a result for people: the answer first, then each strategy
// alone, the front, and how far to trust it.
func WriteText(w io.Writer, r *Result) error {
	var b strings.Builder
	b.WriteString(r.answer() + "\n")
	writeTrust(&b, r)
	if len(r.Each) > 0 {
		b.WriteString("\neach strategy alone, where it keeps enough\n")
		writeCandidates(&b, r, r.Each, false)
	}
	if len(r.Front) > 1 {
		b.WriteString("\nthe best trade-offs: no other policy keeps as many elements for less; ◆ after this one a further loss saves least\n")
		writeCandidates(&b, r, r.Front, true)
		writeChart(&b, r)
	}
	writeParts(&b, r)
	fmt.Fprintf(&b, "\n%s evaluations", wording.Count(r.Evaluations))
	if r.Stopped {
		b.WriteString("; the search was stopped early")
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// answer is the result in one sentence.
func (r *Result) answer() string {
	if r.Best == nil {
		return fmt.Sprintf("nothing found that keeps %s and costs less than full snapshots", wording.Percent(r.Options.Keep))
	}
	what := map[Measure]string{Cost: "cost", Input: "input tokens", Peak: "the largest call"}[r.Options.Minimize]
	return fmt.Sprintf("%s: saves %s of %s, losses paid for, and keeps %d of %d elements and quotes that the agents used",
		Describe(r.Best.Policy), wording.Percent(r.Best.Saved), what, r.could()-r.Best.Losses, r.could())
}

// could is how many elements and quotes full keeps.
func (r *Result) could() int { return r.Full.Kept }

func writeTrust(b *strings.Builder, r *Result) {
	t := r.Trust
	if t == nil {
		return
	}
	if s := t.says(); s != "" {
		b.WriteString(s + "\n")
	}
	for _, s := range t.Warnings {
		b.WriteString("careful: " + s + "\n")
	}
}

// says is what was measured on unseen sessions; "" where nothing was.
func (t *Trust) says() string {
	if t.Measured == 0 {
		return ""
	}
	return fmt.Sprintf("on sessions that the search did not use (%d in %d parts): saves %s, keeps %s; expect %s to %s on as many new sessions (95 %% interval)",
		t.Measured, t.Folds, wording.Percent(t.Saved), wording.Percent(t.Kept), wording.Percent(t.Low), wording.Percent(t.High))
}

func writeCandidates(b *strings.Builder, r *Result, cs []Candidate, front bool) {
	rows := [][]string{{" ", "policy", "input", "peak", "saved, net", "kept", "whole runs"}}
	for _, c := range cs {
		mark := " "
		if front && c.Knee {
			mark = "◆"
		}
		rows = append(rows, []string{
			mark, Describe(c.Policy), wording.Count(c.Total.Input), wording.Count(c.Total.Peak), wording.Percent(c.Saved),
			fmt.Sprintf("%d/%d", r.could()-c.Losses, r.could()), c.Runs.Label(),
		})
	}
	ledger.WriteTable(b, rows)
}

// Parts sums the best policy by site and by kind of session.
func (r *Result) Parts() []Part {
	if r.Best == nil {
		return nil
	}
	var out []Part
	for _, by := range []struct {
		name string
		of   func(Session) string
	}{{"site", func(s Session) string { return s.Site }}, {"kind", func(s Session) string { return s.Kind }}} {
		at := map[string]int{}
		for i, s := range r.Sessions {
			name := by.of(s)
			if name == "" {
				name = "not known"
			}
			j, ok := at[name]
			if !ok {
				j = len(out)
				at[name] = j
				out = append(out, Part{By: by.name, Name: name})
			}
			p := &out[j]
			p.Sessions++
			p.full = p.full.add(r.PerFull[i])
			p.total = p.total.add(r.Best.Session[i])
			p.Losses += r.PerFull[i].Kept - min(r.PerFull[i].Kept, r.Best.Session[i].Kept)
		}
	}
	for i := range out {
		if v := out[i].full.value(r.Options.Minimize); v > 0 {
			out[i].Saved = 1 - out[i].total.value(r.Options.Minimize)/v
		}
	}
	return out
}

// Part is the best policy over the sessions of one site or kind.
type Part struct {
	By       string // site or kind
	Name     string
	Sessions int
	Saved    float64
	Losses   int

	full, total Figures
}

func writeParts(b *strings.Builder, r *Result) {
	parts := r.Parts()
	if len(r.Sessions) < 2 {
		return
	}
	rows := [][]string{{"", "", "sessions", "saved, net", "lost"}}
	for _, p := range parts {
		rows = append(rows, []string{p.By, p.Name, fmt.Sprint(p.Sessions), wording.Percent(p.Saved), fmt.Sprint(p.Losses)})
	}
	if len(rows) > 1 {
		b.WriteString("\nthe best policy by site and kind of session\n")
		ledger.WriteTable(b, rows)
	}
}

const chartWidth, chartHeight = 60, 10

// writeChart draws the front: saved to the right, kept upwards.
func writeChart(b *strings.Builder, r *Result) {
	lo, hi, least := r.Front[len(r.Front)-1].Saved, r.Front[0].Saved, 1.0
	for _, c := range r.Front {
		least = math.Min(least, c.Kept)
	}
	if hi <= lo || least >= 1 {
		return
	}
	cells := make([][]rune, chartHeight)
	for i := range cells {
		cells[i] = []rune(strings.Repeat(" ", chartWidth))
	}
	for _, c := range r.Front {
		x := int(math.Round((c.Saved - lo) / (hi - lo) * (chartWidth - 1)))
		y := int(math.Round((1 - c.Kept) / (1 - least) * (chartHeight - 1)))
		mark := '●'
		if c.Knee {
			mark = '◆'
		}
		cells[y][x] = mark
	}
	b.WriteByte('\n')
	for i, row := range cells {
		label := ""
		switch i {
		case 0:
			label = "kept 100 %"
		case chartHeight - 1:
			label = wording.Percent(least)
		}
		fmt.Fprintf(b, "%11s │%s\n", label, strings.TrimRight(string(row), " "))
	}
	left, right := wording.Percent(lo), wording.Percent(hi)
	fmt.Fprintf(b, "%11s └%s\n%13s%s%*s saved\n", "", strings.Repeat("─", chartWidth), "", left, chartWidth-len([]rune(left)), right)
}

type jsonCandidate struct {
	Policy   policy.Policy   `json:"policy"`
	Input    int             `json:"input_tokens"`
	Peak     int             `json:"peak_tokens"`
	Recovery int             `json:"recovery_tokens"`
	Cost     *float64        `json:"cost_usd"`
	Net      float64         `json:"net_saved_ratio"`
	Kept     float64         `json:"kept_ratio"`
	Losses   int             `json:"losses"`
	Runs     ledger.RunsJSON `json:"runs"`
	Knee     bool            `json:"knee,omitempty"`
	Describe string          `json:"text"`
}

type jsonTrust struct {
	Folds    int      `json:"folds"`
	Sessions int      `json:"sessions"`
	Saved    float64  `json:"net_saved_ratio"`
	Low      float64  `json:"low"`
	High     float64  `json:"high"`
	Kept     float64  `json:"kept_ratio"`
	Losses   int      `json:"losses"`
	Warnings []string `json:"warnings"`
}

type jsonResult struct {
	Recordings  []string        `json:"recordings"`
	Keep        float64         `json:"keep"`
	Minimize    Measure         `json:"minimize"`
	Best        *jsonCandidate  `json:"best"`
	Each        []jsonCandidate `json:"each"`
	Front       []jsonCandidate `json:"front"`
	Trust       *jsonTrust      `json:"trust"`
	Evaluations int             `json:"evaluations"`
	Stopped     bool            `json:"stopped"`
}

// WriteJSON writes a result as one object.
func WriteJSON(w io.Writer, r *Result) error {
	of := func(c Candidate) jsonCandidate {
		j := jsonCandidate{
			Policy: c.Policy, Input: c.Total.Input, Peak: c.Total.Peak, Recovery: c.Total.Recovery, Net: round(c.Saved),
			Kept: round(c.Kept), Losses: c.Losses, Runs: c.Runs.JSON(), Knee: c.Knee, Describe: Describe(c.Policy),
		}
		if Priced(c.Session) {
			d := math.Round(c.Total.Dollars*1e9) / 1e9
			j.Cost = &d
		}
		return j
	}
	list := func(cs []Candidate) []jsonCandidate {
		out := make([]jsonCandidate, len(cs))
		for i, c := range cs {
			out[i] = of(c)
		}
		return out
	}
	out := jsonResult{
		Keep: r.Options.Keep, Minimize: r.Options.Minimize, Each: list(r.Each), Front: list(r.Front),
		Evaluations: r.Evaluations, Stopped: r.Stopped,
	}
	for _, s := range r.Sessions {
		out.Recordings = append(out.Recordings, s.Name)
	}
	if r.Best != nil {
		c := of(*r.Best)
		out.Best = &c
	}
	if t := r.Trust; t != nil {
		out.Trust = &jsonTrust{t.Folds, t.Measured, round(t.Saved), round(t.Low), round(t.High), round(t.Kept), t.Losses, append([]string{}, t.Warnings...)}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func round(f float64) float64 { return math.Round(f*1e6) / 1e6 }
