package ledger_test

import (
	"context"
	"strings"
	"testing"

	"snapscope/session/ledger"
	"snapscope/session/policy"
)

func TestBuiltInPrices(t *testing.T) {
	p := ledger.DefaultPrices()
	if p.Date == "" || len(p.Models()) == 0 {
		t.Fatalf("the table is empty: %+v", p)
	}
	for name, want := range map[string]string{
		"claude-sonnet-4-5":                           "claude-sonnet-4-5",
		"claude-sonnet-4-5-20250929":                  "claude-sonnet-4-5",
		"anthropic/Claude-Opus-4-5":                   "claude-opus-4-5",
		"us.anthropic.claude-haiku-4-5-20251001-v1:0": "claude-haiku-4-5",
		"openai/gpt-4o-2024-08-06":                    "gpt-4o",
		"gpt-5-mini":                                  "gpt-5-mini",
		"claude-3-7-sonnet-latest":                    "claude-3-7-sonnet",
		"model-x":                                     "",
		"":                                            "",
		"gpt-4o-audio":                                "",
	} {
		got, ok := p.Find(name)
		if ok != (want != "") || got.Model != want {
			t.Errorf("%q finds %q, want %q", name, got.Model, want)
		}
	}
	for _, name := range p.Models() {
		m, _ := p.Find(name)
		if m.Input <= 0 || m.Output < m.Input || m.Rule.Read <= 0 || m.Rule.Write < 1 || m.Rule.MinPrefix < 512 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestPriceTableRefuses(t *testing.T) {
	rule := "date = \"2026-01-01\"\n[rule.r]\nmin_prefix = 0\nstep = 1\nlook_back = 0\nwrite = 1.0\nread = 0.1\n"
	model := rule + "[[model]]\nname = \"m\"\nrule = \"r\"\ninput = 1\noutput = 2\n"
	if _, err := ledger.ParsePrices("p.toml", []byte(model)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"no date", strings.TrimPrefix(model, "date = \"2026-01-01\"\n"), "p.toml:1: the price table has no date"},
		{"no field of a rule", strings.Replace(model, "look_back = 0\n", "", 1), `p.toml:2: rule "r" has no look_back`},
		{"no price", strings.Replace(model, "input = 1\n", "", 1), `p.toml:8: model "m" has no input price`},
		{"no output price", strings.Replace(model, "output = 2\n", "", 1), `p.toml:8: model "m" has no output price`},
		{"no name", strings.Replace(model, "name = \"m\"\n", "", 1), "p.toml:8: a model has no name"},
		{"no rule", strings.Replace(model, "rule = \"r\"\n", "", 1), `p.toml:8: model "m" has no rule`},
		{"unknown rule", strings.Replace(model, "rule = \"r\"\n", "rule = \"q\"\n", 1), `p.toml:10: model "m": there is no rule "q"`},
		{"negative", strings.Replace(model, "input = 1\n", "input = -1\n", 1), `p.toml:11: model "m": a price is at least 0`},
		{"step 0", strings.Replace(model, "step = 1\n", "step = 0\n", 1), `p.toml:4: rule "r": step is out of range`},
		{"unknown key", model + "colour = 1\n", `p.toml:13: unknown key "model.colour"`},
		{"twice", model + "[[model]]\nname = \"M\"\nrule = \"r\"\ninput = 1\noutput = 2\n", `p.toml:14: model "M" is listed twice`},
		{"text for a number", strings.Replace(model, "input = 1\n", "input = \"1\"\n", 1), "p.toml:11: "},
		{"syntax", "date =", "p.toml:1:"},
	} {
		_, err := ledger.ParsePrices("p.toml", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s…", c.name, err, c.want)
		}
	}
}

func FuzzParsePrices(f *testing.F) {
	f.Add(ledger.DefaultPricesTOML())
	f.Add([]byte("date = \"x\"\n[rule]\nr = {min_prefix = 1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ledger.ParsePrices("p.toml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.toml:") {
				t.Errorf("the error does not say where: %v", err)
			}
			return
		}
		for _, name := range p.Models() {
			if _, ok := p.Find(name); !ok {
				t.Errorf("model %q cannot be found", name)
			}
		}
	})
}

func TestUnknownModelHasNoCost(t *testing.T) {
	tl := recorded(t, "five-calls.jsonl")
	o := options()
	o.Prices, o.Model = ledger.DefaultPrices(), "model-x"
	r := simulate(tl, named("openclaw"), o)
	if r.Cost != nil || r.Calls[0].Cost != nil || !said(r, `no price for model "model-x"`) || r.Expiries[0].Known {
		t.Errorf("cost %v, notes %q, expiry %+v", r.Cost, r.Notes, r.Expiries[0])
	}
}

// Two sessions at real prices: one where the expiry of a large snapshot is
// followed by many cheap calls, one where a small snapshot goes and large
// results behind it are written again.
func TestSessionsWhereExpiryWinsAndLoses(t *testing.T) {
	for name, wins := range map[string]bool{"expiry-wins.jsonl": true, "expiry-loses.jsonl": false} {
		o := options()
		o.Prices = ledger.DefaultPrices()
		rs, err := ledger.All(context.Background(), recorded(t, name), []policy.Policy{policy.Full(), named("openclaw")}, o)
		if err != nil {
			t.Fatal(err)
		}
		r := rs[1]
		if len(r.Expiries) != 1 || r.Expiries[0].Paid != wins {
			t.Fatalf("%s: %+v", name, r.Expiries)
		}
		if cheaper := *r.Cost < *rs[0].Cost; cheaper != wins {
			t.Errorf("%s: full costs %v, openclaw %v", name, *rs[0].Cost, *r.Cost)
		}
		if r.InputTokens >= rs[0].InputTokens {
			t.Errorf("%s: expiry carries more", name)
		}
	}
}

func TestHiddenButtonRecording(t *testing.T) {
	o := options()
	o.Fixes = true
	tl := recorded(t, "hidden-button.jsonl")
	r := simulate(tl, named("compress"), o)
	if l := r.Survival.Lost; len(l) != 1 || l[0].Keep == nil || l[0].Keep.Assignment() != "compress.keep_n=57" || l[0].Knob != "keep_n" {
		t.Fatalf("lost %+v", l)
	}
	if v := simulate(tl, r.Survival.Lost[0].Keep.Apply(named("compress")), o).Survival; v.Ratio() != 1 {
		t.Errorf("with the fix %+v", v)
	}
}
