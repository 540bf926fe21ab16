package ledger

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"snapscope/session"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/wording"
)

// Moved is an act on a ref that meant another element by then than the one that the
// agent had read for it.
type Moved struct {
	Step int    `json:"step"`
	Ref  string `json:"ref"`
	Read string `json:"read"` // role and name, as the agent read them last
	Now  string `json:"now"`
	From string `json:"from"` // what says so: code, the answer's own; page, a newer one that the agent had not read
}

// Misnamed is an act on an element that the agent called something that no word of what
// it had read has. It tells of a mistake now and then, and is never counted.
type Misnamed struct {
	Step int    `json:"step"`
	Ref  string `json:"ref"`
	Said string `json:"said"`
	Read string `json:"read"`
}

// misled tells what the acts of a session, as it was sent, met.
type misled struct {
	h   *history
	end int // the last event that counts
	rep *Report
}

// compare compares what the agent read for the ref of an act with what it was by then;
// from is the item that showed it last.
func (m misled) compare(s *session.Step, w want, document, from int) {
	if w.ref == "" || from < 0 {
		return
	}
	it := &m.h.items[from]
	page := m.h.reading(it)
	n := w.line(page)
	if n < 0 {
		return
	}
	line := page.Line(n)
	read := identity{role: line.Role, name: line.Name()}
	if said := s.Action.Text("element"); a0(s.Action, w) && misnames(said, page, n, read) {
		m.rep.Misnamed = append(m.rep.Misnamed, Misnamed{s.N, w.ref, said, read.String()})
	}
	now, by := m.isNow(s, w, document, it, read)
	if by != "" {
		m.rep.Moved = append(m.rep.Moved, Moved{s.N, w.ref, read.String(), now.String(), by})
	}
}

// a0 reports that an element is the one that an action names first, which its words
// and the answer's code are of.
func a0(a *session.Action, w want) bool { return a.Target != nil && a.Target.Ref == w.ref }

// isNow is what the ref meant when the act came, where that is another element than was
// read: by the code that the answer names, else by the newest page before the act, which
// the agent had not been given. by is "" where nothing says so.
func (m misled) isNow(s *session.Step, w want, document int, it *item, read identity) (now identity, by string) {
	if a0(s.Action, w) {
		if now, exact, ok := located(s.Result.Text); ok {
			if now.other(read, exact) {
				return now, "code"
			}
			return now, ""
		}
	}
	for i := len(m.h.items) - 1; i >= 0; i-- {
		x := &m.h.items[i]
		if x == it || x.snap >= 0 && it.snap >= x.snap {
			break
		}
		if x.snap < 0 || x.document != document || countsAnew(m.h.t.Snaps[x.snap].Snap.Dialect) || m.h.t.Snaps[x.snap].Snap.Partial {
			continue
		}
		page := m.h.page(x)
		if n := w.line(page); n >= 0 {
			line := page.Line(n)
			now = identity{role: line.Role, name: line.Name()}
			if now != read {
				return now, "page"
			}
		}
		break
	}
	return now, ""
}

// other reports that an element located by role and name is not the one that was read.
// Code may name a part of a long name, which is no other one unless it says exact.
func (i identity) other(read identity, exact bool) bool {
	if i.role != read.role {
		return true
	}
	a, b := wording.OneLine(strings.ToLower(i.name), 1000), wording.OneLine(strings.ToLower(read.name), 1000)
	return a != "" && b != "" && a != b && (exact || !strings.Contains(b, a))
}

func (i identity) String() string {
	if i.name == "" {
		return i.role
	}
	q, err := json.Marshal(i.name)
	if err != nil {
		return i.role
	}
	return i.role + " " + string(q)
}

// located reads the locator that a Playwright server says it used: the one of the code
// at the head of its answer, where that names a role. Nothing of the page stands before
// it, and what stands in its strings is skipped.
func located(text string) (is identity, exact, ok bool) {
	head, rest, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	code, fenced := strings.CutPrefix(rest, "```js\n")
	if !fenced || !strings.HasPrefix(head, "### Ran ") && !strings.HasPrefix(head, "- Ran ") {
		return is, false, false
	}
	if code, _, fenced = strings.Cut(code, "\n```"); !fenced {
		return is, false, false
	}
	for line := range strings.SplitSeq(code, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			is, exact, ok = locator(line, is, exact, ok)
		}
	}
	return is, exact, ok
}

// locator reads one line of code: the last locator of a chain names the element.
func locator(line string, is identity, exact, ok bool) (identity, bool, bool) {
	for i := 0; i < len(line); {
		rest := line[i:]
		switch {
		case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
			_, n := literal(rest)
			i += n
		case strings.HasPrefix(rest, "getByRole("):
			i += len("getByRole(")
			var n int
			is, exact = identity{}, false
			if is.role, n = literal(line[i:]); n == 0 {
				return is, false, false
			}
			ok = true
			i += n
			if more, has := strings.CutPrefix(line[i:], ", { name: "); has {
				i = len(line) - len(more)
				is.name, n = literal(more)
				i += n
				exact = strings.HasPrefix(line[i:], ", exact: true")
			}
		case strings.HasPrefix(rest, "getBy"), strings.HasPrefix(rest, "locator("):
			ok = false
			i += len("getBy")
		default:
			i++
		}
	}
	return is, exact, ok
}

// literal is the string that a text of code begins with, and its length; 0 none.
func literal(code string) (value string, n int) {
	if code == "" || strings.IndexByte("'\"`", code[0]) < 0 {
		return "", 0
	}
	var b strings.Builder
	for i := 1; i < len(code); i++ {
		switch code[i] {
		case code[0]:
			return b.String(), i + 1
		case '\\':
			if i++; i < len(code) {
				b.WriteByte(code[i])
			}
		default:
			b.WriteByte(code[i])
		}
	}
	return b.String(), len(code)
}

// misnames reports that what an agent calls an element has no word of what it had read
// for it: its name, its value, its role, and what stands below it and around it.
func misnames(said string, page *notation.Text, n int, read identity) bool {
	if read.name == "" || said == "" {
		return false
	}
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	has := map[string]bool{}
	note := func(i int) {
		l := page.Line(i)
		for _, w := range words(l.Name() + " " + l.Value()) {
			has[w] = true
		}
	}
	for i := n; i < page.End(n) && i < n+around; i++ {
		note(i)
	}
	for i, up := page.Parent(n), 0; i >= 0 && up < around; i, up = page.Parent(i), up+1 {
		note(i)
	}
	all := slices.DeleteFunc(words(said), func(w string) bool { return kindsOfThings[w] || strings.Contains(read.role, w) })
	return len(all) > 0 && !slices.ContainsFunc(all, func(w string) bool { return has[w] })
}

// kindsOfThings are words that name what sort of thing an element is, and not which.
var kindsOfThings = map[string]bool{
	"a": true, "an": true, "the": true, "in": true, "of": true, "on": true, "first": true, "second": true, "last": true, "element": true, "button": true, "link": true,
	"field": true, "box": true, "icon": true, "input": true, "menu": true, "tab": true, "option": true, "row": true, "cell": true, "item": true, "frame": true, "dropdown": true,
}

// acting are the verbs that are meant to change something on the page.
var acting = map[session.Verb]bool{
	session.VerbClick: true, session.VerbDblClick: true, session.VerbFill: true, session.VerbType: true, session.VerbPress: true,
	session.VerbCheck: true, session.VerbUncheck: true, session.VerbSelect: true, session.VerbDrag: true, session.VerbUpload: true,
}

// noEffect reports that the act of step i was answered as done and changed nothing that
// is known: the page after it, and the one that was only read again after that, is the
// one before it but for its refs and the focus, and nothing is told besides.
func (m misled) noEffect(i int) bool {
	t := m.h.t
	s := &t.Steps[i]
	if !acting[s.Action.Verb] || !s.Result.OK || s.Action.Person || len(s.Result.Console)+len(s.Result.Events) > 0 {
		return false
	}
	before := -1
	for k := i - 1; k >= 0; k-- {
		if before = t.Steps[k].Snap; before >= 0 || acting[t.Steps[k].Action.Verb] || t.Steps[k].Action.Verb.Navigates() {
			break
		}
	}
	after := s.Snap
	for k := i + 1; k < len(t.Steps) && t.Steps[k].ResultSeq <= m.end; k++ {
		next := &t.Steps[k]
		if v := next.Action.Verb; v != session.VerbSnapshot && v != session.VerbWait || len(next.Result.Console)+len(next.Result.Events) > 0 {
			break
		}
		if next.Snap >= 0 && after >= 0 && !m.samePage(after, next.Snap) {
			return false // it took its time
		}
		after = max(after, next.Snap)
	}
	return before >= 0 && after >= 0 && m.samePage(before, after)
}

// samePage reports that two snapshots are of one page that nothing changed.
func (m misled) samePage(i, k int) bool {
	a, b := &m.h.t.Snaps[i], &m.h.t.Snaps[k]
	x, y := a.Snap, b.Snap
	if a.Document != b.Document || x.Partial || y.Partial || x.URL != y.URL || x.Title != y.Title || x.Tab != y.Tab || x.Dialect != y.Dialect {
		return false
	}
	if x.Hash == y.Hash {
		return x.Text != "" || y.Text == ""
	}
	if strings.Count(x.Text, "\n") != strings.Count(y.Text, "\n") {
		return false
	}
	p, q := x.Text, y.Text
	for p != "" || q != "" {
		var a, b string
		a, p, _ = strings.Cut(p, "\n")
		b, q, _ = strings.Cut(q, "\n")
		if a != b && bare(a, x.Dialect) != bare(b, x.Dialect) {
			return false
		}
	}
	return true
}

// bare is a line without what may change while the page does not: its ref, the focus.
func bare(line string, d notation.Dialect) string {
	line = notation.WithRef(line, "e0", d)
	if d == "" || d == notation.Aria {
		if without, ok := notation.DropAttr(line, "active"); ok {
			return without
		}
	}
	return line
}

// troubles are those of acts that the page did not answer as the agent meant.
func (m misled) troubles() (out []Trouble) {
	for _, x := range m.rep.Moved {
		by := "the answer's code names it so"
		if x.From == "page" {
			by = "a newer page, which it was not given, says so"
		}
		out = append(out, Trouble{x.Step, TroubleMoved, x.Ref, fmt.Sprintf("%s was %s when the agent read it, and %s when it acted on it: %s", x.Ref, x.Read, x.Now, by)})
	}
	for i := range m.h.t.Steps {
		s := &m.h.t.Steps[i]
		if s.ResultSeq > m.end {
			break
		}
		if m.noEffect(i) {
			m.rep.NoEffect = append(m.rep.NoEffect, s.N)
			out = append(out, Trouble{s.N, TroubleNoEffect, "", "the call was answered as done, but nothing changed on the page"})
		}
	}
	slices.SortStableFunc(out, func(a, b Trouble) int { return cmp.Compare(a.Step, b.Step) })
	return out
}

// misnamed says what the agent called otherwise than it had read it; "" nothing.
func (r *Report) misnamed() string {
	if r == nil || len(r.Misnamed) == 0 {
		return ""
	}
	x := r.Misnamed[0]
	says := fmt.Sprintf("step %d calls %s “%s”, and had read %s", x.Step, plain(x.Ref), plain(cut(x.Said, longestName)), plain(cut(x.Read, longestName)))
	if n := len(r.Misnamed) - 1; n > 0 {
		says += fmt.Sprintf(" (and %d more such acts)", n)
	}
	return says
}
