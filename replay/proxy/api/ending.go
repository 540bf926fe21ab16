package api

import (
	"bytes"
	"strings"
)

// lineHead is how much of a stream's line is looked at: more than the vendors write
// before the name of an event.
const lineHead = 64

// endings are what the last event of a stream has in its lines: a whole beginning, or
// a key near it. In the text of an answer they cannot stand like this: there no line
// begins, and every quote has a backslash before it.
var endings = map[Form][][]byte{
	Messages:  {[]byte("event: message_stop"), []byte(`"type":"message_stop"`), []byte(`"type": "message_stop"`)},
	Chat:      {[]byte("data: [DONE]"), []byte("data:[DONE]")},
	Responses: {[]byte(`"type":"response.completed"`), []byte(`"type":"response.incomplete"`), []byte(`"type":"response.failed"`)},
}

// Ends answers a function that is given an answer piece by piece and reports the piece
// with which the answer is whole, before the connection says so: vendors keep a
// stream open for a while after its last event, and agents do not wait for that. Of
// answers that are no plain stream of events it reports nothing.
func Ends(form Form, h Head) func(piece []byte) bool {
	if h.Encoding != "" || !strings.HasPrefix(strings.TrimSpace(h.Type), "text/event-stream") {
		return func([]byte) bool { return false }
	}
	var line []byte // the beginning of the present one
	last := false   // the present event is the last
	return func(piece []byte) bool {
		for len(piece) > 0 {
			part, rest, whole := bytes.Cut(piece, []byte("\n"))
			piece = rest
			if room := lineHead - len(line); room > 0 {
				line = append(line, part[:min(room, len(part))]...)
			}
			if !whole {
				return false
			}
			if len(bytes.TrimSuffix(line, []byte("\r"))) == 0 && last {
				return true
			}
			for _, mark := range endings[form] {
				last = last || bytes.HasPrefix(line, mark) || mark[0] == '"' && bytes.Contains(line, mark)
			}
			line = line[:0]
		}
		return false
	}
}
