package notation

import "strings"

// plain is what Read keeps of a plain element's line.
type plain struct {
	indent, refFrom, refTo int
}

// readPlain reads the lines that pages are mostly made of,
//
//   - role "name" [attribute] [ref=e5]: value
//
// without an escape or a comma in them, in a single pass and several times as
// fast as Line.read, which it agrees with. ok is false for every other line.
func readPlain(raw string) (p plain, ok bool) {
	at := 0
	for at < len(raw) && raw[at] == ' ' {
		at++
	}
	p.indent = at
	if len(raw)-at < 3 || raw[at] != '-' || raw[at+1] != ' ' || !letter(raw[at+2]) {
		return p, false
	}
	at += 2
	role := at
	for at < len(raw) && inRole[raw[at]] {
		at++
	}
	if raw[role:at] == "text" {
		return p, false
	}
	if strings.HasPrefix(raw[at:], ` "`) {
		for at += 2; at < len(raw) && raw[at] != '"'; at++ {
			if raw[at] == '\\' {
				return p, false
			}
		}
		if at++; at > len(raw) {
			return p, false
		}
	} else if strings.HasPrefix(raw[at:], " /") {
		return p, false
	}
	for at+1 < len(raw) && raw[at] == ' ' && raw[at+1] == '[' {
		at += 2
		from := at
		for at < len(raw) && raw[at] != ']' {
			if raw[at] == ',' {
				return p, false
			}
			at++
		}
		if at == len(raw) {
			return p, false
		}
		if p.refTo == 0 && strings.HasPrefix(raw[from:at], refKey) && at > from+len(refKey) {
			p.refFrom, p.refTo = from+len(refKey), at
		}
		at++
	}
	return p, at == len(raw) || raw[at] == ':'
}

// inRole are the bytes of a role behind its first.
var inRole = func() (in [256]bool) {
	for c := range in {
		in[c] = word(byte(c)) || c == '-'
	}
	return in
}()
