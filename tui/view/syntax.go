package view

import (
	"strings"
)

// Part is one piece of a snapshot line with what it is.
type Part struct {
	From, To int // bytes of the line
	Kind     PartKind
}

type PartKind uint8

const (
	partText PartKind = iota
	PartBullet
	PartRole
	PartName
	PartState
	PartRef
	PartValue
)

// LineParts takes a line of an aria snapshot apart for drawing. It never fails:
// what is not in the notation is text. buf is reused.
//
//   - button "Save" [disabled] [ref=e5]: text
//     role   name   state      ref       value
func LineParts(line string, buf []Part) []Part {
	buf = buf[:0]
	i := IndentOf(line)
	if !strings.HasPrefix(line[i:], "- ") {
		return append(buf, Part{0, len(line), partText})
	}
	buf = append(buf, Part{i, i + 2, PartBullet})
	i += 2
	if i < len(line) && (line[i] == '\'' || line[i] == '"') { // a quoted key
		i++
	}
	start := i
	for i < len(line) && (isWordByte(line[i]) || line[i] == '/' || line[i] == '-') {
		i++
	}
	buf = append(buf, Part{start, i, PartRole})
	for i < len(line) {
		switch line[i] {
		case ' ':
			i++
		case '"':
			end := quoteEnd(line, i)
			buf = append(buf, Part{i, end, PartName})
			i = end
		case '[':
			end := strings.IndexByte(line[i:], ']')
			if end < 0 {
				return append(buf, Part{i, len(line), partText})
			}
			kind := PartState
			if strings.HasPrefix(line[i:], "[ref=") {
				kind = PartRef
			}
			buf = append(buf, Part{i, i + end + 1, kind})
			i += end + 1
		case ':':
			if i+1 < len(line) {
				buf = append(buf, Part{i + 1, len(line), PartValue})
			}
			return buf
		default:
			return append(buf, Part{i, len(line), PartValue})
		}
	}
	return buf
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}

// quoteEnd is the byte after the closing quote of the name that begins at i.
func quoteEnd(line string, i int) int {
	for j := i + 1; j < len(line); j++ {
		switch line[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(line)
}

// RoleOf and nameOf are the role and the unquoted name of a snapshot line.
func RoleOf(line string) string {
	for _, p := range LineParts(line, nil) {
		if p.Kind == PartRole {
			return line[p.From:p.To]
		}
	}
	return ""
}

func NameOf(line string) string {
	for _, p := range LineParts(line, nil) {
		if p.Kind == PartName {
			s := strings.TrimSuffix(strings.TrimPrefix(line[p.From:p.To], `"`), `"`)
			return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s)
		}
	}
	return ""
}

// wordSpan is a run of bytes that differs from another line.
type wordSpan struct{ From, To int }

// WordDiff finds the words of now that are not in was, in order: what a person
// would point at. Long lines are compared by their common ends only.
func WordDiff(was, now string) []wordSpan {
	a, b := words(was), words(now)
	pre := 0
	for pre < len(a) && pre < len(b) && text(was, a[pre]) == text(now, b[pre]) {
		pre++
	}
	post := 0
	for post < len(a)-pre && post < len(b)-pre && text(was, a[len(a)-1-post]) == text(now, b[len(b)-1-post]) {
		post++
	}
	a, b = a[pre:len(a)-post], b[pre:len(b)-post]
	if len(b) == 0 {
		return nil
	}
	if len(a) == 0 || len(a)*len(b) > 4096 {
		return []wordSpan{{b[0].From, b[len(b)-1].To}}
	}
	return notCommon(was, now, a, b)
}

func text(s string, w wordSpan) string { return s[w.From:w.To] }

// notCommon lists the words of b outside the longest common row of words.
func notCommon(was, now string, a, b []wordSpan) []wordSpan {
	n, m := len(a), len(b)
	l := make([]int16, (n+1)*(m+1))
	at := func(i, j int) int { return i*(m+1) + j }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if text(was, a[i]) == text(now, b[j]) {
				l[at(i, j)] = l[at(i+1, j+1)] + 1
			} else {
				l[at(i, j)] = max(l[at(i+1, j)], l[at(i, j+1)])
			}
		}
	}
	var out []wordSpan
	i, j := 0, 0
	for j < m {
		switch {
		case i < n && text(was, a[i]) == text(now, b[j]):
			i, j = i+1, j+1
		case i < n && l[at(i+1, j)] >= l[at(i, j+1)]:
			i++
		default:
			if k := len(out); k > 0 && strings.TrimSpace(now[out[k-1].To:b[j].From]) == "" {
				out[k-1].To = b[j].To
			} else {
				out = append(out, b[j])
			}
			j++
		}
	}
	return out
}

// words cuts a line into runs of word bytes, bracketed states and single signs;
// blanks only part them.
// Bytes over 0x7f count as word bytes, so no character is cut in two.
func words(s string) []wordSpan {
	var out []wordSpan
	for i := 0; i < len(s); {
		j := i + 1
		switch {
		case wordByte(s[i]):
			for j < len(s) && wordByte(s[j]) {
				j++
			}
		case s[i] == '[': // a state or ref is one word
			if k := strings.IndexByte(s[i:], ']'); k > 0 {
				j = i + k + 1
			}
		case s[i] == ' ':
			for j < len(s) && s[j] == ' ' {
				j++
			}
			i = j
			continue
		}
		out = append(out, wordSpan{i, j})
		i = j
	}
	return out
}

func wordByte(b byte) bool { return isWordByte(b) || b >= 0x80 }
