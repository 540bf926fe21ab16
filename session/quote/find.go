package quote

// Finder finds many candidates in a text at once: a tree of their words. It is not
// safe for concurrent use.
type Finder struct {
	ids    map[string]int32 // of words
	next   map[edge]int32   // the node behind a node and a word
	ends   []int32          // by node: the candidate that ends there + 1
	made   int32
	active []int32 // scratch: nodes that candidates under way have come to
}

type edge struct{ node, word int32 }

// NewFinder is a finder of nothing yet.
func NewFinder() *Finder {
	return &Finder{ids: map[string]int32{}, next: map[edge]int32{}, ends: []int32{0}}
}

// Add is the number of a candidate with these words, from 0; the same words have the
// same number.
func (f *Finder) Add(words []string) int32 {
	node := int32(0)
	for _, w := range words {
		id, ok := f.ids[w]
		if !ok {
			id = int32(len(f.ids))
			f.ids[w] = id
		}
		to, ok := f.next[edge{node, id}]
		if !ok {
			to = int32(len(f.ends))
			f.next[edge{node, id}] = to
			f.ends = append(f.ends, 0)
		}
		node = to
	}
	if f.ends[node] == 0 {
		f.made++
		f.ends[node] = f.made
	}
	return f.ends[node] - 1
}

// Len is how many candidates there are.
func (f *Finder) Len() int { return int(f.made) }

// Find goes through the candidates that stand in a text, one as often as it stands
// there.
func (f *Finder) Find(text string, each func(candidate int32)) {
	active := f.active[:0]
	scan(text, func(w *word) {
		id, ok := f.ids[string(w.norm)]
		if !ok {
			active = active[:0]
			return
		}
		n := len(active)
		active = append(active, 0)
		kept := active[:0]
		for _, node := range active[:n+1] {
			to, ok := f.next[edge{node, id}]
			if !ok {
				continue
			}
			if end := f.ends[to]; end > 0 {
				each(end - 1)
			}
			kept = append(kept, to)
		}
		active = kept
	})
	f.active = active[:0]
}

// Clone is the same finder for somebody else who looks at the same time.
func (f *Finder) Clone() *Finder {
	c := *f
	c.active = nil
	return &c
}
