package ledger

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"

	"snapscope/session"
	"snapscope/session/policy"
)

// Price is what one model's tokens cost, in US dollars a million.
type Price struct {
	Model  string
	Input  float64
	Output float64
	Rule   Rule
}

func (p Price) input(plain, cached, written int) float64 {
	return (float64(plain) + float64(cached)*p.Rule.Read + float64(written)*p.Rule.Write) * p.Input / 1e6
}

// Billed is what a vendor's count of a call's input costs, in US dollars: what was
// read from its cache, what was written to it for minutes and for an hour, and
// the rest.
func (p Price) Billed(u session.Usage) float64 {
	short := u.CacheWrite - u.CacheHour
	return p.input(u.Plain(), u.CacheRead, short) + float64(u.CacheHour)*p.Rule.WriteHour*p.Input/1e6
}

// Prices is a price table: models with their prices and cache rules, as they
// were at a date.
type Prices struct {
	Date   string
	models map[string]Price // by name and alias, in lower case
	names  []string
}

//go:embed prices.toml
var defaultPrices []byte

// DefaultPricesTOML is the table that is built in, to be copied and edited.
func DefaultPricesTOML() []byte { return append([]byte(nil), defaultPrices...) }

// DefaultPrices is the table that is built in.
var DefaultPrices = sync.OnceValue(func() *Prices {
	p, err := ParsePrices("prices.toml", defaultPrices)
	if err != nil {
		panic("the built-in price table: " + err.Error()) // a test reads it
	}
	return p
})

type priceFile struct {
	Date  string              `toml:"date"`
	Rule  map[string]ruleFile `toml:"rule"`
	Model []modelFile         `toml:"model"`
}

type ruleFile struct {
	MinPrefix *int     `toml:"min_prefix"`
	Step      *int     `toml:"step"`
	LookBack  *int     `toml:"look_back"`
	Marked    *bool    `toml:"marked"`
	Write     *float64 `toml:"write"`
	WriteHour *float64 `toml:"write_hour"`
	Read      *float64 `toml:"read"`
	Tokens    *float64 `toml:"tokens"`
	TokensMin *float64 `toml:"tokens_min"`
	TokensMax *float64 `toml:"tokens_max"`
}

type modelFile struct {
	Name    string   `toml:"name"`
	Aliases []string `toml:"aliases"`
	Rule    string   `toml:"rule"`
	Input   *float64 `toml:"input"`
	Output  *float64 `toml:"output"`
	ruleFile
}

// ParsePrices reads a price table; name stands in its errors. A missing field,
// an unknown key or a negative number is an error with its line: a price is
// never guessed.
func ParsePrices(name string, data []byte) (*Prices, error) {
	var f priceFile
	if err := policy.DecodeTOML(name, data, &f); err != nil {
		return nil, err
	}
	fail := func(path, format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", name, policy.TOMLLine(data, path), fmt.Sprintf(format, args...))
	}
	if f.Date == "" {
		return nil, fail("", "the price table has no date = \"YYYY-MM-DD\"")
	}
	rules := map[string]Rule{}
	for key, r := range f.Rule {
		path := "rule." + key
		if field := r.missing(); field != "" {
			return nil, fail(path, "rule %q has no %s", key, field)
		}
		rule, bad := r.over(Rule{Name: key, WriteHour: *r.Write})
		if bad != "" {
			return nil, fail(path+"."+bad, "rule %q: %s is out of range", key, bad)
		}
		rules[key] = rule
	}
	p := &Prices{Date: f.Date, models: map[string]Price{}}
	for i, m := range f.Model {
		if err := p.add(m, rules, fmt.Sprintf("model[%d]", i), fail); err != nil {
			return nil, err
		}
	}
	sort.Strings(p.names)
	return p, nil
}

func (p *Prices) add(m modelFile, rules map[string]Rule, path string, fail func(path, format string, args ...any) error) error {
	rule, known := rules[m.Rule]
	switch {
	case m.Name == "":
		return fail(path, "a model has no name")
	case m.Input == nil:
		return fail(path, "model %q has no input price", m.Name)
	case m.Output == nil:
		return fail(path, "model %q has no output price", m.Name)
	case *m.Input < 0:
		return fail(path+".input", "model %q: a price is at least 0", m.Name)
	case *m.Output < 0:
		return fail(path+".output", "model %q: a price is at least 0", m.Name)
	case m.Rule == "":
		return fail(path, "model %q has no rule", m.Name)
	case !known:
		return fail(path+".rule", "model %q: there is no rule %q", m.Name, m.Rule)
	}
	rule, bad := m.over(rule)
	if bad != "" {
		return fail(path+"."+bad, "model %q: %s is out of range", m.Name, bad)
	}
	price := Price{Model: m.Name, Input: *m.Input, Output: *m.Output, Rule: rule}
	for _, name := range append([]string{m.Name}, m.Aliases...) {
		key := strings.ToLower(name)
		if _, twice := p.models[key]; twice {
			return fail(path+".name", "model %q is listed twice", name)
		}
		p.models[key] = price
	}
	p.names = append(p.names, m.Name)
	return nil
}

// missing names the first field that is not set.
func (f ruleFile) missing() string {
	switch {
	case f.MinPrefix == nil:
		return "min_prefix"
	case f.Step == nil:
		return "step"
	case f.LookBack == nil:
		return "look_back"
	case f.Write == nil:
		return "write"
	case f.Read == nil:
		return "read"
	}
	return ""
}

// over lays the fields that are set over a rule; bad names one out of range.
func (f ruleFile) over(r Rule) (out Rule, bad string) {
	set := func(key string, v *int, to *int, least int) {
		if v != nil {
			*to = *v
			if *v < least {
				bad = key
			}
		}
	}
	set("min_prefix", f.MinPrefix, &r.MinPrefix, 0)
	set("step", f.Step, &r.Step, 1)
	set("look_back", f.LookBack, &r.LookBack, 0)
	for _, x := range []struct {
		key string
		v   *float64
		to  *float64
	}{
		{"write", f.Write, &r.Write},
		{"write_hour", f.WriteHour, &r.WriteHour},
		{"read", f.Read, &r.Read},
		{"tokens", f.Tokens, &r.Tokens},
		{"tokens_min", f.TokensMin, &r.TokensMin},
		{"tokens_max", f.TokensMax, &r.TokensMax},
	} {
		if x.v != nil {
			*x.to = *x.v
			if !(*x.v >= 0 && *x.v <= 100) {
				bad = x.key
			}
		}
	}
	if f.Marked != nil {
		r.Marked = *f.Marked
	}
	if r.Tokens > 0 && bad == "" {
		switch r.TokensMin, r.TokensMax = cmp.Or(r.TokensMin, r.Tokens), cmp.Or(r.TokensMax, r.Tokens); {
		case r.TokensMin > r.Tokens:
			bad = "tokens_min"
		case r.TokensMax < r.Tokens:
			bad = "tokens_max"
		}
	}
	return r, bad
}

// dated is what vendors put behind a model's name: a day, or "latest".
var dated = regexp.MustCompile(`[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest)(-v\d+(:\d+)?)?$|-v\d+(:\d+)?$`)

// Find answers a model's price: by its name or an alias, apart from case, from a
// provider before a slash ("anthropic/…"), and from a date behind it.
func (p *Prices) Find(model string) (Price, bool) {
	key := strings.ToLower(strings.TrimSpace(model))
	for {
		if pr, ok := p.models[key]; ok {
			return pr, true
		}
		if cut := dated.ReplaceAllString(key, ""); cut != key {
			key = cut
			continue
		}
		_, rest, ok := strings.Cut(key, "/")
		if !ok {
			_, rest, ok = strings.Cut(key, "anthropic.") // as Bedrock names them
		}
		if !ok {
			return Price{}, false
		}
		key = rest
	}
}

// Models lists the names of the table, sorted.
func (p *Prices) Models() []string { return append([]string(nil), p.names...) }
