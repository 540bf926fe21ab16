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
	Outcome    string       `json:"outcome,omitempty"`
	Prices     string       `json:"prices,omitempty"`
	AsSent     *jsonAsSent  `json:"as_sent,omitempty"`
	Acts       *jsonActs    `json:"acts,omitempty"`
	Bill       *jsonBill    `json:"bill,omitempty"`
	Advice     *jsonAdvice  `json:"advice,omitempty"`
	Policies   []jsonPolicy `json:"policies"`
	Usage      *jsonUsage   `json:"usage,omitempty"`
	Worth      *jsonWorth   `json:"worth,omitempty"`
	Notes      []string     `json:"notes,omitempty"`
}

type jsonAsSent struct {
	Appended int           `json:"appended_tokens"`
	Input    int           `json:"input_tokens"`
	Peak     int           `json:"peak_tokens"`
	Cached   int           `json:"cached_tokens"`
	Written  int           `json:"written_tokens"`
	Hour     int           `json:"written_hour_tokens,omitempty"`
	Cost     *float64      `json:"cost_usd"`
	Saved    float64       `json:"saved_ratio"`
	Survival *jsonSurvival `json:"survival"`
	Reading  *jsonReading  `json:"reading"`
	PerCall  []jsonCall    `json:"per_call"`
}

type jsonFactor struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	From  string  `json:"from"`
}

type jsonBill struct {
	Calls     int  `json:"calls"`
	Vendor    *int `json:"vendor_input_tokens"`
	Counted   int  `json:"counted_input_tokens"`
	Uncounted *int `json:"uncounted_per_call"`
	// Factor is how many of the vendor's tokens one of counted_input_tokens is.
	Factor    jsonFactor `json:"vendor_factor"`
	Parts     jsonParts  `json:"parts"`
	Snapshots struct {
		Fresh      int `json:"fresh"`
		Repeated   int `json:"repeated"`
		NeverActed int `json:"never_acted_on"`
	} `json:"snapshot_parts"`
}

type jsonParts struct {
	SystemTools  int `json:"system_tools"`
	User         int `json:"user"`
	Model        int `json:"model"`
	Snapshots    int `json:"snapshots"`
	Screenshots  int `json:"screenshots"`
	OtherResults int `json:"other_results"`
}

// jsonActs are the acts on elements, and what did go wrong with them.
type jsonActs struct {
	Acted int   `json:"acted"`
	Never []Act `json:"never_shown"`
	Early []int `json:"early_reads"`

	Moved    []Moved    `json:"moved"`
	NoEffect []int      `json:"no_effect"`
	Misnamed []Misnamed `json:"misnamed"` // a heuristic, never counted
}

type jsonAdvice struct {
	Text      string     `json:"text"`
	Policy    string     `json:"policy"`
	Net       float64    `json:"net_saved_ratio"`
	NetOfSent float64    `json:"net_saved_of_sent_ratio"`
	Command   string     `json:"command"`
	Tested    jsonTested `json:"tested"`
}

// jsonTested is what of the session can show that a policy hides something.
type jsonTested struct {
	Acted  int `json:"acted"`
	Quotes int `json:"quotes"`
}

type jsonPolicy struct {
	Policy    string         `json:"policy"`
	Stages    []policy.Stage `json:"stages,omitempty"`
	Appended  int            `json:"appended_tokens"`
	Input     int            `json:"input_tokens"`
	Peak      int            `json:"peak_tokens"`
	Saved     float64        `json:"saved_ratio"`
	Net       float64        `json:"net_saved_ratio"`
	OfSent    float64        `json:"saved_of_sent_ratio"`
	NetOfSent float64        `json:"net_saved_of_sent_ratio"`
	Recovery  int            `json:"recovery_tokens,omitempty"`
	Cached    int            `json:"cached_tokens"`
	Written   int            `json:"written_tokens"`
	Hour      int            `json:"written_hour_tokens,omitempty"`
	Plain     int            `json:"plain_tokens"`
	Cost      *float64       `json:"cost_usd"`
	CacheRule string         `json:"cache_rule"`
	Survival  *jsonSurvival  `json:"survival"`
	Reading   *jsonReading   `json:"reading"`
	Expiries  []jsonExpiry   `json:"expiries,omitempty"`
	PerCall   []jsonCall     `json:"per_call"`
}

type jsonSurvival struct {
	Acted    int        `json:"acted"`
	Survived int        `json:"survived"`
	Lost     []jsonLost `json:"lost"`
}

// jsonReading tells of the quotes: what the model used of pages besides elements.
type jsonReading struct {
	Quotes int         `json:"quotes"`
	Kept   int         `json:"kept"`
	Lost   []jsonQuote `json:"lost"`
}

type jsonQuote struct {
	Call     int      `json:"call"`
	Step     int      `json:"step"`
	Text     string   `json:"text"`
	Document int      `json:"document"`
	Line     string   `json:"line"`
	From     int      `json:"from_step,omitempty"`
	Why      string   `json:"why"`
	Cause    Cause    `json:"cause"`
	Strategy string   `json:"strategy,omitempty"`
	Knob     string   `json:"knob"` // of the rule; "" none
	Value    string   `json:"value,omitempty"`
	Keep     string   `json:"keep,omitempty"`
	Uses     int      `json:"uses"`
	Cured    bool     `json:"cured_by_snapshot"`
	Price    int      `json:"price_tokens"`
	Cost     *float64 `json:"price_usd,omitempty"`
}

type jsonLost struct {
	Step     int      `json:"step"`
	Ref      string   `json:"ref"`
	Why      string   `json:"why"`
	Cause    Cause    `json:"cause"`
	Uses     int      `json:"uses"`
	Cured    bool     `json:"cured_by_snapshot"`
	Price    int      `json:"price_tokens"`
	Cost     *float64 `json:"price_usd,omitempty"`
	Target   string   `json:"target,omitempty"`
	Call     int      `json:"call"`
	Never    bool     `json:"never,omitempty"`
	From     int      `json:"from_step,omitempty"`
	Line     string   `json:"line,omitempty"`
	Strategy string   `json:"strategy,omitempty"`
	Knob     string   `json:"knob,omitempty"`
	Value    string   `json:"value,omitempty"`
	Keep     string   `json:"keep,omitempty"`
	Still    []Act    `json:"keep_still_loses,omitempty"` // of the whole session, with keep
	KeepAll  string   `json:"keep_all,omitempty"`         // the value that loses nothing
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
	CacheHour  int     `json:"cache_write_hour,omitempty"`
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
		Encoding: s.Encoding, Model: h.Model, Outcome: s.Outcome, Prices: s.Prices, Policies: []jsonPolicy{}, Notes: h.Notes,
	}
	for _, r := range s.Reports {
		out.Policies = append(out.Policies, jsonPolicyOf(r))
	}
	if r := s.AsSent; r != nil {
		p := jsonPolicyOf(r)
		out.AsSent = &jsonAsSent{p.Appended, p.Input, p.Peak, p.Cached, p.Written, p.Hour, p.Cost, p.Saved, p.Survival, p.Reading, p.PerCall}
		out.Acts = actsOf(r)
	}
	if b := s.Bill; b != nil {
		j := &jsonBill{Calls: b.Calls, Vendor: b.Vendor, Counted: b.Counted, Uncounted: b.Uncounted, Parts: jsonParts(b.Parts), Factor: jsonFactor{round(b.Factor.Value), round(b.Factor.Low), round(b.Factor.High), b.Factor.From}}
		j.Snapshots.Fresh, j.Snapshots.Repeated, j.Snapshots.NeverActed = b.Fresh, b.Repeated, b.NeverActed
		out.Bill = j
	}
	if a := s.Advice; a != nil {
		out.Advice = &jsonAdvice{Text: a.Text, Policy: a.Policy, Command: a.Command, Tested: jsonTested{a.Tested.Acted, a.Tested.Quotes}}
		if a.Report != nil {
			out.Advice.Net, out.Advice.NetOfSent = round(a.Report.NetSavedRatio), round(a.Report.NetSavedOfSent)
		}
	}
	if r := s.AsSent; r != nil {
		h = r
	}
	if u := h.Usage; u != nil {
		out.Usage = &jsonUsage{u.Calls, u.Input, u.CacheRead, u.CacheWrite, u.CacheHour, u.Output, u.Own, round(u.Difference())}
	}
	if v := s.Worth; v != nil {
		out.Worth = &jsonWorth{v.Definitions, v.System, v.User, v.Assistant, v.Calls, v.Results, v.Snapshots, v.Duplicate, v.Acted, v.Unused, v.UnusedTokens}
	}
	return out
}

func jsonPolicyOf(r *Report) jsonPolicy {
	p := jsonPolicy{
		Policy: r.Policy.Name, Stages: r.Policy.Stages, Appended: r.AppendedTokens, Input: r.InputTokens, Peak: r.PeakTokens,
		Saved: round(r.SavedRatio), Net: round(r.NetSavedRatio), OfSent: round(r.SavedOfSent), NetOfSent: round(r.NetSavedOfSent), Recovery: r.Recovery,
		Cached: r.CachedTokens, Written: r.WrittenTokens, Hour: r.HourTokens, Plain: r.PlainTokens,
		Cost: roundUSD(r.Cost), CacheRule: r.cacheRule(), PerCall: []jsonCall{}, Survival: survivalOf(r.Survival), Reading: readingOf(r.Reading),
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

// actsOf is nil where no page was recorded.
func actsOf(r *Report) *jsonActs {
	if r.Survival.Unknown {
		return nil
	}
	out := &jsonActs{
		Acted: r.Survival.Acted, Never: []Act{}, Early: []int{},
		Moved: append([]Moved{}, r.Moved...), NoEffect: append([]int{}, r.NoEffect...), Misnamed: append([]Misnamed{}, r.Misnamed...),
	}
	for _, t := range r.Troubles {
		switch t.Kind {
		case TroubleNever:
			out.Never = append(out.Never, Act{t.Step, t.Ref})
		case TroubleEarly:
			out.Early = append(out.Early, t.Step)
		}
	}
	return out
}

// survivalOf is nil where no page was recorded. One element lost and used
// several times is one loss.
func survivalOf(s Survival) *jsonSurvival {
	if s.Unknown {
		return nil
	}
	out := &jsonSurvival{Acted: s.Acted, Survived: s.Survived, Lost: []jsonLost{}}
	for _, l := range s.Lost {
		if l.Uses == 0 {
			continue
		}
		j := jsonLost{
			Step: l.Step, Ref: l.Ref, Why: l.Why, Cause: l.Cause, Target: l.Target, Call: l.Call, Never: l.Never, From: l.From, Line: l.Line,
			Uses: l.Uses, Cured: l.Cured, Price: l.Price, Cost: roundUSD(l.Cost), Strategy: l.Strategy, Knob: l.Knob, Value: l.Value,
		}
		if l.Keep != nil {
			j.Keep, j.Still = l.Keep.Assignment(), l.Keep.Still
			if l.Keep.All != nil {
				j.KeepAll = l.Keep.All.Assignment()
			}
		}
		out.Lost = append(out.Lost, j)
	}
	return out
}

// readingOf is nil where no page was recorded. One quote lost and used in several turns
// is one loss.
func readingOf(r Reading) *jsonReading {
	if r.Unknown {
		return nil
	}
	out := &jsonReading{Quotes: r.Quotes, Kept: r.Kept, Lost: []jsonQuote{}}
	for _, l := range r.Lost {
		if l.Uses == 0 {
			continue
		}
		j := jsonQuote{
			Call: l.Call, Step: l.Step, Text: l.Quote, Document: l.Document, Line: l.Line, From: l.From, Why: l.Why, Cause: l.Cause, Strategy: l.Strategy,
			Knob: l.Knob, Value: l.Value, Uses: l.Uses, Cured: l.Cured, Price: l.Price, Cost: roundUSD(l.Cost),
		}
		if l.Keep != nil {
			j.Keep = l.Keep.Assignment()
		}
		out.Lost = append(out.Lost, j)
	}
	return out
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
