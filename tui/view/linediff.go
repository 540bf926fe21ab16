package view

import (
	"sort"
)

// hunk is a run of lines of a that became a run of lines of b; either may be
// empty.
type hunk struct{ a0, a1, b0, b1 int }

// diffLines finds what differs between two texts for people, not for the
// agent: lines that stand once in both are the anchors, as a person would pick
// them. It is linear but for a sort, so a page of 20,000 lines is no matter.
// (What the strategies answer is compared by their own rules.)
func diffLines(a, b []string) []hunk {
	var out []hunk
	diffRange(a, b, 0, len(a), 0, len(b), 0, &out)
	return out
}

// maxDiffDepth bounds the recursion on texts made to be awkward.
const maxDiffDepth = 64

func diffRange(a, b []string, a0, a1, b0, b1, depth int, out *[]hunk) {
	for a0 < a1 && b0 < b1 && a[a0] == b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && a[a1-1] == b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 && b0 == b1 {
		return
	}
	var anchors []anchor
	if a0 < a1 && b0 < b1 && depth < maxDiffDepth {
		anchors = uniqueAnchors(a, b, a0, a1, b0, b1)
	}
	if len(anchors) == 0 {
		*out = append(*out, hunk{a0, a1, b0, b1})
		return
	}
	for _, k := range anchors {
		diffRange(a, b, a0, k.a, b0, k.b, depth+1, out)
		a0, b0 = k.a, k.b
	}
	diffRange(a, b, a0, a1, b0, b1, depth+1, out)
}

// anchor is a line that stands once in each of two ranges.
type anchor struct{ a, b int }

// uniqueAnchors picks the longest row of anchors that keeps its order on both
// sides.
func uniqueAnchors(a, b []string, a0, a1, b0, b1 int) []anchor {
	type seen struct{ na, nb, a, b int }
	m := make(map[string]*seen, a1-a0)
	for i := a0; i < a1; i++ {
		s := m[a[i]]
		if s == nil {
			s = &seen{}
			m[a[i]] = s
		}
		s.na, s.a = s.na+1, i
	}
	for i := b0; i < b1; i++ {
		if s := m[b[i]]; s != nil {
			s.nb, s.b = s.nb+1, i
		}
	}
	var all []anchor
	for i := a0; i < a1; i++ {
		if s := m[a[i]]; s.na == 1 && s.nb == 1 {
			all = append(all, anchor{i, s.b})
		}
	}
	return risingB(all)
}

// risingB is the longest subsequence whose b grows (patience sorting).
func risingB(all []anchor) []anchor {
	if len(all) == 0 {
		return nil
	}
	tails := make([]int, 0, len(all)) // index into all of the smallest end of each length
	back := make([]int, len(all))
	for i, k := range all {
		at := sort.Search(len(tails), func(j int) bool { return all[tails[j]].b >= k.b })
		back[i] = -1
		if at > 0 {
			back[i] = tails[at-1]
		}
		if at == len(tails) {
			tails = append(tails, i)
		} else {
			tails[at] = i
		}
	}
	out := make([]anchor, len(tails))
	for i, j := len(tails)-1, tails[len(tails)-1]; i >= 0; i-- {
		out[i] = all[j]
		j = back[j]
	}
	return out
}
