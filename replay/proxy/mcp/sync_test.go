package mcp

import (
	"bufio"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/session"
)

// gate is a recording whose file and disk let nothing through until they are told to.
type gate struct {
	sink
	file, disk chan struct{}
	waits      atomic.Int32 // calls that are at a gate
	syncs      atomic.Int32
}

func (g *gate) results() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, e := range g.events {
		if e.Kind == session.KindResult {
			n++
		}
	}
	return n
}

func (g *gate) pass(c chan struct{}) error {
	if g.results() > 0 {
		g.waits.Add(1)
		<-c
		g.waits.Add(-1)
	}
	return nil
}
func (g *gate) Flush() error { return g.pass(g.file) }
func (g *gate) Sync() error {
	_ = g.pass(g.file)
	g.syncs.Add(1)
	return g.pass(g.disk)
}

// An agent has a step's answer when the step is where --sync wants it, not before,
// rewritten or not.
func TestAnAnswerWaitsForItsStep(t *testing.T) {
	t.Parallel()
	for _, mode := range proxy.Syncs {
		for _, inline := range []bool{false, true} {
			t.Run(fmt.Sprint(mode, inline), func(t *testing.T) {
				t.Parallel()
				g := &gate{file: make(chan struct{}), disk: make(chan struct{})}
				open := map[chan struct{}]*sync.Once{g.file: {}, g.disk: {}}
				through := func(c chan struct{}) { open[c].Do(func() { close(c) }) }
				defer through(g.disk)
				defer through(g.file)
				x := newOdd(t, "echo", Options{Sink: g, Sync: mode, Inline: inline})
				x.greet("t")
				x.send(callLine("1", "a", `{"n":1}`))
				got := make(chan string, 1)
				go func() {
					l, _ := x.out.ReadString('\n')
					got <- l
				}()
				kept := func(when string, want bool) {
					t.Helper()
					for g.waits.Load() == 0 && g.file != nil { // the recorder is at the gate
						time.Sleep(time.Millisecond)
					}
					wait := 50 * time.Millisecond
					if want {
						wait = time.Minute
					}
					select {
					case l := <-got:
						got <- l
						if !want {
							t.Errorf("%s: the agent has its answer: %s", when, l)
						}
					case <-time.After(wait):
						if want {
							t.Errorf("%s: the agent has no answer", when)
						}
					}
				}
				kept("not in the file", mode == proxy.SyncNone)
				through(g.file)
				if mode == proxy.SyncStep {
					kept("not on the disk", false)
				}
				if mode != proxy.SyncStep {
					kept("in the file", true)
				}
				through(g.disk)
				if l := <-got; !strings.Contains(l, `"id":1`) || g.results() != 1 {
					t.Errorf("the agent got %s, %d results are recorded", l, g.results())
				}
			})
		}
	}
}

// Answers that come while one waits for the disk share the next sync, and arrive in
// their order.
func TestStepsShareASync(t *testing.T) {
	t.Parallel()
	g := &gate{file: make(chan struct{}), disk: make(chan struct{})}
	close(g.file)
	x := newOdd(t, "echo", Options{Sink: g, Sync: proxy.SyncStep})
	x.greet("t")
	const n = maxAhead
	for i := 1; i <= n; i++ {
		x.send(callLine(fmt.Sprint(i), "a", `{}`))
	}
	for g.results() == 0 || g.waits.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	for { // the others have been read, and wait
		x.p.rec.mu.Lock()
		waiting := 0
		for _, j := range x.p.rec.jobs {
			if j.done != nil {
				waiting++
			}
		}
		x.p.rec.mu.Unlock()
		if waiting+g.results() >= n {
			break
		}
		time.Sleep(time.Millisecond)
	}
	before := g.syncs.Load()
	close(g.disk)
	for i := 1; i <= n; i++ {
		if l := x.line(); !strings.Contains(l, fmt.Sprintf(`"id":%d,`, i)) {
			t.Fatalf("answer %d is %s", i, l)
		}
	}
	if more := g.syncs.Load() - before; more > 3 {
		t.Errorf("%d answers that waited together took %d syncs", n, more)
	}
}

// A disk that hangs costs an agent a bounded time, and is told once.
func TestADiskThatHangs(t *testing.T) {
	t.Parallel()
	g := &gate{file: make(chan struct{}), disk: make(chan struct{})}
	x := newOdd(t, "echo", Options{Sink: g})
	defer close(g.disk)
	defer close(g.file)
	x.greet("t")
	x.send(callLine("1", "a", `{}`))
	got := make(chan string, 1)
	go func() {
		l, _ := bufio.NewReader(x.out).ReadString('\n')
		got <- l
	}()
	select {
	case l := <-got:
		if !strings.Contains(l, `"id":1`) || !strings.Contains(x.logs.String(), "before their steps are recorded") {
			t.Errorf("the agent got %s; said: %s", l, x.logs)
		}
	case <-time.After(2 * time.Minute):
		t.Error("the agent waits for a disk that hangs")
	}
}
