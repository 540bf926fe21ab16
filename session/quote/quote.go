// Package quote finds what a model took from the pages it read: the numbers, dates,
// codes, addresses, names and quoted words in what it says, and whether a page has them.
//
//	what a model says or types ─▶ Candidates ─▶ Finder.Add ─┐
//	a line of a page ──────────────────────────▶ Finder.Find ┴▶ which candidates stand there
//
// Both sides are cut into words in the same way (words.go), so that digits of any
// script, spaces of any width and full-width signs compare equal, and a number is found
// only as a whole: 12 does not stand in 12.5, 12,000 or 2024-12-01.
//
// A text is bounded by what a model can write in one answer; a Finder holds all
// candidates of a session in one tree, and a page is gone through once, however many
// candidates there are.
package quote

import (
	"strings"
	"unicode/utf8"
)

// Candidate is a piece of text that may come from a page.
type Candidate struct {
	Text  string   // as it stands in the text
	Words []string // what is compared
	From  int      // its words' places in the text; of two that overlap the longer one counts
	To    int
}

const (
	mostText       = 256 << 10 // bytes of one text that are looked at
	mostCandidates = 1000      // of one text
	mostWords      = 64        // of a quoted text
	mostName       = 6         // words of a name
	shortestCode   = 5         // characters of letters and digits together
)

// Candidates are the pieces of a text that may come from a page. cut says that the text
// has more than are looked at.
func Candidates(text string) (out []Candidate, cut bool) {
	if len(text) > mostText {
		n := mostText
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text, cut = text[:n], true
	}
	c := collector{text: text}
	scan(text, func(w *word) { c.words = append(c.words, said{string(w.norm), *w}) })
	for i := range c.words {
		c.number(i)
		c.date(i)
		c.code(i)
	}
	c.names()
	c.quoted()
	if len(c.out) > mostCandidates {
		c.out, cut = c.out[:mostCandidates], true
	}
	return c.out, cut
}

// collector gathers the candidates of one text.
type collector struct {
	text  string
	words []said
	out   []Candidate
}

// said is a word of what a model says.
type said struct {
	norm string
	word
}

func (c *collector) add(from, to int) {
	words := make([]string, 0, to-from)
	for _, w := range c.words[from:to] {
		words = append(words, w.norm)
	}
	c.out = append(c.out, Candidate{c.text[c.words[from].from:c.words[to-1].to], words, from, to})
}

// gap is what stands between word i and the one before it.
func (c *collector) gap(i int) string {
	if i <= 0 || i >= len(c.words) {
		return "\n"
	}
	return c.text[c.words[i-1].to:c.words[i].from]
}

// handles are the words behind which a number names an element or a step and is
// nothing that a page says.
var handles = map[string]bool{"ref": true, "index": true, "uid": true, "element": true, "node": true, "step": true}

// number takes word i where it is a number of two digits and more, with its groups of
// three and its percent or currency sign.
func (c *collector) number(i int) {
	w := c.words[i]
	if w.letters > 0 || w.digits == 0 || i > 0 && handles[c.words[i-1].norm] {
		return
	}
	if w.from > 0 && c.text[w.from-1] == '[' && w.to < len(c.text) && c.text[w.to] == ']' {
		return // an element's handle
	}
	if i > 0 && c.group(i) && len(c.words[i-1].norm) <= 3 && c.words[i-1].letters == 0 && c.words[i-1].digits == len(c.words[i-1].norm) {
		return // it is told with the one before
	}
	from, to, digits := i, i+1, w.digits
	if w.digits <= 3 && w.digits == len(w.norm) {
		for c.group(to) {
			digits, to = digits+3, to+1
		}
	}
	signed := false
	if i > 0 && c.words[i-1].sign && blank(c.gap(i)) {
		from, signed = i-1, true
	}
	if to < len(c.words) && c.words[to].sign && blank(c.gap(to)) {
		to, signed = to+1, true
	}
	plain := to-from == 1 && w.digits == len(w.norm)
	switch {
	case digits < 2 && !signed, digits == 1 && len(w.norm) == 1: // below ten
	case plain && w.digits == 2 && w.norm[0] == '0':
	case plain && w.digits == 4 && (w.norm[:2] == "19" || w.norm[:2] == "20"): // a year by itself
	default:
		c.add(from, to)
	}
}

// group reports that word i is three digits behind a blank: the next group of a number.
func (c *collector) group(i int) bool {
	return i > 0 && i < len(c.words) && c.words[i].digits == 3 && len(c.words[i].norm) == 3 && c.gap(i) != "" && blank(c.gap(i))
}

// blank reports a gap of at most one space, of whatever width.
func blank(gap string) bool {
	n := utf8.RuneCountInString(gap)
	return n == 0 || n == 1 && strings.TrimSpace(gap) == "" && gap != "\n"
}

var months = map[string]bool{
	"jan": true, "january": true, "feb": true, "february": true, "mar": true, "march": true, "apr": true, "april": true, "may": true, "jun": true, "june": true,
	"jul": true, "july": true, "aug": true, "august": true, "sep": true, "sept": true, "september": true, "oct": true, "october": true, "nov": true, "november": true, "dec": true, "december": true,
}

// date takes a month with its day, and the year behind them.
func (c *collector) date(i int) {
	if !months[c.words[i].norm] {
		return
	}
	day := func(k int) bool {
		return k >= 0 && k < len(c.words) && c.words[k].digits > 0 && c.words[k].digits <= 2 && len(c.words[k].norm) <= c.words[k].digits+2
	}
	from, to := i, i+1
	switch {
	case day(i+1) && len(c.gap(i+1)) <= 2:
		to = i + 2
	case day(i-1) && len(c.gap(i)) <= 2:
		from = i - 1
	default:
		return
	}
	if to < len(c.words) && c.words[to].digits == 4 && len(c.words[to].norm) == 4 && len(c.gap(to)) <= 2 {
		to++
	}
	c.add(from, to)
}

// code takes letters and digits together, addresses and paths.
func (c *collector) code(i int) {
	w := c.words[i]
	switch {
	case w.letters > 0 && w.digits > 0 && w.letters+w.digits >= shortestCode:
	case strings.Contains(w.norm, "@") && strings.Contains(w.norm, "."):
	case i > 0 && c.gap(i) == "://":
		c.add(i-1, i+1)
		return
	case strings.Count(w.norm, "/") > 1 || strings.Contains(w.norm, "/") && w.from > 0 && c.text[w.from-1] == '/':
	default:
		return
	}
	c.add(i, i+1)
}

// names takes runs of two and more capitalised words, and without their first one where
// that only begins a sentence.
func (c *collector) names() {
	for i := 0; i < len(c.words); i++ {
		n := 0
		for i+n < len(c.words) && n < mostName && c.words[i+n].upper && (n == 0 || c.gap(i+n) == " ") {
			n++
		}
		if n < 2 {
			continue
		}
		c.add(i, i+n)
		if before := strings.TrimRight(c.text[:c.words[i].from], ` *_"'`); n > 2 && (before == "" || strings.ContainsRune(".!?:\n-", rune(before[len(before)-1]))) {
			c.add(i+1, i+n)
		}
		i += n - 1
	}
}

var closing = map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '»': "«", '「': "」", '『': "』", '‘': "’"}

// quoted takes what stands in quotation marks, of two words and more.
func (c *collector) quoted() {
	at := 0 // the first word behind what was looked at
	for i := 0; i < len(c.text); {
		r, size := utf8.DecodeRuneInString(c.text[i:])
		ends, opens := closing[r]
		i += size
		if !opens {
			continue
		}
		line := c.text[i:]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n]
		}
		n := strings.IndexAny(line[:min(len(line), 2048)], ends)
		if n < 0 {
			continue
		}
		for at < len(c.words) && c.words[at].from < i {
			at++
		}
		to := at
		for to < len(c.words) && c.words[to].to <= i+n && to-at <= mostWords {
			to++
		}
		if to-at >= 2 && to-at <= mostWords {
			c.add(at, to)
		}
		_, size = utf8.DecodeRuneInString(c.text[i+n:])
		i += n + size
	}
}

// Words are the words of a text as they are compared.
func Words(text string) (out []string) {
	scan(text, func(w *word) { out = append(out, string(w.norm)) })
	return out
}
