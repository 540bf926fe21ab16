package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// ReadingFlags are the flags by which recordings are read, a space before each; empty
// where they are read in the usual way. What they change, a figure may depend on.
func ReadingFlags(format string, limits int, secrets bool) string {
	out := ""
	if format != "" {
		out += " --from " + ledger.Word(format)
	}
	if limits > 1 {
		out += fmt.Sprintf(" --limits %d", limits)
	}
	if secrets {
		out += " --keep-secrets"
	}
	return out
}

// PolicyFlags name a policy: --policy, and a --set for each knob that has another
// value than in from, the policy of that name.
func PolicyFlags(p, from policy.Policy) string {
	words := "--policy " + ledger.Word(p.Name)
	for i, st := range p.Stages {
		if i >= len(from.Stages) || from.Stages[i].Strategy != st.Strategy {
			break
		}
		for _, k := range st.Strategy.Knobs {
			if v := st.Values()[k.Key]; v != from.Stages[i].Values()[k.Key] {
				words += " --set " + ledger.Word(st.Strategy.Name+"."+k.Key+"="+k.Format(v))
			}
		}
	}
	return words
}

// policyName is the file of a sweep that holds its policy, where that is not one that
// every program has.
const policyName = "policy.toml"

// keepPolicy puts the policy beside the parts, so that it is known by its name to
// whoever opens a recording.
func (p *Parts) keepPolicy() error {
	pol := p.manifest.Policy
	if _, err := policy.Find(pol.Name, nil); err == nil {
		return nil
	}
	old, err := p.store.Read(policyName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := policy.Put(filepath.Join(p.dir, policyName), old, pol)
	if err != nil {
		return err
	}
	return p.store.Write(policyName, text)
}

// Words name the parts' policy, or one with other values of its knobs, on a command
// line.
func (p *Parts) Words(of policy.Policy) string {
	from, err := policy.Find(of.Name, nil)
	if err == nil {
		return PolicyFlags(of, from)
	}
	return "--policies " + fileWord(strings.TrimSuffix(p.dir, "/")+"/"+policyName, "") + " " + PolicyFlags(of, p.manifest.Policy)
}

// fileWord is a file as a word of a command line. What lies in a bucket is fetched
// first, with what it links to, which is found by reading it as the flags say.
func fileWord(name, reading string) string {
	if !strings.HasPrefix(name, "s3://") {
		return ledger.Word(name)
	}
	return `"$(snapscope-fleet fetch ` + ledger.Word(name) + strings.TrimSuffix(reading, " --keep-secrets") + `)"`
}
