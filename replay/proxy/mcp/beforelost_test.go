package mcp

import (
	"strconv"
	"testing"

	"snapscope/replay/proxy"
	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/snapshot"
)

// BenchmarkBeforeLost measures one look at "before lost" in a session of so many pages.
func BenchmarkBeforeLost(b *testing.B) {
	for _, pages := range []int{100, 1000, 5000} {
		b.Run(strconv.Itoa(pages), func(b *testing.B) {
			p := New(Options{})
			b.Cleanup(func() { _ = p.Close() })
			r := p.rec
			c, err := breakpoint.Parse("before lost")
			if err != nil {
				b.Fatal(err)
			}
			p.holds.SetRules(proxy.Rules{Breaks: []string{c.String()}})
			looked := make(chan struct{})
			r.post(0, func(r *recorder) {
				defer close(looked)
				r.refresh()
				for i := range pages {
					id := "a" + strconv.Itoa(i)
					page := table(20, i%20) + "\n- text: page " + strconv.Itoa(i) // no two are the same
					sn := &snapshot.Snapshot{Text: page, URL: "http://x/", Hash: snapshot.HashText(page)}
					r.story.Append(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: session.VerbClick, Tool: "browser_click", Target: &session.Target{Ref: "e2"}}})
					r.story.Append(session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Snapshot: sn}})
				}
				look := func() {
					if why, stop := r.stopBefore(&view{}, "browser_click", []byte(`{"target":"e777777"}`)); !stop {
						b.Errorf("not stopped: %s", why)
					}
				}
				look() // the first one renders and reads
				b.ReportAllocs()
				for b.Loop() {
					look()
				}
			})
			<-looked
		})
	}
}
