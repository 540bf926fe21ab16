//go:build unix

package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"snapscope/session"
)

func TestAddressesThatGoNowhere(t *testing.T) {
	r := open(t)
	r.goTo("/one")
	r.fails(act(session.VerbGoto, "url", "http://no-such-host.invalid/"), "does not resolve")
	res := r.fails(act(session.VerbGoto, "url", "http://127.0.0.1:1/"), "browsers refuse this port")
	if res.Snapshot == nil {
		t.Error("no snapshot of the error page")
	}
	r.fails(act(session.VerbGoto, "url", "http://127.0.0.1:47/"), "connection was refused")
	r.fails(act(session.VerbGoto, "url", "http://"), "names no host")
	r.fails(act(session.VerbGoto, "url", "/no/such/file.html"), "no file")
	r.fails(act(session.VerbGoto, "url", "nonsense://x"), "cannot be opened")
	r.goTo("/one")
	has(t, r.fails(act(session.VerbGoto, "url", site.URL+"/nothing"), "nothing to show"), `button "one"`)
	if res := r.goTo("/broken"); res.Text != "HTTP 500 Internal Server Error" {
		t.Errorf("text %q", res.Text)
	}
	r.must(act(session.VerbGoto, "url", "/two")) // on the same site
	has(t, r.goTo("/redirect"), `button "one"`)
	has(t, r.goTo("/clientredirect"), `button "two"`)
}

func TestHistory(t *testing.T) {
	r := open(t)
	r.goTo("/one")
	r.goTo("/two")
	has(t, r.must(act(session.VerbBack)), `button "one"`)
	has(t, r.must(act(session.VerbForward)), `button "two"`)
	r.fails(act(session.VerbForward), "no page to go forward to")
	has(t, r.must(act(session.VerbReload)), `button "two"`)
	r.must(act(session.VerbTab, "do", "new"))
	r.fails(act(session.VerbBack), "no page to go back to")
}

func TestPageThatHangs(t *testing.T) {
	r := open(t)
	r.goTo("/one")
	r.b.opts.Settle.NavigateMax = 3 * time.Second
	defer func() { r.b.opts.Settle.NavigateMax = patience.Settle.NavigateMax }()
	res := r.fails(act(session.VerbGoto, "url", site.URL+"/hang"), "did not answer within 3 s")
	has(t, res, `button "one"`)
	res = r.goTo("/halfway")
	has(t, res, `button "Half"`)
	if !strings.Contains(strings.Join(res.Snapshot.Notes, "\n"), "still loading after 3 s") {
		t.Errorf("notes %q", res.Snapshot.Notes)
	}
	has(t, r.goTo("/two"), `button "two"`)
}

func TestCancel(t *testing.T) {
	r := open(t)
	r.goTo("/one")
	for name, a := range map[string]session.Action{
		"goto": act(session.VerbGoto, "url", site.URL+"/hang"), "wait": act(session.VerbWait, "ms", float64(120_000)),
		"evaluate": act(session.VerbEvaluate, "js", "new Promise(() => {})"),
		"slow":     act(session.VerbWait, "text", "never", "ms", float64(120_000)),
	} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(150*time.Millisecond, cancel)
		res, err := r.b.Do(ctx, a)
		if res == nil || res.OK || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %+v", name, err, res)
		}
		if err == nil || res.Millis > 60_000 { // each of them would take longer
			t.Errorf("%s: came back after %d ms", name, res.Millis)
		}
		has(t, r.must(act(session.VerbSnapshot)), `button "one"`)
	}
}

func TestDialogs(t *testing.T) {
	r := open(t)
	r.html(`<button onclick="o.textContent = 'confirm ' + confirm('Delete 3 leads?')">del</button>
		<button onclick="o.textContent = 'prompt ' + prompt('Name?', 'x')">ask</button>
		<button onclick="alert('hello'); o.textContent = 'alerted'">hi</button>
		<button onclick="setTimeout(() => alert('later'), 30)">later</button><output id=o>-</output>`)
	// Armed before.
	if res := r.must(act(session.VerbDialog, "do", "accept")); !strings.Contains(res.Text, "next one") {
		t.Errorf("text %q", res.Text)
	}
	res := r.must(act(session.VerbClick, "role", "button", "name", "del"))
	someEvent(t, res, "confirm dialog “Delete 3 leads?”, accepted")
	has(t, res, "confirm true")
	// Answered after.
	res = r.must(act(session.VerbClick, "role", "button", "name", "del"))
	someEvent(t, res, "confirm dialog “Delete 3 leads?” is open")
	if res.Snapshot != nil || res.Waited != "a dialog opened" {
		t.Errorf("snapshot %v, waited %q", res.Snapshot, res.Waited)
	}
	r.fails(act(session.VerbClick, "role", "button", "name", "hi"), "confirm dialog “Delete 3 leads?” is open", "dialog accept")
	r.fails(act(session.VerbSnapshot), "is open and holds the page")
	if _, err := r.b.Screenshot(context.Background()); err == nil {
		t.Error("a picture of a held page")
	}
	if _, _, err := r.b.Snapshot(context.Background(), CaptureOptions{}); err == nil || !strings.Contains(err.Error(), "is open") {
		t.Errorf("a snapshot of a held page: %v", err)
	}
	has(t, r.must(act(session.VerbDialog, "do", "dismiss")), "confirm false")
	// With an answer.
	r.must(act(session.VerbClick, "role", "button", "name", "ask"))
	has(t, r.must(act(session.VerbDialog, "do", "accept", "text", "Melonie")), "prompt Melonie")
	r.must(act(session.VerbClick, "role", "button", "name", "hi"))
	has(t, r.must(act(session.VerbDialog, "do", "accept")), "alerted")
	// While the page is being waited for.
	res = r.must(act(session.VerbClick, "role", "button", "name", "later"))
	someEvent(t, res, "alert dialog “later” is open")
	r.must(act(session.VerbDialog, "do", "accept"))
	r.fails(act(session.VerbDialog, "do", "shrug"), "accept or dismiss")
}

func TestDialogWhileLoading(t *testing.T) {
	r := open(t)
	res := r.do(act(session.VerbGoto, "url", site.URL+page(`<script>alert('welcome')</script><button>after</button>`)))
	someEvent(t, res, "alert dialog “welcome” is open")
	if !res.OK {
		t.Errorf("the page did open: %s", res.Error)
	}
	has(t, r.must(act(session.VerbDialog, "do", "accept")), `button "after"`)
	r.fails(act(session.VerbGoto, "url", "http://127.0.0.1:47/"), "refused")
}

func TestBeforeUnload(t *testing.T) {
	r := open(t)
	r.html(`<input id=i><script>onbeforeunload = e => { e.preventDefault(); return 'x' }</script>`)
	r.must(act(session.VerbType, "css", "#i", "text", "dirty"))
	r.fails(act(session.VerbGoto, "url", site.URL+"/one"), "beforeunload dialog is open")
	res := r.must(act(session.VerbDialog, "do", "dismiss"))
	has(t, res, "textbox")
	r.fails(act(session.VerbGoto, "url", site.URL+"/one"), "beforeunload dialog is open")
	has(t, r.must(act(session.VerbDialog, "do", "accept")), `button "one"`)
}

func TestDownload(t *testing.T) {
	r := open(t)
	r.html(`<a href="$SITE/report.csv">get</a>`)
	res := r.must(act(session.VerbClick, "role", "link", "name", "get"))
	someEvent(t, res, "download of “report.csv” began")
	has(t, res, `link "get"`)
	res = r.fails(act(session.VerbGoto, "url", site.URL+"/report.csv"), "is a download (“report.csv”)")
	has(t, res, `link "get"`)
}

func TestTabs(t *testing.T) {
	r := open(t) // tab 1
	r.html(`<a href="/two" target=_blank>open</a><button onclick="window.open('/one')">pop</button>`)
	res := r.must(act(session.VerbClick, "role", "link", "name", "open"))
	someEvent(t, res, "tab 2 opened: "+site.URL+"/two", "tab switch 2")
	has(t, res, `link "open"`)
	res = r.must(act(session.VerbTab, "do", "switch", "index", float64(2)))
	if n := strings.Count(res.Snapshot.Text, `button "two" [ref=e2]`) + strings.Count(res.Snapshot.Text, `button "two" [ref=f1e2]`); n != 1 {
		t.Errorf("not the page of tab 2:\n%s", res.Snapshot.Text) // up to Chromium 148 a blank document came first
	}
	if res.Snapshot.Tab != 2 {
		t.Errorf("tab %d", res.Snapshot.Tab)
	}
	res = r.must(act(session.VerbEvaluate, "js", "window.close()")) // closes itself: back to its opener
	if res.Snapshot == nil || res.Snapshot.Tab != 1 {
		res = r.must(act(session.VerbSnapshot))
	}
	has(t, res, `link "open"`)
	res = r.must(act(session.VerbTab, "do", "new", "url", site.URL+"/one"))
	has(t, res, `button "one" [ref=e2]`)
	res = r.must(act(session.VerbTab, "do", "close"))
	if res.Snapshot == nil {
		t.Errorf("no snapshot of the tab behind it: %s", res.Waited)
	}
	r.fails(act(session.VerbTab, "do", "switch", "index", float64(9)), "there is no tab 9; there are tabs 0 to")
	r.fails(act(session.VerbTab, "do", "switch"), "needs an index")
	r.fails(act(session.VerbTab, "do", "spin"), "new, switch or close")
}

func TestStaleRefs(t *testing.T) {
	r := open(t)
	res := r.html(`<button onclick="document.querySelector('a').remove()">rm</button><a href="#x">Profile</a>`)
	ref := refOf(t, res, "Profile")
	r.must(act(session.VerbClick, "role", "button"))
	r.fails(act(session.VerbClick, "ref", ref), ref+` was link "Profile"`, "no longer on the page", "last seen in step")
	r.fails(act(session.VerbClick, "ref", "e999999"), "no snapshot of this session had ref e999999")
	r.fails(act(session.VerbClick, "ref", "f99e1"), "no snapshot of this session had ref f99e1")
	r.fails(act(session.VerbClick, "ref", "button"), "not a ref")
	r.goTo("/one")
	r.fails(act(session.VerbClick, "ref", ref), ref+` was link "Profile"`)
	res = r.must(act(session.VerbSnapshot))
	one := refOf(t, res, `button "one"`)
	r.must(act(session.VerbTab, "do", "new"))
	r.fails(act(session.VerbClick, "ref", one), "on tab 1", "switch there first")
}

func TestNeverQuiet(t *testing.T) {
	r := open(t)
	res := r.html(`<p id=p></p><button>b</button><script>setInterval(() => p.textContent = Math.random(), 20)</script>`)
	has(t, res, `button "b"`)
	if !strings.Contains(res.Waited, "still changing") || !strings.Contains(strings.Join(res.Snapshot.Notes, " "), "still changing") {
		t.Errorf("waited %q, notes %q", res.Waited, res.Snapshot.Notes)
	}
}

func TestLoadsAnewForever(t *testing.T) {
	r := open(t)
	res := r.html(`<meta http-equiv=refresh content=0><button>again</button>`)
	if !strings.Contains(res.Waited, "loading anew and was stopped") {
		t.Errorf("waited %q", res.Waited)
	}
	has(t, r.goTo("/one"), `button "one"`)
}

// A page that goes to another address every 30 ms is never there for long. It is
// stopped and captured, and no sentence of the protocol comes out of it.
func TestNavigatesForever(t *testing.T) {
	r := with(t, patience) // its tab would keep the others' browser busy
	for _, p := range []Settle{patience.Settle, PlaywrightMCP} {
		was := r.b.opts.Settle
		r.b.opts.Settle = p.filled()
		// It ends by the bounds of its waiting: do fails where the step has none.
		res := r.do(act(session.VerbGoto, "url", site.URL+page(`<button>again</button><script>
			addEventListener('load', () => setInterval(() => location.search = '?b=' + encodeURIComponent(document.documentElement.outerHTML) + Math.random(), 30))</script>`)))
		r.b.opts.Settle = was
		if res.Snapshot == nil && !strings.Contains(res.Error, errMovesOn.Error()) || !res.OK && res.Snapshot != nil {
			t.Errorf("%s: %q, waited %q", p.Name, res.Error, res.Waited)
		}
		r.must(act(session.VerbTab, "do", "new"))
	}
}

func TestOtherKindsOfDocuments(t *testing.T) {
	r := open(t)
	for path, want := range map[string]string{"/plain.txt": "plain words", "/data.json": "leads", "/pic.svg": "", "/doc.xml": "", "/empty": ""} {
		res := r.goTo(path)
		has(t, res, want)
	}
}

func TestWaitsForRequests(t *testing.T) {
	r := open(t)
	r.html(`<button onclick="fetch('/slow.json').then(r => r.json()).then(j => o.textContent = j.leads + ' leads')">load</button>
		<button onclick="fetch('/stream.json').then(() => o.textContent = 'streaming')">stream</button><output id=o></output>`)
	r.b.opts.Settle.RequestsMax = time.Minute // this one is answered, on a busy machine late
	defer func() { r.b.opts.Settle.RequestsMax = patience.Settle.RequestsMax }()
	res := r.must(act(session.VerbClick, "role", "button", "name", "load"))
	r.b.opts.Settle.RequestsMax = patience.Settle.RequestsMax
	has(t, res, "3 leads")
	if !strings.Contains(res.Waited, "requests answered") {
		t.Errorf("waited %q", res.Waited)
	}
	res = r.must(act(session.VerbClick, "role", "button", "name", "stream"))
	if !strings.Contains(strings.Join(res.Snapshot.Notes, " "), "request was still open") {
		t.Errorf("notes %q", res.Snapshot.Notes)
	}
	// Known by now to be endless: nobody waits for it again.
	res = r.must(act(session.VerbClick, "role", "button", "name", "stream"))
	if len(res.Snapshot.Notes) > 0 || strings.Contains(res.Waited, "requests") {
		t.Errorf("waited %q, notes %q", res.Waited, res.Snapshot.Notes)
	}
}

func TestConsole(t *testing.T) {
	r := open(t)
	res := r.html(`<button onclick="null.x">err</button><script>console.log('hi', {a: 1}, [1, 'b']); console.warn('careful')</script>`)
	got := strings.Join(res.Console, "\n")
	for _, want := range []string{`log: hi {a: 1} [1, “b”]`, "warning: careful"} {
		if !strings.Contains(got, want) {
			t.Errorf("console lacks %q: %q", want, got)
		}
	}
	res = r.must(act(session.VerbClick, "role", "button"))
	if got := strings.Join(res.Console, "\n"); !strings.Contains(got, "page error: TypeError") {
		t.Errorf("console %q", got)
	}
	res = r.must(act(session.VerbEvaluate, "js", "for (let i = 0; i < 1000; i++) console.log('x'.repeat(10000))"))
	if n := len(res.Console); n != maxConsole+1 || !strings.Contains(res.Console[n-1], "and 900 more") || len(res.Console[0]) > 600 {
		t.Errorf("%d lines, last %q", n, res.Console[n-1])
	}
}

func TestHostilePage(t *testing.T) {
	r := open(t)
	res := r.html(`<button onclick="this.textContent = 'clicked'">target</button><input aria-label=in><select aria-label=sel><option>a<option>b</select><script>
		const boom = () => { throw new Error('patched') };
		for (const k of ['map', 'filter', 'push', 'join', 'some', 'find']) Array.prototype[k] = boom;
		for (const k of ['firstChild', 'parentNode', 'nodeType', 'textContent', 'isConnected', 'ownerDocument'])
			Object.defineProperty(Node.prototype, k, {get: boom, set: boom});
		for (const k of ['getBoundingClientRect', 'getClientRects', 'scrollIntoView', 'matches', 'closest']) Element.prototype[k] = boom;
		JSON.stringify = boom; Promise.prototype.then = boom; window.getComputedStyle = boom; String.prototype.includes = boom;
		Object.defineProperty(HTMLInputElement.prototype, 'value', {get: boom, set: boom});
		window.MutationObserver = boom; window.setTimeout = boom; document.elementFromPoint = boom;</script>`)
	has(t, res, `button "target"`)
	r.fails(act(session.VerbEvaluate, "js", "[1].map(x => x)"), "patched")
	r.must(act(session.VerbFill, "role", "textbox", "name", "in", "text", "typed"))
	r.must(act(session.VerbSelect, "role", "combobox", "name", "sel", "value", "b"))
	has(t, r.must(act(session.VerbClick, "role", "button")), `: typed`)
}

func TestBusyPage(t *testing.T) {
	o := patience
	o.HangMax, o.Settle.QuietMax = 12*time.Second, 300*time.Millisecond
	r := with(t, o)
	r.html(`<button onclick="setTimeout(() => { for (;;); }, 20)">spin</button>`)
	r.b.opts.ReadyMax = time.Second // from here on nothing answers, ever
	res := r.do(act(session.VerbClick, "role", "button"))
	if res.OK || !strings.Contains(res.Error, "does not answer") {
		t.Errorf("%v %q", res.OK, res.Error)
	}
	r.fails(act(session.VerbSnapshot), "does not answer")
	r.b.opts.ReadyMax = patience.ReadyMax
	r.goTo("/one") // the script that held the thread is ended
}

func TestCrash(t *testing.T) {
	r := open(t)
	r.goTo("/one")
	r.fails(act(session.VerbGoto, "url", "chrome://crash"), "crashed")
	r.fails(act(session.VerbSnapshot), "crashed")
	has(t, r.goTo("/two"), `button "two"`)
}

func TestBrowserKilled(t *testing.T) {
	r := with(t, patience)
	r.goTo("/one")
	time.AfterFunc(200*time.Millisecond, func() {
		_ = syscall.Kill(-r.b.proc.cmd.Process.Pid, syscall.SIGKILL)
	})
	if _, err := r.b.Do(context.Background(), act(session.VerbWait, "text", "never", "ms", float64(60_000))); !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	if _, err := r.b.Do(context.Background(), act(session.VerbSnapshot)); !errors.Is(err, ErrGone) {
		t.Errorf("after it: %v", err)
	}
	if _, _, err := r.b.Snapshot(context.Background(), CaptureOptions{}); !errors.Is(err, ErrGone) {
		t.Errorf("after it: %v", err)
	}
}

func TestLargePage(t *testing.T) {
	r := open(t)
	was := r.b.opts.ReadMax
	r.b.opts.ReadMax = time.Minute // all of it, also on a busy machine
	defer func() { r.b.opts.ReadMax = was }()
	begun := time.Now()
	res := r.html(fmt.Sprintf(`<main id=m></main><script>let s = '';
		for (let i = 0; i < 2500; i++) s += '<div class=row><span>Row ' + i + '</span><a href="#' + i + '">Open ' + i + '</a><button>Edit ' + i + '</button><p>text <b>bold</b> <i>it</i></p></div>';
		m.innerHTML = s + '<pre>' + 'x'.repeat(%d) + '</pre>'</script>`, 2_000_000))
	if res.Snapshot.Elements < 17500 {
		t.Errorf("%d elements", res.Snapshot.Elements)
	}
	t.Logf("%d elements, %d bytes, %s", res.Snapshot.Elements, len(res.Snapshot.Text), time.Since(begun))
	res = r.must(act(session.VerbClick, "ref", refOf(t, res, `button "Edit 2499"`)))
	if !res.OK {
		t.Error(res.Error)
	}
}

func TestNotFoundBrowser(t *testing.T) {
	if _, err := Find("no-such-browser"); err == nil || !strings.Contains(err.Error(), Env) {
		t.Errorf("%v", err)
	}
	if _, err := Launch(context.Background(), Options{Path: "/bin/false"}); err == nil || !strings.Contains(err.Error(), "did not start") {
		t.Errorf("%v", err)
	}
	if _, err := Attach(context.Background(), Endpoint{Address: "127.0.0.1:47"}, Options{}); err == nil || !strings.Contains(err.Error(), "no browser answers") {
		t.Errorf("%v", err)
	}
	if _, err := Attach(context.Background(), Endpoint{Address: site.URL}, Options{}); err == nil || !strings.Contains(err.Error(), "not a browser's") {
		t.Errorf("%v", err)
	}
	if _, err := Attach(context.Background(), Endpoint{Address: "ftp://x"}, Options{}); err == nil {
		t.Error("attached to ftp")
	}
}
