package session_test

import (
	"fmt"
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
