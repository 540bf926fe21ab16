// Package strategy holds what each known system does to a snapshot before an
// agent reads it: one file a strategy, one registry for all of them.
//
// There are two families. A rewrite (Apply) is a pure function from the page
// text, and where it compares, from an earlier page text, to the text the agent
// gets. A retention rule (Retain) decides before each model call which older
// snapshots are cleared. Both answer with the rule that fired and its numbers;
// a verdict without its arithmetic is a defect.
//
// Nothing here knows of sessions. Which earlier page a rewrite compares with is
// the strategy's own rule (Base), asked with plain facts about the past
// (Moment), so every step of a session can be computed alone, in any order.
package strategy

import (
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
)

// Kind says what became of the text.
type Kind string

// The kinds of a verdict; they are part of the JSON contract.
const (
	KindFull       Kind = "full"
	KindDelta      Kind = "delta"
	KindUnchanged  Kind = "unchanged"
	KindCompressed Kind = "compressed"
	KindTruncated  Kind = "truncated"
	KindExpired    Kind = "expired"
)

// Page is the text a rewrite works on with what else is known of the page.
// Text is what the strategy before it in a policy answered, or the aria text.
type Page struct {
	URL, Title string
	Text       string
	Dialect    notation.Dialect // zero means Aria
	Elements   int
	Viewport   snapshot.Size
	Boxes      map[string]snapshot.Box // by ref, nil when unknown
	Parsed     func() *notation.Text   // Text as it is read, where somebody keeps it; nil: Read does it
}

// Read is the page's text read as a tree. Lists without a tree (browser-use) and
// notations without roles of their own are taken as lines without handles.
func (p Page) Read() *notation.Text { return p.ReadLines(nil) }

// ReadLines is Read for who wants to see each line on the way; the Line is good
// until the next call of each.
func (p Page) ReadLines(each func(i int, l *notation.Line)) *notation.Text {
	if p.Parsed != nil {
		t := p.Parsed()
		for i := 0; each != nil && i < t.Len(); i++ {
			l := t.Line(i)
			each(i, &l)
		}
		return t
	}
	d := p.Dialect
	switch d {
	case notation.Aria, notation.UID, notation.AgentBrowser:
	default:
		d = ""
	}
	return notation.ReadLines(p.Text, d, each)
}

// Input is everything a rewrite may look at.
type Input struct {
	Page    Page
	Base    *Page            // the page to compare with as Base chose it; nil: none
	Visited []string         // titles (else URLs) of the documents before this one, oldest first
	Prev    *Page            // the page of the document before this one; nil: none
	Tool    string           // the tool whose response this is
	Count   func(string) int // the session's tokenizer; never nil
	// Rough: somebody waits for the text and nobody looks at the figures. What sizes
	// leave no doubt about is then decided without counting.
	Rough bool
}

// Weigh counts a page and a rewrite of it, for a decision by the share of tokens
// that the rewrite saves at least. A rough answer has other figures, which lead to
// the same decision: see doubt.
func (in Input) Weigh(page, rewrite string, least float64) (full, sent int) {
	if in.Rough && len(page) > 0 && float64(len(rewrite))*doubt <= (1-least)*float64(len(page)) {
		return (len(page) + 3) / 4, (len(rewrite) + 3) / 4
	}
	return in.Count(page), in.Count(rewrite)
}

// doubt is how many times as many tokens a byte a rewrite has than its page, at
// most. On recorded pages it is 0.8 to 1.4.
const doubt = 1.6

// Fact is one number of a verdict's arithmetic, for people.
type Fact struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Verdict is what a strategy did and why.
type Verdict struct {
	Kind  Kind
	Rules []Rule // the rules that fired, the one that decided first
	Odd   string // what of the page's text could not be used, for people: "the text is HTML…"; "" for aria text
	Text  string // exactly what the agent gets
	Facts []Fact // the arithmetic in full

	Lines   []Line   // one a line of Text; nil: Text is the page's own text
	Inside  []Shown  // what lines of Text show besides the page line in Lines, by line of Text
	NoRef   []int    // page lines that are shown without their ref, in order
	Renames []Rename // elements of the base that only got a new ref
	Gone    []Loss   // what a reader of Text no longer sees, and which rule took it; nil for a delta

	// NeedsBase: the text is only understood by a reader who still has the base.
	NeedsBase bool
}

// Reason says which rules fired, with their inputs: "saved 76.1 % ≥ 20 % →
// delta". It is for people; whoever wants a number reads Rules.
func (v Verdict) Reason() string {
	s := sentence(v.Rules)
	if v.Odd != "" {
		s += " (" + v.Odd + ": taken line by line)"
	}
	return s
}

// Loss is a run of page lines that a strategy left out.
type Loss struct {
	From, To int    // 0-based lines of Input.Page.Text, To exclusive
	Rule     string // the rule with its value, for people: "keep_n 10", "max_elements 300"
	Knob     string // the knob that would keep them; empty: none would
}

// Moment is what a baseline rule may know of one earlier snapshot result.
type Moment struct {
	Step      int    // the step it belongs to, from 1
	Tool      string // verb of the action: goto, click, … ; the source's tool name where there is no verb
	Failed    bool   // the action did not succeed
	Tab       int
	Document  string
	URL       string
	AgentStep int // grows by one with each user message
	Size      int // bytes of the text
}

// Strategy is one row of the registry.
type Strategy struct {
	Name   string // key in policies, flags, JSON and on the screen
	Title  string // a few words for people
	Source string // whose it is: "passmark, pull request #51"
	Link   string // where it can be read; empty for what is snapscope's own
	Read   string // when it was published and what of it was checked
	Doc    string // what it does, its known faults; plain text, a few lines
	// Notation tells an agent how to read the answers, in lines that can be put
	// into its prompt; empty where they are plain.
	Notation string
	Knobs    []Knob

	// Exact reports that with these knobs nothing of a page is left out: whoever has
	// the text, and its base where it needs one, can put the page together again. nil:
	// something may be left out.
	Exact func(v Values) bool
	// Base answers which of the past snapshot results (indexes into past, oldest
	// first) the result now is compared with, -1 for none. nil: it never compares.
	Base func(past []Moment, now Moment, v Values) int
	// Compose makes the text that a session hands to Apply and to later stages;
	// the page's text must be its end. nil: the text as it is. Files given by
	// hand are never composed.
	Compose func(p Page) string
	// Apply rewrites one page. nil for a retention rule.
	Apply func(in Input, v Values) Verdict
	// Retain makes the state of a retention rule. nil for a rewrite.
	Retain func(v Values) Retention
}

// Arrival is one thing that was added to an agent's history.
type Arrival struct {
	ID       string // the result's own id; unique within a session
	Step     int    // the step it belongs to; 0 for a user message
	User     bool   // a user message, else a tool result
	Snapshot bool   // the result shows a snapshot
	Tokens   int    // what it weighs in the history
}

// Retention is a retention rule at work on one history. It is told what arrives
// and asked, before each model call, what expires.
type Retention interface {
	// Arrive notes one tool result or user message.
	Arrive(a Arrival)
	// Call is asked before each model call with the tokens the call would carry
	// and answers what is cleared from this call on, and the IDs of what was
	// cleared before and is in full again.
	Call(inputTokens int) (cleared []Expired, back []string)
	// Live lists the snapshots still in full with their counters, oldest first,
	// counted as they would stand at the next Call. It takes as long as there are
	// such: nobody asks at each call.
	Live() []Counter
	// Compacted tells that the history shrank to its last keep arrivals.
	Compacted(keep int)
}

// Expired is one snapshot that a retention rule cleared.
type Expired struct {
	ID          string
	Step        int
	Rule        Rule   // which rule, with what was counted
	Placeholder string // what stands in its place
	Calls       int    // its Counter as it was decided on
	Limit       int
}

// Reason says which rule cleared the snapshot, for people: "3 results or
// messages ≥ tool_calls 3 → expired".
func (e Expired) Reason() string { return e.Rule.String() }

// Counter is one live snapshot's age under a retention rule.
type Counter struct {
	ID    string `json:"-"`
	Step  int    `json:"step"`
	Calls int    `json:"calls"` // counted so far
	Limit int    `json:"limit"` // expires at; 0: by another rule
}
