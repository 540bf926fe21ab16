//go:build live

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/replay/proxy/control"
)

// steer attaches to the seat that appears under a state folder and holds every
// click, until it was held for as long as told; then everything goes on. What the
// person heard is answered by said.
func steer(t *testing.T, state string, most time.Duration) (said func() string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	var heard strings.Builder
	t.Cleanup(cancel)
	go func() {
		defer close(done)
		folder := proxy.FindFolder(func(k string) string { return map[string]string{"XDG_STATE_HOME": state}[k] })
		folder.Runs = folder.Runs[:1]
		for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) { // a client that began without its tools is run again, with another seat
			holdClicks(ctx, folder, most, &heard)
		}
	}()
	return func() string {
		cancel()
		<-done
		return heard.String()
	}
}

// holdClicks is the person on one seat.
func holdClicks(ctx context.Context, folder proxy.Folder, most time.Duration, heard *strings.Builder) {
	k := firstConsole(ctx, folder)
	if k == nil {
		return
	}
	defer k.Close()
	if _, err := k.Do(ctx, "break before click"); err != nil {
		fmt.Fprintln(heard, err)
	}
	var since time.Time // of the hold
	for ctx.Err() == nil && k.Beat(ctx) == nil {
		st := k.State()
		if len(st.Holds) > 0 && since.IsZero() {
			since = st.Holds[0].Since
			fmt.Fprintln(heard, "held", st.Holds[0].Tool, st.Holds[0].Why)
		}
		if !since.IsZero() && time.Since(since) > most {
			text, err := k.Do(ctx, "run")
			fmt.Fprintln(heard, "run:", text, err)
			since = time.Now().Add(time.Hour)
		}
		time.Sleep(control.Renew / 4)
	}
}

// TestHeldLive holds a click in each client: for 70 s, after which it happens once;
// and past the client's limit, which is set short, after which it never happens,
// though the person then lets everything go on while the client still works.
func TestHeldLive(t *testing.T) {
	const limit, held = 4 * time.Second, 8 * time.Second // OpenCode's is lengthened by a progress every 5 s
	for _, client := range clientNames {
		for _, c := range []struct {
			name   string
			hold   time.Duration
			limit  time.Duration
			clicks int32
		}{
			{"70 s", 70 * time.Second, 0, 1},
			{"past its limit", held, limit, 0},
		} {
			t.Run(client+" "+c.name, func(t *testing.T) {
				s := bigTable(t, 20)
				state, err := os.MkdirTemp("", "l")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(state)
				said := steer(t, state, c.hold)
				begun := time.Now()
				held := trial{
					client: client, seat: []string{"--keep", "5"}, state: state, limit: c.limit,
					script: []apitest.Step{{Goto: s.URL}, {Goto: s.URL}, {Look: true}, // the first starts the browser, and may take longer than the limit
						{Click: rowName(3)}, {Eval: "() => document.querySelectorAll('input:checked').length"}},
					behave: func(n int) apitest.Behaviour {
						if c.limit > 0 && n >= 5 { // the client lives on while the person lets go
							return apitest.Behaviour{Delay: 4 * time.Second}
						}
						return apitest.Behaviour{}
					},
				}
				got := held.run(t)
				took := time.Since(begun)
				heard := said()
				if n := s.clicks.Load(); n != c.clicks {
					t.Errorf("the page saw %d clicks, want %d; it ended with %q\n%s", n, c.clicks, got.said, got.output)
				}
				if took < c.hold || !strings.Contains(heard, "run:") {
					t.Errorf("it ended after %v, held for %v; the person heard %s", took, c.hold, heard)
				}
				rec := got.recorded(t)
				if !strings.Contains(rec, "held: browser_click") || c.limit > 0 && !strings.Contains(rec, "it never reached the server") {
					t.Error("the recording does not tell of the hold")
				}
				if asked := fmt.Sprintf(`### Result\n%d\n`, c.clicks); !strings.Contains(rec, asked) {
					t.Errorf("the page, asked how many boxes are ticked, does not say %d", c.clicks)
				}
				t.Logf("%v, %q, %s", took.Round(time.Second), got.said, strings.ReplaceAll(heard, "\n", "; "))
			})
		}
	}
}
