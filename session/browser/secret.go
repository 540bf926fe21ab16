package browser

import (
	"context"
	"encoding/json"

	"snapscope/session"
	"snapscope/snapshot/mask"
)

// describesField is what a page says of a field besides its value: its type, what is
// to be filled in (HTML, "The input element" and "Autofill"), its names and its labels.
const describesField = `function(){
	const get = (e, n) => String(e.getAttribute && e.getAttribute(n) || "");
	const kind = get(this, "type").toLowerCase(), fills = get(this, "autocomplete").toLowerCase();
	if (kind === "password" || this.type === "password" || /(current|new)-password|one-time-code|cc-number|cc-csc/.test(fills)) return "password";
	const said = [], text = e => { if (e) said.push(String(e.textContent || "").slice(0, 500)) };
	let at = this;
	for (let up = 0; at && at.getAttribute && up < 8; up++, at = at.parentElement) {
		for (const n of ["aria-label", "placeholder", "aria-placeholder", "title", "name", "id"]) said.push(get(at, n).slice(0, 500));
		for (const by of ["aria-labelledby", "aria-describedby"])
			for (const id of get(at, by).split(/\s+/).slice(0, 8)) if (id && at.getRootNode().getElementById) text(at.getRootNode().getElementById(id));
		for (const l of Array.from(at.labels || []).slice(0, 8)) text(l);
		if (!at.isContentEditable || !at.parentElement || !at.parentElement.isContentEditable) break;
	}
	if (this.closest) text(this.closest("label"));
	return said.join(" ").slice(0, 8000);
}`

// TakesSecret reports whether what an action types goes into a field for
// secrets, by all that the page says of the field. It waits for the element as the
// action would. A text that is typed without an element goes into the one that has
// the focus. Of an element that cannot be looked at nobody knows what it takes, so it
// takes secrets, unless the action says by a name what it is.
func (b *Browser) TakesSecret(ctx context.Context, a session.Action) bool {
	unknown := a.Target == nil || a.Target.Name == ""
	ctx, cancel := context.WithTimeout(ctx, b.opts.StepMax)
	defer cancel()
	sctx, done, err := b.begin(ctx)
	if err != nil {
		return unknown
	}
	defer done()
	s := &stepping{b: b, a: a, outer: ctx}
	if s.t, err = b.tab(sctx); err != nil || s.blocked() != nil {
		return unknown
	}
	var el *element
	if a.Target != nil {
		el, err = s.find(sctx, a.Target)
	} else {
		b.mu.Lock()
		root := s.t.root
		b.mu.Unlock()
		if root == nil {
			return unknown
		}
		el, err = s.handle(sctx, root, "document.activeElement")
	}
	if err != nil || el == nil {
		return unknown
	}
	r, err := b.callOn(sctx, el.session, el.object, describesField, true)
	var said string
	if err != nil || json.Unmarshal(r.Value, &said) != nil {
		return unknown
	}
	return mask.SaysSecret(said)
}
