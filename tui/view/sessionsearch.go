package view

import (
	"context"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode"

	"snapscope/session"
	"snapscope/snapshot/wording"
)

// Pattern finds a text: without regard to case where it has no capital letter, or,
// written between slashes, as a regular expression.
type Pattern struct {
	text string
	re   *regexp.Regexp
	fold bool
}

// NewPattern reads what was typed after the slash. The error says what is wrong
// with a regular expression.
func NewPattern(text string) (Pattern, error) {
	if len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
		re, err := regexp.Compile(text[1 : len(text)-1])
		if err != nil {
			return Pattern{}, fmt.Errorf("this is no regular expression: %w", err)
		}
		return Pattern{text: text, re: re}, nil
	}
	return Literal(text), nil
}

// Literal finds a text as it is: without regard to case where it has no capital letter.
func Literal(text string) Pattern {
	return Pattern{text: text, fold: strings.IndexFunc(text, unicode.IsUpper) < 0}
}

// In reports a match in s.
func (p Pattern) In(s string) bool {
	i, _ := p.Find(s, 0)
	return i >= 0
}

// String is the pattern as it is typed: a text after a slash, an expression between
// two.
func (p Pattern) String() string {
	if p.re != nil {
		return p.text
	}
	return "/" + p.text
}

// Find is the first match in s from byte from on; from -1 where there is none.
func (p Pattern) Find(s string, from int) (at, end int) {
	switch {
	case from > len(s) || p.text == "":
		return -1, -1
	case p.re != nil:
		loc := p.re.FindStringIndex(s[from:])
		if loc == nil || loc[0] == loc[1] { // an empty match is none
			return -1, -1
		}
		return from + loc[0], from + loc[1]
	case p.fold:
		if i := indexSmall(s[from:], p.text); i >= 0 {
			return from + i, from + i + len(p.text)
		}
	default:
		if i := strings.Index(s[from:], p.text); i >= 0 {
			return from + i, from + i + len(p.text)
		}
	}
	return -1, -1
}

// lines counts the lines of a text that hold a match.
func (p Pattern) lines(s string) int {
	n := 0
	for at := 0; at < len(s); {
		i, end := p.Find(s, at)
		if i < 0 {
			break
		}
		n++
		j := strings.IndexByte(s[max(end-1, i):], '\n')
		if j < 0 {
			break
		}
		at = max(end-1, i) + j + 1
	}
	return n
}

// indexSmall finds a pattern of small letters in a text of any case. It jumps from
// one first letter to the next, so that a text of megabytes takes milliseconds.
func indexSmall(s, pattern string) int {
	c := pattern[0]
	if c >= 0x80 { // letters whose length changes with their case are compared as they are
		if low := strings.ToLower(s); len(low) == len(s) {
			s = low
		}
		return strings.Index(s, pattern)
	}
	big := c
	if c >= 'a' && c <= 'z' {
		big = c - 'a' + 'A'
	}
	next := func(b byte, from int) int {
		if from >= len(s) {
			return len(s)
		}
		if i := strings.IndexByte(s[from:], b); i >= 0 {
			return from + i
		}
		return len(s)
	}
	small, large := next(c, 0), len(s)
	if big != c {
		large = next(big, 0)
	}
	for {
		i := min(small, large)
		if i+len(pattern) > len(s) {
			return -1
		}
		if strings.EqualFold(s[i:i+len(pattern)], pattern) {
			return i
		}
		if i == small {
			small = next(c, i+1)
		} else {
			large = next(big, i+1)
		}
	}
}

// SessionHits is what a search found in a whole session. It is made in a command
// and never changed.
type SessionHits struct {
	Text   string
	Page   []int // by step: lines of its snapshot that match
	Words  []int // by step: its action, its answer, its error and what was said before it
	Total  int
	before []int // matches before each step
}

// FindAll looks through all snapshots, results and messages of a session. nil: ctx
// ended first.
func FindAll(ctx context.Context, t *session.Timeline, p Pattern) *SessionHits {
	h := &SessionHits{Text: p.text, Page: make([]int, len(t.Steps)), Words: make([]int, len(t.Steps)), before: make([]int, len(t.Steps))}
	known := map[string]int{} // by the hash of a snapshot's text
	for i := range t.Steps {
		if ctx.Err() != nil {
			return nil
		}
		s := &t.Steps[i]
		if s.Snap >= 0 {
			sn := t.Snaps[s.Snap].Snap
			n, ok := known[sn.Hash]
			if !ok || sn.Hash == "" {
				n = p.lines(sn.Text)
				known[sn.Hash] = n
			}
			h.Page[i] = n
		}
		h.Words[i] = p.lines(DidWhat(t, i)) + p.lines(s.Result.Text) + p.lines(s.Result.Error)
	}
	step := 0
	for _, e := range t.Events {
		for step < len(t.Steps)-1 && t.Steps[step].ResultSeq < e.Seq {
			step++
		}
		if len(t.Steps) == 0 {
			break
		}
		if e.User != nil {
			h.Words[step] += p.lines(e.User.Text)
		}
		if e.Call != nil {
			h.Words[step] += p.lines(e.Call.Text)
		}
	}
	for i := range t.Steps {
		h.before[i] = h.Total
		h.Total += h.Page[i] + h.Words[i]
	}
	return h
}

// next is the next step after at, by 1 or -1 and around the ends, that holds a
// match; -1: none does.
func (h *SessionHits) next(at, by int) int {
	n := len(h.Page)
	for k := 1; k <= n; k++ {
		if i := ((at+by*k)%n + n) % n; h.Page[i]+h.Words[i] > 0 {
			return i
		}
	}
	return -1
}

// TakeHits takes in what a search found in the session and goes on to a match that
// was asked for meanwhile.
func (m *Walk) TakeHits(h *SessionHits) {
	if h.Text != m.Search.Text {
		return
	}
	m.Search.All = h
	if !m.Answered(WantHits) {
		m.sayMatch()
	}
}

// toStepMatch goes to the next step that holds a match, forwards or backwards.
func (m *Walk) toStepMatch(by int) {
	h := m.Search.All
	if h == nil {
		m.When(WantHits, func() bool { m.toStepMatch(by); return true })
		m.Ask(WantHits)
		m.Say(LevelInfo, "looking through the session for "+m.Search.Text+" …")
		return
	}
	to := h.next(m.At, by)
	if to < 0 {
		m.Say(LevelWarn, fmt.Sprintf("%q is nowhere in this session", m.Search.Text))
		return
	}
	m.Search.land = by
	if to == m.At {
		m.landed()
		return
	}
	m.Look(to)
}

// landed goes to the first or last match of the page of a step that a search came
// to, and says which match it is.
func (m *Walk) landed() {
	s := &m.Search
	by := s.land
	s.land = 0
	if m.Fr != nil && m.Fr.Stale == 0 && len(s.Hits) > 0 {
		i := 0
		if by < 0 {
			i = len(s.Hits) - 1
		}
		m.LeapTo(int(s.Hits[i]))
	}
	m.sayMatch()
}

// sayMatch says which match of how many the cursor is on.
func (m *Walk) sayMatch() {
	s := &m.Search
	if s.All == nil || m.At < 0 || m.At >= len(s.All.Page) {
		return
	}
	if m.At < len(s.All.Page) && s.All.Page[m.At] == 0 && s.All.Words[m.At] > 0 {
		m.Say(LevelInfo, fmt.Sprintf("%s   %s of %s · step %d, not on its page: %s", s.pattern, wording.Count(s.All.before[m.At]+1), wording.Count(s.All.Total), m.At+1, m.whereSaid()))
		return
	}
	n := 0
	for i := s.At(m.Row + 1); i > 0; i-- {
		if m.Grid.Page[s.Hits[i-1]] >= 0 {
			n++
		}
	}
	m.Say(LevelInfo, fmt.Sprintf("%s   %s of %s · step %d", s.pattern, wording.Count(s.All.before[m.At]+max(1, n)), wording.Count(s.All.Total), m.At+1))
}

// whereSaid is the line of a step's words that matches.
func (m *Walk) whereSaid() string {
	s := m.Step()
	for _, text := range []string{DidWhat(m.Tl, m.At), s.Result.Error, s.Result.Text} {
		if i, _ := m.Search.pattern.Find(text, 0); i >= 0 {
			from := strings.LastIndexByte(text[:i], '\n') + 1
			line, _, _ := strings.Cut(text[from:], "\n")
			return wording.OneLine(line, 120)
		}
	}
	return "what was said before it"
}

// SetSearch looks for a text while it is typed.
func (m *Reader) SetSearch(text string) error {
	p, err := NewPattern(text)
	if err != nil {
		m.Search.Text, m.Search.Hits = text, nil
		m.Search.pattern = Pattern{}
		return err
	}
	if m.Search.Text != text {
		m.Search.All = nil
		delete(m.awaits, WantHits)
	}
	m.Search.Text, m.Search.pattern = text, p
	m.Search.Run(m)
	return nil
}

// Pattern is what is looked for.
func (s *Search) Pattern() Pattern { return s.pattern }

// At is the index of the match at or after a row.
func (s *Search) At(row int) int {
	return sort.Search(len(s.Hits), func(i int) bool { return int(s.Hits[i]) >= row })
}
