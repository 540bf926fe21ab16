package ledger

import (
	"strings"

	"snapscope/session"
	"snapscope/snapshot/strategy"
)

// refSet is the refs of a text: those of the main frame as bits, others by name.
type refSet struct {
	bits  []uint64
	other map[string]struct{}
}

// maxBit bounds the memory that a ref with a huge number takes.
const maxBit = 1 << 20

// scan adds the refs that a text writes as handles and says how many it met.
func (s *refSet) scan(text string) (n int) {
	for _, lead := range [...]string{"ref=", "uid=", "["} {
		for at := 0; ; {
			i := strings.Index(text[at:], lead)
			if i < 0 {
				break
			}
			at += i + len(lead)
			end := at
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			if end > at && leads(text, at-len(lead), lead) {
				s.add(text[at:end])
				n++
			}
		}
	}
	return n
}

// visibleRefs is the refs that a rewritten text shows: not those of lines taken
// away, nor those of lines that only say what is unchanged. A line without a
// handle may be in a notation of the strategy's own, where a ref stands bare:
// after a space, a comma, a bracket or an @.
func visibleRefs(text string, lines []strategy.Line) *refSet {
	s := &refSet{}
	if lines == nil {
		s.scan(text)
		return s
	}
	n := -1
	for line := range strings.SplitSeq(text, "\n") {
		n++
		if n < len(lines) && lines[n].Mark == strategy.Removed {
			continue
		}
		if strings.Contains(line, "ref=") || strings.Contains(line, "uid=") {
			s.scan(line)
		} else if !strings.Contains(strings.ToLower(line), "unchanged") {
			s.scanBare(line)
		}
	}
	return s
}

func (s *refSet) scanBare(line string) {
	for i := 0; i < len(line); {
		if !wordByte(line[i]) {
			i++
			continue
		}
		end := i
		for end < len(line) && wordByte(line[end]) {
			end++
		}
		if word := line[i:end]; (i == 0 || strings.IndexByte(" ,[(@|\t", line[i-1]) >= 0) && (session.IsRef(word) || isUID(word)) {
			s.add(word)
		}
		i = end
	}
}

// isUID reads 1_21.
func isUID(word string) bool {
	a, b, ok := strings.Cut(word, "_")
	return ok && digits(a) && digits(b)
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func (s *refSet) add(ref string) {
	if n, ok := plainRef(ref); ok {
		for len(s.bits) <= n/64 {
			s.bits = append(s.bits, make([]uint64, n/64+1-len(s.bits))...)
		}
		s.bits[n/64] |= 1 << (n % 64)
		return
	}
	if s.other == nil {
		s.other = map[string]struct{}{}
	}
	s.other[ref] = struct{}{}
}

func (s *refSet) has(ref string) bool {
	if n, ok := plainRef(ref); ok {
		return n/64 < len(s.bits) && s.bits[n/64]&(1<<(n%64)) != 0
	}
	_, ok := s.other[ref]
	return ok
}

// plainRef reads e<N>.
func plainRef(ref string) (n int, ok bool) {
	if len(ref) < 2 || len(ref) > 8 || ref[0] != 'e' || ref[1] == '0' && len(ref) > 2 {
		return 0, false
	}
	for i := 1; i < len(ref); i++ {
		if ref[i] < '0' || ref[i] > '9' {
			return 0, false
		}
		n = n*10 + int(ref[i]-'0')
	}
	return n, n < maxBit
}

// leads reports whether what stands before a handle makes it one.
func leads(text string, i int, lead string) bool {
	switch lead {
	case "ref=":
		return i > 0 && (text[i-1] == '[' || (text[i-1] == ' ' && i > 1 && text[i-2] == ','))
	case "uid=":
		return i == 0 || text[i-1] == ' ' || text[i-1] == '\n'
	}
	return true
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
