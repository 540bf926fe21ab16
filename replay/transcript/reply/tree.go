package reply

import (
	"strings"
)

// lineRef is the ref of a tree line's own key: not one that stands in its name
// or its text. ok is false for a line without.
func lineRef(line string) (ref string, ok bool) {
	s := strings.TrimLeft(line, " ")
	rest, isItem := strings.CutPrefix(s, "- ")
	if !isItem {
		return "", false
	}
	rest = strings.TrimPrefix(rest, "<changed> ")
	if r, found := strings.CutPrefix(rest, "ref="); found { // - ref=e4 [unchanged]
		r, _, _ = strings.Cut(r, " ")
		return r, r != ""
	}
	rest = strings.TrimPrefix(rest, "'") // a key quoted whole
	i := strings.IndexAny(rest, " :[")
	if i < 0 || rest[i] == ':' {
		return "", false
	}
	rest = strings.TrimLeft(rest[i:], " ")
	if strings.HasPrefix(rest, `"`) {
		rest = rest[quotedEnd(rest):]
	} else if strings.HasPrefix(rest, "/") {
		if j := strings.Index(rest[1:], "/ ["); j >= 0 {
			rest = rest[j+2:]
		}
	}
	for {
		rest = strings.TrimLeft(rest, " ")
		if !strings.HasPrefix(rest, "[") {
			return "", false
		}
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return "", false
		}
		for _, attr := range strings.Split(rest[1:end], ",") {
			if r, found := strings.CutPrefix(strings.TrimSpace(attr), "ref="); found {
				return r, true
			}
		}
		rest = rest[end+1:]
	}
}

// quotedEnd is where the JSON string at the start of s ends.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

func indentOf(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// isTreeLine reports whether a line can be one of a tree.
func isTreeLine(line string) bool {
	n := indentOf(line)
	return strings.HasPrefix(line[n:], "- ") && len(line) > n+2
}

// findTree finds a bare tree: the run of tree lines around the first ref.
// start and end are byte offsets; end is without the final newline.
func findTree(text string) (start, end int, ok bool) {
	at := 0
	for {
		i := strings.Index(text[at:], "ref=")
		if i < 0 {
			return 0, 0, false
		}
		at += i
		if at > 0 && (text[at-1] == '[' || text[at-1] == ' ') {
			lineStart := strings.LastIndexByte(text[:at], '\n') + 1
			lineEnd := lineEndAt(text, at)
			if line := text[lineStart:lineEnd]; isTreeLine(line) {
				if _, has := lineRef(line); has {
					start, end = grow(text, lineStart, lineEnd)
					return start, end, true
				}
			}
			at = lineEnd // a line is judged once
			continue
		}
		at += 4
	}
}

func lineEndAt(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// grow widens a line to the tree lines before and after it.
func grow(text string, start, end int) (int, int) {
	for start > 0 {
		prev := strings.LastIndexByte(text[:start-1], '\n') + 1
		if !isTreeLine(text[prev : start-1]) {
			break
		}
		start = prev
	}
	for end < len(text) {
		next := lineEndAt(text, end+1)
		if !isTreeLine(text[end+1 : next]) {
			break
		}
		end = next
	}
	return start, end
}

// findUIDs finds chrome-devtools-mcp's tree from an offset on: every line until
// a heading. A name may hold line breaks, so lines without a uid belong to it.
func findUIDs(text string, from int) (start, end int, ok bool) {
	i := from
	for !strings.HasPrefix(strings.TrimLeft(text[i:lineEndAt(text, i)], " "), "uid=") {
		j := strings.IndexByte(text[i:], '\n')
		if j < 0 || strings.HasPrefix(text[i:], "#") {
			return 0, 0, false
		}
		i += j + 1
	}
	end = len(text)
	if j := strings.Index(text[i:], "\n#"); j >= 0 {
		end = i + j
	}
	return i, len(strings.TrimRight(text[:end], "\n")), true
}

// closingFence finds the end of a fenced snapshot: the offset of the closing
// fence's line, of text from the fence's first inner line on. A nested fence is
// one that more of the snapshot follows.
func closingFence(text string) (at int, closed bool) {
	from := 0
	for {
		var i int
		if from == 0 && strings.HasPrefix(text, "```") {
			i = 0
		} else if i = strings.Index(text[from:], "\n```"); i >= 0 {
			i += from + 1
		}
		if i < 0 {
			return len(text), false
		}
		end := lineEndAt(text, i)
		if strings.TrimRight(text[i:end], " \r") == "```" {
			after := strings.TrimLeft(text[end:], "\r\n")
			if !isTreeLine(firstLine(after)) || strings.HasPrefix(text[end:], "\n\n") {
				return i, true
			}
		}
		from = end
		if from >= len(text) {
			return len(text), false
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r")
}
