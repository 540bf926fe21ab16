package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/spf13/cobra"

	"snapscope/replay/proxy"
	apiseat "snapscope/replay/proxy/api/record"
	"snapscope/replay/proxy/control"
)

type apiFlags struct {
	seat   seatFlags
	to     string
	listen string
	anyone bool
	bound  bool // ends with its standard input
}

func (a *app) apiCmd() *cobra.Command {
	var f apiFlags
	c := &cobra.Command{
		Annotations: map[string]string{passesOn: ""},
		Use:         "api --to URL",
		Short:       "Stand between an agent and its model API: record, count, expire",
		Long: `Serves a model API on this machine and passes every request on to URL, with its
keys, which are kept nowhere. Anthropic Messages, OpenAI Chat, OpenAI Responses and
Gemini's GenerateContent are read: what each call carried and what the vendor counted
stand in a recording.
With --policy the expired results of that policy's retention rule are taken out of
the requests, and nothing else of them changes.

Point the agent at the address that is printed: ANTHROPIC_BASE_URL for Claude Code,
base_url of a model provider for Codex, baseURL of a provider for OpenCode,
GOOGLE_GEMINI_BASE_URL for Gemini CLI. Seats that are started with one SNAPSCOPE_GROUP
belong to one agent.`,
		Example: `  snapscope api --to https://api.anthropic.com
  snapscope api --to https://api.anthropic.com --policy openclaw --listen 127.0.0.1:8790
  ANTHROPIC_BASE_URL=http://127.0.0.1:8790 claude`,
		Args: args(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runAPI(cmd.Context(), f, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := c.Flags()
	f.seat.add(fl)
	fl.StringVar(&f.to, "to", "", "the model API, such as https://api.anthropic.com or https://api.openai.com")
	fl.StringVar(&f.listen, "listen", "127.0.0.1:8790", "the address to serve at; port 0 takes a free one")
	fl.BoolVar(&f.bound, "until-input-ends", false, "end when standard input ends: with the program that started it, however that ends")
	_ = fl.MarkHidden("until-input-ends") // live's own
	fl.BoolVar(&f.anyone, "anyone", false, "allow an address that other machines can reach; they can then use the API with keys of their own")
	return c
}

func (a *app) runAPI(ctx context.Context, f apiFlags, stdout, stderr io.Writer) error {
	mayTake(ctx, endSeatFor)
	if f.bound {
		bound, end := context.WithCancel(ctx)
		go func() { _, _ = io.Copy(io.Discard, os.Stdin); end() }()
		ctx = bound
	}
	to, err := apiURL(f.to)
	if err != nil {
		return err
	}
	pol, err := a.onePolicy(f.seat.policies)
	if err != nil {
		return err
	}
	ln, err := listenAt(f.listen, f.anyone)
	if err != nil {
		return err
	}
	o, err := f.seat.open(proxy.API, stderr)
	if err != nil {
		_ = ln.Close()
		return err
	}
	so := apiseat.SeatOptions{
		ID: o.id, To: to, Policy: pol, Recording: o.path, Group: os.Getenv("SNAPSCOPE_GROUP"),
		Anyone: f.anyone, Count: a.lazyCount(), Log: o.log,
	}
	if o.sink != nil {
		so.Sink, so.Sync = o.sink, f.seat.waits
	}
	if pol != nil {
		go so.Count("warm") // loading the tokenizer must not cost the first request its rewriting
	}
	s := apiseat.Open(so)
	socket := o.socket()
	guard := proxy.StartGuard(left(socket)...)
	defer guard.Dismiss()
	if srv := o.listen(socket, control.Seat{Holds: s.Holds(), Run: s.Run, Policy: s.SetPolicy}); srv != nil {
		defer srv.Close()
	}
	if _, err := fmt.Fprintf(stdout, "http://%s\n", ln.Addr()); err != nil {
		return err
	}
	o.log(fmt.Sprintf("%s: model calls to %s pass here; recording: %s", o.id, to.Host, nameOrNone(o.path)))
	err = serve(ctx, ln, s)
	if _, cerr := s.Close(); err == nil {
		err = cerr
	}
	return err
}

func nameOrNone(path string) string {
	if path == "" {
		return "none"
	}
	return path
}

// apiURL reads the address of a model API.
func apiURL(s string) (*url.URL, error) {
	if s == "" {
		return nil, usagef("which API? write --to https://api.anthropic.com")
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, usagef("--to is %q; it takes an address such as https://api.anthropic.com", s)
	}
	if u.User != nil || u.RawQuery != "" {
		return nil, usagef("--to takes an address without user or query: keys come from the agent")
	}
	return u, nil
}

// listenAt opens a port on this machine alone, unless anyone is allowed.
func listenAt(addr string, anyone bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, usagef("--listen is %q; it takes an address and a port such as 127.0.0.1:8790", addr)
	}
	if ip := net.ParseIP(host); !anyone && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, usagef("--listen %s could be reached from other machines; write 127.0.0.1, or allow it with --anyone", addr)
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("opening the seat's port: %w; choose another with --listen", err)
	}
	return ln, nil
}

// serve answers until ctx ends; answers that are on their way then get a second.
func serve(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 30 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	select {
	case err := <-done:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := srv.Shutdown(stop); errors.Is(err, context.DeadlineExceeded) {
		return srv.Close()
	}
	return nil
}
