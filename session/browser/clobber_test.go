package browser

import (
	"strings"
	"testing"

	"snapscope/session"
)

// clobber names elements after all that a script may ask of a window, a
// document or a form: named access (HTML, "named properties on the Window
// object" and [LegacyOverrideBuiltIns] of Document and HTMLFormElement) then
// answers with the page's elements instead.
const clobber = `<title>test</title><div id=__snapscope>first</div><div id=__snapact>second</div>
	<div id=many hidden></div>
	<form id=around onsubmit="return false"><button id=go onclick="this.textContent += '!'; return false">Go</button>
	<input aria-label=in><select aria-label=sel><option>a<option>b</select><label><input type=checkbox>tick</label>
	<div style="height:3000px">tall</div><button onclick="this.textContent += '!'; return false">Far</button></form>
	<style>#go::after{content:" now"}</style><script>
	const names = new Set(['__snapscope', '__snapact', 'snapscope', 'INFO', 'opts']);
	for (const o of [window, document, document.createElement('form'), document.createElement('input')])
		for (let p = o; p; p = Object.getPrototypeOf(p)) for (const n of Object.getOwnPropertyNames(p)) names.add(n);
	for (const n of names) {
		const [form, div, input] = ['form', 'div', 'input'].map(t => Document.prototype.createElement.call(document, t));
		form.setAttribute('name', n); div.setAttribute('id', n); input.setAttribute('name', n); input.setAttribute('type', 'hidden');
		many.append(form, div);
		Node.prototype.appendChild.call(around, input);
	}</script>`

// No name that the page gives an element reaches our script.
func TestNamesOfThePageDoNotReachOurScript(t *testing.T) {
	r := open(t)
	res := r.html(clobber)
	has(t, res, `button "Go now"`, "first", "second", `textbox "in"`, "tall")
	has(t, r.must(act(session.VerbClick, "ref", refOf(t, res, `button "Go now"`))), `button "Go! now"`)
	has(t, r.must(act(session.VerbClick, "role", "button", "name", "Far")), `button "Far!"`)
	has(t, r.must(act(session.VerbFill, "role", "textbox", "name", "in", "text", "typed")), ": typed")
	r.must(act(session.VerbType, "css", "input[aria-label=in]", "text", "+"))
	r.must(act(session.VerbPress, "key", "End"))
	r.must(act(session.VerbSelect, "role", "combobox", "name", "sel", "value", "b"))
	has(t, r.must(act(session.VerbCheck, "role", "checkbox")), "checkbox \"tick\" [checked]")
	r.must(act(session.VerbHover, "css", "#around"))
	r.must(act(session.VerbScroll, "to", "bottom"))
	r.must(act(session.VerbScroll, "css", "#around", "to", "top"))
	r.must(act(session.VerbWait, "text", "tall"))
	if _, err := r.b.Box(t.Context(), refOf(t, res, "tall")); err != nil {
		t.Error(err)
	}
	res = r.must(act(session.VerbSnapshot))
	for _, n := range res.Snapshot.Notes {
		if strings.Contains(n, "script") {
			t.Errorf("note %q", n)
		}
	}
}
