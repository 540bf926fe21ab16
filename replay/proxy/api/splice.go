package api

import (
	"bytes"
	"encoding/json"
)

// restText stands in the further texts of a result whose first one tells that it
// was cleared. Anthropic refuses a text block that is empty or only white space.
const restText = "[…]"

// Edit puts a text in the place of a result's.
type Edit struct {
	Block int // index into Request.Blocks
	Text  string
}

// Splice answers the request with the texts of some results replaced. Nothing
// but the JSON strings that hold them changes, and the answer is valid JSON;
// where there is nothing to change it is the request itself. A result whose text
// stands in several parts bears the new one in the first of them.
func (r *Request) Splice(edits []Edit) []byte {
	var out bytes.Buffer
	at, changed := 0, false
	put := func(s span, with []byte) {
		if s.from < at || bytes.Equal(r.source[s.from:s.to], with) {
			return
		}
		if !changed {
			out.Grow(len(r.source))
		}
		out.Write(r.source[at:s.from])
		out.Write(with)
		at, changed = s.to, true
	}
	for _, e := range edits {
		k := &r.Blocks[e.Block]
		if k.Role != Result {
			continue
		}
		for i, s := range k.texts {
			text := e.Text
			if i > 0 {
				text = restText
			}
			put(s, quote(text))
		}
	}
	if !changed {
		return r.source
	}
	out.Write(r.source[at:])
	if !json.Valid(out.Bytes()) {
		return r.source
	}
	return out.Bytes()
}
