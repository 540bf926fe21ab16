package reply

import (
	"fmt"
	"strings"
)

// A server that sends only what changed leaves the full tree to be put together
// by whoever has the tree before. Two notations are known: Playwright's changed
// roots with references to unchanged subtrees, and line deltas.

// isIncremental reports whether a Playwright snapshot holds only changed parts:
// its first root is marked, or a line refers to a subtree it does not print.
func isIncremental(text string) bool {
	if strings.HasPrefix(text, "- <changed> ") {
		return true
	}
	for at := 0; ; {
		i := strings.Index(text[at:], " [unchanged]")
		if i < 0 {
			return false
		}
		at += i
		line := strings.TrimLeft(text[strings.LastIndexByte(text[:at], '\n')+1:at], " ")
		if strings.HasPrefix(line, "- ref=") { // and not a name that says so
			return true
		}
		at = lineEndAt(text, at)
	}
}

// baseTree is a full tree that can be asked for subtrees by ref.
type baseTree struct {
	lines []string
	at    map[string]int // ref → line
}

func newBase(text string) *baseTree {
	b := &baseTree{lines: strings.Split(text, "\n")}
	b.at = make(map[string]int, len(b.lines))
	for i, l := range b.lines {
		if ref, ok := lineRef(l); ok {
			if _, twice := b.at[ref]; !twice {
				b.at[ref] = i
			}
		}
	}
	return b
}

// subtree is the lines [from, to) of the element with a ref.
func (b *baseTree) subtree(ref string) (from, to int, ok bool) {
	from, ok = b.at[ref]
	if !ok {
		return 0, 0, false
	}
	depth := indentOf(b.lines[from])
	to = from + 1
	for to < len(b.lines) && (b.lines[to] == "" || indentOf(b.lines[to]) > depth) {
		to++
	}
	return from, to, true
}

// maxFrames bounds how many frames' changes are put into one tree, for each of
// them goes over the whole of it.
const maxFrames = 64

// rebuild puts a full tree together from a base and an incremental reply. Every
// frame sends changed roots of its own, the page's first, so they are put in
// frame by frame. The error names the first ref that the base does not hold.
func rebuild(base, sent string) (string, error) {
	if sent == "" {
		return base, nil
	}
	lines := strings.Split(sent, "\n")
	for from, n := 0, 0; from < len(lines); n++ {
		frame, to := "", from
		for to < len(lines) {
			ref, ok := lineRef(lines[to])
			if !ok {
				return "", fmt.Errorf("a changed part has no ref")
			}
			if f := frameOf(ref); to == from {
				frame = f
			} else if f != frame {
				break
			}
			to = rootEnd(lines, to)
		}
		full, err := patch(base, lines[from:to], from == 0 && to == len(lines))
		if err != nil {
			return "", err
		}
		if n == maxFrames {
			return "", fmt.Errorf("it changes more than %d frames", maxFrames)
		}
		base, from = full, to
	}
	return base, nil
}

// rootEnd is where the root that begins at a line ends.
func rootEnd(lines []string, at int) int {
	end := at + 1
	for end < len(lines) && (lines[end] == "" || indentOf(lines[end]) > indentOf(lines[at])) {
		end++
	}
	return end
}

// frameOf is the frame part of a ref: f1 of f1e6, nothing of e6.
func frameOf(ref string) string {
	if !strings.HasPrefix(ref, "f") {
		return ""
	}
	f, _, _ := strings.Cut(ref, "e")
	return f
}

// patch puts changed roots in the places that the base has for them. alone says
// that nothing else was sent: then one root that is new is the whole page.
func patch(base string, lines []string, alone bool) (string, error) {
	b := newBase(base)
	type change struct {
		from, to int
		lines    []string
	}
	var changes []change
	for i := 0; i < len(lines); {
		end := rootEnd(lines, i)
		ref, _ := lineRef(lines[i])
		from, to, ok := b.subtree(ref)
		if !ok {
			if len(lines) != end || i != 0 || !alone {
				return "", fmt.Errorf("the snapshot before does not hold %s", ref)
			}
			from, to = 0, len(b.lines)
		}
		depth := 0
		if from < len(b.lines) {
			depth = indentOf(b.lines[from])
		}
		part, err := b.expand(lines[i:end], depth-indentOf(lines[i]))
		if err != nil {
			return "", err
		}
		changes = append(changes, change{from, to, part})
		i = end
	}
	starts := make(map[int]int, len(changes)) // the outermost change of each line
	for k, c := range changes {
		if old, ok := starts[c.from]; !ok || c.to > changes[old].to {
			starts[c.from] = k
		}
	}
	out := make([]string, 0, len(b.lines)+len(lines))
	for at := 0; at < len(b.lines); {
		if k, ok := starts[at]; ok {
			out = append(out, changes[k].lines...)
			at = changes[k].to
			continue
		}
		out = append(out, b.lines[at])
		at++
	}
	return strings.Join(out, "\n"), nil
}

// expand writes a changed part in full, its unchanged children taken from the
// base, shifted by some columns.
func (b *baseTree) expand(part []string, shift int) ([]string, error) {
	var out []string
	for _, l := range part {
		ref, has := lineRef(l)
		if has && strings.HasSuffix(strings.TrimRight(l, " "), "[unchanged]") {
			from, to, ok := b.subtree(ref)
			if !ok {
				return nil, fmt.Errorf("the snapshot before does not hold %s", ref)
			}
			by := indentOf(l) + shift - indentOf(b.lines[from])
			for _, old := range b.lines[from:to] {
				out = append(out, indented(old, by))
			}
			continue
		}
		if i := strings.Index(l, "- <changed> "); i == indentOf(l) {
			l = l[:i+2] + l[i+len("- <changed> "):]
		}
		out = append(out, indented(l, shift))
		if last := len(out) - 1; has && isFrame(l) {
			inner, by := b.inside(ref), 0
			if len(inner) > 0 {
				out[last] += ":"
				by = indentOf(l) + shift - indentOf(b.lines[b.at[ref]])
			}
			for _, old := range inner {
				out = append(out, indented(old, by))
			}
		}
	}
	return out, nil
}

// isFrame reports whether a line is a frame's without its page, which an
// incremental reply leaves out: what changed in there is a root of its own.
func isFrame(line string) bool {
	return strings.HasPrefix(line[indentOf(line):], "- iframe") && !strings.HasSuffix(line, ":")
}

// inside is what stands below an element.
func (b *baseTree) inside(ref string) []string {
	from, to, ok := b.subtree(ref)
	if !ok {
		return nil
	}
	return b.lines[from+1 : to]
}

func indented(line string, by int) string {
	switch {
	case by > 0 && line != "":
		return strings.Repeat(" ", by) + line
	case by < 0:
		return line[min(-by, indentOf(line)):]
	}
	return line
}

// applyDelta applies a line delta: "+ ", "- " and two spaces before each line,
// "..." for what is skipped. Chunks are placed at the first fitting place after
// the chunk before; several says that another place would have fitted too.
func applyDelta(base string, body []string) (text string, several bool, err error) {
	old := strings.Split(base, "\n")
	var out []string
	at := 0
	for i := 0; i < len(body); {
		if body[i] == "..." {
			i++
			continue
		}
		end := i
		var want []string
		for end < len(body) && body[end] != "..." {
			switch {
			case strings.HasPrefix(body[end], "  "), strings.HasPrefix(body[end], "- "):
				want = append(want, body[end][2:])
			case strings.HasPrefix(body[end], "+ "), body[end] == "+":
			case strings.TrimSpace(body[end]) == "", body[end] == "-":
				want = append(want, "")
			default:
				return "", false, fmt.Errorf("line %d of the delta has no sign", end+1)
			}
			end++
		}
		place := findLines(old, want, at)
		if place < 0 {
			return "", false, fmt.Errorf("line %d of the delta fits nowhere in the snapshot before", i+1)
		}
		if i > 0 || at < place { // a chunk after a gap might stand elsewhere as well
			several = several || (len(want) > 0 && findLines(old, want, place+1) >= 0 && body[max(0, i-1)] == "...")
		}
		out = append(out, old[at:place]...)
		for _, l := range body[i:end] {
			switch {
			case strings.HasPrefix(l, "+"):
				out = append(out, strings.TrimPrefix(strings.TrimPrefix(l, "+"), " "))
			case strings.HasPrefix(l, "-"):
			case len(l) >= 2:
				out = append(out, l[2:])
			default:
				out = append(out, "")
			}
		}
		at = place + len(want)
		i = end
	}
	return strings.Join(append(out, old[at:]...), "\n"), several, nil
}

// maxCompared bounds the search for a chunk's place: a delta that is made to
// fit almost everywhere is given up.
const maxCompared = 20_000_000

func findLines(in, want []string, from int) int {
	compared := 0
next:
	for i := from; i+len(want) <= len(in) && compared < maxCompared; i++ {
		for k, w := range want {
			compared++
			if in[i+k] != w {
				continue next
			}
		}
		return i
	}
	return -1
}
