package reply

import (
	"path"
	"strings"

	"snapscope/replay/transcript/sidefile"
	"snapscope/session"
	"snapscope/snapshot/notation"
)

// readFile is the result of a call that read a file: a snapshot, or an excerpt of
// one, if it is one the model was pointed to before.
func (p *Pages) readFile(c Call, out *session.Result, text string) {
	side, ok := p.files[path.Base(sidefile.Slashed(c.Reads))]
	if !ok {
		return
	}
	body, lines := unnumbered(text)
	start, end, found := findTree(body)
	if !found {
		return
	}
	tree := body[start:end]
	part := side.excerpt || side.text != "" && strings.Count(side.text, "\n") > strings.Count(tree, "\n")+2
	if part && side.page != p.inView() {
		return // a part of a page that was left tells nothing of the one in view
	}
	from, to := start, end
	if lines != nil { // as it stood, with its line numbers
		from, to = numberedSpan(lines, strings.Count(body[:start], "\n"), strings.Count(tree, "\n"))
	}
	out.Shown, out.Text, out.At = text[from:to], text[:from]+text[to:], from
	if part {
		out.Seen = session.SeenExcerpt
		return
	}
	out.Seen = session.SeenInline
	if lines == nil {
		out.Shown = ""
	}
	out.Snapshot = p.snapshot(p.tabOf(p.tab), tree, notation.Aria, nil)
}

// unnumbered takes the line numbers off a file as agents' read tools print it:
// "   12→text" or "12\ttext". lines are the offsets of the lines as they stood;
// nil where there are no numbers.
func unnumbered(text string) (body string, lines []int) {
	var out []string
	at := 0
	for _, l := range strings.Split(text, "\n") {
		lines = append(lines, at)
		at += len(l) + 1
		s := strings.TrimLeft(l, " ")
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		rest := s[n:]
		if n > 0 && strings.HasPrefix(rest, "→") {
			out = append(out, rest[len("→"):])
		} else if n > 0 && strings.HasPrefix(rest, "\t") {
			out = append(out, rest[1:])
		} else {
			if len(out) == 0 {
				return text, nil
			}
			out = append(out, "\x00")
		}
	}
	return strings.Join(out, "\n"), append(lines, len(text)+1)
}

func numberedSpan(lines []int, first, more int) (from, to int) {
	last := min(first+more+1, len(lines)-1)
	return lines[first], lines[last] - 1
}
