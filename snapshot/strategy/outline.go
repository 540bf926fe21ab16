package strategy

import (
	"strconv"
	"strings"

	"snapscope/snapshot"
)

// An outline is a snapshot's text read line by line: what each line is, what it
// hangs below, which element it shows. It is all that the strategies which pick
// lines need, it never fails, and a line it cannot read is simply other text.
// It also reads the handles of agent-browser and chrome-devtools trees.

type lineKind uint8

const (
	otherLine lineKind = iota // nothing a tree is made of; blank lines too
	nodeLine                  // - role "name" [states] [ref=e1]
	textLine                  // - text: …
	propLine                  // - /url: …
)

// outlineLine is one line of an outline.
type outlineLine struct {
	kind   lineKind
	indent int
	parent int    // the node line it hangs below; -1: none
	end    int    // the line after its subtree
	role   string // of a node
	name   string // of a node, as it is written, without the quotes
	ref    string // the handle; empty: none
	attrs  []string
	keyEnd int // where the key ends: a colon and the value may follow
}

type outline struct {
	text  []string
	lines []outlineLine
	refs  int // lines with a ref
}

func readOutline(text string) *outline {
	o := &outline{text: strings.Split(text, "\n")}
	o.lines = make([]outlineLine, len(o.text))
	var above []int // the node lines that are open, outermost first
	last := -1
	for i, raw := range o.text {
		l := readLine(raw)
		switch l.kind {
		case otherLine:
			l.parent, l.end = last, i+1
			o.lines[i] = l
			continue
		case nodeLine:
			if l.ref != "" {
				o.refs++
			}
		}
		for len(above) > 0 && o.lines[above[len(above)-1]].indent >= l.indent {
			o.lines[above[len(above)-1]].end = i
			above = above[:len(above)-1]
		}
		l.parent, l.end = -1, i+1
		if len(above) > 0 {
			l.parent = above[len(above)-1]
		}
		o.lines[i] = l
		if l.kind == nodeLine {
			above = append(above, i)
			last = i
		}
	}
	for _, i := range above {
		o.lines[i].end = len(o.lines)
	}
	return o
}

// value is what stands after the key's colon; empty where there is nothing.
func (o *outline) value(i int) string {
	v, _ := strings.CutPrefix(o.text[i][o.lines[i].keyEnd:], ":")
	return strings.TrimSpace(v)
}

// key is a line up to the end of its key.
func (o *outline) key(i int) string { return o.text[i][:o.lines[i].keyEnd] }

// readLine reads one line alone.
func readLine(raw string) outlineLine {
	l := outlineLine{keyEnd: len(raw)}
	for l.indent < len(raw) && (raw[l.indent] == ' ' || raw[l.indent] == '\t') {
		l.indent++
	}
	body := raw[l.indent:]
	if uid, ok := strings.CutPrefix(body, "uid="); ok {
		return readUID(l, uid)
	}
	body, ok := strings.CutPrefix(body, "- ")
	if !ok || body == "" {
		return l
	}
	at := l.indent + 2
	if body[0] == '/' {
		l.kind = propLine
		if c := strings.IndexByte(body, ':'); c >= 0 {
			l.role, l.keyEnd = body[:c], at+c
		}
		return l
	}
	key, quoted := body, false
	if body[0] == '\'' {
		if end := quotedEnd(body); end > 0 {
			key, quoted = strings.ReplaceAll(body[1:end], "''", "'"), true
			l.keyEnd = at + end + 1
		}
	}
	n := l.readKey(key)
	if l.role == "" {
		return l
	}
	if !quoted {
		l.keyEnd = at + n
	}
	l.kind = nodeLine
	if l.role == "text" && l.ref == "" && strings.HasPrefix(raw[l.keyEnd:], ":") {
		l.kind = textLine
	}
	return l
}

// quotedEnd finds the quote that closes a key that begins with one.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			i++
			continue
		}
		return i
	}
	return -1
}

// readKey reads role, name and attributes and answers how far it came.
func (l *outlineLine) readKey(key string) int {
	n := 0
	for n < len(key) && (key[n] >= 'a' && key[n] <= 'z' || key[n] >= 'A' && key[n] <= 'Z' || key[n] == '-' && n > 0) {
		n++
	}
	if n == 0 || n < len(key) && key[n] != ' ' && key[n] != ':' && key[n] != '\r' {
		return 0
	}
	l.role = key[:n]
	if name, end, ok := readName(key[n:]); ok {
		l.name = name
		n += end
	}
	for strings.HasPrefix(key[n:], " [") {
		end := strings.IndexByte(key[n:], ']')
		if end < 0 {
			break
		}
		for a := range strings.SplitSeq(key[n+2:n+end], ", ") {
			if ref, ok := strings.CutPrefix(a, "ref="); ok && l.ref == "" {
				l.ref = ref
			} else {
				l.attrs = append(l.attrs, a)
			}
		}
		n += end + 1
	}
	return n
}

// readName reads ` "name"` or ` /pattern/` and answers its end.
func readName(s string) (name string, end int, ok bool) {
	if len(s) < 3 || s[0] != ' ' || s[1] != '"' && s[1] != '/' {
		return "", 0, false
	}
	quote := s[1]
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			if quote == '/' && i+1 < len(s) && s[i+1] != ' ' && s[i+1] != ':' {
				continue
			}
			return s[2:i], i + 1, true
		}
	}
	return "", 0, false
}

// readUID reads a chrome-devtools line: uid=1_21 checkbox "Select" checked.
func readUID(l outlineLine, body string) outlineLine {
	ref, rest, _ := strings.Cut(body, " ")
	l.kind, l.ref = nodeLine, ref
	role, _, _ := strings.Cut(rest, " ")
	l.role = role
	if name, _, ok := readName(strings.TrimPrefix(rest, role)); ok {
		l.name = name
	}
	return l
}

// has reports whether a node has an attribute: "active", "cursor=pointer".
func (l *outlineLine) has(attr string) bool {
	for _, a := range l.attrs {
		if a == attr {
			return true
		}
	}
	return false
}

// box is the element's [box=x,y,w,h], where it was asked for.
func (l *outlineLine) box() (b snapshot.Box, ok bool) {
	for _, a := range l.attrs {
		v, found := strings.CutPrefix(a, "box=")
		if !found {
			continue
		}
		parts := strings.Split(v, ",")
		if len(parts) != 4 {
			return b, false
		}
		var n [4]int
		for i, p := range parts {
			f, err := strconv.ParseFloat(p, 64)
			if err != nil {
				return b, false
			}
			n[i] = int(f)
		}
		return snapshot.Box{X: n[0], Y: n[1], W: n[2], H: n[3]}, true
	}
	return b, false
}
