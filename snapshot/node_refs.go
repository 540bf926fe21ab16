package snapshot

import "strings"

// RefAt is one ref in a text.
type RefAt struct {
	Ref        string
	Line       int // 0-based
	Start, End int // bytes of Ref in the text
}

// Refs lists the refs of a text in order, by a scan that builds no tree. In
// aria text only the ref of a line's own element counts: "[ref=e9]" inside a
// name or a text is what the page says, not a handle. A line that is no aria
// line (a diff's line, another notation) may hold several.
func Refs(text string, d Dialect) []RefAt {
	var out []RefAt
	for line, at := 0, 0; at <= len(text); line++ {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at
		}
		lineRefs(text[at:end], d, func(start, stop int) {
			out = append(out, RefAt{text[at+start : at+stop], line, at + start, at + stop})
		})
		at = end + 1
	}
	return out
}

// RefLines maps each ref of a text to its first line, 0-based.
func RefLines(text string, d Dialect) map[string]int {
	refs := Refs(text, d)
	out := make(map[string]int, len(refs))
	for _, r := range refs {
		if _, ok := out[r.Ref]; !ok {
			out[r.Ref] = r.Line
		}
	}
	return out
}

// LineRef is the ref of one aria line's own element, "" where it has none.
func LineRef(line string) string {
	ref := ""
	if key, ok := ariaKey(line); ok {
		keyRef(line, key, func(a, b int) { ref = line[a:b] })
	}
	return ref
}

func lineRefs(line string, d Dialect, found func(start, end int)) {
	switch d {
	case UID:
		scanMark(line, "uid=", found)
	case Index:
		indexRefs(line, found)
	default:
		if key, ok := ariaKey(line); ok && d != AgentBrowser {
			keyRef(line, key, found)
			return
		}
		scanMark(line, "ref=", found)
	}
}

// ariaKey answers where the key of an aria line begins.
func ariaKey(line string) (int, bool) {
	i := Indent(line)
	if !strings.HasPrefix(line[i:], "- ") {
		return 0, false
	}
	i += 2
	if i < len(line) && line[i] == '\'' {
		i++
	}
	return i, true
}

// keyRef finds the ref among the brackets of the key at i.
func keyRef(line string, i int, found func(start, end int)) {
	for i < len(line) && line[i] != ' ' && line[i] != ':' {
		i++ // the role
	}
	if strings.HasPrefix(line[i:], ` "`) {
		i = skipString(line, i+1)
	} else if strings.HasPrefix(line[i:], " /") {
		if j := strings.Index(line[i:], "/ ["); j > 0 {
			i += j + 1
		}
	}
	for strings.HasPrefix(line[i:], " [") {
		end := strings.IndexByte(line[i:], ']')
		if end < 0 {
			return
		}
		if strings.HasPrefix(line[i:], " [ref=") {
			found(i+len(" [ref="), i+end)
			return
		}
		i += end + 1
	}
}

// skipString answers the byte behind the JSON string that begins at i.
func skipString(line string, i int) int {
	for i++; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(line)
}

// scanMark finds every "ref=e12" or "uid=1_2" that stands at the start of a
// word, outside of quoted strings.
func scanMark(line, mark string, found func(start, end int)) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == mark[0] && strings.HasPrefix(line[i:], mark) && (i == 0 || !word(line[i-1])):
			start := i + len(mark)
			end := start
			for end < len(line) && word(line[end]) {
				end++
			}
			if end > start {
				found(start, end)
			}
			i = end - 1
		}
	}
}

// indexRefs finds the "[12]<button" marks of browser-use, "*[12]<" for a new one.
func indexRefs(line string, found func(start, end int)) {
	i := strings.IndexByte(line, '[')
	if i < 0 || strings.Trim(line[:i], " \t*|") != "" {
		return
	}
	end := strings.IndexByte(line[i:], ']')
	if end < 2 {
		return
	}
	for _, c := range []byte(line[i+1 : i+end]) {
		if c < '0' || c > '9' {
			return
		}
	}
	found(i+1, i+end)
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
