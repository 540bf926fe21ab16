package join

import (
	"context"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

// growing is a recording that the test writes.
type growing struct {
	events  []session.Event
	changed chan struct{}
}

func newGrowing() *growing { return &growing{changed: make(chan struct{}, 1)} }

func (g *growing) Step(context.Context) ([]session.Event, error) {
	if len(g.events) == 0 {
		return nil, io.EOF
	}
	out := g.events
	g.events = nil
	return out, nil
}

func (g *growing) Changed() <-chan struct{} { return g.changed }

// live is a joining under way.
type live struct {
	api, mcp *growing
	mu       sync.Mutex
	got      []session.Event
}

// all is what came so far.
func (l *live) all() []session.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.got)
}

func (l *live) came(e session.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got = append(l.got, e)
}

// add writes to one of the recordings and waits until everything has come to rest.
func (l *live) add(g *growing, e ...session.Event) []session.Event {
	g.events = append(g.events, e...)
	g.changed <- struct{}{}
	synctest.Wait()
	return l.all()
}

func follow(t *testing.T) *live {
	l := &live{api: newGrowing(), mcp: newGrowing()}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = Follow(ctx, l.api, l.mcp, l.came, func() {})
	}()
	t.Cleanup(func() { cancel(); <-done })
	synctest.Wait()
	return l
}

func call(n int) session.Event {
	return session.Event{Kind: session.KindCall, Time: at(n), Call: &session.ModelCall{Usage: &session.Usage{Input: n}}}
}

// A call whose other half is not written yet is waited for, as long as it is held
// and no longer than half a second after the model has its answer.
func TestFollowWaitsForTheOtherHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := follow(t)
		if got := l.add(l.api, call(1), action("toolu_1", "mcp__playwright__browser_click", "e2", 2)); len(got) != 1 || got[0].Call == nil {
			t.Fatalf("%d events before the server has the call", len(got))
		}
		time.Sleep(time.Minute) // held
		synctest.Wait()
		if len(l.all()) != 1 {
			t.Fatalf("%d events while the call is held", len(l.all()))
		}
		edited := action("c1", "browser_click", "e9", 60)
		edited.Action.Given = map[string]any{"ref": "e2"}
		if got := l.add(l.mcp, edited); len(got) != 2 || got[1].Action.Given == nil || got[1].Action.ID != "toolu_1" {
			t.Fatalf("after the call: %+v", got)
		}
		l.add(l.api, result(session.Result{Action: "toolu_1", Text: "ok"}, 62), call(63), action("toolu_2", "Bash", "ls", 64))
		if len(l.all()) != 2 {
			t.Fatal("the result did not wait for the server's side of it")
		}
		l.add(l.mcp, session.Event{Kind: session.KindNote, Time: at(61), Note: &session.Note{Text: "held"}}, result(session.Result{Action: "c1", Text: "ok", Millis: 7}, 61))
		if n := len(l.all()); n != 5 || l.all()[3].Result.Millis != 7 {
			t.Fatalf("%d events, want the note, the result with its time and the call", n)
		}
		l.add(l.api, result(session.Result{Action: "toolu_2", Text: "files"}, 65))
		if len(l.all()) != 5 {
			t.Fatal("a tool of another server did not wait at all")
		}
		time.Sleep(2 * lateness)
		synctest.Wait()
		if n := len(l.all()); n != 7 {
			t.Fatalf("%d events after the wait", n)
		}
	})
}

// Followed to the end, two recordings give what Join makes of them.
func TestFollowIsJoin(t *testing.T) {
	api, mcp := recordings()
	want := Join(api, mcp).Events
	synctest.Test(t, func(t *testing.T) {
		l := follow(t)
		for i := range max(len(api), len(mcp)) {
			if i < len(mcp) {
				l.add(l.mcp, mcp[i])
			}
			if i < len(api) {
				l.add(l.api, api[i])
			}
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		steps := func(events []session.Event) (out []session.Event) {
			for _, e := range events {
				e.Seq = 0
				if e.Note == nil { // a note stands where it was heard of
					out = append(out, e)
				}
			}
			return out
		}
		if d := cmp.Diff(steps(want), steps(l.all())); d != "" {
			t.Error(d)
		}
	})
}

// An agent that does not call its model through the seat is shown by its tools.
func TestFollowWithoutModelCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := follow(t)
		l.add(l.api, session.Event{Kind: session.KindStart, Start: &session.Start{Source: "api-seat"}})
		l.add(l.mcp, session.Event{Kind: session.KindStart, Start: &session.Start{Source: "mcp-seat"}}, action("c1", "browser_click", "e2", 1), result(session.Result{Action: "c1"}, 2))
		if len(l.all()) != 0 {
			t.Fatalf("%d events at once", len(l.all()))
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if n := len(l.all()); n != 4 || l.all()[0].Start.Source != "mcp-seat" || l.all()[3].Note.Text != Alone {
			t.Fatalf("%d events: %+v", n, l.all())
		}
		if got := l.add(l.mcp, action("c2", "browser_click", "e2", 3)); len(got) != 5 {
			t.Fatalf("%d events after the next call", len(got))
		}
	})
}
