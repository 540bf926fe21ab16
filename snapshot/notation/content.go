package notation

import (
	"encoding/json"
	"regexp"
	"strings"
)

var signs = regexp.MustCompile(
	`\[(?:ref=)?(?:f\d+)?e\d+\]` + // element refs
		`|(?m:^[ \t]*(?:- )?(?i:url|title):)` + // a url: or title: line
		`|<(?:main|nav|section|article|header|footer|aside)[\s>]`) // landmark tags

// LooksLikeSnapshot reports whether a tool result shows a page, by its content
// alone, by OpenClaw's rules for transcripts that do not name tools. One sign
// is enough: an element ref such as [e1] or [ref=e1], a url: or title: line, a
// landmark tag. A JSON answer, such as a status or a list of tabs, is none.
func LooksLikeSnapshot(text string) bool {
	t := strings.TrimSpace(text)
	if t == "" {
		return false
	}
	if (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t)) {
		return false
	}
	return signs.MatchString(text)
}
