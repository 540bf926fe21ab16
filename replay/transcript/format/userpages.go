package format

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
	"snapscope/snapshot/notation"
)

// Agents without tool calls are shown the page in user messages, and say what
// to do in their replies. Each message with a page is the result of the actions
// before it; the first is a look at the page.

// userPages pairs such messages with such replies.
type userPages struct {
	p        *importer
	pages    int
	actions  int
	waiting  []string        // ids of the actions that have no result yet
	answered string          // the action that the last page answered
	outputs  map[string]bool // tool calls that only carry what the agent said
}

// isPage reports whether a message shows a page, as lines that no tool answers.
func isPage(r reply.Reply) bool {
	return r.Found && r.Seen == session.SeenInline && (r.Dialect == notation.Index || r.Dialect == notation.AXTree)
}

// together joins the texts of one message where one of them shows a page: what
// stands in the others belongs to the same look.
func (u *userPages) together(texts []string) []string {
	for _, t := range texts {
		if len(texts) > 1 && isPage(reply.Read(reply.Call{Tab: -1}, t)) {
			return []string{strings.Join(texts, "\n")}
		}
	}
	return texts
}

// shown reads a user message that may hold a page, and answers whether it did.
func (u *userPages) shown(text string, when time.Time, line int) bool {
	r := reply.Read(reply.Call{Tab: -1}, text)
	page := isPage(r) || r.Found && r.Seen == session.SeenInline && r.Dialect == notation.Aria && len(u.waiting) > 0
	switch {
	case !page && len(u.waiting) == 0:
		return false
	case !page: // what became of the action, without the page
		u.answer(text, when, line)
		return true
	}
	u.pages++
	u.p.browserOnly = true // an agent that is shown pages so has no other tools
	if len(u.waiting) == 0 {
		id := fmt.Sprintf("page-%d", u.pages)
		u.p.spokenCall(id, "browser_get_state", nil, when, line)
		u.waiting = append(u.waiting, id)
	}
	u.answer(text, when, line)
	return true
}

// answer gives a message to the last of the waiting actions; those before it
// were carried out without a word.
func (u *userPages) answer(text string, when time.Time, line int) {
	images := u.p.seen()
	for i, id := range u.waiting {
		a := answer{id: id, when: when, line: line}
		if i == len(u.waiting)-1 {
			a.text, u.p.images = text, images
			u.answered = id
		}
		u.p.result(a)
	}
	u.waiting = u.waiting[:0]
}

// said reads the actions that a reply asks for, once a page was shown.
func (u *userPages) said(text string, when time.Time, line int) {
	if u.pages > 0 {
		u.act(spokenIn(text), when, line)
	}
}

func (u *userPages) act(list []spoken, when time.Time, line int) {
	for _, s := range list {
		u.actions++
		id := label(u.actions)
		u.p.act(id, s.tool, s.args, s.meaning(), when, line)
		u.waiting = append(u.waiting, id)
	}
}

// output reads a tool call that only carries what the agent said, as browser-use
// makes one: {current_state, action: […]}. Its answer says nothing. One before the
// first page is the example that stands in the prompt: a call like any other.
func (u *userPages) output(id, tool string, args tape.Value, when time.Time, line int) bool {
	if u.pages == 0 {
		return false
	}
	var t tape.Tape
	if args.Kind() == tape.String {
		v, err := t.ParseText(args.Str())
		if err != nil {
			return false
		}
		args = v
	}
	list, ok := spokenValue(args)
	if !ok || tool != "AgentOutput" && tool != "agent_output" && !args.Has("current_state") && !args.Has("evaluation_previous_goal") {
		return false
	}
	if u.outputs == nil {
		u.outputs = map[string]bool{}
	}
	u.outputs[id] = true
	var said strings.Builder // as a tool call is counted: one line, keys in order
	enc := json.NewEncoder(&said)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args.Object()); err == nil {
		u.p.spoke(tool + " " + strings.TrimSuffix(said.String(), "\n"))
	}
	u.act(list, when, line)
	return true
}
