package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/snapshot/mask"
)

// What was typed into a field for secrets is in no state file: not the line that
// typed it, in any form, nor one whose action never came to its end. What the session
// shows in clear comes back as it was typed.
func TestHistoryForgetsSecrets(t *testing.T) {
	dir := t.TempDir()
	e := liveEngine(10)
	e.do = func(_ context.Context, a session.Action) ([]session.Event, error) {
		if a.Text("text") == "never-come-back" {
			return nil, context.Canceled
		}
		shown := a
		if !strings.HasPrefix(a.Text("text"), "Bonn") {
			shown.Args = map[string]any{"text": mask.Masked}
		}
		return fakeStep(90, shown, leadsURL, "Leads · CRM", leadsPage(10, 2, "")), nil
	}
	d := newDriver(t, Config{Engine: e, AutoSteps: 2, StateDir: dir}, 120, 36)
	for _, line := range []string{
		"fill e9000 Bonn am Rhein", "fill e9000 hunter22", `fill textbox "Password" hunter33`, "fill {role: textbox, name: Password, text: 'hunter 44'}",
		"type hunter55", "type {text: \"hunter 66\"}", "type e9000 never-come-back", "goto https://me:hunter77@shop.test/?access_token=abcdef123456",
	} {
		d.press(":")
		d.typed(line)
		d.press("enter")
		if d.m.input != nil {
			t.Fatalf("%s: %s", line, d.m.input.Err)
		}
	}
	d.press("q")
	kept, err := os.ReadFile(filepath.Join(dir, "screen.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter", "never-come", "abcdef123456"} {
		if strings.Contains(string(kept), secret) {
			t.Errorf("the state file holds %s: %s", secret, kept)
		}
	}
	history := strings.Join(d.m.s.Hist, "\n")
	for _, want := range []string{"fill e9000 Bonn am Rhein", "fill e9000 " + mask.Masked, `fill textbox "Password" ` + mask.Masked, "type " + mask.Masked, "shop.test"} {
		if !strings.Contains(history, want) {
			t.Errorf("the history lacks %q:\n%s", want, history)
		}
	}
}

// A running agent's arguments, changed on the screen, are not kept.
func TestHistoryKeepsNoArguments(t *testing.T) {
	d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: -1}, 120, 36)
	d.m.cfg.Seat = &fakeSeat{}
	for _, line := range []string{`args {"ref":"e1","text":"hunter22"}`, "step"} {
		d.press(":")
		d.typed(line)
		d.press("enter")
	}
	if h := strings.Join(d.m.s.Hist, "\n"); h != "step" {
		t.Errorf("the history holds %q", h)
	}
}
