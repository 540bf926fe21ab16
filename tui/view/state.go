// Package view holds what is looked at and the view-models that the panes are
// drawn from. It knows neither Bubble Tea nor colours, reads no clock and no file.
//
//	session.Timeline, policy.Renderer
//	      │ MakeFrame (in a command)          │ MakeFigures (in a command)
//	      ▼                                   ▼
//	Frame: Page, a Doc for each pane,    FigureSet: a ledger.Report for each policy
//	Grid of rows that all panes share
//	      └──────────────▶ State ◀────────────┘
//
// Page (page.go) is the snapshot taken apart, with what became of each line. Doc
// (doc.go) is the text that an agent gets under one policy, each line tied to the
// line of the page it stands for; where a line is missing, the run it lies in names
// the rule. Grid (grid.go) lays all Docs side by side, so that an element stands on
// the same row in every pane.
package view

import (
	"time"

	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/session/policy"
	"snapscope/tui/keymap"
	"snapscope/tui/layout"
)

// Steer is what a screen on a running agent holds.
type Steer struct {
	On    bool     // there is such an agent
	Ended bool     // it has ended
	Held  int      // messages that wait now
	Will  []string // what is going to be held, in words

	Policy string // what rewrites the pages that the agent reads; empty: nothing does
}

// State is everything that can be looked at and chosen on the screen. The root
// owns it and takes messages; panes and dialogs read it, and change it through
// its methods. A method that makes something stale notes that in Wants.
type State struct {
	// the session
	Open    bool   // a session is looked at
	Unkept  bool   // it is recorded nowhere, as was asked for
	Tag     string // names it beside another session; empty: it is alone
	TagOn   bool   // it has the keys
	Shoots  bool   // its engine takes pictures of the page
	Info    session.Info
	Pending []session.Action // steps to come, as the engine told last
	Tl      *session.Timeline

	// the screen
	W, H  int
	Lay   layout.Placed
	Keys  *keymap.Bindings
	Mono  bool // NO_COLOR
	Mouse bool
	Clock func() time.Time

	// how tokens are counted
	EncName  string
	Estimate bool

	// what is looked at
	Panes  []Pane
	Rule   Pane            // the expiry rule of the expiry line where no shown policy has one
	Own    []policy.Policy // the person's own policies
	Focus  int             // index into Panes
	At     int             // index of the step looked at, -1 none
	Follow bool
	Zoom   bool
	Fold   bool
	Side   SideKind
	OnSide bool // the side column has the keys

	// the snapshot panes
	Fr      *Frame
	Grid    *Grid // Fr's, or folded or filtered from it
	Top     int   // first visible row
	Row     int   // the row the cursor is on
	Shift   int   // columns scrolled to the right
	WantRef string

	lossWanted bool // go to a loss as soon as one is known
	stopped    stop // where the key for trouble went last

	// what was computed, and what is to be
	Set    *FigureSet    // of the whole session; nil until it is there
	Advice *Advice       // nil until it is there
	FixOf  PolicyFigures // whose losses knobs are to be found for
	Fixes  Fixes
	Wants  Wants
	Busy   bool // a frame is being made
	Job    *Job
	Ended  bool

	ByHand bool   // something was done in the browser's own window since the last step
	Gone   string // why the browser is gone; empty: it is there, or there is none

	List  StepList
	Table *StepTable // the session as rows; nil until it is there
	Count int        // typed digits that wait for the key they belong to; 0: none

	Weigh       bool     // the focused pane shows the tokens of its branches
	Weights     *Weights // as counted last
	heavyWanted bool     // go to the heaviest branch once they are counted
	heavyAt     int32    // line of the page that heaviest came to last, from 1; 0: none

	Steer  Steer
	Msg    Message
	Search Search
	Knobs  KnobsPane
	Breaks []BreakRow
	Once   []breakpoint.Condition // of the running job only
	Notes  []Note
	Hist   []string
	Play   Player
	Pic    Picture
}
