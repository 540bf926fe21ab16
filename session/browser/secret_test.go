package browser

import (
	"testing"

	"snapscope/session"
)

// A field for secrets is told by its type or by what the page wants filled in,
// whatever it is called; what is typed without an element goes into the focus.
func TestTakesSecret(t *testing.T) {
	r := open(t)
	r.html(`<input id=p type=password><input id=c autocomplete=one-time-code><input id=q aria-label="Password hint"><textarea id=a></textarea>`)
	for css, want := range map[string]bool{"#p": true, "#c": true, "#q": false, "#a": false} {
		if got := r.b.TakesSecret(t.Context(), act(session.VerbFill, "css", css, "text", "x")); got != want {
			t.Errorf("%s takes a secret: %v", css, got)
		}
	}
	for css, want := range map[string]bool{"#p": true, "#a": false} {
		r.must(act(session.VerbClick, "css", css))
		if got := r.b.TakesSecret(t.Context(), session.Action{Verb: session.VerbType, Args: map[string]any{"text": "x"}}); got != want {
			t.Errorf("with the focus on %s: %v", css, got)
		}
	}
}
