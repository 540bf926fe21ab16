package reply

import (
	"fmt"
	"strings"

	"snapscope/replay/tape"
	"snapscope/snapshot/notation"
)

// plainReply looks for a snapshot in an answer without a server's headings:
// passmark's messages, agent-browser's tree or JSON, browser-use's state, and
// trees that stand bare, as OpenClaw gives them.
func plainReply(r *Reply, text string) {
	t := strings.TrimLeft(text, " \n")
	switch {
	case strings.HasPrefix(t, "[delta snapshot: +"), strings.HasPrefix(t, "[snapshot unchanged "):
		passmarkReply(r, text)
	case strings.HasPrefix(t, "unchanged (revision "):
		take(r, text, len(text)-len(t), len(strings.TrimRight(text, "\n")))
		r.Part, r.same, r.revised, r.Dialect = true, true, true, notation.AgentBrowser
	case strings.HasPrefix(t, "{") && (strings.Contains(t, "ref") || strings.Contains(t, `"revision"`)):
		jsonReply(r, text)
	case strings.Contains(text, "[Start of page]"), strings.Contains(text, "<browser_state>"):
		stateReply(r, text)
	case notation.Own(firstLine(t), notation.UID) != "":
		if start, end, ok := findUIDs(text, 0); ok {
			r.Dialect = notation.UID
			take(r, text, start, end)
		}
	default:
		bareReply(r, text)
	}
}

func take(r *Reply, text string, from, to int) {
	r.Found = true
	r.Before, r.Snap, r.After = text[:from], text[from:to], text[to:]
}

// passmarkReply reads a delta or the message that nothing changed.
func passmarkReply(r *Reply, text string) {
	start := strings.IndexByte(text, '[')
	end := len(strings.TrimRight(text, "\n"))
	take(r, text, start, end)
	r.Part = true
	if strings.HasPrefix(text[start:], "[snapshot unchanged ") {
		r.same = true
		return
	}
	_, body, _ := strings.Cut(r.Snap, "\n\n")
	r.delta = strings.Split(body, "\n")
}

// bareReply takes the tree that stands in a text, and reads the lines "url: …"
// and "title: …" before it.
func bareReply(r *Reply, text string) {
	start, end, ok := findTree(text)
	if !ok {
		otherReply(r, text)
		return
	}
	take(r, text, start, end)
	for _, l := range strings.Split(text[:start], "\n") {
		if v, ok := strings.CutPrefix(l, "url: "); ok {
			r.URL = v
		}
		if v, ok := strings.CutPrefix(l, "title: "); ok {
			r.Title = v
		}
		for _, mark := range []string{"Page: ", "Page URL: ", "URL: "} { // agent-browser's heading
			if v, ok := strings.CutPrefix(l, mark); ok && strings.Contains(v, "://") {
				r.URL = v
			}
		}
	}
	if isAgentBrowser(r.Snap) {
		r.Dialect = notation.AgentBrowser
	}
}

// otherReply takes the indexed DOM or the accessibility tree that stands in a
// text: two lines or more that show elements, and what stands between them.
func otherReply(r *Reply, text string) {
	if listReply(r, text) || batchPage(r, text) {
		return
	}
	for _, d := range []notation.Dialect{notation.Index, notation.AXTree} {
		if start, end, ok := elementLines(text, d); ok {
			r.Dialect = d
			take(r, text, start, end)
			pageLines(r, text[:start])
			if r.URL == "" { // WebArena writes it behind the page
				pageLines(r, text[end:min(len(text), end+1000)])
			}
			return
		}
	}
}

// listReply takes WebVoyager's elements, which stand in a row with tabs between them.
func listReply(r *Reply, text string) bool {
	const between = ";\t["
	i := strings.Index(text, between)
	if i < 0 {
		return false
	}
	from := strings.LastIndexByte(text[:i], '\n') + 1
	to := strings.LastIndex(text, between) + 1
	if end := strings.Index(text[to:], `";`); end >= 0 {
		to += end + len(`";`)
	} else {
		to = len(text)
	}
	lines := strings.Split(text[from:to], ";\t")
	for k, line := range lines {
		if k+1 < len(lines) {
			line += ";"
		}
		lines[k] = strings.ReplaceAll(line, "\n", " ")
	}
	if notation.Own(lines[0], notation.Index) == "" {
		return false
	}
	take(r, text, from, to)
	r.Tree, r.Dialect = strings.Join(lines, "\n"), notation.Index
	return true
}

// maxGap is how many lines between two elements of a page may show none: text,
// or a name that holds line breaks.
const maxGap = 12

// elementLines finds the run of lines that show elements in a dialect. Lines
// without a handle belong to it where the dialect has such.
func elementLines(text string, d notation.Dialect) (start, end int, ok bool) {
	if notation.NextMark(text, 0, d) < 0 {
		return 0, 0, false
	}
	start = -1
	refs, gap, least := 0, 0, 2
	for at := 0; at < len(text); {
		to := lineEndAt(text, at)
		l := notation.ReadLine(text[at:to], d)
		switch {
		case l.IsElement() && (l.Ref != "" || start >= 0 || d == notation.AXTree):
			if start < 0 || refs == 0 && gap > 0 {
				start = at
			}
			if l.Ref != "" {
				refs++
			}
			if strings.HasPrefix(l.Ref, "ref_") { // no text has such a handle by chance
				least = 1
			}
			end, gap = to, 0
		case start >= 0:
			if gap++; gap > maxGap && refs > 0 {
				at = len(text)
				continue
			}
		}
		at = to + 1
	}
	return start, end, refs >= least
}

// pageLines reads where the page is from the lines before it.
func pageLines(r *Reply, text string) {
	for _, l := range strings.Split(text, "\n") {
		l = strings.TrimPrefix(strings.TrimSpace(l), "* ")
		for _, mark := range []string{"Current url: ", "Current URL: ", "URL: ", "Current tab URL: "} {
			if v, ok := strings.CutPrefix(l, mark); ok && strings.Contains(v, ":") {
				r.URL = strings.TrimSpace(v)
			}
		}
		for _, mark := range []string{"Current page title: ", "Page title: "} {
			if v, ok := strings.CutPrefix(l, mark); ok {
				r.Title = v
			}
		}
	}
}

// isAgentBrowser knows the dialect by its attributes: one bracket for all.
func isAgentBrowser(tree string) bool { return notation.Tell(tree) == notation.AgentBrowser }

// jsonReply reads agent-browser's JSON: the tree in a field, or a delta.
func jsonReply(r *Reply, text string) {
	var t tape.Tape
	v, err := t.ParseText(text)
	if err != nil {
		bareReply(r, text)
		return
	}
	data := v
	if d := v.Get("data"); d.Kind() == tape.Object {
		data = d
	}
	if u := data.Get("url").Str(); u != "" {
		r.URL = u
	} else if u := data.Get("origin").Str(); u != "" {
		r.URL = u
	}
	r.Title = data.Get("title").Str()
	state := data
	if d := data.Get("snapshot"); d.Kind() == tape.Object {
		state = d
	}
	kind := state.Get("kind").Str()
	r.revised = state.Has("revision")
	if kind == "delta" || kind == "unchanged" && r.revised {
		take(r, text, 0, len(strings.TrimRight(text, "\n")))
		r.Part, r.Dialect = true, notation.AgentBrowser
		change := state.Get("treeChange")
		switch {
		case change.Kind() == tape.Object:
			r.splice = spliceOf(change)
		case kind == "unchanged" || r.revised:
			r.same = true
		default:
			r.delta = spliceDelta(state)
		}
		return
	}
	data = state
	for _, key := range []string{"snapshot", "tree", "text", "content"} {
		tree := data.Get(key)
		if tree.Kind() != tape.String || notation.NextMark(tree.Str(), 0, notation.AgentBrowser) < 0 {
			continue
		}
		// The model read the JSON form: that is what is cut out of the text.
		raw := tree.Raw()
		start, end := tree.Span()
		r.Found = true
		r.Before, r.After = text[:start+1], text[end-1:]
		r.Snap = string(raw[1 : len(raw)-1])
		r.Tree = tree.Str()
		r.Dialect = notation.AgentBrowser
		return
	}
}

// splice is one change of a tree: from a line on, counted from 0, some lines go
// and others come.
type splice struct {
	at, gone int
	lines    []string
}

func spliceOf(v tape.Value) *splice {
	s := &splice{at: v.Get("startLine").Int(), gone: v.Get("deleteCount").Int()}
	v.Get("lines").Items(func(l tape.Value) { s.lines = append(s.lines, l.Str()) })
	return s
}

func (s *splice) apply(base string) (string, error) {
	old := strings.Split(base, "\n")
	if s.at < 0 || s.gone < 0 || s.at > len(old) || s.gone > len(old)-s.at {
		return "", fmt.Errorf("the snapshot before has %d lines, the change begins at %d and takes %d", len(old), s.at, s.gone)
	}
	out := make([]string, 0, len(old)-s.gone+len(s.lines))
	out = append(append(append(out, old[:s.at]...), s.lines...), old[s.at+s.gone:]...)
	return strings.Join(out, "\n"), nil
}

// spliceDelta writes one splice of lines as a delta with signs, where the JSON
// names the lines it takes out and those it puts in. nil: it does not.
func spliceDelta(v tape.Value) []string {
	var out []string
	lines := func(sign string, keys ...string) bool {
		for _, k := range keys {
			x := v.Get(k)
			switch x.Kind() {
			case tape.Array:
				x.Items(func(l tape.Value) { out = append(out, sign+l.Str()) })
				return true
			case tape.String:
				for _, l := range strings.Split(x.Str(), "\n") {
					out = append(out, sign+l)
				}
				return true
			}
		}
		return false
	}
	removed := lines("- ", "removed", "removedLines", "delete", "deleted")
	added := lines("+ ", "added", "addedLines", "insert", "inserted")
	if !removed || !added || len(out) == 0 {
		return nil
	}
	return out
}

// stateReply reads browser-use's page text out of its state message.
func stateReply(r *Reply, text string) {
	r.Dialect = notation.Index
	from, to := 0, len(text)
	if i := strings.Index(text, "[Start of page]\n"); i >= 0 {
		from = i + len("[Start of page]\n")
		if j := strings.LastIndex(text, "\n[End of page]"); j >= from {
			to = j
		}
	} else if i := strings.Index(text, "Interactive elements:\n"); i >= 0 {
		from = i + len("Interactive elements:\n")
		if j := strings.LastIndex(text, "\n</browser_state>"); j >= from {
			to = j
		}
	} else {
		return
	}
	pageLines(r, text[:from])
	for from < to && text[from] == '\n' { // blank lines around it are the agent's
		from++
	}
	for to > from && text[to-1] == '\n' {
		to--
	}
	take(r, text, from, to)
}
