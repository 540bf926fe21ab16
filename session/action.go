package session

import (
	"errors"
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
		_ = t.Set(k, fmt.Sprint(v)) // checked when it was written
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
	if a.Person {
		parts = []string{"by hand:", name}
	}
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
			case ArgBool:
				if on, _ := a.Args[arg.Name].(bool); on {
					parts = append(parts, arg.Name)
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

// Set gives the target one of its keys: ref, role, name, css or nth. The error
// says what the key takes.
func (t *Target) Set(key, val string) error {
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
			return fmt.Errorf("nth is %q; it takes a whole number from 1", val)
		}
		t.Nth = n
	}
	return nil
}

// Check answers an error for a target that names no element, or names one in
// two ways at once.
func (t *Target) Check() error {
	ways := 0
	for _, s := range []string{t.Ref, t.Role, t.CSS} {
		if s != "" {
			ways++
		}
	}
	switch {
	case ways == 0 && t.Name != "":
		return errors.New("a name needs a role beside it: {role: button, name: " + t.Name + "}")
	case ways == 0:
		return errors.New("an element is named by ref, by role and name, or by css")
	case ways > 1 || (t.Name != "" && t.Role == ""):
		return errors.New("an element is named one way: ref, or role and name, or css")
	}
	return nil
}
