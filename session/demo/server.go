package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// MaxDelay is the longest that /slow?ms= waits before it answers.
const MaxDelay = 60 * time.Second

// Handler serves the site: clean URLs ("/leads" for leads.html), assets by
// name, and the answers that a file cannot give:
//
//	/slow?ms=800           the slow page, after that many milliseconds (0 to 60,000)
//	/asset?ms=800          a small picture that comes late (in /stall it never comes)
//	/hang                  never answers; ends when the client goes or the server stops
//	/download/leads.csv    an attachment
//	/redirect              302 to /leads
//	/status/503            an error page with that status (400 to 599)
//
// Nothing may be cached, so that a reload is one.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", servePage)
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		if delay(w, r) {
			servePage(w, r)
		}
	})
	mux.HandleFunc("/asset", func(w http.ResponseWriter, r *http.Request) {
		if delay(w, r) {
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40" rx="8" fill="#7f8cff"/></svg>`)
		}
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/leads", http.StatusFound)
	})
	mux.HandleFunc("/download/leads.csv", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="leads.csv"`)
		fmt.Fprint(w, "name,title,company\nMelonie Parker,Vice President,Google\nThomas Kurian,CEO,Google Cloud\n")
	})
	mux.HandleFunc("/status/", serveStatus)
	return mux
}

// delay waits as the query says and reports whether to answer.
func delay(w http.ResponseWriter, r *http.Request) bool {
	text := r.URL.Query().Get("ms")
	if text == "" {
		return true
	}
	ms, err := strconv.Atoi(text)
	if err != nil || ms < 0 || ms > int(MaxDelay/time.Millisecond) {
		http.Error(w, fmt.Sprintf("ms is 0 to %d, not %q", MaxDelay/time.Millisecond, text), http.StatusBadRequest)
		return false
	}
	t := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// servePage answers a file of the site, or its 404 page.
func servePage(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the demo site is only read", http.StatusMethodNotAllowed)
		return
	}
	name, status := fileOf(r.URL.Path), http.StatusOK
	b, err := fs.ReadFile(Site(), name)
	if err != nil {
		name, status = "404.html", http.StatusNotFound
		if b, err = fs.ReadFile(Site(), name); err != nil {
			http.NotFound(w, r)
			return
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", typeOf(name))
	if status == http.StatusOK {
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(b))
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client's going away is its own affair
}

// fileOf is the file that a URL path stands for; a name without a dot is a page.
func fileOf(urlPath string) string {
	name := strings.Trim(path.Clean("/"+urlPath), "/")
	switch {
	case name == "":
		return "index.html"
	case !strings.Contains(path.Base(name), "."):
		return name + ".html"
	}
	return name
}

// typeOf names the types the site uses itself, because the system's own table
// differs from machine to machine.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

func serveStatus(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/status/"))
	if err != nil || code < 400 || code > 599 {
		http.Error(w, "a status is 400 to 599", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintf(w, "<!doctype html><html lang=en><title>%[1]d %[2]s</title><h1>%[1]d %[2]s</h1><p>The demo site was asked for this.</p>", code, http.StatusText(code))
}

// localOnly answers requests to this machine's own names alone. A page of another
// site whose name was made to lead here (DNS rebinding) is refused: the status is
// 421 Misdirected Request (RFC 9110, section 15.5.20).
func localOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !localName(r.Host) {
			http.Error(w, "the demo site answers to the names of this machine only", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// localName reports whether a Host names this machine whatever any name server
// says (RFC 6761, section 6.3).
func localName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// Serve serves the site on a free port of 127.0.0.1 until stop is called or ctx
// ends. stop waits for nothing: requests still hanging are cut off. It may be
// called more than once.
func Serve(ctx context.Context) (baseURL string, stop func(), err error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err == nil && ctx.Err() != nil {
		err = errors.Join(ctx.Err(), ln.Close())
	}
	if err != nil {
		return "", nil, fmt.Errorf("serving the demo site: %w", err)
	}
	srv := &http.Server{Handler: localOnly(Handler()), ReadHeaderTimeout: 10 * time.Second}
	var once sync.Once
	done := make(chan struct{})
	stop = func() {
		once.Do(func() {
			close(done)
			_ = srv.Close() // closing a listener and connections that are ours; nothing to report
		})
	}
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			stop()
		}
	}()
	go func() {
		select {
		case <-ctx.Done():
			stop()
		case <-done:
		}
	}()
	return "http://" + ln.Addr().String(), stop, nil
}
