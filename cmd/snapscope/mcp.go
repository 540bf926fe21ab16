package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"snapscope/replay"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/replay/proxy/mcp"
	"snapscope/session"
	"snapscope/session/policy"
)

type mcpFlags struct {
	seat   seatFlags
	inline bool
	one    bool
	lift   int
	limit  time.Duration
	listen string
	to     string
	anyone bool
}

func (a *app) mcpCmd() *cobra.Command {
	var f mcpFlags
	c := &cobra.Command{
		Annotations: map[string]string{passesOn: ""},
		Use:         "mcp [flags] -- COMMAND [ARGUMENT]...",
		Short:       "Stand between an agent and its MCP server: record, hold, step, rewrite",
		Long: `Put "snapscope mcp --" before the server's command in your agent's configuration.
The server is started, every byte passes as it came, and the session is recorded;
snapscope attach opens the debugger on it at any moment. With --policy the pages
go to the agent as that policy makes them; "inline" puts a page that the server
only links to into the answer.`,
		Example: `  snapscope mcp -- npx @playwright/mcp --headless
  snapscope mcp --policy fold -- npx @playwright/mcp --headless
  snapscope mcp --listen 127.0.0.1:8931 --to http://127.0.0.1:8932/mcp`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.to != "" && len(args) > 0:
				return usagef("--to names a server that runs; a command after -- starts one: give one of the two")
			case f.to == "" && len(args) == 0:
				return usagef("which server? write snapscope mcp -- COMMAND, or --to URL; see snapscope mcp --help")
			case (f.to == "") != (f.listen == ""):
				return usagef("--listen and --to go together: where the agent finds the seat, and where the seat finds the server")
			}
			return a.runMCP(cmd.Context(), f, args, cmd.ErrOrStderr())
		},
	}
	fl := c.Flags()
	f.seat.add(fl)
	fl.BoolVar(&f.inline, "inline", false, "put the page into answers that only link to it, before the policy")
	addOneAgent(fl, &f.one)
	fl.IntVar(&f.lift, "lift", 0, "ask a client that cuts long texts for this many characters, where a server can (Claude Code)")
	fl.DurationVar(&f.limit, "call-limit", 0, "how long the agent waits for a call (default: what is known of it); a held call goes on before that")
	fl.StringVar(&f.listen, "listen", "", "serve HTTP at this address instead of standard input and output")
	fl.StringVar(&f.to, "to", "", "the HTTP server to stand before")
	fl.BoolVar(&f.anyone, "anyone", false, "allow an address that other machines can reach; they can then use the server and its browser")
	c.AddCommand(a.mcpInstallCmd(true), a.mcpInstallCmd(false))
	return c
}

// addOneAgent is the flag with which a person says who reads the answers.
func addOneAgent(fl *pflag.FlagSet, one *bool) {
	fl.BoolVar(one, "one-agent", false, "one agent alone reads the answers, where the client does not tell: pages may then be compared with those before")
}

func (a *app) runMCP(ctx context.Context, f mcpFlags, argv []string, stderr io.Writer) error {
	if i := slices.Index(f.seat.policies.names, mcp.Inline); i >= 0 {
		f.inline = true
		f.seat.policies.names = slices.Delete(f.seat.policies.names, i, i+1)
	}
	mayTake(ctx, endSeatFor)
	pol, err := a.onePolicy(f.seat.policies)
	if err != nil {
		return err
	}
	var ln net.Listener
	if f.to != "" {
		if ln, err = listenAt(f.listen, f.anyone); err != nil {
			return err
		}
		defer ln.Close()
	}
	o, err := f.seat.open("mcp", stderr)
	if err != nil {
		return err
	}
	p := a.newMCP(f, o, pol)
	socket := o.socket()
	guard := proxy.StartGuard(left(socket)...) // before there is anything to be left behind
	defer guard.Dismiss()
	if srv := o.listen(socket, control.Seat{Holds: p.Holds(), Run: p.Run, Policy: p.SetPolicy}); srv != nil {
		defer srv.Close()
	}
	// A client that is gone must not end the seat before its server.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	if ln != nil {
		err = serveMCP(ctx, ln, p, f.to, o.log)
	} else {
		err = p.Stdio(ctx, mcp.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Argv: argv, Guard: guard})
	}
	if cerr := p.Close(); err == nil {
		err = cerr
	}
	if o.path != "" && !p.Recorded() { // nothing was said: an empty file helps nobody, and a named one is in the next try's way
		_ = os.Remove(o.path)
	}
	return err
}

// serveMCP stands before an HTTP server until ctx ends.
func serveMCP(ctx context.Context, ln net.Listener, p *mcp.Proxy, to string, log func(string)) error {
	w, err := p.NewWeb(ctx, to)
	if err != nil {
		return err
	}
	log(fmt.Sprintf("agents find %s at http://%s%s", to, ln.Addr(), w.Path()))
	return serve(ctx, ln, w)
}

func (a *app) newMCP(f mcpFlags, o *openedSeat, pol *policy.Policy) *mcp.Proxy {
	opt := mcp.Options{
		ID: o.id, Recording: o.path, Policy: pol, Inline: f.inline, OneAgent: f.one, Lift: f.lift, CallLimit: f.limit,
		Count: a.lazyCount(), Session: os.Getenv("CLAUDE_CODE_SESSION_ID"), Log: o.log, Anyone: f.anyone,
	}
	if o.sink != nil {
		opt.Sink, opt.Sync = o.sink, f.seat.waits
		opt.Past = func() ([]session.Event, error) {
			rec, err := replay.ReadFile(o.path)
			if err != nil {
				return nil, err
			}
			return rec.Events, nil
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		opt.Transcript = mcp.TranscriptOf(home, os.Getenv)
	}
	if cwd, err := os.Getwd(); err == nil {
		opt.Roots = []string{cwd}
	}
	if pol != nil && pol.Rewrites() {
		go opt.Count("warm") // loading the tokenizer must not cost the first page its rewriting
	}
	return mcp.New(opt)
}

// exitOf is the exit status that an error asks for; ok is false where it asks for
// none of its own.
func exitOf(err error) (status int, ok bool) {
	var e *mcp.ExitError
	if errors.As(err, &e) {
		return e.Code, true
	}
	var agent *agentExit
	if errors.As(err, &agent) {
		return agent.code, true
	}
	return 0, false
}
