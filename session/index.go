package session

import (
	"iter"
	"sort"
	"strings"
	"sync"
)

// Index tells which results of a session show an element, so that nobody goes
// through all pages for one that few of them show. A result is called by its place
// among those that tell of a page (Timeline.Told), an element by a key, such as its
// ref. It grows with the session, and a timeline shares it with its views; safe for
// concurrent use.
type Index struct {
	mu   sync.RWMutex
	told []*Result // by place
	read [2]int    // so many places are in runs
	runs [2]map[string][]run
}

// By is what the keys of an Index are.
type By uint8

// The kinds of keys.
const (
	ByRef  By = iota
	ByRole    // a role and a name
)

// run are places one after the other.
type run struct{ from, to int32 }

// tells reports whether a result tells of a page.
func (r *Result) tells() bool {
	return r.Snapshot != nil || r.Seen != "" && r.Seen != SeenUnasked
}

// Told are the Seqs of the results that tell of a page, by place.
func (t *Timeline) Told() []int { return t.told }

// tell gives a result its place. Where another view of the session has put another
// result there, the two part, and this one begins anew.
func (t *Timeline) tell(e Event) {
	if !e.Result.tells() {
		return
	}
	t.told = append(t.told, e.Seq)
	if t.index != nil && t.index.claim(len(t.told)-1, e.Result) {
		return
	}
	t.index = &Index{}
	for place, seq := range t.told {
		t.index.claim(place, t.Events[seq-1].Result)
	}
}

func (x *Index) claim(place int, r *Result) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if place == len(x.told) {
		x.told = append(x.told, r)
	}
	return x.told[place] == r
}

// Index answers what shows which element of the session so far. keys are what the
// result at a place shows; it is asked once for each. What a view shows that is
// longer is in it, too.
func (t *Timeline) Index(by By, keys func(place int) iter.Seq[string]) *Index {
	x := t.index
	if x == nil {
		return &Index{}
	}
	x.mu.RLock()
	done := x.read[by] >= len(t.told)
	x.mu.RUnlock()
	if done {
		return x
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.runs[by] == nil {
		x.runs[by] = map[string][]run{}
	}
	for ; x.read[by] < len(t.told); x.read[by]++ {
		for key := range keys(x.read[by]) {
			x.add(by, key, int32(x.read[by]))
		}
	}
	return x
}

func (x *Index) add(by By, key string, place int32) {
	runs := x.runs[by][key]
	switch n := len(runs); {
	case n == 0: // the page's text is let go before the session is
		x.runs[by][strings.Clone(key)] = []run{{place, place}}
	case runs[n-1].to == place:
	case runs[n-1].to == place-1:
		runs[n-1].to = place
	default:
		x.runs[by][key] = append(runs, run{place, place})
	}
}

// Last is the last place up to at whose result shows the element; -1 none.
func (x *Index) Last(by By, key string, at int) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	runs := x.runs[by][key]
	k := sort.Search(len(runs), func(i int) bool { return int(runs[i].from) > at }) - 1
	if k < 0 {
		return -1
	}
	return min(at, int(runs[k].to))
}

// First is the first place from at on whose result shows the element; -1 none.
func (x *Index) First(by By, key string, at int) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	runs := x.runs[by][key]
	k := sort.Search(len(runs), func(i int) bool { return int(runs[i].to) >= at })
	if k == len(runs) {
		return -1
	}
	return max(at, int(runs[k].from))
}
