package safetext

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// own are the controls that the program itself sends: cursor, erasing, colours,
// and the modes and questions of its beginning and end.
var own = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`\x1b\[[0-9;]*[ABCDEFGHIJKLMPSTXZ\x60bdr@]`,
	`\x1b\[(?:0?(?:;(?:[1-9]|[34]8;2(?:;\d+){3}|[34]8;5;\d+|\d\d))*|[34]8;2(?:;\d+){3}[;\d]*|[0-9;]*)m`,
	`\x1b\[\?(?:7|25|1002|1003|1006|1049|2004|2026|2027)[hl]`,
	`\x1b\[\?(?:2026|2027)\$p`,
	`\x1b\[\?5W`,
	`\x1b\[[<>=?]?\d*u`,
	`\x1b\[>4(?:;\d)?m`,
	`\x1b\]11;\?\x07`,
	`\x1b\]2;(?:snapscope)?\x07`,
	`\x1b\[\d q`,
	`\x1bM`,
	`[\r\n\x08\t]`,
}, "|") + `)`)

// CheckStream holds a stream that was sent to a terminal against what the program
// sends of its own accord: the error names the first thing in it that is neither a
// letter that may be shown nor one of the program's own controls.
func CheckStream(data []byte) error {
	for _, bad := range []string{"\x1b]0;", "\x1b]52;", "\x1b]8;", "\x1b[31mred", "\x1b[3J", "\x1b[6n", "\x1b[c", "\x1b[?1000h", "\x1bP", "\u202e", "\u009b", "\x07\x07"} {
		if at := bytes.Index(data, []byte(bad)); at >= 0 {
			return fmt.Errorf("%q got through at byte %d", bad, at)
		}
	}
	for at := 0; at < len(data); {
		if n := len(own.Find(data[at:])); n > 0 {
			at += n
			continue
		}
		r, n := utf8.DecodeRune(data[at:])
		if joined := r == 0x200d && at >= 3; !joined && (r == utf8.RuneError && n < 2 || !unicode.IsPrint(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Bidi_Control)) {
			return fmt.Errorf("byte %d is %q, in %q", at, data[at:at+max(n, 1)], data[max(0, at-20):min(len(data), at+40)])
		}
		at += n
	}
	return nil
}
