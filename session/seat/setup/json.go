package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"snapscope/session/seat"
)

// jsonForm is a JSON file whose object at a path holds the servers by name: with
// command and args, or, whole, with one list for both.
type jsonForm struct {
	path  []any
	whole bool
}

func (f jsonForm) servers(data []byte) ([]entry, error) {
	if !json.Valid(data) {
		return nil, errors.New("it is no plain JSON (comments?), so it is left alone")
	}
	all, ok := seat.Find(data, f.path...)
	if !ok {
		return nil, nil
	}
	var out []entry
	for key, at := range seat.Members(data, all.From) {
		name, _ := seat.Text(data, key)
		obj := seat.Span{From: at, To: seat.End(data, at)}
		if e, ok := f.entry(data, name, obj); ok {
			out = append(out, e)
		}
	}
	return out, nil
}

func (f jsonForm) entry(data []byte, name string, obj seat.Span) (entry, bool) {
	e := entry{name: name}
	if f.whole {
		if json.Unmarshal(member(data, obj, "command"), &e.argv) != nil || len(e.argv) == 0 {
			return e, false
		}
		e.set = func(argv []string) ([]byte, error) { return f.put(data, obj, map[string]any{"command": argv}) }
		return e, true
	}
	var command string
	if json.Unmarshal(member(data, obj, "command"), &command) != nil || command == "" {
		return e, false
	}
	var args []string
	_ = json.Unmarshal(member(data, obj, "args"), &args)
	e.argv = append([]string{command}, args...)
	e.set = func(argv []string) ([]byte, error) {
		return f.put(data, obj, map[string]any{"command": argv[0], "args": argv[1:]})
	}
	return e, true
}

func member(data []byte, obj seat.Span, key string) []byte {
	s, ok := seat.Find(data[obj.From:obj.To], key)
	if !ok {
		return nil
	}
	return s.Of(data[obj.From:])
}

// put sets keys of an object; those that are there keep their place, and a list that
// has a line for each of its values keeps that, too: so a file that its program has
// written anew meanwhile is as that program would have written it.
func (f jsonForm) put(data []byte, obj seat.Span, values map[string]any) ([]byte, error) {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var changes []seat.Change
	for _, k := range keys {
		ch, err := seat.Put(data, obj, k, quoted(values[k]))
		if err != nil {
			return nil, err
		}
		changes = append(changes, ch)
	}
	slices.SortStableFunc(changes, func(a, b seat.Change) int { return a.From - b.From })
	var out []byte
	at := 0
	for _, c := range changes {
		out = append(append(out, data[at:c.From]...), likeBefore(data, c)...)
		at = c.To
	}
	if out = append(out, data[at:]...); !json.Valid(out) {
		return nil, errors.New("it would be no JSON any more")
	}
	return out, nil
}

// likeBefore is a change's value, on several lines where it is a list that replaces
// such a list.
func likeBefore(data []byte, c seat.Change) []byte {
	was := c.Of(data)
	first := bytes.IndexByte(was, '\n')
	if first < 0 || was[0] != '[' || len(c.With) < 3 || c.With[0] != '[' {
		return c.With
	}
	inner := was[first:] // the line break and the first value's indent
	inner = inner[:len(inner)-len(bytes.TrimLeft(inner, " \t\r\n"))]
	last := was[:len(was)-1] // the same before the closing bracket
	last = last[len(bytes.TrimRight(last, " \t\r\n")):]
	out := []byte{'['}
	for i := range seat.Elements(c.With, 0) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, inner...), c.With[i:seat.End(c.With, i)]...)
	}
	return append(append(out, last...), ']')
}

func quoted(v any) []byte {
	switch v := v.(type) {
	case string:
		return seat.Quote(v)
	case []string:
		var parts []string
		for _, s := range v {
			parts = append(parts, string(seat.Quote(s)))
		}
		return []byte("[" + strings.Join(parts, ", ") + "]")
	}
	return []byte("null")
}

func (f jsonForm) lines(name string, argv []string) string {
	if f.whole {
		return fmt.Sprintf(`{%s: {%s: {"type": "local", "command": %s}}}`, seat.Quote(fmt.Sprint(f.path[0])), seat.Quote(name), quoted(argv))
	}
	return fmt.Sprintf(`{%s: {%s: {"command": %s, "args": %s}}}`, seat.Quote(fmt.Sprint(f.path[0])), seat.Quote(name), seat.Quote(argv[0]), quoted(argv[1:]))
}
