package textdiff

import (
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// budget is how many steps of the comparison (a furthest point moved, or a pair
// of equal lines walked over) one Diff may cost: about 50 ms.
const budget = 6 << 20

// maxIDs is how many distinct lines go-diff can tell apart: it compares runes,
// of which the surrogates and U+FFFD are not usable.
const maxIDs = utf8.MaxRune - 0x800 - 2

// pair says that entry a of the old side matches entry b of the new.
type pair struct{ a, b int }

// match answers a longest common subsequence of x and y, or a shorter one where
// the longest would cost more than the budget.
func match(x, y []int32) []pair {
	m := matcher{left: budget}
	m.match(x, y, 0, 0)
	return m.out
}

type matcher struct {
	left int // steps left of the budget
	out  []pair
}

// match appends the matches of x and y, which begin at entries ox and oy.
func (m *matcher) match(x, y []int32, ox, oy int) {
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		m.out = append(m.out, pair{ox, oy})
		x, y, ox, oy = x[1:], y[1:], ox+1, oy+1
	}
	tail := 0
	for tail < len(x) && tail < len(y) && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	x, y = x[:len(x)-tail], y[:len(y)-tail]
	if len(x) > 0 && len(y) > 0 && !m.within(x, y, ox, oy) {
		if cost, ok := probe(x, y, m.left); ok {
			m.left -= cost
			m.exact(x, y, ox, oy)
		} else {
			m.left -= min(m.left, cost/2)
			m.split(x, y, ox, oy)
		}
	}
	for i := range tail {
		m.out = append(m.out, pair{ox + len(x) + i, oy + len(y) + i})
	}
}

// large is from how many pairs of entries on within is asked first; below it
// go-diff is quick and may choose among equally short answers.
const large = 1 << 24

// within settles what is common in one pass where one side is the other with
// some entries left out: then all of the shorter is common.
func (m *matcher) within(x, y []int32, ox, oy int) bool {
	if len(x)*len(y) < large {
		return false
	}
	from := len(m.out)
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] == y[j]:
			m.out = append(m.out, pair{ox + i, oy + j})
			i, j = i+1, j+1
		case len(x) >= len(y):
			i++
		default:
			j++
		}
	}
	if len(m.out)-from < min(len(x), len(y)) {
		m.out = m.out[:from]
		return false
	}
	return true
}

// exact asks go-diff, with no time limit: a minimal script.
func (m *matcher) exact(x, y []int32, ox, oy int) {
	lib := diffmatchpatch.New()
	lib.DiffTimeout = 0
	for _, d := range lib.DiffMainRunes(runes(x), runes(y), false) {
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			ox += n
		case diffmatchpatch.DiffInsert:
			oy += n
		default:
			for range n {
				m.out = append(m.out, pair{ox, oy})
				ox, oy = ox+1, oy+1
			}
		}
	}
}

func runes(ids []int32) []rune {
	out := make([]rune, len(ids))
	for i, id := range ids {
		r := id + 1
		if r >= 0xD800 {
			r += 0x800 // over the surrogates
		}
		if r >= utf8.RuneError {
			r++
		}
		out[i] = r
	}
	return out
}

// probe walks the comparison forward without remembering the way, only to learn
// what it costs; ok is false when that is more than left, or when there are more
// distinct lines than go-diff can name. (E. Myers, An O(ND) difference
// algorithm, 1986.)
func probe(x, y []int32, left int) (cost int, ok bool) {
	if n := len(x) + len(y); n > maxIDs && max(slices.Max(x), slices.Max(y)) >= maxIDs {
		return 0, false
	}
	n, m := len(x), len(y)
	if n*m <= 1<<16 {
		return n + m, true
	}
	room := 64
	far := make([]int, 2*room+3) // furthest entry of x on each diagonal, indexed by diagonal + room + 1
	for d := 0; d <= len(x)+len(y); d++ {
		if d > room { // more diagonals than there is room for
			wide := make([]int, 4*room+3)
			copy(wide[room:], far) // diagonal 0 moves from room+1 to 2*room+1
			far, room = wide, 2*room
		}
		for k := -d; k <= d; k += 2 {
			c := k + room + 1
			var i int
			if k == -d || k != d && far[c-1] < far[c+1] {
				i = far[c+1]
			} else {
				i = far[c-1] + 1
			}
			from := i
			for i < len(x) && i-k < len(y) && x[i] == y[i-k] {
				i++
			}
			far[c] = i
			cost += 1 + i - from
			if i >= len(x) && i-k >= len(y) {
				return cost, true
			}
		}
		if cost > left {
			return cost, false
		}
	}
	return cost, true
}

// split cuts x and y at entries that occur once on each side and stand in the
// same order there, and compares what lies between.
func (m *matcher) split(x, y []int32, ox, oy int) {
	marks := anchors(x, y)
	if len(marks) == 0 {
		m.chop(x, y, ox, oy)
		return
	}
	px, py := 0, 0
	for _, p := range marks {
		m.match(x[px:p.a], y[py:p.b], ox+px, oy+py)
		m.out = append(m.out, pair{ox + p.a, oy + p.b})
		px, py = p.a+1, p.b+1
	}
	m.match(x[px:], y[py:], ox+px, oy+py)
}

// chop compares the first part of x with the first part of y and so on, in as
// many parts as the budget asks for. With no budget left the two are held to be
// different throughout.
func (m *matcher) chop(x, y []int32, ox, oy int) {
	if m.left <= 0 {
		return
	}
	parts := 2 + len(x)*len(y)/m.left
	m.left = 0
	for i := range parts {
		a0, a1 := len(x)*i/parts, len(x)*(i+1)/parts
		b0, b1 := len(y)*i/parts, len(y)*(i+1)/parts
		m.exact(x[a0:a1], y[b0:b1], ox+a0, oy+b0)
	}
}

// anchors answers the longest run of entries, in the order of both sides, among
// those that occur exactly once in each.
func anchors(x, y []int32) []pair {
	type count struct{ x, y, at int }
	seen := map[int32]*count{}
	for _, id := range x {
		if c := seen[id]; c != nil {
			c.x++
		} else {
			seen[id] = &count{x: 1}
		}
	}
	for j, id := range y {
		if c := seen[id]; c != nil {
			c.y++
			c.at = j
		}
	}
	var once []pair
	for i, id := range x {
		if c := seen[id]; c.x == 1 && c.y == 1 {
			once = append(once, pair{i, c.at})
		}
	}
	return increasing(once)
}

// increasing answers a longest subsequence of ps whose b grows; a grows already.
func increasing(ps []pair) []pair {
	var tops []int // index of the pair that ends the best run of each length
	prev := make([]int, len(ps))
	for i, p := range ps {
		k := sort.Search(len(tops), func(k int) bool { return ps[tops[k]].b >= p.b })
		prev[i] = -1
		if k > 0 {
			prev[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([]pair, 0, len(tops))
	for i := tops[len(tops)-1]; i >= 0; i = prev[i] {
		out = append(out, ps[i])
	}
	slices.Reverse(out)
	return out
}
