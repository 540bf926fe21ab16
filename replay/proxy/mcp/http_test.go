package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/session/policy"
)

// upstream is an HTTP server that keeps what it gets and says what it is told to.
type upstream struct {
	*httptest.Server
	mu     sync.Mutex
	bodies [][]byte
	heads  []http.Header
	hosts  []string
	kind   string
	answer []byte
}

func newUpstream(t *testing.T) *upstream {
	u := &upstream{kind: "application/json", answer: []byte("{}")}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.bodies, u.heads, u.hosts = append(u.bodies, b), append(u.heads, r.Header), append(u.hosts, r.Host)
		w.Header().Set("Content-Type", u.kind)
		w.Header().Set(sessionHeader, "s-1")
		w.Header().Set("X-Odd", "<x>")
		_, _ = w.Write(u.answer)
	}))
	t.Cleanup(u.Close)
	return u
}

func newWeb(t *testing.T, u *upstream, o Options) (*Proxy, string, *sink) {
	t.Helper()
	s := &sink{}
	o.Sink = s
	p := New(o)
	ctx, cancel := context.WithCancel(context.Background())
	w, err := p.NewWeb(ctx, u.URL+"/mcp")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(w)
	t.Cleanup(func() { cancel(); srv.Close(); _ = p.Close() })
	return p, srv.URL + "/mcp", s
}

func post(t *testing.T, ctx context.Context, url string, body []byte, session string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-06-18")
	for _, h := range []string{"Mcp-Method", "Mcp-Name", "Mcp-Param-Region"} {
		r.Header.Set(h, "=?base64?PGV1Pg==?=")
	}
	if session != "" {
		r.Header.Set(sessionHeader, session)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, nil
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res, b
}

func TestEveryByteIsTheSameOverHTTP(t *testing.T) {
	t.Parallel()
	for _, set := range []func() ([]string, []string){conformance, modern} {
		client, server := set()
		everyByteOverHTTP(t, client, server)
	}
}

func everyByteOverHTTP(t *testing.T, client, server []string) {
	t.Helper()
	u := newUpstream(t)
	_, url, _ := newWeb(t, u, Options{})
	for i, kind := range []string{"application/json", "text/event-stream", "text/event-stream; charset=utf-8"} {
		for k, line := range client {
			if line == "" {
				continue
			}
			say := server[k%len(server)]
			if i > 0 {
				say = strings.NewReplacer("\r", "", "\n", "").Replace(say)
				say = ": a comment\r\nid: 7/1\nevent: message\nretry: 5\ndata: " + say + "\n\nid: 8\ndata:\n\ndata: {\"jsonrpc\":\ndata: \"2.0\"}\n\n: end"
			}
			u.mu.Lock()
			u.kind, u.answer, u.bodies, u.heads, u.hosts = kind, []byte(say), nil, nil, nil
			u.mu.Unlock()
			res, got := post(t, t.Context(), url, []byte(line), "s-1")
			if res == nil {
				t.Fatalf("%s: no answer", clip(line, 60))
			}
			same(t, "the client got", got, []byte(say))
			u.mu.Lock()
			if len(u.bodies) != 1 {
				t.Fatalf("%s: the server got %d requests", clip(line, 60), len(u.bodies))
			}
			same(t, "the server got", u.bodies[0], []byte(line))
			h := u.heads[0]
			if h.Get(sessionHeader) != "s-1" || h.Get("Mcp-Protocol-Version") != "2025-06-18" || h.Get("Mcp-Method") != h.Get("Mcp-Name") || h.Get("Mcp-Param-Region") != "=?base64?PGV1Pg==?=" || !strings.HasSuffix(u.URL, u.hosts[0]) || res.Header.Get("X-Odd") != "<x>" {
				t.Errorf("headers: %v, host %s, back %v", h, u.hosts[0], res.Header)
			}
			u.mu.Unlock()
		}
	}
}

func TestPoliciesOverHTTP(t *testing.T) {
	t.Parallel()
	fold, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	page := inPage(table(40, 2))
	answer := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(proxy.Quote(page)) + `}]}}`
	for kind, body := range map[string]string{"application/json": answer, "text/event-stream": "id: 3\nevent: message\ndata: " + answer + "\n\n"} {
		u := newUpstream(t)
		u.kind, u.answer = kind, []byte(body)
		_, url, s := newWeb(t, u, Options{Policy: &fold})
		_, got := post(t, t.Context(), url, []byte(callLine("1", "browser_snapshot", "{}")), "s-1")
		if len(got) > len(body)*2/3 || !bytes.Contains(got, []byte("e381")) {
			t.Errorf("%s: %d of %d bytes", kind, len(got), len(body))
		}
		if kind == "text/event-stream" && !bytes.HasPrefix(got, []byte("id: 3\nevent: message\ndata: {")) {
			t.Errorf("the event: %s", clip(string(got), 100))
		}
		data := bytes.TrimPrefix(got, []byte("id: 3\nevent: message\ndata: "))
		if !json.Valid(bytes.TrimSpace(data)) {
			t.Errorf("%s: no JSON", kind)
		}
		_ = s
	}
}

func TestHoldsOverHTTP(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	u.answer = []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	p, url, _ := newWeb(t, u, Options{})
	p.Holds().SetRules(proxy.Rules{All: true})
	hold := func() proxy.Hold {
		for range 2000 {
			if l := p.Holds().List(); len(l) > 0 {
				return l[0]
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatal("nothing is held")
		return proxy.Hold{}
	}
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); post(t, ctx, url, []byte(callLine("1", "x", "{}")), "s-1") }()
	hold()
	giveUp()
	<-done
	for len(p.Holds().List()) > 0 {
		time.Sleep(time.Millisecond)
	}
	u.mu.Lock()
	if len(u.bodies) != 0 {
		t.Errorf("the server got a call that its client gave up: %s", u.bodies[0])
	}
	u.mu.Unlock()
	out := make(chan []byte, 1)
	go func() {
		_, b := post(t, t.Context(), url, []byte(callLine("2", "x", "{}")), "s-1")
		out <- b
	}()
	if err := p.Holds().Decide(hold().ID, proxy.Decision{Do: proxy.Answer, Result: json.RawMessage(`{"content":[]}`)}); err != nil {
		t.Fatal(err)
	}
	if got := string(<-out); got != `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}` {
		t.Errorf("answered: %s", got)
	}
}

// A request of another site's page reaches neither the server nor the recording.
func TestWhoMayCall(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	p, url, rec := newWeb(t, u, Options{})
	for _, c := range []struct {
		name, method, host, key, value string
		want                           int
	}{
		{"a program", "POST", "", "", "", 200},
		{"a page of this machine", "POST", "", "Origin", "http://localhost:3000", 200},
		{"another site's page", "POST", "", "Origin", "https://evil.example", 403},
		{"a page without an origin", "POST", "", "Origin", "null", 403},
		{"another site's page, GET without Origin", "GET", "", "Sec-Fetch-Site", "cross-site", 403},
		{"a rebound name", "POST", "evil.example", "", "", 403},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, url, strings.NewReader(callLine("1", c.name, "{}")))
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		if c.key != "" {
			r.Header.Set(c.key, c.value)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", c.name, res.StatusCode, c.want)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if n := strings.Count(rec.text(), `"kind":"action"`); len(u.bodies) != 2 || n != 2 {
		t.Errorf("the server got %d requests and %d are recorded, want 2 and 2", len(u.bodies), n)
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	_, url, _ := newWeb(t, u, Options{})
	u.Close()
	res, body := post(t, t.Context(), url, []byte("{}"), "")
	if res == nil || res.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), "does not answer") {
		t.Errorf("%v %s", res, body)
	}
	p := New(Options{})
	defer p.Close()
	if _, err := p.NewWeb(t.Context(), "ftp://x"); err == nil {
		t.Error("an address that is no URL was taken")
	}
}

// Events reach the client one by one, not when the stream ends.
func TestEventsAreNotHeldBack(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			_, _ = io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
			w.(http.Flusher).Flush()
			<-next
		}
	}))
	defer up.Close()
	p := New(Options{})
	defer p.Close()
	w, err := p.NewWeb(t.Context(), up.URL)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(w)
	defer srv.Close()
	res, err := http.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	in := bufio.NewReader(res.Body)
	for range 3 {
		if l, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(l, "data: ") {
			t.Fatalf("%q, %v", l, err)
		}
		_, _ = in.ReadString('\n')
		next <- struct{}{}
	}
}
