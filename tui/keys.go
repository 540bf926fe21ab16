package tui

import (
	tea "charm.land/bubbletea/v2"

	"snapscope/tui/keymap"
)

// CheckKeys reports what is wrong with a remapping, one sentence: an action that
// does not exist, or two actions on one key.
func CheckKeys(remap map[string][]string) error { return keymap.Check(remap) }

// ActionNames lists the actions that can be remapped, in the order of the help.
func ActionNames() []string { return keymap.Names() }

// doing is what an action of the key table does.
type doing struct {
	run func(*Model) tea.Cmd
	why func(*Model) string // why it cannot be done now; empty: it can. nil: always
}

// doings says what each action of the key table does.
var doings map[string]doing

// plain is an action that asks for nothing but what the state itself wants.
func plainly(do func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { do(m); return nil }
}

func init() {
	doings = map[string]doing{
		"step":     {(*Model).doStep, (*Model).noStep},
		"continue": {(*Model).doContinue, (*Model).noStep},
		"prev":     {plainly((*Model).doPrev), (*Model).noPrev},
		"next":     {plainly((*Model).doNext), (*Model).noNext},
		"first":    {plainly((*Model).doFirst), (*Model).noSteps},
		"last":     {plainly((*Model).doLast), (*Model).noSteps},
		"play":     {(*Model).doPlay, (*Model).noPlay},
		"faster":   {plainly((*Model).doFaster), nil},
		"slower":   {plainly((*Model).doSlower), nil},
		"cancel":   {(*Model).doEscape, nil},

		"down":        {plainly(func(m *Model) { m.move(1) }), nil},
		"up":          {plainly(func(m *Model) { m.move(-1) }), nil},
		"page-down":   {plainly(func(m *Model) { m.move(m.pageRows()) }), nil},
		"page-up":     {plainly(func(m *Model) { m.move(-m.pageRows()) }), nil},
		"top":         {plainly(func(m *Model) { m.goTo(0) }), nil},
		"bottom":      {plainly(func(m *Model) { m.goTo(m.rows() - 1) }), nil},
		"left":        {plainly(func(m *Model) { m.shift = max(0, m.shift-8) }), nil},
		"right":       {plainly(func(m *Model) { m.shift = min(m.shift+8, 4000) }), nil},
		"next-change": {plainly((*Model).doNextChange), (*Model).noChanges},
		"prev-change": {plainly((*Model).doPrevChange), (*Model).noChanges},
		"search":      {(*Model).doSearch, (*Model).noPage},
		"next-match":  {plainly((*Model).doNextMatch), (*Model).noMatches},
		"prev-match":  {plainly((*Model).doPrevMatch), (*Model).noMatches},
		"fold":        {plainly((*Model).doFold), (*Model).noPage},

		"next-pane":  {plainly((*Model).doNextPane), nil},
		"prev-pane":  {plainly((*Model).doPrevPane), nil},
		"move-left":  {plainly((*Model).doMoveLeft), (*Model).noMoveLeft},
		"move-right": {plainly((*Model).doMoveRight), (*Model).noMoveRight},
		"zoom":       {plainly((*Model).doZoom), nil},

		"reason":      {(*Model).doReason, (*Model).noPage},
		"knobs":       {plainly((*Model).doKnobs), nil},
		"more":        {plainly((*Model).doMore), (*Model).noKnobs},
		"less":        {plainly((*Model).doLess), (*Model).noKnobs},
		"undo":        {plainly((*Model).doUndo), (*Model).noUndo},
		"redo":        {plainly((*Model).doRedo), (*Model).noRedo},
		"reset":       {plainly((*Model).doReset), (*Model).noReset},
		"compare":     {plainly((*Model).doCompare), (*Model).noCompare},
		"save-policy": {(*Model).doSavePolicy, (*Model).noOwnKnobs},
		"context":     {(*Model).doContext, (*Model).noSteps},
		"next-loss":   {plainly((*Model).doNextLoss), (*Model).noLoss},

		"break":     {(*Model).doBreak, nil},
		"breaks":    {(*Model).doBreaks, nil},
		"run-to":    {(*Model).doRunTo, (*Model).noRunTo},
		"edit":      {(*Model).doEdit, (*Model).noEdit},
		"note":      {(*Model).doNote, (*Model).noSteps},
		"next-note": {plainly((*Model).doNextNote), (*Model).noNotes},
		"events":    {plainly((*Model).doEvents), nil},
		"picture":   {plainly((*Model).doPicture), (*Model).noPicture},

		"command": {(*Model).doCommand, nil},
		"palette": {(*Model).doPalette, nil},
		"filter":  {(*Model).doFilter, (*Model).noPage},
		"copy":    {(*Model).doCopy, (*Model).noSteps},
		"export":  {(*Model).doExport, (*Model).noExport},
		"mouse":   {plainly((*Model).doMouse), nil},
		"theme":   {plainly((*Model).doTheme), (*Model).noTheme},
		"help":    {(*Model).doHelp, nil},
		"suspend": {func(*Model) tea.Cmd { return tea.Suspend }, nil},
		"quit":    {(*Model).doQuit, nil},
	}
	for i, name := range []string{"pane-1", "pane-2", "pane-3", "pane-4", "pane-5", "pane-6", "pane-7", "pane-8", "pane-9"} {
		doings[name] = doing{plainly(func(m *Model) { m.togglePane(i) }), func(m *Model) string { return m.noPane(i) }}
	}
}
