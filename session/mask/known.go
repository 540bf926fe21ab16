package mask

import (
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
)

// known are the secrets that were typed, to be found again in later texts.
type known struct {
	words []string
	long  []string
	has   map[string]bool
	find  *strings.Replacer // of words; nil where it has to be made again
}

func (k *known) learn(secret string) {
	secret = strings.Trim(secret, `"`)
	if secret == "" || secret == Masked {
		return
	}
	if len(secret) < shortOne {
		k.add(`'`+secret+`'`, maxKnown)
		k.add(`"`+secret+`"`, maxKnown)
		return
	}
	k.add(secret, maxKnown)
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

// masked is what stands in a secret's place: a short one keeps its quotes.
func masked(word string) string {
	if c := word[0]; len(word) < shortOne+2 && (c == '\'' || c == '"') && word[len(word)-1] == c {
		return string(c) + Masked + string(c)
	}
	return Masked
}

// mask takes every known secret out of a text. A replacer goes over the text
// once for all of them, and looks at most longOne bytes ahead.
func (k *known) mask(s string, count *int) string {
	for _, w := range k.long {
		if n := strings.Count(s, w); n > 0 {
			*count += n
			s = strings.ReplaceAll(s, w, Masked)
		}
	}
	if len(k.words) == 0 || !k.any(s) {
		return s
	}
	if k.find == nil {
		longest := slices.Clone(k.words)
		slices.SortStableFunc(longest, func(a, b string) int { return len(b) - len(a) })
		var pairs []string
		for _, w := range longest {
			pairs = append(pairs, w, masked(w))
		}
		k.find = strings.NewReplacer(pairs...)
	}
	before := strings.Count(s, Masked)
	s = k.find.Replace(s)
	*count += max(0, strings.Count(s, Masked)-before)
	return s
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
