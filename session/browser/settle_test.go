package browser

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"snapscope/session"
)

func TestParseSettle(t *testing.T) {
	for text, want := range map[string]string{
		"quick": "quick", " playwright-mcp ": "playwright-mcp", "quick,quiet=250ms": "quick,quiet=250ms",
		"playwright-mcp, after=0s,requests-max=2s": "playwright-mcp,after=0s,requests-max=2s",
		"quick,quiet=100ms":                        "quick",
	} {
		s, err := ParseSettle(text)
		if err != nil || s.String() != want {
			t.Errorf("ParseSettle(%q) = %s, %v; want %s", text, s, err, want)
			continue
		}
		if again, err := ParseSettle(s.String()); err != nil || again != s {
			t.Errorf("%q reads as %v, %v", s, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "playwright-mcp and quick", "slow": `"slow"`, "quick,pause=1s": `no time "pause"; it has after`,
		"quick,quiet": "no time from 0s", "quick,quiet=-1s": "no time from 0s", "quick,quiet=1h": "no time from 0s",
	} {
		if _, err := ParseSettle(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseSettle(%q): %v; want %q", text, err, want)
		}
	}
	if s := (Settle{QuietFor: time.Second}).filled(); s.Name != "quick" || s.QuietFor != time.Second || s.LoadMax != Quick.LoadMax {
		t.Errorf("%+v", s)
	}
}

// pressed counts the milliseconds since a click into the page.
const pressed = `<p id=p>-</p><script>addEventListener('mousedown', () => {
	const at = performance.now(); setInterval(() => p.textContent = Math.round(performance.now() - at) > %LATE% ? 'late' : 'soon', 5) })</script>`

// The agent's timing: what is on the page when the agent's tool captures it,
// which is not when the page has come to rest.
func TestSettlesAsTheAgentsTool(t *testing.T) {
	r := open(t)
	was := r.b.opts.Settle
	s := PlaywrightMCP
	s.After, s.Again, s.Arrived, s.RequestsMax = 150*time.Millisecond, 150*time.Millisecond, 250*time.Millisecond, time.Second
	r.b.opts.Settle = s
	defer func() { r.b.opts.Settle = was }()
	body := func(button string) string {
		return `<button onclick="` + button + `">go</button><output id=o>-</output>` + strings.ReplaceAll(pressed, "%LATE%", "240")
	}
	for _, c := range []struct {
		name, do string
		has      []string
		waited   string
		rest     session.Rest
	}{
		{"a dialog that closes slowly is closed", `setTimeout(() => o.textContent = 'closed', 90)`, []string{"closed", "soon"}, "waited 150 ms", session.RestTimed},
		{"what comes later is not waited for", `setTimeout(() => o.textContent = 'closed', 600)`, []string{`- status [ref=`, "soon"}, "waited 150 ms", session.RestTimed},
		{
			"requests are waited for, and the time again", `fetch('/slow.js?ms=200').then(r => r.text()).then(t => setTimeout(() => o.textContent = 'told', 60))`,
			[]string{"told", "late"},
			"requests answered, waited 300 ms", session.RestTimed,
		},
		{"requests of every type", `new Image().src = '/slow.js?ms=200'; setTimeout(() => o.textContent = 'told', 260)`, []string{"told", "late"}, "requests answered, waited 300 ms", session.RestTimed},
		{"not those that begin later", `setTimeout(() => fetch('/slow.js?ms=400').then(r => r.text()).then(t => o.textContent = 'told'), 180)`, []string{"soon"}, "waited 150 ms", session.RestTimed},
		{"a request without end", `fetch('/stream.json')`, []string{"late"}, "a request was still open", session.RestRequests},
		{"a document", `location.href = '/late?ms=300&b=<h1>There</h1>'`, []string{"There"}, "page loaded, waited ", session.RestTimed}, // 400 ms where the machine is slow to begin it
		{"a document that is asked for later", `setTimeout(() => location.href = '/late?ms=300&b=<h1>There</h1>', 60)`, []string{"There"}, "waited 400 ms", session.RestTimed},
		{"a document that loads slowly", `location.href = '/late?ms=0&b=<h1>There</h1><img src=/slow.js?ms=700 alt=pic>'`, []string{"There"}, "page loaded, waited 150 ms", session.RestTimed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &rig{t, r.b}
			var res *session.Result
			for range 4 { // a machine that is busy for a moment is late
				r.html(body(c.do))
				res = r.must(act(session.VerbClick, "role", "button"))
				if shows(res, c.has...) && strings.Contains(res.Waited, c.waited) {
					break
				}
			}
			has(t, res, c.has...)
			if !strings.Contains(res.Waited, c.waited) || res.Rest != c.rest {
				t.Errorf("waited %q (%s), want %q (%s)", res.Waited, res.Rest, c.waited, c.rest)
			}
		})
	}
	r.html(`<select onchange="setTimeout(() => o.textContent = 'changed', 80)" aria-label=s><option>a<option>b</select><output id=o>-</output>`)
	res := r.must(act(session.VerbSelect, "role", "combobox", "value", "b"))
	if lacks(t, res, "changed"); res.Rest != session.RestAtOnce || res.Waited != "captured at once" {
		t.Errorf("a select: waited %q (%s)", res.Waited, res.Rest)
	}
}

// A document whose head holds a slow script is waited for until it has been
// read, however short the bound on loading is.
func TestSlowHead(t *testing.T) {
	for _, p := range []Settle{Quick, PlaywrightMCP} {
		t.Run(p.Name, func(t *testing.T) {
			r := open(t)
			was := r.b.opts.Settle
			p.LoadMax = 100 * time.Millisecond
			r.b.opts.Settle = p
			defer func() { r.b.opts.Settle = was }()
			told := make(chan string, 1)
			ended := make(chan struct{})
			go func() { // what it says while the document is read
				for {
					select {
					case <-ended:
						told <- r.b.Progress()
						return
					case <-time.After(10 * time.Millisecond):
						if p := r.b.Progress(); strings.Contains(p, "reading the document") {
							told <- p
							return
						}
					}
				}
			}()
			res := r.html(`<script src="/slow.js?ms=900"></script><h1>Head</h1><button>after</button>`)
			has(t, res, `heading "Head"`, `button "after"`)
			if res.Rest.Early() {
				t.Errorf("captured early: %s", res.Rest)
			}
			close(ended)
			if got := <-told; !strings.Contains(got, "reading the document") || !strings.Contains(got, "of at most") {
				t.Errorf("meanwhile it said %q", got)
			}
			if got := r.b.Progress(); got != "" {
				t.Errorf("after the step it says %q", got)
			}
			// The wait can be cancelled.
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(150*time.Millisecond, cancel)
			begun := time.Now()
			_, err := r.b.Do(ctx, act(session.VerbGoto, "url", site.URL+page(`<script src="/slow.js?ms=120000"></script>`)))
			if !errors.Is(err, context.Canceled) || time.Since(begun) > time.Minute {
				t.Errorf("%v after %s", err, time.Since(begun))
			}
		})
	}
}

func TestEarlyIsMarked(t *testing.T) {
	r := open(t)
	res := r.html(`<script src="/slow.js?ms=30"></script><img src="/slow.js?ms=2500" alt=slow><h1>Head</h1>`)
	has(t, res, "Head")
	if res.Rest != session.RestLoading || !strings.Contains(res.Waited, "still loading after 1 s") {
		t.Errorf("%q (%s)", res.Waited, res.Rest)
	}
	for range 4 { // a machine that is busy for a moment is quiet
		res = r.html(`<p id=p></p><script>setInterval(() => p.textContent = Math.random(), 20)</script>`)
		if res.Rest == session.RestChanging {
			break
		}
	}
	if res.Rest != session.RestChanging {
		t.Errorf("%q (%s)", res.Waited, res.Rest)
	}
	if res = r.goTo("/one"); res.Rest != session.RestQuiet || res.Waited != "page loaded, quiet for 40 ms" {
		t.Errorf("%q (%s)", res.Waited, res.Rest)
	}
}

// A document whose scripts are forbidden is a page like any other: our own
// world must need none of them.
func TestSandboxedDocument(t *testing.T) {
	r := open(t)
	begun := time.Now()
	res := r.goTo("/sandboxed")
	has(t, res, `heading "Alone"`, "More")
	if res.Title != "sandboxed" || res.Rest != session.RestQuiet {
		t.Errorf("title %q, %s", res.Title, res.Rest)
	}
	has(t, r.must(act(session.VerbClick, "ref", refOf(t, res, `"More"`))), "inside")
	has(t, r.must(act(session.VerbFill, "role", "textbox", "text", "abc")), ": abc")
	r.must(act(session.VerbScroll, "to", "bottom"))
	if d := time.Since(begun); d > time.Minute { // what waits for its bound takes longer
		t.Errorf("it took %s", d)
	}
}

// The agent's own text: what we keep from recordings and add for people is as
// Playwright has it.
func TestExactCapture(t *testing.T) {
	r := open(t)
	res := r.html(`<input type=password value="s3cret" aria-label=pw><div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML = '<button>Inside</button>'</script>`)
	has(t, res, `textbox "pw"`, "••••", `button "Inside"`)
	lacks(t, res, "s3cret")
	s, _, err := r.b.Snapshot(t.Context(), CaptureOptions{Exact: true})
	if err != nil || !strings.Contains(s.Text, "s3cret") || strings.Contains(s.Text, "Inside") {
		t.Errorf("%v\n%s", err, s.Text)
	}
	res = r.must(act(session.VerbSnapshot))
	has(t, res, "••••", `button "Inside"`)
	lacks(t, res, "s3cret")
}
