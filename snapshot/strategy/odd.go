package strategy

import (
	"strings"
	"unicode/utf8"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/notation"
)

// foreign says of each dialect but aria what a text in it is.
var foreign = map[notation.Dialect]string{
	notation.UID:          "the text is a chrome-devtools tree with uid handles, not aria text",
	notation.AgentBrowser: "the text is an agent-browser tree, not aria text",
	notation.Index:        "the text is a browser-use list with [index] handles, not aria text",
	notation.AXTree:       "the text is an accessibility tree with [id] handles, not aria text",
}

// Odd says what a page's text is when it is not aria text, "" when it is: what
// a strategy could then not use. It looks at the first lines only, save for the
// check of the encoding.
func Odd(p Page) string {
	if !utf8.ValidString(p.Text) {
		return "the text is not valid UTF-8"
	}
	if says := foreign[p.Dialect]; says != "" {
		return says
	}
	return oddText(p.Text)
}

// oddHead is how many bytes of a text are looked at.
const oddHead = 4096

func oddText(text string) string {
	head := text[:min(len(text), oddHead)]
	if strings.IndexByte(head, 0) >= 0 {
		return "the text is binary"
	}
	body := ecma.TrimStart(head)
	if body == "" {
		if len(text) == len(head) {
			return "the text is empty"
		}
		return "the text starts with white space only"
	}
	if says := foreign[notation.Tell(head)]; says != "" {
		return says
	}
	for line := range strings.SplitSeq(body, "\n") {
		if l := notation.ReadLine(ecma.TrimStart(line), notation.Aria); l.Kind != notation.OtherLine {
			return ""
		}
	}
	switch {
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
	inside := ecma.TrimStart(body[1:])
	switch body[0] {
	case '{':
		return inside == "" || inside[0] == '"' || inside[0] == '}'
	case '[':
		return inside == "" || strings.IndexByte(`{["]-0123456789`, inside[0]) >= 0
	}
	return false
}
