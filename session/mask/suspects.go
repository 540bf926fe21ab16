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
	for i := 0; i < len(s); i++ {
		if !telling[s[i]] {
			continue
		}
		switch s[i] {
		case 'x':
			if strings.HasSuffix(s[:i], "bo") && !strings.HasSuffix(s[:i], "checkbo") {
				set |= 1 << ofFields
			}
		case '<':
			if strings.HasPrefix(s[i:], "<input") {
				set |= 1 << ofFields
			}
		case 'k':
			if strings.HasPrefix(s[i:], "kie: ") {
				set |= 1 << ofHeaders
			}
		case 'z':
			if strings.HasPrefix(s[i:], "zation: ") {
				set |= 1 << ofHeaders
			}
		case 'b', 'B':
			if strings.HasPrefix(s[i+1:], "earer ") {
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
		}
	}
	return set
}

// telling are the bytes that suspects looks around.
var telling = func() (is [256]bool) {
	for _, c := range []byte("x<kzbB(=:") {
		is[c] = true
	}
	return is
}()

// suspectAssignment looks at name=value and .value = "…".
func suspectAssignment(s string, i int) (set uint8) {
	if i == 0 {
		return 0
	}
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

// suspectColon looks at "name": and ://.
func suspectColon(s string, i int) (set uint8) {
	if strings.HasPrefix(s[i:], "://") {
		set = 1 << ofUserInfo
	}
	if i >= 2 && s[i-1] == '"' && (s[i-2] == '\\' || endsSecretName(s[i-2])) {
		set |= 1 << ofJSON
	}
	return set
}
