package notation

import "strings"

// Bare takes off the lines of a page what grep puts before them: a file's name, a
// line's number. Lines that are none of a tree stay as they are.
func Bare(text string) string {
	if !strings.ContainsAny(text, ":-") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = bareLine(line)
	}
	return strings.Join(lines, "\n")
}

func bareLine(line string) string {
	at := strings.Index(line, "- ")
	if at <= 0 {
		return line
	}
	head := strings.TrimRight(line[:at], " ")
	if n := len(head); n < 2 || head[n-1] != ':' && head[n-1] != '-' || strings.ContainsAny(head, "\"[] ") {
		return line
	}
	return line[len(head):]
}
