//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/replay/replaytest"
)

// duckVersion is the DuckDB that the documents' questions are asked.
const duckVersion = "1.5.6-r.1"

// ask runs a script of SQL in DuckDB, fetched by npm into the user's cache once
// (70 MB), and answers the rows of its last question.
func ask(t *testing.T, dir, sql string) []map[string]any {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	home := filepath.Join(cache, "snapscope-test", "duckdb-"+duckVersion)
	if _, err := os.Stat(filepath.Join(home, "node_modules", "@duckdb", "node-api", "package.json")); err != nil {
		if err := os.MkdirAll(home, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "@duckdb/node-api@"+duckVersion)
		cmd.Dir = home
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("fetching DuckDB with npm (is it installed?): %v\n%s", err, out)
		}
	}
	const program = `const { DuckDBInstance } = require(process.argv[1] + '/node_modules/@duckdb/node-api');
(async () => {
  const c = await (await DuckDBInstance.create(':memory:')).connect();
  let r; for (const q of process.argv[2].split(';').filter(q => q.trim())) r = await c.runAndReadAll(q);
  console.log(JSON.stringify(r.getRowObjectsJson()));
})().catch(e => { console.error(String(e)); process.exit(1); });`
	cmd := exec.Command("node", "-e", program, home, sql)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, errs.String(), sql)
	}
	var rows []map[string]any
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return rows
}

// row is what DuckDB and sweep --json are compared by: large numbers come as
// texts, ratios are held to six places.
func row(v map[string]any, keys ...string) string {
	var out []string
	for _, k := range keys {
		x := v[k]
		if f, ok := x.(float64); ok {
			x = math.Round(f*1e6) / 1e6
			if f == math.Trunc(f) {
				x = int64(f)
			}
		}
		out = append(out, fmt.Sprint(x))
	}
	return strings.Join(out, " ")
}

// TestQuestionsInSQL asks DuckDB what the document asks, over parts of which some
// are there twice and one recording failed, and holds the answers against what
// sweep prints.
func TestQuestionsInSQL(t *testing.T) {
	doc, err := docs.ReadFile("docs/sweep.md")
	if err != nil {
		t.Fatal(err)
	}
	sql := map[string]string{}
	for _, m := range fence.FindAllStringSubmatch(string(doc), -1) {
		if m[1] == "sql" {
			sql[m[2]] = m[3]
		}
	}
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "home"))
	sources, err := replaytest.Sources("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replaytest.Make(t.Context(), filepath.Join(dir, "rec"), sources[:10], 20); err != nil {
		t.Fatal(err)
	}
	// Of all of these the model has a price.
	if err := os.WriteFile(filepath.Join(dir, "rec", "bad.jsonl"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	knobs := []string{"rec", "--knob", "budget.max_elements=30,60,120", "--knob", "openclaw.tool_calls=1,4"}
	sweep := func(more ...string) []byte { return answer(t, append([]string{"sweep"}, more...)...) }
	out := sweep(append(knobs, "--out", "swept", "--json", "--by", "model")...)
	sweep(append(knobs, "--out", "again", "--shard", "1/2")...)
	part, err := os.ReadFile("again/part-000000.jsonl.zst")
	if err == nil {
		err = os.WriteFile("swept/part-900000.jsonl.zst", part, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Points   []map[string]any
		Groups   []map[string]any
		Outliers []map[string]any
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	flat := func(rows []map[string]any, keys ...string) (out []string) {
		for _, r := range rows {
			if s, ok := r["survival"].(map[string]any); ok {
				r["acted"], r["survived"] = s["acted"], s["survived"]
			}
			if set, ok := r["set"].(map[string]any); ok {
				r["setting"] = fmt.Sprintf("budget.max_elements=%s openclaw.tool_calls=%s", set["budget.max_elements"], set["openclaw.tool_calls"])
			}
			if c, ok := r["cost_usd"].(float64); ok {
				r["cost_nano"] = fmt.Sprint(int64(math.Round(c * 1e9)))
			}
			if r["pareto"] != false {
				out = append(out, row(r, keys...))
			}
		}
		return out
	}
	for _, c := range []struct {
		name       string
		from       []map[string]any
		ours, keys []string
	}{
		{"front", want.Points, []string{"setting", "input_tokens", "saved_ratio", "peak_tokens", "acted", "survived", "cost_nano"}, []string{"setting", "input", "saved", "peak", "acted", "survived", "cost_nano_usd"}},
		{"model", want.Groups, []string{"name", "recordings", "input_tokens", "saved_ratio", "acted", "survived"}, []string{"model", "recordings", "input", "saved", "acted", "survived"}},
		{"worst", want.Outliers, []string{"recording", "lost", "acted"}, []string{"recording", "lost", "acted"}},
	} {
		var got []string
		for _, r := range ask(t, dir, sql["rows"]+sql[c.name]) {
			got = append(got, row(r, c.keys...))
		}
		if c.name == "front" && strings.Contains(strings.Join(got, " "), "<nil>") {
			t.Errorf("no cost: %q", got)
		}
		if ours := flat(c.from, c.ours...); len(ours) == 0 || !cmp.Equal(got, ours) {
			t.Errorf("%s: DuckDB says\n%s\nsweep says\n%s", c.name, strings.Join(got, "\n"), strings.Join(ours, "\n"))
		}
	}
}
