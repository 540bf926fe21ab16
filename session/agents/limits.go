package agents

import (
	"fmt"
	"strings"
	"time"
)

// Wait is how long an agent waits for an answer.
type Wait struct {
	Limit    time.Duration // 0: none was met
	Waited   time.Duration // how long was tried where none was met
	Progress bool          // a progress notification starts the time anew
	Again    bool          // it sends the same request again after giving up
	Setting  string        // what lifts the limit, as a person writes it; "" none is known
}

// Cut is what an agent does to a text that is too large for it.
type Cut struct {
	Chars   int    // the longest text, in characters, that goes whole; 0: no such limit was met
	Bytes   int    // the same in bytes of UTF-8
	Kept    Kept   // what its model gets of a longer one
	First   int    // of head and tail, how much the head is, as the limit counts; 0: half of it
	Setting string // what lifts the limit, as a person writes it; "" none is known
	Asked   bool   // the tool's server can ask for a larger one: snapscope mcp --lift does
	Words   string // of the agent's own command line, that set another limit: %d stands for it; "" none are known
	Each    int    // how many bytes one of that limit's units is
}

// limitStep is what a limit that is asked for is rounded up to, in its own unit.
const limitStep = 10_000

// Lifts is the command with which a text of so many characters and bytes goes whole: the
// agent's own, or the proxy's where a server can ask for the length. "": none is known,
// or the length is not.
func (a Agent) Lifts(chars, bytes int) string {
	up := func(n int) int { return (n/limitStep + 1) * limitStep }
	switch c := a.Text; {
	case chars == 0:
		return ""
	case c.Asked:
		return fmt.Sprintf("snapscope mcp --lift %d -- MCP-SERVER…", up(chars))
	case c.Words != "":
		return a.Command + " " + fmt.Sprintf(c.Words, up(bytes/c.Each))
	}
	return ""
}

// Kept says what stands in place of a text that was too large.
type Kept string

// What an agent keeps of a text.
const (
	Whole    Kept = ""              // all of it
	Head     Kept = "head"          // a preview of its beginning; the whole lies in a file
	Lines    Kept = "whole lines"   // as many lines of its beginning as the limit takes; the whole lies in a file
	HeadTail Kept = "head and tail" // the middle is left out
)

// deadlineMargin is how long before an agent gives up a held call has to go on.
const deadlineMargin = 10 * time.Second

// Deadline is how long a call may be held so that its answer still reaches the
// agent: ten seconds less than the limit, of a limit below twenty seconds half.
// ok is false where no limit was met.
func (w Wait) Deadline() (d time.Duration, ok bool) {
	if w.Limit <= 0 {
		return 0, false
	}
	return max(w.Limit-deadlineMargin, w.Limit/2), true
}

// Cuts reports whether a text of so many characters and bytes is too large.
func (c Cut) Cuts(chars, bytes int) bool {
	return c.Chars > 0 && chars > c.Chars || c.Bytes > 0 && bytes > c.Bytes
}

// HeadAndTail is what an agent leaves of the beginning and the end of a text that is
// too large.
func (c Cut) HeadAndTail(text string) (head, tail string) {
	if c.Chars > 0 {
		r := []rune(text)
		first := c.First
		if first == 0 {
			first = c.Chars / 2
		}
		return string(r[:first]), string(r[len(r)-(c.Chars-first):])
	}
	first := c.First
	if first == 0 {
		first = c.Bytes / 2
	}
	return strings.ToValidUTF8(text[:first], ""), strings.ToValidUTF8(text[len(text)-(c.Bytes-first):], "")
}

// Leaves is what a client's model gets of a text that is too large: its beginning, short
// or up to the limit, or its beginning and its end. What the client writes around it is not in it.
func (c Cut) Leaves(text string) string {
	switch c.Kept {
	case Head:
		return strings.ToValidUTF8(text[:min(len(text), preview)], "")
	case Lines:
		text = text[:min(len(text), c.Bytes)]
		return text[:strings.LastIndexByte(text, '\n')+1]
	case HeadTail:
		head, tail := c.HeadAndTail(text)
		return head + "\n…\n" + tail
	}
	return text
}

// preview is how many bytes a client shows of a text that lies in a file.
const preview = 2000

// Find answers the agent of a name, an alias, or either with a version or more
// words behind it ("codex-mcp-client 0.169.0"), apart from case.
func Find(name string) (Agent, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	for {
		for _, c := range table {
			if c.Name == name || contains(c.Aliases, name) {
				return c, true
			}
		}
		i := strings.LastIndexAny(name, " /@")
		if i <= 0 {
			return Agent{}, false
		}
		name = strings.TrimSpace(name[:i])
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
