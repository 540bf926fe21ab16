package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"snapscope/session"
)

// callText is a tool call as it is counted: the tool's name, a space and its
// arguments as JSON with sorted keys. One that stands in what the model said is
// counted there.
func callText(a *session.Action) string {
	if a.Spoken {
		return ""
	}
	args := a.Args
	if args == nil {
		args = map[string]any{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		return a.Tool + " " + fmt.Sprint(args)
	}
	return a.Tool + " " + strings.TrimSuffix(b.String(), "\n")
}

// resultText is what a result says besides its snapshot.
func resultText(r *session.Result) string {
	if r.Error == "" || strings.Contains(r.Text, r.Error) {
		return r.Text
	}
	if r.Text == "" {
		return r.Error
	}
	return r.Text + "\n" + r.Error
}

// textTokens counts what a result says besides its snapshot. Where the source
// tells at which place the snapshot stood, text and snapshot together come to
// what the whole reply counts: a tokenizer joins a newline to what stands before
// it, so the two counted apart would differ from it by a token or two.
func (h *history) textTokens(it *item) int {
	if it.seen == session.SeenExcerpt { // a text like any other
		return h.r.Tokens(it.result.Whole())
	}
	text, at := resultText(it.result), it.result.At
	snap := it.asShown()
	if at <= 0 || at > len(text) || snap == "" {
		return h.r.Tokens(text)
	}
	before, after := text[:at], text[at:]
	lead, first := before[strings.LastIndexByte(before, '\n')+1:], snap
	if i := strings.IndexByte(snap, '\n'); i >= 0 {
		first = snap[:i+1]
	}
	if len(first) > seamBytes {
		if i := strings.LastIndexByte(first[:seamBytes], ' '); i > 0 {
			first = first[:i]
		}
	}
	last := snap[strings.LastIndexByte(snap, '\n')+1:]
	if from := len(last) - seamBytes; from > 0 {
		if i := strings.IndexByte(last[from:], ' '); i >= 0 {
			last = last[from+i:]
		}
	}
	n := h.r.Tokens(before) + h.r.Tokens(last+after) - h.r.Tokens(last)
	if lead != "" {
		n += h.r.Tokens(lead+first) - h.r.Tokens(lead) - h.r.Tokens(first)
	}
	return max(0, n)
}

// seamBytes is how much of a snapshot beside the cut is counted again.
const seamBytes = 512
