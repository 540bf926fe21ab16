package relay_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"snapscope/replay"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/replay/proxy/api/record"
	"snapscope/replay/proxy/api/relay"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

const key = "sk-ant-dummy-0123456789abcdef0123456789"

func expiry(t testing.TB, name string, sets ...string) *api.Expiry {
	t.Helper()
	s, err := registry.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	v := strategy.Values{}
	for _, set := range sets {
		if err := s.Set(v, set); err != nil {
			t.Fatal(err)
		}
	}
	return api.NewExpiry(api.Rule{Strategy: s, Values: s.Values(v), Shows: transcript.ShowsPage, Count: func(s string) int { return len(s) / 4 }})
}

// bench is a proxy before a handler, with what it told.
type bench struct {
	*relay.Proxy
	url  string
	mu   sync.Mutex
	told []relay.Exchange
	logs []string
}

func start(t testing.TB, upstream http.Handler, o relay.Options) *bench {
	t.Helper()
	up := httptest.NewServer(upstream)
	t.Cleanup(up.Close)
	return before(t, up.URL, o)
}

func before(t testing.TB, to string, o relay.Options) *bench {
	t.Helper()
	b := &bench{}
	var err error
	if o.To, err = url.Parse(to); err != nil {
		t.Fatal(err)
	}
	tell := o.Told
	o.Told = func(x relay.Exchange) {
		b.mu.Lock()
		b.told = append(b.told, x)
		b.mu.Unlock()
		if tell != nil {
			tell(x)
		}
	}
	o.Log = func(s string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.logs = append(b.logs, s)
	}
	b.Proxy = relay.New(o)
	srv := httptest.NewServer(b.Proxy)
	b.url = srv.URL
	t.Cleanup(func() {
		srv.Close()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// ended waits for n exchanges to be told.
func (b *bench) ended(t testing.TB, n int) []relay.Exchange {
	t.Helper()
	for range 18_000 { // three minutes: a busy machine tells late
		b.mu.Lock()
		got := append([]relay.Exchange(nil), b.told...)
		b.mu.Unlock()
		if len(got) >= n {
			return got
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%d exchanges were not told", n)
	return nil
}

var forms = []string{"anthropic", "openai-chat", "openai-responses", "gemini"}

var script = []apitest.Step{
	{Goto: "http://127.0.0.1/leads"},
	{Click: apitest.Name(3)},
	{Click: apitest.Name(5)},
	{Eval: "() => 1"},
	{Click: apitest.Name(7)},
	{Look: true},
	{Click: apitest.Name(8)},
}

// A vendor that checks what it gets refuses nothing of the clients under any
// policy, streamed or not, and each run comes to its end.
func TestNothingIsRefused(t *testing.T) {
	for _, form := range forms {
		for i, rule := range [][]string{{}, {"openclaw"}, {"keep-one"}, {"clear-tool-uses", "trigger=2000", "keep=2"}} {
			m := &apitest.Model{Script: script, Think: true}
			var o relay.Options
			if len(rule) > 0 {
				o.Expiry = expiry(t, rule[0], rule[1:]...)
			}
			b := start(t, m, o)
			a := apitest.Agent{Base: b.url, Form: form, Model: "m", Stream: i%2 == 0, Prompt: "take them over", Key: key}
			out, err := a.Run(context.Background(), &apitest.Page{Rows: 30})
			if err != nil || out.Said != "DONE" {
				t.Errorf("%s under %v: %+v, %v", form, rule, out, err)
			}
			last := m.Log()[len(m.Log())-1]
			pages := bytes.Count(last.Body, []byte("Page Snapshot"))
			if full := len(rule) == 0; full != (pages == 6) {
				t.Errorf("%s under %v: the last call carries %d pages", form, rule, pages)
			}
			for _, c := range m.Log() {
				if len(c.Refused) > 0 {
					t.Errorf("%s under %v: refused %v", form, rule, c.Refused)
				}
			}
		}
	}
}

// What an expiry costs in cache is what was behind it, and no call pays twice:
// the part of each request before the first new expiry is read from the cache.
func TestTheCacheBreaksOnlyWhereSomethingExpires(t *testing.T) {
	for _, rule := range []string{"openclaw", "keep-one"} {
		m := &apitest.Model{Script: script}
		b := start(t, m, relay.Options{Expiry: expiry(t, rule)})
		a := apitest.Agent{Base: b.url, Form: "anthropic", Model: "m", Prompt: "take them over"}
		if _, err := a.Run(context.Background(), &apitest.Page{Rows: 30}); err != nil {
			t.Fatal(err)
		}
		log := m.Log()
		for i, x := range b.ended(t, len(log)) {
			if i == 0 {
				continue
			}
			fresh := false
			for _, c := range x.Cleared {
				fresh = fresh || c.New
			}
			if whole := log[i].Cached == log[i-1].Input; whole == fresh {
				t.Errorf("%s, call %d: %d of the %d tokens before are read from the cache; new expiry: %v", rule, i+1, log[i].Cached, log[i-1].Input, fresh)
			}
		}
	}
}

func TestBytesPassAsTheyCame(t *testing.T) {
	var got []byte
	var header http.Header
	var path string
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		header, path = r.Header.Clone(), r.URL.RequestURI()
		w.Header().Set("X-Odd", "kept")
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("\x00odd\xff answer"))
	})
	for _, withRule := range []bool{false, true} {
		o := relay.Options{}
		if withRule {
			o.Expiry = expiry(t, "openclaw")
		}
		b := start(t, up, o)
		for _, c := range []struct{ method, path, body string }{
			{"POST", "/v1/messages?beta=true", "{ \"messages\" : [ {\"role\":\"user\",\"content\":\"\\u00e9\\/ <\xff\"} ],\"x\":1.0e1 }\n"},
			{"POST", "/v1/messages", "no JSON at all"},
			{"POST", "/v1/chat/completions", `{"messages":7}`},
			{"POST", "/v1/responses", ""},
			{"POST", "/v1/unknown/thing%2Fwith", "\x00\x01"},
			{"GET", "/v1/models", ""},
			{"POST", "/v1/messages/batches", `{"requests":[]}`},
			{"DELETE", "/v1/responses/resp_1", ""},
		} {
			req, err := http.NewRequest(c.method, b.url+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range map[string]string{"Authorization": "Bearer " + key, "Anthropic-Beta": "a,b", "User-Agent": "odd/1", "Accept-Encoding": "zstd"} {
				req.Header.Set(k, v)
			}
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			answer, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if string(got) != c.body || path != c.path {
				t.Errorf("%s %s: %q arrived at %s", c.method, c.path, got, path)
			}
			for k, want := range map[string]string{"Authorization": "Bearer " + key, "Anthropic-Beta": "a,b", "User-Agent": "odd/1", "Accept-Encoding": "zstd", "X-Forwarded-For": "", "Via": ""} {
				if header.Get(k) != want {
					t.Errorf("%s %s: header %s is %q, want %q", c.method, c.path, k, header.Get(k), want)
				}
			}
			if string(answer) != "\x00odd\xff answer" || res.StatusCode != http.StatusTeapot || res.Header.Get("X-Odd") != "kept" || res.Header.Get("Set-Cookie") != "a=b" {
				t.Errorf("%s %s: the answer is %d %q", c.method, c.path, res.StatusCode, answer)
			}
		}
	}
}

// Requests and answers may be packed; what is changed goes unpacked.
func TestPackedBodies(t *testing.T) {
	body := `{"messages":[{"role":"user","content":"go"}` + strings.Repeat(`,{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"browser_snapshot","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"- main [ref=e1]:\n  - button \"Save\" [ref=e2]\n  - button \"No\" [ref=e3]"}`, 2) + `]}`
	var got []byte
	var encoding string
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		encoding = r.Header.Get("Content-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, `{"id":"c1","choices":[{"message":{"content":"ok"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`)
		_ = z.Close()
	})
	for _, rule := range []bool{false, true} {
		o := relay.Options{}
		if rule {
			o.Expiry = expiry(t, "keep-one")
		}
		b := start(t, up, o)
		var packed bytes.Buffer
		z, err := zstd.NewWriter(&packed)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(z, body)
		_ = z.Close()
		sent := bytes.Clone(packed.Bytes())
		req, err := http.NewRequest("POST", b.url+"/v1/chat/completions", &packed)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Encoding", "zstd")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadAll(res.Body)
		_ = res.Body.Close()
		x := b.ended(t, 1)[0]
		if x.Request == nil || len(x.Request.Blocks) == 0 || x.Answer.Usage == nil || x.Answer.Usage.Input != 5 {
			t.Errorf("told %+v", x)
		}
		switch {
		case !rule && (!bytes.Equal(got, sent) || encoding != "zstd"):
			t.Errorf("passing: %d bytes, %q", len(got), encoding)
		case rule && (encoding != "" || !json.Valid(got) || bytes.Count(got, []byte("button")) != 2):
			t.Errorf("under a rule: %q %s", encoding, got)
		}
	}
}

// A client that gives up on a held call and sends it again joins the hold; the
// vendor gets one request.
func TestARetryJoinsTheHold(t *testing.T) {
	var calls atomic.Int32
	holds := proxy.NewHolds()
	holds.SetRules(proxy.Rules{All: true})
	b := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		_, _ = io.WriteString(w, `{"id":"c1","choices":[]}`)
	}), relay.Options{Holds: holds})
	post := func(ctx context.Context) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, "POST", b.url+"/v1/chat/completions", strings.NewReader(`{"messages":[]}`))
		if err != nil {
			t.Fatal(err)
		}
		return http.DefaultClient.Do(req)
	}
	ctx, giveUp := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		_, err := post(ctx)
		gone <- err
	}()
	var h proxy.Hold
	for range 18_000 {
		if l := holds.List(); len(l) == 1 {
			h = l[0]
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	giveUp()
	if err := <-gone; err == nil || h.What != proxy.HeldModel {
		t.Fatalf("held %+v, %v", h, err)
	}
	done := make(chan int, 1)
	go func() {
		res, err := post(context.Background())
		if err != nil {
			done <- 0
			return
		}
		_ = res.Body.Close()
		done <- res.StatusCode
	}()
	time.Sleep(100 * time.Millisecond)
	if l := holds.List(); len(l) != 1 || l[0].ID != h.ID {
		t.Fatalf("the retry did not join: %+v", l)
	}
	if n := calls.Load(); n != 0 {
		t.Fatalf("%d requests went before the hold ended", n)
	}
	if err := holds.Decide(h.ID, proxy.Decision{Do: proxy.Go}); err != nil {
		t.Fatal(err)
	}
	if status := <-done; status != 200 || calls.Load() != 1 {
		t.Errorf("status %d after %d requests to the vendor", status, calls.Load())
	}
}

func TestARuleThatFailsOrDawdles(t *testing.T) {
	m := &apitest.Model{Script: script}
	s, err := registry.Get("openclaw")
	if err != nil {
		t.Fatal(err)
	}
	for what, shows := range map[string]func(string, []byte, string) bool{
		"a fault":          func(string, []byte, string) bool { panic("broken rule") },
		"more than 500 ms": func(string, []byte, string) bool { time.Sleep(time.Second); return true },
	} {
		b := start(t, m, relay.Options{Expiry: api.NewExpiry(api.Rule{Strategy: s, Values: s.Values(nil), Shows: shows})})
		body := `{"messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"x","content":"[ref=e1]"}]}`
		res, err := http.Post(b.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		log := m.Log()
		if got := string(log[len(log)-1].Body); got != body {
			t.Errorf("%s: %s went on", what, got)
		}
		if x := b.ended(t, 1)[0]; !strings.Contains(fmt.Sprint(x.Trouble), what) {
			t.Errorf("%s: told %v", what, x.Trouble)
		}
	}
}

// The recording holds the session as the agent had it, the vendor's count of
// every call, what expired, and none of the keys.
func TestTheRecording(t *testing.T) {
	for _, form := range forms {
		file := filepath.Join(t.TempDir(), "r.jsonl")
		w, err := replay.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		rec := record.New(record.Options{Count: func(s string) int { return len(s) / 4 }, Put: func(e session.Event) {
			if err := w.Append(e); err != nil {
				t.Error(err)
			}
		}})
		m := &apitest.Model{Script: script, Think: true}
		b := start(t, m, relay.Options{Expiry: expiry(t, "openclaw"), Told: rec.Take})
		a := apitest.Agent{Base: b.url, Form: form, Model: "m-1", Stream: true, Prompt: "take them over", Key: key}
		if _, err := a.Run(context.Background(), &apitest.Page{Rows: 30}); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		rec.Close()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := replay.ReadFile(file)
		if err != nil || len(got.Notes) > 0 {
			t.Fatalf("%s: %v, %v", form, err, got.Notes)
		}
		tl := session.NewTimeline(got.Events)
		if len(tl.Steps) != len(script) || len(tl.Snaps) != 6 || tl.Orphans != 0 || tl.Start.Model != "m-1" || tl.Start.Definitions == 0 || tl.Start.System == 0 || tl.Start.Agent != "scripted-agent/1.0" {
			t.Errorf("%s: %d steps, %d snapshots, %d orphans, start %+v", form, len(tl.Steps), len(tl.Snaps), tl.Orphans, tl.Start)
		}
		log := m.Log()
		if len(tl.Calls()) != len(log) {
			t.Fatalf("%s: %d calls are recorded of %d", form, len(tl.Calls()), len(log))
		}
		for i, c := range tl.Calls() {
			u := c.Model.Usage
			if u == nil || u.Input != log[i].Input || u.CacheRead != log[i].Cached || u.Output != log[i].Output {
				t.Errorf("%s, call %d: usage %+v, the model counted %+v", form, i+1, u, log[i])
			}
		}
		expired := 0
		for _, e := range got.Events {
			if e.Expiry != nil {
				expired += len(e.Expiry.IDs)
			}
		}
		if expired != 5 {
			t.Errorf("%s: %d results expired, want 5", form, expired)
		}
		raw, err := json.Marshal(got.Events)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{key, "user_dummy_0815", "session=", "Bearer"} {
			if bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s: the recording holds %q", form, secret)
			}
		}
	}
}
