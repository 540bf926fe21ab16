package session_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/snapshot"
)

// vault is a driver with a page that holds secrets, and a field that only it
// knows to be one for secrets.
type vault struct{ got []string }

func (v *vault) Do(_ context.Context, a session.Action) (*session.Result, error) {
	v.got = append(v.got, a.Text("text"))
	text := "- textbox \"Passcode\" [ref=e1]\n- textbox [ref=e2]: x\n- link \"Reset\" [ref=e3]:\n  - /url: /reset?token=abcdef123456"
	return &session.Result{
		OK: true, Text: "typed " + a.Text("text") + "; sid=0123456789; theme=dark", URL: "http://x/?access_token=abcdef123456",
		Console:  []string{"Authorization: Bearer abcdef0123456789abcdef"},
		Snapshot: &snapshot.Snapshot{Text: text, Hash: snapshot.HashText(text), Dialect: "aria"},
	}, nil
}

func (v *vault) Close() error { return nil }

func (v *vault) TakesSecret(_ context.Context, a session.Action) bool {
	return a.Target != nil && a.Target.Ref == "e2"
}

// What is typed into a field for secrets reaches the browser and nobody else:
// not the recording, not the events that are printed and shown.
func TestTypedSecretsAreMasked(t *testing.T) {
	const script = `
- goto: http://x/
- fill: {role: textbox, name: Password, text: by-its-name}
- fill: {ref: e1, text: by-the-page}
- fill: {ref: e2, text: by-the-driver}
- fill: {css: "#new_password", text: by-its-css}
- fill: {role: textbox, name: City, text: Bonn-am-Rhein}
- evaluate: "document.cookie"
`
	typed := []string{"by-its-name", "by-the-page", "by-the-driver", "by-its-css"}
	for _, keep := range []bool{false, true} {
		d, sink := &vault{}, &memSink{}
		l := newTestLive(t, d, sink, script)
		if keep {
			var err error
			if l, err = session.NewLive(session.LiveOptions{Driver: d, Script: l.Pending(), Sink: sink, Clock: steppedClock(), KeepSecrets: true}); err != nil {
				t.Fatal(err)
			}
		}
		var shown []session.Event
		for {
			events, err := l.Step(context.Background())
			if err != nil {
				break
			}
			shown = append(shown, events...)
		}
		for _, w := range typed {
			if !strings.Contains(strings.Join(d.got, " "), w) {
				t.Errorf("the browser did not get %q", w)
			}
		}
		for name, events := range map[string][]session.Event{"recorded": sink.events, "shown": shown} {
			b, err := json.Marshal(events)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range append(typed, "abcdef123456", "abcdef0123456789abcdef", "0123456789; theme") {
				if strings.Contains(string(b), w) != keep {
					t.Errorf("keep %v: %s events hold %q: %v", keep, name, w, !keep)
				}
			}
			if last := events[len(events)-1].Result; strings.Contains(last.Text, "theme=dark") != keep {
				t.Errorf("keep %v: %s cookies %q", keep, name, last.Text)
			}
			if !strings.Contains(string(b), "Bonn-am-Rhein") {
				t.Errorf("keep %v: %s events lost what is no secret", keep, name)
			}
		}
	}
}
