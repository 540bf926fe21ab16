package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/tui/dialog"
	"snapscope/tui/draw"
	"snapscope/tui/keymap"
	"snapscope/tui/view"
)

// action is a row of the table of actions, which the keys, the help, the hints, the
// palette, the man page and remapping are read off: its name, keys and words, when
// it cannot be done and why, and what it does.
type action struct {
	keymap.Action
	why reason // nil: it can always be done
	do  func(*Model) tea.Cmd
}

// reason says why something cannot be done now; empty: it can.
type reason = func(*view.State) string

// because is a reason where something holds.
func because(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// on is an action that asks for nothing but what the state itself wants.
func on(do func(*view.State)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { do(m.s); return nil }
}

// to is an action that is done in one of two directions.
func to(do func(s *view.State, by int), by int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { do(m.s, by); return nil }
}

// Actions is the table for those who read it: the man page, what can be remapped. It
// is made anew each time, since keys can be remapped.
func Actions() []*keymap.Action {
	var out []*keymap.Action
	for _, a := range actions() {
		out = append(out, &a.Action)
	}
	return out
}

// actions is the table, in the order of the help.
func actions() []*action {
	var out []*action
	for _, g := range []struct {
		name string
		rows []row
	}{
		{"Steps", stepRows()},
		{"Reading", readingRows()},
		{"Panes", paneRows()},
		{"Why and what if", whyRows()},
		{"Debugging", debugRows()},
		{"Everything else", otherRows()},
	} {
		for _, r := range g.rows {
			out = append(out, &action{keymap.Action{Name: r.name, Keys: strings.Fields(r.keys), Group: g.name, Short: r.short, Doc: r.doc}, r.why, r.do})
		}
	}
	return out
}

// row is an action as it is written down: keys with blanks between them, as Bubble
// Tea names them, and a word or two for the hint line; empty: not hinted.
type row struct {
	name, keys, short, doc string
	why                    reason
	do                     func(*Model) tea.Cmd
}

func stepRows() []row {
	return []row{
		{"step", "s", "step", "do or reveal the next step", noStep, (*Model).step},
		{"continue", "c", "continue", "go on to a breakpoint or the end", noStep, (*Model).goOn},
		{"prev", "[", "back", "look at the step before", noPrev, on(func(s *view.State) { s.Look(max(0, s.At-s.Times())) })},
		{"next", "]", "", "look at the step after", func(s *view.State) string {
			return cmp.Or(noSteps(s), because(s.At >= len(s.Tl.Steps)-1, "this is the newest step; "+s.Keys.Label("step")+" takes the next"))
		}, on(func(s *view.State) { s.Look(min(len(s.Tl.Steps)-1, s.At+s.Times())) })},
		{"first", "(", "", "look at the first step", noSteps, on(func(s *view.State) { s.Look(0) })},
		{"last", ")", "", "look at the newest step", noSteps, on(func(s *view.State) { s.Look(len(s.Tl.Steps) - 1) })},
		{"list", "l", "steps", "the list of all steps, and back", noSteps, on((*view.State).ShowList)},
		{"play", "P", "", "play the steps there are, one after the other", func(s *view.State) string { return cmp.Or(noSteps(s), busy(s)) }, (*Model).play},
		{"faster", ">", "", "play faster: ½ 1 2 4×", nil, to((*view.State).Speed, 1)},
		{"slower", "<", "", "play slower", nil, to((*view.State).Speed, -1)},
		{"cancel", "esc", "", "stop what is running; close what is open", nil, (*Model).escape},
	}
}

func readingRows() []row {
	move := func(by func(*view.State) int) func(*Model) tea.Cmd {
		return on(func(s *view.State) { s.GoTo(s.Row + by(s)) })
	}
	return []row{
		{"down", "down j", "", "one line down", nil, move((*view.State).Times)},
		{"up", "up k", "", "one line up", nil, move(func(s *view.State) int { return -s.Times() })},
		{"page-down", "pgdown space ctrl+f", "", "one page down", nil, move((*view.State).PageRows)},
		{"page-up", "pgup ctrl+b", "", "one page up", nil, move(func(s *view.State) int { return -s.PageRows() })},
		{"top", "g home", "", "to the top of the page", nil, on(func(s *view.State) { s.GoTo(0) })},
		{"bottom", "G end", "", "to the bottom of the page", nil, on(func(s *view.State) { s.GoTo(s.Rows() - 1) })},
		{"half-down", "ctrl+d", "", "half a page down", nil, move(func(s *view.State) int { return s.PageRows() / 2 })},
		{"half-up", "ctrl+u", "", "half a page up", nil, move(func(s *view.State) int { return -s.PageRows() / 2 })},
		{"left", "left", "", "scroll left", nil, to((*view.State).ShiftBy, -8)},
		{"right", "right", "", "scroll right", nil, to((*view.State).ShiftBy, 8)},
		{"next-change", "}", "changes", "to the next change", noChanges, to((*view.State).ToChange, 1)},
		{"prev-change", "{", "", "to the change before", noChanges, to((*view.State).ToChange, -1)},
		{"search", "/", "search", "search the page, then the session; /re/ too", noSteps, typing(dialog.InputSearch, "/")},
		{"next-match", "n", "", "to the next match, on through the session", noMatches, to((*view.State).ToMatch, 1)},
		{"prev-match", "N", "", "to the match before", noMatches, to((*view.State).ToMatch, -1)},
		{"weigh", "T", "", "tokens of each line with all within it", noPage, on((*view.State).ToggleWeights)},
		{"heaviest", "W", "", "to the heaviest branch; again: on into it", noPage, on((*view.State).ToHeaviest)},
		{"fold", "f", "", "fold what did not change", noPage, on((*view.State).ToggleFold)},
	}
}

func paneRows() []row {
	rows := []row{
		{"next-pane", "tab", "", "next pane", nil, to((*view.State).TurnPane, 1)},
		{"prev-pane", "shift+tab", "", "pane before", nil, to((*view.State).TurnPane, -1)},
		{"move-left", "H", "", "move the pane to the left", func(s *view.State) string {
			return because(s.FocusAt() == 0, "this is the first pane already")
		}, to((*view.State).MovePane, -1)},
		{"move-right", "L", "", "move the pane to the right", func(s *view.State) string {
			return because(s.FocusAt() == len(s.ShownPanes())-1, "this is the last pane already")
		}, to((*view.State).MovePane, 1)},
		{"hide", "x", "", "hide the pane; its digit shows it again", func(s *view.State) string {
			return because(len(s.ShownPanes()) == 1, "this is the only pane; show another one first")
		}, on((*view.State).HidePane)},
		{"zoom", "z", "zoom", "zoom the pane, and back", nil, on((*view.State).ToggleZoom)},
	}
	for i := range 9 {
		n := fmt.Sprint(i + 1)
		rows = append(rows, row{"pane-" + n, n, "", "go to pane " + n, func(s *view.State) string {
			return because(i >= len(s.Panes), fmt.Sprintf("there is no pane %d; there are %d", i+1, len(s.Panes)))
		}, on(func(s *view.State) { s.GoToPane(i) })})
	}
	return rows
}

func whyRows() []row {
	return []row{
		{"reason", "enter", "why", "the verdict's arithmetic", noPage, (*Model).reason},
		{"knobs", "o", "knobs", "open the knobs of the shown policies and of expiry", nil, on((*view.State).ToggleKnobs)},
		{"more", "+ =", "", "turn the chosen knob up", noKnobs, on(func(s *view.State) { s.Knobs.Turn(1) })},
		{"less", "-", "", "turn it down", noKnobs, on(func(s *view.State) { s.Knobs.Turn(-1) })},
		{"undo", "u", "", "undo the last turn", func(s *view.State) string {
			return because(len(s.Knobs.Undo) == 0, "no turn of a knob is left to take back")
		}, on(func(s *view.State) { s.Knobs.Unturn(false) })},
		{"redo", "ctrl+r U", "", "do it again", func(s *view.State) string {
			return because(len(s.Knobs.Redo) == 0, "there is nothing to do again")
		}, on(func(s *view.State) { s.Knobs.Unturn(true) })},
		{"reset", "r", "", "all knobs of the policy as they came", func(s *view.State) string {
			p := s.Knobbed(s.Knobs.ResetPane())
			return because(p.Policy.Key() == p.Origin.Key(), "all knobs of "+p.Policy.Name+" are as they came")
		}, on(func(s *view.State) { s.Knobs.ResetKnobs() })},
		{"compare", "A", "", "a copy of the policy beside it: turn B, keep A", func(s *view.State) string {
			return cmp.Or(because(len(s.Panes) == 9 && s.SparePane() < 0, "all nine panes are in use; hide one first"), noOwnKnobs(s))
		}, on((*view.State).Compare)},
		{"save-policy", "w", "", "keep the pane's policy under a name", noOwnKnobs, typing(dialog.InputPolicy, "save policy as ")},
		{"context", "v", "context", "context, cost and survival, call by call", noSteps, opens(func(m *Model) dialog.Overlay { return dialog.NewContextView(m.s) })},
		{"prices", "$", "", "the model whose prices costs are counted with", nil, opens(func(m *Model) dialog.Overlay {
			return dialog.ModelMenu(m.priced().Models(), m.cfg.Ledger.Model)
		})},
		{"next-loss", "!", "", "to what went wrong, then to what shown policies would lose", func(s *view.State) string {
			return because(s.Set != nil && !s.Busy && s.Job == nil && len(s.Stops()) == 0, view.NoTrouble)
		}, on((*view.State).ToTrouble)},
	}
}

func debugRows() []row {
	return []row{
		{"break", "b", "", "set a breakpoint", nil, typing(dialog.InputBreak, "stop at: ")},
		{"breaks", "B", "", "list the breakpoints", nil, (*Model).breaks},
		{"rewind", "R", "", "back to the last step at which a breakpoint holds", func(s *view.State) string {
			on := slices.ContainsFunc(s.Breaks, func(b view.BreakRow) bool { return !b.Off })
			return cmp.Or(noPrev(s), noStep(s), because(!on, "no breakpoint is set; "+s.Keys.Label("break")+" sets one"))
		}, func(m *Model) tea.Cmd { return m.walk(m.s.At-1, -1) }},
		{"act", "d", "act", "do something to the element under the cursor", noAct, opens(func(m *Model) dialog.Overlay { return dialog.ActMenu(m.s) })},
		{"read", "S", "", "read the page anew; start a browser that is gone", noRead, (*Model).read},
		{"run-to", "C", "", "go on until the line under the cursor changes", func(s *view.State) string {
			return cmp.Or(noStep(s), because(s.CursorRef() == "", "the line under the cursor has no ref to watch"))
		}, (*Model).runTo},
		{"edit", "E", "", "edit the step's action and do it again", func(s *view.State) string { return cmp.Or(noSteps(s), recorded(s)) }, (*Model).edit},
		{"note", "a", "", "a note on the step; empty: a bookmark", noSteps, (*Model).note},
		{"next-note", "'", "", "to the next step with a note", func(s *view.State) string {
			return because(len(s.Notes) == 0, "no step has a note; "+s.Keys.Label("note")+" makes one")
		}, on((*view.State).ToNote)},
		{"events", "i", "", "events and console of the step", nil, on(func(s *view.State) { s.ToggleSide(view.SideEvents) })},
		{"picture", "p", "", "the page as a picture, two pixels a cell", func(s *view.State) string {
			if s.Side == view.SidePicture {
				return ""
			}
			return cmp.Or(because(!s.Shoots, "this session has no browser to take a picture of"), busy(s))
		}, on(func(s *view.State) { s.ToggleSide(view.SidePicture) })},
	}
}

func otherRows() []row {
	return []row{
		{"command", ":", "command", "type an action: click e12, goto …", nil, typing(dialog.InputCommand, ":")},
		{"palette", "ctrl+p", "", "find any action by a few letters", nil, opens(func(m *Model) dialog.Overlay { return dialog.NewPalette(m.s, m.whyNot) })},
		{"filter", "&", "", "only lines with a text, role:… or ref:…; in the list, steps", noPage, typing(dialog.InputFilter, "only lines with ")},
		{"copy", "y", "", "copy ref, line, step, or what the agent gets", noSteps, opens(func(m *Model) dialog.Overlay { return dialog.CopyMenu(m.s) })},
		{"export", "e", "", "the policy, the step or the session, to a file", noSteps, (*Model).export},
		{"other", "ctrl+w `", "", "of two sessions: to the other one", noOther, on(func(*view.State) {})},
		{"link", "ctrl+l", "", "of two sessions: step both, or each alone", noOther, on(func(*view.State) {})},
		{"mouse", "m", "", "mouse on or off", nil, on((*view.State).ToggleMouse)},
		{"theme", "t", "", "next theme", noTheme, (*Model).next},
		{"help", "? f1", "help", "all keys", nil, opens(func(m *Model) dialog.Overlay { return dialog.HelpSheet(m.s) })},
		{"suspend", "ctrl+z", "", "back to the shell; fg returns", nil, func(*Model) tea.Cmd { return tea.Suspend }},
		{"quit", "q ctrl+c", "quit", "leave; the terminal is as it was", nil, (*Model).leave},
	}
}

// typing is an action that opens the line that is typed into.
func typing(kind dialog.InputKind, prompt string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.ask(kind, prompt, "") }
}

// opens is an action that opens what lies over the panes.
func opens(what func(*Model) dialog.Overlay) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { m.over = what(m); return nil }
}

// Reasons that several actions share.

func busy(s *view.State) string {
	if s.Job == nil {
		return ""
	}
	return s.Job.What + " is still running; " + s.Keys.Label("cancel") + " stops it"
}

func noStep(s *view.State) string {
	return cmp.Or(because(!s.Open, "no session is open"), busy(s))
}

func noSteps(s *view.State) string {
	return because(len(s.Tl.Steps) == 0, "there is no step yet; "+s.Keys.Label("step")+" takes the first")
}

func noPrev(s *view.State) string {
	return cmp.Or(noSteps(s), because(s.At <= 0, "this is the first step"))
}

func noPage(s *view.State) string {
	return because(s.Grid == nil, cmp.Or(noSteps(s), "this step has no snapshot"))
}

func noChanges(s *view.State) string {
	switch why := noPage(s); {
	case why != "" || len(s.Grid.Changes) > 0:
		return why
	case s.Fr.Page.First:
		return "this is the first snapshot of the document: there is nothing to compare it with"
	}
	return "nothing changed in this step"
}

func noMatches(s *view.State) string {
	return cmp.Or(because(s.Search.Text == "", "nothing was searched for yet; "+s.Keys.Label("search")+" searches"),
		because(s.Search.All != nil && s.Search.All.Total == 0, fmt.Sprintf("%q is nowhere in this session", s.Search.Text)))
}

// noKnobs: while the column is open all knobs can be turned, else those of the focused
// pane.
func noKnobs(s *view.State) string {
	if s.Side == view.SideKnobs && !s.Zoom {
		return because(len(s.KnobRows()) == 0, "no shown policy has a knob")
	}
	return noOwnKnobs(s)
}

func noOwnKnobs(s *view.State) string {
	p := s.Panes[s.Focus].Policy
	return because(len(view.KnobsOf(p)) == 0, p.Name+" has no knobs; "+s.Keys.Label("next-pane")+" goes to another pane")
}

func recorded(s *view.State) string {
	return because(s.Info.Mode != session.ModeLive, session.ErrRecorded.Error())
}

func noRead(s *view.State) string { return cmp.Or(noStep(s), recorded(s)) }

func noAct(s *view.State) string {
	return cmp.Or(noRead(s), because(s.At < len(s.Tl.Steps)-1, "this is the past; "+s.Keys.Label("last")+" goes to the page as it is now"),
		because(s.CursorRef() == "", "the line under the cursor is no element with a ref"))
}

func noTheme(s *view.State) string { return because(s.Mono, "NO_COLOR is set, so there is one theme") }

// noOther: where there are two sessions, whoever shows both takes these keys.
func noOther(s *view.State) string {
	return because(s.Tag == "", "one session is open; snapscope replay A B opens two")
}

// CheckKeys reports what is wrong with a remapping, one sentence: an action that
// does not exist, or two actions on one key.
func CheckKeys(remap map[string][]string) error {
	_, err := keymap.Bind(Actions(), remap)
	return err
}

// CheckTheme reports a theme that there is not; empty is the terminal's own.
func CheckTheme(name string) error {
	if name == "" || name == "none" || slices.Contains(draw.ThemeNames, name) {
		return nil
	}
	return fmt.Errorf("no theme %q; there are %s", name, strings.Join(draw.ThemeNames, ", "))
}
