package published

import (
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/textdiff"
)

// edit is one entry of a line diff in the order it is read: a line that stands
// in both texts, only in the first, or only in the second.
type edit struct {
	mark strategy.Mark // Same, Added or Removed
	a, b int           // lines of the first and the second text; -1 where there is none
}

// nearestDiff compares two texts the way passmark does: walk both; where they
// differ look for the nearest later place of the line at hand in the other text
// and take everything before it as added or removed; a tie adds. It is not the
// shortest diff: a far match can swallow a whole page.
//
// The walk looks up places in chains instead of searching for them, so it is
// linear where the published search is quadratic; the answer is the same.
func nearestDiff(before, after []string) []edit {
	ids := make(map[string]int32, len(before)+len(after))
	a, b := intern(ids, before), intern(ids, after)
	inA, inB := newPlaces(a, len(ids)), newPlaces(b, len(ids))
	out := make([]edit, 0, max(len(a), len(b))+16)
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if a[i] == b[j] {
			out = append(out, edit{strategy.Same, i, j})
			i, j = i+1, j+1
			continue
		}
		toB := inB.from(a[i], j)
		toA := inA.from(b[j], i+1)
		switch {
		case toB >= 0 && (toA < 0 || toB-j <= toA-i):
			for ; j < toB; j++ {
				out = append(out, edit{strategy.Added, -1, j})
			}
		case toA >= 0:
			for ; i < toA; i++ {
				out = append(out, edit{strategy.Removed, i, -1})
			}
		default:
			out = append(out, edit{strategy.Removed, i, -1}, edit{strategy.Added, -1, j})
			i, j = i+1, j+1
		}
	}
	for ; i < len(a); i++ {
		out = append(out, edit{strategy.Removed, i, -1})
	}
	for ; j < len(b); j++ {
		out = append(out, edit{strategy.Added, -1, j})
	}
	return out
}

// shortestDiff compares two texts by a longest common subsequence.
func shortestDiff(before, after []string) []edit {
	out := make([]edit, 0, max(len(before), len(after))+16)
	for _, e := range textdiff.Diff(before, after) {
		switch e.Op {
		case textdiff.Equal:
			for i := e.A0; i < e.A1; i++ {
				out = append(out, edit{strategy.Same, i, e.B0 + i - e.A0})
			}
		case textdiff.Delete:
			for i := e.A0; i < e.A1; i++ {
				out = append(out, edit{strategy.Removed, i, -1})
			}
		case textdiff.Insert:
			for j := e.B0; j < e.B1; j++ {
				out = append(out, edit{strategy.Added, -1, j})
			}
		}
	}
	return out
}

// intern gives equal lines equal numbers.
func intern(ids map[string]int32, lines []string) []int32 {
	out := make([]int32, len(lines))
	for i, l := range lines {
		id, ok := ids[l]
		if !ok {
			id = int32(len(ids))
			ids[l] = id
		}
		out[i] = id
	}
	return out
}

// places finds the next place of a line in a text. Asked with positions that
// only grow, each chain is walked once.
type places struct {
	head []int32 // by line number: the place where the search stands
	next []int32 // by place: the next place of the same line
}

func newPlaces(lines []int32, n int) places {
	p := places{head: make([]int32, n), next: make([]int32, len(lines))}
	for i := range p.head {
		p.head[i] = -1
	}
	for i := len(lines) - 1; i >= 0; i-- {
		p.next[i] = p.head[lines[i]]
		p.head[lines[i]] = int32(i)
	}
	return p
}

// from is the first place at or after pos that holds the line; -1: none.
func (p places) from(line int32, pos int) int {
	h := p.head[line]
	for h >= 0 && int(h) < pos {
		h = p.next[h]
	}
	p.head[line] = h
	return int(h)
}
