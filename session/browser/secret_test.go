package browser

import (
	"testing"

	"snapscope/session"
)

// A field for secrets is told by its type, by what the page wants filled in and by its
// labels, in whatever language; what is typed without an element goes into the focus.
func TestTakesSecret(t *testing.T) {
	r := open(t)
	r.html(`<input id=p type=password><input id=c autocomplete=one-time-code><input id=q aria-label="City"><textarea id=a></textarea>
		<label for=f1>Password</label><input id=f1><label>API key <input id=f2></label><span id=s>Private key</span><textarea id=f3 aria-labelledby=s></textarea>
		<div id=f4 contenteditable aria-label="API key"><p id=f5>x</p></div><input id=f6 placeholder="Clave"><label>Hasło<input id=f7></label><input id=f8 title=Wachtwoord>
		<label>暗証番号<input id=f9></label><label>Adres<input id=n1></label><label>Secretary<input id=n2></label>`)
	for css, want := range map[string]bool{
		"#p": true, "#c": true, "#q": false, "#a": false, "#n1": false, "#n2": false,
		"#f1": true, "#f2": true, "#f3": true, "#f4": true, "#f5": true, "#f6": true, "#f7": true, "#f8": true, "#f9": true,
	} {
		if got := r.b.TakesSecret(t.Context(), act(session.VerbFill, "css", css, "text", "x")); got != want {
			t.Errorf("%s takes a secret: %v", css, got)
		}
	}
	for css, want := range map[string]bool{"#p": true, "#f2": true, "#a": false} {
		r.must(act(session.VerbClick, "css", css))
		if got := r.b.TakesSecret(t.Context(), session.Action{Verb: session.VerbType, Args: map[string]any{"text": "x"}}); got != want {
			t.Errorf("with the focus on %s: %v", css, got)
		}
	}
}
