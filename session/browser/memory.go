package browser

import (
	"fmt"
	"strings"

	"snapscope/snapshot"
)

// memory holds the last snapshots that were handed out, so that a ref that is
// gone can be named. It is bounded by their text.
type memory struct {
	shots []shot
	bytes int
}

type shot struct {
	step int
	tab  int
	text string
}

// maxMemory bounds the remembered text, in bytes.
const maxMemory = 8 << 20

func (b *Browser) remember(s *snapshot.Snapshot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := &b.seen
	m.shots = append(m.shots, shot{b.steps, s.Tab, s.Text})
	m.bytes += len(s.Text)
	for len(m.shots) > 1 && m.bytes > maxMemory {
		m.bytes -= len(m.shots[0].text)
		m.shots = m.shots[1:]
	}
}

// last finds the newest snapshot that had a ref, and the line it stood on.
func (m *memory) last(ref string) (s shot, line string, ok bool) {
	mark := "[ref=" + ref + "]"
	for i := len(m.shots) - 1; i >= 0; i-- {
		text := m.shots[i].text
		at := strings.Index(text, mark)
		if at < 0 {
			continue
		}
		from := strings.LastIndexByte(text[:at], '\n') + 1
		return m.shots[i], strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(strings.TrimSpace(text[from:at]), "- "), "'")), true
	}
	return shot{}, "", false
}

// stale is the error for a ref that names no element now.
func (b *Browser) stale(ref string, tab int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, line, ok := b.seen.last(ref)
	switch {
	case !ok:
		return fmt.Errorf("no snapshot of this session had ref %s; take one and use a ref that stands in it", ref)
	case s.tab != tab:
		return fmt.Errorf("%s was %s on tab %d (step %d); switch there first", ref, line, s.tab, s.step)
	}
	return fmt.Errorf("%s was %s and is no longer on the page (last seen in step %d); take a new snapshot and use its ref, or name the element by role and name",
		ref, line, s.step)
}
