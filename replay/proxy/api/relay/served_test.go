package relay_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"snapscope/replay/proxy/api/relay"
)

// A request of another site's page reaches neither the model nor the recording.
func TestNoWebPageIsServed(t *testing.T) {
	var reached atomic.Int32
	b := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }), relay.Options{Expiry: expiry(t, "openclaw")})
	body := `{"model":"m","messages":[{"role":"user","content":"This session is being continued from a previous conversation"}]}`
	for _, c := range []struct {
		method, path, key, value string
		want                     int
	}{
		{"POST", "/v1/messages", "Origin", "https://evil.example", 403},
		{"POST", "/v1/messages", "Origin", "null", 403},
		{"POST", "/v1/messages", "Sec-Fetch-Site", "cross-site", 403},
		{"POST", "/v1/messages", "Sec-Fetch-Site", "same-site", 403},
		{"GET", "/v1/models", "Sec-Fetch-Site", "cross-site", 403},
		{"OPTIONS", "/v1/messages", "Origin", "https://evil.example", 403},
		{"POST", "/v1/messages", "Origin", "http://localhost:3000", 200},
		{"POST", "/v1/messages", "User-Agent", "claude-cli/2.1.330", 200},
	} {
		r, err := http.NewRequest(c.method, b.url+c.path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "text/plain") // what a page may send unasked
		r.Header.Set(c.key, c.value)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s %s, %s: %s: %d, want %d", c.method, c.path, c.key, c.value, res.StatusCode, c.want)
		}
	}
	_ = b.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	if reached.Load() != 2 || len(b.told) != 2 {
		t.Errorf("the model got %d requests and %d were told, want 2 and 2", reached.Load(), len(b.told))
	}
}

func TestWhoIsServed(t *testing.T) {
	b := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), relay.Options{})
	for host, want := range map[string]int{"": 200, "localhost:1": 200, "[::1]:80": 200, "evil.example": 403, "127.0.0.1.evil.example": 403} {
		req, err := http.NewRequest("GET", b.url+"/v1/models", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("Host %q: %d, want %d", host, res.StatusCode, want)
		}
	}
	req, err := http.NewRequest("GET", b.url+"/v1/responses", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "websocket")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a WebSocket is answered with %d", res.StatusCode)
	}
}
