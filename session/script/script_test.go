package script

import (
	"errors"
	"strings"
	"testing"

	"snapscope/session"

	"github.com/google/go-cmp/cmp"
)

func TestParseScript(t *testing.T) {
	const src = `# the tour
- goto: /leads
- click: {role: checkbox, name: Select Melonie Parker}
- click: e12
- fill: {role: textbox, name: Search, text: google}
- press: Enter
- select: {css: "#stage", value: Won}
- select: {ref: f1e3, value: [a, 007]}
- back:
- reload
- user: "Now export them"
- wait: {text: "3 leads"}
- wait: {ms: 250}
- tab: new
- tab: {do: switch, index: 1}
- drag: {ref: e1, to: {role: button, name: Bin, nth: 2}}
- type:
    text: |
      two
      lines
    submit: true
`
	got, err := Parse("tour.yaml", []byte(src), "http://127.0.0.1:1/x/")
	if err != nil {
		t.Fatal(err)
	}
	act := func(v session.Verb, t *session.Target, args map[string]any) session.Action {
		return session.Action{Verb: v, Tool: string(v), Target: t, Args: args}
	}
	want := []session.Action{
		act(session.VerbGoto, nil, map[string]any{"url": "http://127.0.0.1:1/leads"}),
		act(session.VerbClick, &session.Target{Role: "checkbox", Name: "Select Melonie Parker"}, nil),
		act(session.VerbClick, &session.Target{Ref: "e12"}, nil),
		act(session.VerbFill, &session.Target{Role: "textbox", Name: "Search"}, map[string]any{"text": "google"}),
		act(session.VerbPress, nil, map[string]any{"key": "Enter"}),
		act(session.VerbSelect, &session.Target{CSS: "#stage"}, map[string]any{"value": "Won"}),
		act(session.VerbSelect, &session.Target{Ref: "f1e3"}, map[string]any{"value": []any{"a", "007"}}),
		act(session.VerbBack, nil, nil),
		act(session.VerbReload, nil, nil),
		act(session.VerbUser, nil, map[string]any{"text": "Now export them"}),
		act(session.VerbWait, nil, map[string]any{"text": "3 leads"}),
		act(session.VerbWait, nil, map[string]any{"ms": 250.0}),
		act(session.VerbTab, nil, map[string]any{"do": "new"}),
		act(session.VerbTab, nil, map[string]any{"do": "switch", "index": 1.0}),
		act(session.VerbDrag, &session.Target{Ref: "e1"}, map[string]any{"to": map[string]any{"role": "button", "name": "Bin", "nth": 2}}),
		act(session.VerbType, nil, map[string]any{"text": "two\nlines\n", "submit": true}),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestScriptErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", "s.yaml: the script is empty"},
		{"comment only", "# nothing\n", "s.yaml: the script is empty"},
		{"binary", "\x00\x01", "s.yaml: this is a binary file"},
		{"no list", "goto: x", "s.yaml:1:5: a script is a YAML list"},
		{"unknown verb", "- goto: x\n- clik: e1", `s.yaml:2:3: no action "clik", did you mean click?`},
		{"unknown key", "- click: {role: a, nmae: b}", `s.yaml:1:20: click has no "nmae"`},
		{"no target", "- click:", "s.yaml:1:3: click needs an element"},
		{"two ways", "- click: {ref: e1, css: x}", "s.yaml:1:3: click: an element is named one way"},
		{"name alone", "- click: {name: Save}", "a name needs a role"},
		{"missing text", "- fill: {ref: e1}", "s.yaml:1:3: fill needs text"},
		{"bare fill", "- fill: e1", "s.yaml:1:9: fill takes an element"},
		{"bad choice", "- dialog: maybe", `s.yaml:1:11: do is "maybe"; it takes accept, dismiss`},
		{"bad number", "- wait: {ms: soon}", `s.yaml:1:14: ms is "soon"; it takes a number`},
		{"bad bool", "- type: {text: a, submit: perhaps}", "submit is"},
		{"bad nth", "- click: {role: a, nth: 0}", "nth is \"0\""},
		{"two verbs", "- goto: x\n  back:", "s.yaml:2:3: one action an entry"},
		{"wait for nothing", "- wait:", "wait needs something"},
		{"bad yaml", "- goto: [", "not valid YAML"},
		{"nested list", "- - goto: x", "s.yaml:1:3: an action is a verb"},
		{"url missing", "- goto:", "goto needs url"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("s.yaml", []byte(tt.src), "")
			var se *Error
			if !errors.As(err, &se) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add([]byte("- goto: x\n- click: {role: a, name: b}\n"))
	f.Add([]byte("- drag: {ref: e1, to: {css: \"#x\"}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		acts, err := Parse("f", data, "")
		if err == nil && len(acts) == 0 && !strings.Contains(string(data), "[") {
			t.Errorf("no action and no error for %q", data)
		}
		for _, a := range acts {
			if _, ok := session.SpecOf(a.Verb); !ok {
				t.Errorf("unknown verb %q got through", a.Verb)
			}
		}
	})
}

func TestParseCommand(t *testing.T) {
	tests := []struct {
		line, label string
		wantErr     string
	}{
		{"click e12", "click e12", ""},
		{`click button "Save all"`, `click button "Save all"`, ""},
		{"click css=#save", "click css #save", ""},
		{"fill e3 hello there", "fill e3 hello there", ""},
		{`fill textbox "Search" "a  b"`, `fill textbox "Search" a  b`, ""},
		{`fill role=textbox name="Full name" text=Ann`, `fill textbox "Full name" Ann`, ""},
		{"goto http://a/b", "goto http://a/b", ""},
		{"type e3 tea submit=true", "type e3 tea submit", ""},
		{"type e3 tea submit=false", "type e3 tea", ""},
		{"press Enter", "press Enter", ""},
		{"scroll to=bottom", "scroll bottom", ""},
		{"tab switch 1", "tab switch 1", ""},
		{"drag e1 e2", "drag e1 to e2", ""},
		{"wait text=done", "wait done", ""},
		{"back", "back", ""},
		{"user Now export them", "user Now export them", ""},
		{"", "", "nothing to do"},
		{"clck e1", "", "did you mean click?"},
		{"click", "", "click needs an element"},
		{"back now", "", "does not know what to do with"},
		{`click "x`, "", "is not closed"},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			a, err := ParseCommand(tt.line, "")
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("got %v, want %q", err, tt.wantErr)
				}
				return
			}
			if err != nil || a.Label() != tt.label {
				t.Errorf("got %q, %v, want %q", a.Label(), err, tt.label)
			}
		})
	}
}
