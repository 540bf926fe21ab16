package browser

import (
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/snapshot"
)

// The numbers in refs, as the reference gives them in the same walks.
func TestRefPrefixes(t *testing.T) {
	r := open(t)
	frames := page(`<button>Main</button><iframe src="/one"></iframe><iframe srcdoc="<button>sd</button>"></iframe><iframe src="` +
		page(`<button>Nest</button><iframe src="/one"></iframe>`) + `"></iframe>`)
	steps := []struct {
		act  session.Action
		want []string
	}{
		{act(session.VerbGoto, "url", site.URL+"/one"), []string{`button "one" [ref=e2]`}},
		{act(session.VerbGoto, "url", site.URL+"/two"), []string{`button "two" [ref=f1e2]`}},
		{act(session.VerbEvaluate, "js", "history.pushState({}, '', '/x')"), []string{`[ref=f1e2]`}},
		{act(session.VerbGoto, "url", site.URL+"/one"), []string{`[ref=f2e2]`}},
		{act(session.VerbReload), []string{`[ref=f3e2]`}},
		{act(session.VerbBack), []string{`[ref=f4e1]`}}, // /x is a page nobody finds
		{act(session.VerbGoto, "url", site.URL+"/one#a"), []string{`[ref=f5e2]`}},
		{act(session.VerbGoto, "url", site.URL+"/one#b"), []string{`[ref=f5e2]`}},
		{act(session.VerbGoto, "url", site.URL+frames), []string{
			`- generic [active] [ref=f6e1]:`, `button "Main" [ref=f6e2]`, "iframe [ref=f6e3]:\n    - button \"one\" [ref=f7e2]",
			"iframe [ref=f6e4]:\n    - button \"sd\" [ref=f8e2]", `button "Nest" [ref=f9e2]`,
			"iframe [ref=f9e3]:\n        - button \"one\" [ref=f10e2]",
		}},
		{act(session.VerbSnapshot), []string{`button "one" [ref=f7e2]`, `button "one" [ref=f10e2]`}},
		{act(session.VerbEvaluate, "js", "document.querySelector('iframe').src = '/two'"), []string{`button "two" [ref=f7e2]`}},
		{act(session.VerbEvaluate, "js", "document.body.append(document.querySelector('iframe'))"), []string{`button "two" [ref=f11e2]`}},
		{act(session.VerbGoto, "url", "about:blank"), nil},
		{act(session.VerbGoto, "url", site.URL+"/one"), []string{`[ref=f12e2]`}},
		{act(session.VerbGoto, "url", site.URL+"/clientredirect"), []string{`[ref=f14e2]`}},
	}
	for _, s := range steps {
		has(t, r.must(s.act), s.want...)
	}
}

// nested is a page with five frames, each in the one before.
func nested() string {
	body := `<button onclick="this.textContent='hit 5'">level 5</button>`
	for i := 4; i >= 0; i-- {
		body = `<button>level ` + string(rune('0'+i)) + `</button><iframe width=400 height=300 src="` + page(body) + `"></iframe>`
	}
	return page(body)
}

func TestNestedFrames(t *testing.T) {
	r := open(t)
	res := r.goTo(nested())
	has(t, res, "level 0", "level 1", "level 2", "level 3", "level 4", "level 5")
	res = r.must(act(session.VerbClick, "ref", refOf(t, res, "level 5")))
	has(t, res, `button "hit 5"`)
	r.must(act(session.VerbClick, "role", "button", "name", "level 3"))
}

// crossing is a page with a frame of another site, which holds one of the first
// site again, and one of its own.
var crossing = `<div style="height:1200px">far</div><iframe id=x style="border:7px solid;padding:11px;transform:scale(.8)" width=500 height=300 src="$OTHER` +
	page(`<div style="height:400px">deep</div><button onclick="this.textContent += '!'">There</button><input><select aria-label=sel><option>a<option>b</select>
		<iframe src="$SITE`+page(`<button onclick="this.textContent += '!'">Home</button>`)+`"></iframe>`) + `"></iframe><button>Main</button>`

func testCrossing(t *testing.T, r *rig) {
	t.Helper()
	res := r.html(crossing)
	has(t, res, `button "There"`, `button "Home"`, `button "Main"`)
	res = r.must(act(session.VerbClick, "ref", refOf(t, res, `button "There"`)))
	has(t, res, `button "There!"`)
	res = r.must(act(session.VerbClick, "ref", refOf(t, res, `button "Home"`)))
	has(t, res, `button "Home!"`)
	r.must(act(session.VerbClick, "role", "button", "name", "There!"))
	res = r.must(act(session.VerbFill, "role", "textbox", "text", "abc"))
	has(t, res, "textbox", ": abc")
	r.must(act(session.VerbType, "role", "textbox", "text", "def"))
	r.must(act(session.VerbPress, "key", "Backspace"))
	has(t, r.must(act(session.VerbSelect, "css", "select", "value", "b")), "abcde", `option "b" [selected]`)
	if got := r.must(act(session.VerbEvaluate, "role", "textbox", "js", "el => el.value + location.hostname")).Text; got != `"abcdelocalhost"` {
		t.Errorf("evaluate in the frame: %s", got)
	}
	r.must(act(session.VerbWait, "text", "Home!"))
	box, err := r.b.Box(t.Context(), refOf(t, r.must(act(session.VerbSnapshot)), `button "There!!"`))
	if err != nil || box.W == 0 {
		t.Errorf("box %v, %v", box, err)
	}
}

func TestCrossSiteFrames(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"own processes": {"--site-per-process"},
		"one process":   {"--disable-site-isolation-trials", "--disable-features=IsolateOrigins,site-per-process,Translate"},
	} {
		t.Run(name, func(t *testing.T) {
			o := patience
			o.Args, o.Boxes = args, true
			r := with(t, o)
			testCrossing(t, r)
			r.b.mu.Lock()
			sessions := len(r.b.current.sessions)
			r.b.mu.Unlock()
			if apart := sessions > 1; apart != (name == "own processes") {
				t.Errorf("%d sessions in one tab", sessions)
			}
			// From one process to another and back, and away.
			res := r.must(act(session.VerbEvaluate, "js", "x.src = '"+site.URL+"/one'"))
			has(t, res, `button "one"`)
			res = r.must(act(session.VerbEvaluate, "js", "x.src = '"+other+"/two'"))
			has(t, res, `button "two"`)
			r.must(act(session.VerbClick, "ref", refOf(t, res, `button "two"`)))
			res = r.must(act(session.VerbEvaluate, "js", "x.remove()"))
			lacks(t, res, "two")
			r.fails(act(session.VerbClick, "role", "button", "name", "two"), "no element")
			has(t, r.must(act(session.VerbGoto, "url", other+"/one")), `button "one"`)
			has(t, r.must(act(session.VerbBack)), `button "Main"`)
		})
	}
}

func TestBoxes(t *testing.T) {
	r := open(t)
	r.b.opts.Boxes = true
	defer func() { r.b.opts.Boxes = false }()
	res := r.html(`<style>body{margin:0}iframe{border:5px solid;padding:3px;margin:0;display:block}</style><button style="position:absolute;left:10px;top:600px;width:50px;height:20px">B</button>
		<iframe srcdoc="<style>body{margin:0}button{position:absolute;left:20px;top:30px;width:40px;height:10px}</style><button>in</button>"></iframe>`)
	if got, want := res.Snapshot.Boxes[refOf(t, res, `button "B"`)], (snapshot.Box{X: 10, Y: 600, W: 50, H: 20}); got != want {
		t.Errorf("box %v, want %v", got, want)
	}
	ref := refOf(t, res, `button "in"`)
	if got, want := res.Snapshot.Boxes[ref], (snapshot.Box{X: 28, Y: 38, W: 40, H: 10}); got != want {
		t.Errorf("box %v, want %v", got, want)
	}
	if got, err := r.b.Box(t.Context(), ref); err != nil || got != (snapshot.Box{X: 28, Y: 38, W: 40, H: 10}) {
		t.Errorf("box %v, %v", got, err)
	}
	if res.Snapshot.Viewport != (snapshot.Size{W: 1280, H: 720}) {
		t.Errorf("viewport %v", res.Snapshot.Viewport)
	}
	snap, took, err := r.b.Snapshot(t.Context(), CaptureOptions{Boxes: true})
	if err != nil || took <= 0 || !strings.Contains(snap.Text, "[box=10,600,50,20]") {
		t.Errorf("%v %s %v", err, took, snap)
	}
}

func TestFrameCrash(t *testing.T) {
	r := open(t)
	res := r.html(`<button>Main</button><iframe src="$OTHER/one"></iframe>`)
	has(t, res, `button "one"`)
	r.b.mu.Lock()
	var session_ string
	for _, f := range r.b.current.frames {
		if f.parent != nil {
			session_ = f.session
		}
	}
	r.b.mu.Unlock()
	r.b.link.post(session_, "Page.crash", nil)
	res = r.must(act(session.VerbWait, "ms", float64(300)))
	has(t, res, `button "Main"`, "iframe")
	lacks(t, res, `button "one"`)
	if got := strings.Join(res.Snapshot.Notes, " "); !strings.Contains(got, "crashed") {
		t.Errorf("notes %q", got)
	}
}

func TestShadowRoots(t *testing.T) {
	r := open(t)
	hit := `onclick="this.textContent = this.textContent + '!'"`
	res := r.html(`<div id=open></div><div id=closed></div><my-card><span>light</span></my-card><div id=slotted><em>kept</em></div>
		<section><template shadowrootmode=closed><button ` + hit + `>Declared</button></template></section><script>
		const b = n => '<button ` + strings.ReplaceAll(strings.ReplaceAll(hit, `"`, `\"`), `'`, `\'`) + `>' + n + '</button>';
		document.getElementById('open').attachShadow({mode:'open'}).innerHTML = b('Open');
		const c = document.getElementById('closed').attachShadow({mode:'closed'});
		c.innerHTML = b('Closed') + '<div></div>';
		c.lastChild.attachShadow({mode:'closed'}).innerHTML = b('Inner') + '<input aria-label=deep>';
		customElements.define('my-card', class extends HTMLElement { constructor() { super(); this.attachShadow({mode:'closed'}).innerHTML = b('Card') + '<slot></slot>' } });
		document.getElementById('slotted').attachShadow({mode:'closed'}).innerHTML = '<p><slot></slot></p>' + b('Around');
		</script>`)
	for _, name := range []string{"Open", "Closed", "Inner", "Card", "Declared", "Around"} {
		has(t, res, `button "`+name+`"`)
		res = r.must(act(session.VerbClick, "ref", refOf(t, res, `button "`+name+`"`)))
		has(t, res, `button "`+name+`!"`)
	}
	has(t, res, "light", "kept")
	has(t, r.must(act(session.VerbFill, "role", "textbox", "name", "deep", "text", "abc")), "abc")
	r.must(act(session.VerbClick, "role", "button", "name", "Inner!"))
	// What happens inside one is waited for.
	r.must(act(session.VerbEvaluate, "js", "let n = 0; const t = setInterval(() => { document.getElementById('open').shadowRoot.firstChild.title = n; if (++n > 6) { clearInterval(t); document.getElementById('open').shadowRoot.firstChild.textContent = 'Changed' } }, 25)"))
	has(t, r.must(act(session.VerbSnapshot)), `button "Changed"`)
	// One that comes later.
	r.must(act(session.VerbEvaluate, "js", "const d = document.createElement('div'); document.body.append(d); d.attachShadow({mode:'closed'}).innerHTML = '<button>Later</button>'"))
	has(t, r.must(act(session.VerbSnapshot)), `button "Later"`)
}

// The numbers of frames nested in a frame of another site, and what select does
// to the focus and a number field to the names around it, as Playwright's MCP
// server gives them for the same pages.
func TestRefsStayAsPlaywrightKeepsThem(t *testing.T) {
	t.Parallel()
	inner := func(name string) string { return page(`<button>` + name + `</button>`) }
	cross := `<button>Cross</button><iframe src="$OTHER` + inner("inner") + `"></iframe><iframe src="$SITE` + inner("back") + `"></iframe>`
	body := `<button>Main</button><select aria-label=s><option>a<option>b</select><table><tr><td><input type=number> kg</td></tr></table><iframe srcdoc="<button>sd</button>"></iframe><iframe src="$OTHER` +
		page(cross) + `"></iframe>`
	for name, args := range map[string][]string{"own processes": {"--site-per-process"}, "one process": {"--disable-site-isolation-trials", "--disable-features=IsolateOrigins,site-per-process,Translate"}} {
		t.Run(name, func(t *testing.T) {
			o := patience
			o.Args = args
			r := with(t, o)
			res := r.html(body)
			want := []string{
				`button "Main" [ref=e2]`, `button "Cross" [ref=f2e2]`, `button "sd" [ref=f1e2]`, `button "inner" [ref=f3e2]`, `button "back" [ref=f4e2]`,
				`generic [active] [ref=e1]`, `cell "kg" [ref=e7]`,
			}
			has(t, res, want...)
			res = r.must(act(session.VerbSelect, "role", "combobox", "value", "b"))
			has(t, res, append(want, `option "b" [selected]`)...)
			res = r.must(act(session.VerbFill, "role", "spinbutton", "text", "5"))
			has(t, res, append(want[:5:5], `cell "kg" [ref=e7]`, `spinbutton [active] [ref=e8]: "5"`)...)
			has(t, r.must(act(session.VerbReload)), `button "Main" [ref=f5e2]`, `button "Cross" [ref=f7e2]`, `button "sd" [ref=f6e2]`,
				`button "inner" [ref=f8e2]`, `button "back" [ref=f9e2]`)
		})
	}
}
