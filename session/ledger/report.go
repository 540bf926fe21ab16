package ledger

import (
	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// Report is one session under one policy: what every model call carried, what
// of it came from the cache, what it cost and what the agent could no longer
// read. It is a value: nothing in it changes after it was handed out.
type Report struct {
	Recording string // the session's name, "" where it has none
	Policy    policy.Policy

	Steps      int  // tool calls with a result
	ModelCalls int  // requests to the model
	Implied    bool // the source tells of no model calls: one is taken before each action
	Snapshots  int  // results in which the model saw snapshot text

	AppendedTokens int // what all results added to the history, once
	InputTokens    int // sum over the model calls of the whole input of each
	Recovery       int // input tokens that bringing the lost elements back would take
	Uncounted      int // of InputTokens, what the vendor counted beside us, see Breakdown
	PeakTokens     int // the largest call
	// SavedRatio is 1 − InputTokens / that of policy full; 0 until full is known.
	// NetSavedRatio is the same after paying for the losses: never more.
	SavedRatio, NetSavedRatio float64
	// SavedOfSent and NetSavedOfSent are the same against what was really sent.
	SavedOfSent, NetSavedOfSent float64
	CachedTokens                int // of InputTokens, read from the prompt cache
	WrittenTokens               int // of InputTokens, written to the prompt cache
	HourTokens                  int // of WrittenTokens, kept for an hour
	PlainTokens                 int // of InputTokens, neither read nor written

	System      int  // tokens of the system prompt in every call
	Definitions int  // tokens of the tool definitions in every call
	Assumed     bool // System or Definitions is a setting, not known from the session

	Model string   // the model the prices are of; "" unknown
	Rule  Rule     // how its prompt cache works
	Cost  *float64 // US dollars of all input; nil: the model has no price
	// Factor is how many of the vendor's tokens one of our count is. Where the
	// session holds the vendor's counts, the figures are in the vendor's tokens.
	Factor Factor
	Billed bool // the session's receipts say what was cached: costs start from them

	Survival Survival
	Reading  Reading // what it had read and used, beside what it acted on; never mixed
	Calls    []Call
	Expiries []Expiry
	Usage    *Usage   // the vendor's own count where the source has it
	Unbuilt  int      // pages of which only the changed parts are known: they stand as sent under every policy
	Notes    []string // what a reader of the figures should know, a sentence each

	// Troubles are what did go wrong, in the order in which it is told; of the
	// session as it was sent only.
	Troubles []Trouble

	// What the acts met, of the session as it was sent only. They are never part of Survival.
	Moved    []Moved    // acts on a ref that meant another element by then
	NoEffect []int      // steps that were answered as done and changed nothing that is known
	Misnamed []Misnamed // acts on what the agent calls otherwise than it had read

	hist     *history
	cuts     cuts
	lost     []place // of Survival.Lost, in its order
	quotes   []place // of Reading.Lost, in its order
	pictures int
}

// Call is what one model call carried.
type Call struct {
	Call          int // from 1
	Seq           int // the event it stands at: it carries what came before
	Step          int // the first step it chose; 0 none
	InputTokens   int
	CachedTokens  int
	WrittenTokens int
	HourTokens    int // of WrittenTokens, kept for an hour
	PlainTokens   int
	Cost          *float64 // nil: the model has no price, or the call no receipt where others have one
	By            Breakdown
	// ChangedAt is the token position from which the call differs from what the
	// call before carried, where an expiry or a compaction changed it; −1: it
	// only grew.
	ChangedAt        int
	LiveSnapshots    int
	ExpiredSnapshots int
	Real             *session.Usage // the vendor's count of this very call
}

// Breakdown splits a call's tokens by what they are. The fields sum to the
// call's InputTokens, Cleared and Own apart.
type Breakdown struct {
	// Uncounted is the vendor's count of the call less what we count of it as it
	// was sent, in the vendor's tokens: system prompt and tool definitions that the
	// session does not hold, pictures, thinking. Less than 0 where we count more. It
	// is the same under every policy, 0 where the session holds no vendor's counts.
	Uncounted int
	Fixed     int // system prompt and tool definitions, as far as the session holds them
	Messages  int // user and assistant texts, tool calls, summaries
	User      int // of Messages, what users said and summaries
	Images    int // pictures
	Results   int // tool results besides snapshots
	Snapshots int // live snapshots, in full or in part
	Expired   int // placeholders of what was cleared
	Cleared   int // what the placeholders stand for: carried no more
	Own       int // all but Uncounted by our own count; the others are in the vendor's tokens where the session has its counts
}

// Sum is the tokens the call carried.
func (b Breakdown) Sum() int {
	return b.Uncounted + b.Fixed + b.Images + b.Messages + b.Results + b.Snapshots + b.Expired
}

// PartKind says what a part of a request is.
type PartKind string

// The kinds of parts, in the order they first stand in a request.
const (
	PartUncounted   PartKind = "uncounted" // see Breakdown.Uncounted
	PartDefinitions PartKind = "definitions"
	PartSystem      PartKind = "system"
	PartUser        PartKind = "user"
	PartSummary     PartKind = "summary" // what a compaction left of the older history
	PartAssistant   PartKind = "assistant"
	PartToolCall    PartKind = "call"
	PartResult      PartKind = "result"
	PartImage       PartKind = "image"
	PartSnapshot    PartKind = "snapshot"
)

// State says in which form a snapshot, or a cleared result, stands in a call.
type State string

// The states of a part; "" where a part has only one.
const (
	Live      State = "live"      // readable by itself
	Delta     State = "delta"     // readable on top of an earlier one
	Unchanged State = "unchanged" // a message that nothing changed
	Expired   State = "expired"   // a placeholder
	Linked    State = "link"      // a link
	Spilled   State = "spilled"   // a notice: saved elsewhere
	Cut       State = "cut"       // what the client left of it
	Dropped   State = "dropped"   // a notice: the text is gone
)

// Part is one piece of what a call carries.
type Part struct {
	Kind   PartKind
	Seq    int // the event it comes from; 0 for the fixed head
	Step   int // the step it belongs to; 0 none
	Tokens int
	State  State
	Base   int // the step whose snapshot a delta is read on top of; 0 none
	Cached bool
}

// Survival tells of the elements the agent acted on: could it still read them?
type Survival struct {
	// Unknown: the session holds no page, so nothing can be said; the rest is 0.
	Unknown  bool
	Acted    int // elements named by ref or by role and name; a form's fields and both ends of a drag count one each
	Survived int // of them, those that stood in the call that chose the action
	Lost     []Lost
}

// Ratio is Survived of Acted, 1 where nothing was acted on or nothing is known.
func (s Survival) Ratio() float64 {
	if s.Acted == 0 {
		return 1
	}
	return float64(s.Survived) / float64(s.Acted)
}

// Lost is one action on an element that the model could not read when it chose
// the action.
type Lost struct {
	Step     int    // the action's step
	Call     int    // the call that chose it
	Ref      string // the element's ref; its role and name where no ref is known; the text of a quote
	Quote    string // the text of a quote; "" of an element
	Document int    // of a quote, the document it was read in
	Target   string // role and name, where the action named it so
	Why      string // one sentence: which rule, where, with which numbers
	Cause    Cause  // the kind of that reason
	Never    bool   // nothing the model had read ever showed it: no policy's fault
	From     int    // the step of the newest snapshot that showed it in full; 0 none
	Line     string // its line there
	Strategy string // what hid it; "" where Never
	Knob     string // the knob of the rule; "" none
	Value    string // the knob's value
	Keep     *Fix   // the smallest change of one knob that would have kept it; nil: none does

	// Uses is how many times the agent acted on the element without being able to
	// read it, on the first of these actions; 0 on the later ones: one loss.
	Uses int
	// Cured: a new snapshot would show it again (it expired). Else the same rule,
	// or the agent's client, would hide it again.
	Cured bool
	// Price is what bringing it back would cost in input tokens: one more call with
	// the context of that point, and the snapshot in the calls after it. 0 where
	// nothing the model had ever showed it, and on the later uses.
	Price int
	Cost  *float64 // Price in US dollars; nil: the model has no price
}

// Fix is a change of one knob, tried by simulating the session with it.
type Fix struct {
	Strategy string
	Knob     string
	From, To string // as Knob.Format writes them
	value    float64

	Still []Act // what the whole session still loses with the change
	All   *Fix  // the value of the same knob at which it loses nothing; nil: none, or this one does
	lost  int   // how many elements it loses without
}

// Act is an act on an element.
type Act struct {
	Step int    `json:"step"`
	Ref  string `json:"ref"`
}

// Assignment is the change as Policy.Set reads it.
func (f Fix) Assignment() string { return f.Strategy + "." + f.Knob + "=" + f.To }

// Apply answers the policy with the change made.
func (f Fix) Apply(p policy.Policy) policy.Policy {
	p = p.Clone()
	for i := range p.Stages {
		if p.Stages[i].Strategy.Name == f.Strategy {
			if p.Stages[i].Knobs == nil {
				p.Stages[i].Knobs = strategy.Values{}
			}
			p.Stages[i].Knobs[f.Knob] = f.value
		}
	}
	return p
}

// Usage sets the vendor's own count beside ours, over the calls that have one.
type Usage struct {
	session.Usage
	Calls int // model calls with a count
	Own   int // our own count of the same calls
}

// Difference is how far our count is from the vendor's, as a share of theirs.
func (u Usage) Difference() float64 {
	if u.Input == 0 {
		return 0
	}
	return float64(u.Own-u.Input) / float64(u.Input)
}
