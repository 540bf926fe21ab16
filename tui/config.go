package tui

import (
	"context"
	"io"
	"time"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/tui/dialog"
)

// Config is everything the debugger is handed: it opens no file but in StateDir
// and ExportDir, knows no browser, and reads no environment of its own.
type Config struct {
	// Engine makes the session grow. nil: the screen begins with the list of
	// Recent sessions and opens one with Open.
	Engine session.Engine
	// Seat is the running agent whose recording Engine follows: it can be held,
	// stepped and edited. nil: there is none.
	Seat Seat
	// Panes are the policies that are shown at first, in order. Empty: what was
	// shown last time, else full, passmark and compress. All other policies can
	// be shown with 1–9.
	Panes []policy.Policy
	// Policies are the person's named policies, offered beside the built-in ones.
	Policies []policy.Policy
	// Set is strategy.knob=value to begin with, laid over every pane's policy that
	// has the knob. One that no policy has is an error.
	Set []string
	// Count counts tokens, Encoding is the counter's name for the screen.
	Count    func(string) int
	Encoding string
	// Estimate says that Count is an estimate: its figures bear a ~.
	Estimate bool

	// Ledger holds the price table, the model and the fixed sizes that costs are
	// counted with. Its Renderer and progress are the screen's own affair.
	Ledger ledger.Options

	// Theme is dark, light, contrast, none, or empty for what the terminal's
	// background asks for. NoColor is NO_COLOR: attributes only.
	Theme   string
	NoColor bool
	// Keys maps an action's name to the keys that do it, in place of its own.
	// CheckKeys tells beforehand what is wrong with them.
	Keys map[string][]string
	// Mouse begins with the mouse on; else it is left to the terminal.
	Mouse bool

	// List begins on the list of steps.
	List bool
	// Fresh looks as it is described, whatever was left: layout, breakpoints and
	// notes of last time are not taken up, and those of this time are not kept.
	Fresh bool
	// AutoSteps are done before the person has pressed a key; -1 is all there
	// are now.
	AutoSteps int
	// Breaks are breakpoints to begin with, as breakpoint.Parse reads them.
	Breaks []string
	// Notice is said on the first screen: why a recording stands in for a browser.
	Notice string
	// BaseURL resolves relative URLs of :goto.
	BaseURL string

	// NoRecord is said on the screen: the live session is kept nowhere.
	NoRecord bool
	// Command is the command line that opens this session, for the export of the one
	// that gives the present view; empty: not known.
	Command string

	// StateDir keeps layout, breakpoints, history and notes over restarts; empty:
	// nothing is kept. ExportDir is where e writes to; empty: the working folder.
	StateDir  string
	ExportDir string
	// Clipboard is given what is copied, besides the terminal (OSC 52). It may be
	// nil.
	Clipboard func(text string) error
	// SavePolicy keeps a policy the person has named, where every command finds
	// it, and answers the file that holds it. nil: policies cannot be saved.
	SavePolicy func(policy.Policy) (file string, err error)

	// Recent and Open are for the list of sessions.
	Recent []Recent
	// Measure says what a session of the list comes to; nil: nothing is said of it.
	// An engine of Open that is Seated brings the seat of a running agent.
	Open    func(ctx context.Context, path string) (session.Engine, error)
	Measure func(ctx context.Context, path string) (Measured, error)

	// Now is the clock; nil: time.Now. Input, Output and Environ are for tests;
	// nil: the terminal. Width and Height stand for a terminal's size where Output
	// is none.
	Now     func() time.Time
	Width   int
	Height  int
	Input   io.Reader
	Output  io.Writer
	Environ []string
}

// Recent is one row of the list of sessions.
type Recent = dialog.Recent

// Measured is what a session of the list comes to.
type Measured = dialog.Measured

// Screenshooter is what an engine offers that can show the page as a picture.
type Screenshooter interface {
	// Screenshot answers the page as a PNG.
	Screenshot(ctx context.Context) ([]byte, error)
}

func (c Config) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}
