package record

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"snapscope/replay/proxy/api"
)

// conversation is one history that grows from request to request.
type conversation struct {
	keys   []string // of what was told, in order
	has    map[string]bool
	system string // of its system prompt
	tools  bool
	half   bool // the last call's tool calls were not told: its answer did not come whole, or they have no id
	// The vendor keeps the history of some: a request then names the answer that it goes
	// on from, and brings only what is new.
	answers map[string]bool // the ids of its answers
	last    string          // of the last one
	kept    bool            // the vendor keeps it
}

func newConversation(q *api.Request) *conversation {
	return &conversation{has: map[string]bool{}, answers: map[string]bool{}, system: keyOfText(q.SystemText()), tools: brings(q)}
}

func (c *conversation) add(key string) {
	c.keys = append(c.keys, key)
	c.has[key] = true
}

// answered notes the id of an answer.
func (c *conversation) answered(id string) {
	if id != "" {
		c.answers[id], c.last = true, id
	}
}

// forget leaves only what stands in a history.
func (c *conversation) forget(now map[string]bool) {
	var keys []string
	for _, k := range c.keys {
		if now[k] {
			keys = append(keys, k)
		}
	}
	c.keys = keys // what was told stays known: it is not told again
}

// brings reports whether a request offers the model tools.
func brings(q *api.Request) bool { return len(q.Tools) > len("[]") && string(q.Tools) != "null" }

// keysOf names the blocks that a history is told by: tool calls, their results,
// and what a user said, each the second time that it comes as another. "" for any
// other block.
func keysOf(q *api.Request) []string {
	out := make([]string, len(q.Blocks))
	times := map[string]int{}
	for i := range q.Blocks {
		key := ""
		switch k := &q.Blocks[i]; k.Role {
		case api.Call:
			key = "c:" + k.ID
		case api.Result:
			key = "r:" + k.ID
		case api.User:
			if text, ok := q.Said(i); ok {
				key = keyOfText(text)
				if q.Previous != "" { // said behind that answer, whatever was said before it
					key += "@" + q.Previous
				}
			}
		}
		if key != "" {
			out[i] = numbered(key, times[key])
			times[key]++
		}
	}
	return out
}

// numbered is a key that came so many times before.
func numbered(key string, before int) string { return key + strings.Repeat("+", before) }

func keyOfText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "u:" + hex.EncodeToString(sum[:12])
}

// find answers the conversation a request belongs to; nil: none that is known.
// The first with tools becomes the session's. One that has made no tool call
// makes way for one that does: agents warm up.
func (r *Recorder) find(q *api.Request) *conversation {
	if c := r.known(q); c != nil && (c == r.main || !acted(q) || r.main != nil && r.main.acted()) {
		return c
	}
	if !brings(q) {
		return nil
	}
	c := newConversation(q)
	switch {
	case r.main == nil:
		r.main = c
	case acted(q) && !r.main.acted():
		c.keys = r.main.keys // what stood before is given up in the timeline too
		r.sides = append(r.sides, r.main)
		r.main = c
	default:
		r.sides = append(r.sides, c)
	}
	return c
}

// known finds a conversation that a request goes on with: one of whose answers it
// names, or whose tool calls it holds, else one with its system prompt and its first words, else the session's
// own with its system prompt alone, for a history that was shortened.
func (r *Recorder) known(q *api.Request) *conversation {
	all := r.sides
	if r.main != nil {
		all = append([]*conversation{r.main}, r.sides...)
	}
	if q.Previous != "" {
		for _, c := range all {
			if c.answers[q.Previous] {
				return c
			}
		}
	}
	first := ""
	for _, key := range keysOf(q) {
		if key == "" {
			continue
		}
		if key[0] == 'u' {
			if first == "" {
				first = key
			}
			continue
		}
		for _, c := range all {
			if c.has[key] {
				return c
			}
		}
	}
	system := keyOfText(q.SystemText())
	for _, c := range all {
		if c.system == system && c.tools == brings(q) && c.has[first] {
			return c
		}
	}
	// A summary comes with nothing behind it. So does a helper's first request, but
	// helpers have prompts of their own.
	if c := r.main; c != nil && c.system == system && c.tools == brings(q) && c.acted() && first != "" && !acted(q) {
		return c
	}
	return nil
}

func acted(q *api.Request) bool {
	for i := range q.Blocks {
		if q.Blocks[i].Role == api.Call {
			return true
		}
	}
	return false
}

func (c *conversation) acted() bool {
	for k := range c.has {
		if k[0] == 'c' {
			return true
		}
	}
	return false
}
