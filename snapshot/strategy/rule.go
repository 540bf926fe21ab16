package strategy

import (
	"math"
	"strconv"
	"strings"

	"snapscope/snapshot/wording"
)

// Rule is one rule that a strategy asked, with everything that decided it. What
// a feature wants to know of a verdict it reads here; the sentence for people is
// made from it (String) and never read back.
type Rule struct {
	ID       string   // stable name of the rule; the knob's key where one decides
	Knob     string   // key of the knob that decided; "" where none did
	Value    float64  // the knob's value
	Measured float64  // what was held against it
	Limit    float64  // what it was held against: Value, or what follows from it
	Relation string   // how Measured stands to Limit: < ≤ ≥ >; "" where nothing is compared
	Outcome  string   // what came of it: delta, full, expired; "" where another rule decided
	Numbers  []int    // further numbers of the sentence
	Words    []string // further words of the sentence
	Form     string   // the sentence, with holes; see String
}

// Asked is a rule that a knob decides, its value held against what was measured.
func Asked(knob string, measured float64, relation string, value float64, outcome, form string) Rule {
	return Rule{
		ID: knob, Knob: knob, Value: value, Measured: measured, Limit: value, Relation: relation, Outcome: outcome, Form: form,
	}
}

// Said is a rule without a knob.
func Said(id, outcome, form string) Rule { return Rule{ID: id, Outcome: outcome, Form: form} }

// With adds numbers to a rule's sentence.
func (r Rule) With(numbers ...int) Rule {
	r.Numbers = numbers
	return r
}

// Naming adds words to a rule's sentence.
func (r Rule) Naming(words ...string) Rule {
	r.Words = words
	return r
}

// String is the rule as a sentence: Form with its holes filled.
//
//	{m} {l} {v}   Measured, Limit and Value with separators; {m%} and the like as
//	              a percentage, {m line} with its noun
//	{r} {o} {k}   Relation, Outcome and Knob
//	{1} {2} …     Numbers; {1 line} with a noun
//	{a} {b} …     Words (a to j)
func (r Rule) String() string {
	var b strings.Builder
	for form := r.Form; ; {
		before, rest, hole := strings.Cut(form, "{")
		b.WriteString(before)
		if !hole {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		b.WriteString(r.fill(name))
		form = after
	}
}

func (r Rule) fill(hole string) string {
	name, noun, _ := strings.Cut(hole, " ")
	name, percent := strings.CutSuffix(name, "%")
	var n float64
	switch name {
	case "r":
		return r.Relation
	case "o":
		return r.Outcome
	case "k":
		return r.Knob
	case "m":
		if n = r.Measured; percent && r.Relation != "" {
			return wording.PercentAgainst(n, r.Limit)
		}
	case "l", "v":
		if n = r.Limit; name == "v" {
			n = r.Value
		}
		if percent {
			return wording.Share(n)
		}
	default:
		i, err := strconv.Atoi(name)
		switch {
		case err == nil && i > 0 && i <= len(r.Numbers):
			n = float64(r.Numbers[i-1])
		case len(name) == 1 && int(name[0]-'a') < len(r.Words):
			return r.Words[name[0]-'a']
		default:
			return "?"
		}
	}
	switch {
	case percent:
		return wording.Percent(n)
	case noun != "":
		return wording.Plural(int(math.Round(n)), noun)
	}
	return wording.Count(int(math.Round(n)))
}

// sentence joins what rules say; each but the first brings its own joint.
func sentence(rules []Rule) string {
	var b strings.Builder
	for _, r := range rules {
		b.WriteString(r.String())
	}
	return b.String()
}
