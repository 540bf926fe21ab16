package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"snapscope/snapshot/strategy"
)

// ExportTarget is a system whose own configuration a policy can be written as.
type ExportTarget struct {
	Name     string // as it is asked for
	Strategy string // the strategy of a policy that it configures
	Where    string // where the configuration goes

	write func(x *exporter) any // a string is taken as it is, else it becomes JSON
	sets  []string              // the knobs that the system can be told
}

// Export is a policy as a system's own configuration.
type Export struct {
	Target string
	Where  string
	Text   string   // ends in a newline
	Notes  []string // what of the policy the system cannot be told, a sentence each
}

// object keeps its keys in the order of a system's own documentation.
type object []field

type field struct {
	key   string
	value any
}

// MarshalJSON writes the fields in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		v, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", f.key, v)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}

// nest wraps a value in objects of one key each.
func nest(value any, keys ...string) any {
	for i := len(keys) - 1; i >= 0; i-- {
		value = object{{keys[i], value}}
	}
	return value
}

// ExportTargets is the one table of systems that a policy can be exported to;
// the shapes are those of the seed documents and of the vendor's API.
func ExportTargets() []ExportTarget {
	return []ExportTarget{
		{
			Name: "openclaw", Strategy: "openclaw", Where: "openclaw.json",
			sets: []string{"enabled", "tool_calls"},
			write: func(x *exporter) any {
				return nest(object{{"enabled", x.on("enabled")}, {"toolCalls", x.int("tool_calls")}},
					"agents", "defaults", "contextPruning", "browserSnapshot", "expiry")
			},
		},
		{
			Name: "passmark", Strategy: "passmark", Where: "before the first step of a test",
			write: func(*exporter) any { return "configure({ deltaSnapshot: true });\n" },
		},
		{
			Name: "fast-playwright", Strategy: "response-diff", Where: "the arguments of a tool call or of a batch",
			sets: []string{"enabled", "threshold", "format", "max_diff_lines", "ignore_whitespace", "context"},
			write: func(x *exporter) any {
				return nest(object{
					{"enabled", x.on("enabled")},
					{"threshold", x.v["threshold"]},
					{"format", x.s.Choice(x.v, "format")},
					{"maxDiffLines", x.int("max_diff_lines")},
					{"ignoreWhitespace", x.on("ignore_whitespace")},
					{"context", x.int("context")},
				}, "expectation", "diffOptions")
			},
		},
		{
			Name: "playwright", Strategy: "compress", Where: "the arguments of browser_snapshot",
			write: func(*exporter) any { return nest(true, "compress") },
		},
		{
			Name: "dev-browser", Strategy: "budget", Where: "the arguments of browser_snapshot",
			sets: []string{"full", "max_elements", "interactive_only", "viewport_only", "max_tokens", "include_history"},
			write: func(x *exporter) any {
				return object{
					{"fullSnapshot", x.on("full")},
					{"maxElements", x.int("max_elements")},
					{"interactiveOnly", x.on("interactive_only")},
					{"viewportOnly", x.on("viewport_only")},
					{"maxTokens", x.int("max_tokens")},
					{"includeHistory", x.on("include_history")},
				}
			},
		},
		{
			Name: "anthropic", Strategy: "clear-tool-uses", Where: "the body of a Messages request (beta context-management-2025-06-27)",
			sets:  []string{"trigger", "keep", "clear_at_least"},
			write: exportAnthropic,
		},
	}
}

func exportAnthropic(x *exporter) any {
	amount := func(unit, knob string) object { return object{{"type", unit}, {"value", x.int(knob)}} }
	edit := object{
		{"type", "clear_tool_uses_20250919"},
		{"trigger", amount("input_tokens", "trigger")},
		{"keep", amount("tool_uses", "keep")},
	}
	if x.int("clear_at_least") > 0 {
		edit = append(edit, field{"clear_at_least", amount("input_tokens", "clear_at_least")})
	}
	return nest([]any{edit}, "context_management", "edits")
}

// exporter is one strategy of a policy being written.
type exporter struct {
	s *strategy.Strategy
	v strategy.Values
}

func (x *exporter) on(knob string) bool { return x.v.Bool(knob) }
func (x *exporter) int(knob string) int { return x.v.Int(knob) }

// ExportConfig writes a policy as the configuration of a target. Knobs that the
// target cannot be told are named in Notes where they differ from what the
// target does by itself. The error says which targets there are, or what the
// policy lacks.
func ExportConfig(target string, p Policy) (Export, error) {
	var names []string
	for _, t := range ExportTargets() {
		if t.Name == target {
			return t.export(p)
		}
		names = append(names, t.Name)
	}
	return Export{}, fmt.Errorf("no target %q; there are %s", target, strings.Join(names, ", "))
}

func (t ExportTarget) export(p Policy) (Export, error) {
	var stage *Stage
	var others []string
	for i, st := range p.Stages {
		if st.Strategy.Name == t.Strategy {
			stage = &p.Stages[i]
		} else {
			others = append(others, st.Strategy.Name)
		}
	}
	if stage == nil {
		return Export{}, fmt.Errorf("policy %s has no strategy %s, which is what %s can be told about", p.Name, t.Strategy, t.Name)
	}
	x := &exporter{s: stage.Strategy, v: stage.Values()}
	out := Export{Target: t.Name, Where: t.Where}
	switch v := t.write(x).(type) {
	case string:
		out.Text = v
	default:
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return Export{}, fmt.Errorf("writing the configuration of %s: %w", t.Name, err)
		}
		out.Text = string(text) + "\n"
	}
	for _, k := range x.s.Knobs {
		if v := x.v[k.Key]; v != k.Default && !slices.Contains(t.sets, k.Key) {
			out.Notes = append(out.Notes, fmt.Sprintf("%s cannot be told %s %s: it works with %s", t.Name, k.Key, k.Format(v), k.Format(k.Default)))
		}
	}
	if len(others) > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s knows nothing of the policy's other strategies: %s", t.Name, strings.Join(others, ", ")))
	}
	return out, nil
}
