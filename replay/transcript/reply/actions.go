package reply

import (
	"strings"

	"snapscope/replay/tape"
	"snapscope/session"
)

// Call is what a tool call means in snapscope's words.
type Call struct {
	Tool    string       // the tool's name without what it was wrapped in
	Verb    session.Verb // empty: no browser action that is known
	Target  *session.Target
	Others  []session.Target // a form's other fields, the place where a drag ends
	Args    map[string]any
	Browser bool   // the tool is a browser's, verb or not
	Reads   string // the file it reads, where it reads one; "-": some text that is no page
	Tab     int    // the tab it names, -1: none
	Revises bool   // it asks for a snapshot as a change of the revision before
	Shell   string // a command line that is no browser's
	Session string // a program that runs on, whose input it writes or whose output it asks for
	Most    int    // lines that a pipe behind the command lets through; 0: all
	Spoken  bool   // it was not sent as a tool call: it stands in a text, or is the agent's own look
	Excerpt bool   // it asks for a part of the page: what it shows is no page
	Carries []Call // the calls that it consists of, in their order; of most calls none
	Text    bool   // it answers with a text; only a page that the server announces is one
}

// Explain finds out what a tool call means. browserOnly says that the whole
// transcript is a browser's, so short names like click count.
func Explain(tool string, args map[string]any, browserOnly bool) Call {
	m := Call{Tool: tool, Args: args, Tab: -1}
	if base, _ := splitTool(tool); base == "browser_execute" || base == "browser_query" { // fast-playwright's short list of tools
		if name := argText(args["tool"]); name != "" {
			inner, _ := args["arguments"].(map[string]any)
			return Explain(name, inner, true)
		}
	}
	if name, inner, ok := unwrap(args); ok && strings.Contains(strings.ToLower(tool), "mcp") {
		m.Tool, m.Args = name, inner
		browserOnly = browserOnly || IsBrowserServer(argText(args["mcp_name"])+argText(args["server_name"]))
	}
	switch base, _ := splitTool(m.Tool); base {
	case "browser_batch":
		if list := batched(m.Args); list != nil {
			m.merge(list)
			return m
		}
	case "browser", "browser_tool", "browser_action":
		if a := argText(m.Args["action"]); a != "" {
			m.Browser = true
			m.Verb, m.Target = openclaw(a, m.Args)
			m.Text = m.Verb == session.VerbEvaluate || a == "console"
			m.Excerpt = m.Verb == session.VerbSnapshot && anyArg(m.Args, []string{"selector", "depth", "frame"})
			return m
		}
	case "Read", "read", "read_file", "view", "view_file", "Grep", "grep":
		if base == "Grep" || base == "grep" {
			m.Reads = "-" // finds lines, shows no snapshot
			return m
		}
		for _, k := range []string{"file_path", "filePath", "path", "absolute_path"} {
			if m.Reads = argText(m.Args[k]); m.Reads != "" {
				return m
			}
		}
		m.Reads = "-"
		return m
	case "Bash", "bash", "shell", "exec_command", "execute_command", "run_terminal_cmd", "terminal", "local_shell", "exec", "write_stdin":
		m.Session = argText(m.Args["session_id"])
		shellAction(&m)
		return m
	case "Edit", "Write", "MultiEdit", "edit", "write", "write_to_file", "apply_patch", "Glob", "glob", "LS", "TodoWrite", "WebFetch", "WebSearch", "Task":
		m.Reads = "-"
		return m
	}
	marks := markTargets(m.Args)
	if !browserOnly { // arguments that only tools of chrome-devtools-mcp and of Convergence's agents have
		_, uid := m.Args["uid"]
		_, page := m.Args["pageId"]
		browserOnly = uid || page || len(marks) > 0
	}
	m.Revises = m.Args["delta"] == true
	row, browser := known(m.Tool, browserOnly)
	if list := coded(codeOf(m.Args)); !browser && list != nil {
		m.merge(list)
		return m
	}
	m.Verb, m.Browser = row.verb, browser
	m.Target, m.Others = element(row, m.Args), others(row, m.Args)
	if browser && m.Target == nil {
		m.Others = append(marks, m.Others...)
	}
	if m.Target == nil && len(m.Others) > 0 {
		m.Target, m.Others = &m.Others[0], m.Others[1:]
	}
	refine(&m)
	asksForPart(&m)
	return m
}

// unwrap opens a call that carries another: skill_mcp{mcp_name, tool_name,
// arguments}, use_mcp_tool{server_name, tool_name, arguments}.
func unwrap(args map[string]any) (tool string, inner map[string]any, ok bool) {
	tool = argText(args["tool_name"])
	if tool == "" {
		return "", nil, false
	}
	switch a := args["arguments"].(type) {
	case map[string]any:
		return tool, a, true
	case string:
		var t tape.Tape
		if v, err := t.ParseText(a); err == nil {
			return tool, v.Object(), true
		}
	}
	return tool, nil, true
}

// refine looks at arguments that change what a tool does.
func refine(m *Call) {
	if id, ok := m.Args["pageId"].(float64); ok && id >= 0 {
		m.Tab = int(id)
	}
	if id, ok := m.Args["tabId"].(float64); ok && id >= 0 && id < 1<<31 && strings.Contains(m.Tool, "chrome") {
		m.Tab = int(id)
	}
	switch m.Verb {
	case "":
		if name, _ := splitTool(m.Tool); name == "computer" && m.Browser {
			m.Verb = computer[argText(m.Args["action"])]
		}
	case session.VerbGoto:
		if url := argText(m.Args["url"]); url == "back" || url == "forward" { // Claude in Chrome
			m.Verb = session.Verb(url)
		}
		switch t := argText(m.Args["type"]); t {
		case "back", "forward", "reload":
			m.Verb = session.Verb(t)
		}
	case session.VerbBack:
		if argText(m.Args["navigate"]) == "forward" {
			m.Verb = session.VerbForward
		}
	case session.VerbClick:
		if m.Args["doubleClick"] == true || m.Args["dblClick"] == true {
			m.Verb = session.VerbDblClick
		}
	}
}

// computer are the actions of Claude in Chrome's tool of that name.
var computer = map[string]session.Verb{
	"left_click": session.VerbClick, "right_click": session.VerbClick, "middle_click": session.VerbClick, "triple_click": session.VerbClick,
	"double_click": session.VerbDblClick, "left_click_drag": session.VerbDrag, "type": session.VerbType, "key": session.VerbPress,
	"hover": session.VerbHover, "scroll": session.VerbScroll, "scroll_to": session.VerbScroll, "wait": session.VerbWait,
	"screenshot": session.VerbScreenshot, "zoom": session.VerbScreenshot,
}

// openclaw reads the browser tool's {action, request:{kind, ref}}.
func openclaw(action string, args map[string]any) (session.Verb, *session.Target) {
	switch action {
	case "snapshot":
		return session.VerbSnapshot, nil
	case "screenshot":
		return session.VerbScreenshot, element(toolRow{target: []string{"ref"}}, args)
	case "navigate":
		return session.VerbGoto, nil
	case "open", "focus", "close", "tabs":
		return session.VerbTab, nil
	case "upload":
		return session.VerbUpload, element(toolRow{target: []string{"ref", "inputRef"}}, args)
	case "dialog":
		return session.VerbDialog, nil
	case "launch":
		return session.VerbGoto, nil
	case "act":
		req, ok := args["request"].(map[string]any)
		if !ok {
			req = args
		}
		verb := plain[argText(req["kind"])].verb
		switch argText(req["kind"]) {
		case "scrollIntoView":
			verb = session.VerbScroll
		case "click":
			if req["doubleClick"] == true {
				verb = session.VerbDblClick
			}
		case "close":
			verb = session.VerbTab
		}
		t := element(toolRow{verb: verb, target: []string{"ref", "startRef"}}, req)
		return verb, t
	}
	if r, ok := plain[action]; ok {
		return r.verb, element(toolRow{verb: r.verb, target: []string{"ref", "coordinate"}}, args)
	}
	return "", nil
}

// shellAction reads a command line that drives a browser: agent-browser and
// playwright-cli take a verb and a ref.
func shellAction(m *Call) {
	line := argText(m.Args["command"])
	for _, key := range []string{"cmd", "chars"} { // Codex's
		if line == "" {
			line = strings.TrimSpace(argText(m.Args[key]))
		}
	}
	if list, ok := m.Args["command"].([]any); ok {
		var words []string
		for _, w := range list {
			words = append(words, argText(w))
		}
		line = strings.Join(words, " ")
	}
	if w := strings.Fields(line); len(w) == 2 && w[0] == "cat" {
		m.Reads = strings.Trim(w[1], `'"`)
		return
	}
	i := -1
	for _, name := range []string{"agent-browser ", "playwright-cli "} {
		if i = strings.Index(line, name); i >= 0 {
			line = line[i+len(name):]
			break
		}
	}
	if list := codedIn(line); i < 0 && list != nil {
		m.merge(list)
		return
	}
	if i < 0 {
		if m.Shell = line; line == "" && m.Session != "" {
			m.Shell = " " // asks what came in the meantime
		}
		return
	}
	m.Browser, m.Revises = true, strings.Contains(line, " --delta")
	words := strings.Fields(line)
	for len(words) > 0 && strings.HasPrefix(words[0], "-") { // options before the verb, some with a value
		n := 1
		if !strings.Contains(words[0], "=") && len(words) > 1 && (words[0] == "--session" || words[0] == "-s" || words[0] == "--cdp") {
			n = 2
		}
		words = words[min(n, len(words)):]
	}
	if len(words) == 0 {
		return
	}
	m.Verb = plain[strings.TrimRight(words[0], ";")].verb
	if words[0] == "go-back" {
		m.Verb = session.VerbBack
	}
	commandForPart(m, words)
	if len(words) > 1 {
		switch m.Verb {
		case session.VerbGoto, session.VerbWait, session.VerbEvaluate, session.VerbSnapshot, session.VerbScreenshot, session.VerbTab, session.VerbDialog, session.VerbBack, session.VerbForward, session.VerbReload, "":
		default:
			if w := strings.Trim(words[1], `'";`); isRef(strings.TrimPrefix(w, "@")) {
				m.Target = targetOf(w)
			}
		}
	}
}
