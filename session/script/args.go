package script

import (
	"fmt"
	"strconv"
	"strings"

	"snapscope/session"
)

// setArg gives an action one of its arguments.
func setArg(a *session.Action, name string, v any) {
	if a.Args == nil {
		a.Args = map[string]any{}
	}
	a.Args[name] = v
}

// finish checks a whole action and resolves its URL; it answers what is wrong.
func finish(a *session.Action, spec session.VerbSpec, base string) string {
	for _, arg := range spec.Args {
		if _, ok := a.Args[arg.Name]; arg.Required && !ok {
			return fmt.Sprintf("%s needs %s (%s): %s", spec.Verb, arg.Name, arg.Doc, usage(spec))
		}
	}
	if a.Target != nil {
		if err := a.Target.Check(); err != nil {
			return fmt.Sprintf("%s: %v", spec.Verb, err)
		}
	} else if spec.Target == session.TargetRequired {
		return fmt.Sprintf("%s needs an element: %s", spec.Verb, usage(spec))
	}
	if spec.Verb == session.VerbWait && len(a.Args) == 0 && a.Target == nil {
		return "wait needs something to wait for: " + usage(spec)
	}
	if spec.Verb == session.VerbGoto {
		u := a.Text("url")
		if strings.TrimSpace(u) == "" {
			return "goto needs a URL"
		}
		setArg(a, "url", resolve(base, u))
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

// parseArg reads an argument's value; the text is what is wrong with it.
func parseArg(a session.Arg, text string) (any, string) {
	switch a.Kind {
	case session.ArgNumber:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Sprintf("%s is %q; it takes a number", a.Name, text)
		}
		return f, ""
	case session.ArgBool:
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

// findArg finds a verb's argument by name.
func findArg(s session.VerbSpec, name string) (session.Arg, bool) {
	for _, a := range s.Args {
		if a.Name == name {
			return a, true
		}
	}
	return session.Arg{}, false
}

func requiresArg(s session.VerbSpec) bool {
	for _, a := range s.Args {
		if a.Required {
			return true
		}
	}
	return false
}

// usage says what a verb takes: {ref | role, name | css, text}.
func usage(s session.VerbSpec) string {
	var parts []string
	switch s.Target {
	case session.TargetRequired:
		parts = append(parts, "an element (ref, or role and name, or css)")
	case session.TargetOptional:
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
	names := make([]string, len(session.Verbs))
	for i, v := range session.Verbs {
		names[i] = string(v.Verb)
	}
	return strings.Join(names, ", ")
}

// nearest is ", did you mean click?" where a known verb is one slip away.
func nearest(word string) string {
	best, dist := "", 3
	for _, v := range session.Verbs {
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
