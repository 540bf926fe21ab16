package session

import "snapscope/snapshot/strategy"

// reading is what one reader of the session has been given of its pages and is
// known to have still. What is told of it here holds under every policy; what
// hangs on the policy, such as a rendering that the agent's client cut, is in
// session/policy's Reader.
type reading struct {
	readable []int             // indexes into Timeline.Snaps
	moments  []strategy.Moment // of those
	bytes    int               // of their texts
	asked    bool              // the last thing that this reader did in the browser was to ask for the page, and it got it
	why      Whole             // why it has nothing older
	epoch    int
}

// reach is how many bytes of pages may lie between a page and its base: a proxy
// holds them in memory.
const reach = 64 << 20

// anew empties it.
func (c *reading) anew(why Whole) {
	if len(c.readable) > 0 {
		c.readable, c.moments, c.bytes, c.why = nil, nil, 0, why
		c.epoch++
	}
	c.asked = false
}

// reads puts a result into the context of who reads it; i is its snapshot, -1 none.
func (t *Timeline) reads(a *Action, r *Result, i int) {
	c := t.readers[r.Reader]
	if c == nil {
		if t.readers == nil {
			t.readers = map[string]*reading{}
		}
		c = &reading{}
		if len(t.readers) > 0 {
			c.why = AnewReader
		}
		t.readers[r.Reader] = c
	}
	if r.Recipe != nil && r.Recipe.Anew == AnewCompacted {
		c.anew(AnewCompacted)
	}
	given := i >= 0 && r.Seen.Given()
	asks := a.Verb == VerbSnapshot && !a.Spoken
	if i >= 0 {
		s := &t.Snaps[i]
		s.Again = given && asks && c.asked
		size := len(s.Snap.Text)
		if limit := t.Reach; c.bytes+size > limit && (limit > 0 || c.bytes+size > reach) {
			c.anew(AnewMemory)
		}
		t.trace(i, c)
		if given && !s.Snap.Partial { // what is known in part is no base
			c.readable, c.moments, c.bytes = append(c.readable, i), append(c.moments, s.Moment), c.bytes+size
		}
	}
	if a.Verb != "" { // not the browser's: a proxy before the browser's server does not see it
		c.asked = given && asks
	}
}
