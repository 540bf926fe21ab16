package policy

import "testing"

// A reader that never got the page which the grammar stood before has not read the
// grammar: it stands before the next page, too, and then no more.
func TestWhatWentOutTooLateTaughtNothing(t *testing.T) {
	page := func(n int) visit { return visit{url: "u", doc: "d", text: buttons(400 + n), seen: "inline"} }
	tl := visits(page(0), page(1), page(2), page(3))
	for _, late := range []bool{false, true} {
		plan := NewRenderer(words).Plan(single(t, "fold"))
		r := plan.Reader(nil)
		first := r.Page(tl, 0, "")
		if first.Grammar == "" || first.Text == tl.Snaps[0].Snap.Text {
			t.Fatal("the first page is not folded, or its notation is not told")
		}
		if late {
			r.Whole(tl, 0, first)
		}
		second := r.Page(tl, 1, "")
		if want := map[bool]string{true: first.Grammar}[late]; second.Grammar != want {
			t.Errorf("late %v: the second page is taught with %q, want %q", late, second.Grammar, want)
		}
		if third := r.Page(tl, 2, ""); third.Grammar != "" || third.Text == tl.Snaps[2].Snap.Text {
			t.Errorf("late %v: the third page is taught with %q", late, third.Grammar)
		}
	}
}
