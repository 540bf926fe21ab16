package format

import (
	"fmt"
	"strconv"
	"strings"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
)

// Agents without tool calls write what they do into their replies. These are
// the ways that are met:
//
//	WebVoyager   Action: Type [3]; tea
//	WebArena     In summary, the next action I will perform is ```click [12]```
//	BrowserGym   <action>fill('a12', 'tea')</action>, one call a line
//	browser-use  {"current_state": …, "action": [{"input_text": {"index": 3, "text": "tea"}}]}
//	Notte        {"action": {"type": "fill", "id": "I3", "value": "tea"}}
//	Stagehand    {"action": {"elementId": "0-12", "method": "fill", "arguments": ["tea"]}, "twoStep": false}
//
// A reply that ends the task (ANSWER, done, stop) is no action in the browser.

// spoken is one action that a reply asks for.
type spoken struct {
	tool string // as the reply names it
	args map[string]any
}

// spokenVerbs are the actions' names, in small letters, in snapscope's words.
var spokenVerbs = map[string]session.Verb{
	"click": session.VerbClick, "click_element": session.VerbClick, "click_element_by_index": session.VerbClick, "click_by_index": session.VerbClick,
	"mouse_click": session.VerbClick, "dblclick": session.VerbDblClick, "hover": session.VerbHover, "mouse_move": session.VerbHover,
	"type": session.VerbType, "fill": session.VerbFill, "input": session.VerbFill, "input_text": session.VerbFill, "clear": session.VerbFill,
	"form_fill": session.VerbFill, "keyboard_type": session.VerbType, "keyboard_insert_text": session.VerbType,
	"press": session.VerbPress, "press_key": session.VerbPress, "send_keys": session.VerbPress, "keyboard_press": session.VerbPress, "keyboard_down": session.VerbPress,
	"check": session.VerbCheck, "uncheck": session.VerbUncheck,
	"select_option": session.VerbSelect, "select": session.VerbSelect, "select_dropdown_option": session.VerbSelect, "select_dropdown": session.VerbSelect,
	"doubleclick": session.VerbDblClick, "scrollto": session.VerbScroll, "nextchunk": session.VerbScroll, "prevchunk": session.VerbScroll,
	"selectoptionfromdropdown": session.VerbSelect, "draganddrop": session.VerbDrag,
	"scroll": session.VerbScroll, "scroll_down": session.VerbScroll, "scroll_up": session.VerbScroll, "scroll_to_text": session.VerbScroll,
	"drag_and_drop": session.VerbDrag, "drag_drop": session.VerbDrag, "upload_file": session.VerbUpload, "upload_file_to_element": session.VerbUpload,
	"wait": session.VerbWait, "noop": session.VerbWait, "goto": session.VerbGoto, "go_to_url": session.VerbGoto, "navigate": session.VerbGoto,
	"google": session.VerbGoto, "search_google": session.VerbGoto, "search": session.VerbGoto,
	"goback": session.VerbBack, "go_back": session.VerbBack, "go_forward": session.VerbForward, "reload": session.VerbReload,
	"new_tab": session.VerbTab, "open_tab": session.VerbTab, "goto_new_tab": session.VerbTab, "switch_tab": session.VerbTab, "switch": session.VerbTab,
	"tab_focus": session.VerbTab, "tab_close": session.VerbTab, "close_tab": session.VerbTab, "page_focus": session.VerbTab, "page_close": session.VerbTab,
	"extract_content": "", "extract_structured_data": "", "scrape": "", "get_dropdown_options": "", "focus": "", "write_file": "", "read_file": "",
}

// endings are actions that end the task.
var endings = map[string]bool{
	"answer": true, "done": true, "stop": true, "finish": true, "completion": true, "terminate": true, "send_msg_to_user": true, "report_infeasible": true,
}

// spokenIn finds the actions that a reply asks for.
func spokenIn(text string) []spoken {
	if i := strings.IndexByte(text, '{'); i >= 0 {
		if out, ok := spokenJSON(text[i:]); ok {
			return out
		}
	}
	if body := inTag(text, "action"); body != "" {
		return spokenCalls(body)
	}
	for _, mark := range []string{"Action:", "ACTION:"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			line := strings.TrimSpace(firstLine(strings.TrimLeft(text[i+len(mark):], " \n")))
			if s, ok := spokenBrackets(strings.Trim(line, "`")); ok {
				return s
			}
			return spokenCalls(line)
		}
	}
	if i := strings.LastIndex(text, "```"); i >= 0 { // the last block of code
		if j := strings.LastIndex(text[:i], "```"); j >= 0 {
			body := strings.TrimSpace(text[j+3 : i])
			if s, ok := spokenBrackets(body); ok {
				return s
			}
			return spokenCalls(body)
		}
	}
	return spokenCalls(text)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r")
}

// spokenJSON reads an object with an action: a list of actions, or one.
func spokenJSON(body string) (out []spoken, ok bool) {
	end := strings.LastIndexByte(body, '}')
	if end < 0 {
		return nil, false
	}
	var t tape.Tape
	v, err := t.ParseText(body[:end+1])
	if err != nil {
		return nil, false
	}
	return spokenValue(v)
}

// spokenValue reads the action field of an agent's output.
func spokenValue(v tape.Value) (out []spoken, ok bool) {
	a := firstOf(v, "action", "actions")
	one := func(x tape.Value) {
		if kind := firstOf(x, "type", "action_type", "name", "method"); kind.Kind() == tape.String {
			out = append(out, spoken{kind.Str(), x.Object()})
			return
		}
		x.Fields(func(name string, args tape.Value) {
			if args.Kind() == tape.Object || args.Kind() == tape.Array || args.OK() {
				out = append(out, spoken{name, args.Object()})
			}
		})
	}
	switch a.Kind() {
	case tape.Array:
		a.Items(one)
	case tape.Object:
		one(a)
	default:
		return nil, false
	}
	return known(out), true
}

// spokenBrackets reads "Type [3]; tea" and "type [164] [tea] [1]".
func spokenBrackets(line string) (out []spoken, ok bool) {
	name, rest, found := strings.Cut(strings.TrimSpace(line), " ")
	name = strings.ToLower(strings.TrimRight(name, ";:."))
	if !isSpoken(name) || strings.Contains(name, "(") {
		return nil, false
	}
	args := map[string]any{}
	if found {
		head, said, _ := strings.Cut(rest, ";")
		words := brackets(head)
		for i, w := range words {
			switch {
			case i == 0 && w != "" && (isHandle(w) || len(words) > 1):
				args["index"] = w
			case i == 0:
				args["text"] = w
			case i == 1:
				args["text"] = w
			}
		}
		if len(words) == 0 && !strings.Contains(rest, ";") {
			said = rest
		}
		if said = strings.TrimSpace(said); said != "" {
			args["text"] = strings.Trim(said, "[]")
		}
	}
	return known([]spoken{{name, args}}), true
}

// brackets are the words in brackets at the start of a text.
func brackets(s string) (out []string) {
	for {
		s = strings.TrimLeft(s, " ")
		if !strings.HasPrefix(s, "[") {
			return out
		}
		end := strings.IndexByte(s, ']')
		if end < 0 {
			return out
		}
		out = append(out, s[1:end])
		s = s[end+1:]
	}
}

// isHandle reports a word that can name an element: I3, a12, or Stagehand's 0-15423.
func isHandle(w string) bool {
	return strings.ContainsAny(w, "0123456789") && (len(w) < 8 || len(w) < 16 && strings.Trim(w, "0123456789-") == "" && strings.Count(w, "-") == 1)
}

// spokenCalls reads calls in the form of code, one a line: fill('a12', 'tea').
func spokenCalls(body string) (out []spoken) {
	for _, line := range strings.Split(body, "\n") {
		line = strings.Trim(strings.TrimSpace(line), "`")
		name, rest, ok := strings.Cut(line, "(")
		name = strings.TrimSpace(name)
		if !ok || !isSpoken(strings.ToLower(name)) || !strings.HasSuffix(strings.TrimSpace(rest), ")") {
			continue
		}
		words := literals(rest)
		args := map[string]any{}
		verb := spokenVerbs[strings.ToLower(name)]
		for i, w := range words {
			switch {
			case i == 0 && takesElement(verb, name):
				args["index"] = w
			case i == 0 && verb == session.VerbGoto:
				args["url"] = w
			case i == 1 && verb == session.VerbDrag:
				args["to"] = w
			case args["text"] == nil:
				args["text"] = w
			}
		}
		out = append(out, spoken{name, args})
	}
	return known(out)
}

// takesElement reports whether the first argument of a call is an element.
func takesElement(verb session.Verb, name string) bool {
	switch verb {
	case session.VerbClick, session.VerbDblClick, session.VerbHover, session.VerbFill, session.VerbType, session.VerbCheck, session.VerbUncheck,
		session.VerbSelect, session.VerbDrag, session.VerbUpload, session.VerbPress:
		return !strings.HasPrefix(name, "keyboard_") && !strings.HasPrefix(name, "mouse_")
	}
	return name == "focus"
}

// literals are the arguments of a call: strings in quotes, numbers.
func literals(s string) (out []string) {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\'' || c == '"':
			j := i + 1
			for j < len(s) && s[j] != c {
				if s[j] == '\\' {
					j++
				}
				j++
			}
			w := s[i+1 : min(j, len(s))]
			if c == '"' {
				w = tape.Unescape([]byte(w))
			} else {
				w = strings.ReplaceAll(w, `\'`, `'`)
			}
			out = append(out, w)
			i = j + 1
		case c >= '0' && c <= '9' || c == '-':
			j := i + 1
			for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == '.') {
				j++
			}
			out = append(out, s[i:j])
			i = j
		case c == ')':
			return out
		default:
			i++
		}
	}
	return out
}

func isSpoken(name string) bool {
	_, ok := spokenVerbs[name]
	return ok || endings[name]
}

// known leaves out what ends the task.
func known(in []spoken) []spoken {
	out := in[:0]
	for _, s := range in {
		if !endings[strings.ToLower(s.tool)] {
			out = append(out, s)
		}
	}
	return out
}

// meaning is what a spoken action is in snapscope's words.
func (s spoken) meaning() reply.Call {
	c := reply.Call{Tool: s.tool, Verb: spokenVerbs[strings.ToLower(s.tool)], Args: s.args, Browser: true, Spoken: true, Tab: -1}
	for _, key := range []string{"index", "id", "action_id", "element_id", "elementId", "bid", "element"} {
		ref := ""
		switch x := s.args[key].(type) {
		case string:
			ref = x
		case float64:
			ref = strconv.FormatFloat(x, 'f', -1, 64)
		}
		if ref != "" && isHandle(ref) && c.Verb != session.VerbTab {
			c.Target = &session.Target{Ref: ref}
			break
		}
	}
	to, _ := s.args["to"].(string)
	if list, _ := s.args["arguments"].([]any); to == "" && len(list) > 0 {
		to, _ = list[0].(string)
	}
	if c.Verb == session.VerbDrag && to != "" && isHandle(to) {
		c.Others = []session.Target{{Ref: to}}
	}
	return c
}

// label names a spoken action's id.
func label(n int) string { return fmt.Sprintf("action-%d", n) }
