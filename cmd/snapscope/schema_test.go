//go:build !race

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"snapscope/replay"
	"snapscope/replay/ab"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/session"
	"snapscope/session/demo"
)

var writeSchemas = flag.Bool("schemas", false, "write the schemas again from the types' source")

// schemas names the type behind every kind of JSON that the program writes, and
// command lines that write it. A file of a name is schema/NAME.json.
var schemas = []struct {
	name, title, pkg, typ string
	list                  bool
	lines                 []string // $WORK is an empty folder
}{
	{"recording-header", "The first line of a recording", "replay", "header", false, nil},
	{"recording", "Every other line of a recording: one event", "replay", "wireEvent", false, nil},
	{"ab", "ab --json", "replay/ab", "Table", false, nil},
	{"attach", "attach --json: a line for every run", "replay/proxy", "Run", false, []string{"attach --json"}},
	{"attach-said", "attach ID --json: a line for everything that is said", "cmd/snapscope", "said", false, nil},
	{"check", "check --json", "cmd/snapscope", "checked", false, []string{"check $LEDGER/five-calls.jsonl --policy $WORK/tuned.toml --json"}},
	{"doctor", "doctor --json", "cmd/snapscope", "finding", true, []string{"doctor --json"}},
	{"export-config", "export-config --json", "cmd/snapscope", "exportJSON", false, []string{"export-config openclaw --json"}},
	{"import", "import --json", "cmd/snapscope", "importJSON", false, []string{"import $TRANSCRIPTS/single/reply.txt -o $WORK/one.jsonl --json"}},
	{"reduce", "reduce --json", "cmd/snapscope", "reduceJSON", false, []string{
		"reduce full $SNAPSHOTS/form.aria --json",
		"reduce passmark --prev $SNAPSHOTS/form.aria $SNAPSHOTS/form-errors.aria --json",
	}},
	{"report", "report --json: a line for every recording", "session/ledger", "jsonSheet", false, []string{
		"report $LEDGER/five-calls.jsonl $LEDGER/expiry-loses.jsonl $LEDGER/hidden-button.jsonl --policy all --json",
		"report $LEDGER/expiry-wins.jsonl --json",
	}},
	{"run", "run --json: a line for every step", "cmd/snapscope", "stepJSON", false, []string{"run $WORK/steps.yaml --json --record $WORK/run.jsonl"}},
	{"snapshot", "snapshot --json", "cmd/snapscope", "snapshotJSON", false, []string{"snapshot ../../testdata/aria/roles.html --strategy budget --json"}},
	{"strategies", "strategies --json", "cmd/snapscope", "strategyJSON", true, []string{"strategies --json"}},
	{"sweep", "sweep --json", "replay/sweep", "jsonResult", false, []string{"sweep $LEDGER/five-calls.jsonl --knob openclaw.tool_calls=1,2 --json"}},
	{"sweep-row", "A line of a part that sweep --out keeps: one recording under one setting", "replay/sweep", "Row", false, nil},
	{"tokens", "tokens --json: a line for every file", "cmd/snapscope", "tokensJSON", false, []string{"tokens $SNAPSHOTS/form.aria $SNAPSHOTS/frames.aria --json"}},
	{"tune", "tune --json", "replay/tune", "jsonResult", false, []string{"tune $LEDGER/five-calls.jsonl --json"}},
	{"version", "version --json", "cmd/snapscope", "stamp", false, []string{"version --json"}},
}

// TestSchemasAreOfTheTypes holds the published schemas against the source of the
// types: a key that comes, goes or changes is seen in a diff.
func TestSchemasAreOfTheTypes(t *testing.T) {
	s := &schemaOf{t: t, pkgs: map[string]*source{}}
	for _, sc := range schemas {
		b, err := json.MarshalIndent(s.document("snapscope "+sc.title, sc.pkg, sc.typ, sc.list), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		b = append(bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(`\u003c`), []byte("<")), []byte(`\u003e`), []byte(">")), '\n')
		file := filepath.Join("schema", sc.name+".json")
		if *writeSchemas {
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(have, b) {
			t.Errorf("%s is not what the types say (%v); if the change is meant, go test ./cmd/snapscope -run TestSchemas -schemas writes it again", file, err)
		}
	}
}

// closed forbids every key that a schema does not name: readers may meet new
// keys, our own tests may not.
func closed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = closed(inner)
		}
		if _, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
			v["additionalProperties"] = false
		}
	case []any:
		for i := range v {
			v[i] = closed(v[i])
		}
	}
	return v
}

// compiled is a published schema, closed.
func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("schema", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, closed(doc)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// holds validates every line of a text.
func holds(t *testing.T, s *jsonschema.Schema, what string, text []byte) int {
	t.Helper()
	n := 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatalf("%s prints no JSON: %v\n%.300s", what, err, line)
		}
		if err := s.Validate(v); err != nil {
			t.Fatalf("%s does not keep its schema: %v\n%.300s", what, err, line)
		}
		n++
	}
	return n
}

// TestEveryJSONKeepsItsSchema runs every command that has --json.
func TestEveryJSONKeepsItsSchema(t *testing.T) {
	vars := atHome(t)
	answer(t, strings.Fields(vars.Replace("tune $LEDGER/five-calls.jsonl -o $WORK/tuned.toml"))...) // which check reads
	const steps = "- goto: /lists.html\n- evaluate: document.title = \"changed\"\n- note: done\n"
	if err := os.WriteFile(vars.Replace("$WORK/steps.yaml"), []byte(steps), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, sc := range schemas {
		s := compiled(t, sc.name)
		for _, line := range sc.lines {
			if n := holds(t, s, line, answer(t, strings.Fields(vars.Replace(line))...)); n == 0 && sc.name != "attach" {
				t.Errorf("%s prints nothing", line)
			}
		}
	}
	line := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	at, args := time.Unix(0, 0), json.RawMessage(`{"ref":"e1"}`)
	run := proxy.Run{ID: "a", Kind: proxy.MCP, Rules: proxy.Rules{All: true}, Site: "http://127.0.0.1/", Screen: 7, Started: at}
	holds(t, compiled(t, "attach"), "a run of attach --json", line(run))
	hold := &proxy.Hold{ID: "h1", What: proxy.HeldCall, Why: "hold all", Tool: "browser_click", Args: args, Since: at, Until: at}
	for _, s := range []said{
		{Run: &run},
		{Error: "no such word"},
		{Event: control.Held, Hold: hold},
		{Event: control.Gone, Hold: hold, Decision: &proxy.Decision{Do: proxy.Go, Args: args, By: proxy.ByPerson}},
	} {
		holds(t, compiled(t, "attach-said"), "what attach ID --json says", line(s))
	}
	var table bytes.Buffer
	runs := []ab.Run{{Policy: "full", Round: 1, OK: true, Lost: []string{}, Usage: session.Usage{Input: 9}}, {Policy: "fold", Round: 1, Lost: []string{"e1"}}}
	if err := ab.WriteJSON(&table, ab.Compare([]string{"full", "fold"}, runs, map[string][]ab.Forecast{"fold": {{Calls: 1, Input: 8}}})); err != nil {
		t.Fatal(err)
	}
	holds(t, compiled(t, "ab"), "ab --json", table.Bytes())
	var all func(c *cobra.Command)
	all = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			all(sub)
		}
		if c.Flags().Lookup("json") == nil {
			return
		}
		name := strings.TrimPrefix(c.CommandPath(), "snapscope ")
		for _, sc := range schemas {
			if sc.name == name {
				return
			}
		}
		t.Errorf("%s --json has no schema", name)
	}
	all(newRoot())
}

// answer is what a command line prints. A command that found something wrong
// and said so in JSON has done its work.
func answer(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&errs)
	if err := root.ExecuteContext(t.Context()); err != nil && out.Len() == 0 {
		t.Fatalf("snapscope %s: %v\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out.Bytes()
}

// TestEveryRecordingKeepsItsSchema holds every recording of the tree and what
// every importer writes against the recording's schema.
func TestEveryRecordingKeepsItsSchema(t *testing.T) {
	vars := atHome(t)
	head, event := compiled(t, "recording-header"), compiled(t, "recording")
	keeps := func(name string, text []byte) {
		t.Helper()
		first, rest, _ := bytes.Cut(text, []byte("\n"))
		holds(t, head, name, first)
		if holds(t, event, name, rest) == 0 {
			t.Errorf("%s holds no event", name)
		}
	}
	data, err := demo.Recording("leads")
	if err != nil {
		t.Fatal(err)
	}
	keeps("the embedded recording", data)
	files, err := filepath.Glob("../../testdata/*/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	transcripts, err := filepath.Glob("../../testdata/transcripts/*/*")
	if err != nil || len(files) == 0 || len(transcripts) < 20 {
		t.Fatalf("%d recordings and %d transcripts (%v)", len(files), len(transcripts), err)
	}
	imported := 0
	for _, file := range append(files, transcripts...) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a folder
		}
		if bytes.HasPrefix(text, []byte(`{"format":"`+replay.Format)) {
			keeps(file, text)
			continue
		}
		out := vars.Replace("$WORK/" + filepath.Base(file) + ".recording.jsonl")
		root := newRoot()
		root.SetArgs([]string{"import", file, "-o", out, "--force"})
		root.SetOut(&bytes.Buffer{})
		root.SetErr(&bytes.Buffer{})
		if root.ExecuteContext(t.Context()) != nil {
			continue // what makes no session is other tests' matter
		}
		if text, err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
		keeps(file, text)
		imported++
	}
	if imported < 20 {
		t.Errorf("only %d transcripts were imported", imported)
	}
}
