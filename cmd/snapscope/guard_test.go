package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay"
	"snapscope/replay/ab"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/published"
)

// recordPages writes a recording of so many pages, the word on each of them.
func recordPages(t *testing.T, path string, n int, word string, usage int) {
	t.Helper()
	w, err := replay.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(e session.Event) {
		if err := w.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	put(session.Event{Kind: session.KindStart, Start: &session.Start{Name: filepath.Base(path), Source: "live"}})
	for i := range n {
		if usage > 0 {
			put(session.Event{Kind: session.KindCall, Call: &session.ModelCall{Usage: &session.Usage{Input: usage}}})
		}
		id, text := fmt.Sprint("a", i), fmt.Sprintf("- list [ref=e1]:\n  - button \"%s %d\" [ref=e2]", word, i)
		put(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: session.VerbClick, Tool: "click", Target: &session.Target{Ref: "e2"}}})
		put(session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Seen: session.SeenInline, Snapshot: &snapshot.Snapshot{
			URL: "http://a.test/", Document: "d", Text: text, Hash: snapshot.HashText(text),
		}}})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOneSessionBreaks plants a panic in a strategy, which runs on goroutines of its
// own where a session has many pages: whoever works out sessions names the one that
// breaks, goes on with the others, and ends with status 1.
func TestOneSessionBreaks(t *testing.T) {
	atHome(t)
	dir := t.TempDir()
	good, bad, few := filepath.Join(dir, "good.jsonl"), filepath.Join(dir, "bad.jsonl"), filepath.Join(dir, "few.jsonl")
	recordPages(t, good, 20, "plain", 0)
	recordPages(t, bad, 20, "BREAKS", 0)
	recordPages(t, few, 2, "BREAKS", 0)
	apply := published.Compress.Apply
	t.Cleanup(func() { published.Compress.Apply = apply })
	published.Compress.Apply = func(in strategy.Input, v strategy.Values) strategy.Verdict {
		if strings.Contains(in.Page.Text, "BREAKS") {
			panic("a planted defect")
		}
		return apply(in, v)
	}
	for _, c := range []struct {
		args  string
		wants []string // of all that is printed
	}{
		{"report --policy compress", []string{"20 steps", "good.jsonl"}},
		{"report --policy compress --json", []string{`"recording":"` + good + `"`}},
		{"sweep --knob compress.keep_n=2,5", []string{"over 1 recording"}},
		{"check --policy compress", []string{"good.jsonl", "not checked"}},
		{"tune --time 0 --policy compress", []string{"a policy is not chosen"}},
	} {
		var out bytes.Buffer
		root := newRoot()
		root.SetArgs(append(strings.Fields(c.args), bad, few, good))
		root.SetOut(&out)
		root.SetErr(&out)
		err := root.ExecuteContext(t.Context())
		if err != nil {
			out.WriteString(err.Error())
		} else if !strings.HasPrefix(c.args, "tune") { // full breaks in none: the search goes on with what does not break
			t.Errorf("%s: status 0", c.args)
		}
		for _, want := range append(c.wants, "bad.jsonl", "few.jsonl", "internal error at snapscope/guard_test.go:", "a planted defect (please report)") {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s does not print %q:\n%.3000s", c.args, want, out.String())
			}
		}
	}
}

// TestInOrderNamesWhatBreaks holds that work which is not guarded by itself ends in an
// error, not in the end of the program.
func TestInOrderNamesWhatBreaks(t *testing.T) {
	err := inOrder(t.Context(), 30, func(_ context.Context, i int) int { return 1 / (i - 7) }, func(int, int) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "divide by zero (please report)") {
		t.Errorf("%v", err)
	}
}

// TestCountsHaveBounds holds that numbers of a file that cannot be are left out, told,
// and never summed.
func TestCountsHaveBounds(t *testing.T) {
	atHome(t)
	for _, usage := range []int{1 << 62, session.MaxCount + 1, session.MaxCount} {
		path := filepath.Join(t.TempDir(), "big.jsonl")
		recordPages(t, path, 5, "plain", usage)
		var out, errs bytes.Buffer
		root := newRoot()
		root.SetArgs([]string{"report", path})
		root.SetOut(&out)
		root.SetErr(&errs)
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		told := strings.Contains(errs.String(), fmt.Sprintf("big.jsonl:3: left out, since it cannot be: the vendor's count of a model call: %d", usage))
		if told != (usage > session.MaxCount) {
			t.Errorf("usage of %d: %s", usage, errs.Bytes())
		}
		if s := out.String(); strings.Contains(s, "-9") || strings.Contains(s, "−9,") || strings.Contains(s, "9000.0 %") {
			t.Errorf("usage of %d:\n%s", usage, s)
		}
	}
}

// atHome gives the commands a home of their own and answers the folders that
// the lines name.
func atHome(t *testing.T) *strings.Replacer {
	t.Helper()
	work := t.TempDir()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, work)
	}
	return strings.NewReplacer("$WORK", work, "$LEDGER", "../../testdata/ledger", "$SNAPSHOTS", "../../testdata/snapshots", "$TRANSCRIPTS", "../../testdata/transcripts")
}

// A run that breaks what works it out leaves the comparison, as a forecast does: both are
// said, and the others are compared.
func TestOneRunOfAComparisonBreaks(t *testing.T) {
	atHome(t)
	up := httptest.NewServer(&apitest.Model{Script: []apitest.Step{{Goto: "http://127.0.0.1/leads"}}, End: "done"})
	defer up.Close()
	apply := published.Compress.Apply
	t.Cleanup(func() { published.Compress.Apply = apply })
	published.Compress.Apply = func(strategy.Input, strategy.Values) strategy.Verdict { panic("a planted defect") }
	root, stdout := newRoot(), new(bytes.Buffer)
	root.SetArgs([]string{
		"ab", "--json", "--runs", "1", "--to", up.URL, "--out", filepath.Join(t.TempDir(), "ab"),
		"--policy", "full", "--policy", "fold", "--policy", "compress", "--", "scripted-agent", "-rows", "40",
	})
	root.SetOut(stdout)
	root.SetErr(new(bytes.Buffer))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	var table ab.Table
	if err := json.Unmarshal(stdout.Bytes(), &table); err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(table.Notes, "\n")
	for _, want := range []string{"run 01-compress is left out: ", "the forecast of policy compress from run 01-full is left out: ", "internal error at snapscope/guard_test.go:", "a planted defect (please report)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes lack %q:\n%s", want, notes)
		}
	}
	if len(table.Runs) != 2 || table.Runs[0].Policy != "full" || table.Runs[1].Policy != "fold" {
		t.Errorf("compared are %+v", table.Runs)
	}
}
