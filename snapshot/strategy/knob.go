package strategy

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// KnobType says how a knob's number is read and shown.
type KnobType uint8

// The types of a knob. Every value is held as a float64 so that a slider, a
// sweep and a cache key treat all knobs alike.
const (
	Int    KnobType = iota // a whole number
	Ratio                  // 0.20, shown as 20 %
	Bool                   // 0 or 1
	Choice                 // an index into Choices
)

// Knob is one setting of a strategy. The screen, --set, the config file, the
// docs and the sweep all read this table.
type Knob struct {
	Key     string // snake_case: min_savings
	Label   string // a word or two for the screen
	Unit    string // "lines", "tokens", "" where there is none
	Doc     string // one sentence
	Type    KnobType
	Min     float64
	Max     float64
	Step    float64 // what one turn changes
	Default float64
	Choices []string
	Former  map[string]string // choices by names they had before: they are still read
	Sweep   []float64         // values a sweep tries; nil: a few over the range
}

// Parse reads a knob's value from text and checks its range. The error names
// the knob, what was given and what is allowed.
func (k Knob) Parse(s string) (float64, error) {
	s = strings.TrimSpace(s)
	switch k.Type {
	case Bool:
		switch strings.ToLower(s) {
		case "true", "1", "on", "yes":
			return 1, nil
		case "false", "0", "off", "no":
			return 0, nil
		}
		return 0, fmt.Errorf("%s is %q; it takes true or false", k.Key, s)
	case Choice:
		if now, ok := k.Former[strings.ToLower(s)]; ok {
			s = now
		}
		for i, c := range k.Choices {
			if strings.EqualFold(c, s) {
				return float64(i), nil
			}
		}
		return 0, fmt.Errorf("%s is %q; it takes %s", k.Key, s, strings.Join(k.Choices, ", "))
	}
	num, percent := strings.CutSuffix(s, "%")
	f, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%s is %q; it takes a number from %s to %s", k.Key, s, k.Format(k.Min), k.Format(k.Max))
	}
	if percent {
		if k.Type != Ratio {
			return 0, fmt.Errorf("%s is %q; it takes a whole number, not a percentage", k.Key, s)
		}
		f /= 100
	}
	if k.Type == Int && f != math.Trunc(f) {
		return 0, fmt.Errorf("%s is %q; it takes a whole number", k.Key, s)
	}
	if f < k.Min || f > k.Max {
		return 0, fmt.Errorf("%s is %s; it takes %s to %s", k.Key, s, k.Format(k.Min), k.Format(k.Max))
	}
	return f, nil
}

// Format writes a value as Parse reads it: true, unified, 0.2, 100.
func (k Knob) Format(v float64) string {
	switch k.Type {
	case Bool:
		return strconv.FormatBool(v != 0)
	case Choice:
		if i := int(v); i >= 0 && i < len(k.Choices) {
			return k.Choices[i]
		}
		return "?"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Clamp brings a value into the knob's range and onto its kind of number.
func (k Knob) Clamp(v float64) float64 {
	if k.Type != Ratio {
		v = math.Round(v)
	} else {
		v = math.Round(v*1e4) / 1e4
	}
	return math.Min(k.Max, math.Max(k.Min, v))
}

// Values holds a value for every knob of one strategy, by key.
type Values map[string]float64

// Int is a knob's value as a whole number.
func (v Values) Int(key string) int { return int(v[key]) }

// Bool is a knob's value as a truth.
func (v Values) Bool(key string) bool { return v[key] != 0 }

// Key is a canonical text of the values, equal for equal values: a cache key.
func (v Values) Key() string {
	keys := make([]string, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "%s=%g ", k, v[k])
	}
	return b.String()
}

// Knob finds a knob by its key.
func (s *Strategy) Knob(key string) (Knob, bool) {
	for _, k := range s.Knobs {
		if k.Key == key {
			return k, true
		}
	}
	return Knob{}, false
}

// Choice is the chosen word of a Choice knob.
func (s *Strategy) Choice(v Values, key string) string {
	k, _ := s.Knob(key)
	return k.Format(v[key])
}

// Values answers a full set: the defaults with over laid on top. A key in over
// that the strategy does not have is left out.
func (s *Strategy) Values(over Values) Values {
	out := make(Values, len(s.Knobs))
	for _, k := range s.Knobs {
		out[k.Key] = k.Default
		if o, ok := over[k.Key]; ok {
			out[k.Key] = k.Clamp(o)
		}
	}
	return out
}

// Set reads "key=value" into v. The error says which keys there are.
func (s *Strategy) Set(v Values, assignment string) error {
	key, val, ok := strings.Cut(assignment, "=")
	if !ok {
		return fmt.Errorf("%q is not knob=value", assignment)
	}
	k, ok := s.Knob(strings.TrimSpace(key))
	if !ok {
		return fmt.Errorf("%s has no knob %q; it has %s", s.Name, key, strings.Join(s.keys(), ", "))
	}
	f, err := k.Parse(val)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	v[k.Key] = f
	return nil
}

func (s *Strategy) keys() []string {
	out := make([]string, len(s.Knobs))
	for i, k := range s.Knobs {
		out[i] = k.Key
	}
	if len(out) == 0 {
		return []string{"none"}
	}
	return out
}
