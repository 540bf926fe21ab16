package session

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var refPattern = regexp.MustCompile(`^(f\d+)?e\d+$`)

// IsRef reports whether s has the form of a ref of aria text: e12, f1e3.
func IsRef(s string) bool { return refPattern.MatchString(s) }

// Text is an argument as text, "" when it is missing.
func (a Action) Text(name string) string {
	switch v := a.Args[name].(type) {
	case string:
		return v
	case nil:
		return ""
	default:
		return fmt.Sprint(v)
	}
}

// Words is an argument that holds one text or several.
func (a Action) Words(name string) []string {
	switch v := a.Args[name].(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		out := make([]string, len(v))
		for i, w := range v {
			out[i] = fmt.Sprint(w)
		}
		return out
	}
	return nil
}

// Element is an argument that names an element, nil when it is missing.
func (a Action) Element(name string) *Target {
	m, ok := a.Args[name].(map[string]any)
	if !ok {
		return nil
	}
	t := &Target{}
	for k, v := range m {
		t.set(k, fmt.Sprint(v))
	}
	return t
}

// Map is the target as arguments.
func (t *Target) Map() map[string]any {
	m := map[string]any{}
	for k, v := range map[string]string{"ref": t.Ref, "role": t.Role, "name": t.Name, "css": t.CSS} {
		if v != "" {
			m[k] = v
		}
	}
	if t.Nth > 0 {
		m["nth"] = t.Nth
	}
	return m
}

// String is the target as a person would say it: e12, button "Save", css #save.
func (t *Target) String() string {
	var s string
	switch {
	case t == nil:
		return ""
	case t.Ref != "":
		s = t.Ref
	case t.CSS != "":
		s = "css " + t.CSS
	case t.Name != "":
		s = t.Role + " " + strconv.Quote(t.Name)
	default:
		s = t.Role
	}
	if t.Nth > 0 {
		s += fmt.Sprintf(" (match %d)", t.Nth)
	}
	return s
}

// AllArgs is everything the action was given, its target among it.
func (a Action) AllArgs() map[string]any {
	m := map[string]any{}
	if a.Target != nil {
		m = a.Target.Map()
	}
	for k, v := range a.Args {
		m[k] = v
	}
	return m
}

// Label is the action in a few words: goto /leads, click checkbox "Select all".
func (a Action) Label() string {
	name := string(a.Verb)
	if name == "" {
		name = a.Tool
	}
	parts := []string{name}
	if a.Target != nil {
		parts = append(parts, a.Target.String())
	}
	if spec, ok := SpecOf(a.Verb); ok {
		for _, arg := range spec.Args {
			switch arg.Kind {
			case ArgTarget:
				if t := a.Element(arg.Name); t != nil {
					parts = append(parts, arg.Name, t.String())
				}
			default:
				if w := a.Words(arg.Name); len(w) > 0 {
					parts = append(parts, strings.Join(w, ", "))
				} else if s := a.Text(arg.Name); s != "" {
					parts = append(parts, s)
				}
			}
		}
	}
	return strings.Join(parts, " ")
}

func (a *Action) set(name string, v any) {
	if a.Args == nil {
		a.Args = map[string]any{}
	}
	a.Args[name] = v
}

// finish checks a whole action and resolves its URL; it answers what is wrong.
func (a *Action) finish(spec VerbSpec, base string) string {
	for _, arg := range spec.Args {
		if _, ok := a.Args[arg.Name]; arg.Required && !ok {
			return fmt.Sprintf("%s needs %s (%s): %s", spec.Verb, arg.Name, arg.Doc, usage(spec))
		}
	}
	if a.Target != nil {
		if msg := a.Target.check(); msg != "" {
			return fmt.Sprintf("%s: %s", spec.Verb, msg)
		}
	} else if spec.Target == TargetRequired {
		return fmt.Sprintf("%s needs an element: %s", spec.Verb, usage(spec))
	}
	if spec.Verb == Wait && len(a.Args) == 0 && a.Target == nil {
		return "wait needs something to wait for: " + usage(spec)
	}
	if spec.Verb == Goto {
		u := a.Text("url")
		if strings.TrimSpace(u) == "" {
			return "goto needs a URL"
		}
		a.set("url", resolve(base, u))
	}
	return ""
}

func isTargetKey(k string) bool {
	switch k {
	case "ref", "role", "name", "css", "nth":
		return true
	}
	return false
}

func (t *Target) set(key, val string) string {
	switch key {
	case "ref":
		t.Ref = val
	case "role":
		t.Role = val
	case "name":
		t.Name = val
	case "css":
		t.CSS = val
	case "nth":
		n, err := strconv.Atoi(val)
		if err != nil || n < 1 {
			return fmt.Sprintf("nth is %q; it takes a whole number from 1", val)
		}
		t.Nth = n
	}
	return ""
}

func (t *Target) check() string {
	ways := 0
	for _, s := range []string{t.Ref, t.Role, t.CSS} {
		if s != "" {
			ways++
		}
	}
	switch {
	case ways == 0 && t.Name != "":
		return "a name needs a role beside it: {role: button, name: " + t.Name + "}"
	case ways == 0:
		return "an element is named by ref, by role and name, or by css"
	case ways > 1 || (t.Name != "" && t.Role == ""):
		return "an element is named one way: ref, or role and name, or css"
	}
	return ""
}

func (a Arg) parse(text string) (any, string) {
	switch a.Kind {
	case ArgNumber:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Sprintf("%s is %q; it takes a number", a.Name, text)
		}
		return f, ""
	case ArgBool:
		switch strings.ToLower(text) {
		case "true", "yes", "on":
			return true, ""
		case "false", "no", "off":
			return false, ""
		}
		return nil, fmt.Sprintf("%s is %q; it takes true or false", a.Name, text)
	}
	if len(a.Choices) > 0 {
		for _, c := range a.Choices {
			if c == text {
				return text, ""
			}
		}
		return nil, fmt.Sprintf("%s is %q; it takes %s", a.Name, text, strings.Join(a.Choices, ", "))
	}
	return text, ""
}

func (s VerbSpec) arg(name string) (Arg, bool) {
	for _, a := range s.Args {
		if a.Name == name {
			return a, true
		}
	}
	return Arg{}, false
}

func requiresArg(s VerbSpec) bool {
	for _, a := range s.Args {
		if a.Required {
			return true
		}
	}
	return false
}

// usage says what a verb takes: {ref | role, name | css, text}.
func usage(s VerbSpec) string {
	var parts []string
	switch s.Target {
	case TargetRequired:
		parts = append(parts, "an element (ref, or role and name, or css)")
	case TargetOptional:
		parts = append(parts, "optionally an element (ref, or role and name, or css)")
	}
	for _, a := range s.Args {
		w := a.Name
		if len(a.Choices) > 0 {
			w += " " + strings.Join(a.Choices, "|")
		}
		if !a.Required {
			w = "[" + w + "]"
		}
		parts = append(parts, w)
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func verbNames() string {
	names := make([]string, len(Verbs))
	for i, v := range Verbs {
		names[i] = string(v.Verb)
	}
	return strings.Join(names, ", ")
}

// nearest is ", did you mean click?" where a known verb is one slip away.
func nearest(word string) string {
	best, dist := "", 3
	for _, v := range Verbs {
		if d := slips(word, string(v.Verb)); d < dist {
			best, dist = string(v.Verb), d
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}

// slips is the edit distance of two short words.
func slips(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := prev
			if a[i-1] != b[j-1] {
				cost = 1 + min(prev, row[j], row[j-1])
			}
			prev, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
