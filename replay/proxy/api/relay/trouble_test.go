package relay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy/api/apitest"
	"snapscope/replay/proxy/api/relay"
)

func TestTheVendorIsDown(t *testing.T) {
	b := before(t, "http://127.0.0.1:1", relay.Options{})
	for path, want := range map[string]string{
		"/v1/messages":         `{"type":"error","error":{"type":"api_error","message":"snapscope api: 127.0.0.1:1 cannot be reached:`,
		"/v1/chat/completions": `{"error":{"message":"snapscope api: 127.0.0.1:1 cannot be reached:`,
		"/v1/responses":        `{"error":{"message":"snapscope api: 127.0.0.1:1 cannot be reached:`,
		"/v1/models":           `{"error":{"message":"snapscope api: 127.0.0.1:1 cannot be reached:`,
	} {
		res, err := http.Post(b.url+path, "application/json", strings.NewReader(`{"messages":[],"input":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != 502 || !strings.HasPrefix(string(got), want) || !json.Valid(got) {
			t.Errorf("%s: %d %s", path, res.StatusCode, got)
		}
	}
	if x := b.ended(t, 3)[0]; len(x.Trouble) != 1 || !strings.Contains(x.Trouble[0], "cannot be reached") {
		t.Errorf("told %+v", x)
	}
}

func TestTroubleUpstream(t *testing.T) {
	for name, c := range map[string]struct {
		do    apitest.Behaviour
		check func(x relay.Exchange) bool
	}{
		"refused": {apitest.Behaviour{Status: 529}, func(x relay.Exchange) bool {
			return x.Status == 529 && strings.Contains(x.Answer.Error, "scripted trouble")
		}},
		"cut": {apitest.Behaviour{CutAt: 200}, func(x relay.Exchange) bool {
			return !x.Answer.Whole && strings.Contains(fmt.Sprint(x.Trouble), "broke off")
		}},
		"not JSON": {apitest.Behaviour{NotJSON: true}, func(x relay.Exchange) bool { return x.Answer.Usage == nil && !x.Answer.Whole }},
		"slow":     {apitest.Behaviour{Delay: 300 * time.Millisecond}, func(x relay.Exchange) bool { return x.Answer.Whole && x.Ended.Sub(x.Begun) >= 300*time.Millisecond }},
	} {
		for _, form := range forms {
			m := &apitest.Model{Script: script[:2], Behave: func(n int) apitest.Behaviour {
				if n == 1 {
					return c.do
				}
				return apitest.Behaviour{}
			}}
			b := start(t, m, relay.Options{Expiry: expiry(t, "openclaw")})
			a := apitest.Agent{Base: b.url, Form: form, Model: "m", Stream: true, Retries: 1, Prompt: "go"}
			out, err := a.Run(context.Background(), &apitest.Page{Rows: 5})
			if err != nil || out.Said != "DONE" {
				t.Errorf("%s, %s: the agent did not recover: %+v, %v", form, name, out, err)
			}
			if x := b.ended(t, 3)[0]; !c.check(x) {
				t.Errorf("%s, %s: told %+v", form, name, x)
			}
		}
	}
}

// The first byte of a stream does not wait for the last.
func TestStreamsFlow(t *testing.T) {
	more := make(chan struct{})
	b := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-more
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}), relay.Options{})
	res, err := http.Post(b.url+"/v1/chat/completions", "application/json", strings.NewReader(`{"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, 4)
	if _, err := io.ReadFull(res.Body, first); err != nil || string(first) != "data" {
		t.Fatalf("%q, %v", first, err)
	}
	close(more)
	if _, err := io.ReadAll(res.Body); err != nil {
		t.Fatal(err)
	}
}

// Codex hangs up as soon as it has the vendor's last event: that is a whole answer.
func TestAClientThatHangsUpAtTheEnd(t *testing.T) {
	b := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"status\":\"completed\",\"usage\":{\"input_tokens\":7}}}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}), relay.Options{})
	res, err := http.Post(b.url+"/v1/responses", "application/json", strings.NewReader(`{"input":"go"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(res.Body, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if x := b.ended(t, 1)[0]; !x.Answer.Whole || x.Answer.Usage == nil || len(x.Trouble) > 0 {
		t.Errorf("told %+v", x)
	}
}
