// Package layout says where everything on the screen goes: size and what is shown
// in, rectangles out. It is pure; nothing is drawn here.
package layout

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
	LayoutTooSmall
)

// Sizes of the layout in cells.
const (
	MinWidth        = 80
	MinHeight       = 24
	OneBelow        = 100 // screens narrower than this show one pane and the strip of tabs
	minPaneWidth    = 39  // below, a row of a table tells nothing
	minPaneRows     = 9   // of a stacked pane, its head included
	sideWidth       = 40
	wideEnough      = 120
	leastBesideSide = 24 // rows of the body from which the side may lie below the panes
	TallEnough      = 30 // rows from which rules set the header and the hints apart
	tallBesides     = 46 // rows from which a screen narrower than 120 stacks its panes
)

// Wanted says what there is to show.
type Wanted struct {
	Panes int  // shown panes
	Focus int  // index among the shown panes
	Zoom  bool // only the focused pane
	Side  bool // a side column is open
	Wide  bool // and it holds a picture
	List  bool // the list of steps is open
}

// Placed is where everything goes. Rectangles that are not shown are empty.
type Placed struct {
	Mode   layoutMode
	Header Rect
	Rules  []Rect // horizontal lines of one row
	Tabs   Rect   // strip of all panes' figures where not every pane is on the screen
	Panes  []Rect // one for each pane from first on; the head is in it
	First  int    // index among the shown panes of panes[0]
	Bars   []Rect // vertical lines between panes
	Side   Rect
	List   Rect // the list of steps, over the line of steps
	Steps  Rect
	Expiry Rect
	Totals Rect
	Hint   Rect
	Reason int // rows of a pane's reason: 1, or 2 where one is long
}

// PaneHead is how many rows of a pane its figures and its reason take.
func (p Placed) PaneHead() int {
	if p.InTabs() {
		return p.Reason
	}
	return 1 + p.Reason
}

// ListParts are the rows of the list of steps and, below them, what is said of the
// chosen one.
func (p Placed) ListParts() (body, detail Rect) {
	n := 2
	if p.List.H < 12 {
		n = 1
	}
	r := p.List
	return Rect{r.X, r.Y + 2, r.W, r.H - 2 - n}, Rect{r.X, r.Y + r.H - n, r.W, n}
}

// InTabs reports that the pane's figures stand in the strip.
func (p Placed) InTabs() bool {
	return p.Tabs.H > 0 && len(p.Panes) == 1 && p.Mode != layoutZoomed
}

// Arrange places everything on a screen of w by h cells.
func Arrange(w, h int, want Wanted) Placed {
	if w < MinWidth || h < MinHeight {
		return Placed{Mode: LayoutTooSmall}
	}
	p := Placed{Header: Rect{0, 0, w, 1}, Reason: 1}
	bottom := h
	take := func(n int) Rect { bottom -= n; return Rect{0, bottom, w, n} }
	p.Hint = take(1)
	if h >= TallEnough {
		p.Rules = append(p.Rules, take(1))
	}
	p.Totals, p.Expiry = take(1), take(1)
	if !want.List {
		p.Steps = take(1)
	}
	p.Rules = append(p.Rules, take(1))
	top := 1
	if h >= TallEnough {
		p.Rules = append(p.Rules, Rect{0, 1, w, 1})
		top = 2
	}
	body := Rect{0, top, w, bottom - top}
	if want.List {
		if body = p.placeList(body); body.Empty() {
			return p
		}
	}
	if want.Side && !want.List {
		body = p.placeSide(body, want, w)
	}
	p.placePanes(body, want, w, h)
	return p
}

// listBeside is the width from which the panes of the chosen step stand beside the
// list of steps; listShare is the list's share of it, of a hundred cells.
const (
	listBeside = 150
	listShare  = 62
)

// placeList gives the list of steps its place and answers what is left for panes.
func (p *Placed) placeList(body Rect) Rect {
	p.List = body
	if body.W < listBeside {
		return Rect{}
	}
	p.List.W = body.W * listShare / 100
	p.Bars = append(p.Bars, Rect{body.X + p.List.W, body.Y, 1, body.H})
	return Rect{body.X + p.List.W + 1, body.Y, body.W - p.List.W - 1, body.H}
}

// placeSide takes the side column off the body: at the right where there is room,
// else over the lower part, so that it hides none of the panes that would be seen
// without it.
func (p *Placed) placeSide(body Rect, want Wanted, w int) Rect {
	sw := sideWidth
	if w >= 180 {
		sw = 48
	}
	if want.Wide {
		sw = w / 2
	}
	hides := min(want.Panes, sideBy(body.W-sw-1)) < min(want.Panes, sideBy(body.W))
	if w >= wideEnough && (want.Wide || !hides || body.H < leastBesideSide) {
		p.Side = Rect{body.X + body.W - sw, body.Y, sw, body.H}
		p.Bars = append(p.Bars, Rect{p.Side.X - 1, body.Y, 1, body.H})
		body.W -= sw + 1
		return body
	}
	sh := body.H / 2
	if w >= wideEnough { // the list and what explains it stand beside each other
		sh = body.H * 2 / 5
	}
	p.Side = Rect{body.X, body.Y + body.H - sh, body.W, sh}
	p.Rules = append(p.Rules, Rect{body.X, p.Side.Y - 1, body.W, 1})
	body.H -= sh + 1
	return body
}

// sideBy is how many panes are readable beside each other in so many cells.
func sideBy(width int) int { return max(1, (width+1)/(minPaneWidth+1)) }

func (p *Placed) placePanes(body Rect, want Wanted, w, h int) {
	n := max(want.Panes, 1)
	focus := min(max(want.Focus, 0), n-1)
	if want.Zoom {
		p.Mode, p.First = layoutZoomed, focus
		p.Panes = []Rect{body}
		return
	}
	if w < wideEnough && h >= tallBesides && n > 1 && body.H >= 2*minPaneRows {
		p.Mode = layoutPortrait
		p.stack(body, min(n, body.H/minPaneRows), n, focus)
		return
	}
	p.Mode = layoutWide
	fit := min(n, sideBy(body.W))
	if w < OneBelow {
		fit = 1
	}
	if w < wideEnough || fit < n {
		p.Mode = layoutMedium
	}
	if fit < n {
		p.Tabs = Rect{body.X, body.Y, body.W, 1}
		body.Y, body.H = body.Y+1, body.H-1
	}
	p.First = window(focus, fit, n)
	x := body.X
	for i := range fit {
		pw := (body.W - (fit - 1)) / fit
		if i < (body.W-(fit-1))%fit {
			pw++
		}
		p.Panes = append(p.Panes, Rect{x, body.Y, pw, body.H})
		if x += pw; i < fit-1 {
			p.Bars = append(p.Bars, Rect{x, body.Y, 1, body.H})
		}
		x++
	}
}

// stack puts fit of n panes above each other.
func (p *Placed) stack(body Rect, fit, n, focus int) {
	if fit < n {
		p.Tabs = Rect{body.X, body.Y, body.W, 1}
		body.Y, body.H = body.Y+1, body.H-1
	}
	p.First = window(focus, fit, n)
	y := body.Y
	for i := range fit {
		ph := (body.H - (fit - 1)) / fit
		if i < (body.H-(fit-1))%fit {
			ph++
		}
		p.Panes = append(p.Panes, Rect{body.X, y, body.W, ph})
		if y += ph; i < fit-1 {
			p.Rules = append(p.Rules, Rect{body.X, y, body.W, 1})
		}
		y++
	}
}

// window is the first of fit neighbours among n that hold the focused one.
func window(focus, fit, n int) int {
	return max(0, min(focus-fit/2, n-fit))
}
