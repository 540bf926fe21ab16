package strategy

import (
	"strings"
	"unicode/utf8"

	"snapscope/snapshot/notation"
)

// Odd says what a text is when it is not aria text; empty when it is. It looks
// at the first lines only, save for the check of the encoding.
func Odd(p Page) string {
	if !utf8.ValidString(p.Text) {
		return "the text is not valid UTF-8"
	}
	switch p.Dialect {
	case notation.UID:
		return "the text is a chrome-devtools tree with uid handles, not aria text"
	case notation.AgentBrowser:
		return "the text is an agent-browser tree, not aria text"
	case notation.Index:
		return "the text is a browser-use list with [index] handles, not aria text"
	}
	return oddText(p.Text)
}

func oddText(text string) string {
	head := text
	if len(head) > 4096 {
		head = head[:4096]
	}
	if strings.IndexByte(head, 0) >= 0 {
		return "the text is binary"
	}
	body := jsTrimStart(head)
	if body == "" {
		if len(text) == len(head) {
			return "the text is empty"
		}
		return "the text starts with white space only"
	}
	nodes := false
	for line := range strings.SplitSeq(body, "\n") {
		t := jsTrimStart(line)
		if strings.HasPrefix(t, "uid=") {
			return "the text is a chrome-devtools tree with uid handles, not aria text"
		}
		if !strings.HasPrefix(t, "- ") {
			continue
		}
		if strings.Contains(t, ", ref=e") {
			return "the text is an agent-browser tree, not aria text"
		}
		nodes = true
	}
	switch {
	case nodes:
		return ""
	case body[0] == '<':
		return "the text reads as HTML, not as aria text"
	case readsAsJSON(body):
		return "the text reads as JSON, not as aria text"
	case len(text) > len(head) && !strings.Contains(head, "\n"):
		return "the text is one long line, not aria text"
	}
	return "the text holds no aria node"
}

// readsAsJSON reports whether a text begins as a JSON object or array does; a
// strategy's own "[snapshot unchanged …]" does not.
func readsAsJSON(body string) bool {
	inside := jsTrimStart(body[1:])
	switch body[0] {
	case '{':
		return inside == "" || inside[0] == '"' || inside[0] == '}'
	case '[':
		return inside == "" || strings.IndexByte(`{["]-0123456789`, inside[0]) >= 0
	}
	return false
}
