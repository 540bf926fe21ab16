package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"snapscope/replay"
	"snapscope/replay/ab"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api/record"
	"snapscope/replay/proxy/join"
	"snapscope/session"
	"snapscope/session/atomicfile"
	"snapscope/session/policy"
)

// patience is how long an agent that was told to end may take.
const patience = 10 * time.Second

// once carries out one run, unless it was carried out before.
func (l *lab) once(ctx context.Context, round int, p policy.Policy, dir string) (ab.Run, error) {
	file := filepath.Join(dir, "run.json")
	if b, err := os.ReadFile(file); err == nil {
		var r ab.Run
		if err := json.Unmarshal(b, &r); err != nil {
			return r, fmt.Errorf("reading %s: %w", file, err)
		}
		r.File = filepath.Join(dir, "joined.jsonl") // the folder may have been moved
		r.Link = l.link(r.File)
		return r, nil
	}
	if err := os.RemoveAll(dir); err != nil { // of a run that was broken off
		return ab.Run{}, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ab.Run{}, err
	}
	begun := time.Now()
	totals, end, err := l.agent(ctx, p, dir)
	if err != nil {
		return ab.Run{}, err
	}
	joined, t, err := joinRun(dir)
	if err != nil {
		return ab.Run{}, err
	}
	r, err := ab.Measure(ctx, t, p, l.Ledger)
	if err != nil {
		return r, err
	}
	r.Policy, r.Round, r.Seconds = p.Name, round, time.Since(begun).Seconds()
	r.OK, r.End = end == nil, words(t, end)
	r.Others, r.Beside, r.BesideOf = totals.Others, totals.Beside, totals.BesideOf
	r.AddBeside(l.Ledger.Prices)
	r.Pairs, r.Lone = joined.Pairs, joined.Lone
	if out, err := os.ReadFile(filepath.Join(dir, "stdout.log")); err == nil {
		r.Receipt = ab.ReadReceipt(out)
	}
	if err := l.check(ctx, &r, p, dir); err != nil {
		return r, err
	}
	r.File = filepath.Join(dir, "joined.jsonl")
	r.Link = l.link(r.File)
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return r, err
	}
	return r, atomicfile.Write(file, b, 0o600)
}

// link is a recording's place as a report in the comparison's folder names it.
func (l *lab) link(file string) string {
	rel, err := filepath.Rel(l.Dir, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(rel)
}

// agent runs the agent once. end is how its process ended; err is for a run that
// could not be made.
func (l *lab) agent(ctx context.Context, p policy.Policy, dir string) (totals record.Totals, end, err error) {
	w, err := replay.Create(filepath.Join(dir, "api.jsonl"))
	if err != nil {
		return totals, nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		_ = w.Close()
		return totals, nil, fmt.Errorf("opening the seat's port: %w", err)
	}
	group := l.group + "-" + filepath.Base(dir)
	s := record.Open(record.SeatOptions{
		ID: proxy.NewID(proxy.API), To: l.To, Policy: retentionOnly(p), Sink: w, Recording: filepath.Join(dir, "api.jsonl"), Group: group, Count: l.Count, Log: l.Log,
	})
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 30 * time.Second}
	served := make(chan struct{})
	go func() {
		_ = srv.Serve(ln) // ends with Close
		close(served)
	}()
	end, err = l.process(ctx, p, dir, group, "http://"+ln.Addr().String())
	_ = srv.Close()
	<-served
	totals, cerr := s.Close()
	if err == nil {
		err = cerr
	}
	return totals, end, err
}

// retentionOnly is what of a policy the seat before the model API carries out.
func retentionOnly(p policy.Policy) *policy.Policy {
	st, ok := p.Retention()
	if !ok {
		return nil
	}
	return &policy.Policy{Name: p.Name, Stages: []policy.Stage{st}}
}

func (l *lab) process(ctx context.Context, p policy.Policy, dir, group, base string) (end, err error) {
	if l.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.Timeout)
		defer cancel()
	}
	fill := strings.NewReplacer("{url}", base, "{dir}", dir, "{policy}", p.Name)
	argv := make([]string, len(l.Agent))
	for i, a := range l.Agent {
		argv[i] = fill.Replace(a)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(),
		EnvGroup+"="+group, EnvPolicy+"="+p.Name, EnvRecordings+"="+dir, EnvPolicies+"="+filepath.Join(l.Dir, "policies.toml"),
		"MCP_CONNECTION_NONBLOCKING=0", // Claude Code: wait for the server before the first model call
	)
	for _, v := range l.Point {
		cmd.Env = append(cmd.Env, v.Name+"="+base+v.Path)
	}
	ownGroup(cmd)
	cmd.WaitDelay = patience
	var files []io.Closer
	open := func(name string) (*os.File, error) {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err == nil {
			files = append(files, f)
		}
		return f, err
	}
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	stdout, err := open("stdout.log")
	if err != nil {
		return nil, err
	}
	stderr, err := open("stderr.log")
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the agent: %w", err)
	}
	end = cmd.Wait()
	endGroup(cmd)
	if cause := ctx.Err(); cause != nil {
		if errors.Is(cause, context.DeadlineExceeded) && l.Timeout > 0 {
			return fmt.Errorf("stopped after %s", l.Timeout), nil
		}
		return nil, cause
	}
	return end, nil
}

// joinRun makes one recording of a run's, and reads it.
func joinRun(dir string) (join.Joined, *session.Timeline, error) {
	api, err := replay.ReadFile(filepath.Join(dir, "api.jsonl"))
	if err != nil {
		return join.Joined{}, nil, err
	}
	names, err := filepath.Glob(filepath.Join(dir, "recordings", "*.jsonl"))
	if err != nil {
		return join.Joined{}, nil, err
	}
	var mcp []session.Event
	for _, n := range names {
		rec, err := replay.ReadFile(n)
		if err != nil {
			return join.Joined{}, nil, err
		}
		mcp = append(mcp, rec.Events...)
	}
	j := join.Join(api.Events, mcp)
	w, err := replay.Create(filepath.Join(dir, "joined.jsonl"))
	if err != nil {
		return j, nil, err
	}
	for _, e := range j.Events {
		if err := w.Append(e); err != nil {
			_ = w.Close()
			return j, nil, err
		}
	}
	return j, session.NewTimeline(j.Events), w.Close()
}

// words are how a run ended, on one line: the model's last words, and what went
// wrong with the process.
func words(t *session.Timeline, end error) string {
	last := ""
	for _, c := range t.Calls() {
		if c.Model != nil && c.Model.Text != "" {
			last = c.Model.Text
		}
	}
	last = strings.Join(strings.Fields(last), " ")
	if r := []rune(last); len(r) > 80 {
		last = string(r[:80]) + "…"
	}
	switch {
	case end != nil && last != "":
		return end.Error() + ": " + last
	case end != nil:
		return end.Error()
	case last == "":
		return "without a word"
	}
	return last
}
