package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/session"
	"snapscope/session/policy"
)

// texts are the recorded results' texts by the tool that was called.
func (s *sink) texts() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	tools, out := map[string]string{}, map[string]string{}
	for _, e := range s.events {
		switch e.Kind {
		case session.KindAction:
			tools[e.Action.ID] = e.Action.Tool
		case session.KindResult:
			out[tools[e.Result.Action]] = e.Result.Text + e.Result.Error
		}
	}
	return out
}

func textAnswer(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":` + string(proxy.Quote(text)) + `}]}}`
}

// Ids that a float64 cannot tell apart are two, and so are a number and its text.
func TestIDsAsTheyStand(t *testing.T) {
	t.Parallel()
	s := &sink{}
	p := New(Options{Sink: s})
	l := p.Link(t.Context())
	ids := []string{"9007199254740992", "9007199254740993", `"9007199254740993"`, "1", `"1"`, `"\u0031x"`, "-5", "1e2"}
	for i, id := range ids {
		l.FromClient([]byte(callLine(id, "tool"+strconv.Itoa(i), "{}") + "\n"))
	}
	back := append([]string(nil), ids...)
	back[3], back[5], back[7] = "1.0", `"1x"`, "100" // as another JSON library writes them
	for i := len(back) - 1; i >= 0; i-- {
		l.FromServer([]byte(textAnswer(back[i], "of "+strconv.Itoa(i)) + "\n"))
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	got := s.texts()
	for i, id := range ids {
		if want := "of " + strconv.Itoa(i); got["tool"+strconv.Itoa(i)] != want {
			t.Errorf("id %s: the answer is %q, want %q", id, got["tool"+strconv.Itoa(i)], want)
		}
	}
}

// slowServer answers each call when the test says so, with what the test says.
type slowServer struct {
	*httptest.Server
	calls chan slowCall
}

type slowCall struct {
	tool, id string
	answer   chan string
}

func newSlowServer(t *testing.T) *slowServer {
	s := &slowServer{calls: make(chan slowCall, 16)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		m := head(b)
		if m.kind != request {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		c := slowCall{proxy.TextAt(b, "params", "name"), string(m.id.Of(b)), make(chan string)}
		s.calls <- c
		select {
		case text := <-c.answer:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, textAnswer(c.id, text))
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func behind(t *testing.T, up string, o Options) (p *Proxy, url string, s *sink) {
	t.Helper()
	s = &sink{}
	o.Sink = s
	p = New(o)
	p.beat = 5 * time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	w, err := p.NewWeb(ctx, up)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(w)
	t.Cleanup(func() { cancel(); srv.Close(); _ = p.Close() })
	return p, srv.URL + "/mcp", s
}

// aClient has connections of its own.
func aClient(t *testing.T, url string) func(body string) string {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	c := &http.Client{Transport: tr}
	return func(body string) string {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			return err.Error()
		}
		r.Header.Set("Accept", "application/json, text/event-stream")
		res, err := c.Do(r)
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
}

// Two clients without sessions may both call with the id 1: each answer is for the
// request that it answers, and a page that one has read is no base for the other.
func TestTwoClientsWithoutASession(t *testing.T) {
	t.Parallel()
	delta, err := policy.Find("delta", nil)
	if err != nil {
		t.Fatal(err)
	}
	up := newSlowServer(t)
	p, url, s := behind(t, up.URL, Options{Policy: &delta})
	clients := []func(string) string{aClient(t, url), aClient(t, url)}
	page := func(rows int) string { return inPage(table(rows, 0)) }
	got := [2]chan string{make(chan string, 1), make(chan string, 1)}
	open := map[string]slowCall{}
	for i := range clients {
		go func() { got[i] <- clients[i](callLine("1", "browser_click", `{"ref":"e`+strconv.Itoa(i)+`"}`)) }()
		c := <-up.calls
		open[strconv.Itoa(i)] = c
	}
	open["1"].answer <- page(61)
	second := <-got[1]
	open["0"].answer <- page(60)
	first := <-got[0]
	for i, x := range []string{first, second} {
		if want := textAnswer("1", page(60+i)); x != want {
			t.Errorf("client %d, its first page: %d bytes, want it whole: %d", i, len(x), len(want))
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	acted := map[string]string{}
	for _, e := range s.events {
		switch {
		case e.Kind == session.KindAction:
			acted[e.Action.ID] = fmt.Sprint(e.Action.Args["ref"])
		case e.Kind == session.KindResult && e.Result.Snapshot != nil:
			rows := strings.Count(e.Result.Snapshot.Text, "\n")
			if want := strings.Count(table(60, 0), "\n"); (rows > want) != (acted[e.Result.Action] == "e1") {
				t.Errorf("the call on %s got a page of %d lines", acted[e.Result.Action], rows)
			}
		}
	}
	if len(acted) != 2 {
		t.Errorf("%d calls are recorded", len(acted))
	}
}

// A client without a session gives up a held call on another connection: the server
// never has it. Where two clients wait with this id, nobody's call is dropped.
func TestGivingUpWithoutASession(t *testing.T) {
	t.Parallel()
	up := newSlowServer(t)
	p, url, _ := behind(t, up.URL, Options{})
	p.Holds().SetRules(proxy.Rules{All: true})
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	ended := make(chan string, 2)
	go func() { ended <- aClient(t, url)(callLine("7", "a", "{}")) }()
	until(t, func() bool { return len(p.Holds().List()) == 1 })
	go func() { ended <- aClient(t, url)(callLine("7", "b", "{}")) }()
	until(t, func() bool { return len(p.Holds().List()) == 2 })
	aClient(t, url)(cancel)
	if n := len(p.Holds().List()); n != 2 {
		t.Fatalf("%d calls are held: one was dropped although nobody knows whose it was", n)
	}
	if err := p.Holds().Decide(p.Holds().List()[1].ID, proxy.Decision{Do: proxy.Go, Then: proxy.ThenStep}); err != nil {
		t.Fatal(err)
	}
	(<-up.calls).answer <- "b"
	if got := <-ended; !strings.Contains(got, `"text":"b"`) {
		t.Errorf("b: %s", got)
	}
	aClient(t, url)(cancel)
	until(t, func() bool { return len(p.Holds().List()) == 0 })
	<-ended
	select {
	case c := <-up.calls:
		t.Errorf("the server got %s, which its client gave up", c.tool)
	default:
	}
}

func until(t *testing.T, is func() bool) {
	t.Helper()
	for range 60_000 {
		if is() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("it did not happen within a minute")
}

// A held result keeps no other event waiting, and the client hears meanwhile that
// the call is alive: by its progress where it asked for that, else by a comment.
func TestAHeldResultOnAStream(t *testing.T) {
	t.Parallel()
	for name, meta := range map[string]string{"with a token": `,"_meta":{"progressToken":"p"}`, "without": ""} {
		later := make(chan struct{})
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":3}}`+"\n\n")
			_, _ = io.WriteString(w, "id: 1\ndata: "+textAnswer("1", "held")+"\n\n")
			w.(http.Flusher).Flush()
			<-later
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/message"}`+"\n\n")
		}))
		t.Cleanup(up.Close)
		p, url, _ := behind(t, up.URL, Options{})
		p.Holds().SetRules(proxy.Rules{Results: true})
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}`+meta+`}}`))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(res.Body)
		want := func(what string) string {
			t.Helper()
			for {
				line, err := in.ReadString('\n')
				if err != nil {
					t.Fatalf("%s: the stream ended before %q: %v", name, what, err)
				}
				if strings.Contains(line, what) {
					return line
				}
				if strings.Contains(line, `"result"`) {
					t.Fatalf("%s: the result came before %q", name, what)
				}
			}
		}
		want(`"progress":3}`)
		beat := want("held in the debugger")
		if meta != "" {
			at, _ := proxy.Find([]byte(strings.TrimPrefix(beat, "data: ")), "params", "progress")
			if f, err := strconv.ParseFloat(string(at.Of([]byte(strings.TrimPrefix(beat, "data: ")))), 64); err != nil || f <= 3 || f > 3.1 {
				t.Errorf("%s: progress %v %v after the server's 3", name, f, err)
			}
		} else if !strings.HasPrefix(beat, ": ") {
			t.Errorf("%s: %q is no comment", name, beat)
		}
		close(later)
		want("notifications/message")
		if err := p.Holds().Decide(p.Holds().List()[0].ID, proxy.Decision{Do: proxy.Go}); err != nil {
			t.Fatal(err)
		}
		if got := want(`"result"`); got != "data: "+textAnswer("1", "held")+"\n" {
			t.Errorf("%s: %s", name, got)
		}
		rest, err := io.ReadAll(in)
		if err != nil || strings.Contains(string(rest), "debugger") {
			t.Errorf("%s: after the result came %q, %v", name, rest, err)
		}
		_ = res.Body.Close()
	}
}

// A call that is held before the server has it becomes a stream of events, whatever
// the server answers then.
func TestAHeldCallOverHTTPSaysThatItIsAlive(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status             int
		kind, answer, want string
	}{
		"one message":   {200, "application/json", textAnswer("1", "x"), textAnswer("1", "x")},
		"events":        {200, "text/event-stream", "data: " + textAnswer("1", "y") + "\n\n", textAnswer("1", "y")},
		"error of HTTP": {404, "text/plain", "no such session", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server answered with HTTP status 404: no such session"}}`},
		"error of MCP":  {400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"z"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"z"}}`},
	} {
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.answer)
		}))
		t.Cleanup(up.Close)
		p, url, _ := behind(t, up.URL, Options{})
		p.Holds().SetRules(proxy.Rules{All: true})
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(callLine("1", "a", "{}")))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "application/json, text/event-stream")
		res, err := http.DefaultClient.Do(r) // comes back with the first beat
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Holds().Decide(p.Holds().List()[0].ID, proxy.Decision{Do: proxy.Go}); err != nil {
			t.Fatal(err)
		}
		var data []string
		for in := bufio.NewScanner(res.Body); in.Scan(); {
			if d, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				data = append(data, d)
			}
		}
		_ = res.Body.Close()
		if len(data) != 1 || data[0] != c.want {
			t.Errorf("%s: %q, want %q", name, data, c.want)
		}
	}
}

// Whatever is changed in an answer, it stays whole: its length is not the old one,
// and its lines are an event's.
func TestAChangedAnswerStaysWhole(t *testing.T) {
	t.Parallel()
	fold, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	page := textAnswer("1", inPage(table(40, 0)))
	tools := `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`
	twoLines := "data: {\"jsonrpc\":\"2.0\",\"id\":1,\ndata: \"result\":{\"tools\":[{\"name\":\"a\"}]}}\n\n"
	for name, c := range map[string]struct {
		o                    Options
		method, kind, answer string
		want                 string
	}{
		"a page, events":         {Options{Policy: &fold}, "tools/call", "text/event-stream", "id: 1\nevent: message\ndata: " + page + "\n\n", "e390"},
		"a page, one":            {Options{Policy: &fold}, "tools/call", "application/json", page, "e390"},
		"lift, events":           {Options{Lift: 500000}, "tools/list", "text/event-stream", "data: " + tools + "\r\n\r\n", "500000"},
		"lift, one":              {Options{Lift: 500000}, "tools/list", "application/json", tools, "500000"},
		"lift, two data lines":   {Options{Lift: 500000}, "tools/list", "text/event-stream", twoLines, "500000"},
		"lift, several messages": {Options{Lift: 500000}, "tools/list", "text/event-stream", ": hi\n\ndata: " + tools + "\n\nevent: x\ndata: {}\n\n", "500000"},
	} {
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.Header().Set("Content-Length", strconv.Itoa(len(c.answer)))
			_, _ = io.WriteString(w, c.answer)
		}))
		t.Cleanup(up.Close)
		_, url, _ := behind(t, up.URL, c.o)
		got := aClient(t, url)(`{"jsonrpc":"2.0","id":1,"method":"` + c.method + `","params":{"name":"browser_snapshot"}}`)
		if len(got) == len(c.answer) {
			t.Errorf("%s: nothing was changed", name)
		}
		msg := got
		if c.kind == "text/event-stream" {
			if !strings.HasSuffix(strings.ReplaceAll(got, "\r", ""), "\n\n") {
				t.Errorf("%s: the last event has no end: %q", name, got)
			}
			msg = ""
			for line := range strings.Lines(got) {
				if d, ok := strings.CutPrefix(line, "data: "); ok && d != "{}\n" {
					msg += d
				}
			}
		}
		if !json.Valid([]byte(msg)) || !strings.Contains(msg, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
