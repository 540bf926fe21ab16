package setup

import (
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

// put sets keys of an object; those that are there keep their place.
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
	return seat.Splice(data, changes...)
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
