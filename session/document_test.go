package session_test

import (
	"fmt"
	"slices"
	"testing"

	"snapscope/session"
	"snapscope/snapshot"
)

func TestADocumentEndsAtANavigationOnly(t *testing.T) {
	type seen struct {
		verb      session.Verb
		url, name string // of the snapshot; name "" with url "": no snapshot
		shown     string // an incremental reply
		at        string // URL of a result without a snapshot
		tab, want int
	}
	const kept = "- <changed> list [ref=e2]:\n  - ref=e3 [unchanged]\n  - button \"New\" [ref=e9]"
	for name, steps := range map[string][]seen{
		"a query changes and the reply goes on": {
			{verb: session.VerbGoto, url: "http://x/a", name: "d1", want: 1},
			{verb: session.VerbClick, url: "http://x/a?q=1", name: "d2", shown: kept, want: 1},
			{verb: session.VerbClick, url: "http://x/a?q=1", name: "d2", want: 1},
		},
		"a query changes and the whole page comes": {
			{verb: session.VerbGoto, url: "http://x/a", name: "d1", want: 1},
			{verb: session.VerbClick, url: "http://x/a?q=1", name: "d2", want: 2},
		},
		"changed parts that keep nothing": {
			{verb: session.VerbGoto, url: "http://x/a", name: "d1", want: 1},
			{verb: session.VerbClick, url: "http://x/b", name: "d2", shown: "- <changed> list [ref=e2]", want: 2},
		},
		"a paragraph that says so is text": {
			{verb: session.VerbGoto, url: "http://x/a", name: "d1", want: 1},
			{verb: session.VerbClick, url: "http://x/b", name: "d2", shown: "- paragraph [ref=e2]: ref=e3 [unchanged]", want: 2},
		},
		"names alone, the URL without its fragment": {
			{verb: session.VerbGoto, url: "http://x/a", want: 1},
			{verb: session.VerbClick, url: "http://x/a#top", want: 1},
			{verb: session.VerbClick, url: "http://x/b", want: 2},
			{verb: session.VerbReload, url: "http://x/b", want: 3},
		},
		"back to a tab": {
			{verb: session.VerbGoto, url: "http://x/a", name: "d1", want: 1},
			{verb: session.VerbTab, url: "http://x/b", name: "d2", tab: 1, want: 2},
			{verb: session.VerbTab, url: "http://x/a", name: "d1", want: 1},
		},
		"a navigation without a snapshot": {
			{verb: session.VerbGoto, url: "http://x/a", name: "d1", want: 1},
			{verb: session.VerbPress, at: "http://x/a?q=1", want: 1},
			{verb: session.VerbGoto, at: "http://x/b", want: 2},
			{verb: session.VerbClick, at: "http://x/b", want: 2},
			{verb: session.VerbSnapshot, url: "http://x/b", name: "d2", want: 3},
		},
		"an unknown tab": {
			{verb: session.VerbGoto, url: "http://x/a", name: "d1", want: 1},
			{verb: session.VerbTab, want: 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var events []session.Event
			var want, got []int
			for i, s := range steps {
				id := fmt.Sprint(i)
				r := &session.Result{Action: id, OK: true, URL: s.at}
				if s.url != "" {
					r.Seen = session.SeenInline
					r.Snapshot = &snapshot.Snapshot{URL: s.url, Document: s.name, Tab: s.tab, Text: id, Hash: id}
					if s.shown != "" {
						r.Seen, r.Shown, r.Snapshot.Rebuilt = session.SeenIncremental, s.shown, true
					}
				}
				events = append(events, session.Event{Action: &session.Action{ID: id, Verb: s.verb}}, session.Event{Result: r})
				want = append(want, s.want)
			}
			for _, s := range session.NewTimeline(events).Steps {
				got = append(got, s.Document)
			}
			if !slices.Equal(got, want) {
				t.Errorf("documents %v, want %v", got, want)
			}
		})
	}
}
