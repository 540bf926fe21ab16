package browser

import (
	"context"

	"snapscope/session"
)

// asksForSecret knows fields whose value is a secret by what the page declares
// (HTML, "The input element" and "Autofill"): it keeps quiet about the value.
const asksForSecret = `function(){
	const kind = String(this.getAttribute && this.getAttribute("type") || "").toLowerCase();
	const fills = String(this.getAttribute && this.getAttribute("autocomplete") || "").toLowerCase();
	return kind === "password" || this.type === "password" || /(current|new)-password|one-time-code|cc-number|cc-csc/.test(fills);
}`

// TakesSecret reports whether what an action types goes into a field for
// secrets. It waits for the element as the action would; one that is not there
// takes none. A text that is typed without an element goes into the one that has
// the focus.
func (b *Browser) TakesSecret(ctx context.Context, a session.Action) bool {
	ctx, cancel := context.WithTimeout(ctx, b.opts.StepMax)
	defer cancel()
	sctx, done, err := b.begin(ctx)
	if err != nil {
		return false
	}
	defer done()
	s := &stepping{b: b, a: a, outer: ctx}
	if s.t, err = b.tab(sctx); err != nil || s.blocked() != nil {
		return false
	}
	var el *element
	if a.Target != nil {
		el, err = s.find(sctx, a.Target)
	} else {
		b.mu.Lock()
		root := s.t.root
		b.mu.Unlock()
		if root == nil {
			return false
		}
		el, err = s.handle(sctx, root, "document.activeElement")
	}
	if err != nil || el == nil {
		return false
	}
	r, err := b.callOn(sctx, el.session, el.object, asksForSecret, true)
	return err == nil && string(r.Value) == "true"
}
