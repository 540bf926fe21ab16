package policy

import (
	"fmt"
	"slices"
	"strings"
)

// ownHead stands at the top of a policy file that the program begins.
const ownHead = `# Policies of your own: each is a row of strategies with the knobs that differ
# from their defaults. snapscope strategies lists both. Every command reads this
# file, and saving a policy in the debugger writes to it; comments stay.

`

// Put answers the text of a policy file with p in it: in place of the policy of
// the same name, else at the end. Everything else stays as it was written,
// comments included. name stands in errors, which are those of Read: a file with
// a fault is not touched. The policy's name must not be a built-in one's.
func Put(name string, data []byte, p Policy) ([]byte, error) {
	old, err := Read(name, data)
	if err != nil {
		return nil, err
	}
	if reserved(p.Name) {
		return nil, fmt.Errorf("policy %q is built in: choose another name", p.Name)
	}
	var block strings.Builder
	if err := Write(&block, []Policy{p}); err != nil {
		return nil, err
	}
	text := string(data)
	if strings.TrimSpace(text) == "" {
		return []byte(ownHead + block.String()), nil
	}
	at := slices.IndexFunc(old, func(o Policy) bool { return o.Name == p.Name })
	if at < 0 {
		return []byte(strings.TrimRight(text, "\n") + "\n\n" + block.String()), nil
	}
	lines := strings.SplitAfter(text, "\n")
	from, to := policyLines(data, lines, at, len(old))
	before, after := strings.Join(lines[:from], ""), strings.Join(lines[to:], "")
	if after != "" {
		block.WriteByte('\n')
	}
	return []byte(before + block.String() + after), nil
}

// policyLines is where the at-th of n policies stands, as indexes into the
// file's lines. Comments and blank lines right above the next policy belong to
// that one.
func policyLines(data []byte, lines []string, at, n int) (from, to int) {
	from, to = TOMLLine(data, fmt.Sprintf("policy[%d]", at))-1, len(lines)
	if at+1 < n {
		to = TOMLLine(data, fmt.Sprintf("policy[%d]", at+1)) - 1
		for to > from+1 && strings.HasPrefix(strings.TrimSpace(lines[to-1]), "#") {
			to--
		}
	}
	return from, to
}
