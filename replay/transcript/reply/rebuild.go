package reply

import (
	"fmt"
	"strings"

	"snapscope/snapshot/notation"
)

// A server that sends only what changed leaves the full tree to be put together
// by whoever has the tree before. Two notations are known: Playwright's changed
// roots with references to unchanged subtrees, and line deltas (delta.go).

// maxBuilt bounds the text that is put together from incremental replies, in
// bytes: a few of them can stand for a very large tree, thousands of times.
const maxBuilt = 1 << 30

// rebuilt is the full tree of an incremental reply.
func (p *Pages) rebuilt(t *tabState, r Reply) (full string, ok bool, notes []string) {
	base := t.base
	if r.revised && t.revision != "" {
		base = t.revision
	}
	if !t.known && base == "" {
		return r.Snap, false, []string{"only what changed was sent, and the snapshot before it is not known"}
	}
	if p.built += int64(len(base)); p.built > maxBuilt {
		t.base, t.known = "", false
		return r.Snap, false, []string{"only what changed was sent; more than 1 GB was rebuilt before, so it stays as sent"}
	}
	var err error
	switch {
	case r.same:
		return base, true, nil
	case r.splice != nil:
		full, err = r.splice.apply(base)
	case r.delta != nil:
		url := ""
		if r.Dialect == notation.Aria && t.url != "" { // passmark compares the text with its URL line
			url = "url: " + t.url + "\n\n"
		}
		var several bool
		if full, several, err = applyDelta(base, r.delta); err != nil && url != "" {
			full, several, err = applyDelta(url+base, r.delta)
			if rest, found := strings.CutPrefix(full, "url: "); found {
				_, full, _ = strings.Cut(rest, "\n\n")
			}
		}
		if several {
			notes = []string{"rebuilt from a delta that fits in several places; the first was taken"}
		}
	case r.Dialect != notation.Aria || r.foreign:
		return r.Snap, false, []string{"only what changed was sent, in a form that is not rebuilt"}
	default:
		full, err = rebuild(base, r.Snap, t.older)
	}
	if err != nil {
		return r.Snap, false, []string{"only what changed was sent, and it could not be rebuilt: " + err.Error()}
	}
	return full, true, notes
}

// isIncremental reports whether a Playwright snapshot holds only changed parts:
// its first root is marked, or a line refers to a subtree it does not print.
func isIncremental(snap string) bool {
	return notation.ReadLine(firstLine(snap), notation.Aria).Kind == notation.ChangedLine || notation.HasUnchanged(snap, notation.Aria)
}

// maxFrames bounds how many frames' changes are put into one tree, for each of
// them goes over the whole of it.
const maxFrames = 64

// maxOlder bounds the pages of a document that are kept for what comes back, in bytes.
const maxOlder = 16 << 20

// older is the newest page of the document, of those before the last, that shows an
// element, and its line there; nil: none does. A part of the page that was gone and
// comes back as it was is named as unchanged: it is as it was last shown.
func (t *tabState) older(ref string) (page *notation.Text, line int) {
	for i := len(t.before) - 1; i >= 0; i-- {
		if !strings.Contains(t.before[i], ref) {
			continue
		}
		if t.last.text != t.before[i] {
			if t.looked += int64(len(t.before[i])); t.looked > maxBuilt {
				return nil, -1
			}
			t.last.text, t.last.read = t.before[i], notation.Read(t.before[i], notation.Aria)
		}
		page = t.last.read
		if line = page.Find(ref); line >= 0 {
			return page, line
		}
	}
	return nil, -1
}

// pages is where an incremental reply's unchanged parts are looked for: on the page
// before it, and where they are gone from there, on those before that.
type pages struct {
	base  *notation.Text
	older func(ref string) (*notation.Text, int)
}

func (p pages) find(ref string) (page *notation.Text, line int) {
	if at := p.base.Find(ref); at >= 0 || p.older == nil {
		return p.base, at
	}
	return p.older(ref)
}

// rebuild puts a full tree together from a base and an incremental reply. Every
// frame sends changed roots of its own, the page's first, so they are put in
// frame by frame. The error names the first ref that no page before holds.
func rebuild(base, sent string, older func(ref string) (*notation.Text, int)) (string, error) {
	if sent == "" {
		return base, nil
	}
	part := notation.Read(sent, notation.Aria)
	if base == "" { // nothing stood there before: what was sent is all
		lines, err := expand(pages{notation.Read("", notation.Aria), older}, part, 0, part.Len(), 0)
		return strings.Join(lines, "\n"), err
	}
	for from, n := 0, 0; from < part.Len(); n++ {
		frame, to := "", from
		for to < part.Len() {
			end := rootEnd(part, to)
			if f := frameOf(firstRef(part, to, end)); to == from {
				frame = f
			} else if f != frame {
				break
			}
			to = end
		}
		full, err := patch(base, part, from, to, older)
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
func rootEnd(t *notation.Text, at int) int {
	end := at + 1
	for end < t.Len() && (t.Raw(end) == "" || t.Indent(end) > t.Indent(at)) {
		end++
	}
	return end
}

// refIn is the ref that a line shows or names.
func refIn(t *notation.Text, i int) string {
	if ref := t.Ref(i); ref != "" {
		return ref
	}
	if t.Kind(i) == notation.UnchangedLine {
		l := t.Line(i)
		return l.Ref
	}
	return ""
}

// firstRef is the first ref in some lines.
func firstRef(t *notation.Text, from, to int) string {
	for i := from; i < to; i++ {
		if ref := refIn(t, i); ref != "" {
			return ref
		}
	}
	return ""
}

// frameOf is the frame part of a ref: f1 of f1e6, nothing of e6.
func frameOf(ref string) string {
	if !strings.HasPrefix(ref, "f") {
		return ""
	}
	f, _, _ := strings.Cut(ref, "e")
	return f
}

// patch puts the changed roots in lines from to to of a reply in the places
// that the base has for them.
func patch(base string, part *notation.Text, from, to int, older func(ref string) (*notation.Text, int)) (string, error) {
	b := notation.Read(base, notation.Aria)
	alone := from == 0 && rootEnd(part, 0) == part.Len()
	type change struct {
		from, to int
		lines    []string
	}
	var changes []change
	starts := map[int]int{} // the outermost change of each line
	for i := from; i < to; {
		end := rootEnd(part, i)
		at, upto, err := place(b, part, i, end, alone)
		if err != nil {
			return "", err
		}
		lines, err := expand(pages{b, older}, part, i, end, b.Indent(at)-part.Indent(i))
		if err != nil {
			return "", err
		}
		if old, ok := starts[at]; !ok || upto > changes[old].to {
			starts[at] = len(changes)
		}
		changes = append(changes, change{at, upto, lines})
		i = end
	}
	out := make([]string, 0, b.Len()+to-from)
	for at := 0; at < b.Len(); {
		if k, ok := starts[at]; ok {
			out = append(out, changes[k].lines...)
			at = changes[k].to
			continue
		}
		out = append(out, b.Raw(at))
		at++
	}
	return strings.Join(out, "\n"), nil
}

// place finds the lines of the base that a changed root stands for. alone says
// that nothing else was sent: then a root that is new is the whole page.
func place(b, part *notation.Text, root, end int, alone bool) (from, to int, err error) {
	ref := part.Ref(root)
	if ref == "" {
		return placeUnnamed(b, part, root, end, alone)
	}
	if i := b.Find(ref); i >= 0 {
		return i, b.End(i), nil
	}
	if alone {
		return 0, b.Len(), nil
	}
	return 0, 0, fmt.Errorf("the snapshot before does not hold %s", ref)
}

// placeUnnamed finds the place of a root that has no ref: in the base it is the
// element without a ref, of the same role, around what is in it. A root around
// nothing known is the page's own.
func placeUnnamed(b, part *notation.Text, root, end int, alone bool) (from, to int, err error) {
	line := part.Line(root)
	if !line.IsElement() {
		return 0, 0, fmt.Errorf("a changed part is no element")
	}
	for i := root + 1; i < end; i++ {
		at := b.Find(refIn(part, i))
		if at < 0 {
			continue
		}
		up := part.Indent(i) - part.Indent(root)
		for outer := b.Parent(at); outer >= 0; outer = b.Parent(outer) {
			if l := b.Line(outer); l.Ref == "" && l.Role == line.Role && b.Indent(at)-b.Indent(outer) == up {
				return outer, b.End(outer), nil
			}
		}
	}
	if l := b.Line(0); alone && l.Ref == "" && l.Role == line.Role && b.End(0) == b.Len() {
		return 0, b.Len(), nil
	}
	return 0, 0, fmt.Errorf("a changed part has no ref, and the snapshot before does not hold what is in it")
}

// expand writes lines of a reply in full, their unchanged children taken from the
// pages before, shifted by some columns.
func expand(before pages, part *notation.Text, from, to, shift int) ([]string, error) {
	var out []string
	take := func(page *notation.Text, at, end, by int) {
		for k := at; k < end; k++ {
			out = append(out, indented(page.Raw(k), by))
		}
	}
	for i := from; i < to; i++ {
		l := part.Line(i)
		switch l.Kind {
		case notation.UnchangedLine:
			page, at := before.find(l.Ref)
			if at < 0 {
				return nil, fmt.Errorf("no snapshot before holds %s", l.Ref)
			}
			take(page, at, page.End(at), l.Indent+shift-page.Indent(at))
			continue
		case notation.ChangedLine:
			l.Raw = notation.UnmarkChanged(l.Raw)
		}
		out = append(out, indented(l.Raw, shift))
		if b := before.base; isFrame(l) {
			if at := b.Find(l.Own()); at >= 0 && b.End(at) > at+1 {
				out[len(out)-1] += ":"
				take(b, at+1, b.End(at), l.Indent+shift-b.Indent(at))
			}
		}
	}
	return out, nil
}

// isFrame reports whether a line is a frame's without its page, which an
// incremental reply leaves out: what changed in there is a root of its own.
func isFrame(l notation.Line) bool {
	return l.Role == "iframe" && !strings.HasSuffix(l.Raw, ":")
}

func indented(line string, by int) string {
	switch {
	case by > 0 && line != "":
		return strings.Repeat(" ", by) + line
	case by < 0:
		return line[min(-by, notation.Indent(line)):]
	}
	return line
}
