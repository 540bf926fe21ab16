package view

// List is the cursor of a list and the window that its rows are seen through: of
// steps, of sessions, of a menu.
type List struct {
	At   int // chosen row
	Top  int // first visible row
	N    int // rows
	page int // rows that were seen when it was drawn last
}

// Go chooses a row, or the nearest that there is.
func (l *List) Go(at int) { l.At = max(0, min(at, l.N-1)) }

// Pick chooses the row that was clicked; again: it was chosen already.
func (l *List) Pick(at int) (again bool) {
	again = at == l.At
	l.Go(at)
	return again
}

// Move chooses another row, by the name of an action; false: it moves nothing.
func (l *List) Move(action string, times int) bool {
	by, ok := map[string]int{
		"down": times, "up": -times, "page-down": max(1, l.page-1), "page-up": -max(1, l.page-1),
		"half-down": l.page / 2, "half-up": -(l.page / 2), "top": -l.N, "bottom": l.N,
	}[action]
	if ok {
		l.Go(l.At + by)
	}
	return ok
}

// Fit brings the chosen row into sight among so many, with so many beside it where
// there is room.
func (l *List) Fit(height, beside int) {
	l.page = max(1, height)
	l.Go(l.At)
	beside = min(beside, (height-1)/2)
	l.Top = min(l.Top, l.At-beside)
	l.Top = max(l.Top, l.At-height+1+beside)
	l.Top = max(0, min(l.Top, l.N-height))
}

// RowAt is the row that a screen row of the list shows; false: none.
func (l *List) RowAt(y int) (int, bool) { return l.Top + y, y >= 0 && l.Top+y < l.N }
