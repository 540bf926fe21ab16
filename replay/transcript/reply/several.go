package reply

import (
	"slices"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/notation"
)

// Some calls carry several actions: Claude in Chrome's browser_batch names tools and
// their arguments, browser-use 1.0 runs code that acts and prints. Both have one answer.
//
//	browser_batch  {"actions": [{"name": "computer", "input": {"action": "left_click", "ref": "ref_3"}}, …]}
//	code           new_tab("http://…"); bu.click(41); bu.type(12, "tea")

// merge takes what several calls mean together: all their elements, and the verb that
// says most of what the answer shows.
func (m *Call) merge(list []Call) {
	m.Carries = list
	rank := func(v session.Verb) int {
		switch {
		case v.Navigates():
			return 4
		case v == session.VerbScreenshot, v == session.VerbWait, v == session.VerbTab, v == "":
			return 1
		case v == session.VerbSnapshot:
			return 2
		}
		return 3
	}
	whole, part := false, false
	for _, c := range list {
		m.Browser = m.Browser || c.Browser
		if rank(c.Verb) > rank(m.Verb) || m.Verb == "" {
			m.Verb = c.Verb
		}
		if c.Tab >= 0 {
			m.Tab = c.Tab
		}
		if c.Target != nil {
			m.Others = append(append(m.Others, *c.Target), c.Others...)
		}
		if url := argText(c.Args["url"]); url != "" && c.Verb == session.VerbGoto {
			m.Args = withURL(m.Args, url)
		}
		whole, part = whole || c.Verb == session.VerbSnapshot && !c.Excerpt, part || c.Excerpt
	}
	m.Excerpt = part && !whole
	if len(m.Others) > 0 {
		m.Target, m.Others = &m.Others[0], m.Others[1:]
	}
}

// withURL is a call's arguments with where it goes; what the model wrote stays as it is.
func withURL(args map[string]any, url string) map[string]any {
	out := map[string]any{"url": url}
	for k, v := range args {
		out[k] = v
	}
	return out
}

// batched are the calls that a browser_batch carries; nil: it carries none.
func batched(args map[string]any) (out []Call) {
	list, _ := args["actions"].([]any)
	for _, x := range list {
		a, _ := x.(map[string]any)
		name := argText(a["name"])
		input, _ := a["input"].(map[string]any)
		if name == "" || name == "browser_batch" {
			continue
		}
		out = append(out, Explain("mcp__claude-in-chrome__"+name, input, true))
	}
	return out
}

// batchPage takes the last page that a batch of Claude in Chrome answers with: the part
// behind [read_page], up to the next part.
func batchPage(r *Reply, text string) bool {
	const mark = "[read_page] "
	from := strings.LastIndex(text, "\n"+mark) + 1
	if from == 0 && !strings.HasPrefix(text, mark) {
		return false
	}
	from += len(mark)
	to := len(text)
	for at := from; at < len(text); {
		end := lineEndAt(text, at)
		if at > from && (partBegins(text[at:end]) || strings.HasPrefix(text[at:end], "actions[")) {
			to = at
			break
		}
		at = end + 1
	}
	start, end, ok := elementLines(text[from:to], notation.AXTree)
	if !ok {
		return false
	}
	r.Dialect = notation.AXTree
	take(r, text, from+start, from+end)
	return true
}

// batchFailure is what failed in a batch, from its text on; of other answers all.
func batchFailure(text string) string {
	if i := strings.LastIndex("\n"+text, "\nactions["); i >= 0 {
		if _, why, ok := strings.Cut(text[i:lineEndAt(text, i)], ") failed: "); ok {
			return why
		}
	}
	return text
}

// partBegins reports a line that begins the answer of one call of a batch: [navigate] …
func partBegins(line string) bool {
	name, _, ok := strings.Cut(strings.TrimPrefix(line, "["), "] ")
	if !ok || line == "" || line[0] != '[' || strings.HasPrefix(name, "ref_") || name == "" {
		return false
	}
	_, is := plain[name]
	if !is {
		_, is = distinct[name]
	}
	return is || name == "find" || name == "get_page_text" || name == "resize_window"
}

// coded are the calls that a text of code makes on browser-use's browser: its methods
// with the number of an element first, and its functions that open a page.
func coded(code string) (out []Call) {
	for _, known := range []struct{ begin, verb string }{{"bu.", ""}, {"new_tab(", "goto"}, {"goto_url(", "goto"}} {
		for at := 0; ; {
			i := strings.Index(code[at:], known.begin)
			if i < 0 {
				break
			}
			i += at
			at = i + len(known.begin)
			if i > 0 && (codeLetter(code[i-1]) || code[i-1] == '.') {
				continue
			}
			name, rest := known.verb, code[at:]
			if name == "" {
				open := strings.IndexByte(rest, '(')
				if open < 1 || open > 32 || strings.Trim(rest[:open], "abcdefghijklmnopqrstuvwxyz_") != "" {
					continue
				}
				name, rest = rest[:open], rest[open+1:]
			}
			if c, ok := codeCall(name, rest); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// codedIn is coded of a command line, which may only talk of such code: nil unless one of
// the calls names an element or an address.
func codedIn(line string) []Call {
	list := coded(line)
	if !slices.ContainsFunc(list, func(c Call) bool { return c.Args != nil }) {
		return nil
	}
	return list
}

// codeCall is one call by the name of its method and what stands behind its bracket.
func codeCall(name, rest string) (Call, bool) {
	row, ok := plain[name]
	if !ok {
		row, ok = distinct[name]
	}
	c := Call{Tool: name, Verb: row.verb, Browser: true, Tab: -1}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	switch {
	case digits > 0 && digits < 12 && digits < len(rest) && strings.IndexByte(",) ", rest[digits]) >= 0 && acts(row.verb):
		c.Target = &session.Target{Ref: rest[:digits]}
		c.Args = map[string]any{"index": rest[:digits]}
		if text, ok := quoted(strings.TrimLeft(rest[digits:], ", ")); ok {
			c.Args["text"] = text
		}
	case row.verb == session.VerbGoto:
		url, ok := quoted(rest)
		if !ok || url == "" {
			return c, false // the name stands in other code, or in what is searched for
		}
		c.Args = map[string]any{"url": url}
	}
	return c, ok
}

// quoted is the string that a text of code begins with, as it is written there.
func quoted(code string) (string, bool) {
	if code == "" || code[0] != '"' && code[0] != '\'' {
		return "", false
	}
	for i := 1; i < len(code) && code[i] != '\n'; i++ {
		switch code[i] {
		case '\\':
			i++
		case code[0]:
			return code[1:i], true
		}
	}
	return "", false
}

// acts reports a verb whose method takes an element.
func acts(v session.Verb) bool {
	switch v {
	case session.VerbClick, session.VerbDblClick, session.VerbHover, session.VerbFill, session.VerbType, session.VerbCheck, session.VerbUncheck,
		session.VerbSelect, session.VerbDrag, session.VerbUpload, session.VerbPress, session.VerbScroll:
		return true
	}
	return false
}

func codeLetter(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// codeOf is the code that a call runs; "" none.
func codeOf(args map[string]any) string {
	for _, key := range []string{"code", "cell", "script", "source"} {
		if s := argText(args[key]); s != "" {
			return s
		}
	}
	return ""
}
