package ledger

import (
	"encoding/json"
	"io"
	"math"

	"snapscope/session"
	"snapscope/session/policy"
)

// The JSON of a sheet. The names of cli.md are stable; what else stands here may
// grow.
type jsonSheet struct {
	Recording  string       `json:"recording"`
	Steps      int          `json:"steps"`
	ModelCalls int          `json:"model_calls"`
	Snapshots  int          `json:"snapshots"`
	Implied    bool         `json:"implied_calls,omitempty"`
	Encoding   string       `json:"encoding,omitempty"`
	Model      string       `json:"model,omitempty"`
	Prices     string       `json:"prices,omitempty"`
	Policies   []jsonPolicy `json:"policies"`
	Usage      *jsonUsage   `json:"usage,omitempty"`
	Worth      *jsonWorth   `json:"worth,omitempty"`
	Notes      []string     `json:"notes,omitempty"`
}

type jsonPolicy struct {
	Policy    string         `json:"policy"`
	Stages    []policy.Stage `json:"stages,omitempty"`
	Appended  int            `json:"appended_tokens"`
	Input     int            `json:"input_tokens"`
	Peak      int            `json:"peak_tokens"`
	Saved     float64        `json:"saved_ratio"`
	Cached    int            `json:"cached_tokens"`
	Written   int            `json:"written_tokens"`
	Plain     int            `json:"plain_tokens"`
	Cost      *float64       `json:"cost_usd"`
	CacheRule string         `json:"cache_rule"`
	Survival  jsonSurvival   `json:"survival"`
	Expiries  []jsonExpiry   `json:"expiries,omitempty"`
	PerCall   []jsonCall     `json:"per_call"`
}

type jsonSurvival struct {
	Acted    int        `json:"acted"`
	Survived int        `json:"survived"`
	Lost     []jsonLost `json:"lost"`
}

type jsonLost struct {
	Step     int    `json:"step"`
	Ref      string `json:"ref"`
	Why      string `json:"why"`
	Target   string `json:"target,omitempty"`
	Call     int    `json:"call"`
	Never    bool   `json:"never,omitempty"`
	From     int    `json:"from_step,omitempty"`
	Line     string `json:"line,omitempty"`
	Strategy string `json:"strategy,omitempty"`
	Knob     string `json:"knob,omitempty"`
	Value    string `json:"value,omitempty"`
	Keep     string `json:"keep,omitempty"`
}

type jsonExpiry struct {
	Call      int      `json:"call"`
	Steps     []int    `json:"steps"`
	At        int      `json:"at_token"`
	Saved     int      `json:"saved_per_call"`
	Rewritten int      `json:"rewritten"`
	BreakEven *float64 `json:"break_even_calls"`
	CallsLeft int      `json:"calls_left"`
	Paid      *bool    `json:"paid"`
	Net       *float64 `json:"net_tokens"`
}

type jsonCall struct {
	Call     int            `json:"call"`
	Input    int            `json:"input_tokens"`
	Cached   int            `json:"cached_tokens"`
	Live     int            `json:"live_snapshots"`
	Expired  int            `json:"expired_snapshots"`
	Step     int            `json:"step,omitempty"`
	Written  int            `json:"written_tokens"`
	Cost     *float64       `json:"cost_usd"`
	Snapshot int            `json:"snapshot_tokens"`
	Usage    *session.Usage `json:"usage,omitempty"`
}

type jsonUsage struct {
	Calls      int     `json:"calls"`
	Input      int     `json:"input"`
	CacheRead  int     `json:"cache_read"`
	CacheWrite int     `json:"cache_write"`
	Output     int     `json:"output"`
	Own        int     `json:"own_input"`
	Difference float64 `json:"difference"`
}

type jsonWorth struct {
	Definitions int `json:"definitions"`
	System      int `json:"system"`
	User        int `json:"user"`
	Assistant   int `json:"assistant"`
	Calls       int `json:"calls"`
	Results     int `json:"results"`
	Snapshots   int `json:"snapshots"`
	Duplicate   int `json:"duplicate"`
	Acted       int `json:"acted"`
	Unused      int `json:"unused_snapshots"`
	UnusedTok   int `json:"unused_tokens"`
}

// WriteJSON writes one object a recording, each on a line of its own.
func WriteJSON(w io.Writer, sheets ...Sheet) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, s := range sheets {
		if err := enc.Encode(jsonOf(s)); err != nil {
			return err
		}
	}
	return nil
}

func jsonOf(s Sheet) jsonSheet {
	h := s.head()
	out := jsonSheet{
		Recording: s.Recording, Steps: h.Steps, ModelCalls: h.ModelCalls, Snapshots: h.Snapshots, Implied: h.Implied,
		Encoding: s.Encoding, Model: h.Model, Prices: s.Prices, Policies: []jsonPolicy{}, Notes: h.Notes,
	}
	for _, r := range s.Reports {
		out.Policies = append(out.Policies, jsonPolicyOf(r))
	}
	if u := h.Usage; u != nil {
		out.Usage = &jsonUsage{u.Calls, u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Own, round(u.Difference())}
	}
	if v := s.Worth; v != nil {
		out.Worth = &jsonWorth{v.Definitions, v.System, v.User, v.Assistant, v.Calls, v.Results, v.Snapshots, v.Duplicate, v.Acted, v.Unused, v.UnusedTokens}
	}
	return out
}

func jsonPolicyOf(r *Report) jsonPolicy {
	p := jsonPolicy{
		Policy: r.Policy.Name, Stages: r.Policy.Stages, Appended: r.AppendedTokens, Input: r.InputTokens, Peak: r.PeakTokens,
		Saved: round(r.SavedRatio), Cached: r.CachedTokens, Written: r.WrittenTokens, Plain: r.PlainTokens,
		Cost: roundUSD(r.Cost), CacheRule: r.Rule.Name, PerCall: []jsonCall{},
		Survival: jsonSurvival{Acted: r.Survival.Acted, Survived: r.Survival.Survived, Lost: []jsonLost{}},
	}
	for _, l := range r.Survival.Lost {
		j := jsonLost{
			Step: l.Step, Ref: l.Ref, Why: l.Why, Target: l.Target, Call: l.Call, Never: l.Never, From: l.From, Line: l.Line,
			Strategy: l.Strategy, Knob: l.Knob, Value: l.Value,
		}
		if l.Keep != nil {
			j.Keep = l.Keep.Assignment()
		}
		p.Survival.Lost = append(p.Survival.Lost, j)
	}
	for _, e := range r.Expiries {
		j := jsonExpiry{Call: e.Call, At: e.At, Saved: e.Saved, Rewritten: e.Rewritten, CallsLeft: e.CallsLeft, Steps: []int{}}
		for _, c := range e.Cleared {
			j.Steps = append(j.Steps, c.Step)
		}
		if e.Known {
			net, paid := round(e.Net()), e.Paid
			j.Net, j.Paid = &net, &paid
			if e.BreakEven >= 0 {
				b := round(e.BreakEven)
				j.BreakEven = &b
			}
		}
		p.Expiries = append(p.Expiries, j)
	}
	for _, c := range r.Calls {
		p.PerCall = append(p.PerCall, jsonCall{
			Call: c.Call, Input: c.InputTokens, Cached: c.CachedTokens, Live: c.LiveSnapshots, Expired: c.ExpiredSnapshots,
			Step: c.Step, Written: c.WrittenTokens, Cost: roundUSD(c.Cost), Snapshot: c.By.Snapshots, Usage: c.Real,
		})
	}
	return p
}

// round keeps what a reader can use: sums of floats end in noise.
func round(f float64) float64 { return math.Round(f*1e6) / 1e6 }

func roundUSD(c *float64) *float64 {
	if c == nil {
		return nil
	}
	r := math.Round(*c*1e9) / 1e9
	return &r
}
