package policy

import (
	"fmt"
	"math"
)

// Promise is what a search measured of a policy, kept with it in its file so
// that later sessions can be held against it:
//
//	[policy.promise]
//	keep = 1.0          # share of the elements and quotes readable under full that stay so
//	runs = 0.98         # share of the sessions that lose nothing at all; left out: none was asked for
//	minimize = "input"  # what Saved is a share of: cost, input or peak
//	saved = 0.83        # on sessions that the search did not see
//	low = 0.79          # where the saving over as many sessions again will lie
//	high = 0.86
//	sessions = 12       # measured on
type Promise struct {
	Keep     float64 `toml:"keep"`
	Runs     float64 `toml:"runs"`
	Minimize string  `toml:"minimize"`
	Saved    float64 `toml:"saved"`
	Low      float64 `toml:"low"`
	High     float64 `toml:"high"`
	Sessions int     `toml:"sessions"`
}

// For is the interval for n sessions: wider for fewer than were measured, since
// single sessions differ more than many do. The spread of the measured mean
// stays, that of the new sessions' mean grows with 1/n.
func (p Promise) For(n int) (low, high float64) {
	if n <= 0 || p.Sessions <= 0 {
		return p.Low, p.High
	}
	wide := math.Sqrt((1 + float64(p.Sessions)/float64(n)) / 2)
	return p.Saved - (p.Saved-p.Low)*wide, min(1, p.Saved+(p.High-p.Saved)*wide)
}

// check answers what is wrong with a promise and the key it is of.
func (p Promise) check() (key string, err error) {
	switch {
	case p.Keep < 0 || p.Keep > 1:
		return "keep", fmt.Errorf("keep is %v; it takes a share from 0 to 1", p.Keep)
	case p.Runs < 0 || p.Runs > 1:
		return "runs", fmt.Errorf("runs is %v; it takes a share from 0 to 1", p.Runs)
	case p.Minimize != "cost" && p.Minimize != "input" && p.Minimize != "peak":
		return "minimize", fmt.Errorf("minimize is %q; it takes cost, input or peak", p.Minimize)
	case p.Sessions < 1:
		return "sessions", fmt.Errorf("sessions is %d; it takes a number from 1", p.Sessions)
	case !(p.Low <= p.Saved && p.Saved <= p.High && p.High <= 1):
		return "saved", fmt.Errorf("low ≤ saved ≤ high ≤ 1 does not hold of %v, %v, %v", p.Low, p.Saved, p.High)
	}
	return "", nil
}
