package browser

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"snapscope/session"
)

// TestWatchNoticesAHand holds that a mouse in the browser's own window is noticed
// between two steps, and the page's own changes are not; and that a session joins
// the page that is open. The hand is input that no step makes.
func TestWatchNoticesAHand(t *testing.T) {
	address, p := running(t)
	to := site.URL + page(`<button style="position:fixed;left:0;top:0;width:200px;height:99px" onclick="this.textContent = 'hit'">go</button><p id=p></p><script>setInterval(() => { p.textContent = Date.now() }, 20)</script>`)
	put, err := http.NewRequest(http.MethodPut, "http://"+address+"/json/new?"+url.QueryEscape(to), nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(put)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	o := patience
	o.Join = true
	b, err := Attach(context.Background(), Endpoint{Address: address}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r := &rig{t, b}
	has(t, r.must(act(session.VerbWait, "text", "go")), `button "go"`)
	tabs, err := b.Tabs(context.Background())
	current := 0
	for _, tab := range tabs {
		if tab.Current {
			current++
		}
	}
	if err != nil || current != 1 {
		t.Fatalf("the tabs are %+v, %v", tabs, err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	if err := b.Watch(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("what the page does by itself counts as a hand: %v", err)
	}
	cancel()
	watch := func(do func()) error {
		ctx, cancel := context.WithTimeout(context.Background(), ample)
		defer cancel()
		noticed := make(chan error, 1)
		go func() { noticed <- b.Watch(ctx) }()
		time.Sleep(200 * time.Millisecond) // the listeners are on their way
		do()
		return <-noticed
	}
	call := func(method string, params any) {
		t.Helper()
		if _, err := b.link.call(context.Background(), b.current.session, method, params); err != nil {
			t.Fatal(err)
		}
	}
	if err := watch(func() {
		for _, kind := range []proto.InputDispatchMouseEventType{proto.InputDispatchMouseEventTypeMousePressed, proto.InputDispatchMouseEventTypeMouseReleased} {
			call("Input.dispatchMouseEvent", proto.InputDispatchMouseEvent{Type: kind, X: 50, Y: 50, Button: proto.InputMouseButtonLeft, ClickCount: 1})
		}
	}); err != nil {
		t.Errorf("a click was not noticed: %v", err)
	}
	has(t, r.must(act(session.VerbSnapshot)), `button "hit"`)
	if err := watch(func() { call("Page.navigate", proto.PageNavigate{URL: site.URL + "/one"}) }); err != nil {
		t.Errorf("another page was not noticed: %v", err)
	}
	has(t, r.must(act(session.VerbSnapshot)), `button "one"`)
	if err := watch(p.kill); !errors.Is(err, ErrGone) {
		t.Errorf("the browser's end is told as %v", err)
	}
}

// running starts a browser with a debugging port, as an agent's own would be.
func running(t *testing.T) (address string, p *process) {
	t.Helper()
	path, err := Find("")
	if err != nil {
		t.Fatal(err)
	}
	p, w, err := start(path, append(Options{}.filled(true).switches(), "--remote-debugging-port=0", "about:blank"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.Close() // the browser ends below in any case
		if err := p.end(nil); err != nil {
			t.Error(err)
		}
	})
	for end := time.Now().Add(ample); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		data, err := os.ReadFile(filepath.Join(p.dir, "p", "DevToolsActivePort"))
		if port, _, ok := strings.Cut(string(data), "\n"); err == nil && ok {
			if _, err := strconv.Atoi(port); err == nil {
				return "127.0.0.1:" + port, p
			}
		}
	}
	t.Fatal("the browser opened no port")
	return "", nil
}
