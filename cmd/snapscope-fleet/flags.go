package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.temporal.io/sdk/client"

	"snapscope/cmd/snapscope-fleet/shard"
	"snapscope/replay/sweep"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// jobFlags say what is tried on the sessions, as those of `snapscope sweep` do. No
// settings file is read: a fleet's figures must not depend on whose machine began
// them.
type jobFlags struct {
	policy, policies    string
	sets, knobs         []string
	prices, model       string
	system, definitions int
	encoding, format    string
	limits              int
	secrets, parquet    bool
}

func (j *jobFlags) add(f *pflag.FlagSet) {
	f.StringVar(&j.policy, "policy", "", "the policy whose knobs are turned (default: the strategies of the knobs, else combined)")
	f.StringVar(&j.policies, "policies", "", "TOML file with policies of your own")
	f.StringArrayVar(&j.sets, "set", nil, "set a knob of the policy: strategy.knob=value; repeatable")
	f.StringArrayVar(&j.knobs, "knob", nil, "strategy.knob, or with values: =5,10,20 or =5..50/15; repeatable")
	f.StringVar(&j.prices, "prices", "", "TOML file with model prices (default: the built-in table)")
	f.StringVar(&j.model, "model", "", "count with this model's prices (default: the session's own)")
	f.IntVar(&j.system, "system", 0, "tokens of the system prompt, where the file does not say")
	f.IntVar(&j.definitions, "definitions", 0, "tokens of the tool definitions, where the file does not say")
	f.StringVar(&j.encoding, "encoding", token.Default, "what tokens are counted in")
	f.StringVar(&j.format, "from", "", "the transcripts' format (default: recognised by content)")
	f.IntVar(&j.limits, "limits", 1, "multiply every limit on what is read (unpacked size, events, one line) by this")
	f.BoolVar(&j.secrets, "keep-secrets", false, "leave typed passwords and keys as they stand")
	f.BoolVar(&j.parquet, "parquet", false, "write the rows as Parquet, too: a file beside each part")
}

// job is what the flags ask for.
func (j *jobFlags) job() (shard.Job, error) {
	out := shard.Job{
		Program: version(), Model: j.model, Fixed: [2]int{j.system, j.definitions}, Format: j.format,
		Limits: j.limits, Secrets: j.secrets, Parquet: j.parquet,
	}
	var err error
	if out.Policy, out.Axes, err = j.axes(); err != nil {
		return out, usageError{err}
	}
	count, err := token.New(j.encoding)
	if err != nil {
		return out, usageError{err}
	}
	out.Encoding = count.Name()
	name, data := "the built-in prices", ledger.DefaultPricesTOML()
	if j.prices != "" {
		name = j.prices
		if data, err = os.ReadFile(j.prices); err != nil {
			return out, fmt.Errorf("reading the prices: %w", err)
		}
	}
	prices, err := ledger.ParsePrices(name, data)
	if err != nil {
		return out, usageError{err}
	}
	if _, ok := prices.Find(j.model); j.model != "" && !ok {
		return out, usageError{fmt.Errorf("no price of model %q; there are %s", j.model, strings.Join(prices.Models(), ", "))}
	}
	if j.system < 0 || j.definitions < 0 {
		return out, usageError{fmt.Errorf("--system and --definitions are numbers of tokens")}
	}
	out.Prices = string(data)
	if out.Dir, err = os.Getwd(); err != nil {
		return out, err
	}
	return out, nil
}

// axes are the policy whose knobs are turned, and the values to try.
func (j *jobFlags) axes() (policy.Policy, []sweep.Axis, error) {
	p, err := j.base()
	if err != nil {
		return p, nil, err
	}
	for _, set := range j.sets {
		if err := p.Set(set); err != nil {
			return p, nil, err
		}
	}
	if len(j.knobs) == 0 {
		return p, sweep.Axes(p), nil
	}
	var axes []sweep.Axis
	for _, k := range j.knobs {
		ax, err := sweep.ParseAxis(p, k)
		if err != nil {
			return p, nil, err
		}
		axes = append(axes, ax)
	}
	_, err = sweep.Grid(p, axes)
	return p, axes, err
}

func (j *jobFlags) base() (policy.Policy, error) {
	if j.policy == "" && len(j.knobs) > 0 {
		return sweep.Base(j.knobs)
	}
	var own []policy.Policy
	if j.policies != "" {
		data, err := os.ReadFile(j.policies)
		if err != nil {
			return policy.Policy{}, err
		}
		if own, err = policy.Read(j.policies, data); err != nil {
			return policy.Policy{}, err
		}
	}
	name := j.policy
	if name == "" {
		name = "combined"
	}
	return policy.Find(name, own)
}

// serverFlags say where Temporal is.
type serverFlags struct{ host, namespace string }

func (s *serverFlags) add(f *pflag.FlagSet) {
	f.StringVar(&s.host, "temporal", envOr("TEMPORAL_ADDRESS", "127.0.0.1:7233"), "where Temporal is: host:port (or $TEMPORAL_ADDRESS)")
	f.StringVar(&s.namespace, "namespace", envOr("TEMPORAL_NAMESPACE", "default"), "its namespace (or $TEMPORAL_NAMESPACE)")
}

func envOr(name, standard string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return standard
}

// dial reaches Temporal.
func (s *serverFlags) dial(cmd *cobra.Command) (client.Client, error) {
	c, err := client.DialContext(cmd.Context(), client.Options{HostPort: s.host, Namespace: s.namespace, Logger: quiet{}})
	if err != nil {
		return nil, fmt.Errorf("no Temporal answers at %s: start one (`snapscope-fleet dev` does on this machine) or name another with --temporal: %w", s.host, err)
	}
	return c, nil
}

// quiet is where Temporal's own log goes: what matters of it, the commands say.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// address is a source or a target as every worker may find it: a bucket's as it is, a
// folder's whole.
func address(name string) (string, error) {
	if strings.HasPrefix(name, "s3://") {
		return strings.TrimRight(name, "/"), nil
	}
	return filepath.Abs(name)
}
