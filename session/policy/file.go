package policy

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

// A policy file is TOML that a person writes and a version control system
// diffs: policies in order, their strategies in order, and only the knobs that
// differ from their defaults.
//
//	[[policy]]
//	name = "leads"
//	title = "tuned for the leads table"
//
//	[[policy.stage]]
//	strategy = "compress"
//	keep_n = 20

type policyFile struct {
	Policy []struct {
		Name  string           `toml:"name"`
		Title string           `toml:"title"`
		Stage []map[string]any `toml:"stage"`
		// Promise is read as it is written, see Promise.
		Promise *Promise `toml:"promise"`
	} `toml:"policy"`
}

// Read reads a policy file; name stands in its errors, which say the
// line and what is allowed there. Unknown keys, strategies, knobs and values out
// of range are refused.
func Read(name string, data []byte) ([]Policy, error) {
	var f policyFile
	if err := DecodeTOML(name, data, &f); err != nil {
		return nil, err
	}
	out := make([]Policy, 0, len(f.Policy))
	seen := map[string]bool{}
	for i, fp := range f.Policy {
		at := fmt.Sprintf("policy[%d]", i)
		fail := func(key, format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", name, TOMLLine(data, at+key), fmt.Sprintf(format, args...))
		}
		switch {
		case fp.Name == "":
			return nil, fail("", "a policy has no name")
		case seen[fp.Name]:
			return nil, fail(".name", "there are two policies %q", fp.Name)
		case reserved(fp.Name):
			return nil, fail(".name", "policy %q is built in: choose another name", fp.Name)
		}
		seen[fp.Name] = true
		p := Policy{Name: fp.Name, Title: fp.Title, Promise: fp.Promise}
		if p.Promise != nil {
			if key, err := p.Promise.check(); err != nil {
				return nil, fail(".promise."+key, "policy %s: %v", fp.Name, err)
			}
		}
		retains := ""
		for j, m := range fp.Stage {
			key := fmt.Sprintf(".stage[%d]", j)
			st, bad, err := readStage(m)
			if err != nil {
				return nil, fail(key+bad, "policy %s: %v", fp.Name, err)
			}
			if slices.ContainsFunc(p.Stages, func(o Stage) bool { return o.Strategy == st.Strategy }) {
				return nil, fail(key+".strategy", "policy %s has the strategy %s twice", fp.Name, st.Strategy.Name)
			}
			if s := st.Strategy; s.Retain != nil {
				if retains != "" {
					return nil, fail(key+".strategy", "policy %s has two retention rules, %s and %s: a policy takes one", fp.Name, retains, s.Name)
				}
				retains = s.Name
			}
			p.Stages = append(p.Stages, st)
		}
		out = append(out, p)
	}
	return out, nil
}

// reserved reports whether a name belongs to a built-in policy.
func reserved(name string) bool {
	if _, ok := formerNames[name]; ok {
		return true
	}
	for _, p := range Builtin() {
		if p.Name == name {
			return true
		}
	}
	return false
}

// readStage reads one strategy of a policy; bad is the key that an error is of.
func readStage(m map[string]any) (st Stage, bad string, err error) {
	name, ok := m["strategy"].(string)
	if !ok {
		return st, "", fmt.Errorf("a stage has no strategy = \"…\"")
	}
	s, err := registry.Get(name)
	if err != nil {
		return st, ".strategy", err
	}
	st.Strategy = s
	for key, val := range m {
		if key == "strategy" {
			continue
		}
		text, ok := scalar(val)
		if !ok {
			return st, "." + key, fmt.Errorf("%s.%s takes one value, not a list or a table", name, key)
		}
		if st.Knobs == nil {
			st.Knobs = strategy.Values{}
		}
		if err := s.Set(st.Knobs, key+"="+text); err != nil {
			return st, "." + key, err
		}
	}
	return st, "", nil
}

func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

// Write writes a policy file: always the same text for the same
// policies, knobs in the order of their strategy's table.
func Write(w io.Writer, ps []Policy) error {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[[policy]]\nname = %s\n", tomlString(p.Name))
		if p.Title != "" {
			fmt.Fprintf(&b, "title = %s\n", tomlString(p.Title))
		}
		for _, st := range p.Stages {
			s := st.Strategy
			fmt.Fprintf(&b, "\n[[policy.stage]]\nstrategy = %s\n", tomlString(s.Name))
			for _, k := range s.Knobs {
				if v, ok := st.Knobs[k.Key]; ok && v != k.Default {
					fmt.Fprintf(&b, "%s = %s\n", k.Key, tomlValue(k, v))
				}
			}
		}
		if q := p.Promise; q != nil {
			fmt.Fprintf(&b, "\n[policy.promise]\nkeep = %s\nminimize = %s\nsaved = %s\nlow = %s\nhigh = %s\nsessions = %d\n",
				tomlFloat(q.Keep), tomlString(q.Minimize), tomlFloat(q.Saved), tomlFloat(q.Low), tomlFloat(q.High), q.Sessions)
			if q.Runs > 0 {
				fmt.Fprintf(&b, "runs = %s\n", tomlFloat(q.Runs))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tomlFloat writes a share; TOML tells 1 and 1.0 apart.
func tomlFloat(f float64) string {
	s := strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func tomlValue(k strategy.Knob, v float64) string {
	text := k.Format(v)
	switch k.Type {
	case strategy.Choice:
		return tomlString(text)
	case strategy.Ratio:
		if !strings.Contains(text, ".") { // TOML tells 1 and 1.0 apart
			text += ".0"
		}
	}
	return text
}

// tomlString quotes a text as TOML does.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
