package reply

import (
	"strings"
	"unicode/utf8"

	"snapscope/replay/tape"
)

// Some agents store a result as the JSON its text came in, and give the model
// that. The snapshot is then found in the text, and cut out of the JSON.

// wrapped cuts the snapshot out of the form the model saw, where that is the
// JSON of the text. Where its place is not found, the whole form stands for the
// snapshot part, so that nothing is counted twice.
func wrapped(outer, before, snap string) (text, shown string, at int) {
	if i, n := escapedIn(outer, snap); i >= 0 {
		return outer[:i] + outer[i+n:], outer[i : i+n], i
	}
	if from, to, ok := spanIn(outer, len(before), len(snap)); ok && tape.Unescape([]byte(outer[from:to])) == snap {
		return outer[:from] + outer[to:], outer[from:to], from
	}
	if from, to, ok := endsIn(outer, snap); ok {
		return outer[:from] + outer[to:], outer[from:to], from
	}
	return "", outer, 0
}

// escapedIn is where Escape(snap) stands in outer, and its length; -1: nowhere. Its
// beginning is looked for, and the rest compared in place: pages are large.
func escapedIn(outer, snap string) (at, size int) {
	const enough, tries = 200, 8
	begin := tape.Escape(snap[:min(len(snap), enough)])
	for from, n := 0, 0; n < tries; n++ {
		i := strings.Index(outer[from:], begin)
		if i < 0 {
			return -1, 0
		}
		from += i
		if size := tape.Escaped(outer[from:], snap); size >= 0 {
			return from, size
		}
		from++
	}
	whole := tape.Escape(snap) // it begins as many things in outer do
	return strings.Index(outer, whole), len(whole)
}

// endsIn finds a snapshot by its beginning and its end, where a client that cut
// the source in the middle of an escape left something else in between.
func endsIn(outer, snap string) (from, to int, ok bool) {
	const enough = 200
	from = strings.Index(outer, tape.Escape(snap[:min(len(snap), enough)]))
	if from < 0 {
		return 0, 0, false
	}
	for k := 0; k <= 4 && k < len(snap); k++ { // or cut it at its end
		last := tape.Escape(snap[max(0, len(snap)-enough-k) : len(snap)-k])
		to = strings.LastIndex(outer, last) + len(last)
		switch {
		case to < max(from, len(last)):
		case k == 0:
			return from, to, true
		case len(outer)-to <= len(`\u0000`):
			return from, len(outer), true
		}
	}
	return 0, 0, false
}

// spanIn finds where size bytes of a JSON string's value begin and end in its
// source, skip bytes after the value's start. JSON has several ways to write
// most signs.
func spanIn(outer string, skip, size int) (from, to int, ok bool) {
	const lead = `"text":`
	i := strings.Index(outer, lead)
	if i < 0 {
		return 0, 0, false
	}
	i += len(lead)
	i += len(outer[i:]) - len(strings.TrimLeft(outer[i:], " \n"))
	if i >= len(outer) || outer[i] != '"' {
		return 0, 0, false
	}
	from = -1
	for i, n := i+1, 0; i < len(outer); {
		if from < 0 && n >= skip {
			from = i
		}
		if n >= skip+size {
			return from, i, true
		}
		if outer[i] == '"' {
			return 0, 0, false
		}
		if c := outer[i]; c != '\\' && c < utf8.RuneSelf {
			i++
			n++
			continue
		}
		width := unitAt(outer, i)
		n += len(tape.Unescape([]byte(outer[i : i+width])))
		i += width
	}
	return 0, 0, false
}

// unitAt is the width of one sign as JSON writes it: a byte, an escape, or the
// two escapes of a surrogate pair.
func unitAt(s string, i int) int {
	if s[i] != '\\' || i+1 >= len(s) {
		_, width := utf8.DecodeRuneInString(s[i:])
		return width
	}
	if s[i+1] != 'u' {
		return 2
	}
	if i+12 <= len(s) && s[i+6] == '\\' && s[i+7] == 'u' && (s[i+2] == 'd' || s[i+2] == 'D') && strings.ContainsRune("89abAB", rune(s[i+3])) {
		return 12
	}
	return min(6, len(s)-i)
}
