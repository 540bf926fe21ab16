package relay_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api/relay"
)

// An agent has the end of an answer when the exchange was told, not before: whether
// the vendor says how long it is, says nothing, or streams events and keeps the
// connection open behind the last.
func TestAnAnswerEndsWhenItIsTold(t *testing.T) {
	t.Parallel()
	const whole = `{"type":"message","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":10,"output_tokens":3}}`
	const events = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	for _, c := range []struct{ name, kind, body, last string }{
		{"a length", "application/json", whole, "}}"},
		{"no length", "application/json", whole, "EOF"},
		{"a stream that stays open", "text/event-stream", events, "message_stop"},
	} {
		for _, sync := range []proxy.Sync{proxy.SyncStep, proxy.SyncNone} {
			t.Run(c.name+"/"+string(sync), func(t *testing.T) {
				t.Parallel()
				release, stay := make(chan struct{}), make(chan struct{})
				b := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", c.kind)
					if c.name == "a length" {
						w.Header().Set("Content-Length", strconv.Itoa(len(c.body)))
					}
					_, _ = io.WriteString(w, c.body[:len(c.body)/2])
					_ = http.NewResponseController(w).Flush()
					_, _ = io.WriteString(w, c.body[len(c.body)/2:])
					_ = http.NewResponseController(w).Flush()
					if c.kind == "text/event-stream" {
						<-stay
					}
				}), relay.Options{Sync: sync, Told: func(relay.Exchange) { <-release }})
				defer close(stay)
				got := make(chan string, 1)
				go func() {
					res, err := http.Post(b.url+"/v1/messages", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`))
					if err != nil {
						got <- fmt.Sprint(err)
						return
					}
					defer res.Body.Close()
					text, buf := "", make([]byte, 1<<10)
					for !strings.Contains(text, c.last) {
						n, err := res.Body.Read(buf)
						if text += string(buf[:n]); err != nil {
							text += fmt.Sprint(err)
						}
					}
					got <- text
				}()
				b.ended(t, 1) // it is being told
				wait := 100 * time.Millisecond
				if sync == proxy.SyncNone {
					wait = time.Minute
				}
				select {
				case text := <-got:
					if got <- text; sync != proxy.SyncNone {
						t.Errorf("before it was told the agent had %s", text)
					}
				case <-time.After(wait):
					if sync == proxy.SyncNone {
						t.Error("the agent waits although it should not")
					}
				}
				close(release)
				if text := <-got; !strings.HasPrefix(text, c.body) {
					t.Errorf("the agent got %s", text)
				}
			})
		}
	}
}
