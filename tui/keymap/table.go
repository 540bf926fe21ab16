package keymap

import (
	"fmt"
	"strings"
)

// table gathers the actions of one group after the other.
type table struct {
	rows  []*Action
	group string
}

func (t *table) add(name, keys, short, doc string) {
	t.rows = append(t.rows, &Action{name, strings.Fields(keys), t.group, short, doc})
}

// Table is the table of actions. It is made anew for each screen, since keys can
// be remapped.
func Table() []*Action {
	t := &table{}
	t.steps()
	t.reading()
	t.panes()
	t.why()
	t.debugging()
	t.rest()
	return t.rows
}

func (t *table) steps() {
	t.group = "Steps"
	t.add("step", "s", "step", "do or reveal the next step")
	t.add("continue", "c", "continue", "go on to a breakpoint or the end")
	t.add("prev", "[", "back", "look at the step before")
	t.add("next", "]", "", "look at the step after")
	t.add("first", "(", "", "look at the first step")
	t.add("last", ")", "", "look at the newest step")
	t.add("list", "l", "steps", "the list of all steps, and back")
	t.add("play", "P", "", "play the steps there are, one after the other")
	t.add("faster", ">", "", "play faster: ½ 1 2 4×")
	t.add("slower", "<", "", "play slower")
	t.add("cancel", "esc", "", "stop what is running; close what is open")
}

func (t *table) reading() {
	t.group = "Reading"
	t.add("down", "down j", "", "one line down")
	t.add("up", "up k", "", "one line up")
	t.add("page-down", "pgdown space ctrl+f", "", "one page down")
	t.add("page-up", "pgup ctrl+b", "", "one page up")
	t.add("top", "g home", "", "to the top of the page")
	t.add("bottom", "G end", "", "to the bottom of the page")
	t.add("half-down", "ctrl+d", "", "half a page down")
	t.add("half-up", "ctrl+u", "", "half a page up")
	t.add("left", "left", "", "scroll left")
	t.add("right", "right", "", "scroll right")
	t.add("next-change", "}", "changes", "to the next change")
	t.add("prev-change", "{", "", "to the change before")
	t.add("search", "/", "search", "search the page, then the session; /re/ too")
	t.add("next-match", "n", "", "to the next match, on through the session")
	t.add("prev-match", "N", "", "to the match before")
	t.add("weigh", "T", "", "tokens of each line with all within it")
	t.add("heaviest", "W", "", "to the heaviest branch; again: on into it")
	t.add("fold", "f", "", "fold what did not change")
}

func (t *table) panes() {
	t.group = "Panes"
	t.add("next-pane", "tab", "", "next pane")
	t.add("prev-pane", "shift+tab", "", "pane before")
	t.add("move-left", "H", "", "move the pane to the left")
	t.add("move-right", "L", "", "move the pane to the right")
	t.add("hide", "x", "", "hide the pane; its digit shows it again")
	t.add("zoom", "z", "zoom", "zoom the pane, and back")
	for i := 1; i <= 9; i++ {
		t.add(fmt.Sprintf("pane-%d", i), fmt.Sprint(i), "", fmt.Sprintf("go to pane %d", i))
	}
}

func (t *table) why() {
	t.group = "Why and what if"
	t.add("reason", "enter", "why", "the verdict's arithmetic")
	t.add("knobs", "o", "knobs", "open the knobs of the shown policies and of expiry")
	t.add("more", "+ =", "", "turn the chosen knob up")
	t.add("less", "-", "", "turn it down")
	t.add("undo", "u", "", "undo the last turn")
	t.add("redo", "ctrl+r U", "", "do it again")
	t.add("reset", "r", "", "all knobs of the policy as they came")
	t.add("compare", "A", "", "a copy of the policy beside it: turn B, keep A")
	t.add("save-policy", "w", "", "keep the pane's policy under a name")
	t.add("context", "v", "context", "context, cost and survival, call by call")
	t.add("prices", "$", "", "the model whose prices costs are counted with")
	t.add("next-loss", "!", "", "to what went wrong, then to what shown policies would lose")
}

func (t *table) debugging() {
	t.group = "Debugging"
	t.add("break", "b", "", "set a breakpoint")
	t.add("breaks", "B", "", "list the breakpoints")
	t.add("rewind", "R", "", "back to the last step at which a breakpoint holds")
	t.add("act", "d", "act", "do something to the element under the cursor")
	t.add("read", "S", "", "read the page anew; start a browser that is gone")
	t.add("run-to", "C", "", "go on until the line under the cursor changes")
	t.add("edit", "E", "", "edit the step's action and do it again")
	t.add("note", "a", "", "a note on the step; empty: a bookmark")
	t.add("next-note", "'", "", "to the next step with a note")
	t.add("events", "i", "", "events and console of the step")
	t.add("picture", "p", "", "the page as a picture, two pixels a cell")
}

func (t *table) rest() {
	t.group = "Everything else"
	t.add("command", ":", "command", "type an action: click e12, goto …")
	t.add("palette", "ctrl+p", "", "find any action by a few letters")
	t.add("filter", "&", "", "only lines with a text, role:… or ref:…; in the list, steps")
	t.add("copy", "y", "", "copy ref, line, step, or what the agent gets")
	t.add("export", "e", "", "the policy, the step or the session, to a file")
	t.add("other", "ctrl+w `", "", "of two sessions: to the other one")
	t.add("link", "ctrl+l", "", "of two sessions: step both, or each alone")
	t.add("mouse", "m", "", "mouse on or off")
	t.add("theme", "t", "", "next theme")
	t.add("help", "? f1", "help", "all keys")
	t.add("suspend", "ctrl+z", "", "back to the shell; fg returns")
	t.add("quit", "q ctrl+c", "quit", "leave; the terminal is as it was")
}

// Word is one of the words of the command line that are about the screen itself;
// the others are the verbs of a step script.
type Word struct {
	Word string
	Args string
	Doc  string
}

// Words lists them in the order of the help.
func Words() []Word {
	return []Word{
		{"step", "[n]", "look at step n, or do the next one"},
		{"until", "n", "go on until step n"},
		{"ref", "e12", "go to the element with this ref"},
		{"filter", "[text | role:button | ref:e12]", "show only matching lines; alone: all again"},
		{"break", "condition", "stop where this holds"},
		{"set", "knob=value", "turn a knob of the focused pane"},
		{"policy", "name", "show a policy in the focused pane"},
		{"tune", "[seconds | stop]", "search for the policy that costs least and keeps everything"},
		{"save", "name", "keep the focused pane's policy under a name"},
		{"model", "[name]", "count costs at the prices of a model; alone: of the session's"},
		{"theme", "name", "how the screen looks: dark, light, contrast, mono"},
		{"do", "action", "any action of the key table by name"},
	}
}
