// Package tui is the debugger's screen: one Bubble Tea model over a session
// that grows, and a linear view of the same (Plain).
//
//	keys, mouse ─▶ Update ─▶ view.State ─▶ View: pane, dialog ─▶ draw ─▶ terminal
//	                 │  ▲       │ Ask
//	        commands ▼  │ messages
//	   engine.Step/Do ──┤  grewMsg  (engine.go)  the session's events
//	   view.MakeFrame ──┤  made     (later.go)   what the panes show at a step,
//	   view.MakeFigures ┘                        what the session cost, and all else
//
// An action is a row of the table in table.go: its name, keys and words, why it cannot be
// done now, and what it does.
//
// The rooms below it, each importing only those to its right:
//
//	dialog ─▶ pane ─▶ draw ─▶ layout
//	   └────────┴──▶ view ─▶ layout, keymap, format
//
//	keymap   binds keys to the actions of the table, as they are or remapped
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
// view.State, which ask for what has become stale; the root sees to that once the
// message is done with, and hands each answer back once. A dialog answers a key with a
// Reply. Drawing changes nothing: it answers where on the screen a click means something.
//
// Everything that is drawn goes through draw.Canvas, and the canvas puts every
// text through safetext: no byte of a page can move the cursor, change a colour or
// break a column, and each line is exactly as wide as the screen.
//
// The page as a picture is drawn in half blocks, two pixels a cell, in every
// terminal: pixel graphics (Kitty, Sixel) would have to be sent past the renderer,
// which then no longer knows what stands on the screen.
package tui
