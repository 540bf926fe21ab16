package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/snapshot"
)

// changing is a browser whose page is another with every step.
type changing struct{ n int }

func (c *changing) Do(_ context.Context, a session.Action) (*session.Result, error) {
	c.n++
	var b strings.Builder
	boxes := map[string]snapshot.Box{}
	b.WriteString("- table [ref=e1]:\n")
	for i := range 300 {
		k := 0
		if i%4 == 0 {
			k = c.n
		}
		fmt.Fprintf(&b, "  - row \"entry %d %d\" [ref=e%d]:\n    - button \"Open %d\" [ref=e%d]\n", i, k, 2*i+2, i+k, 2*i+3)
		boxes[fmt.Sprint("e", 2*i+2)] = snapshot.Box{X: 1, Y: i, W: 100, H: 20}
	}
	url := fmt.Sprintf("http://a.test/?%d", c.n)
	return &session.Result{
		Action: a.ID, OK: true, URL: url, Title: fmt.Sprint("Page ", c.n), Console: []string{fmt.Sprint("log: ", c.n)},
		Snapshot: &snapshot.Snapshot{URL: url, Title: fmt.Sprint("Page ", c.n), Document: "d", Text: b.String(), Hash: snapshot.HashText(b.String()), Boxes: boxes},
	}, nil
}

func (*changing) Close() error { return nil }

// TestRunHoldsNoSession holds that a long run takes no more memory than a short
// one: what is kept of a step that is over is its action and its figures, not its page.
func TestRunHoldsNoSession(t *testing.T) {
	view, err := (&app{}).newStepView(nil)
	if err != nil {
		t.Fatal(err)
	}
	sink, err := replay.NewWriter(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	const first, steps, perStep = 100, 400, 5 << 10
	script := make([]session.Action, steps)
	for i := range script {
		script[i] = session.Action{Verb: session.VerbClick, Tool: "click", Target: &session.Target{Ref: "e5"}}
	}
	live, err := session.NewLive(session.LiveOptions{Driver: &changing{}, Script: script, Sink: sink, Clock: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	var early uint64
	_, err = runAll(t.Context(), live, view, func(s session.Step) error {
		if s.N == first {
			early = inUse()
		}
		return view.text(io.Discard, s)
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	late := inUse()
	t.Logf("%d MB after %d steps, %d MB after %d", early>>20, first, late>>20, steps)
	if late > early+(steps-first)*perStep {
		t.Errorf("it holds %d MB after %d steps and %d MB after %d", early>>20, first, late>>20, steps)
	}
	runtime.KeepAlive(view)
	runtime.KeepAlive(live)
}

// inUse is the memory of everything that can still be reached.
func inUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
