package demo_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"snapscope/session/demo"
)

func TestAnswersThatAreNoPages(t *testing.T) {
	tests := []struct {
		target string
		status int
		header string // "Name: value" that must be there
		body   string // must be in it
	}{
		{"/slow?ms=5", 200, "", "Slow answers"},
		{"/slow?ms=0", 200, "", "Slow answers"},
		{"/slow?ms=60001", 400, "", "ms is 0 to 60000"},
		{"/slow?ms=-1", 400, "", "ms is 0 to 60000"},
		{"/slow?ms=soon", 400, "", `not "soon"`},
		{"/asset?ms=1", 200, "Content-Type: image/svg+xml", "<svg"},
		{"/redirect", 302, "Location: /leads", ""},
		{"/download/leads.csv", 200, `Content-Disposition: attachment; filename="leads.csv"`, "Melonie Parker"},
		{"/status/503", 503, "", "Service Unavailable"},
		{"/status/200", 400, "", "400 to 599"},
		{"/status/x", 400, "", "400 to 599"},
		{"/no-such-page", 404, "Content-Type: text/html; charset=utf-8", "Nothing here"},
		{"/site.css", 200, "Content-Type: text/css; charset=utf-8", ":root"},
		{"/site.js", 200, "Content-Type: text/javascript; charset=utf-8", "toast"},
		{"/img/home-1.svg", 200, "Content-Type: image/svg+xml", "<svg"},
		{"/leads.html", 200, "", "<title>Leads"},
		{"/leads/", 200, "", "<title>Leads"},
		{"/demo.go", 404, "", "Nothing here"},
		{"/../demo.go", 307, "Location: /demo.go", ""},
		{"/img/..%2f..%2fdemo.go", 404, "", "Nothing here"},
		{"/img", 404, "", "Nothing here"},
	}
	for _, tt := range tests {
		res, body := get(t, tt.target)
		if res.StatusCode != tt.status || !strings.Contains(body, tt.body) {
			t.Errorf("%s: %s, want %d with %q in\n%.200s", tt.target, res.Status, tt.status, tt.body, body)
		}
		if name, value, ok := strings.Cut(tt.header, ": "); ok && res.Header.Get(name) != value {
			t.Errorf("%s: %s is %q, want %q", tt.target, name, res.Header.Get(name), value)
		}
	}
}

func TestOnlyReading(t *testing.T) {
	w := httptest.NewRecorder()
	demo.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/leads", nil))
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

func TestHangEndsWithItsClient(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, target := range []string{"/hang", "/slow?ms=60000"} {
		w := httptest.NewRecorder()
		demo.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil).WithContext(ctx))
		if w.Body.Len() != 0 {
			t.Errorf("%s answered %q", target, w.Body)
		}
	}
}

func TestServe(t *testing.T) {
	base, stop, err := demo.Serve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if !strings.HasPrefix(base, "http://127.0.0.1:") {
		t.Errorf("serves on %s", base)
	}
	res, err := http.Get(base + "/leads")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Error(res.Status)
	}

	hung := make(chan error)
	go func() {
		res, err := http.Get(base + "/hang")
		if err == nil {
			_ = res.Body.Close()
			err = errors.New("a page that hangs answered")
		} else {
			err = nil
		}
		hung <- err
	}()
	stop()
	stop()
	if err := <-hung; err != nil {
		t.Error(err)
	}
	if res, err := http.Get(base + "/leads"); err == nil {
		_ = res.Body.Close()
		t.Error("it still serves after stop")
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	base, stop, err := demo.Serve(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	hung := make(chan bool)
	go func() {
		res, err := http.Get(base + "/hang")
		if err == nil {
			_ = res.Body.Close()
		}
		hung <- err != nil
	}()
	cancel()
	if !<-hung {
		t.Error("a page that hangs answered")
	}

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := demo.Serve(ended); err == nil {
		t.Error("serving with an ended context gives no error")
	}
}

// A name that a page of another site made lead here gets nothing.
func TestAnswersToThisMachineOnly(t *testing.T) {
	base, stop, err := demo.Serve(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	port := base[strings.LastIndex(base, ":"):]
	for host, want := range map[string]int{
		"127.0.0.1" + port: 200, "localhost" + port: 200, "LOCALHOST." + port: 200, "a.localhost": 200, "[::1]" + port: 200, "127.8.9.1": 200,
		"evil.example" + port: 421, "evil.example": 421, "127.0.0.1.evil.example": 421, "localhost.evil.example" + port: 421, "192.168.0.1" + port: 421, "notlocalhost": 421,
	} {
		req, err := http.NewRequest(http.MethodGet, base+"/leads", nil)
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
			t.Errorf("Host %s: %s, want %d", host, res.Status, want)
		}
	}
}
