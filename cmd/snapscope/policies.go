package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// policies are the person's own, from the file the config or --policies names.
func (a *app) policies() ([]policy.Policy, error) {
	if a.conf.Policies == "" {
		return nil, nil
	}
	data, err := os.ReadFile(a.conf.Policies)
	if err != nil {
		return nil, fmt.Errorf("reading the policies: %w", err)
	}
	ps, err := policy.Read(a.conf.Policies, data)
	if err != nil {
		return nil, usageError{err}
	}
	return ps, nil
}

// policyFlags choose policies and turn their knobs.
type policyFlags struct {
	names []string
	sets  []string
	file  string
}

func (p *policyFlags) add(f *pflag.FlagSet, standard string) {
	f.StringArrayVar(&p.names, "policy", nil, "policy to reckon under, repeatable; all: every one (default "+standard+")")
	f.StringArrayVar(&p.sets, "set", nil, "strategy.knob=value in every policy that has it, repeatable")
	f.StringVar(&p.file, "policies", "", "TOML file with policies of your own")
}

// choose answers the policies the flags name, with the knobs they turn.
func (a *app) choose(p policyFlags, standard ...string) ([]policy.Policy, error) {
	if p.file != "" {
		a.conf.Policies = p.file
	}
	own, err := a.policies()
	if err != nil {
		return nil, err
	}
	names := p.names
	if len(names) == 0 {
		names = standard
	}
	var out []policy.Policy
	for _, n := range names {
		if n == "all" {
			out = append(append(out, policy.Builtin()...), own...)
			continue
		}
		pol, err := policy.Find(n, own)
		if err != nil {
			return nil, usageError{err}
		}
		out = append(out, pol)
	}
	for _, set := range p.sets {
		if err := turn(out, set); err != nil {
			return nil, usageError{err}
		}
	}
	return out, nil
}

// turn sets a knob in every policy that has it; it is an error if none has.
func turn(ps []policy.Policy, set string) error {
	var first error
	done := false
	for i := range ps {
		err := ps[i].Set(set)
		if err == nil {
			done = true
		} else if first == nil || strings.Contains(first.Error(), "has no knob") {
			first = err
		}
	}
	if done {
		return nil
	}
	return first
}

// ledgerFlags say how a session is counted and priced.
type ledgerFlags struct {
	prices, model       string
	system, definitions int
}

func (l *ledgerFlags) add(f *pflag.FlagSet) {
	f.StringVar(&l.prices, "prices", "", "TOML file with model prices (default: the built-in table)")
	f.StringVar(&l.model, "model", "", "reckon with this model's prices (default: the session's own)")
	f.IntVar(&l.system, "system", 0, "tokens of the system prompt where the session does not tell them")
	f.IntVar(&l.definitions, "definitions", 0, "tokens of the tool definitions where the session does not tell them")
}

// ledger are the options of a reckoning with a renderer of its own.
func (a *app) ledger(l ledgerFlags) (ledger.Options, error) {
	count, err := a.counter()
	if err != nil {
		return ledger.Options{}, err
	}
	file, model := l.prices, l.model
	if file == "" {
		file = a.conf.Prices
	}
	if model == "" {
		model = a.conf.Model
	}
	name, data := "the built-in prices", ledger.DefaultPricesTOML()
	if file != "" {
		name = file
		if data, err = os.ReadFile(file); err != nil {
			return ledger.Options{}, fmt.Errorf("reading the prices: %w", err)
		}
	}
	prices, err := ledger.ParsePrices(name, data)
	if err != nil {
		return ledger.Options{}, usageError{err}
	}
	if _, ok := prices.Find(model); model != "" && !ok {
		return ledger.Options{}, usagef("no price of model %q; there are %s (or name another table with --prices)", model, strings.Join(prices.Models(), ", "))
	}
	if l.system < 0 || l.definitions < 0 {
		return ledger.Options{}, usagef("--system and --definitions are numbers of tokens")
	}
	return ledger.Options{
		Renderer: policy.NewRenderer(count.Count), Prices: prices, Model: model,
		System: l.system, Definitions: l.definitions,
	}, nil
}
