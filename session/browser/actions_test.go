package browser

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/snapshot"
)

func TestClickByRefRoleAndCSS(t *testing.T) {
	r := open(t)
	body := `<button id=a onclick="this.textContent='did '+this.id">one</button><button id=b onclick="this.textContent='did '+this.id">two</button><button class=x>three</button>`
	res := r.html(body)
	res = r.must(act(session.VerbClick, "ref", refOf(t, res, "one")))
	has(t, res, `button "did a"`)
	res = r.must(act(session.VerbClick, "role", "button", "name", "two"))
	has(t, res, `button "did b"`)
	r.must(act(session.VerbClick, "css", "button.x"))
	res = r.fails(act(session.VerbClick, "role", "button"), "3 elements", "nth (1 to 3)")
	has(t, res, "three")
	r.must(act(session.VerbClick, "role", "button", "nth", 3))
	r.fails(act(session.VerbClick, "css", "button["), "not a selector")
	r.fails(act(session.VerbClick, "css", ".none"), "no element is css .none")
	r.fails(act(session.VerbClick, "role", "button", "nth", 4), "only 3 elements")
}

func TestMouse(t *testing.T) {
	r := open(t)
	r.html(`<div id=d style="width:100px;height:50px;background:red" tabindex=0>box</div><output id=o></output><script>
		for (const k of ['click','dblclick','contextmenu','auxclick','mouseover'])
			d.addEventListener(k, e => { e.preventDefault(); o.textContent += k + e.button + ' ' })</script>`)
	r.must(act(session.VerbHover, "css", "#d"))
	r.must(act(session.VerbClick, "css", "#d"))
	r.must(act(session.VerbClick, "css", "#d", "button", "right"))
	r.must(act(session.VerbClick, "css", "#d", "button", "middle"))
	r.must(act(session.VerbDblClick, "css", "#d"))
	if got, want := r.js("o.textContent"), `"mouseover0 click0 contextmenu2 auxclick2 auxclick1 click0 click0 dblclick0 "`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestObstacles(t *testing.T) {
	r := open(t)
	r.html(`<button disabled>off</button><button aria-disabled=true>softly</button>
		<button style="visibility:hidden" id=v>unseen</button><button id=n style="display:none">none</button>
		<div style="position:relative;width:200px;height:50px"><button style="width:200px;height:50px">under</button>
		<div id=cover style="position:absolute;inset:0">Cookies?</div></div>
		<button id=p style="pointer-events:none">through</button><input readonly value=x aria-label=ro>
		<select aria-label=s><option>a<option>b</select><fieldset disabled><input aria-label=fs></fieldset>`)
	r.fails(act(session.VerbClick, "role", "button", "name", "off"), `button "off" is disabled`)
	r.fails(act(session.VerbClick, "role", "button", "name", "softly"), "is disabled")
	r.fails(act(session.VerbClick, "css", "#v"), "not visible")
	r.fails(act(session.VerbClick, "css", "#n"), "not visible")
	r.fails(act(session.VerbClick, "role", "button", "name", "under"), `is covered by <div id="cover"> “Cookies?”`)
	r.fails(act(session.VerbClick, "css", "#p"), "takes no pointer events")
	r.fails(act(session.VerbFill, "css", "[aria-label=ro]", "text", "y"), "read-only")
	r.fails(act(session.VerbFill, "css", "[aria-label=fs]", "text", "y"), "disabled")
	r.fails(act(session.VerbFill, "css", "[aria-label=s]", "text", "y"), "use select")
	r.fails(act(session.VerbFill, "css", "#p", "text", "y"), "takes no text")
	r.fails(act(session.VerbClick, "css", "option", "nth", 1), "choose it with select")
}

func TestElementsThatBecomeReady(t *testing.T) {
	r := open(t)
	r.html(`<button id=b disabled onclick="this.textContent='done'">wait</button><script>setTimeout(() => b.disabled = false, 150)</script>`)
	has(t, r.must(act(session.VerbClick, "css", "#b")), `button "done"`)
	r.html(`<script>setTimeout(() => document.body.innerHTML = '<button>late</button>', 150)</script>`)
	r.must(act(session.VerbClick, "role", "button", "name", "late"))
}

func TestScrollsToWhatItClicks(t *testing.T) {
	r := open(t)
	res := r.html(`<header style="position:fixed;top:0;left:0;right:0;height:300px;background:#eee">head</header>
		<div style="height:3000px"></div><button onclick="this.textContent='hit'">deep</button><div style="height:3000px"></div>`)
	has(t, r.must(act(session.VerbClick, "ref", refOf(t, res, "deep"))), `button "hit"`)
}

func TestFill(t *testing.T) {
	r := open(t)
	r.html(`<label>Name <input id=name value=old></label><textarea id=area></textarea><div id=ce contenteditable>old <b>text</b></div>
		<input type=date id=date><input type=range id=range min=0 max=10 step=2 value=2><input type=color id=color>
		<input type=number id=num><input type=time id=time><input id=short maxlength=3><input type=password id=pw>
		<div id=wrap><input id=inner></div><output id=o></output><script>
		for (const e of document.querySelectorAll('input,textarea,[contenteditable]')) for (const k of ['input','change'])
			e.addEventListener(k, ev => { o.textContent += e.id + ':' + k + (ev.isTrusted ? '!' : '') + ' ' })</script>`)
	for _, c := range []struct{ css, text, want string }{
		{"#name", "Melonie Parker", `"Melonie Parker"`},
		{"label", "by label", `"by label"`},
		{"#area", "two\nlines ünï 🎉", `"two\nlines ünï 🎉"`},
		{"#date", "2026-02-03", `"2026-02-03"`},
		{"#range", "8", `"8"`},
		{"#color", "#FF8800", `"#ff8800"`},
		{"#num", "-12.5", `"-12.5"`},
		{"#time", "09:30", `"09:30"`},
		{"#short", "abcdef", `"abc"`},
		{"#pw", "secret", `"secret"`},
		{"#wrap", "inside", `"inside"`},
		{"#name", "", `""`},
	} {
		r.must(act(session.VerbFill, "css", c.css, "text", c.text))
		id := map[string]string{"label": "#name", "#wrap": "#inner"}[c.css]
		if id == "" {
			id = c.css
		}
		if got := r.js("document.querySelector('" + id + "').value"); got != c.want {
			t.Errorf("fill %s with %q: value %s, want %s", c.css, c.text, got, c.want)
		}
	}
	r.must(act(session.VerbFill, "css", "#ce", "text", "new"))
	if got := r.js("ce.innerText"); got != `"new"` {
		t.Errorf("contenteditable holds %s", got)
	}
	log := r.js("o.textContent")
	for _, want := range []string{"name:input! ", "date:input ", "date:change ", "range:change ", "ce:input! ", "num:change! "} {
		if !strings.Contains(log, want) {
			t.Errorf("no event %q in %s", want, log)
		}
	}
	r.fails(act(session.VerbFill, "css", "#date", "text", "31/12/2026"), "yyyy-mm-dd")
	r.fails(act(session.VerbFill, "css", "#range", "text", "99"), "a number from 0 to 10 in steps of 2")
	r.fails(act(session.VerbFill, "css", "#num", "text", "many"), "a number")
	if res := r.must(act(session.VerbFill, "css", "#short", "text", "wxyz")); !strings.Contains(res.Text, "wxy") {
		t.Errorf("a cut text is not told of: %q", res.Text)
	}
	if res := r.must(act(session.VerbSnapshot)); strings.Contains(res.Snapshot.Text, "secret") {
		t.Error("the password stands in the snapshot")
	}
}

func TestKeys(t *testing.T) {
	r := open(t)
	r.html(`<form onsubmit="o.textContent += 'submitted '; return false"><input id=i value=abc></form><output id=o></output>
		<script>i.addEventListener('keydown', e => o.textContent += [e.ctrlKey ? 'C' : '', e.shiftKey ? 'S' : '', e.key, e.code].join('') + ' ')</script>`)
	r.must(act(session.VerbType, "css", "#i", "text", "D!é"))
	r.must(act(session.VerbPress, "key", "Shift+ArrowLeft"))
	r.must(act(session.VerbPress, "key", "Backspace"))
	if got := r.js("i.value"); got != `"abcD!"` {
		t.Errorf("value %s", got)
	}
	r.must(act(session.VerbPress, "css", "#i", "key", "Control+a"))
	r.must(act(session.VerbType, "text", "new", "submit", true))
	if got := r.js("i.value"); got != `"new"` {
		t.Errorf("value %s after Control+a", got)
	}
	log := r.js("o.textContent")
	for _, want := range []string{"DKeyD ", "!Digit1 ", "SArrowLeftArrowLeft ", "CaKeyA ", "EnterEnter ", "submitted"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in %s", want, log)
		}
	}
	r.fails(act(session.VerbPress, "key", "Hyper+x"), `no key "Hyper"`)
	r.fails(act(session.VerbPress, "key", "a+b"), "cannot be held")
}

func TestCheck(t *testing.T) {
	r := open(t)
	r.html(`<input type=checkbox id=c><label><input type=radio name=g id=r1>R1</label><input type=radio name=g id=r2>
		<label id=l><input type=checkbox id=h style="position:absolute;opacity:0;width:0;height:0"><span style="display:inline-block;width:20px;height:20px;background:blue"></span> Pretty</label>
		<div role=switch aria-checked=false id=s tabindex=0 onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">sw</div>
		<input type=checkbox id=stuck onclick="return false"><button id=b>b</button>`)
	on := func(id string) string { return r.js(id + ".checked") }
	for range 2 { // the second time there is nothing to do
		r.must(act(session.VerbCheck, "css", "#c"))
		if on("c") != "true" {
			t.Error("#c is not checked")
		}
	}
	for range 2 {
		r.must(act(session.VerbUncheck, "css", "#c"))
		if on("c") != "false" {
			t.Error("#c is checked")
		}
	}
	r.must(act(session.VerbCheck, "css", "label", "nth", 1))
	if on("r1") != "true" {
		t.Error("the label's radio is not checked")
	}
	r.fails(act(session.VerbUncheck, "css", "#r1"), "radio button")
	r.must(act(session.VerbCheck, "css", "#h"))
	if on("h") != "true" {
		t.Error("the hidden checkbox is not checked through its label")
	}
	r.must(act(session.VerbCheck, "css", "#s"))
	if got := r.js("s.getAttribute('aria-checked')"); got != `"true"` {
		t.Errorf("the switch is %s", got)
	}
	r.fails(act(session.VerbCheck, "css", "#stuck"), "still not checked")
	r.fails(act(session.VerbCheck, "css", "#b"), "cannot be checked")
}

func TestSelect(t *testing.T) {
	r := open(t)
	r.html(`<select id=s><option value=v1>First one<option value=v2>  Second
		one <option disabled>Third</select><select id=m multiple><option>a<option>b<option>c</select><output id=o></output>
		<script>for (const k of ['input','change']) s.addEventListener(k, () => o.textContent += k + s.value + ' ')</script>`)
	r.must(act(session.VerbSelect, "css", "#s", "value", "Second one"))
	r.must(act(session.VerbSelect, "css", "#s", "value", "v1"))
	r.must(act(session.VerbSelect, "css", "#s", "value", "v1")) // nothing changes, nothing is told
	if got := r.js("o.textContent"); got != `"inputv2 changev2 inputv1 changev1 "` {
		t.Errorf("events %s", got)
	}
	r.must(act(session.VerbSelect, "css", "#m", "value", []any{"a", "c"}))
	if got := r.js("[...m.selectedOptions].map(o => o.value).join()"); got != `"a,c"` {
		t.Errorf("selected %s", got)
	}
	r.fails(act(session.VerbSelect, "css", "#s", "value", "Fourth"), "no option “Fourth”", "First one, Second one, Third")
	r.fails(act(session.VerbSelect, "css", "#s", "value", "Third"), "disabled")
	r.fails(act(session.VerbSelect, "css", "#o", "value", "x"), "not a select")
}

func TestScroll(t *testing.T) {
	r := open(t)
	r.html(`<div style="height:5000px">tall</div><div id=in style="height:100px;overflow:auto"><div style="height:900px">inner</div></div>`)
	r.must(act(session.VerbScroll, "to", "bottom"))
	if got := r.js("scrollY > 4000"); got != "true" {
		t.Error("not at the bottom")
	}
	r.must(act(session.VerbScroll, "by", float64(-100)))
	r.must(act(session.VerbScroll, "to", "top"))
	if got := r.js("scrollY"); got != "0" {
		t.Errorf("scrollY %s", got)
	}
	r.must(act(session.VerbScroll, "css", "#in"))
	if got := r.js("in_ = document.getElementById('in').getBoundingClientRect(), in_.top >= 0 && in_.bottom <= innerHeight"); got != "true" {
		t.Error("the element is not in view")
	}
	r.must(act(session.VerbScroll, "css", "#in", "by", 50))
	if got := r.js("document.getElementById('in').scrollTop"); got != "50" {
		t.Errorf("scrollTop %s", got)
	}
	r.fails(act(session.VerbScroll), "scroll needs")
	r.html(`<style>html,body{margin:0;height:100%;overflow:hidden}</style><main style="height:100%;overflow:auto"><div style="height:4000px">app</div></main>`)
	r.must(act(session.VerbScroll, "to", "bottom"))
	if got := r.js("document.querySelector('main').scrollTop > 3000"); got != "true" {
		t.Error("the app's own scroller did not move")
	}
}

func TestDrag(t *testing.T) {
	r := open(t)
	r.html(`<style>div{width:80px;height:40px;margin:10px;background:#ddd}</style><div id=a draggable=true>A</div><div id=b>B</div><div id=m>M</div><output id=o></output><script>
		a.ondragstart = e => e.dataTransfer.setData('text/plain', 'carried');
		b.ondragover = e => e.preventDefault();
		b.ondrop = e => { e.preventDefault(); o.textContent += 'dropped ' + e.dataTransfer.getData('text/plain') };
		a.ondragend = () => o.textContent += ' ended';
		let down = false; m.onmousedown = () => down = true; b.onmouseup = () => { if (down) o.textContent += ' mouse'; down = false }</script>`)
	r.must(act(session.VerbDrag, "css", "#a", "to", map[string]any{"css": "#b"}))
	if got := r.js("o.textContent"); !strings.Contains(got, "dropped carried") {
		t.Errorf("got %s", got)
	}
	r.must(act(session.VerbDrag, "css", "#m", "to", map[string]any{"css": "#b"}))
	if got := r.js("o.textContent"); !strings.Contains(got, " mouse") {
		t.Errorf("got %s", got)
	}
	r.must(act(session.VerbClick, "css", "#b")) // the mouse works as before
}

func TestUpload(t *testing.T) {
	r := open(t)
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.txt"), filepath.Join(dir, "two.txt")
	for _, f := range []string{one, two} {
		if err := os.WriteFile(f, []byte("hello"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.html(`<input type=file id=f><input type=file id=many multiple hidden><button onclick="many.click()">Attach</button><button id=x>no</button>`)
	r.must(act(session.VerbUpload, "css", "#f", "files", one))
	if got := r.js("f.files[0].name"); got != `"one.txt"` {
		t.Errorf("file %s", got)
	}
	r.must(act(session.VerbUpload, "role", "button", "name", "Attach", "files", []any{one, two}))
	if got := r.js("many.files.length"); got != "2" {
		t.Errorf("%s files", got)
	}
	r.fails(act(session.VerbUpload, "css", "#f", "files", []any{one, two}), "one file")
	r.fails(act(session.VerbUpload, "css", "#f", "files", filepath.Join(dir, "none")), "there is no file")
	r.fails(act(session.VerbUpload, "css", "#f", "files", dir), "folder")
	r.fails(act(session.VerbUpload, "css", "#x", "files", one), "no file chooser")
}

func TestEvaluate(t *testing.T) {
	r := open(t)
	r.html(`<button>B</button>`)
	for _, c := range []struct{ js, want string }{
		{"1 + 1", "2"},
		{"() => 'x'", `"x"`},
		{"async () => ({a: [1, null]})", `{"a":[1,null]}`},
		{"function () { return 3 }", "3"},
		{"{a: 1, b: 2}", `{"a":1,"b":2}`},
		{"undefined", "undefined"},
		{"const x = 4; x * 2", "8"},
		{"NaN", "NaN"},
		{"Promise.resolve([1])", "[1]"},
		{"document.title", `"test"`},
		{"JSON.stringify = () => 'mine'; [1]", "[1]"},
	} {
		if got := r.js(c.js); got != c.want {
			t.Errorf("%s gave %s, want %s", c.js, got, c.want)
		}
	}
	if got := r.must(act(session.VerbEvaluate, "role", "button", "js", "el => el.textContent")).Text; got != `"B"` {
		t.Errorf("with an element: %s", got)
	}
	r.fails(act(session.VerbEvaluate, "js", "nope()"), "ReferenceError")
	r.fails(act(session.VerbEvaluate, "js", "let let"), "SyntaxError")
	r.fails(act(session.VerbEvaluate, "js", "const a = {}; a.a = a; a"), "refers to itself")
}

func TestWait(t *testing.T) {
	r := open(t)
	r.html(`<p id=p>1 lead</p><div id=host></div><script>host.attachShadow({mode:'open'}); setTimeout(() => { p.innerHTML = '<b>3</b> leads'; history.pushState({}, '', '#three');
		host.shadowRoot.innerHTML = '<i>in shadow</i>' }, 250)</script>`)
	r.must(act(session.VerbWait, "text", "3 leads"))
	r.must(act(session.VerbWait, "gone", "1 lead "))
	r.must(act(session.VerbWait, "url", "#three"))
	r.must(act(session.VerbWait, "text", "in shadow"))
	r.must(act(session.VerbWait, "css", "b"))
	r.must(act(session.VerbWait, "ms", float64(30)))
	r.fails(act(session.VerbWait, "text", "9 leads"), "“9 leads” did not come within 1 s")
	r.fails(act(session.VerbWait, "gone", "leads", "ms", float64(100)), "did not go within 0.1 s")
	r.fails(act(session.VerbWait, "css", ".none", "ms", float64(50)), "css .none did not come")
}

func TestScreenshot(t *testing.T) {
	r := open(t)
	r.html(`<button style="width:100px;height:30px">B</button>`)
	file := filepath.Join(t.TempDir(), "p.png")
	res := r.must(act(session.VerbScreenshot, "file", file))
	if res.Image != file || !slices.Equal(res.Images, []snapshot.Size{{W: 1280, H: 720}}) {
		t.Errorf("image %q, %v", res.Image, res.Images)
	}
	size := func(b []byte) [2]int { return [2]int{int(b[18])<<8 | int(b[19]), int(b[22])<<8 | int(b[23])} }
	data, err := os.ReadFile(file)
	if err != nil || size(data) != [2]int{1280, 720} {
		t.Errorf("%v, size %v", err, size(data))
	}
	res = r.must(act(session.VerbScreenshot, "css", "button", "file", file))
	if !slices.Equal(res.Images, []snapshot.Size{{W: 100, H: 30}}) {
		t.Errorf("an element's picture is %v", res.Images)
	}
	if data, err = os.ReadFile(file); err != nil || size(data) != [2]int{100, 30} {
		t.Errorf("%v, size %v", err, size(data))
	}
	r.b.opts.Shots = t.TempDir()
	defer func() { r.b.opts.Shots = "" }()
	if st, err := os.Stat(r.must(act(session.VerbScreenshot)).Image); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("a picture that nobody named: %v, %v", st, err)
	}
	r.fails(act(session.VerbScreenshot, "file", filepath.Join(t.TempDir(), "no", "p.png")), "writing the screenshot")
}
