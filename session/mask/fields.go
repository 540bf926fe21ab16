package mask

import "strings"

// fieldValues finds the values that password fields show in a page's text:
// - textbox "Password" [ref=e5]: hunter2.
func fieldValues(s string, cut func(from, to int, learn bool)) {
	for at := 0; at < len(s); {
		end := strings.IndexByte(s[at:], '\n')
		if end < 0 {
			end = len(s)
		} else {
			end += at
		}
		if v := passwordValue(s[at:end]); v >= 0 {
			cut(at+v, end, true)
		}
		at = end + 1
	}
}

// passwordValue is where the value of a password field starts in a tree's line;
// -1 for any other line.
func passwordValue(line string) int {
	body := strings.TrimLeft(line, " ")
	if strings.HasPrefix(body, "uid=") {
		if i := strings.Index(body, ` value="`); i >= 0 && strings.Contains(body, " textbox ") && SaysSecret(body[:i]) {
			return len(line) - len(body) + i + len(" value=")
		}
		return -1
	}
	body = strings.TrimPrefix(strings.TrimPrefix(body, "- "), "<changed> ")
	if !strings.HasPrefix(body, `textbox "`) {
		return -1
	}
	name := quotedEnd(body[len("textbox "):]) + len("textbox ")
	if !SaysSecret(body[:name]) {
		return -1
	}
	i := strings.Index(body[name:], "]: ")
	if i < 0 {
		return -1
	}
	return len(line) - len(body) + name + i + len("]: ")
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
