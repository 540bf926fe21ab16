package ab

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"snapscope/snapshot/wording"
)

// Table is a comparison: a row a policy, the first one is what the others are set
// against.
type Table struct {
	Rows   []Row      `json:"policies"`
	Runs   []Run      `json:"runs"`
	Checks []RunCheck `json:"cache_model"`
	Prices string     `json:"prices,omitempty"` // date of the price table
	Notes  []string   `json:"notes"`
	Agent  []string   `json:"agent"`
}

// RunCheck is the cache model's check on one run.
type RunCheck struct {
	Policy string `json:"policy"`
	Round  int    `json:"round"`
	CacheCheck
}

// Row is what the runs of one policy came to.
type Row struct {
	Policy string `json:"policy"`
	Runs   int    `json:"runs"`
	OK     int    `json:"ended_well"` // runs whose process ended with status 0
	// Succeeded is how many runs the check says succeeded; nil: no check was named.
	Succeeded *int     `json:"succeeded"`
	Ends      []string `json:"ends"` // how the runs ended, with their number
	Steps     Mean     `json:"steps"`
	Calls     Mean     `json:"model_calls"`
	Input     Mean     `json:"input_tokens"`
	Cached    Mean     `json:"cached_tokens"`
	Later     Mean     `json:"cached_tokens_after_first_call"`
	Written   Mean     `json:"written_tokens"`
	Output    Mean     `json:"output_tokens"`
	Cost      *Mean    `json:"cost_usd"`
	After     *Mean    `json:"cost_usd_after_first_call"`
	Front     Mean     `json:"first_call_input_tokens"` // what stands before any page
	Receipt   *Mean    `json:"receipt_usd"`
	Told      *Mean    `json:"receipt_input_tokens"`
	Others    Mean     `json:"other_calls_input_tokens"` // of Input, the agent's calls beside its session
	Acted     Mean     `json:"acted"`
	Lost      Mean     `json:"lost"`

	Forecast *Forecast `json:"forecast"` // nil: nothing to learn from
	// How far the forecast is from the measurement, as a share of it.
	OffInput  float64  `json:"forecast_input_off"`
	OffCached float64  `json:"forecast_cached_off"`
	OffCost   *float64 `json:"forecast_cost_off"`
	Drift     []string `json:"drift"` // likely causes, where one of them is more than 2 % off

	Against *Difference `json:"against_first"` // nil in the first row
}

// Mean is a figure over several runs.
type Mean struct {
	Mean      float64 `json:"mean"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
	Deviation float64 `json:"deviation"` // of the sample; 0 with one run
	N         int     `json:"n"`
}

// Difference is how far a policy's runs are from the first policy's.
type Difference struct {
	Input float64  `json:"input"` // share of the first policy's
	Cost  *float64 `json:"cost"`
	// Sure: the difference of the input is larger than twice its standard error,
	// so larger than the spread of the runs explains.
	Sure bool   `json:"larger_than_spread"`
	Why  string `json:"why"`
}

func meanOf(list []float64) Mean {
	m := Mean{N: len(list)}
	if m.N == 0 {
		return m
	}
	m.Min, m.Max = list[0], list[0]
	for _, x := range list {
		m.Mean += x / float64(m.N)
		m.Min, m.Max = min(m.Min, x), max(m.Max, x)
	}
	if m.N > 1 {
		for _, x := range list {
			m.Deviation += (x - m.Mean) * (x - m.Mean)
		}
		m.Deviation = math.Sqrt(m.Deviation / float64(m.N-1))
	}
	return m
}

// Compare makes the table of runs under the policies in order; forecasts are
// those made from the first policy's runs.
func Compare(order []string, runs []Run, forecasts map[string][]Forecast) Table {
	t := Table{Runs: runs, Rows: []Row{}, Checks: []RunCheck{}, Notes: []string{}, Agent: []string{}}
	for i, p := range order {
		var own []Run
		for _, r := range runs {
			if r.Policy == p {
				own = append(own, r)
			}
		}
		row := rowOf(p, own)
		first := row
		if i > 0 {
			first = t.Rows[0]
		}
		row.foretell(forecasts[p], own, first)
		if i > 0 && len(own) > 0 && t.Rows[0].Runs > 0 {
			row.Against = difference(t.Rows[0], row)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func rowOf(policy string, runs []Run) Row {
	row := Row{Policy: policy, Runs: len(runs), Ends: ends(runs), Drift: []string{}}
	each := func(f func(r Run) float64) Mean {
		var list []float64
		for _, r := range runs {
			list = append(list, f(r))
		}
		return meanOf(list)
	}
	maybe := func(f func(r Run) *float64) *Mean {
		var list []float64
		for _, r := range runs {
			if x := f(r); x != nil {
				list = append(list, *x)
			}
		}
		if len(list) == 0 {
			return nil
		}
		m := meanOf(list)
		return &m
	}
	for _, r := range runs {
		row.OK += b2i(r.OK)
		if r.Succeeded != nil {
			if row.Succeeded == nil {
				row.Succeeded = new(int)
			}
			*row.Succeeded += b2i(*r.Succeeded)
		}
	}
	row.Steps = each(func(r Run) float64 { return float64(r.Steps) })
	row.Calls = each(func(r Run) float64 { return float64(r.Calls) })
	row.Input = each(func(r Run) float64 { return float64(r.Usage.Input + r.Beside.Input) })
	row.Cached = each(func(r Run) float64 { return float64(r.Usage.CacheRead + r.Beside.CacheRead) })
	row.Later = each(func(r Run) float64 { return float64(r.Usage.CacheRead - r.First.CacheRead + r.Beside.CacheRead) })
	row.Written = each(func(r Run) float64 { return float64(r.Usage.CacheWrite + r.Beside.CacheWrite) })
	row.Output = each(func(r Run) float64 { return float64(r.Usage.Output + r.Beside.Output) })
	row.Others = each(func(r Run) float64 { return float64(r.Beside.Input) })
	row.Acted = each(func(r Run) float64 { return float64(r.Acted) })
	row.Lost = each(func(r Run) float64 { return float64(len(r.Lost)) })
	row.Cost = maybe(func(r Run) *float64 { return r.Cost })
	row.After = maybe(func(r Run) *float64 { return r.Later })
	row.Front = each(func(r Run) float64 { return float64(r.First.Input) })
	row.Told = maybe(func(r Run) *float64 {
		if r.Receipt == nil || r.Receipt.Input == 0 {
			return nil
		}
		n := float64(r.Receipt.Input)
		return &n
	})
	row.Receipt = maybe(func(r Run) *float64 {
		if r.Receipt == nil {
			return nil
		}
		return r.Receipt.USD
	})
	return row
}

// ends counts how runs ended, the most frequent first.
func ends(runs []Run) []string {
	n := map[string]int{}
	for _, r := range runs {
		n[r.End]++
	}
	out := make([]string, 0, len(n))
	for e := range n {
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool {
		if n[out[i]] != n[out[j]] {
			return n[out[i]] > n[out[j]]
		}
		return out[i] < out[j]
	})
	for i, e := range out {
		if len(runs) > 1 {
			out[i] = fmt.Sprintf("%s (%d of %d)", e, n[e], len(runs))
		}
	}
	return out
}

// foretell sets the mean of the forecasts beside what was measured; first is the
// first policy's row.
func (row *Row) foretell(list []Forecast, runs []Run, first Row) {
	if len(list) == 0 || row.Runs == 0 {
		return
	}
	n := float64(len(list))
	var f Forecast
	cost, priced := 0.0, true
	calls, lost := 0.0, 0.0
	for _, x := range list {
		f.Input += x.Input / n
		f.Cached += x.Cached / n
		f.Written += x.Written / n
		f.Factor += x.Factor / n
		f.Base += x.Base / n
		calls += float64(x.Calls) / n
		lost += float64(x.Lost) / n
		if x.Cost == nil {
			priced = false
		} else {
			cost += *x.Cost / n
		}
	}
	f.Calls, f.Lost = int(math.Round(calls)), int(math.Round(lost))
	if priced {
		f.Cost = &cost
	}
	row.Forecast = &f
	row.OffInput = off(f.Input, row.Input.Mean)
	row.OffCached = off(f.Cached, row.Later.Mean)
	if priced && row.After != nil {
		o := off(cost, row.After.Mean)
		row.OffCost = &o
	}
	row.Drift = row.causes(runs, first)
}

// off is how far a forecast is from a measurement, as a share of it.
func off(forecast, measured float64) float64 {
	switch {
	case measured != 0:
		return (forecast - measured) / measured
	case forecast != 0:
		return 1
	}
	return 0
}

// oneRun is said of a difference of two single runs.
const oneRun = "one run each: no spread"

// difference sets a policy's runs against the first one's.
func difference(first, row Row) *Difference {
	d := &Difference{Input: off(row.Input.Mean, first.Input.Mean)}
	if first.Cost != nil && row.Cost != nil && first.Cost.Mean > 0 {
		c := off(row.Cost.Mean, first.Cost.Mean)
		d.Cost = &c
	}
	gap := math.Abs(row.Input.Mean - first.Input.Mean)
	if first.Input.N < 2 || row.Input.N < 2 {
		d.Why = oneRun
		return d
	}
	err := math.Sqrt(first.Input.Deviation*first.Input.Deviation/float64(first.Input.N) + row.Input.Deviation*row.Input.Deviation/float64(row.Input.N))
	d.Sure = gap > 2*err
	word := "within"
	if d.Sure {
		word = "more than"
	}
	d.Why = fmt.Sprintf("%s tokens apart, %s twice the standard error of %s", wording.Count(int(gap)), word, wording.Count(int(err)))
	return d
}

// plain makes a text of unknown origin safe to print on one line.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, s)
}
