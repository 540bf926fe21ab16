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

// printed is the result of a command that printed a part of a file that the model was
// pointed to, as grep and head do: an excerpt of the page in it.
func (p *Pages) printed(c Call, out *session.Result, text string) bool {
	var side sideFile
	of := ""
	for name, f := range p.files { // of several the newest of the page in view
		if strings.Contains(c.Shell, name) && (of == "" || f.page == p.inView() && (side.page != f.page || name > of)) {
			side, of = f, name
		}
	}
	if of == "" {
		return false
	}
	from, to, lines := -1, 0, 0
	for at := 0; at < len(text); {
		end := lineEndAt(text, at)
		if line := notation.Bare(text[at:end]); isTreeLine(line) && (from >= 0 || notation.Own(line, notation.Aria) != "") {
			if from < 0 {
				from = at
			}
			to = end
			lines++
		}
		at = end + 1
	}
	if from < 0 || !side.excerpt && lines >= strings.Count(side.text, "\n") { // nothing of it, or all
		return false
	}
	if side.page == p.inView() {
		out.Seen, out.Shown, out.Text, out.At = session.SeenExcerpt, text[from:to], text[:from]+text[to:], from
	}
	return true
}

// goesOn keeps in mind which command a program that runs on belongs to: Codex tells its
// output when it is asked for, in answers of their own.
func (p *Pages) goesOn(c Call, text string) Call {
	if was, ok := p.running[c.Session]; ok && c.Session != "" && !c.Browser && strings.TrimSpace(c.Shell) == "" {
		if was.Verb != session.VerbSnapshot { // it was done before
			was.Verb = ""
		}
		was.Args, was.Session = nil, c.Session
		c = was
	}
	const says = "Process running with session ID "
	if _, rest, ok := strings.Cut(text[:min(len(text), 400)], says); ok {
		if p.running == nil {
			p.running = map[string]Call{}
		}
		if id := firstLine(rest); len(p.running) < 1000 {
			p.running[strings.TrimSpace(id)] = c
		}
	}
	return c
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
