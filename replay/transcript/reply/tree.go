package reply

import (
	"strings"

	"snapscope/snapshot/notation"
)

// isTreeLine reports whether a line can be one of a tree.
func isTreeLine(line string) bool {
	n := notation.Indent(line)
	return strings.HasPrefix(line[n:], "- ") && len(line) > n+2
}

// findTree finds a bare tree: the run of tree lines around the first ref.
// start and end are byte offsets; end is without the final newline.
func findTree(text string) (start, end int, ok bool) {
	for at := notation.NextMark(text, 0, notation.Aria); at >= 0; at = notation.NextMark(text, at, notation.Aria) {
		start, end = strings.LastIndexByte(text[:at], '\n')+1, lineEndAt(text, at)
		if line := text[start:end]; isTreeLine(line) && notation.ReadLine(line, "").Ref != "" {
			start, end = grow(text, start, end)
			return start, end, true
		}
		at = end // a line is judged once
	}
	return 0, 0, false
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
			if next = pastCut(text, end+1); next < 0 {
				break
			}
		}
		end = next
	}
	return start, end
}

// pastCut is the end of the first tree line behind a part that a client left out, or of
// the mark where none follows; -1: none was left out here. The mark may stand on a line
// of its own, with blank lines around it, and what follows may begin within a line.
func pastCut(text string, from int) int {
	mark := -1
	for at, n := from, 0; at < len(text) && n < 6; n++ {
		end := lineEndAt(text, at)
		line := text[at:end]
		switch {
		case mark >= 0 && isTreeLine(line):
			return end
		case mark < 0 && IsCut(line):
			mark = end
		case mark < 0 && strings.TrimSpace(line) != "":
			return -1
		}
		at = end + 1
	}
	return mark
}

// findUIDs finds chrome-devtools-mcp's tree from an offset on: every line until
// a heading. A name may hold line breaks, so lines without a uid belong to it.
func findUIDs(text string, from int) (start, end int, ok bool) {
	if strings.HasPrefix(text[from:], "#") {
		return 0, 0, false
	}
	head := len(text)
	if j := strings.Index(text[from:], "\n#"); j >= 0 {
		head = from + j
	}
	for start = from; start < head; start = lineEndAt(text, start) + 1 {
		if notation.Own(text[start:lineEndAt(text, start)], notation.UID) != "" {
			return start, len(strings.TrimRight(text[:head], "\n")), true
		}
	}
	return 0, 0, false
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
