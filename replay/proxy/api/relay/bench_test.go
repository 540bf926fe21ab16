package relay_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"snapscope/replay/proxy/api/apitest"
	"snapscope/replay/proxy/api/record"
	"snapscope/replay/proxy/api/relay"
	"snapscope/session"
)

// history is a Messages request with so many pages of so many rows; the last is
// of the call n, so that each call brings a new page.
func history(pages, rows, n int) []byte {
	var b strings.Builder
	b.WriteString(`{"model":"m","stream":true,"tools":[{"name":"browser_click"}],"messages":[{"role":"user","content":"go"}`)
	p := apitest.Page{Rows: rows}
	for i := range pages {
		if i == pages-1 {
			i = n + pages
		}
		text, _, _ := p.Call("", "browser_navigate", []byte(fmt.Sprintf(`{"url":"http://127.0.0.1/%d"}`, i)))
		fmt.Fprintf(&b, `,{"role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"browser_click","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":%q}]}`, i, i, text)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

var vendor = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":5}}}\n\n")
	_ = http.NewResponseController(w).Flush()
	_, _ = io.WriteString(w, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
})

// BenchmarkFirstByte is the time from sending 300 KB to the first byte of the
// answer, through a bare reverse proxy and through the seat.
func BenchmarkFirstByte(b *testing.B) {
	up := httptest.NewServer(vendor)
	defer up.Close()
	to, err := url.Parse(up.URL)
	if err != nil {
		b.Fatal(err)
	}
	discard := func(relay.Exchange) {}
	for _, c := range []struct {
		name string
		make func() http.Handler
	}{
		{"bare", func() http.Handler {
			return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1}
		}},
		{"passing", func() http.Handler { return relay.New(relay.Options{To: to, Told: discard}) }},
		{"openclaw", func() http.Handler {
			return relay.New(relay.Options{To: to, Told: discard, Expiry: expiry(b, "openclaw")})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			srv := httptest.NewServer(c.make())
			defer srv.Close()
			var bodies [][]byte
			for n := range 20 {
				bodies = append(bodies, history(4, 420, n))
			}
			b.SetBytes(int64(len(bodies[0])))
			first := make([]byte, 1)
			n := 0
			for b.Loop() {
				res, err := http.Post(srv.URL+"/v1/messages", "application/json", bytes.NewReader(bodies[n%len(bodies)]))
				n++
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(res.Body, first); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				b.StartTimer()
			}
		})
	}
}

// A seat that runs for days must not grow by what passes: of a call a few ids and
// hashes are kept, about 1 KB.
func TestMemoryStaysFlat(t *testing.T) {
	rec := record.New(record.Options{Put: func(session.Event) {}})
	b := start(t, vendor, relay.Options{Expiry: expiry(t, "openclaw"), Told: rec.Take})
	call := func(n int) {
		res, err := http.Post(b.url+"/v1/messages", "application/json", bytes.NewReader(history(3, 12, n)))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	heap := func(calls int) uint64 {
		b.ended(t, calls)
		b.mu.Lock()
		for i := range b.told { // the test's own copies
			b.told[i] = relay.Exchange{}
		}
		b.mu.Unlock()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for n := range 200 {
		call(n)
	}
	early := heap(200)
	for n := 200; n < 1000; n++ {
		call(n)
	}
	late := heap(1000)
	if late > early+2<<20 {
		t.Errorf("%d KB are kept after 200 calls, %d KB after 1,000", early>>10, late>>10)
	}
	t.Logf("%d KB after 200 calls, %d KB after 1,000", early>>10, late>>10)
}
