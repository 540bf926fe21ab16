package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"snapscope/replay/sweep"
	"snapscope/session/atomicfile"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// policyFile is the one place for policies of one's own: the file that the
// config, SNAPSCOPE_POLICIES or --policies names, else policies.toml beside the
// config. named is false for the latter, which need not exist.
func (a *app) policyFile() (path string, named bool) {
	if a.conf.Policies != "" {
		return a.conf.Policies, true
	}
	dir, err := configDir()
	if err != nil {
		return "", false
	}
	return filepath.Join(dir, "policies.toml"), false
}

// policies are the person's own.
func (a *app) policies() ([]policy.Policy, error) {
	path, named := a.policyFile()
	data, err := readPolicies(path, named)
	if err != nil {
		return nil, err
	}
	ps, err := policy.Read(path, data)
	if err != nil {
		return nil, usageError{err}
	}
	return ps, nil
}

// readPolicies reads a policy file; one that nobody named may be missing.
func readPolicies(path string, named bool) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	data, err := readFile(path, maxSettings)
	if absent(err) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the policies: %w", err)
	}
	return data, nil
}

// savePolicy puts a policy among the person's own and answers the file that
// holds it now.
func (a *app) savePolicy(p policy.Policy) (string, error) {
	path, _ := a.policyFile()
	if path == "" {
		return "", errors.New("there is no folder for settings: name a file with --policies")
	}
	data, err := readPolicies(path, false)
	if err != nil {
		return "", err
	}
	text, err := policy.Put(path, data, p)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("writing the policies: %w", err)
	}
	return path, atomicfile.Write(path, text, 0o644)
}

// policyFlags choose policies and turn their knobs.
type policyFlags struct {
	names []string
	sets  []string
	file  string
}

func (p *policyFlags) add(f *pflag.FlagSet, standard string) {
	f.StringArrayVar(&p.names, "policy", nil, "policy by name, or a TOML file with policies, repeatable; all: every one (default "+standard+")")
	f.StringArrayVar(&p.sets, "set", nil, "strategy.knob=value in every policy that has it, repeatable")
	f.StringVar(&p.file, "policies", "", "TOML file with policies of your own (default: policies.toml beside the config)")
}

// words are the flags again, for a program that is started in another folder.
func (p policyFlags) words() (out []string, err error) {
	file := func(name string) (string, error) {
		if !strings.HasSuffix(name, ".toml") {
			return name, nil
		}
		return filepath.Abs(name)
	}
	for _, n := range p.names {
		if n, err = file(n); err != nil {
			return nil, err
		}
		out = append(out, "--policy", n)
	}
	for _, s := range p.sets {
		out = append(out, "--set", s)
	}
	if p.file != "" {
		abs, err := filepath.Abs(p.file)
		if err != nil {
			return nil, err
		}
		out = append(out, "--policies", abs)
	}
	return out, nil
}

// choose answers the policies the flags name, with the knobs they turn.
func (a *app) choose(p policyFlags, standard ...string) ([]policy.Policy, error) {
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
		switch {
		case n == "all":
			out = append(append(out, policy.Builtin()...), own...)
			continue
		case strings.HasSuffix(n, ".toml"): // a file stands for all that is in it
			data, err := readPolicies(n, true)
			if err != nil {
				return nil, err
			}
			ps, err := policy.Read(n, data)
			if err != nil {
				return nil, usageError{err}
			}
			if len(ps) == 0 {
				return nil, usagef("%s: there is no policy in it", n)
			}
			out = append(out, ps...)
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

// naming answers the words that name a policy again on a command line, as these
// flags chose it: the file it is from, and the knobs that were turned.
func (a *app) naming(pf policyFlags) func(policy.Policy) string {
	type place struct {
		p     policy.Policy
		words string
	}
	var known []place
	file := ""
	if pf.file != "" {
		file = "--policies " + ledger.Word(pf.file) + " "
	}
	for _, n := range pf.names {
		if !strings.HasSuffix(n, ".toml") {
			continue
		}
		data, err := readPolicies(n, true)
		if err != nil {
			continue // choose has said so
		}
		ps, _ := policy.Read(n, data)
		for _, p := range ps {
			known = append(known, place{p, "--policies " + ledger.Word(n) + " "})
		}
	}
	own, _ := a.policies()
	return func(p policy.Policy) string {
		from, words := p, file
		if base, err := policy.Find(p.Name, own); err == nil {
			from = base
		}
		for _, k := range known {
			if k.p.Name == p.Name {
				from, words = k.p, k.words
			}
		}
		return words + sweep.PolicyFlags(p, from)
	}
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
	f.StringVar(&l.model, "model", "", "count with this model's prices (default: the session's own)")
	f.IntVar(&l.system, "system", 0, "tokens of the system prompt, where the file does not say")
	f.IntVar(&l.definitions, "definitions", 0, "tokens of the tool definitions, where the file does not say")
}

// ledger are the options of a count with a renderer of its own.
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
		if data, err = readFile(file, maxSettings); err != nil {
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
