package tui

import (
	"fmt"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// action is one row of the key table: the one place that the help, the palette,
// the hints, remapping and the keys themselves are read from.
type action struct {
	name  string   // for remapping: step, next-change
	keys  []string // as Bubble Tea names them
	group string
	short string // a word or two for the hint line; empty: not hinted
	doc   string
	run   func(*Model) tea.Cmd
	why   func(*Model) string // why it cannot be done now; empty: it can. nil: always
}

// bindings is the key table with the person's own keys laid over it.
type bindings struct {
	actions []*action
	byKey   map[string]*action
	byName  map[string]*action
}

// CheckKeys reports what is wrong with a remapping, one sentence: an action that
// does not exist, or two actions on one key.
func CheckKeys(remap map[string][]string) error {
	_, err := bindKeys(remap)
	return err
}

// ActionNames lists the actions that can be remapped, in the order of the help.
func ActionNames() []string {
	var out []string
	for _, a := range actionTable() {
		out = append(out, a.name)
	}
	return out
}

// bindKeys lays remap over the table. A key given to one action is taken from
// the action that had it by default; two remapped actions on one key are a
// conflict.
func bindKeys(remap map[string][]string) (*bindings, error) {
	b := &bindings{actions: actionTable(), byKey: map[string]*action{}, byName: map[string]*action{}}
	for _, a := range b.actions {
		b.byName[a.name] = a
	}
	names := make([]string, 0, len(remap))
	for n := range remap {
		names = append(names, n)
	}
	sort.Strings(names)
	own := map[string]string{} // key → remapped action
	for _, n := range names {
		a, ok := b.byName[n]
		if !ok {
			return nil, fmt.Errorf("keys: no action %q; there are %s", n, strings.Join(ActionNames(), ", "))
		}
		for _, k := range remap[n] {
			k = keyName(k)
			if k == "" {
				return nil, fmt.Errorf("keys: %s has an empty key", n)
			}
			if other, taken := own[k]; taken && other != n {
				return nil, fmt.Errorf("keys: %s is given to both %s and %s", k, other, n)
			}
			own[k] = n
		}
		a.keys = nil
		for _, k := range remap[n] {
			a.keys = append(a.keys, keyName(k))
		}
	}
	for _, a := range b.actions {
		if _, mine := remap[a.name]; !mine {
			a.keys = without(a.keys, own)
		}
		for _, k := range a.keys {
			b.byKey[k] = a
		}
	}
	for _, must := range []string{"quit", "help", "command"} {
		if len(b.byName[must].keys) == 0 {
			return nil, fmt.Errorf("keys: %s is left without a key", must)
		}
	}
	return b, nil
}

func without(keys []string, taken map[string]string) []string {
	var out []string
	for _, k := range keys {
		if _, t := taken[k]; !t {
			out = append(out, k)
		}
	}
	return out
}

// keyName brings the ways a key is written to the one that Bubble Tea uses.
func keyName(k string) string {
	switch k {
	case " ", "spc":
		return "space"
	case "escape":
		return "esc"
	case "return":
		return "enter"
	case "pageup":
		return "pgup"
	case "pagedown":
		return "pgdown"
	}
	return strings.TrimSpace(k)
}

// label is the key of an action as people read it.
func (a *action) label() string {
	if len(a.keys) == 0 {
		return ""
	}
	return prettyKey(a.keys[0])
}

func prettyKey(k string) string {
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgdown":
		return "pgdn"
	}
	return k
}

// key is the label of an action by name, for sentences that name a key.
func (m *Model) key(name string) string {
	if a := m.bindings.byName[name]; a != nil && len(a.keys) > 0 {
		return a.label()
	}
	return ":" + name
}

// actionTable is the key table. It is made anew for each screen, since keys can
// be remapped.
func actionTable() []*action {
	var out []*action
	group := ""
	add := func(name, keys, short, doc string, run func(*Model) tea.Cmd, why func(*Model) string) {
		out = append(out, &action{name, strings.Fields(keys), group, short, doc, run, why})
	}
	group = "Steps"
	add("step", "s", "step", "do or reveal the next step", (*Model).doStep, (*Model).noStep)
	add("continue", "c", "continue", "go on to a breakpoint or the end", (*Model).doContinue, (*Model).noStep)
	add("prev", "[", "back", "look at the step before", (*Model).doPrev, (*Model).noPrev)
	add("next", "]", "", "look at the step after", (*Model).doNext, (*Model).noNext)
	add("first", "(", "", "look at the first step", (*Model).doFirst, (*Model).noSteps)
	add("last", ")", "", "look at the newest step", (*Model).doLast, (*Model).noSteps)
	add("play", "P", "", "play the steps there are, one after the other", (*Model).doPlay, (*Model).noPlay)
	add("faster", ">", "", "play faster: ½ 1 2 4×", (*Model).doFaster, nil)
	add("slower", "<", "", "play slower", (*Model).doSlower, nil)
	add("cancel", "esc", "", "stop what is running; close what is open", (*Model).doEscape, nil)
	addReading(add, &group)
	addPanes(add, &group)
	addWork(add, &group)
	return out
}

type adder func(name, keys, short, doc string, run func(*Model) tea.Cmd, why func(*Model) string)

func addReading(add adder, group *string) {
	*group = "Reading"
	add("down", "down j", "", "one line down", func(m *Model) tea.Cmd { m.move(1); return nil }, nil)
	add("up", "up k", "", "one line up", func(m *Model) tea.Cmd { m.move(-1); return nil }, nil)
	add("page-down", "pgdown space ctrl+f", "", "one page down", func(m *Model) tea.Cmd { m.move(m.pageRows()); return nil }, nil)
	add("page-up", "pgup ctrl+b", "", "one page up", func(m *Model) tea.Cmd { m.move(-m.pageRows()); return nil }, nil)
	add("top", "home g", "", "to the top of the page", func(m *Model) tea.Cmd { m.goTo(0); return nil }, nil)
	add("bottom", "end G", "", "to the bottom of the page", func(m *Model) tea.Cmd { m.goTo(m.rows() - 1); return nil }, nil)
	add("left", "left h", "", "scroll left", func(m *Model) tea.Cmd { m.shift = max(0, m.shift-8); return nil }, nil)
	add("right", "right l", "", "scroll right", func(m *Model) tea.Cmd { m.shift = min(m.shift+8, 4000); return nil }, nil)
	add("next-change", "}", "changes", "to the next change", (*Model).doNextChange, (*Model).noChanges)
	add("prev-change", "{", "", "to the change before", (*Model).doPrevChange, (*Model).noChanges)
	add("search", "/", "search", "search the page in all panes", (*Model).doSearch, (*Model).noPage)
	add("next-match", "n", "", "to the next match", (*Model).doNextMatch, (*Model).noMatches)
	add("prev-match", "N", "", "to the match before", (*Model).doPrevMatch, (*Model).noMatches)
	add("fold", "f", "", "fold what did not change", (*Model).doFold, (*Model).noPage)
}

func addPanes(add adder, group *string) {
	*group = "Panes"
	add("next-pane", "tab", "", "next pane", (*Model).doNextPane, nil)
	add("prev-pane", "shift+tab", "", "pane before", (*Model).doPrevPane, nil)
	add("move-left", "H", "", "move the pane to the left", (*Model).doMoveLeft, (*Model).noMoveLeft)
	add("move-right", "L", "", "move the pane to the right", (*Model).doMoveRight, (*Model).noMoveRight)
	add("zoom", "z", "zoom", "zoom the pane, and back", (*Model).doZoom, nil)
	for i := 1; i <= 9; i++ {
		n := i - 1
		add(fmt.Sprintf("pane-%d", i), fmt.Sprint(i), "", fmt.Sprintf("show or hide pane %d", i),
			func(m *Model) tea.Cmd { return m.togglePane(n) },
			func(m *Model) string { return m.noPane(n) })
	}
}

func addWork(add adder, group *string) {
	*group = "Why and what if"
	add("reason", "enter", "why", "the verdict's arithmetic", (*Model).doReason, (*Model).noReason)
	add("knobs", "o", "knobs", "open the knobs of the shown policies and of expiry", (*Model).doKnobs, nil)
	add("more", "+ =", "", "turn the chosen knob up", (*Model).doMore, (*Model).noKnobs)
	add("less", "-", "", "turn it down", (*Model).doLess, (*Model).noKnobs)
	add("undo", "u", "", "undo the last turn", (*Model).doUndo, (*Model).noUndo)
	add("redo", "ctrl+r U", "", "do it again", (*Model).doRedo, (*Model).noRedo)
	add("reset", "r", "", "all knobs of the policy as they came", (*Model).doReset, (*Model).noReset)
	add("compare", "A", "", "a copy of the policy beside it: turn B, keep A", (*Model).doCompare, (*Model).noCompare)
	add("save-policy", "w", "", "keep the pane's policy under a name", (*Model).doSavePolicy, (*Model).noOwnKnobs)
	add("context", "v", "context", "context, cost and survival, call by call", (*Model).doContext, (*Model).noSteps)
	add("next-loss", "!", "", "to the next element that was lost", (*Model).doNextLoss, (*Model).noLoss)
	*group = "Debugging"
	add("break", "b", "", "set a breakpoint", (*Model).doBreak, nil)
	add("breaks", "B", "", "list the breakpoints", (*Model).doBreaks, nil)
	add("run-to", "C", "", "go on until the line under the cursor changes", (*Model).doRunTo, (*Model).noRunTo)
	add("edit", "E", "", "edit the step's action and do it again", (*Model).doEdit, (*Model).noEdit)
	add("note", "a", "", "a note on the step; empty: a bookmark", (*Model).doNote, (*Model).noSteps)
	add("next-note", "'", "", "to the next step with a note", (*Model).doNextNote, (*Model).noNotes)
	add("events", "i", "", "events and console of the step", (*Model).doEvents, nil)
	add("picture", "p", "", "the page as a picture, two pixels a cell", (*Model).doPicture, (*Model).noPicture)
	*group = "Everything else"
	add("command", ":", "command", "type an action: click e12, goto …", (*Model).doCommand, nil)
	add("palette", "ctrl+p", "", "find any action by a few letters", (*Model).doPalette, nil)
	add("filter", "&", "", "show only lines with a text, a role:… or a ref:…", (*Model).doFilter, (*Model).noPage)
	add("copy", "y", "", "copy ref, line, step, or what the agent gets", (*Model).doCopy, (*Model).noSteps)
	add("export", "e", "", "write what the pane shows to a file", (*Model).doExport, (*Model).noExport)
	add("mouse", "m", "", "mouse on or off", (*Model).doMouse, nil)
	add("theme", "t", "", "next theme", (*Model).doTheme, (*Model).noTheme)
	add("help", "? f1", "help", "all keys", (*Model).doHelp, nil)
	add("suspend", "ctrl+z", "", "back to the shell; fg returns", func(*Model) tea.Cmd { return tea.Suspend }, nil)
	add("quit", "q ctrl+c", "quit", "leave; the terminal is as it was", (*Model).doQuit, nil)
}
