// Package tui is the debugger's screen: one Bubble Tea model over a session
// that grows, and a linear view of the same (Plain).
//
//	keys, mouse ─▶ Update ─▶ what is chosen ─▶ View: canvas ─▶ terminal
//	                 │  ▲
//	        commands ▼  │ messages, each with the number of its asking
//	   engine.Step/Do ──┤  grewMsg    (engine.go)   the session's events
//	   makeFrame ───────┤  *frame     (frame.go)    what the panes show at a step
//	   makeFigures ─────┘  *figureSet (figures.go)  what the session cost
//
// Three rules keep it quick and safe.
//
// Update and View compute nothing that grows with the page or the session.
// Rendering strategies, comparing pages, aligning panes and counting tokens
// happen in commands; their answers are values that are never changed once made.
// An answer to an older question is dropped. Nothing ticks unless something
// runs.
//
// View-models stand apart from drawing. page, doc and grid (pagevm.go, docvm.go,
// rowvm.go) say which line of which pane stands on which row and why a line is
// missing; layout.go says where everything goes; both are pure and tested first.
// Drawing looks at the visible rows only.
//
// Everything that is drawn goes through canvas, and canvas puts every text
// through safetext: no byte of a page can move the cursor, change a colour or
// break a column, and each line is exactly as wide as the screen.
//
// The page as a picture is drawn in half blocks, two pixels a cell, in every
// terminal: pixel graphics (Kitty, Sixel) would have to be sent past the renderer,
// which then no longer knows what stands on the screen.
//
// Keys live in one table (keys.go): the help, the palette, the hints, remapping
// and the reasons why an action cannot be done are all read off it.
package tui
