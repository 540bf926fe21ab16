package browser

import (
	"fmt"
	"strconv"

	"snapscope/snapshot"
	"snapscope/snapshot/notation"
)

// memory holds the last snapshots that were handed out, so that a ref that is
// gone can be named. It is bounded by their text.
type memory struct {
	shots []*shot
	bytes int
}

type shot struct {
	step int
	tab  int
	text string
	read *notation.Text // made when it is first asked for
}

// maxMemory bounds the remembered text, in bytes.
const maxMemory = 8 << 20

func (b *Browser) remember(s *snapshot.Snapshot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := &b.seen
	if n := len(m.shots); n > 0 && m.shots[n-1].text == s.Text { // the same bytes need no second place
		m.shots[n-1].step, m.shots[n-1].tab = b.steps, s.Tab
		return
	}
	m.shots = append(m.shots, &shot{step: b.steps, tab: s.Tab, text: s.Text})
	m.bytes += len(s.Text)
	for len(m.shots) > 1 && m.bytes > maxMemory {
		m.bytes -= len(m.shots[0].text)
		m.shots[0] = nil
		m.shots = m.shots[1:]
	}
}

// last finds the newest snapshot that showed a ref, and what element it was.
func (m *memory) last(ref string) (s shot, what string, ok bool) {
	for i := len(m.shots) - 1; i >= 0; i-- {
		shot := m.shots[i]
		if shot.read == nil {
			shot.read = notation.Read(shot.text, notation.Aria)
		}
		at := shot.read.Find(ref)
		if at < 0 {
			continue
		}
		line := shot.read.Line(at)
		what = line.Role
		if line.HasName {
			what += " " + strconv.Quote(clip(line.Name(), 80))
		}
		return *shot, what, true
	}
	return shot{}, "", false
}

// stale is the error for a ref that names no element now.
func (b *Browser) stale(ref string, tab int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, what, ok := b.seen.last(ref)
	switch {
	case !ok:
		return fmt.Errorf("no snapshot of this session had ref %s; take one and use a ref that stands in it", ref)
	case s.tab != tab:
		return fmt.Errorf("%s was %s on tab %d (step %d); switch there first", ref, what, s.tab, s.step)
	}
	return fmt.Errorf("%s was %s and is no longer on the page (last seen in step %d); take a new snapshot and use its ref, or name the element by role and name",
		ref, what, s.step)
}
