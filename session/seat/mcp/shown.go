package mcp

import (
	"bytes"
	"encoding/json"

	"snapscope/session/mask"
)

// shown are a held call's arguments as whoever looks may see them. A call without
// secrets is shown to the byte.
func (l *Link) shown(c *asked) []byte {
	raw := c.args
	var out []byte
	ok, _ := l.p.rec.ask(l.context, len(raw), func(r *recorder, t *ticket) {
		b := masked(r.mask, raw, r.line)
		t.claim(func() { out = b })
	})
	if ok {
		return out
	}
	return masked(mask.New(false), raw, func(string) string { return "" })
}

// masked is a JSON object with its secrets masked.
func masked(m *mask.Masker, raw []byte, line func(handle string) string) []byte {
	args, ok := numbered(raw).(map[string]any)
	if !ok {
		return raw
	}
	before := m.Count()
	m.Args(args, line)
	if m.Count() == before {
		return raw
	}
	b, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	return b
}

// unmasked is what a person made of shown arguments, with the secrets that were left
// masked as they came.
func unmasked(edited, shown, came []byte) []byte {
	if bytes.Equal(shown, came) {
		return edited
	}
	b, err := json.Marshal(restore(numbered(edited), numbered(shown), numbered(came)))
	if err != nil {
		return edited
	}
	return b
}

// restore puts what came where what was shown of it still stands.
func restore(edited, shown, came any) any {
	switch v := edited.(type) {
	case string:
		if was, ok := came.(string); ok && edited == shown {
			return was
		}
	case map[string]any:
		s, _ := shown.(map[string]any)
		c, _ := came.(map[string]any)
		for k, x := range v {
			v[k] = restore(x, s[k], c[k])
		}
	case []any:
		s, _ := shown.([]any)
		c, _ := came.([]any)
		for i, x := range v {
			if i < min(len(s), len(c)) {
				v[i] = restore(x, s[i], c[i])
			}
		}
	}
	return edited
}

// numbered is a JSON value whose numbers keep their digits; nil where it is none.
func numbered(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}
