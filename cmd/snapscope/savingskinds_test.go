package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/snapshot/notation"
)

// Two kinds of the table are made of the same driven sessions, by what is below: how
// an agent reads the same pages decides what can be saved on them.

// What a coding agent's request holds besides its browser: the share of pages in it is
// what limits a saving. The sizes are those of a usual coding agent's system prompt and
// tools; the texts are pages of testdata, which no change of the program changes.
const (
	codingSystem      = 3_000  // tokens of its system prompt
	codingDefinitions = 12_000 // tokens of its tool definitions
	codingPerAct      = 4      // files that it reads for each step in the browser
)

// codingSession is a session of a coding agent that has a browser: between the steps
// in the browser it reads source files.
func codingSession(events []session.Event) ([]session.Event, error) {
	files, err := filepath.Glob("../../testdata/aria/*.html")
	if err != nil || len(files) < 10 {
		return nil, fmt.Errorf("there are %d source files to read: %w", len(files), err)
	}
	slices.Sort(files)
	var out []session.Event
	read := 0
	for _, e := range events {
		if e.Start != nil {
			start := *e.Start
			start.System, start.Definitions = codingSystem, codingDefinitions
			e.Start = &start
		}
		out = append(out, e)
		if e.Result == nil {
			continue
		}
		for range codingPerAct {
			text, err := os.ReadFile(files[read%len(files)])
			if err != nil {
				return nil, err
			}
			id := fmt.Sprint("read", read)
			out = append(out,
				session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Tool: "Read", Args: map[string]any{"file_path": files[read%len(files)]}}},
				session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Text: string(text)}})
			read++
		}
	}
	return out, nil
}

// tags are the elements that an indexed DOM numbers, by role.
var tags = map[string]string{
	"button": "button", "link": "a", "textbox": "input type=text", "searchbox": "input type=search", "checkbox": "input type=checkbox",
	"radio": "input type=radio", "combobox": "select", "option": "option", "switch": "button role=switch", "tab": "button role=tab",
	"menuitem": "li role=menuitem", "slider": "input type=range", "spinbutton": "input type=number", "treeitem": "li role=treeitem", "listbox": "select",
}

// indexedPage writes a page as an indexed DOM: what can be acted on with a number that
// is given anew on every page, of the rest the words. index answers an element's
// number; -1 it has none.
func indexedPage(url string, page *notation.Text) (text string, index func(t *session.Target) int) {
	var b strings.Builder
	b.WriteString("[Current state starts here]\nCurrent url: " + url + "\nInteractive elements:\n[Start of page]\n")
	byRef, byName := map[string]int{}, map[string]int{}
	n := 0
	for i := range page.Len() {
		l := page.Line(i)
		name := l.Name()
		tag, ok := tags[l.Role]
		switch {
		case ok:
			fmt.Fprintf(&b, "[%d]<%s>%s</%s>\n", n, tag, name, strings.Fields(tag)[0])
			byRef[page.Ref(i)] = n
			if _, known := byName[l.Role+"\n"+name]; !known {
				byName[l.Role+"\n"+name] = n
			}
			n++
		case name != "":
			b.WriteString(name + "\n")
		}
	}
	b.WriteString("[End of page]")
	return b.String(), func(t *session.Target) int {
		if t == nil {
			return -1
		}
		if k, ok := byRef[t.Ref]; ok && t.Ref != "" {
			return k
		}
		if k, ok := byName[t.Role+"\n"+t.Name]; ok {
			return k
		}
		return -1
	}
}

// indexedSession is the transcript of an agent that reads an indexed DOM in its user
// messages, over the pages of a session.
func indexedSession(events []session.Event) ([]byte, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	out := []message{{"system", "You are a browser agent."}}
	index := func(*session.Target) int { return -1 }
	for _, e := range events {
		switch {
		case e.User != nil:
			out = append(out, message{"user", "Task: " + e.User.Text})
		case e.Action != nil:
			do := map[string]any{string(e.Action.Verb): map[string]any{}}
			if k := index(e.Action.Target); k >= 0 {
				do = map[string]any{"click_element": map[string]any{"index": k}}
				if text, ok := e.Action.Args["text"]; ok {
					do = map[string]any{"input_text": map[string]any{"index": k, "text": text}}
				}
			} else if url, ok := e.Action.Args["url"]; ok {
				do = map[string]any{"go_to_url": map[string]any{"url": url}}
			}
			said, err := json.Marshal(map[string]any{"current_state": map[string]any{"next_goal": "go on"}, "action": []any{do}})
			if err != nil {
				return nil, err
			}
			out = append(out, message{"assistant", string(said)})
		case e.Result != nil && e.Result.Snapshot != nil:
			sn := e.Result.Snapshot
			var text string
			text, index = indexedPage(sn.URL, notation.Read(sn.Text, sn.Dialect))
			out = append(out, message{"user", text})
		}
	}
	return json.Marshal(map[string]any{"model": "gpt-4o", "messages": out})
}

// isMade reports a kind that savingsEvents makes of recorded sessions.
func isMade(kind string) bool { return kind == "coding" || kind == "indexed" }

// savingsEvents are the events of a session as a kind's agent had it.
func savingsEvents(ctx context.Context, kind, file string) ([]session.Event, error) {
	im, err := transcript.Read(ctx, file, transcript.Options{})
	if err != nil {
		return nil, err
	}
	switch kind {
	case "coding":
		return codingSession(im.Events)
	case "indexed":
		data, err := indexedSession(im.Events)
		if err != nil {
			return nil, err
		}
		name := filepath.Join(os.TempDir(), fmt.Sprintf("snapscope-savings-%d.json", os.Getpid()))
		defer os.Remove(name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return nil, err
		}
		if im, err = transcript.Read(ctx, name, transcript.Options{}); err != nil {
			return nil, fmt.Errorf("reading %s as an indexed DOM: %w", file, err)
		}
		if len(session.NewTimeline(im.Events).Snaps) == 0 {
			return nil, errors.New(file + " has no page as an indexed DOM")
		}
	}
	return im.Events, nil
}

// TestSavingsKinds holds that the two made kinds are what they are called: pages are
// the smaller part of a coding agent's input, and in an indexed DOM every act names an
// element of the page that it was read on.
func TestSavingsKinds(t *testing.T) {
	const file = "../../testdata/sessions/recorded/forms-1.jsonl.zst"
	for kind, check := range map[string]func(t *testing.T, pages float64, acted, survived int){
		"coding": func(t *testing.T, pages float64, acted, survived int) {
			if pages < 0.05 || pages > 0.5 || acted != survived || acted < 5 {
				t.Errorf("%.2f of the input are pages, %d of %d elements could be read", pages, survived, acted)
			}
		},
		"indexed": func(t *testing.T, pages float64, acted, survived int) {
			if pages < 0.8 || acted != survived || acted < 5 {
				t.Errorf("%.2f of the input are pages, %d of %d elements could be read", pages, survived, acted)
			}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			s, err := savingsSheet(t.Context(), kind, file)
			if err != nil {
				t.Fatal(err)
			}
			full := s.Full
			pages := 0
			for _, c := range full.Calls {
				pages += c.By.Snapshots
			}
			check(t, float64(pages)/float64(full.InputTokens), full.Survival.Acted, full.Survival.Survived)
		})
	}
}
