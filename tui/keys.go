package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/tui/draw"
	"snapscope/tui/keymap"
	"snapscope/tui/view"
)

// CheckKeys reports what is wrong with a remapping, one sentence: an action that
// does not exist, or two actions on one key.
func CheckKeys(remap map[string][]string) error { return keymap.Check(remap) }

// CheckTheme reports a theme that there is not; empty is the terminal's own.
func CheckTheme(name string) error {
	if name == "" || name == "none" || slices.Contains(draw.ThemeNames, name) {
		return nil
	}
	return fmt.Errorf("no theme %q; there are %s", name, strings.Join(draw.ThemeNames, ", "))
}

// doing is what an action of the key table does.
type doing struct {
	run func(*Model) tea.Cmd
	why func(*view.State) string // why it cannot be done now; empty: it can. nil: always
}

// doings says what each action of the key table does.
var doings map[string]doing

// plain is an action that asks for nothing but what the state itself wants.
func plainly(do func(*view.State)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { do(m.s); return nil }
}

func init() {
	doings = map[string]doing{}
	for _, group := range []map[string]doing{stepDoings(), readingDoings(), paneDoings(), knobDoings(), debugDoings(), otherDoings()} {
		maps.Copy(doings, group)
	}
	for i, name := range []string{"pane-1", "pane-2", "pane-3", "pane-4", "pane-5", "pane-6", "pane-7", "pane-8", "pane-9"} {
		doings[name] = doing{plainly(func(s *view.State) { s.GoToPane(i) }), func(s *view.State) string { return s.NoPane(i) }}
	}
}

func stepDoings() map[string]doing {
	return map[string]doing{
		"step":     {doStep, (*view.State).NoStep},
		"continue": {doContinue, (*view.State).NoStep},
		"prev":     {plainly(func(s *view.State) { s.Look(max(0, s.At-s.Times())) }), (*view.State).NoPrev},
		"next":     {plainly(func(s *view.State) { s.Look(min(len(s.Tl.Steps)-1, s.At+s.Times())) }), (*view.State).NoNext},
		"first":    {plainly((*view.State).DoFirst), (*view.State).NoSteps},
		"last":     {plainly((*view.State).DoLast), (*view.State).NoSteps},
		"list":     {plainly((*view.State).ShowList), (*view.State).NoSteps},
		"play":     {doPlay, (*view.State).NoPlay},
		"faster":   {plainly((*view.State).DoFaster), nil},
		"slower":   {plainly((*view.State).DoSlower), nil},
		"cancel":   {doEscape, nil},
	}
}

func readingDoings() map[string]doing {
	return map[string]doing{
		"down":        {plainly(func(s *view.State) { s.Move(s.Times()) }), nil},
		"up":          {plainly(func(s *view.State) { s.Move(-s.Times()) }), nil},
		"page-down":   {plainly(func(s *view.State) { s.Move(s.PageRows()) }), nil},
		"page-up":     {plainly(func(s *view.State) { s.Move(-s.PageRows()) }), nil},
		"top":         {plainly(func(s *view.State) { s.GoTo(0) }), nil},
		"bottom":      {plainly(func(s *view.State) { s.GoTo(s.Rows() - 1) }), nil},
		"half-down":   {plainly(func(s *view.State) { s.Move(s.PageRows() / 2) }), nil},
		"half-up":     {plainly(func(s *view.State) { s.Move(-s.PageRows() / 2) }), nil},
		"left":        {plainly(func(s *view.State) { s.Shift = max(0, s.Shift-8) }), nil},
		"right":       {plainly(func(s *view.State) { s.Shift = min(s.Shift+8, 4000) }), nil},
		"next-change": {plainly((*view.State).DoNextChange), (*view.State).NoChanges},
		"prev-change": {plainly((*view.State).DoPrevChange), (*view.State).NoChanges},
		"search":      {doSearch, (*view.State).NoSteps},
		"next-match":  {plainly((*view.State).DoNextMatch), (*view.State).NoMatches},
		"prev-match":  {plainly((*view.State).DoPrevMatch), (*view.State).NoMatches},
		"fold":        {plainly((*view.State).DoFold), (*view.State).NoPage},
		"weigh":       {plainly((*view.State).DoWeigh), (*view.State).NoPage},
		"heaviest":    {plainly((*view.State).DoHeaviest), (*view.State).NoPage},
	}
}

func paneDoings() map[string]doing {
	return map[string]doing{
		"next-pane":  {plainly((*view.State).DoNextPane), nil},
		"prev-pane":  {plainly((*view.State).DoPrevPane), nil},
		"move-left":  {plainly((*view.State).DoMoveLeft), (*view.State).NoMoveLeft},
		"move-right": {plainly((*view.State).DoMoveRight), (*view.State).NoMoveRight},
		"hide":       {plainly((*view.State).HidePane), (*view.State).NoHide},
		"zoom":       {plainly((*view.State).DoZoom), nil},
	}
}

func knobDoings() map[string]doing {
	return map[string]doing{
		"reason":      {doReason, (*view.State).NoPage},
		"knobs":       {plainly((*view.State).DoKnobs), nil},
		"more":        {plainly((*view.State).DoMore), (*view.State).NoKnobs},
		"less":        {plainly((*view.State).DoLess), (*view.State).NoKnobs},
		"undo":        {plainly((*view.State).DoUndo), (*view.State).NoUndo},
		"redo":        {plainly((*view.State).DoRedo), (*view.State).NoRedo},
		"reset":       {plainly((*view.State).DoReset), (*view.State).NoReset},
		"compare":     {plainly((*view.State).DoCompare), (*view.State).NoCompare},
		"save-policy": {doSavePolicy, (*view.State).NoOwnKnobs},
		"context":     {doContext, (*view.State).NoSteps},
		"prices":      {doPrices, nil},
		"next-loss":   {plainly((*view.State).DoNextLoss), (*view.State).NoLoss},
	}
}

func debugDoings() map[string]doing {
	return map[string]doing{
		"break":     {doBreak, nil},
		"breaks":    {doBreaks, nil},
		"rewind":    {doRewind, (*view.State).NoRewind},
		"read":      {doRead, (*view.State).NoRead},
		"act":       {doAct, (*view.State).NoAct},
		"run-to":    {doRunTo, (*view.State).NoRunTo},
		"edit":      {doEdit, (*view.State).NoEdit},
		"note":      {doNote, (*view.State).NoSteps},
		"next-note": {plainly((*view.State).DoNextNote), (*view.State).NoNotes},
		"events":    {plainly((*view.State).DoEvents), nil},
		"picture":   {plainly((*view.State).DoPicture), (*view.State).NoPicture},
	}
}

func otherDoings() map[string]doing {
	return map[string]doing{
		"command": {doCommand, nil},
		"palette": {doPalette, nil},
		"filter":  {doFilter, (*view.State).NoPage},
		"copy":    {doCopy, (*view.State).NoSteps},
		"export":  {doExport, (*view.State).NoSteps},
		"other":   {plainly(func(*view.State) {}), (*view.State).NoOther},
		"link":    {plainly(func(*view.State) {}), (*view.State).NoOther},
		"mouse":   {plainly((*view.State).DoMouse), nil},
		"theme":   {func(m *Model) tea.Cmd { doTheme(m); return nil }, (*view.State).NoTheme},
		"help":    {doHelp, nil},
		"suspend": {func(*Model) tea.Cmd { return tea.Suspend }, nil},
		"quit":    {doQuit, nil},
	}
}
