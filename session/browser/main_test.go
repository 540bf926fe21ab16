package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"snapscope/session"
	"snapscope/snapshot"
)

// One browser and one server for all tests of the package: starting a browser
// costs more than most tests.
var (
	shared *Browser
	site   *httptest.Server
	other  string // the same server under another site's name
)

// ample is how long a test waits for what has to come. It ends a test that hangs; it is
// no measure of how fast anything is.
const ample = 4 * time.Minute

// patience is how tests wait: amply for what has to come, briefly for quiet, which
// some pages never give. What has to fail by waiting fails soon, see soon.
var patience = Options{
	FindMax: time.Minute, WaitMax: time.Minute, ReadyMax: time.Minute, HangMax: time.Minute, StepMax: ample,
	Settle: Settle{
		QuietFor: 40 * time.Millisecond, QuietMax: 600 * time.Millisecond,
		LoadMax: time.Second, RequestsMax: time.Second, NavigateMax: time.Minute,
	},
}

// soon has a browser give up waiting at once for what is not there, while do runs.
func soon(b *Browser, do func()) {
	find, wait := b.opts.FindMax, b.opts.WaitMax
	b.opts.FindMax, b.opts.WaitMax = 350*time.Millisecond, time.Second
	defer func() { b.opts.FindMax, b.opts.WaitMax = find, wait }()
	do()
}

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child()
	}
	site = httptest.NewServer(http.HandlerFunc(serve))
	other = strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
	b, err := Launch(context.Background(), patience)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) // a test that finds no browser has failed
	}
	shared = b
	code := m.Run()
	if err := b.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	site.CloseClientConnections()
	site.Close()
	os.Exit(code)
}

// childEnv makes the test binary a program that launches a browser, says where
// it is, and waits to be ended.
const childEnv = "SNAPSCOPE_BROWSER_TEST_CHILD"

func child() {
	b, err := Launch(context.Background(), Options{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("dir", b.proc.dir, b.proc.cmd.Process.Pid)
	select {}
}

// rig is a tab of its own in a browser.
type rig struct {
	t *testing.T
	b *Browser
}

// open gives a test a new tab of the shared browser and closes what it opened,
// neither as a step: nothing is waited for or captured.
func open(t *testing.T) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), ample)
	defer cancel()
	fresh, err := shared.makeTab(ctx, patience.Settle.NavigateMax)
	if err != nil {
		t.Fatal(err)
	}
	shared.mu.Lock()
	shared.current = fresh
	shared.mu.Unlock()
	shared.link.post(fresh.session, "Page.bringToFront", nil)
	t.Cleanup(func() { closeTabs(t) })
	return &rig{t, shared}
}

// closeTabs closes all tabs of the shared browser but the first.
func closeTabs(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), ample)
	defer cancel()
	shared.mu.Lock()
	shared.armed = nil
	old := slices.Clone(shared.tabs[1:])
	shared.mu.Unlock()
	for {
		for _, o := range old { // again and again: one that just changes its process does not hear it
			shared.link.post("", "Target.closeTarget", proto.TargetCloseTarget{TargetID: o.target})
		}
		shared.mu.Lock()
		left, changed := len(shared.tabs), shared.changed
		shared.notes = nil
		shared.mu.Unlock()
		if left == 1 {
			return
		}
		if err := pause(ctx, changed, time.Second); err != nil {
			t.Errorf("%d tabs do not close: %v", left-1, err)
			return
		}
	}
}

// with gives a test a browser of its own.
func with(t *testing.T, o Options) *rig {
	t.Helper()
	b, err := Launch(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return &rig{t, b}
}

// act makes an action of a verb and its arguments; "ref", "role", "name",
// "css" and "nth" name the target.
func act(v session.Verb, args ...any) session.Action {
	a := session.Action{ID: "a1", Verb: v, Tool: string(v), Args: map[string]any{}}
	for i := 0; i < len(args); i += 2 {
		key := args[i].(string)
		if a.Target == nil && (key == "ref" || key == "role" || key == "css") {
			a.Target = &session.Target{}
		}
		switch key {
		case "ref":
			a.Target.Ref = args[i+1].(string)
		case "role":
			a.Target.Role = args[i+1].(string)
		case "name":
			a.Target.Name = args[i+1].(string)
		case "css":
			a.Target.CSS = args[i+1].(string)
		case "nth":
			a.Target.Nth = args[i+1].(int)
		default:
			a.Args[key] = args[i+1]
		}
	}
	return a
}

func (r *rig) do(a session.Action) *session.Result {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), ample)
	defer cancel()
	res, err := r.b.Do(ctx, a)
	if err != nil {
		r.t.Fatalf("%s: %v", a.Label(), err)
	}
	return res
}

// must is an action that has to work.
func (r *rig) must(a session.Action) *session.Result {
	r.t.Helper()
	res := r.do(a)
	if !res.OK {
		r.t.Fatalf("%s: %s", a.Label(), res.Error)
	}
	return res
}

// fails is an action that has to fail, with all of these in its sentence.
func (r *rig) fails(a session.Action, want ...string) *session.Result {
	r.t.Helper()
	var res *session.Result
	soon(r.b, func() { res = r.do(a) })
	if res.OK {
		r.t.Fatalf("%s worked; it should fail with %q", a.Label(), want)
	}
	for _, w := range want {
		if !strings.Contains(res.Error, w) {
			r.t.Errorf("%s: error %q does not say %q", a.Label(), res.Error, w)
		}
	}
	return res
}

func (r *rig) goTo(page string) *session.Result {
	r.t.Helper()
	return r.must(act(session.VerbGoto, "url", site.URL+page))
}

// html opens a page made of a body.
func (r *rig) html(body string) *session.Result {
	r.t.Helper()
	return r.goTo(page(body))
}

// js evaluates in the page.
func (r *rig) js(code string) string {
	r.t.Helper()
	return r.must(act(session.VerbEvaluate, "js", code)).Text
}

// refOf finds the ref of the line that holds all words.
func refOf(t *testing.T, res *session.Result, words ...string) string {
	t.Helper()
	if res.Snapshot == nil {
		t.Fatalf("no snapshot: %s %s", res.Error, res.Waited)
	}
	for _, line := range strings.Split(res.Snapshot.Text, "\n") {
		ok := true
		for _, w := range words {
			ok = ok && strings.Contains(line, w)
		}
		if i := strings.Index(line, "[ref="); ok && i >= 0 {
			line = line[i+5:]
			return line[:strings.IndexByte(line, ']')]
		}
	}
	t.Fatalf("no line with %q in\n%s", words, res.Snapshot.Text)
	return ""
}

func has(t *testing.T, res *session.Result, lines ...string) {
	t.Helper()
	if res.Snapshot == nil {
		t.Fatalf("no snapshot: %s %s", res.Error, res.Waited)
	}
	for _, l := range lines {
		if !strings.Contains(res.Snapshot.Text, l) {
			t.Errorf("the snapshot lacks %q:\n%s", l, res.Snapshot.Text)
		}
	}
}

// shows reports whether a result's snapshot has all the texts.
func shows(res *session.Result, texts ...string) bool {
	for _, l := range texts {
		if res.Snapshot == nil || !strings.Contains(res.Snapshot.Text, l) {
			return false
		}
	}
	return true
}

func lacks(t *testing.T, res *session.Result, lines ...string) {
	t.Helper()
	if res.Snapshot == nil {
		t.Fatalf("no snapshot: %s %s", res.Error, res.Waited)
	}
	for _, l := range lines {
		if strings.Contains(res.Snapshot.Text, l) {
			t.Errorf("the snapshot should not hold %q:\n%s", l, res.Snapshot.Text)
		}
	}
}

func someEvent(t *testing.T, res *session.Result, words ...string) {
	t.Helper()
	for _, e := range res.Events {
		ok := true
		for _, w := range words {
			ok = ok && strings.Contains(e, w)
		}
		if ok {
			return
		}
	}
	t.Errorf("no event says %q: %q", words, res.Events)
}

func snap(text string) *snapshot.Snapshot { return &snapshot.Snapshot{Text: text} }

func targetInfo(id string) *proto.TargetTargetInfo {
	return &proto.TargetTargetInfo{TargetID: proto.TargetTargetID(id), Type: proto.TargetTargetInfoTypePage}
}
