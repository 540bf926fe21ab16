package mask

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// The bounds of what is remembered: secrets in number, and how many of them may
// be longer than a password is.
const (
	maxKnown = 200
	maxLong  = 20
	longOne  = 128 // bytes
	shortOne = 6   // bytes: a shorter secret stands in innocent text, so it is found only as code quotes it
	// A number that is shorter may be a count, so it is found only in quotes, too.
	shortNumber = 8
	shortLine   = 16      // bytes: of a secret of several lines, one that is shorter may stand elsewhere
	longText    = 8 << 10 // bytes: a longer secret is not taken apart
)

// known are the secrets that were typed, to be found again in later texts.
type known struct {
	words []string
	long  []string
	has   map[string]bool
	// find and sorted are of words, the longest first; nil where they have to be made again.
	find   *strings.Replacer
	sorted []string
}

// learn remembers a secret in the forms in which it may turn up again: as it is, as
// a page shows white space, within JSON and in an address. A line of it is one, too.
func (k *known) learn(secret string) {
	secret = strings.Trim(secret, `"`)
	switch {
	case len(secret) < 2 || secret == Masked:
		return
	case len(secret) < shortOne || len(secret) < shortNumber && strings.Trim(secret, "0123456789") == "":
		k.add(`'`+secret+`'`, maxKnown)
		k.add(`"`+secret+`"`, maxKnown)
		return
	}
	lines := strings.FieldsFunc(secret, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 1 {
		k.add(secret, maxKnown)
	}
	k.add(strings.Join(strings.Fields(secret), " "), maxKnown)
	if quoted, err := json.Marshal(secret); err == nil {
		k.add(string(quoted[1:len(quoted)-1]), maxKnown)
	}
	k.add(url.QueryEscape(secret), maxKnown)
	if len(lines) > 1 && len(secret) < longText {
		for _, l := range lines {
			if l = strings.TrimSpace(l); len(l) >= shortLine && !strings.HasPrefix(l, "-----") {
				k.add(l, maxKnown)
			}
		}
	}
}

func (k *known) add(word string, most int) {
	if k.has[word] {
		return
	}
	switch {
	case len(word) > longOne && len(k.long) < maxLong:
		k.long = append(k.long, word)
	case len(word) <= longOne && len(k.words) < most:
		k.words = append(k.words, word)
		k.find = nil
	default:
		return
	}
	if k.has == nil {
		k.has = map[string]bool{}
	}
	k.has[word] = true
}

// mask takes every known secret out of what a text says. A replacer goes over the
// text once for all of them and looks at most longOne bytes ahead; only a text that
// holds one is read a second time, for the places.
func (k *known) mask(s string, count *int) string {
	if len(k.long) > 0 {
		s = k.cut(s, k.long, count)
	}
	if len(k.words) == 0 || !k.any(s) {
		return s
	}
	if k.find == nil {
		k.sorted = slices.Clone(k.words)
		slices.SortStableFunc(k.sorted, func(a, b string) int { return len(b) - len(a) })
		var pairs []string
		for _, w := range k.sorted {
			pairs = append(pairs, w, Masked)
		}
		k.find = strings.NewReplacer(pairs...)
	}
	if k.find.Replace(s) == s {
		return s
	}
	return k.cut(s, k.sorted, count)
}

// cut masks words in a text; of two at one place the first in the list goes.
func (k *known) cut(s string, words []string, count *int) string {
	e, f := editor{s: s}, newFinder(s, words...)
	for at := 0; ; {
		i, w := f.from(at)
		if i < 0 {
			return e.text()
		}
		at = i + 1
		from, to := i, i+len(w)
		if inPath(s, from, to) {
			continue
		}
		if c := w[0]; (c == '\'' || c == '"') && w[len(w)-1] == c { // the quotes stay
			from, to = from+1, to-1
		}
		if e.mask(from, to, Masked) > 0 {
			*count++
			at = i + len(w)
		}
	}
}

// any is a quick look that spares most texts the replacer.
func (k *known) any(s string) bool {
	if len(k.words) > 8 {
		return true
	}
	for _, w := range k.words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}
