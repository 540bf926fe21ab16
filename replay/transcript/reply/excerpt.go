package reply

import (
	"slices"
	"strconv"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/notation"
)

// An excerpt is a part of the page that the agent asked for: what a search found, the
// tree of one element, the tree down to a depth. Its elements can be read and used, but
// it is no page: nothing is compared with it, it replaces no page, and whoever rewrites
// pages leaves it as it came.

// textTools answer with text of their own. A tree in it, such as in a console line, is
// the page's only where the server announces one.
var textTools = []string{
	"console_messages", "network_requests", "network_request", "generate_locator", "list_console_messages",
	"list_network_requests", "get_console_message", "read_console_messages", "read_network_requests", "get_page_text", "get_network_request", "console", "network", "get", "cookies", "storage",
}

// partArgs are the arguments of a snapshot that name an element or a depth.
var partArgs = []string{"target", "ref", "uid", "selector", "depth", "ref_id"}

// asksForPart notes what of the page a call asks for.
func asksForPart(m *Call) {
	name, _ := splitTool(m.Tool)
	name = strings.TrimPrefix(name, "browser_")
	switch {
	case !m.Browser:
	case m.Verb == session.VerbSnapshot:
		m.Excerpt = anyArg(m.Args, partArgs)
	case m.Verb == session.VerbEvaluate, slices.Contains(textTools, name):
		m.Text = true
	default:
		m.Excerpt = name == "find" && m.Verb == "" || strings.HasPrefix(name, "find_")
	}
	if e, ok := m.Args["expectation"].(map[string]any); ok && m.Browser { // fast-playwright: what is to be answered besides
		o, _ := e["snapshotOptions"].(map[string]any)
		m.Excerpt = m.Excerpt || argText(o["selector"]) != ""
	}
}

func anyArg(args map[string]any, names []string) bool {
	for _, n := range names {
		if argText(args[n]) != "" {
			return true
		}
	}
	return false
}

// commandForPart notes what of the page agent-browser or playwright-cli is asked for;
// words are its verb and what follows.
func commandForPart(m *Call, words []string) {
	switch {
	case m.Verb == session.VerbEvaluate, slices.Contains(textTools, words[0]):
		m.Text = true
	case m.Verb != session.VerbSnapshot:
		return
	}
	for i, w := range words[1:] {
		if strings.ContainsAny(w, "|;&<>") {
			piped(m, words[1+i:])
			return
		}
		name, _, _ := strings.Cut(w, "=")
		switch {
		case name == "-d", name == "--depth", name == "-s", name == "--selector":
			m.Excerpt = true
		case i == 0 && isRef(strings.TrimPrefix(strings.Trim(w, `'"`), "@")):
			m.Excerpt = true
		}
	}
}

// filters are programs that let a part of a text through.
var filters = []string{"grep", "egrep", "rg", "sed", "awk", "tail", "cut", "jq", "sort", "uniq", "head"}

// piped notes what the pipe behind a command leaves of its output: what one looks for
// is an excerpt, the first lines are where there are more of them.
func piped(m *Call, words []string) {
	line := strings.Join(words, " ")
	for _, part := range strings.Split(line, "|")[1:] {
		f := strings.Fields(part)
		switch {
		case len(f) == 0 || !slices.Contains(filters, f[0]):
		case f[0] != "head":
			m.Excerpt = true
		default:
			m.Most = 10
			for i, w := range f[1:] {
				w = strings.TrimLeft(strings.TrimPrefix(w, "--lines="), "-n")
				if n, err := strconv.Atoi(w); err == nil && n > 0 && (i == 0 || f[i] == "-n") {
					m.Most = n
				}
			}
		}
	}
}

// asExcerpt makes of a reply what the call asked for.
func (r *Reply) asExcerpt(c Call, text string) {
	c.Excerpt = c.Excerpt || c.Most > 0 && strings.Count(strings.TrimRight(text, "\r\n"), "\n")+1 >= c.Most
	switch {
	case c.Text && r.Found && !r.announced:
		*r = Reply{Before: text, Tab: r.Tab, Dialect: notation.Aria, URL: r.URL, Title: r.Title, Error: r.Error, Console: r.Console, Events: r.Events}
	case c.Excerpt && r.Found && r.Snap != "":
		if !r.announced && r.Tree == "" {
			r.widen()
		}
		r.Part, r.Seen = false, session.SeenExcerpt
	}
}

// widen takes in what a search found further down, to the next heading.
func (r *Reply) widen() {
	end := 0
	for at := 0; at < len(r.After); {
		to := lineEndAt(r.After, at)
		line := r.After[at:to]
		if strings.HasPrefix(line, "#") {
			break
		}
		if isTreeLine(line) {
			end = to
		}
		at = to + 1
	}
	r.Snap, r.After = r.Snap+r.After[:end], r.After[end:]
}
