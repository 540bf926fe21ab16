// Package tui is the debugger's screen: one Bubble Tea model over a session
// that grows, and a linear view of the same (Plain).
//
//	keys, mouse ─▶ Update ─▶ view.State ─▶ View: pane, dialog ─▶ draw ─▶ terminal
//	                 │  ▲       │ wants
//	        commands ▼  │ messages, each with the number of its asking
//	   engine.Step/Do ──┤  grewMsg          (engine.go)  the session's events
//	   view.MakeFrame ──┤  *view.Frame      (model.go)   what the panes show at a step
//	   view.MakeFigures ┘  *view.FigureSet  (work.go)    what the session cost
//
// The rooms below it, each importing only those to its right:
//
//	dialog ─▶ pane ─▶ draw ─▶ layout
//	   └────────┴──▶ view ─▶ layout, keymap, format
//
//	keymap   the table of actions and keys; help, palette, hints and remapping read it
//	layout   size in, rectangles out: pure
//	view     what is looked at, and the view-models: which line of which pane stands
//	         on which row and why a line is missing: pure, tested first
//	pane     draws the snapshot panes, the strips and the side column
//	dialog   what lies over the panes: help, context, palette, lists, the typed line
//	draw     the canvas, the only door to the terminal, and the themes
//	safetext page text that cannot move the cursor, hide or reorder what is read
//	format   numbers as people read them
//
// Three rules keep it quick and safe.
//
// Update and View compute nothing that grows with the page or the session.
// Rendering strategies, comparing pages, aligning panes and counting tokens
// happen in commands; their answers are values that are never changed once made.
// An answer to an older question is dropped. Nothing ticks unless something
// runs.
//
// Only the root takes messages. What is chosen is changed through the methods of
// view.State, which note in Wants what has become stale; the root sees to that
// once the message is done with. A dialog answers a key with a Reply.
//
// Everything that is drawn goes through draw.Canvas, and the canvas puts every
// text through safetext: no byte of a page can move the cursor, change a colour or
// break a column, and each line is exactly as wide as the screen.
//
// The page as a picture is drawn in half blocks, two pixels a cell, in every
// terminal: pixel graphics (Kitty, Sixel) would have to be sent past the renderer,
// which then no longer knows what stands on the screen.
package tui
