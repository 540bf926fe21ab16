package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"snapscope/session"
	"snapscope/session/browser"
	"snapscope/session/demo"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/session/script"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
	"snapscope/snapshot/token"
	"snapscope/snapshot/wording"
)

// runFlags are what the run command was given.
type runFlags struct {
	browser   browserFlags
	pool      poolFlags
	record    string
	base      string
	sets      []string
	asJSON    bool
	keepGoing bool
}

func (a *app) runCmd() *cobra.Command {
	var r runFlags
	c := &cobra.Command{
		Use:   "run SCRIPT",
		Short: "Run a step script without a screen; every step gets its own diff",
		Long: `Runs a step script in a headless Chromium and prints, step by step, what each
strategy would have given the agent and what is about to expire. A script whose
addresses are relative (goto: /leads) runs on the embedded demo site unless
--base names another.

--cdp and --cdp-pool name browsers that run elsewhere. The session has a browser
context of its own there: no cookie is shared with others in the same browser.
When a browser does not answer the next one is taken; when it goes in the middle
the session begins again on another one, and what it said so far is dropped. The
recording says where it ran.`,
		Example: "  snapscope run script.yaml --record run.jsonl\n" +
			"  snapscope run script.yaml --cdp http://10.0.0.1:9222 --cdp http://10.0.0.2:9222\n" +
			"  snapscope run script.yaml --cdp-pool browsers.toml --cdp-header \"Authorization: Bearer $KEY\"",
		Args: args(1, 1, "one script"),
		RunE: func(cmd *cobra.Command, args []string) error {
			steps, stop, err := loadScript(cmd.Context(), args[0], r.base, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer stop()
			return a.runScript(cmd, r, steps)
		},
	}
	f := c.Flags()
	r.pool.add(f)
	addHeaders(f, &r.pool.headers)
	r.browser.addRest(f)
	f.StringVar(&r.record, "record", "", "write the session to this recording")
	f.StringVar(&r.base, "base", "", "relative addresses in the script start here")
	f.StringArrayVar(&r.sets, "set", nil, "strategy.knob=value, repeatable; see snapscope strategies")
	f.BoolVar(&r.asJSON, "json", false, "print one JSON object a step")
	f.BoolVar(&r.keepGoing, "keep-going", false, "go on after a step that failed")
	return c
}

// loadScript reads a script and, where it is relative and no base is given,
// serves the demo site for it.
func loadScript(ctx context.Context, file, base string, stderr io.Writer) ([]session.Action, func(), error) {
	steps, err := script.Load(file, base)
	var se *script.Error
	if errors.As(err, &se) {
		return nil, nil, usageError{err}
	}
	if err != nil {
		return nil, nil, err
	}
	stop := func() {}
	if base == "" && relative(steps) {
		url, end, err := demo.Serve(ctx)
		if err != nil {
			return nil, nil, fmt.Errorf("serving the demo site: %w", err)
		}
		stop = end
		fmt.Fprintf(stderr, "snapscope: the script's addresses are relative: serving the demo site on %s for them\n", url)
		if steps, err = script.Load(file, url); err != nil {
			stop()
			return nil, nil, err
		}
	}
	return steps, stop, nil
}

func relative(steps []session.Action) bool {
	for _, a := range steps {
		if a.Verb != session.VerbWait && strings.HasPrefix(a.Text("url"), "/") {
			return true
		}
	}
	return false
}

// runScript carries a script out, on another browser of the pool when one goes.
func (a *app) runScript(cmd *cobra.Command, r runFlags, steps []session.Action) (err error) {
	if err := recordable(r.record); err != nil {
		return err
	}
	if r.browser.pool, err = r.pool.pool(); err != nil {
		return err
	}
	for {
		// What may have to be said again is said at the end.
		out := &held{to: cmd.OutOrStdout(), hold: r.browser.pool != nil && r.browser.pool.Left() > 1}
		br, err := a.runOnce(cmd.Context(), r, steps, out)
		pool := r.browser.pool
		if pool == nil || br == nil || cmd.Context().Err() != nil || !errors.Is(err, browser.ErrGone) {
			return errors.Join(err, out.letGo())
		}
		if pool.Lost(br, err); pool.Left() == 0 {
			return errors.Join(err, out.letGo())
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "snapscope: the browser at %s is gone; the session begins again on another one\n", br.Where())
		if r.record != "" {
			if err := os.Remove(r.record); err != nil {
				return fmt.Errorf("beginning the recording again: %w", err)
			}
		}
	}
}

// runOnce carries a script out on one browser, which is nil where none could be
// had.
func (a *app) runOnce(ctx context.Context, r runFlags, steps []session.Action, w io.Writer) (*browser.Browser, error) {
	view, err := a.newStepView(r.sets)
	if err != nil {
		return nil, err
	}
	out := func(s session.Step) error { return view.text(w, s) }
	if r.asJSON {
		out = func(s session.Step) error { return printJSON(w, view.json(s)) }
	}
	br, size, err := a.startWith(ctx, r.browser, browser.Options{Boxes: true, Apart: !r.pool.shared})
	if err != nil {
		return nil, err
	}
	sink, err := record(r.record) // now: a browser that does not start leaves no file in the way of the next try
	if err != nil {
		_ = br.Close()
		return nil, err
	}
	live, err := session.NewLive(session.LiveOptions{
		Driver: br, Script: steps, Sink: sink, Recording: r.record, Clock: time.Now, OnAsk: r.browser.observe == "asked", KeepSecrets: r.browser.secrets,
		Start: session.Start{Name: "script", Agent: "snapscope " + version(), Viewport: size, Settle: br.Settle().String(), Endpoint: br.Where()},
	})
	if err != nil {
		_ = br.Close()
		return nil, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(runGarbage))
	failed, err := runAll(ctx, live, view, out, r.keepGoing)
	if cerr := live.Close(); err == nil {
		err = cerr
	}
	if err == nil && failed != nil {
		err = failed
	}
	return br, err
}

// runGarbage is how much garbage may be made before it is collected, in percent of
// what is in use (runtime/debug.SetGCPercent). A run holds little, waits for pages
// most of the time and may last for days: memory is worth more to it than the
// collector's time.
const runGarbage = 50

// keptPages is how many pages of a run are kept: a session of days must not fill
// the memory, and no strategy looks further back.
const keptPages = 20

// runAll steps to the end, or to the first step that failed.
func runAll(ctx context.Context, live *session.Live, view *stepView, out func(session.Step) error, keepGoing bool) (failed, err error) {
	for {
		var events []session.Event
		var err error
		telling(live.Progress, func() { events, err = live.Step(ctx) })
		if errors.Is(err, io.EOF) {
			return failed, nil
		}
		n := len(view.tl.Steps)
		for _, e := range events {
			view.tl.Append(e)
		}
		for _, s := range view.tl.Steps[n:] {
			if oerr := out(s); oerr != nil {
				return failed, fmt.Errorf("writing step %d: %w", s.N, oerr)
			}
			view.tl.Release(keptPages)
			if !s.Result.OK && failed == nil {
				failed = fmt.Errorf("step %d, %s: %s", s.N, s.Action.Label(), s.Result.Error)
			}
		}
		if err != nil {
			return failed, err
		}
		if err := ctx.Err(); err != nil {
			return failed, err
		}
		if failed != nil && !keepGoing {
			return failed, nil
		}
	}
}

// stepView says what every strategy makes of a step.
type stepView struct {
	tl       *session.Timeline
	renderer *policy.Renderer
	rewrites []policy.Policy
	expiry   policy.Policy
}

func (a *app) newStepView(sets []string) (*stepView, error) {
	count, err := a.counterBy(token.NewPassing)
	if err != nil {
		return nil, err
	}
	v := &stepView{tl: session.NewTimeline(nil), renderer: policy.NewPassing(count.Count)}
	for _, s := range registry.All() {
		p := policy.Single(s)
		if s.Apply != nil {
			v.rewrites = append(v.rewrites, p)
		} else if s.Name == "openclaw" {
			v.expiry = p
		}
	}
	for _, set := range sets {
		if err := v.set(set); err != nil {
			return nil, usageError{err}
		}
	}
	return v, nil
}

func (v *stepView) set(assignment string) error {
	name, _, _ := strings.Cut(assignment, ".")
	if name == v.expiry.Name {
		return v.expiry.Set(assignment)
	}
	for i := range v.rewrites {
		if v.rewrites[i].Name == name {
			return v.rewrites[i].Set(assignment)
		}
	}
	return fmt.Errorf("%q does not begin with a strategy's name: write strategy.knob=value", assignment)
}

type actionJSON struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

type viewJSON struct {
	Kind   strategy.Kind `json:"kind"`
	Reason string        `json:"reason"`
	Tokens int           `json:"tokens"`
}

type stepJSON struct {
	Step   int                   `json:"step"`
	Action actionJSON            `json:"action"`
	OK     bool                  `json:"ok"`
	Error  string                `json:"error,omitempty"`
	URL    string                `json:"url"`
	Title  string                `json:"title"`
	Ms     int64                 `json:"ms"`
	Waited string                `json:"waited,omitempty"`
	Rest   session.Rest          `json:"rest,omitempty"`
	Views  map[string]viewJSON   `json:"views"`
	Expiry []ledger.CounterState `json:"expiry"`
}

func (v *stepView) json(s session.Step) stepJSON {
	out := stepJSON{
		Step: s.N, Action: actionJSON{s.Action.Tool, s.Action.AllArgs()},
		OK: s.Result.OK, Error: s.Result.Error, URL: s.Result.URL, Title: s.Result.Title,
		Ms: s.Result.Millis, Waited: s.Result.Waited, Rest: s.Result.Rest, Views: map[string]viewJSON{},
		Expiry: ledger.Counters(v.tl, v.expiry, s.N, ledger.Options{}),
	}
	if s.Snap >= 0 {
		for _, p := range v.rewrites {
			r := v.renderer.Render(v.tl, s.Snap, p)
			out.Views[p.Name] = viewJSON{r.Kind, r.Reason(), r.Tokens}
		}
	}
	if out.Expiry == nil {
		out.Expiry = []ledger.CounterState{}
	}
	return out
}

func (v *stepView) text(w io.Writer, s session.Step) error {
	j := v.json(s)
	state := "ok"
	if !j.OK {
		state = "FAILED: " + oneLine(j.Error)
	}
	if s.Result.Rest.Early() {
		state += ", captured early: " + oneLine(s.Result.Waited)
	}
	_, err := fmt.Fprintf(w, "%3d  %s  %s  %d ms\n", j.Step, oneLine(s.Action.Label()), state, j.Ms)
	for _, p := range v.rewrites {
		if r, ok := j.Views[p.Name]; ok && err == nil {
			_, err = fmt.Fprintf(w, "     %-22s %9s tok  %s\n", p.Name, wording.Count(r.Tokens), oneLine(r.Reason))
		}
	}
	for _, c := range j.Expiry {
		word := fmt.Sprintf("%d of %d", c.Calls, c.Limit)
		if c.Expired {
			word = "expired: " + c.Reason
		}
		if err == nil && (!c.Expired || c.ExpiredAt == s.N) {
			_, err = fmt.Fprintf(w, "     snapshot of step %d: %s\n", c.Step, word)
		}
	}
	return err
}

// terminal reports whether a file is a terminal.
func terminal(f *os.File) bool {
	st, err := f.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}
