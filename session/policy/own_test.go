package policy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

const handWritten = `# what we run in CI
[[policy]]
name = "ci"   # short

[[policy.stage]]
strategy = "fold"

# for the leads table
[[policy]]
name = "leads"
title = "old"

[[policy.stage]]
strategy = "compress"
keep_n = 20

# nightly; do not touch
[[policy]]
name = "night"

[[policy.stage]]
strategy = "openclaw"
`

func TestPutReplacesOnePolicyAndLeavesTheRest(t *testing.T) {
	p := policy.Policy{Name: "leads", Title: "new", Stages: []policy.Stage{policy.MustStage("compress", strategy.Values{"keep_n": 274})}}
	got, err := policy.Put("p.toml", []byte(handWritten), p)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(`"old"`, `"new"`, "keep_n = 20", "keep_n = 274").Replace(handWritten)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestPutAddsAtTheEndAndBeginsAFile(t *testing.T) {
	p := policy.Policy{Name: "mine", Stages: []policy.Stage{policy.MustStage("fold", nil)}}
	for _, before := range []string{"", handWritten, strings.TrimRight(handWritten, "\n")} {
		got, err := policy.Put("p.toml", []byte(before), p)
		if err != nil {
			t.Fatal(err)
		}
		if before != "" && !strings.HasPrefix(string(got), before) {
			t.Errorf("what stood there changed:\n%s", got)
		}
		ps, err := policy.Read("p.toml", got)
		if err != nil {
			t.Fatal(err)
		}
		if last := ps[len(ps)-1]; last.Name != "mine" || last.Key() != p.Key() {
			t.Errorf("the policy reads back as %+v", last)
		}
	}
}

func TestPutRefuses(t *testing.T) {
	for _, c := range []struct{ file, name, want string }{
		{"[[policy]]\nname = \"x\"\nwrong = 1\n", "mine", "p.toml:3: unknown key"},
		{"", "full", "built in"},
		{"", "seeds", "built in"},
	} {
		_, err := policy.Put("p.toml", []byte(c.file), policy.Policy{Name: c.name})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q into %q: %v, want %q", c.name, c.file, err, c.want)
		}
	}
}

// Whatever is put, it reads back, in the place of its name, and the others read
// as before.
func TestPutReadsBack(t *testing.T) {
	names := []string{"a", "b-1", "c.x", `q"uote`}
	keep, _ := registry.Get("compress")
	knob, _ := keep.Knob("keep_n")
	rapid.Check(t, func(t *rapid.T) {
		var data []byte
		want := map[string]string{}
		var order []string
		for range rapid.IntRange(1, 8).Draw(t, "puts") {
			p := policy.Policy{Name: rapid.SampledFrom(names).Draw(t, "name"), Title: rapid.String().Draw(t, "title")}
			p.Stages = []policy.Stage{policy.MustStage("compress", strategy.Values{"keep_n": knob.Clamp(rapid.Float64Range(0, 99).Draw(t, "keep"))})}
			if _, ok := want[p.Name]; !ok {
				order = append(order, p.Name)
			}
			want[p.Name] = p.Key()
			var err error
			if data, err = policy.Put("p.toml", data, p); err != nil {
				t.Fatal(err)
			}
		}
		ps, err := policy.Read("p.toml", data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if len(ps) != len(order) {
			t.Fatalf("%d policies, want %v", len(ps), order)
		}
		for i, p := range ps {
			if p.Name != order[i] || p.Key() != want[p.Name] {
				t.Errorf("policy %d is %s %s, want %s %s", i, p.Name, p.Key(), order[i], want[order[i]])
			}
		}
	})
}
