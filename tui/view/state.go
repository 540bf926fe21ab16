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

// State is everything that can be looked at and chosen on the screen, made of smaller
// states that know no more than they need. The root owns it and takes messages; panes
// and dialogs read it, and change it through its methods. What a method makes stale it
// notes with Ask.
type State struct {
	Screen
	Story
	PaneSet
	Reader
	Figures
	Walk

	Busy  bool // a frame is being made
	Knobs KnobsPane
	Hist  []string
	Play  Player
	Pic   Picture

	heavyAt int32 // line of the page that heaviest came to last, from 1; 0: none
}

// NewState is what is looked at before there is a session.
func NewState(keys *keymap.Bindings) *State {
	m := &State{Screen: Screen{Keys: keys}, Story: Story{Tl: &session.Timeline{}, At: -1, Follow: true}}
	m.Reader.Screen = &m.Screen
	m.Figures.Screen, m.Figures.Story, m.Figures.PaneSet, m.Figures.Reader = &m.Screen, &m.Story, &m.PaneSet, &m.Reader
	m.Walk.Figures, m.Knobs.Figures = &m.Figures, &m.Figures
	return m
}

// Screen is the terminal as it is used: its size and where what is on it, the keys,
// what is said, how tokens are counted, and what has to be made anew.
type Screen struct {
	W, H     int
	Lay      layout.Placed
	Keys     *keymap.Bindings
	Mono     bool // NO_COLOR
	Mouse    bool
	Clock    func() time.Time
	EncName  string
	Estimate bool
	Count    int // typed digits that wait for the key they belong to; 0: none
	Msg      Message
	asked    []Want               // by those who look, of the root
	awaits   map[Want]func() bool // what is done once a thing has come

	Zoom   bool // the focused pane has the screen
	Side   SideKind
	OnSide bool // the side column has the keys
}

// Story is the session that is looked at, and the step of it.
type Story struct {
	Open    bool   // a session is looked at
	Unkept  bool   // it is recorded nowhere, as was asked for
	Tag     string // names it beside another session; empty: it is alone
	TagOn   bool   // it has the keys
	Shoots  bool   // its engine takes pictures of the page
	Info    session.Info
	Pending []session.Action // steps to come, as the engine told last
	Tl      *session.Timeline
	Table   *StepTable // the session as rows; nil until it is there

	At     int // index of the step looked at, -1 none
	Follow bool

	Job    *Job
	Ended  bool
	ByHand bool   // something was done in the browser's own window since the last step
	Gone   string // why the browser is gone; empty: it is there, or there is none
	Steer  Steer

	Breaks []BreakRow
	Once   []breakpoint.Condition // of the running job only
	Notes  []Note
}

// PaneSet are the policies that the session is looked at under.
type PaneSet struct {
	Panes []Pane
	Rule  Pane            // the expiry rule of the expiry line where no shown policy has one
	Own   []policy.Policy // the person's own policies
	Focus int             // index into Panes
}

// Reader is where one reads in the snapshot panes.
type Reader struct {
	*Screen
	Fr      *Frame
	Grid    *Grid // Fr's, or folded or filtered from it
	Top     int   // first visible row
	Row     int   // the row the cursor is on
	Shift   int   // columns scrolled to the right
	Fold    bool
	WantRef string
	Search  Search
	Weigh   bool     // the focused pane shows the tokens of its branches
	Weights *Weights // as counted last
}

// Figures are what was computed of the session: what it cost under each policy, what
// went wrong in it and what a policy would lose.
type Figures struct {
	*Screen
	*Story
	*PaneSet
	*Reader
	Set    *FigureSet // of the whole session; nil until it is there
	Advice *Advice    // nil until it is there
	Fixes  Fixes

	stopped stop // where the key for trouble went last
}

// Walk goes from step to step: in the list of steps, to notes, to what is searched for.
type Walk struct {
	*Figures
	List StepList
}
