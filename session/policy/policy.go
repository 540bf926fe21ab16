package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
	"snapscope/snapshot/wording"
)

// Stage is one strategy of a policy with the knobs that differ from its
// defaults.
type Stage struct {
	Strategy *strategy.Strategy // never nil
	Knobs    strategy.Values    // over the defaults; keys that the strategy has
}

// NewStage finds a strategy by name. The error lists the names there are.
func NewStage(name string, knobs strategy.Values) (Stage, error) {
	s, err := registry.Get(name)
	return Stage{Strategy: s, Knobs: knobs}, err
}

// MustStage is NewStage for a name that stands in the program; it panics when
// there is no such strategy.
func MustStage(name string, knobs strategy.Values) Stage {
	st, err := NewStage(name, knobs)
	if err != nil {
		panic(err)
	}
	return st
}

// Values is a value for every knob: the defaults with the stage's own on top.
func (st Stage) Values() strategy.Values { return st.Strategy.Values(st.Knobs) }

// Equal reports that both stages name the same strategy with the same knobs.
func (st Stage) Equal(o Stage) bool {
	return st.Strategy == o.Strategy && maps.Equal(st.Knobs, o.Knobs)
}

type stageJSON struct {
	Strategy string          `json:"strategy"`
	Knobs    strategy.Values `json:"knobs,omitempty"`
}

// MarshalJSON writes the strategy by its name.
func (st Stage) MarshalJSON() ([]byte, error) {
	return json.Marshal(stageJSON{st.Strategy.Name, st.Knobs})
}

// UnmarshalJSON finds the strategy again; the error is of one that is not
// there, or of a knob that it does not have.
func (st *Stage) UnmarshalJSON(data []byte) error {
	var j stageJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	got, err := NewStage(j.Strategy, j.Knobs)
	if err != nil {
		return err
	}
	for key := range j.Knobs {
		if _, ok := got.Strategy.Knob(key); !ok {
			return fmt.Errorf("%s has no knob %q", j.Strategy, key)
		}
	}
	*st = got
	return nil
}

// Policy is a named row of strategies: rewrites, each given what the one before
// answered, and at most one retention rule.
type Policy struct {
	Name   string  `json:"name"`
	Title  string  `json:"title,omitempty"`
	Stages []Stage `json:"stages"`
	// Promise is what was measured of the policy; nil where nothing was.
	Promise *Promise `json:"promise,omitempty"`
}

// Full is the policy that leaves every snapshot as it is and expires none.
func Full() Policy { return Policy{Name: "full", Title: "every snapshot in full"} }

// Combined is the five published rules at their documented defaults, one after
// the other: element and token budget, repeated nodes collapsed, delta, response
// diff (off by its own default), expiry.
func Combined() Policy {
	return Policy{Name: "combined", Title: "five published rules at their defaults, one after the other", Stages: []Stage{
		MustStage("budget", nil), MustStage("compress", nil), MustStage("passmark", nil), MustStage("response-diff", nil), MustStage("openclaw", nil),
	}}
}

// Single is the policy of one strategy alone, with the defaults of its own
// document. A strategy that is off by default stays off and says so in its
// reason.
func Single(s *strategy.Strategy) Policy {
	p := Policy{Name: s.Name, Title: s.Title}
	if s.Name != "full" {
		p.Stages = []Stage{{Strategy: s}}
	}
	return p
}

// Builtin lists the policies that always exist: full, combined, one a strategy
// that differs from full, and presets under the names their systems are known
// by.
func Builtin() []Policy {
	out := []Policy{Full(), Combined()}
	for _, s := range registry.All() {
		if s.Name != "full" {
			out = append(out, Single(s))
		}
	}
	return append(out, Policy{
		Name: "anthropic-clear", Title: "Anthropic context editing at its defaults",
		Stages: []Stage{MustStage("clear-tool-uses", nil)},
	})
}

// formerNames are names that built-in policies had before; they keep working.
var formerNames = map[string]string{"seeds": "combined"}

// Compose is strategies one after the other with their defaults, rewrites first,
// a retention rule last. Its name is theirs with + between.
func Compose(names ...string) (Policy, error) {
	var p Policy
	var rules []Stage
	var called []string
	for _, name := range names {
		s, err := registry.Get(name)
		if err != nil {
			return p, err
		}
		stages := Single(s).Stages
		if s.Retain != nil {
			rules = append(rules, stages...)
			continue
		}
		p.Stages = append(p.Stages, stages...)
		called = append(called, name)
	}
	if len(rules) > 1 {
		return p, fmt.Errorf("%s and %s are both retention rules: a policy takes one", rules[0].Strategy.Name, rules[1].Strategy.Name)
	}
	for _, st := range rules {
		p.Stages, called = append(p.Stages, st), append(called, st.Strategy.Name)
	}
	p.Name = strings.Join(called, "+")
	return p, nil
}

// Find finds a policy by name, first in own, then among the built-in ones. A
// policy asked for by a former name bears that name. The error lists the names
// there are.
func Find(name string, own []Policy) (Policy, error) {
	var names []string
	for _, p := range append(append([]Policy(nil), own...), Builtin()...) {
		if p.Name == name {
			return p.Clone(), nil
		}
		names = append(names, p.Name)
	}
	if now, ok := formerNames[name]; ok {
		p, err := Find(now, own)
		p.Name = name
		return p, err
	}
	if strings.Contains(name, "+") {
		return Compose(strings.Split(name, "+")...)
	}
	return Policy{}, fmt.Errorf("no policy %q; there are %s", name, strings.Join(names, ", "))
}

// Clone is a deep copy.
func (p Policy) Clone() Policy {
	st := make([]Stage, len(p.Stages))
	for i, s := range p.Stages {
		st[i] = Stage{Strategy: s.Strategy, Knobs: maps.Clone(s.Knobs)}
	}
	p.Stages = st
	return p
}

// Knob finds a knob of the policy by "strategy.knob", or by "knob" where only
// one stage has such a knob. The error names the knobs there are.
func (p Policy) Knob(key string) (stage int, k strategy.Knob, err error) {
	name, knob, dotted := strings.Cut(strings.TrimSpace(key), ".")
	if !dotted {
		name, knob = "", name
	}
	stage = -1
	var has []string
	for i, st := range p.Stages {
		s := st.Strategy
		for _, k := range s.Knobs {
			has = append(has, s.Name+"."+k.Key)
		}
		if name != "" && name != s.Name {
			continue
		}
		found, ok := s.Knob(knob)
		if !ok {
			continue
		}
		if stage >= 0 {
			return -1, k, fmt.Errorf("several strategies of policy %s have a knob %q: write strategy.%s=…", p.Name, knob, knob)
		}
		stage, k = i, found
	}
	switch {
	case stage >= 0:
		return stage, k, nil
	case has == nil:
		return -1, k, fmt.Errorf("policy %s has no knob %q; it has none", p.Name, key)
	}
	return -1, k, fmt.Errorf("policy %s has no knob %q; it has %s", p.Name, key, strings.Join(has, ", "))
}

// Set reads "strategy.knob=value", or "knob=value" where only one stage of the
// policy has such a knob.
func (p *Policy) Set(assignment string) error {
	key, val, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("%q is not knob=value", assignment)
	}
	i, k, err := p.Knob(key)
	if err != nil {
		return err
	}
	st := &p.Stages[i]
	if st.Knobs == nil {
		st.Knobs = strategy.Values{}
	}
	return st.Strategy.Set(st.Knobs, k.Key+"="+val)
}

// Key tells policies apart by what they do, not by their name.
func (p Policy) Key() string {
	var b strings.Builder
	for _, st := range p.Stages {
		b.WriteString(st.Strategy.Name + "{" + st.Values().Key() + "}")
	}
	return b.String()
}

// Retention is the policy's retention stage; ok is false where it has none.
func (p Policy) Retention() (st Stage, ok bool) {
	for _, st := range p.Stages {
		if st.Strategy.Retain != nil {
			return st, true
		}
	}
	return Stage{}, false
}

// Idle says what of some policies does nothing in front of a tool server, and what to
// use for it: a sentence for those of which nothing works there, one for those of which
// a part does. where is that place in words: "in snapscope mcp".
func Idle(where string, ps ...Policy) []string {
	out := []string{}
	var none, part []string
	for _, p := range ps {
		if _, clears := p.Retention(); !clears {
			continue
		}
		if p.Rewrites() {
			part = append(part, p.Name)
		} else {
			none = append(none, p.Name)
		}
	}
	const why = "pages are cleared from the history, which only the requests to the model carry"
	name := func(names []string) string {
		if len(names) > 1 {
			return "NAME"
		}
		return names[0]
	}
	if len(none) > 0 {
		word, does := "policy", "does"
		if len(none) > 1 {
			word, does = "policies", "do"
		}
		out = append(out, fmt.Sprintf("%s %s %s nothing %s: %s. Put snapscope api --policy %[6]s between the agent and the model's API, or start the agent with snapscope live --policy %[6]s",
			word, wording.And(none), does, where, why, name(none)))
	}
	if len(part) > 0 {
		out = append(out, fmt.Sprintf("of policy %s only the rewrites work %s: %s. snapscope live --policy %s uses both parts", wording.And(part), where, why, name(part)))
	}
	return out
}

// Rewrites reports whether the policy changes the text of snapshots: without
// that every pane of it would be the full page again.
func (p Policy) Rewrites() bool {
	for _, st := range p.Stages {
		if st.Strategy.Apply != nil {
			return true
		}
	}
	return false
}

// Compares reports whether the policy has a rewrite that looks at pages before.
func (p Policy) Compares() bool {
	for _, st := range p.Stages {
		if st.Strategy.Base != nil {
			return true
		}
	}
	return false
}

// Exact reports that the policy leaves nothing out of a session: every page can be
// put together again from what the agent gets.
func (p Policy) Exact() bool {
	for _, st := range p.Stages {
		if st.Strategy.Exact == nil || !st.Strategy.Exact(st.Values()) {
			return false
		}
	}
	return true
}
