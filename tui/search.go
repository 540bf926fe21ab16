package tui

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// search finds a text in the lines of all panes and remembers where it stands.
type search struct {
	text   string
	hits   []int32     // rows of the grid with a match, in order
	filter *pageFilter // rows shown; nil: all
}

// pageFilter picks lines of the page: by role, by ref, or by text.
type pageFilter struct {
	role, ref, text string
}

func (s *search) active() bool { return s.text != "" || s.filter != nil }

func (s *search) clear(m *Model) {
	had := s.filter != nil
	*s = search{}
	if had {
		m.regrow()
	}
}

// regrow makes the rows anew and keeps the cursor where it was.
func (m *Model) regrow() {
	was, row := m.grid, m.row
	m.regrid()
	if was != nil && m.grid != nil && row < was.len() {
		m.placeAt(was, row)
	}
	m.clampView()
	m.search.run(m)
}

// folds reports whether a pattern is looked for without regard to case: it is
// where the pattern has no capital letter.
func folds(pattern string) bool {
	return strings.IndexFunc(pattern, unicode.IsUpper) < 0
}

// index is where pattern first stands in line from byte from on; -1 nowhere.
func index(line, pattern string, from int) int {
	if pattern == "" || from > len(line) {
		return -1
	}
	line = line[from:]
	i := -1
	if folds(pattern) {
		i = indexFold(line, pattern)
	} else {
		i = strings.Index(line, pattern)
	}
	if i < 0 {
		return -1
	}
	return from + i
}

// indexFold finds a pattern of small letters in a line of any case. Letters
// whose length changes with their case are compared as they are.
func indexFold(line, pattern string) int {
	if low := strings.ToLower(line); len(low) == len(line) {
		return strings.Index(low, pattern)
	}
	return strings.Index(line, pattern)
}

// run looks through all rows of the grid.
func (s *search) run(m *Model) {
	s.hits = nil
	if s.text == "" || m.grid == nil {
		return
	}
	for row := range m.grid.page {
		if s.rowHas(m, row) {
			s.hits = append(s.hits, int32(row))
		}
	}
}

// rowHas reports a match in any pane's line of a row.
func (s *search) rowHas(m *Model, row int) bool {
	if l := m.grid.page[row]; l >= 0 && index(m.fr.page.lines[l], s.text, 0) >= 0 {
		return true
	}
	for p, d := range m.fr.docs {
		if l := m.grid.line(row, p); l >= 0 && (m.grid.page[row] < 0 || d.lines[l].page < 0) {
			if index(d.lines[l].text, s.text, 0) >= 0 {
				return true
			}
		}
	}
	return false
}

// in lists the matches within a drawn line.
func (s *search) in(line string, row int, m *Model) []highlight {
	if s.text == "" {
		return nil
	}
	look := m.th.match
	if row == m.row {
		look = m.th.matchNow
	}
	var out []highlight
	for at := index(line, s.text, 0); at >= 0; at = index(line, s.text, at+len(s.text)) {
		out = append(out, highlight{at, at + len(s.text), look})
	}
	return out
}

// ticks are the rows of a minimap of h rows that hold a match.
func (s *search) ticks(h, total int) []int {
	var out []int
	last := -1
	for _, r := range s.hits {
		if t := min(int(r)*h/total, h-1); t != last {
			out = append(out, t)
			last = t
		}
	}
	return out
}

// at is the index of the match at or after a row.
func (s *search) at(row int) int {
	return sort.Search(len(s.hits), func(i int) bool { return int(s.hits[i]) >= row })
}

func (m *Model) noMatches() string {
	if m.search.text == "" {
		return "nothing was searched for yet; " + m.keys.Label("search") + " searches"
	}
	if len(m.search.hits) == 0 {
		return fmt.Sprintf("%q is not on this page", m.search.text)
	}
	return ""
}

func (m *Model) doNextMatch() { m.toMatch(m.search.at(m.row + 1)) }
func (m *Model) doPrevMatch() { m.toMatch(m.search.at(m.row) - 1) }

// toMatch goes to the i-th match, around the ends.
func (m *Model) toMatch(i int) {
	n := len(m.search.hits)
	i = (i + n) % n
	m.leapTo(int(m.search.hits[i]))
	m.say(levelInfo, fmt.Sprintf("/%s   match %s of %s", m.search.text, thousands(i+1), thousands(n)))
}

func (m *Model) doSearch() tea.Cmd {
	m.input = newInput(inputSearch, "/", "")
	m.input.back = m.row
	return nil
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
	return &pageFilter{text: text}
}

func (f *pageFilter) picks(line string) bool {
	switch {
	case f.role != "":
		return roleOf(line) == f.role
	case f.ref != "":
		return refOf(line) == f.ref
	}
	return index(line, f.text, 0) >= 0
}

// filtered is the grid with the lines that are picked and what they lie within.
func (s *search) filtered(f *frame) *grid {
	keep := make([]bool, f.grid.len())
	for l, line := range f.page.lines {
		if !s.filter.picks(line) {
			continue
		}
		keep[f.grid.ofPage[l]] = true
		for _, a := range f.page.ancestors(l) {
			keep[f.grid.ofPage[a]] = true
		}
	}
	return shrink(f.page, f.docs, f.grid, keep)
}
