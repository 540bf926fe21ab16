package delta

import (
	"fmt"
	"strconv"
	"strings"

	"snapscope/snapshot/notation"
)

// The head of every delta and of its answer to a page that did not change. A
// text that begins otherwise is a full page.
const (
	deltaHead = "[page delta:"
	deltaSame = "[page unchanged]"
)

// isDelta reports a text that is a delta.
func isDelta(text string) bool {
	return strings.HasPrefix(text, deltaHead) || text == deltaSame || strings.HasPrefix(text, deltaSame+"\n")
}

// patch gives back the page that the strategy wrote delta for, from base, the
// lines of the page it was compared with. page is base as it is read, with the
// focus mark off where the delta moves it, or nil. The error names the delta's
// line that does not fit.
func patch(base []string, page *deltaPage, delta string) (string, error) {
	lines := strings.Split(delta, "\n")
	from := 1
	var focus []string
	moved := 0 // the delta's line that says where the focus went
	if len(lines) > from && strings.HasPrefix(lines[from], "focus ") {
		if to := lines[from][len("focus "):]; to != "none" {
			focus = strings.Fields(to)
		}
		from++
		moved = from
		base = withoutFocus(base)
	}
	if page == nil {
		page = newDeltaPage(base)
	}
	r := &deltaReader{page: page}
	if len(lines) > from && strings.HasPrefix(lines[from], deltaIndentSign) {
		shifts, err := readShifts(r.page, lines[from])
		if err == nil {
			base, err = r.page.shift(shifts)
		}
		from++
		if err != nil {
			return "", fmt.Errorf("delta line %d: %w", from, err)
		}
		r.page = newDeltaPage(base)
	}
	for i, l := range lines[from:] {
		if err := r.read(l); err != nil {
			return "", fmt.Errorf("delta line %d: %w", from+i+1, err)
		}
	}
	out := append(r.out, base[r.at:]...)
	if moved > 0 {
		if err := putFocus(out, focus); err != nil {
			return "", fmt.Errorf("delta line %d: %w", moved, err)
		}
	}
	return strings.Join(out, "\n"), nil
}

// deltaReader carries out a delta line by line.
type deltaReader struct {
	page  *deltaPage
	at    int // base lines before it are dealt with
	depth int // indent of new lines that stand directly at the place
	out   []string
}

func (r *deltaReader) read(l string) error {
	switch {
	case strings.HasPrefix(l, "@"):
		return r.place(l[1:])
	case strings.HasPrefix(l, "~"):
		return r.change(l[1:])
	case strings.HasPrefix(l, "="):
		return r.renumber(l[1:])
	case strings.HasPrefix(l, "+"), strings.HasPrefix(l, "  "):
		line, err := deltaUnfold(l[1:], r.depth)
		r.out = append(r.out, line)
		return err
	case strings.HasPrefix(l, "x "):
		start, end, ok := r.page.span(l[2:], r.at)
		if !ok || start < r.at {
			return fmt.Errorf("%q names nothing to remove", l)
		}
		r.jump(start)
		r.at = end
		return nil
	case strings.HasPrefix(l, "^ "):
		start, end, ok := r.page.span(l[2:], -1)
		if !ok {
			return fmt.Errorf("%q names nothing to move", l)
		}
		r.out = append(r.out, r.page.lines[start:end]...)
		return nil
	}
	return fmt.Errorf("%.40q has no sign", l)
}

// jump copies the unchanged lines up to base line to, which is where the next
// change is.
func (r *deltaReader) jump(to int) {
	r.out = append(r.out, r.page.lines[r.at:to]...)
	r.at = to
	if to < len(r.page.indent) {
		r.depth = max(0, r.page.indent[to])
	}
}

// place reads where the next change is: "e12 …" inside an element, "after e12 …"
// behind it and all below it, "line 12 …" behind that many lines; "+2" behind
// two more. A place that is passed already only tells the reader where he is.
func (r *deltaReader) place(s string) error {
	word, rest, _ := strings.Cut(s, " ")
	kind := ""
	if word == "after" || word == "line" {
		kind = word
		word, _, _ = strings.Cut(rest, " ")
	}
	word, more, plus := strings.Cut(word, "+")
	extra := 0
	if plus {
		n, err := strconv.Atoi(more)
		if err != nil || n < 0 {
			return fmt.Errorf("%q is no number of lines", more)
		}
		extra = n
	}
	to, depth, err := r.locate(kind, word)
	if err != nil {
		return err
	}
	to = max(to+extra, r.at)
	if to > len(r.page.lines) {
		return fmt.Errorf("%q is behind the page's end", s)
	}
	r.out = append(r.out, r.page.lines[r.at:to]...)
	r.at, r.depth = to, depth
	return nil
}

func (r *deltaReader) locate(kind, word string) (to, depth int, err error) {
	if kind == "line" {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return 0, 0, fmt.Errorf("%q is no line", word)
		}
		return n, 0, nil
	}
	i, ok := r.page.line(word)
	switch {
	case !ok:
		return 0, 0, fmt.Errorf("the page has no %q", word)
	case kind == "after":
		return r.page.end[i], r.page.indent[i], nil
	}
	return i + 1, r.page.indent[i] + 2, nil
}

// change replaces one line: the one of the ref named first ("~e12 button …"),
// else the one that shows the same element where that is still ahead, else the
// next one.
func (r *deltaReader) change(s string) error {
	n := 0
	for n < len(s) && s[n] != ' ' && s[n] != '|' && s[n] != ':' {
		n++
	}
	old, s := s[:n], s[n:]
	line, err := deltaUnfold(s, 0)
	if err != nil {
		return err
	}
	if old == "" {
		old = deltaRef(line)
	} else if i, ok := r.page.line(old); !ok || i < r.at {
		return fmt.Errorf("the page has no %q here to change", old)
	}
	if i, ok := r.page.line(old); ok && i >= r.at {
		r.jump(i)
	}
	if r.at >= len(r.page.lines) {
		return fmt.Errorf("%.40q changes a line behind the page's end", s)
	}
	if !strings.HasPrefix(s, "|") {
		line = strings.Repeat(" ", max(0, r.page.indent[r.at])) + line
	}
	r.out = append(r.out, line)
	r.at++
	return nil
}

// renumber gives lines new refs: " e12 → e90, e13 → e91".
func (r *deltaReader) renumber(s string) error {
	for pair := range strings.SplitSeq(strings.TrimPrefix(s, " "), ", ") {
		old, now, ok := strings.Cut(pair, " → ")
		i, found := r.page.line(old)
		if !ok || !found || i < r.at {
			return fmt.Errorf("%q gives no element here a new ref", pair)
		}
		r.jump(i)
		r.out = append(r.out, notation.WithRef(r.page.lines[i], now, notation.Aria))
		r.at++
	}
	return nil
}

// span reads a run of base lines: "e12" with all below it, "e12..e40" up to all
// below e40, "e12*3" three lines from e12, "3" three lines from next. What
// follows is for the reader.
func (p *deltaPage) span(s string, next int) (start, end int, ok bool) {
	word, _, _ := strings.Cut(s, " ")
	first, last, ranged := strings.Cut(word, "..")
	first, times, counted := strings.Cut(first, "*")
	n, err := strconv.Atoi(times)
	if !counted {
		if n, err = strconv.Atoi(first); err == nil && next >= 0 {
			return next, next + n, n > 0 && n <= len(p.lines)-next
		}
	}
	start, ok = p.line(first)
	if !ok {
		return 0, 0, false
	}
	switch {
	case counted:
		return start, start + n, err == nil && n > 0 && n <= len(p.lines)-start
	case ranged:
		i, ok := p.line(last)
		return start, p.end[max(i, 0)], ok && i >= start
	}
	return start, p.end[start], true
}

// deltaFold writes a new line behind its sign: without the dash and with its
// indent below depth; behind a colon where it has no dash but that indent; else
// behind a bar as it is.
func deltaFold(line string, depth int) string {
	body, dash := deltaBody(line)
	n := notation.Indent(line)
	switch {
	case dash && n >= depth && !strings.HasPrefix(body, " "):
		return strings.Repeat(" ", 1+n-depth) + body
	case !dash && n == depth && n < len(line):
		return ":" + line[n:]
	}
	return "|" + line
}

// deltaUnfold undoes deltaFold.
func deltaUnfold(s string, depth int) (string, error) {
	if raw, ok := strings.CutPrefix(s, "|"); ok {
		return raw, nil
	}
	if body, ok := strings.CutPrefix(s, ":"); ok {
		return strings.Repeat(" ", depth) + body, nil
	}
	body := strings.TrimLeft(s, " ")
	if len(body) == len(s) {
		return "", fmt.Errorf("%.40q has no space behind its sign", s)
	}
	return strings.Repeat(" ", depth+len(s)-len(body)-1) + "- " + body, nil
}
