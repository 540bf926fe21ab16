package reply

import (
	"strings"

	"snapscope/snapshot/notation"
)

// Parse takes an answer of any known server apart. One scan over its lines
// serves Playwright MCP's layouts, fast-playwright and chrome-devtools-mcp; what
// bears no headings is looked at for the others.
func Parse(text string) Reply {
	end := besideReminders(text)
	r := parse(text[:end])
	if rest := text[end:]; r.Found {
		r.After += rest
	} else {
		r.Before += rest
	}
	return r
}

// besideReminders is where a text ends without the reminders that Claude Code writes
// behind an answer, such as how many tokens are left.
func besideReminders(text string) int {
	end := len(text)
	for {
		t := strings.TrimRight(text[:end], " \r\n")
		at := -1
		if strings.HasSuffix(t, "</system-reminder>") {
			at = strings.LastIndex(t, "<system-reminder>")
		}
		if at < 0 || at > 0 && text[at-1] != '\n' {
			return end
		}
		end = at
	}
}

func parse(text string) Reply {
	s := scanner{Reply: Reply{Tab: -1, Dialect: notation.Aria}, text: text}
	s.run()
	r := &s.Reply
	if c := s.changes; !r.Found && c[1] > c[0] && notation.NextMark(text[c[0]:c[1]], 0, notation.Aria) >= 0 {
		s.take(c[0], c[1])
		r.Part, r.foreign = true, true
	}
	if !r.Found && r.Link == "" {
		plainReply(r, text)
	}
	if !r.Found {
		r.Before, r.Snap, r.After = text, "", ""
		return *r
	}
	if r.Dialect == notation.Aria && !r.Part {
		r.Part = isIncremental(r.Snap)
	}
	return *r
}

// scanner walks over the lines of an answer, past its fences.
type scanner struct {
	Reply
	text    string
	at      int
	section string
	armed   bool   // a snapshot's fence is to follow
	changes [2]int // the diff that stands in place of a snapshot, where there is none
}

func holdsSnapshotWord(text string) bool { return strings.Contains(text, "snapshot") }

func (s *scanner) run() {
	for s.at < len(s.text) {
		end := lineEndAt(s.text, s.at)
		line := strings.TrimSuffix(s.text[s.at:end], "\r")
		next := min(end+1, len(s.text))
		switch {
		case strings.HasPrefix(line, "```"):
			s.fence(line, next)
			continue
		case strings.HasPrefix(line, "#"):
			s.heading(line)
			if s.section == "latest page snapshot" || s.section == "page content" {
				s.uids(next)
			}
		case s.Found && (isTreeLine(line) && notation.Indent(line) > 0):
		default:
			s.line(line)
		}
		if s.at < next {
			s.at = next
		}
	}
}

func (s *scanner) heading(line string) {
	s.section = strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
	s.armed = s.section == "snapshot" || s.section == "page snapshot"
	s.Modal = s.Modal || s.section == "modal state"
}

// fence steps over a fenced block, or takes it as the snapshot.
func (s *scanner) fence(line string, next int) {
	body := s.text[next:]
	if !s.Found && (s.armed || (strings.HasPrefix(line, "```yaml") && looksLikeTree(body))) {
		n, closed := closingFence(body)
		s.take(next, next+len(strings.TrimRight(body[:n], "\r\n")))
		s.Cut = !closed
		s.at = next + n
		s.at = min(lineEndAt(s.text, s.at)+1, len(s.text))
		s.armed = false
		return
	}
	s.at = next
	defer func() {
		if s.section == "changes from previous response" {
			s.changes = [2]int{next, max(next, strings.LastIndex(s.text[:s.at], "\n```"))}
		}
	}()
	for s.at < len(s.text) { // a block of code: to the next line that closes it
		end := lineEndAt(s.text, s.at)
		closes := strings.TrimRight(s.text[s.at:end], " \r") == "```"
		s.at = min(end+1, len(s.text))
		if closes {
			return
		}
	}
}

// looksLikeTree reports whether a fence that nothing announced holds a tree: one
// of its first lines shows an element.
func looksLikeTree(body string) bool {
	for range 20 {
		line, rest, more := strings.Cut(body, "\n")
		line = strings.TrimSuffix(line, "\r")
		l := notation.ReadLine(line, notation.Aria)
		if l.Ref != "" || l.Kind == notation.ChangedLine {
			return true
		}
		if !isTreeLine(line) || !more {
			return false
		}
		body = rest
	}
	return false
}

func (s *scanner) uids(next int) {
	if start, end, ok := findUIDs(s.text, next); ok && !s.Found {
		s.Dialect = notation.UID
		s.take(start, end)
		s.uidPage()
		s.at = min(lineEndAt(s.text, end)+1, len(s.text))
	}
}

// uidPage reads the page's name off the root line.
func (s *scanner) uidPage() {
	root := notation.ReadLine(firstLine(s.Snap), notation.UID)
	if root.Role == "RootWebArea" {
		s.Title = root.Name()
		s.URL, _ = root.Attr("url")
	}
}

func (s *scanner) take(from, to int) {
	s.Found, s.announced = true, true
	s.Before, s.Snap, s.After = s.text[:from], s.text[from:to], s.text[to:]
}

// line reads one line outside fences.
func (s *scanner) line(line string) {
	switch key, value := labelled(line); key {
	case "page url":
		if s.URL == "" || !s.named() {
			s.URL = value
		}
		return
	case "page title":
		if s.Title == "" || !s.named() {
			s.Title = value
		}
		return
	case "page snapshot":
		s.armed = true
		return
	}
	if rest, ok := strings.CutPrefix(line, "- [Snapshot]("); ok {
		s.Link, _, _ = strings.Cut(rest, ")")
		return
	}
	item, isItem := strings.CutPrefix(line, "- ")
	switch s.section {
	case "open tabs", "result":
		s.openTab(line)
	case "pages":
		s.page(line)
	case "error":
		if s.Error == "" && strings.TrimSpace(line) != "" {
			s.Error = strings.TrimPrefix(line, "Error: ")
		}
	case "new console messages", "console messages", "recent console messages":
		if isItem {
			s.Console = append(s.Console, item)
		}
	case "events", "modal state", "downloads":
		if isItem {
			s.Events = append(s.Events, item)
		}
	}
}

// named reports whether the current tab has told its URL: then the page
// section is not believed, which names the first tab in some versions.
func (s *scanner) named() bool { return s.Tab >= 0 }

// labelled splits "- Page URL: x", "- **Page URL:** x" and "Page URL: x".
func labelled(line string) (key, value string) {
	s := strings.TrimPrefix(line, "- ")
	s = strings.TrimPrefix(s, "**")
	if !strings.HasPrefix(s, "Page ") {
		return "", ""
	}
	key, value, _ = strings.Cut(s, ":")
	key = strings.ToLower(strings.TrimRight(key, " *"))
	return key, strings.TrimSpace(strings.TrimPrefix(value, "**"))
}

// openTab reads "- 1: (current) [Title](url)"; older servers leave a space
// before the parenthesis.
func (s *scanner) openTab(line string) {
	n, rest, ok := numbered(strings.TrimPrefix(line, "- "))
	if !ok {
		return
	}
	rest, current := strings.CutPrefix(rest, "(current) ")
	if !current {
		return
	}
	s.Tab = n
	s.Title, s.URL = "", ""
	if i := strings.LastIndex(rest, "("); i >= 0 && strings.HasPrefix(rest, "[") {
		s.URL = strings.TrimSuffix(rest[i+1:], ")")
		s.Title = strings.TrimSuffix(strings.TrimSpace(rest[1:i]), "]")
	}
}

// page reads chrome-devtools-mcp's "2: Title (url) [selected]".
func (s *scanner) page(line string) {
	n, rest, ok := numbered(line)
	if !ok {
		return
	}
	rest, current := strings.CutSuffix(rest, " [selected]")
	if !current {
		return
	}
	s.Tab = n
	if i := strings.LastIndex(rest, " ("); i >= 0 {
		s.Title, s.URL = rest[:i], strings.TrimSuffix(rest[i+2:], ")")
	} else {
		s.Title, s.URL = "", rest
	}
}

func numbered(line string) (n int, rest string, ok bool) {
	i := 0
	for i < len(line) && line[i] >= '0' && line[i] <= '9' && i < 6 {
		n = n*10 + int(line[i]-'0')
		i++
	}
	if i == 0 || !strings.HasPrefix(line[i:], ": ") {
		return 0, "", false
	}
	return n, line[i+2:], true
}

// The placeholders that stand where a result was cleared.
var placeholders = []string{
	"[Browser snapshot expired - content cleared]",
	"[Old tool result content cleared]",
	"[Tool result cleared]",
	"[cleared to save context]",
}

func isPlaceholder(text string) bool {
	t := strings.TrimSpace(text)
	for _, p := range placeholders {
		if t == p {
			return true
		}
	}
	return false
}
