package view

import (
	"fmt"
	"strings"

	"snapscope/snapshot/wording"
)

// Search finds a text in the lines of all panes and remembers where it stands.
type Search struct {
	Text   string
	Hits   []int32      // rows of the grid with a match, in order
	Filter *pageFilter  // rows shown; nil: all
	All    *SessionHits // in the whole session; nil until it is there

	pattern Pattern
	land    int // the next frame is of a step that a search came to, in this direction
}

// pageFilter picks lines of the page: by role, by ref, or by text.
type pageFilter struct {
	role, ref string
	text      Pattern
}

// Active reports that something is searched for, or lines are filtered.
func (s *Search) Active() bool { return s.Text != "" || s.Filter != nil }

func (s *Search) Clear(m *Reader) {
	had := s.Filter != nil
	*s = Search{}
	delete(m.awaits, WantHits)
	if had {
		m.regrow()
	}
}

// regrow makes the rows anew and keeps the cursor where it was.
func (m *Reader) regrow() {
	was, row := m.Grid, m.Row
	m.regrid()
	if was != nil && m.Grid != nil && row < was.Len() {
		m.placeAt(was, row)
	}
	m.ClampView()
	m.Search.Run(m)
}

// Run looks through all rows of the grid.
func (s *Search) Run(m *Reader) {
	s.Hits = nil
	if s.Text == "" || m.Grid == nil {
		return
	}
	for row := range m.Grid.Page {
		if s.rowHas(m, row) {
			s.Hits = append(s.Hits, int32(row))
		}
	}
}

// rowHas reports a match in any pane's line of a row.
func (s *Search) rowHas(m *Reader, row int) bool {
	if l := m.Grid.Page[row]; l >= 0 && s.pattern.In(m.Fr.Page.Lines[l]) {
		return true
	}
	for p, d := range m.Fr.Docs {
		if l := m.Grid.Line(row, p); l >= 0 && (m.Grid.Page[row] < 0 || d.Lines[l].Page < 0) {
			if s.pattern.In(d.Lines[l].Text) {
				return true
			}
		}
	}
	return false
}

// Ticks are the rows of a minimap of h rows that hold a match.
func (s *Search) Ticks(h, total int) []int {
	var out []int
	last := -1
	for _, r := range s.Hits {
		if t := min(int(r)*h/total, h-1); t != last {
			out = append(out, t)
			last = t
		}
	}
	return out
}

// ToMatch goes to the next match on the page, or with -1 the one before, and behind
// the last one on through the session.
func (m *Walk) ToMatch(by int) {
	i := m.Search.At(m.Row + 1)
	if by < 0 {
		i = m.Search.At(m.Row) - 1
	}
	if i >= 0 && i < len(m.Search.Hits) && m.Fr.Stale == 0 && !m.List.Open {
		m.toMatch(i)
		return
	}
	m.toStepMatch(by)
}

// toMatch goes to the i-th match on the page.
func (m *Walk) toMatch(i int) {
	m.LeapTo(int(m.Search.Hits[i]))
	if m.Search.All != nil {
		m.sayMatch()
		return
	}
	m.Say(LevelInfo, fmt.Sprintf("%s   match %s of %s on this page", m.Search.pattern, wording.Count(i+1), wording.Count(len(m.Search.Hits))))
}

// parseFilter reads role:button, ref:e12 or any text.
func parseFilter(text string) *pageFilter {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	if v, ok := strings.CutPrefix(text, "role:"); ok {
		return &pageFilter{role: strings.TrimSpace(v)}
	}
	if v, ok := strings.CutPrefix(text, "ref:"); ok {
		return &pageFilter{ref: strings.TrimSpace(v)}
	}
	return &pageFilter{text: Literal(text)}
}

func (f *pageFilter) picks(p *Page, i int) bool {
	switch {
	case f.role != "":
		return p.Line(i).Role == f.role
	case f.ref != "":
		return p.Ref(i) == f.ref
	}
	return f.text.In(p.Lines[i])
}

// filtered is the grid with the lines that are picked and what they lie within.
func (s *Search) filtered(f *Frame) *Grid {
	keep := make([]bool, f.grid.Len())
	for l := range f.Page.Lines {
		if !s.Filter.picks(f.Page, l) {
			continue
		}
		keep[f.grid.ofPage[l]] = true
		for _, a := range f.Page.ancestors(l) {
			keep[f.grid.ofPage[a]] = true
		}
	}
	return shrink(f.Page, f.Docs, f.grid, keep)
}

// EndSearch ends the typing of a search: the first match from the cursor on, on
// this page or else in the steps after it.
func (m *Walk) EndSearch(text string) error {
	if text == "" {
		m.Search.Clear(m.Reader)
		return nil
	}
	if err := m.SetSearch(text); err != nil {
		return err
	}
	m.Ask(WantHits)
	switch i := m.Search.At(m.Row); {
	case i < len(m.Search.Hits) && !m.List.Open:
		m.toMatch(i)
	default:
		m.toStepMatch(1)
	}
	return nil
}

func (m *Reader) WordRef(arg string) error {
	if m.toRef(arg) {
		return nil
	}
	return fmt.Errorf("no element with ref %q on this page", arg)
}

func (m *Reader) WordFilter(arg string) error {
	m.Search.Filter = parseFilter(arg)
	m.regrow()
	if f := m.Search.Filter; f != nil {
		n := 0
		for l := range m.Fr.Page.Lines {
			if f.picks(m.Fr.Page, l) {
				n++
			}
		}
		m.Say(LevelInfo, wording.Plural(n, "line")+" with "+strings.TrimSpace(arg)+" and what they lie within · "+m.Keys.Label("cancel")+" shows all again")
	}
	return nil
}
