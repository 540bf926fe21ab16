package tune

import (
	"slices"

	"snapscope/session/policy"
)

// front are the policies of which no other keeps as much and costs less, the
// cheapest first, with the knee marked: the point farthest from the line between
// both ends, beyond which every further loss buys little.
func (s *search) front() []Candidate {
	all := s.candidates()
	full, _ := s.m.candidate(policy.Full(), s.over)
	all = append(all, full)
	slices.SortStableFunc(all, func(a, b Candidate) int {
		switch {
		case a.Saved > b.Saved:
			return -1
		case a.Saved < b.Saved:
			return 1
		case a.Losses != b.Losses:
			return a.Losses - b.Losses
		}
		return len(a.Policy.Stages) - len(b.Policy.Stages)
	})
	var out []Candidate
	for _, c := range all {
		if len(out) == 0 || c.Losses < out[len(out)-1].Losses {
			out = append(out, c)
		}
	}
	if k := knee(out); k >= 0 {
		out[k].Knee = true
	}
	return out
}

// knee is the index of the front's knee; -1 where it has no inner point.
func knee(front []Candidate) int {
	if len(front) < 3 {
		return -1
	}
	a, b := front[0], front[len(front)-1]
	dx, dy := b.Saved-a.Saved, b.Kept-a.Kept
	best, at := 0.0, -1
	for i := 1; i < len(front)-1; i++ {
		// How far the point lies above the line, both axes scaled to the front.
		d := (front[i].Kept-a.Kept)/dy - (front[i].Saved-a.Saved)/dx
		if d > best {
			best, at = d, i
		}
	}
	return at
}
