package notation

import (
	"hash/maphash"
	"iter"
	"math"
	"strings"
	"sync"
	"unsafe"
)

// Text is a page's text read once: what each line is and what it hangs below,
// by line numbers from 0. It never changes, so many may read it at once.
//
// What a line says in detail is read from it again on demand (Line).
type Text struct {
	text    string
	dialect Dialect
	lines   []lineAt
	refs    int
	indexed sync.Once
	byRef   []int32 // a hash table of lines, -1 where free; its size is a power of two; made when first asked for
}

// lineAt is what is kept of a line.
type lineAt struct {
	start  int32 // byte of the text
	ref    int32 // byte of the ref in the text
	parent int32
	end    int32
	refLen int32
	indent uint16
	kind   Kind
}

// maxText bounds what is read of a text, in bytes; no page comes near it.
const maxText = math.MaxInt32 - 1

// Read reads a text in a dialect.
func Read(text string, d Dialect) *Text { return ReadLines(text, d, nil) }

// ReadLines is Read for who wants to see each line on the way; the Line is good
// until the next call of each.
func ReadLines(text string, d Dialect, each func(i int, l *Line)) *Text {
	if len(text) > maxText {
		text = text[:maxText]
	}
	t := &Text{text: text, dialect: d, lines: make([]lineAt, 1+strings.Count(text, "\n"))}
	var above []int32 // the elements that are open, outermost first
	last := int32(-1)
	var l Line
	quick := each == nil && (d == Aria || d == "")
	for i, at := 0, 0; i < len(t.lines); i++ {
		raw := text[at:]
		if n := strings.IndexByte(raw, '\n'); n >= 0 {
			raw = raw[:n]
		}
		p, ok := plain{}, false
		kind := ElementLine
		if quick {
			p, ok = readPlain(raw)
		}
		if !ok {
			l.read(raw, d)
			kind, p = l.Kind, plain{l.Indent, l.RefAt.From, l.RefAt.To}
		}
		if each != nil {
			each(i, &l)
		}
		k := &t.lines[i]
		*k = lineAt{start: int32(at), kind: kind, indent: uint16(min(p.indent, math.MaxUint16)), parent: last, end: int32(i) + 1}
		at += len(raw) + 1
		if n := p.refTo - p.refFrom; n > 0 && kind != OtherLine {
			k.ref, k.refLen = k.start+int32(p.refFrom), int32(n)
			if kind == ElementLine || kind == ChangedLine {
				t.refs++
			}
		}
		if kind == OtherLine {
			continue
		}
		for len(above) > 0 && t.lines[above[len(above)-1]].indent >= k.indent {
			t.lines[above[len(above)-1]].end = int32(i)
			above = above[:len(above)-1]
		}
		k.parent = -1
		if len(above) > 0 {
			k.parent = above[len(above)-1]
		}
		if kind == ElementLine || kind == ChangedLine {
			above = append(above, int32(i))
			last = int32(i)
		}
	}
	for _, i := range above {
		t.lines[i].end = int32(len(t.lines))
	}
	return t
}

// index fills the table of refs; of several lines with one ref the first counts.
func (t *Text) index() {
	t.byRef = make([]int32, t.slots())
	for i := range t.byRef {
		t.byRef[i] = -1
	}
	for i := range t.lines {
		if ref := t.Ref(i); ref != "" {
			if slot := t.slot(ref); t.byRef[slot] < 0 {
				t.byRef[slot] = int32(i)
			}
		}
	}
}

// slots is the size of the table of refs: a power of two, at most half full.
func (t *Text) slots() int {
	size := 4
	for size < 2*t.refs {
		size *= 2
	}
	return size
}

var seed = maphash.MakeSeed()

// slot is the place of a ref in the table: the line that has it, or a free one.
func (t *Text) slot(ref string) int {
	mask := len(t.byRef) - 1
	for at := int(maphash.String(seed, ref)) & mask; ; at = (at + 1) & mask {
		if i := t.byRef[at]; i < 0 || t.Ref(int(i)) == ref {
			return at
		}
	}
}

// String is the text itself.
func (t *Text) String() string { return t.text }

// Dialect is the dialect the text was read in.
func (t *Text) Dialect() Dialect { return t.dialect }

// Len is the number of lines; an empty text has one.
func (t *Text) Len() int { return len(t.lines) }

// Elements is the number of lines that show an element with a ref.
func (t *Text) Elements() int { return t.refs }

// Raw is a line as it stands, without its line break.
func (t *Text) Raw(i int) string {
	from := int(t.lines[i].start)
	if i+1 < len(t.lines) {
		return t.text[from : t.lines[i+1].start-1]
	}
	return t.text[from:]
}

// Line reads a line again.
func (t *Text) Line(i int) Line { return ReadLine(t.Raw(i), t.dialect) }

// Kind is what a line is.
func (t *Text) Kind(i int) Kind { return t.lines[i].kind }

// Indent is the leading spaces and tabs of a line, at most 65,535.
func (t *Text) Indent(i int) int { return int(t.lines[i].indent) }

// Start is the byte of the text at which a line begins.
func (t *Text) Start(i int) int { return int(t.lines[i].start) }

// Parent is the line of the element that a line hangs below, -1 for none. A line
// that is no part of a tree hangs below the last element before it.
func (t *Text) Parent(i int) int { return int(t.lines[i].parent) }

// End is the line behind all that hangs below a line.
func (t *Text) End(i int) int { return int(t.lines[i].end) }

// Ref is the ref of the element that a line shows, "" where it shows none.
func (t *Text) Ref(i int) string {
	l := &t.lines[i]
	if l.kind != ElementLine && l.kind != ChangedLine {
		return ""
	}
	return t.text[l.ref : l.ref+l.refLen]
}

// Find is the first line that shows the element with a ref, -1 for none.
func (t *Text) Find(ref string) int {
	if t.refs == 0 || ref == "" {
		return -1
	}
	t.indexed.Do(t.index)
	return int(t.byRef[t.slot(ref)])
}

// LineOf is the first line of a text that shows the element with a ref, as Find would
// tell, for who asks that of a text and nothing else: only lines that hold the ref are
// read. ok is false where none shows it.
func LineOf(text string, d Dialect, ref string) (raw string, ok bool) {
	if ref == "" || strings.Contains(ref, "\n") { // no line has one
		return "", false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], ref)
		if i < 0 {
			return "", false
		}
		from := strings.LastIndexByte(text[:at+i], '\n') + 1
		at = len(text)
		if n := strings.IndexByte(text[from:], '\n'); n >= 0 {
			at = from + n
		}
		if raw = text[from:at]; Own(raw, d) == ref {
			return raw, true
		}
	}
}

// Unchanged is the first line that only names the element with a ref, -1 for
// none.
func (t *Text) Unchanged(ref string) int {
	for i := range t.lines {
		if l := &t.lines[i]; l.kind == UnchangedLine && t.text[l.ref:l.ref+l.refLen] == ref {
			return i
		}
	}
	return -1
}

// FindRole is the nth line, from 1, that shows an element of a role with a name;
// -1 for none. An empty name stands for any; an element without a written name
// is called by its value, as an agent reads it.
func (t *Text) FindRole(role, name string, nth int) int {
	for i := range t.lines {
		if k := t.lines[i].kind; k != ElementLine && k != ChangedLine || !strings.Contains(t.Raw(i), role) {
			continue
		}
		l := t.Line(i)
		if l.Role != role || name != "" && l.called() != name {
			continue
		}
		if nth--; nth <= 0 {
			return i
		}
	}
	return -1
}

// Called are the roles of the elements that the text shows, each with what FindRole
// calls the element.
func (t *Text) Called() iter.Seq2[string, string] {
	return func(yield func(role, name string) bool) {
		for i := range t.lines {
			if k := t.lines[i].kind; k == ElementLine || k == ChangedLine {
				if l := t.Line(i); !yield(l.Role, l.called()) {
					return
				}
			}
		}
	}
}

// called is the element's name, or its value where no name is written.
func (l *Line) called() string {
	if l.HasName {
		return l.Name()
	}
	return l.Value()
}

// RefAt is one element's ref in a text.
type RefAt struct {
	Ref        string
	Line       int // 0-based
	Start, End int // bytes of Ref in the text
}

// Refs are the refs of the elements that the text shows, in its order.
func (t *Text) Refs() iter.Seq[RefAt] {
	return func(yield func(RefAt) bool) {
		for i := range t.lines {
			ref := t.Ref(i)
			if from := int(t.lines[i].ref); ref != "" && !yield(RefAt{ref, i, from, from + len(ref)}) {
				return
			}
		}
	}
}

// Bytes is about what the Text takes in memory, its text included.
func (t *Text) Bytes() int {
	return len(t.text) + len(t.lines)*int(unsafe.Sizeof(lineAt{})) + t.slots()*4
}
