package view

import (
	"time"
)

// JobMode says when a job is done.
type JobMode uint8

const (
	JobStep     JobMode = iota // one step
	JobDo                      // one action out of turn
	JobContinue                // until a breakpoint or the end
	JobCount                   // a number of steps, or as many as there are now
	JobReopen                  // another browser in place of one that is gone
)

// Job is the engine at work.
type Job struct {
	Seq       int
	Mode      JobMode
	What      string
	Since     time.Time
	Cancelled bool
	Left      int    // of jobCount: steps still to do; negative: all there are
	Done      int    // steps done so far
	Until     int    // of jobContinue: stop at this step; 0: no such stop
	Doing     string // what the browser is at, with the time and its bound; empty: not told
}

// TickEvery is how often a running job's clock is redrawn. Nothing ticks when
// nothing runs.
const TickEvery = 100 * time.Millisecond
