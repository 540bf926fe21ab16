package mask

import "strings"

// The passes by number, see passes.
const (
	ofFields = iota
	ofKeyWords
	ofParameters
	ofJSON
	ofHeaders
	ofUserInfo
	ofCode
	ofPrivateKeys
)

// suspects goes over a text once and answers, as a set of bits, which passes may
// find something in it. Most pages hold nothing for most passes. Every pass that
// finds something is in the set; one that is may still find nothing.
func suspects(s string) (set uint8) {
	set = 1<<ofKeyWords | 1<<ofPrivateKeys // quick looks of their own
	for i := 1; i < len(s); i++ {
		if !telling[uint16(s[i-1])<<8|uint16(s[i])] {
			continue
		}
		switch s[i] {
		case 'x':
			if strings.HasSuffix(s[:i], "bo") && !strings.HasSuffix(s[:i], "checkbo") {
				set |= 1 << ofFields
			}
		case 'i':
			if strings.HasPrefix(s[i:], "input") {
				set |= 1 << ofFields
			}
		case 'e':
			if strings.HasPrefix(s[i:], "earer ") {
				set |= 1 << ofHeaders
			}
		case '(':
			if fills(s[:i+1]) > 0 {
				set |= 1 << ofCode
			}
		case '=':
			set |= suspectAssignment(s, i)
		case ':':
			set |= suspectColon(s, i)
		case '/':
			if strings.HasPrefix(s[i:], "//") {
				set |= 1 << ofUserInfo
			}
		}
	}
	return set
}

// telling are the pairs of bytes, the first in the high half, that suspects looks
// around: few enough in a page that the loop runs on.
var telling = func() (is [1 << 16]bool) {
	for _, pair := range []string{"ox", "<i", "be", "Be", "e:", "n:", `":`, ":/", " ="} {
		is[uint16(pair[0])<<8|uint16(pair[1])] = true
	}
	for c := range 256 {
		is[c<<8|'('] = true
		if endsSecretName(byte(c)) {
			is[c<<8|'='] = true
		}
	}
	return is
}()

// suspectAssignment looks at name=value and .value = "…".
func suspectAssignment(s string, i int) (set uint8) {
	if s[i-1] == ' ' {
		if strings.HasSuffix(s[:i], ".value ") {
			set = 1 << ofCode
		}
		return set
	}
	if endsSecretName(s[i-1]) && isSecretName(s[nameBefore(s, i):i]) {
		set = 1 << ofParameters
	}
	return set
}

// suspectColon looks at "name": and at the headers that carry secrets.
func suspectColon(s string, i int) (set uint8) {
	if s[i-1] != '"' {
		if strings.HasSuffix(s[:i], "kie") || strings.HasSuffix(s[:i], "zation") {
			return 1 << ofHeaders
		}
		return 0
	}
	if i >= 2 && (s[i-2] == '\\' || endsSecretName(s[i-2])) {
		return 1 << ofJSON
	}
	return 0
}
