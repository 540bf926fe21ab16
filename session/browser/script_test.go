package browser

import (
	"context"
	"strings"
	"testing"
	"time"

	"snapscope/session"
	"snapscope/snapshot/aria"
)

// world evaluates an expression of text beside the page's script and gives it.
func (r *rig) world(expression string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), ample)
	defer cancel()
	tab, err := r.b.tab(ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	v, err := r.b.eval(ctx, tab.root, evaluation{Expression: "String(" + expression + ")", ByValue: true, Await: true})
	if err != nil {
		r.t.Fatalf("%s: %v", expression, err)
	}
	text, err := v.text()
	if err != nil {
		r.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// A form whose fields bear the names of DOM properties is walked all the same.
func TestClobberedForm(t *testing.T) {
	r := open(t)
	names := strings.Fields("children parentNode firstChild nextSibling nodeType localName getAttribute attributes shadowRoot isConnected labels contains host nodeValue")
	var html strings.Builder
	html.WriteString("<img name=body alt=i><form name=activeElement aria-label=f>")
	for _, name := range names {
		html.WriteString("<input aria-label=in-" + name + " name=" + name + ">")
	}
	html.WriteString("<button>inside</button></form><p>after")
	text := r.html(html.String()).Snapshot.Text
	for _, want := range append([]string{`form "f"`, `button "inside"`, "paragraph [ref="}, names...) {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if got := r.world(aria.Object + `.find("button", "inside")[0].textContent`); got != "inside" {
		t.Errorf("the button inside was not found: %q", got)
	}
}

// Find goes by role and name over the tree that is captured, an exact name first.
func TestFindByRoleAndName(t *testing.T) {
	r := open(t)
	r.html(`<button>Save all</button><button>Save</button><button hidden>Save</button><a href="#">Save</a><div id=h></div>
		<script>h.attachShadow({mode: 'open'}).innerHTML = '<button>Deep  one</button><input class=q>'</script>`)
	for expression, want := range map[string]string{
		aria.Object + `.find("button", "Save").map(e => e.textContent)`:    "Save",
		aria.Object + `.find("button", "save").map(e => e.textContent)`:    "Save all,Save",
		aria.Object + `.find("button", "save", 1).map(e => e.textContent)`: "Save",
		aria.Object + `.find("button", "").length`:                         "3",
		aria.Object + `.find("button", "Deep one").length`:                 "1",
		aria.Object + `.find("", "Save").length`:                           "2",
		aria.Object + `.find("heading", "").length`:                        "0",
		aria.Object + `.query("input.q").length`:                           "1",
		aria.Object + `.query("button", 1).map(e => e.textContent)`:        "Save",
		aria.Object + `.element("e999")`:                                   "null",
		aria.Object + `.describe("e999")`:                                  "",
	} {
		if got := r.world(expression); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
}

// A ref is kept while role and name stay and not given twice.
func TestRefsOutliveCaptures(t *testing.T) {
	r := open(t)
	res := r.html(`<button id=b onclick="this.textContent = 'two'">one</button><p>x`)
	first := refOf(t, res, `button "one"`)
	again := r.must(act(session.VerbSnapshot))
	if got := refOf(t, again, `button "one"`); got != first {
		t.Errorf("the ref went from %s to %s without a change", first, got)
	}
	clicked := r.must(act(session.VerbClick, "ref", first))
	second := refOf(t, clicked, `button "two"`)
	if second == first {
		t.Errorf("a renamed button kept ref %s", first)
	}
	r.fails(act(session.VerbClick, "ref", first), `button "one"`)
	r.must(act(session.VerbClick, "ref", second))
}

// Text beyond the limit is cut with a note, wherever it stands.
func TestTextLimit(t *testing.T) {
	r := with(t, Options{MaxText: 20_000, Settle: Settle{QuietFor: 20 * time.Millisecond}})
	for name, html := range map[string]string{
		"one text":    `<button>go</button><p id=p></p><script>p.textContent = 'word '.repeat(10000)</script>`,
		"many texts":  `<button>go</button><div id=p></div><script>p.innerHTML = '<p>some words here</p>'.repeat(3000)</script>`,
		"deep indent": `<button>go</button><div id=p></div><script>let e = p; for (let i = 0; i < 300; i++) { const k = document.createElement('div'); k.append('t'); e.append(k); e = k }</script>`,
	} {
		snap := r.html(html).Snapshot
		if len(snap.Text) > 25_000 || !strings.Contains(snap.Text, `button "go"`) {
			t.Errorf("%s: %d bytes of text", name, len(snap.Text))
		}
		if !strings.Contains(strings.Join(snap.Notes, "; "), "cut") {
			t.Errorf("%s: notes %q do not say that it was cut", name, snap.Notes)
		}
	}
}

// A password stays in the page, in its field and in names made from it.
func TestPasswordsAreMasked(t *testing.T) {
	r := open(t)
	text := r.html(`<label id=l>Key <input type=password value=hunter2></label><button aria-labelledby=l>x</button><h2>is <input type=password value=hunter2></h2>`).Snapshot.Text
	if strings.Contains(text, "hunter2") || strings.Count(text, "••••") < 3 {
		t.Errorf("%s", text)
	}
}

// Generated text follows a sheet whose rules changed in place, and refs of what
// stayed as it was stay.
func TestChangedStyleSheets(t *testing.T) {
	r := open(t)
	for _, c := range []struct{ name, body, change, want, keeps string }{
		{
			"a selector", `<style id=st>.r::after{content:" *"}</style><label class=r>Name</label><button class=q>Go</button><a href=#>k</a>`,
			`document.querySelector('#st').sheet.cssRules[0].selectorText = '.q::after'`, `button "Go *"`, `link "k"`,
		},
		{
			"a rule inside a media rule", `<style id=st>@media(min-width:1px){.x{color:red}}</style><button class=q>Go</button><a href=#>k</a>`,
			`document.querySelector('#st').sheet.cssRules[0].insertRule('.q::after{content:" !"}', 0)`, `button "Go !"`, `link "k"`,
		},
		{
			"a constructed sheet", `<button id=b>Go</button><a href=# id=z>Z</a><script>window.cs = new CSSStyleSheet(); cs.replaceSync('#b::after{content:"A"}'); document.adoptedStyleSheets = [cs]</script><p>k</p>`,
			`cs.replaceSync('#z::after{content:"B"}')`, `link "ZB"`, `paragraph`,
		},
		{
			"a large sheet", `<style id=st></style><button class=q>Go</button><a href=#>k</a><script>st.textContent = '.z{color:red}'.repeat(3000)</script>`,
			`document.querySelector('#st').sheet.insertRule('.q::after{content:" !"}', 0)`, `button "Go !"`, `link "k"`,
		},
	} {
		res := r.html(c.body)
		kept := refOf(t, res, c.keeps)
		res = r.must(act(session.VerbEvaluate, "js", c.change+"; 1"))
		has(t, res, c.want)
		if got := refOf(t, res, c.keeps); got != kept {
			t.Errorf("%s: what stayed has ref %s, had %s", c.name, got, kept)
		}
	}
}
