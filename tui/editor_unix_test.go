//go:build unix

package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
)

// editWith lets a script be the person's editor, and answers what comes of it.
func editWith(t *testing.T, d *driver, script, word, text string) edited {
	t.Helper()
	file := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	name, err := editorOf(func(key string) string { return map[string]string{"EDITOR": file + " -w"}[key] })
	if err != nil {
		t.Fatal(err)
	}
	run, done, err := d.m.editing(name, d.m.cfg.Seat.State().Holds[0], word, text)
	if err != nil {
		t.Fatal(err)
	}
	msg, ok := done(run.Run()).(edited)
	if !ok {
		t.Fatal("the editor's end is no message")
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "snapscope-edit-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	return msg
}

// What is held is changed at any size: in the line where it fits, else in an editor,
// during which the lease is renewed; what cannot be sent is there at the next try.
func TestWhatIsHeldIsEditedAtAnySize(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	page := "### Page\n" + strings.Repeat("- button \"Save\" [ref=e1]\n", 50_000)
	result := `{"content":[{"type":"text","text":` + string(proxy.Quote(page)) + `}]}`
	d := newDriver(t, Config{Engine: leadsEngine(5), AutoSteps: -1}, 120, 36)
	f := &fakeSeat{st: control.State{Steering: true, Holds: []proxy.Hold{{ID: "h1", What: proxy.HeldResult, Tool: "browser_snapshot", Result: json.RawMessage(result)}}}}
	d.m.cfg.Seat = f

	text, ok := onlyText(json.RawMessage(result))
	if !ok || text != page {
		t.Fatalf("the result's text is not what is edited: %t, %d of %d bytes", ok, len(text), len(page))
	}
	sent := func(msg edited) string {
		f.lines = nil
		d.run(msg.apply(d.m))
		return strings.Join(f.lines, "|")
	}
	msg := editWith(t, d, `sed -i 's/Save/Send/' "$2"; sleep 1.2`, "text", page)
	want := `give {"content":[{"type":"text","text":` + string(proxy.Quote(strings.TrimSuffix(strings.ReplaceAll(page, "Save", "Send"), "\n"))) + `}]}`
	if got := sent(msg); got != want {
		t.Errorf("the seat was told %.200s (%d bytes), want %.200s (%d)", got, len(got), want, len(want))
	}
	if f.beats == 0 {
		t.Error("the lease was not renewed while the editor was open")
	}

	f.st.Holds = []proxy.Hold{{ID: "h2", What: proxy.HeldCall, Tool: "browser_type", Args: json.RawMessage(`{"ref":"e1"}`)}}
	if got := sent(editWith(t, d, `:`, "args", `{"ref":"e1"}`)); got != "" {
		t.Errorf("nothing was changed, and the seat was told %s", got)
	}
	d.wants("nothing was changed")
	if got := sent(editWith(t, d, `printf '{"ref":\n "e2",}' > "$2"`, "args", `{"ref":"e1"}`)); got != "" {
		t.Errorf("what is no JSON was sent: %s", got)
	}
	d.wants("line 2, column 7", "still held, E opens it again")
	if d.m.unsent != (unsent{"h2", "args", "{\"ref\":\n \"e2\",}"}) {
		t.Errorf("what was typed is lost: %+v", d.m.unsent)
	}
	if got := sent(editWith(t, d, `sed -i 's/,}/}/' "$2"`, "args", d.m.unsent.text)); got != `args {"ref":"e2"}` {
		t.Errorf("the seat was told %s", got)
	}
	if got := sent(editWith(t, d, `exit 3`, "args", `{}`)); got != "" {
		t.Errorf("the editor failed, and the seat was told %s", got)
	}
	d.wants("ended with an error")
	if _, err := editorOf(func(string) string { return "no-such-editor" }); err == nil || !strings.Contains(err.Error(), "set $EDITOR") {
		t.Errorf("an editor that is not there: %v", err)
	}
}

// Steps that a person held, changed or answered bear a mark and are found by it; what is
// held is named as the page names it.
func TestTouchedStepsAreMarkedAndFound(t *testing.T) {
	e := leadsEngine(6)
	e.steps[1][1].Result.Held = 1500
	e.steps[2][0].Action.Given = map[string]any{"ref": "e1"}
	e.steps[3][1].Result.Touched = "answered"
	d := newDriver(t, Config{Engine: e, AutoSteps: len(e.steps)}, 160, 45)
	ref := ""
	for _, s := range d.m.s.Tl.Snaps {
		if i := strings.Index(s.Snap.Text, "checkbox \""); i >= 0 {
			rest := s.Snap.Text[i:]
			at := strings.Index(rest, "[ref=") + len("[ref=")
			ref = rest[at : at+strings.IndexByte(rest[at:], ']')]
			break
		}
	}
	f := &fakeSeat{st: control.State{Steering: true, Holds: []proxy.Hold{{ID: "h1", What: proxy.HeldCall, Tool: "browser_click", Args: json.RawMessage(`{"target":"` + ref + `"}`)}}}}
	d.m.cfg.Seat = f
	d.run(seatTick{}.apply(d.m))
	d.wants(`HELD browser_click checkbox "`)
	f.st.Holds = nil
	d.run(seatTick{}.apply(d.m))
	d.m.cfg.Seat = nil
	d.press("l")
	for filter, want := range map[string][]string{"edited": {"✎", "←"}, "answered": {"←"}, "held": {"‖", "✎", "←"}} {
		d.press("&")
		d.typed(filter)
		d.press("enter")
		d.wants(want...)
		shown := 0
		for _, mark := range []string{"✎", "←", "‖"} {
			if strings.Contains(d.m.View().Content, mark) {
				shown++
			}
		}
		if shown != len(want) {
			t.Errorf("& %s shows %d kinds of marks, want %q\n%s", filter, shown, want, d.m.View().Content)
		}
		d.press("&")
		for range 20 {
			d.press("backspace")
		}
		d.press("enter")
	}
}
