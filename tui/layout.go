package tui

// The layout is a pure function: size and what is shown in, rectangles out.
//
//	wide      panes side by side, a side column for knobs or events
//	medium    as many panes as are readable, the others in a strip of tabs
//	portrait  panes one above the other
//	zoomed    one pane and its reason
//	too small one sentence with the size that is needed
type layoutMode uint8

const (
	layoutWide layoutMode = iota
	layoutMedium
	layoutPortrait
	layoutZoomed
	layoutTooSmall
)

// Sizes of the layout in cells.
const (
	minWidth        = 80
	minHeight       = 24
	oneBelow        = 100 // screens narrower than this show one pane and the strip of tabs
	minPaneWidth    = 39  // below, a row of a table tells nothing
	minPaneRows     = 9   // of a stacked pane, its head included
	sideWidth       = 40
	wideEnough      = 120
	leastBesideSide = 24 // rows of the body from which the side may lie below the panes
	tallEnough      = 30 // rows from which rules set the header and the hints apart
	tallBesides     = 46 // rows from which a screen narrower than 120 stacks its panes
)

// wanted says what there is to show.
type wanted struct {
	panes int  // shown panes
	focus int  // index among the shown panes
	zoom  bool // only the focused pane
	side  bool // a side column is open
	wide  bool // and it holds a picture
}

// placed is where everything goes. Rectangles that are not shown are empty.
type placed struct {
	mode   layoutMode
	header rect
	rules  []rect // horizontal lines of one row
	tabs   rect   // strip of all panes' figures where not every pane is on the screen
	panes  []rect // one for each pane from first on; the head is in it
	first  int    // index among the shown panes of panes[0]
	bars   []rect // vertical lines between panes
	side   rect
	steps  rect
	expiry rect
	totals rect
	hint   rect
	reason int // rows of a pane's reason: 1, or 2 where one is long
}

// paneHead is how many rows of a pane its figures and its reason take.
func (p placed) paneHead() int {
	if p.inTabs() {
		return p.reason
	}
	return 1 + p.reason
}

// inTabs reports that the pane's figures stand in the strip.
func (p placed) inTabs() bool {
	return p.tabs.h > 0 && len(p.panes) == 1 && p.mode != layoutZoomed
}

// arrange places everything on a screen of w by h cells.
func arrange(w, h int, want wanted) placed {
	if w < minWidth || h < minHeight {
		return placed{mode: layoutTooSmall}
	}
	p := placed{header: rect{0, 0, w, 1}, reason: 1}
	bottom := h
	take := func(n int) rect { bottom -= n; return rect{0, bottom, w, n} }
	p.hint = take(1)
	if h >= tallEnough {
		p.rules = append(p.rules, take(1))
	}
	p.totals, p.expiry, p.steps = take(1), take(1), take(1)
	if h >= 42 {
		p.totals = rect{0, p.totals.y, w, 1}
	}
	p.rules = append(p.rules, take(1))
	top := 1
	if h >= tallEnough {
		p.rules = append(p.rules, rect{0, 1, w, 1})
		top = 2
	}
	body := rect{0, top, w, bottom - top}
	if want.side {
		body = p.placeSide(body, want, w)
	}
	p.placePanes(body, want, w, h)
	return p
}

// placeSide takes the side column off the body: at the right where there is room,
// else over the lower part, so that it hides none of the panes that would be seen
// without it.
func (p *placed) placeSide(body rect, want wanted, w int) rect {
	sw := sideWidth
	if w >= 180 {
		sw = 48
	}
	if want.wide {
		sw = w / 2
	}
	hides := min(want.panes, sideBy(body.w-sw-1)) < min(want.panes, sideBy(body.w))
	if w >= wideEnough && (want.wide || !hides || body.h < leastBesideSide) {
		p.side = rect{body.x + body.w - sw, body.y, sw, body.h}
		p.bars = append(p.bars, rect{p.side.x - 1, body.y, 1, body.h})
		body.w -= sw + 1
		return body
	}
	sh := body.h / 2
	if w >= wideEnough { // the list and what explains it stand beside each other
		sh = body.h * 2 / 5
	}
	p.side = rect{body.x, body.y + body.h - sh, body.w, sh}
	p.rules = append(p.rules, rect{body.x, p.side.y - 1, body.w, 1})
	body.h -= sh + 1
	return body
}

// sideBy is how many panes are readable beside each other in so many cells.
func sideBy(width int) int { return max(1, (width+1)/(minPaneWidth+1)) }

func (p *placed) placePanes(body rect, want wanted, w, h int) {
	n := max(want.panes, 1)
	focus := min(max(want.focus, 0), n-1)
	if want.zoom {
		p.mode, p.first = layoutZoomed, focus
		p.panes = []rect{body}
		return
	}
	if w < wideEnough && h >= tallBesides && n > 1 && body.h >= 2*minPaneRows {
		p.mode = layoutPortrait
		p.stack(body, min(n, body.h/minPaneRows), n, focus)
		return
	}
	p.mode = layoutWide
	fit := min(n, sideBy(body.w))
	if w < oneBelow {
		fit = 1
	}
	if w < wideEnough || fit < n {
		p.mode = layoutMedium
	}
	if fit < n {
		p.tabs = rect{body.x, body.y, body.w, 1}
		body.y, body.h = body.y+1, body.h-1
	}
	p.first = window(focus, fit, n)
	x := body.x
	for i := range fit {
		pw := (body.w - (fit - 1)) / fit
		if i < (body.w-(fit-1))%fit {
			pw++
		}
		p.panes = append(p.panes, rect{x, body.y, pw, body.h})
		if x += pw; i < fit-1 {
			p.bars = append(p.bars, rect{x, body.y, 1, body.h})
		}
		x++
	}
}

// stack puts fit of n panes above each other.
func (p *placed) stack(body rect, fit, n, focus int) {
	if fit < n {
		p.tabs = rect{body.x, body.y, body.w, 1}
		body.y, body.h = body.y+1, body.h-1
	}
	p.first = window(focus, fit, n)
	y := body.y
	for i := range fit {
		ph := (body.h - (fit - 1)) / fit
		if i < (body.h-(fit-1))%fit {
			ph++
		}
		p.panes = append(p.panes, rect{body.x, y, body.w, ph})
		if y += ph; i < fit-1 {
			p.rules = append(p.rules, rect{body.x, y, body.w, 1})
		}
		y++
	}
}

// window is the first of fit neighbours among n that hold the focused one.
func window(focus, fit, n int) int {
	return max(0, min(focus-fit/2, n-fit))
}
