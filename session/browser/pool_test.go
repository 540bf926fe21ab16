//go:build unix

package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"snapscope/session"
)

const cookies = `<button onclick="document.cookie='who=' + (document.cookie ? 'both' : 'one'); this.textContent = document.cookie">set</button><p id=c></p><script>c.textContent = 'has ' + document.cookie</script>`

// Two sessions in one browser have contexts of their own: no cookie crosses, a
// pop-up stays in its session, and the end of one leaves the other.
func TestSessionsApart(t *testing.T) {
	address, p := running(t)
	o := patience
	o.Apart = true
	var rigs []*rig
	for range 2 {
		b, err := Attach(context.Background(), Endpoint{Address: address}, o)
		if err != nil {
			t.Fatal(err)
		}
		rigs = append(rigs, &rig{t, b})
		if b.Where() != "http://"+address {
			t.Errorf("it says to be at %s", b.Where())
		}
	}
	for _, r := range rigs {
		res := r.html(cookies + `<a href="/two" target=_blank>pop</a>`)
		has(t, r.must(act(session.VerbClick, "ref", refOf(t, res, `button "set"`))), `button "who=one"`)
		someEvent(t, r.must(act(session.VerbClick, "role", "link")), "opened: "+site.URL+"/two")
		r.b.mu.Lock()
		if n := len(r.b.tabs); n != 2 {
			t.Errorf("the session has %d tabs", n)
		}
		r.b.mu.Unlock()
	}
	if err := rigs[0].b.Close(); err != nil {
		t.Fatal(err)
	}
	has(t, rigs[1].must(act(session.VerbReload)), "has who=one")
	if err := rigs[1].b.Close(); err != nil || p.waitExit(0) {
		t.Fatal(err, "or the browser has ended")
	}
	plain, err := Attach(context.Background(), Endpoint{Address: address}, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = plain.Close() }()
	plain.mu.Lock()
	left := len(plain.tabs)
	plain.mu.Unlock()
	if left > 2 { // its own, and the one that the browser began with
		t.Errorf("%d tabs are left", left)
	}
}

// A header, or the name and password of the address, opens an endpoint; neither
// stands in what is said of it.
func TestEndpointWithAKey(t *testing.T) {
	address, _ := running(t)
	to, err := url.Parse("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	var seen []string
	guard := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	defer guard.Close()
	host := strings.TrimPrefix(guard.URL, "http://")
	for _, e := range []Endpoint{
		{Address: guard.URL + "?token=geheim", Header: http.Header{"Authorization": {"Bearer geheim"}}},
		{Address: "http://ana:geheim@" + host},
	} {
		b, err := Attach(context.Background(), e, patience)
		if err != nil {
			t.Fatal(err)
		}
		if b.Where() != guard.URL {
			t.Errorf("it says to be at %s", b.Where())
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(seen) < 4 || strings.Contains(strings.Join(seen, " "), "  ") {
		t.Errorf("sent: %q", seen)
	}
	_, err = Attach(context.Background(), Endpoint{Address: guard.URL + "/geheim?token=geheim"}, patience)
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "geheim") {
		t.Errorf("without a key: %v", err)
	}
	for _, bad := range []string{"http://ana:geheim@127.0.0.1:1/x?geheim", "ws://ana:geheim@127.0.0.1:1/geheim", "ftp://geheim@x/geheim", "http://geheim geheim", "ws://%zz:geheim@"} {
		if _, err := Attach(context.Background(), Endpoint{Address: bad}, patience); err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A pool goes around, leaves out what is gone, and says of each what is wrong
// when none is left.
func TestPool(t *testing.T) {
	address, p := running(t)
	pool := NewPool(Endpoint{Address: "ws://x:geheim@127.0.0.1:47/geheim"}, Endpoint{Address: address})
	var said []string
	b, err := pool.Attach(context.Background(), patience, func(err error) { said = append(said, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	if b.Where() != "http://"+address || len(said) != 1 || pool.Left() != 1 {
		t.Errorf("at %s, said %q, %d left", b.Where(), said, pool.Left())
	}
	p.kill()
	_, derr := b.Do(context.Background(), act(session.VerbSnapshot))
	if derr == nil {
		t.Fatal("a step in a browser that is gone")
	}
	pool.Lost(b, derr)
	if _, err = pool.Attach(context.Background(), patience, nil); err == nil || !strings.Contains(err.Error(), "ws://127.0.0.1:47: ") || !strings.Contains(err.Error(), "http://"+address+": ") || strings.Contains(err.Error(), "geheim") {
		t.Errorf("%v", err)
	}
	_ = b.Close() // of a browser that is gone
}
