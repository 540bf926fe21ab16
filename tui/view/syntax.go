package view

import (
	"strings"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/textdiff"
)

// Part is one piece of a snapshot line with what it is.
type Part struct {
	From, To int // bytes of the line
	Kind     PartKind
}

// PartKind says what a piece of a line is.
type PartKind uint8

// The kinds of a part. PartText is a line that is not in the notation.
const (
	PartText PartKind = iota
	PartBullet
	PartRole
	PartName
	PartState
	PartRef
	PartValue
)

// LineParts takes a line of a snapshot apart for drawing, in the order of the
// line. It never fails: what is not in the notation is text. buf is reused.
//
//   - button "Save" [disabled] [ref=e5]: text
//     role   name   state      ref       value
func LineParts(line string, d notation.Dialect, buf []Part) []Part {
	buf = buf[:0]
	l := notation.ReadLine(line, d)
	if l.Kind == notation.OtherLine {
		return append(buf, Part{0, len(line), PartText})
	}
	at := 0
	add := func(s notation.Span, k PartKind) {
		if s.From >= at && s.To > s.From && s.To <= len(line) {
			buf = append(buf, Part{s.From, s.To, k})
			at = s.To
		}
	}
	if i := len(line) - len(strings.TrimLeft(line, " \t")); strings.HasPrefix(line[i:], "- ") {
		add(notation.Span{From: i, To: i + 2}, PartBullet)
	}
	attrs := func() {
		for s := range l.Attrs() {
			k := PartState
			if !l.RefAt.Empty() && l.RefAt.From >= s.From && l.RefAt.To <= s.To {
				k = PartRef
			}
			add(bracketed(line, s), k)
		}
	}
	if l.AttrsAt.From < l.RoleAt.From || l.AttrsAt.From < l.NameAt.From {
		attrs() // dialects that begin with the handle
	}
	add(slashed(line, l.RoleAt), PartRole)
	add(l.NameAt, PartName)
	attrs()
	if !l.RefAt.Empty() {
		add(l.RefAt, PartRef)
	}
	add(l.ValueAt, PartValue)
	return buf
}

// bracketed widens an attribute's place to its brackets.
func bracketed(line string, s notation.Span) notation.Span {
	if s.From > 0 && line[s.From-1] == '[' && s.To < len(line) && line[s.To] == ']' {
		return notation.Span{From: s.From - 1, To: s.To + 1}
	}
	return s
}

// slashed widens a property's key to its slash.
func slashed(line string, s notation.Span) notation.Span {
	if s.From > 0 && !s.Empty() && line[s.From-1] == '/' {
		s.From--
	}
	return s
}

// WordDiff finds the words of now that are not in was, in order: what a person
// would point at.
func WordDiff(was, now string) []notation.Span {
	var out []notation.Span
	for _, e := range textdiff.Words(was, now) {
		if e.Op != textdiff.Insert {
			continue
		}
		from, to := e.B0, e.B1
		if from > 0 && to > from && now[from-1] == '[' && now[to-1] == '[' {
			from, to = from-1, to-1 // the same change, seen from the bracket that it begins with
		}
		for from < to && now[from] == ' ' {
			from++
		}
		for to > from && now[to-1] == ' ' {
			to--
		}
		switch k := len(out); {
		case from == to:
		case k > 0 && strings.TrimSpace(now[out[k-1].To:from]) == "":
			out[k-1].To = to
		default:
			out = append(out, notation.Span{From: from, To: to})
		}
	}
	return out
}
