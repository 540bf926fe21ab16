package ledger

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"snapscope/snapshot/wording"
)

// Sheet is what is reported of one recording: the same session under one policy
// or several.
type Sheet struct {
	Recording string // the file as it was named
	Encoding  string // how tokens are counted
	Prices    string // date of the price table; "" none
	Outcome   string // how the session ended, as it was judged; "" not known
	Reports   []*Report

	AsSent     *Report   // what the session really sent; nil: not worked out
	Full       *Report   // every page in full
	Bill       *Bill     // what the input was made of; nil: not worked out
	Advice     *Advice   // nil: not worked out
	Candidates []*Report // what was tried for the advice, Reports among them
	Worth      *Worth    // nil: not asked for
}

// head is any report: what does not depend on the policy stands in each.
func (s Sheet) head() *Report {
	if len(s.Reports) == 0 {
		return &Report{}
	}
	return s.Reports[0]
}

// Dollars writes a cost with four digits that count, at least two places.
func Dollars(c *float64) string {
	if c == nil {
		return "–"
	}
	places := 2
	for f := math.Abs(*c); f > 0 && f < 10 && places < 6; f *= 10 {
		places++
	}
	if *c < 0 {
		return "−$" + strconv.FormatFloat(-*c, 'f', places, 64)
	}
	return "$" + strconv.FormatFloat(*c, 'f', places, 64)
}

// Label says how the survival is told: 4/4, or 3/4 75.0 %.
func (s Survival) Label() string {
	switch {
	case s.Unknown:
		return "not known"
	case s.Acted == 0:
		return "–"
	case s.Survived == s.Acted:
		return fmt.Sprintf("%d/%d", s.Survived, s.Acted)
	}
	return fmt.Sprintf("%d/%d %s", s.Survived, s.Acted, wording.Percent(s.Ratio()))
}

// Verdict says in one sentence whether the expiry paid.
func (e Expiry) Verdict() string {
	what := fmt.Sprintf("call %d: clearing %s tokens made %s be ", e.Call, wording.Count(e.tokens()), wording.Count(e.Rewritten))
	switch {
	case !e.Known:
		return what + "sent again; without prices it is not known whether that paid"
	case e.BreakEven < 0:
		return what + "cached again and saved nothing: it never pays"
	}
	net := e.Net()
	word := "saved"
	if !e.Paid {
		word = "lost"
	}
	needed := math.Ceil(e.BreakEven - 1e-9)
	was := "were"
	if needed == 1 {
		was = "was"
	}
	out := what + fmt.Sprintf("cached again; %s followed, %.0f %s needed: %s tokens %s",
		wording.Plural(e.CallsLeft, "call"), needed, was, wording.Count(int(math.Round(math.Abs(net)))), word)
	if e.USD != nil {
		usd := math.Abs(net * *e.USD)
		out += " (" + Dollars(&usd) + ")"
	}
	return out
}

func (e Expiry) tokens() (n int) {
	for _, c := range e.Cleared {
		n += c.Tokens
	}
	return n
}

// plain makes a text of unknown origin safe to print: what is not a visible
// character is written as its number, so no byte of a page reaches a terminal as
// a command.
func plain(s string) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if unprintable(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return r == unicode.ReplacementChar || r != ' ' && !unicode.IsPrint(r) }
