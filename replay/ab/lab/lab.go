// Package lab carries out a comparison: it runs an agent again and again through
// both seats, a policy at a time, and keeps what is measured.
//
//	ab.json          what is compared; the same comparison goes on where it stopped
//	policies.toml    the policies that are not built in
//	runs/01-delta/   api.jsonl, recordings/ (of the MCP seats), joined.jsonl, stdout.log, stderr.log, run.json
//
// The agent is any command that takes its model API's address from the
// environment (Options.Point) or from {url} in its arguments, and whose MCP server is started by
// "snapscope mcp --": that seat is told the policy, the folder and the group by
// the environment.
package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"snapscope/replay"
	"snapscope/replay/ab"
	"snapscope/session"
	"snapscope/session/atomicfile"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// Options say what is compared.
type Options struct {
	Dir      string // of this comparison; it is made
	Agent    []string
	Policies []policy.Policy // the first is what the others are set against
	Rounds   int             // runs of each policy
	To       *url.URL        // the model API
	Timeout  time.Duration   // of one run; 0: none
	// Check is a shell command that decides whether a run succeeded: it gets what the
	// agent printed, SNAPSCOPE_RUN names the run's folder, status 0 is success. Expect
	// is a text that the agent has to say. With neither nothing is known of success.
	Check, Expect string
	// Point are the variables of the agent's environment that get the address of the
	// proxy before the model API. No other is changed: a key must not go to an API that
	// it is not for.
	Point  []Variable
	Ledger ledger.Options
	Count  func(string) int
	Log    func(line string)
	// Progress is told how many runs of all are over, and which one begins.
	Progress func(done, total int, next string)
}

// The environment by which the seats that an agent starts are told what to do.
const (
	EnvGroup      = "SNAPSCOPE_GROUP"      // seats that share it belong to one agent
	EnvPolicy     = "SNAPSCOPE_POLICY"     // the policy of a seat that is given none
	EnvRecordings = "SNAPSCOPE_RECORDINGS" // the state folder of a seat that is given no recording
	EnvPolicies   = "SNAPSCOPE_POLICIES"   // the file with policies of one's own
)

// Variable is one by which an agent is told its model API: its name, and what
// stands behind the address there.
type Variable struct{ Name, Path string }

// plan is what is compared, as it stands in ab.json.
type plan struct {
	Agent    []string        `json:"agent"`
	To       string          `json:"to"`
	Policies []policy.Policy `json:"policies"`
	Check    string          `json:"check,omitempty"`
	Expect   string          `json:"expect,omitempty"`
}

type lab struct {
	Options
	group  string
	broken []string // what is said of runs that broke what works them out
}

// guarded works out a part of the comparison, such as a run. What breaks there is left
// out, and said; the others go on.
func (l *lab) guarded(what string, do func() error) (ok bool, err error) {
	err = guard.Do("working it out", do)
	var broke *guard.Broke
	if errors.As(err, &broke) {
		l.broken = append(l.broken, what+" is left out: "+broke.Error())
		return false, nil
	}
	return err == nil, err
}

// Run carries out what is still to be done of a comparison and answers its table.
func Run(ctx context.Context, o Options) (ab.Table, error) {
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	l := &lab{Options: o, group: "ab-" + filepath.Base(o.Dir)}
	if err := l.open(); err != nil {
		return ab.Table{}, err
	}
	var runs []ab.Run
	total := o.Rounds * len(o.Policies)
	for round := 1; round <= o.Rounds; round++ {
		for i := range o.Policies {
			p := o.Policies[(i+round-1)%len(o.Policies)] // who goes first changes
			name := fmt.Sprintf("%02d-%s", round, safe(p.Name))
			o.Progress(len(runs), total, name)
			var r ab.Run
			ok, err := l.guarded("run "+name, func() (err error) {
				r, err = l.once(ctx, round, p, filepath.Join(o.Dir, "runs", name))
				return err
			})
			if err != nil {
				return ab.Table{}, fmt.Errorf("run %s: %w; the runs before it are kept: the same command goes on from there", name, err)
			}
			if ok {
				runs = append(runs, r)
			}
		}
	}
	o.Progress(total, total, "")
	return l.table(ctx, runs)
}

// safe is a policy's name as a folder's.
func safe(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, name)
}

// open makes the folder, or checks that it holds this comparison.
func (l *lab) open() error {
	var names []string
	for i, p := range l.Policies {
		if slices.Contains(names, safe(p.Name)) {
			return fmt.Errorf("policy %s is named twice", p.Name)
		}
		if b, err := policy.Find(p.Name, nil); err == nil && b.Key() != p.Key() { // built in, with knobs turned
			l.Policies[i].Name = p.Name + "-tuned"
		}
		names = append(names, safe(l.Policies[i].Name))
	}
	if err := os.MkdirAll(filepath.Join(l.Dir, "runs"), 0o700); err != nil {
		return err
	}
	now, err := json.MarshalIndent(plan{l.Agent, l.To.String(), l.Policies, l.Check, l.Expect}, "", " ")
	if err != nil {
		return err
	}
	file := filepath.Join(l.Dir, "ab.json")
	old, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := atomicfile.Write(file, now, 0o600); err != nil {
			return err
		}
	case err != nil:
		return err
	case string(old) != string(now):
		return fmt.Errorf("%s holds another comparison: its agent, its API, its check or its policies differ; name another folder with --out", l.Dir)
	}
	var own []byte
	for _, p := range l.Policies {
		if _, err := policy.Find(p.Name, nil); err == nil {
			continue
		}
		if own, err = policy.Put("policies.toml", own, p); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(l.Dir, "policies.toml"), own, 0o600)
}

// timeline reads a run's joined recording.
func timeline(dir string) (*session.Timeline, error) {
	rec, err := replay.ReadFile(filepath.Join(dir, "joined.jsonl"))
	if err != nil {
		return nil, err
	}
	return session.NewTimeline(rec.Events), nil
}

// table makes the comparison of the runs there are.
func (l *lab) table(ctx context.Context, runs []ab.Run) (ab.Table, error) {
	forecasts := map[string][]ab.Forecast{}
	var checks []ab.RunCheck
	var notes []string
	var order []string
	for _, p := range l.Policies {
		order = append(order, p.Name)
	}
	var whole []ab.Run
	for i := range runs {
		r := &runs[i]
		ok, err := l.guarded("run "+filepath.Base(filepath.Dir(r.File)), func() error {
			t, err := timeline(filepath.Dir(r.File))
			if err != nil {
				return err
			}
			k, ok, err := ab.CheckCache(ctx, t, l.Ledger)
			if err != nil {
				return err
			}
			if ok {
				checks = append(checks, ab.RunCheck{Policy: r.Policy, Round: r.Round, CacheCheck: k})
			}
			if r.Policy != order[0] {
				return nil
			}
			return l.forecast(ctx, r, t, forecasts)
		})
		if err != nil {
			return ab.Table{}, err
		}
		if !ok {
			continue
		}
		whole = append(whole, *r)
		if r.Calls == 0 {
			notes = append(notes, fmt.Sprintf("%s run %d: no model call that bears a count passed the seat; is the agent pointed at it?", r.Policy, r.Round))
		}
		if r.Pairs == 0 && r.Steps > 0 {
			notes = append(notes, fmt.Sprintf("%s run %d: no recording of the MCP side; is its server started by snapscope mcp? Rewrites of pages were not applied", r.Policy, r.Round))
		}
	}
	if len(whole) == 0 && len(l.broken) > 0 {
		return ab.Table{}, errors.New(l.broken[0])
	}
	runs, notes = whole, append(l.broken, notes...)
	t := ab.Compare(order, runs, forecasts)
	t.Agent, t.Checks, t.Notes = l.Agent, checks, append(t.Notes, notes...)
	if l.Ledger.Prices != nil {
		t.Prices = l.Ledger.Prices.Date
	}
	return t, nil
}

// forecast says what a run would have come to under each policy.
func (l *lab) forecast(ctx context.Context, r *ab.Run, t *session.Timeline, forecasts map[string][]ab.Forecast) error {
	for _, p := range l.Policies {
		_, err := l.guarded(fmt.Sprintf("the forecast of policy %s from run %s", p.Name, filepath.Base(filepath.Dir(r.File))), func() error {
			f, ok, err := ab.Predict(ctx, t, p, l.Ledger)
			if err == nil && ok {
				f.Add(*r, l.Ledger.Prices)
				forecasts[p.Name] = append(forecasts[p.Name], f)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
