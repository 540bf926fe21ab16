//go:build !race

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutliersOpen runs every line that a sweep prints for what loses most: of
// knobs alone, of a policy of one's own with a knob turned, and of parts, with a
// space in the name of a file.
func TestOutliersOpen(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	if err := os.Mkdir("my runs", 0o700); err != nil {
		t.Fatal(err)
	}
	for i, ref := range []string{"e4", "e160"} {
		if err := recordClick(filepath.Join("my runs", string(rune('a'+i))+".jsonl"), ref, 90); err != nil {
			t.Fatal(err)
		}
	}
	const own = "[[policy]]\nname = \"mine\"\n\n  [[policy.stage]]\n  strategy = \"compress\"\n"
	if err := os.WriteFile("own.toml", []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"my runs", "--knob", "compress.keep_n=3", "--knob", "openclaw.tool_calls=2"},
		{"my runs", "--knob", "compress.keep_n=3", "--policy", "own.toml", "--set", "compress.fire_threshold=7"},
		{"my runs", "--knob", "compress.keep_n=3", "--policy", "own.toml", "--set", "compress.fire_threshold=7", "--out", "parts"},
		{"--parts", "parts"},
	} {
		var got struct {
			Outliers []struct{ Recording, Command string }
		}
		if err := json.Unmarshal(answer(t, append([]string{"sweep", "--json"}, args...)...), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Outliers) == 0 {
			t.Errorf("%q: nothing loses", args)
		}
		for _, o := range got.Outliers {
			line := words(strings.TrimPrefix(o.Command, "snapscope "))
			if strings.Contains(strings.Join(args, " "), "own") != strings.Contains(o.Command, ".toml") && args[0] != "--parts" {
				t.Errorf("%q: %s", args, o.Command)
			}
			if args[0] == "--parts" && !strings.Contains(o.Command, "parts/policy.toml") {
				t.Errorf("%q: %s", args, o.Command)
			}
			c, rest, err := newRoot().Find(line)
			if err == nil {
				err = c.ParseFlags(rest)
			}
			if err != nil || c.Name() != "replay" || len(c.Flags().Args()) != 1 || c.Flags().Arg(0) != o.Recording {
				t.Errorf("%s: %v, %q", o.Command, err, c.Flags().Args())
			}
			root := newRoot()
			root.SetArgs(append([]string{"report", "--json", o.Recording}, line[2:]...))
			var out strings.Builder
			root.SetOut(&out)
			if err := root.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), `"lost":[{`) {
				t.Errorf("%s: %v\n%.300s", o.Command, err, out.String())
			}
		}
	}
}
