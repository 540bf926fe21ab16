package mask

import (
	"strings"

	"snapscope/snapshot/notation"
)

// minKey is the shortest word that is looked at as a key.
const minKey = 20

// keyForms are the starts of words that are keys of well-known services, after
// their own documents (GitHub's "token formats", Stripe's "API keys", Slack's
// "token types", AWS's "unique identifiers", RFC 7519 for JWTs).
var keyForms = []string{
	"sk-", "sk_live_", "sk_test_", "rk_live_", "ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "glpat-",
	"xoxb-", "xoxp-", "xoxa-", "AKIA", "ASIA", "AIza", "npm_", "hf_", "eyJ", "ya29.", "SG.", "pypi-",
}

// keyWords finds words that have the form of a service's key. It looks at every
// twentieth byte first: a word that long cannot hide between two of them.
func keyWords(s string, cut func(from, to int, learn bool)) {
	from := 0
	for i := minKey - 1; i < len(s); i += minKey {
		if !isKeyByte(s[i]) {
			continue
		}
		start := i
		for start > from && isKeyByte(s[start-1]) {
			start--
		}
		end := i + 1
		for end < len(s) && isKeyByte(s[end]) {
			end++
		}
		if end-start >= minKey && isKey(s[start:end]) {
			cut(start, end, false)
			from = end
		}
		if end-1 > i {
			i = end - 1
		}
	}
}

func isKeyByte(c byte) bool { return keyBytes[c] }

var keyBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = isWordByte(byte(c)) || c == '-' || c == '.'
	}
	return is
}()

func isKey(word string) bool {
	for _, f := range keyForms {
		if !strings.HasPrefix(word, f) {
			continue
		}
		switch f {
		case "AKIA", "ASIA":
			return len(word) == 20 && strings.ToUpper(word) == word
		case "eyJ": // a JWT has three parts
			return strings.Count(word, ".") == 2
		}
		return strings.ContainsAny(word[len(f):], "0123456789")
	}
	return false
}

// maxName is how far back a parameter's name is looked for, in bytes.
const maxName = 64

// nameBefore is the name that ends at i: where it begins.
func nameBefore(s string, i int) int {
	from := i
	for from > 0 && i-from < maxName && (isWordByte(s[from-1]) || s[from-1] == '-' || s[from-1] == '.') {
		from--
	}
	return from
}

// parameters finds name=value in URLs, forms and cookies.
func parameters(s string, cut func(from, to int, learn bool)) {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '=')
		if i < 0 {
			return
		}
		i += at
		at = i + 1
		if i == 0 || !endsSecretName(s[i-1]) {
			continue
		}
		from := nameBefore(s, i)
		if from == i || !isSecretName(s[from:i]) || from > 0 && strings.IndexByte("?&#;, \t\n\"'({[`/\\", s[from-1]) < 0 {
			continue
		}
		to := i + 1
		if to < len(s) && (s[to] == '"' || s[to] == '\'') {
			to++
		}
		begin := to
		for to < len(s) && strings.IndexByte("&#;\"'`<>)]}\\ \t\r\n", s[to]) < 0 {
			to++
		}
		if isSecretValue(s[from:i], s[begin:to]) {
			cut(begin, to, false)
		}
		at = max(at, to)
	}
}

// jsonValues finds "name": "value", also where the JSON stands in a string.
func jsonValues(s string, cut func(from, to int, learn bool)) {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], ':') - 1 // seldomer than a quote
		if i < -1 {
			return
		}
		i += at
		at = i + 2
		if i < 0 || s[i] != '"' {
			continue
		}
		end, quote := i, `"`
		if end > 0 && s[end-1] == '\\' {
			end--
			quote = `\"`
		}
		if end == 0 || !endsSecretName(s[end-1]) {
			continue
		}
		from := nameBefore(s, end)
		if !strings.HasSuffix(s[:from], quote) || !isSecretName(s[from:end]) {
			continue
		}
		v := at
		for v < len(s) && v < at+8 && (s[v] == ' ' || s[v] == '\n' || s[v] == '\t') {
			v++
		}
		if !strings.HasPrefix(s[v:], quote) {
			continue
		}
		v += len(quote)
		to := stringEnd(s, v, quote)
		if isSecretValue(s[from:end], s[v:to]) {
			cut(v, to, false)
		}
		at = max(at, to)
	}
}

// stringEnd is where the string that began before i ends: at its quote, a line
// break or the text's end.
func stringEnd(s string, i int, quote string) int {
	for i < len(s) {
		switch {
		case len(quote) == 2 && strings.HasPrefix(s[i:], `\\\"`): // a quote in a string in a string
			i += 3
		case strings.HasPrefix(s[i:], quote), s[i] == '\n':
			return i
		case s[i] == '\\':
			i++
		}
		i++
	}
	return len(s)
}

// headers finds what follows Authorization, a cookie header and "Bearer".
func headers(s string, cut func(from, to int, learn bool)) {
	f := newFinder(s, "earer ", "ookie: ", "uthorization: ")
	for at := 0; ; {
		i, word := f.from(at)
		if i < 0 {
			return
		}
		from := i + len(word)
		at = from
		least := 16
		if word == "uthorization: " && len(s) > from && strings.HasPrefix(s[from+1:], "asic ") && strings.EqualFold(s[from:from+1], "b") {
			from, least = from+len("Basic "), 12
		}
		to := from
		for to < len(s) && strings.IndexByte("\"'`\\<>\r\n", s[to]) < 0 && (s[to] != ' ' || word == "ookie: ") && (s[to] != ',' || word == "ookie: ") {
			to++
		}
		switch before := s[max(0, i-1):i]; {
		case word == "earer " && strings.EqualFold(before, "b") && to-from >= 16 && !strings.HasPrefix(s[from:to], "token"):
		case word == "ookie: " && strings.EqualFold(before, "c") && strings.Contains(s[from:to], "="):
		case word == "uthorization: " && strings.EqualFold(before, "a") && to-from >= least:
		default:
			continue
		}
		cut(from, to, false)
		at = max(at, to)
	}
}

// finder finds the next of some words in a text, going over it once a word.
type finder struct {
	s     string
	words []string
	next  []int // of each word, at or behind where it was last asked for
}

func newFinder(s string, words ...string) *finder {
	f := &finder{s: s, words: words, next: make([]int, len(words))}
	for i := range f.next {
		f.next[i] = -1
	}
	return f
}

// from is the first word at or behind at; -1 where there is none.
func (f *finder) from(at int) (i int, word string) {
	i = len(f.s)
	for k, w := range f.words {
		if f.next[k] < at {
			f.next[k] = indexRare(f.s, w, at)
		}
		if f.next[k] < i {
			i, word = f.next[k], w
		}
	}
	if word == "" {
		return -1, ""
	}
	return i, word
}

// rareBytes are bytes that pages hold seldom, the rarest first.
const rareBytes = "<>(_zqjxk"

// indexRare is where a word stands at or behind at, and the text's length where
// it does not. It looks for the word's rarest byte, which is many times as fast
// as looking for a word of common letters.
func indexRare(s, word string, at int) int {
	in := -1
	for k := 0; k < len(rareBytes) && in < 0; k++ {
		in = strings.IndexByte(word, rareBytes[k])
	}
	if in < 0 {
		if n := strings.Index(s[min(at, len(s)):], word); n >= 0 {
			return at + n
		}
		return len(s)
	}
	for i := at + in; i < len(s); i++ {
		n := strings.IndexByte(s[i:], word[in])
		if n < 0 {
			break
		}
		if i += n; strings.HasPrefix(s[i-in:], word) {
			return i - in
		}
	}
	return len(s)
}

// userInfo finds the password in https://user:password@host.
func userInfo(s string, cut func(from, to int, learn bool)) {
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			return
		}
		at += i + len("://")
		colon := -1
		for j := at; j < len(s) && j < at+256 && strings.IndexByte("/?# \t\r\n\"'<>", s[j]) < 0; j++ {
			if s[j] == ':' && colon < 0 {
				colon = j
			}
			if s[j] == '@' && colon >= 0 && j > colon+1 {
				cut(colon+1, j, true)
				break
			}
		}
	}
}

// fillCalls are the calls of Playwright, Puppeteer and Selenium that type into
// a field, as their code writes them. A page's own code sets .value.
var fillCalls = []string{".fill(", ".pressSequentially(", ".type(", ".send_keys("}

// fills is the length of the call that a text ends with the beginning of; 0
// where it ends with none.
func fills(s string) int {
	for _, call := range fillCalls {
		if strings.HasSuffix(s, call) {
			return len(call)
		}
	}
	return 0
}

// filledInCode finds the last string of a call that fills a field, where the
// words before it on its line tell of a secret.
func filledInCode(s string, cut func(from, to int, learn bool)) {
	f := newFinder(s, "(", ".value = ")
	for at := 0; ; {
		i, call := f.from(at)
		if i < 0 {
			return
		}
		at = i + len(call)
		if call == "(" {
			n := fills(s[:at])
			if n == 0 {
				continue
			}
			i = at - n
		}
		line := max(strings.LastIndexByte(s[max(0, i-400):i], '\n')+max(0, i-400)+1, 0)
		end := at
		for end < len(s) && end < at+1000 && s[end] != '\n' && s[end] != ';' {
			end++
		}
		from, to := lastString(s, at, end)
		if from < to && SaysSecret(s[line:from]) {
			cut(from, to, true)
			at = to
		}
	}
}

// lastString is the inside of the last string literal of one piece of code.
func lastString(s string, at, end int) (from, to int) {
	for i := at; i < end; i++ {
		q := s[i]
		if q != '\'' && q != '"' && q != '`' {
			continue
		}
		j := i + 1
		for j < end && s[j] != q {
			if s[j] == '\\' {
				j++
			}
			j++
		}
		if j >= end {
			break
		}
		from, to = i+1, j
		i = j
	}
	return from, to
}

// plainLines is the length of the rest of a line and of the lines behind it that are
// no page's.
func plainLines(s string) int {
	for at := 0; ; {
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			return len(s)
		}
		at += n + 1
		line, _, _ := strings.Cut(s[at:], "\n")
		if l, _ := readLine(line); l.Kind != notation.OtherLine {
			return at - 1
		}
	}
}

// privateKeys finds the body of a PEM private key (RFC 7468). One without an end is
// cut off; what follows it as a page's line is no part of it.
func privateKeys(s string, cut func(from, to int, learn bool)) {
	const mark = "PRIVATE KEY-----"
	noEnd := false
	for at := 0; ; {
		i := strings.Index(s[at:], mark)
		if i < 0 {
			return
		}
		from := at + i + len(mark)
		end := -1
		if !noEnd {
			end = strings.Index(s[from:], "-----END")
		}
		if end < 0 {
			noEnd, end = true, plainLines(s[from:])
		}
		if strings.Contains(s[max(0, from-len(mark)-32):from], "-----BEGIN ") {
			cut(from, from+end, false)
		}
		at = min(len(s), from+end+len("-----END"))
		if j := strings.Index(s[at:min(len(s), at+48)], mark); j >= 0 { // the end mark's own words
			at += j + len(mark)
		}
	}
}

// cookieValues finds the value of every name=value and of every JSON field
// "value" in an answer that holds cookies or a page's storage.
func cookieValues(s string, cut func(from, to int, learn bool)) {
	f := newFinder(s, "=", `"value": "`, `"value":"`)
	line, ofPage := 0, false // where the line ends that is read, and whether it is a page's
	for at := 0; ; {
		i, word := f.from(at)
		if i < 0 {
			return
		}
		at = i + len(word)
		to := at
		if word != "=" {
			to = stringEnd(s, at, `"`)
		} else if name := nameBefore(s, i); name == i || name > 0 && strings.IndexByte("?&", s[name-1]) >= 0 {
			continue // a parameter of an address is masked by its name
		} else {
			for to < len(s) && strings.IndexByte(";\"'`\\ \r\n", s[to]) < 0 {
				to++
			}
		}
		if i >= line {
			start := strings.LastIndexByte(s[line:i], '\n') + 1 + line
			if line = len(s); strings.IndexByte(s[i:], '\n') >= 0 {
				line = i + strings.IndexByte(s[i:], '\n')
			}
			l, _ := readLine(s[start:line])
			ofPage = l.Own() != "" || l.Kind == notation.PropertyLine
		}
		if to-at >= 4 && !ofPage {
			cut(at, to, false)
		}
		at = max(at, to)
	}
}
