package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The command in the line of advice names the policy as it was chosen: with the
// knobs that were turned, and the file that it is from.
func TestAdviceNamesAPolicyAsItWasChosen(t *testing.T) {
	t.Setenv("SNAPSCOPE_POLICIES", "")
	file := filepath.Join(t.TempDir(), "tuned.toml")
	text := "[[policy]]\nname = \"mine\"\n\n[[policy.stage]]\nstrategy = \"compress\"\nkeep_n = 274\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pf   policyFlags
		want string
	}{
		{policyFlags{names: []string{"compress"}}, "--policy compress"},
		{policyFlags{names: []string{"compress"}, sets: []string{"compress.keep_n=20", "fire_threshold=50"}}, "--policy compress --set compress.fire_threshold=50 --set compress.keep_n=20"},
		{policyFlags{names: []string{file}}, "--policies " + file + " --policy mine"},
		{policyFlags{names: []string{file}, sets: []string{"keep_n=300"}}, "--policies " + file + " --policy mine --set compress.keep_n=300"},
	} {
		a := &app{}
		ps, err := a.choose(c.pf)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.naming(c.pf)(ps[0]); got != c.want {
			t.Errorf("%+v is named %q, want %q", c.pf, got, c.want)
		}
	}
}
