package policy_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

const tuned = `[[policy]]
name = "leads"
title = "tuned for the \"leads\" table"

[[policy.stage]]
strategy = "compress"
keep_n = 20
scope = "parent"

[[policy.stage]]
strategy = "passmark"
min_savings = 1.0

[[policy.stage]]
strategy = "openclaw"
sticky = false

[[policy]]
name = "bare"
`

func TestPolicyFileReadsAsItIsWritten(t *testing.T) {
	ps, err := policy.Read("p.toml", []byte(tuned))
	if err != nil {
		t.Fatal(err)
	}
	want := []policy.Policy{
		{Name: "leads", Title: `tuned for the "leads" table`, Stages: []policy.Stage{
			policy.MustStage("compress", strategy.Values{"keep_n": 20, "scope": 1}),
			policy.MustStage("passmark", strategy.Values{"min_savings": 1}),
			policy.MustStage("openclaw", strategy.Values{"sticky": 0}),
		}},
		{Name: "bare"},
	}
	if diff := cmp.Diff(want, ps); diff != "" {
		t.Error(diff)
	}
	var b bytes.Buffer
	if err := policy.Write(&b, ps); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tuned, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestPolicyFileRefuses(t *testing.T) {
	stage := "[[policy]]\nname = \"a\"\n\n[[policy.stage]]\nstrategy = \"compress\"\n"
	for _, c := range []struct{ name, text, want string }{
		{"syntax", "[[policy]]\nname = \n", "p.toml:2:"},
		{"unknown key", "[[policy]]\nname = \"a\"\ncolour = 1\n", `p.toml:3: unknown key "policy.colour"`},
		{"unknown table", "[[policies]]\nname = \"a\"\n", `p.toml:1: unknown key "policies"`},
		{"no name", "[[policy]]\ntitle = \"a\"\n", "p.toml:1: a policy has no name"},
		{"twice", "[[policy]]\nname = \"a\"\n[[policy]]\nname = \"a\"\n", `p.toml:4: there are two policies "a"`},
		{"built in", "[[policy]]\nname = \"full\"\n", `p.toml:2: policy "full" is built in`},
		{"strategy", "[[policy]]\nname = \"a\"\n[[policy.stage]]\nstrategy = \"zip\"\n", `p.toml:4: policy a: no strategy "zip"`},
		{"no strategy", "[[policy]]\nname = \"a\"\n[[policy.stage]]\nkeep_n = 1\n", "p.toml:3: policy a: a stage has no strategy"},
		{"knob", stage + "keep = 1\n", `p.toml:6: policy a: compress has no knob "keep"`},
		{"range", stage + "keep_n = 99999\n", "p.toml:6: policy a: compress: keep_n is 99999; it takes 0 to 1000"},
		{"type", stage + "keep_n = [1]\n", "p.toml:6: policy a: compress.keep_n takes one value"},
		{"wrong type of name", "[[policy]]\nname = 3\n", "p.toml:2:"},
		{"second of two", stage + "[[policy.stage]]\nstrategy = \"passmark\"\nkeep_n = 1\n", "p.toml:8: policy a: passmark has no knob"},
		{"same twice", stage + "[[policy.stage]]\nstrategy = \"compress\"\n", "p.toml:7: policy a has the strategy compress twice"},
		{"two rules", "[[policy]]\nname = \"a\"\n[[policy.stage]]\nstrategy = \"openclaw\"\n[[policy.stage]]\nstrategy = \"keep-one\"\n", "p.toml:6: policy a has two retention rules"},
	} {
		_, err := policy.Read("p.toml", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s…", c.name, err, c.want)
		}
	}
}

// Any policy that can be set can be written and read back, and the text is a
// fixed point.
func TestPolicyFileRoundTrip(t *testing.T) {
	var rewrites []*strategy.Strategy
	for _, s := range registry.All() {
		if s.Apply != nil && s.Name != "full" {
			rewrites = append(rewrites, s)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := policy.Policy{Name: "x" + rapid.String().Draw(rt, "name"), Title: rapid.String().Draw(rt, "title")}
		for _, s := range rapid.SliceOfDistinct(rapid.SampledFrom(rewrites), func(s *strategy.Strategy) string { return s.Name }).Draw(rt, "stages") {
			st := policy.Stage{Strategy: s}
			for _, k := range s.Knobs {
				v := k.Clamp(rapid.Float64Range(k.Min, k.Max).Draw(rt, k.Key))
				if v != k.Default {
					if st.Knobs == nil {
						st.Knobs = strategy.Values{}
					}
					st.Knobs[k.Key] = v
				}
			}
			p.Stages = append(p.Stages, st)
		}
		var b bytes.Buffer
		if err := policy.Write(&b, []policy.Policy{p}); err != nil {
			rt.Fatal(err)
		}
		got, err := policy.Read("p.toml", b.Bytes())
		if err != nil {
			rt.Fatalf("%v in\n%s", err, b.String())
		}
		if diff := cmp.Diff([]policy.Policy{p}, got); diff != "" {
			rt.Fatalf("%s\n%s", diff, b.String())
		}
	})
}

func FuzzReadPolicies(f *testing.F) {
	f.Add([]byte(tuned))
	f.Add([]byte("[[policy]]\nname = '''a\n'''\n[policy.stage]\n"))
	f.Add([]byte("policy = [{name=\"a\", stage=[{strategy=\"compress\"}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ps, err := policy.Read("p.toml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.toml:") {
				t.Errorf("the error does not say where: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := policy.Write(&b, ps); err != nil {
			t.Fatal(err)
		}
		again, err := policy.Read("p.toml", b.Bytes())
		if err != nil {
			t.Fatalf("what was written does not read: %v\n%s", err, b.String())
		}
		var c bytes.Buffer
		if err := policy.Write(&c, again); err != nil || c.String() != b.String() {
			t.Fatalf("writing is no fixed point: %v\n%s\n%s", err, b.String(), c.String())
		}
	})
}
