package ledger

import (
	"slices"

	"snapscope/session/policy"
	"snapscope/snapshot/notation"
)

// own are the refs that an item's rendering shows by itself, kept by number: a
// lost element is looked for in every page of its document, and a few numbers
// side by side are found many times as fast as a line in a page. They are made
// for an item that is looked at often.
type own struct {
	ids   map[string]int32
	looks []int     // by item
	items [][]int32 // by item, sorted; nil where not made yet

	at, to []int32 // scratch: of each page line where it is shown, by stage
	bare   []bool  // and whether its ref was left out
}

// often is how many looks at an item pay for making its refs.
const often = 8

// shows reports whether item i's rendering of the page shows a ref.
func (o *own) shows(i int, it *item, page *notation.Text, ref string) bool {
	for len(o.items) <= i {
		o.items, o.looks = append(o.items, nil), append(o.looks, 0)
	}
	if o.looks[i]++; o.looks[i] < often {
		return it.shows(page.Find(ref), true)
	}
	if o.items[i] == nil {
		o.items[i] = o.make(it.rendered.Stages, page)
	}
	id, known := o.ids[ref]
	if !known {
		return false
	}
	_, found := slices.BinarySearch(o.items[i], id)
	return found
}

// make lists the refs that a rendering shows, as shownAt would for each line.
func (o *own) make(stages []policy.StageView, page *notation.Text) []int32 {
	o.at, o.bare = resize(o.at, page.Len()), resize(o.bare, page.Len())
	for i := range o.at {
		o.at[i], o.bare[i] = int32(i), false
	}
	for k := range stages {
		o.through(&stages[k])
	}
	if o.ids == nil {
		o.ids = map[string]int32{}
	}
	ids := []int32{}
	for i, at := range o.at {
		ref := page.Ref(i)
		if at < 0 || o.bare[i] || ref == "" || page.Find(ref) != i {
			continue
		}
		id, known := o.ids[ref]
		if !known {
			id = int32(len(o.ids))
			o.ids[ref] = id
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// through moves every line on by one stage.
func (o *own) through(st *policy.StageView) {
	v := &st.Verdict
	if v.Lines != nil {
		o.to = o.to[:0]
		for at, line := range v.Elements() {
			for len(o.to) <= line {
				o.to = append(o.to, -1)
			}
			if o.to[line] < 0 {
				o.to[line] = int32(at)
			}
		}
	}
	for i, at := range o.at {
		if at < 0 {
			continue
		}
		line := int(at) + st.Offset
		o.bare[i] = o.bare[i] || !v.ShowsRef(line)
		switch {
		case v.Lines == nil:
			o.at[i] = int32(line)
		case line >= 0 && line < len(o.to):
			o.at[i] = o.to[line]
		default:
			o.at[i] = -1
		}
	}
}

// resize is a slice of n values of any content.
func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
