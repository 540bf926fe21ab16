package ledger

import (
	"fmt"
	"math"
)

// Runs counts over sessions, not over acts: one element that is lost can cost the whole
// task, so ninety elements of a hundred kept are far fewer than ninety tasks.
type Runs struct {
	Sessions int // with a page, so that something can be said
	Whole    int // that lost no element which a page had shown
	Read     int // of them, that lost no quote either
}

// Add counts a session under a policy.
func (r *Runs) Add(rep *Report) {
	if !rep.Survival.Unknown {
		r.Count(len(rep.losses()), len(rep.Reading.Lost))
	}
}

// Losses is how many elements that a page had shown the policy loses, each once.
func (r *Report) Losses() int { return len(r.losses()) }

// Count counts a session that lost so many elements and quotes.
func (r *Runs) Count(elements, quotes int) {
	r.Sessions++
	r.Whole += b2i(elements == 0)
	r.Read += b2i(elements+quotes == 0)
}

// Join adds what others counted.
func (r *Runs) Join(o Runs) {
	r.Sessions, r.Whole, r.Read = r.Sessions+o.Sessions, r.Whole+o.Whole, r.Read+o.Read
}

// Share is Whole of the sessions, and the interval in which that share lies in 95 of 100
// cases, as far as these sessions stand for others: Wilson's, which holds for few
// sessions and near all of them, too.
func (r Runs) Share() (whole, low, high float64) {
	if r.Sessions == 0 {
		return 1, 0, 1
	}
	const z = 1.959964
	n := float64(r.Sessions)
	p := float64(r.Whole) / n
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return p, max(0, min(p, mid-half)), min(1, max(p, mid+half))
}

// NoLoss is the share of the sessions that lost nothing at all, 1 without sessions.
func (r Runs) NoLoss() float64 {
	if r.Sessions == 0 {
		return 1
	}
	return float64(r.Read) / float64(r.Sessions)
}

// RunsJSON is how runs stand in JSON.
type RunsJSON struct {
	Sessions int     `json:"sessions"`
	Whole    int     `json:"whole"`      // without a lost element
	Low      float64 `json:"whole_low"`  // of the share of whole ones, in 95 of 100 cases
	High     float64 `json:"whole_high"` // likewise
	Read     int     `json:"read"`       // of the whole ones, without a lost quote either
}

// JSON is r as it is written.
func (r Runs) JSON() RunsJSON {
	_, low, high := r.Share()
	return RunsJSON{r.Sessions, r.Whole, round(low), round(high), r.Read}
}

// Label is r in a table: 41/50 (69–90 %).
func (r Runs) Label() string {
	if r.Sessions == 0 {
		return "–"
	}
	_, low, high := r.Share()
	return fmt.Sprintf("%d/%d (%.0f–%.0f %%)", r.Whole, r.Sessions, 100*low, 100*high)
}
