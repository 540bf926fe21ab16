package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKeysOfTheConfig holds that an action's keys are one text or a list of them, and
// that anything else is an error with its place.
func TestKeysOfTheConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	for _, c := range []struct {
		line string
		want []string
		err  string
	}{
		{`step = "x"`, []string{"x"}, ""},
		{`step = ["x", "f5"]`, []string{"x", "f5"}, ""},
		{`step = 5`, nil, "config.toml:2:8: a key is a text"},
		{`step = [5]`, nil, "config.toml:2:9: a key is a text"},
	} {
		if err := os.WriteFile(path, []byte("[keys]\n"+c.line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var conf config
		err := conf.read(path)
		switch {
		case c.err == "" && (err != nil || !slices.Equal(conf.keys()["step"], c.want)):
			t.Errorf("%s is read as %v, %v", c.line, conf.keys(), err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v", c.line, err)
		}
	}
}
