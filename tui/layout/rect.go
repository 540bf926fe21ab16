package layout

// Rect is a part of the screen in cells.
type Rect struct{ X, Y, W, H int }

// R is a rectangle at a place of a size.
func R(x, y, w, h int) Rect { return Rect{x, y, w, h} }

// Empty reports that nothing can be drawn in r.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Holds reports whether the place x, y lies in r.
func (r Rect) Holds(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Row is the n-th line of r as a rectangle of height 1; empty outside.
func (r Rect) Row(n int) Rect {
	if n < 0 || n >= r.H {
		return Rect{}
	}
	return Rect{r.X, r.Y + n, r.W, 1}
}

// Inset takes cells off the left and right.
func (r Rect) Inset(left, right int) Rect {
	r.X += left
	r.W -= left + right
	return r
}

// Clip leaves of r what lies on a screen of w by h.
func (r Rect) Clip(w, h int) Rect {
	r.W, r.H = min(r.W, w-r.X), min(r.H, h-r.Y)
	return r
}

// ClipRight makes r at most w cells wide.
func (r Rect) ClipRight(w int) Rect {
	r.W = min(r.W, w)
	return r
}
