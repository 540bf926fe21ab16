package demo_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/demo"
	"snapscope/session/script"
)

const base = "http://127.0.0.1:41877"

func scriptNames(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("scripts/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range list {
		list[i] = strings.TrimSuffix(filepath.Base(f), ".yaml")
	}
	return list
}

func TestScriptsAreValid(t *testing.T) {
	all := scriptNames(t)
	if want := []string{"leads", "tour", "verbs"}; !slices.Equal(all, want) {
		t.Errorf("the scripts are %v, want %v", all, want)
	}
	for _, name := range all {
		text, err := demo.Script(name, base)
		if err != nil {
			t.Fatal(err)
		}
		actions, err := script.Parse(name+".yaml", []byte(text), "")
		if err != nil {
			t.Error(err)
		}
		for _, a := range actions {
			u := a.Text("url")
			if a.Verb == session.VerbGoto && !strings.HasPrefix(u, base+"/") {
				t.Errorf("%s: goto %s is not below the base URL", name, u)
			}
			p, _, _ := strings.Cut(strings.TrimPrefix(u, base), "?")
			if u != "" && !slices.Contains(pages, p) {
				t.Errorf("%s: no page %s", name, p)
			}
		}
	}
}

// The script is one agent step: a page, ten actions on it, three questions whose
// answers do not show it, and a last look at one row.
func TestLeadsScript(t *testing.T) {
	actions, err := script.Parse("leads.yaml", []byte(demo.LeadsScript(base)), "")
	if err != nil {
		t.Fatal(err)
	}
	n := map[session.Verb]int{}
	acts := 0
	for _, a := range actions {
		n[a.Verb]++
		if a.Verb != session.VerbUser && a.Verb != session.VerbGoto && !a.Verb.Blind() {
			acts++
		}
	}
	if n[session.VerbUser] != 1 || n[session.VerbGoto] != 1 || n[session.VerbEvaluate] != 3 || acts != 11 {
		t.Errorf("%d user messages, %d pages, %d questions, %d actions; want 1, 1, 3, 11", n[session.VerbUser], n[session.VerbGoto], n[session.VerbEvaluate], acts)
	}
}

func TestVerbsScriptUsesEveryVerb(t *testing.T) {
	text, err := demo.Script("verbs", base)
	if err != nil {
		t.Fatal(err)
	}
	actions, err := script.Parse("verbs.yaml", []byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	used := map[session.Verb]bool{}
	for _, a := range actions {
		used[a.Verb] = true
	}
	for _, spec := range session.Verbs {
		if !used[spec.Verb] {
			t.Errorf("no step uses %s", spec.Verb)
		}
	}
}

func TestScriptPaths(t *testing.T) {
	plain, err := demo.Script("verbs", "")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("scripts/verbs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if plain != string(file) {
		t.Error("without a base URL the script is not the file as it is")
	}
	slash, err := demo.Script("verbs", base+"/")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- goto: " + base + "/tabs\n", "url: " + base + "/lists}"} {
		if !strings.Contains(slash, want) {
			t.Errorf("no %q in the script", want)
		}
	}
	if strings.Count(slash, "\n") != strings.Count(plain, "\n") {
		t.Error("putting the base URL in moves lines")
	}
	if _, err := demo.Script("nothing", base); err == nil || !strings.Contains(err.Error(), "leads, tour, verbs") {
		t.Errorf("a script that is not there: %v", err)
	}
}

func TestRecording(t *testing.T) {
	_, err := demo.Recording("nothing")
	if !errors.Is(err, demo.ErrNoRecording) || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("a recording that is not there: %v", err)
	}
	list, err := filepath.Glob("recordings/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		want, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := demo.Recording(strings.TrimSuffix(filepath.Base(f), ".jsonl"))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not answered as it is: %v", f, err)
		}
	}
	if _, err := fs.Stat(demo.Site(), "leads.html"); err != nil {
		t.Error(err)
	}
}

// The sessions behind the README's savings table are scripts that can be run, on
// pages that are there, three of each kind.
func TestSavingsSessionsAreValid(t *testing.T) {
	files, err := filepath.Glob("../../testdata/sessions/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, f := range files {
		actions, err := script.Load(f, base)
		if err != nil {
			t.Error(err)
			continue
		}
		kind, _, _ := strings.Cut(filepath.Base(f), "-")
		kinds[kind]++
		for _, a := range actions {
			if p := strings.TrimPrefix(a.Text("url"), base); a.Verb == session.VerbGoto && !slices.Contains(pages, p) {
				t.Errorf("%s: no page %s", f, p)
			}
		}
	}
	for _, k := range []string{"table", "pages", "forms", "widgets"} {
		if kinds[k] != 3 {
			t.Errorf("%d sessions of kind %s, want 3", kinds[k], k)
		}
	}
}
