package view

// WheelRows is how many rows one turn of the wheel scrolls.
const WheelRows = 3

// Scroll moves the window and takes the cursor along at its edges.
func (m *Reader) Scroll(by int) {
	h := m.PageRows()
	m.Top = max(0, min(m.Top+by, m.Rows()-h))
	margin := min(4, (h-1)/2)
	lo, hi := m.Top+margin, m.Top+h-1-margin
	if m.Top == 0 {
		lo = 0
	}
	if m.Top >= m.Rows()-h {
		hi = m.Rows() - 1
	}
	m.Row = max(lo, min(m.Row, hi))
	m.ClampView()
}
