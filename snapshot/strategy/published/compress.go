// Package published holds what known systems do to a page, a file each, as they do it:
// their faults are kept and named. Each says where it is from, when that was read and
// what was compared with it. The rules by which agents clear old pages are in expiry.
package published

import (
	"fmt"
	"strings"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/wording"
)

// Compress folds repeated lines the way the published Playwright proposal does:
// when one kind of line (a key: indentation and signature) is very frequent,
// only its first few stay.
//
// Known faults of scope page, kept as they are: a list whose items differ in
// unquoted text has as many keys as items, so nothing fires; a dropped item
// takes the buttons inside it along; protection goes by words anywhere in the
// line, so rows named "Main office" never go; combobox, option, slider and
// switch are not protected; and once one key fires, every key above keep_n is
// cut. Scope parent is our mended form.
var Compress = &strategy.Strategy{
	Name:   "compress",
	Title:  "repeated nodes collapsed",
	Source: "Playwright MCP, pull request #41396",
	Link:   "https://github.com/microsoft/playwright/pull/41396",
	Read:   "June 2026, closed unmerged; 1,129 answers of ariaCompression.ts at 3d068ea, equal to the byte",
	Doc: "Keeps the first few of any line that repeats very often on the page, told apart by indentation and a signature without " +
		"refs, names and numbers; protected roles stay; a note says how many lines went.\n" +
		"Known faults of scope page: list items with distinct unquoted text are never collapsed; buttons inside a collapsed item are " +
		"lost; a name that holds a protected word (Main office) protects its line; combobox, option, slider and switch are not " +
		"protected; once one kind of line is frequent enough, all kinds are cut. Scope parent mends these: siblings only, each kind by " +
		"its own count, text after the colon ignored, role instead of words, and no line goes that holds something to act on.\n" +
		"The published code knows Playwright's lines only: on chrome-devtools-mcp's (uid=…) it finds no two alike and does nothing. Here " +
		"their handles do not count, in either scope.",
	Knobs: []strategy.Knob{
		{
			Key: "fire_threshold", Label: "fires above", Unit: "lines", Doc: "The most frequent kind of line must occur more often than this.",
			Type: strategy.Int, Min: 1, Max: 5000, Step: 10, Default: 100, Sweep: []float64{10, 25, 50, 100, 200},
		},
		{
			Key: "keep_n", Label: "keep", Unit: "lines", Doc: "How many of each kind stay.",
			Type: strategy.Int, Min: 0, Max: 1000, Step: 1, Default: 10, Sweep: []float64{3, 5, 10, 25, 50},
		},
		{
			Key: "scope", Label: "scope", Doc: "Count kinds over the whole page as published, or among the children of one parent, with the known faults mended.",
			Type: strategy.Choice, Max: scopeParent, Step: 1, Choices: []string{"page", "parent"},
		},
	},
	Apply: compressApply,
}

// The choices of the scope knob.
const (
	scopePage = iota
	scopeParent
)

func compressApply(in strategy.Input, v strategy.Values) strategy.Verdict {
	c := compressor{
		lines: strings.Split(in.Page.Text, "\n"), parents: v.Int("scope") == scopeParent,
		fire: v.Int("fire_threshold"), keep: v.Int("keep_n"), dialect: in.Page.Dialect,
	}
	c.count()
	most, sample := c.most()
	facts := []strategy.Fact{
		{Label: "lines", Value: wording.Count(len(c.lines))},
		{Label: "kinds of line", Value: wording.Count(len(c.counts))},
		{Label: "most frequent", Value: fmt.Sprintf("×%s %s", wording.Count(most), sample)},
		{Label: "fires above", Value: wording.Count(c.fire)},
	}
	if most <= c.fire {
		return strategy.Whole(in, c.fires(most, "≤", "full", "most frequent line ×{m} {r} {k} {v} → {o}"), facts...)
	}
	kept, gone := c.walk()
	if c.dropped == 0 {
		v := strategy.Whole(in, c.fires(most, ">", "", "most frequent line ×{m} {r} {k} {v}, but "), facts...)
		v.Rules = append(v.Rules, strategy.Asked("keep_n", 0, "", float64(c.keep), "full", "every repeat beyond {k} {v} is protected → {o}"))
		return v
	}
	var b strings.Builder
	b.Grow(len(in.Page.Text))
	lines := make([]strategy.Line, 0, len(kept)+2)
	for n, i := range kept {
		if n > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(c.lines[i])
		lines = append(lines, strategy.Line{Mark: strategy.Same, Source: i})
	}
	fmt.Fprintf(&b, "\n[playwright-compress: %d repeated ARIA nodes collapsed — use browser_evaluate() to enumerate the full list]", c.dropped)
	if len(kept) == 0 { // the note's newline then ends an empty first line
		lines = append(lines, strategy.Line{Mark: strategy.Message, Source: -1})
	}
	lines = append(lines, strategy.Line{Mark: strategy.Message, Source: -1})
	full, sent := ecma.Len(in.Page.Text), ecma.Len(b.String())
	saved := float64(full-sent) / float64(full)
	facts = append(facts, strategy.Fact{Label: "collapsed", Value: wording.Plural(c.dropped, "line")}, strategy.Fact{Label: "saving", Value: wording.Percent(saved)})
	return strategy.Verdict{
		Kind: strategy.KindCompressed,
		Rules: []strategy.Rule{
			c.fires(most, ">", "", "most frequent line ×{m} {r} {k} {v}: "),
			strategy.Asked("keep_n", float64(c.dropped), "", float64(c.keep), "compressed", "{m line} beyond {k} {v} collapsed, saved {a} → {o}").Naming(wording.Percent(saved)),
		},
		Odd: strategy.Odd(in.Page), Text: b.String(), Lines: lines, Facts: facts, Gone: gone,
	}
}

// fires is the rule that holds the most frequent line against the threshold.
func (c *compressor) fires(most int, relation, outcome, form string) strategy.Rule {
	return strategy.Asked("fire_threshold", float64(most), relation, float64(c.fire), outcome, form)
}

// compressor holds one run: what each line is, and how often.
type compressor struct {
	lines      []string
	parents    bool
	fire, keep int
	dialect    notation.Dialect

	indent    []int
	key       []int32 // a number for each line's key; -1: blank
	counts    []int32 // by key: how often
	sample    []int32 // by key: its first line
	protected []bool  // scope parent: the line or something below it is protected
	dropped   int
}

// compressKey tells kinds of line apart: by indentation and signature, and in
// scope parent by the parent they share.
type compressKey struct {
	parent, indent int
	sig            string
}

func (c *compressor) count() {
	n := len(c.lines)
	c.indent, c.key = make([]int, n), make([]int32, n)
	ids := make(map[compressKey]int32, 256)
	var s signer
	var above []int // scope parent: the lines that hold the line at hand
	parent := make([]int, 0)
	if c.parents {
		parent = make([]int, n)
	}
	for i, line := range c.lines {
		c.key[i] = -1
		if ecma.Blank(line) {
			continue
		}
		in := ecma.Indent(line)
		c.indent[i] = in
		if c.dialect == notation.UID { // its handles are not among what is masked below
			line = notation.WithRef(line, "?", c.dialect)
		}
		k := compressKey{parent: -1, indent: in}
		var sig []byte
		if c.parents {
			for len(above) > 0 && c.indent[above[len(above)-1]] >= in {
				above = above[:len(above)-1]
			}
			if len(above) > 0 {
				k.parent = above[len(above)-1]
			}
			parent[i] = k.parent
			above = append(above, i)
			sig = s.mended(line)
		} else {
			sig = s.sign(line)
		}
		id, ok := ids[compressKey{k.parent, k.indent, string(sig)}]
		if !ok {
			id = int32(len(c.counts))
			k.sig = string(sig)
			ids[k] = id
			c.counts = append(c.counts, 0)
			c.sample = append(c.sample, int32(i))
		}
		c.key[i] = id
		c.counts[id]++
	}
	if c.parents {
		c.protect(parent)
	}
}

// protect marks every line that is protected by its role or holds a line that
// is.
func (c *compressor) protect(parent []int) {
	c.protected = make([]bool, len(c.lines))
	for i := len(c.lines) - 1; i >= 0; i-- {
		if c.key[i] < 0 {
			continue
		}
		if c.protected[i] || mendedProtected(c.lines[i], c.dialect) {
			c.protected[i] = true
			if p := parent[i]; p >= 0 {
				c.protected[p] = true
			}
		}
	}
}

// most is the highest count of a key, and the first line that has it.
func (c *compressor) most() (int, string) {
	best := -1
	for k, n := range c.counts {
		if best < 0 || n > c.counts[best] {
			best = k
		}
	}
	if best < 0 {
		return 0, ""
	}
	line := []rune(ecma.Trim(c.lines[c.sample[best]]))
	if len(line) > 40 {
		line = append(line[:39], '…')
	}
	return int(c.counts[best]), string(line)
}

// walk answers the lines that stay and the runs that go. A dropped line takes
// everything indented deeper with it, and the blank lines up to the next line
// that stays; all of them count.
func (c *compressor) walk() (kept []int, gone []strategy.Loss) {
	seen := make([]int32, len(c.counts))
	var l strategy.Losses
	rule := fmt.Sprintf("keep_n %d", c.keep)
	kept = make([]int, 0, len(c.lines))
	below := -1
	for i := range c.lines {
		k := c.key[i]
		if k < 0 {
			if below < 0 {
				kept = append(kept, i)
			} else {
				c.dropped++
				l.Add(i, rule, "keep_n")
			}
			continue
		}
		if below >= 0 {
			if c.indent[i] > below {
				c.dropped++
				l.Add(i, rule, "keep_n")
				continue
			}
			below = -1
		}
		seen[k]++
		if int(seen[k]) > c.keep && !c.stays(i, k) {
			below = c.indent[i]
			c.dropped++
			l.Add(i, rule, "keep_n")
			continue
		}
		kept = append(kept, i)
	}
	return kept, l.Runs
}

func (c *compressor) stays(i int, k int32) bool {
	if c.parents {
		return c.protected[i] || int(c.counts[k]) <= c.fire
	}
	return holdsProtectedWord(c.lines[i])
}
