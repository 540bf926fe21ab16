package mcp

import (
	"bytes"
	"encoding/json"
	"strings"

	"snapscope/snapshot/mask"
)

// shown are a held call's arguments as whoever looks may see them. A call without
// secrets is shown to the byte.
func (l *Link) shown(c *asked) []byte {
	return l.maskedBy(c.args, func(m *mask.Masker, line func(handle string) string) []byte { return masked(m, c.args, line) })
}

// shownResult is a held result as whoever looks may see it, to the byte where it has
// no secrets. What goes to the agent is another matter.
func (l *Link) shownResult(c *asked, raw []byte) []byte {
	cookies := mask.AsksForCookies(c.tool, object(c.args))
	return l.maskedBy(raw, func(m *mask.Masker, _ func(string) string) []byte {
		v, masked := m.Shown(numbered(raw), cookies)
		if !masked {
			return raw
		}
		return plain(v)
	})
}

// maskedBy masks with what the recorder knows of the session's secrets, or where it has
// no time, with what can be told by the bytes.
func (l *Link) maskedBy(raw []byte, masked func(m *mask.Masker, line func(handle string) string) []byte) []byte {
	var out []byte
	ok, _ := l.p.rec.ask(l.context, len(raw), func(r *recorder, t *ticket) {
		b := masked(r.mask, r.line)
		t.claim(func() { out = b })
	})
	if ok {
		return out
	}
	return masked(mask.New(false), func(string) string { return "" })
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
	return plain(args)
}

// plain is a value as JSON for people, in which a page's signs stand as they are; nil
// where it is none.
func plain(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// unmasked is what a person made of shown arguments, with the secrets that were left
// masked as they came.
func unmasked(edited, shown, came []byte) []byte {
	if bytes.Equal(shown, came) {
		return edited
	}
	if b := plain(restore(numbered(edited), numbered(shown), numbered(came))); b != nil {
		return b
	}
	return edited
}

// restore puts what came where what was shown of it still stands.
func restore(edited, shown, came any) any {
	switch v := edited.(type) {
	case string:
		was, ok := came.(string)
		if is, shows := shown.(string); ok && shows {
			return restoreLines(v, is, was)
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

// restoreLines puts each line as it came where what was shown of it still stands.
func restoreLines(edited, shown, came string) string {
	if edited == shown {
		return came
	}
	is, was := strings.Split(shown, "\n"), strings.Split(came, "\n")
	if len(is) != len(was) {
		return edited
	}
	hidden := map[string]string{}
	for i := range is {
		if _, known := hidden[is[i]]; !known && is[i] != was[i] {
			hidden[is[i]] = was[i]
		}
	}
	lines := strings.Split(edited, "\n")
	for i, line := range lines {
		if was, ok := hidden[line]; ok {
			lines[i] = was
		}
	}
	return strings.Join(lines, "\n")
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
