package session_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
	"snapscope/snapshot"
)

// shown appends one step whose result holds a snapshot.
func shown(t *session.Timeline, id, url string) {
	t.Append(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: session.VerbGoto, Tool: "goto"}})
	t.Append(session.Event{Kind: session.KindResult, Result: &session.Result{
		Action: id, OK: true, Seen: session.SeenInline,
		Snapshot: &snapshot.Snapshot{URL: url, Document: url, Text: "- main [ref=e1]", Hash: snapshot.HashText(url)},
	}})
}

// A view and its parent may both be appended to: neither writes into what the
// other reads. The three lists behind Past once shared their spare capacity.
func TestAViewAndItsTimelineGrowApart(t *testing.T) {
	tl := &session.Timeline{}
	for i := range 5 { // five leaves spare capacity in the lists
		shown(tl, fmt.Sprint("a", i), fmt.Sprint("/a", i))
	}
	view := tl.View()
	shown(tl, "p", "/parent")
	shown(view, "v", "/view")
	shown(tl, "p2", "/after")
	shown(view, "v2", "/after")

	if got, want := tl.Past(6).Visited[5], "/parent"; got != want {
		t.Errorf("the timeline visited %q, want %q", got, want)
	}
	if got, want := view.Past(6).Visited[5], "/view"; got != want {
		t.Errorf("the view visited %q, want %q", got, want)
	}
	if got, want := tl.Past(6).Moments[5].URL, "/parent"; got != want {
		t.Errorf("the timeline's moment is of %q, want %q", got, want)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5}, tl.Past(6).Readable); diff != "" {
		t.Error(diff)
	}
}

// A session that is looked at as it goes by keeps what the next page may be
// compared with, and no more.
func TestRelease(t *testing.T) {
	tl := session.NewTimeline(nil)
	for i := range 100 {
		id, url := strconv.Itoa(i), "http://a.test/"
		if i == 0 {
			url = "http://b.test/"
		}
		seen := session.SeenUnasked
		if i%30 == 0 {
			seen = session.SeenInline
		}
		tl.Append(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: session.VerbClick, Tool: "click"}})
		tl.Append(session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Seen: seen, Snapshot: &snapshot.Snapshot{URL: url, Text: "page " + id, Hash: id}}})
		tl.Release(2)
		last := len(tl.Snaps) - 1
		past := tl.Past(last)
		need := append([]int{last}, past.Readable[max(0, len(past.Readable)-1):]...)
		if past.Prev >= 0 {
			need = append(need, past.Prev)
		}
		for _, n := range need {
			if tl.Snaps[n].Snap.Text == "" {
				t.Fatalf("at %d the page %d is gone", i, n)
			}
		}
	}
	kept := 0
	for _, s := range tl.Snaps {
		if s.Snap.Text != "" {
			kept++
		}
	}
	if kept > 6 {
		t.Errorf("%d of 100 pages are kept", kept)
	}
}
