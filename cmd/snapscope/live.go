package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/session/browser"
	"snapscope/snapshot"
)

// browserFlags are the flags of every command that drives a browser.
type browserFlags struct {
	cdp      string
	headers  []string
	pool     *browser.Pool // of commands that can go on elsewhere; nil: cdp, or none
	headful  bool
	viewport string
	path     string
	observe  string
	settle   string
	secrets  bool
}

func (b *browserFlags) add(f *pflag.FlagSet) {
	f.StringVar(&b.cdp, "cdp", "", "attach to a running browser at this DevTools address (http://127.0.0.1:9222)")
	addHeaders(f, &b.headers)
	b.addRest(f)
}

// addRest adds what commands with a pool of browsers have, too.
func (b *browserFlags) addRest(f *pflag.FlagSet) {
	f.BoolVar(&b.headful, "headful", false, "show the browser's window")
	f.StringVar(&b.viewport, "viewport", "1280x720", "width and height of the page in CSS pixels")
	f.StringVar(&b.path, "browser", "", "Chromium to start (default: the one that is found)")
	f.StringVar(&b.settle, "settle", "", "how long a page is waited for before it is captured: playwright-mcp (the default: as Playwright's MCP server does) or quick (until nothing changes), with other times behind it: quick,quiet=250ms")
	f.BoolVar(&b.secrets, "keep-secrets", false, "leave typed passwords, tokens and cookies as they stand in recordings and output")
	f.StringVar(&b.observe, "observe", "always", "when the agent is shown the page: always (each answer holds it, as Playwright's tools do) or asked (only by the snapshot action, as OpenClaw does)")
}

// start launches Chromium, or attaches to one.
func (a *app) start(ctx context.Context, b browserFlags, boxes bool) (*browser.Browser, snapshot.Size, error) {
	return a.startWith(ctx, b, browser.Options{Boxes: boxes})
}

// startWith is start with options that only some commands have.
func (a *app) startWith(ctx context.Context, b browserFlags, o browser.Options) (*browser.Browser, snapshot.Size, error) {
	size, err := parseSize(b.viewport)
	if err != nil {
		return nil, size, err
	}
	if b.observe != "always" && b.observe != "asked" {
		return nil, size, usagef("--observe is %q; it takes always or asked", b.observe)
	}
	path := b.path
	if path == "" {
		path = a.conf.Browser
	}
	settle, err := a.settle(b)
	if err != nil {
		return nil, size, err
	}
	o.Path, o.Headful, o.Viewport, o.Settle = path, b.headful, size, settle
	switch {
	case b.pool != nil:
		br, err := b.pool.Attach(ctx, o, func(err error) {
			fmt.Fprintf(os.Stderr, "snapscope: %s; trying the next browser\n", oneLine(err.Error()))
		})
		return br, size, err
	case b.cdp != "":
		head, err := headersOf(b.headers)
		if err != nil {
			return nil, size, err
		}
		br, err := browser.Attach(ctx, browser.Endpoint{Address: b.cdp, Header: head}, o)
		return br, size, err
	}
	br, err := browser.Launch(ctx, o)
	return br, size, err
}

// settle is the profile by which pages are waited for: the flag's, else the
// config's, else the one that shows what an agent would see.
func (a *app) settle(b browserFlags) (browser.Settle, error) {
	name := b.settle
	if name == "" {
		name = a.conf.Settle
	}
	if name == "" {
		return browser.PlaywrightMCP, nil
	}
	s, err := browser.ParseSettle(name)
	if err != nil {
		return s, usageError{err}
	}
	return s, nil
}

func parseSize(s string) (snapshot.Size, error) {
	w, h, ok := strings.Cut(strings.ToLower(s), "x")
	wi, err1 := strconv.Atoi(w)
	hi, err2 := strconv.Atoi(h)
	if !ok || err1 != nil || err2 != nil || wi < 1 || hi < 1 || wi > 20000 || hi > 20000 {
		return snapshot.Size{}, usagef("viewport is %q; it takes width x height such as 1280x720", s)
	}
	return snapshot.Size{W: wi, H: hi}, nil
}

// pageURL makes an address of what a person types: a URL, a host, a local file.
func pageURL(s string) (string, error) {
	ext := filepath.Ext(s)
	if _, err := os.Stat(s); err == nil && slices.Contains([]string{".jsonl", ".gz", ".zst"}, ext) {
		return "", usagef("%s is no page; if it is a recording or a transcript: snapscope replay %[1]s", s)
	}
	if (ext == ".html" || ext == ".htm") && !strings.Contains(s, ":") {
		if _, err := os.Stat(s); err != nil {
			return "", fmt.Errorf("there is no file %s; begin an address with http://", s)
		}
	}
	url, err := browser.Address(s, "")
	if err != nil {
		return "", usageError{err}
	}
	return url, nil
}

// recordable tells before a browser is started what record will refuse.
func recordable(file string) error {
	if file == "" {
		return nil
	}
	if err := plainName(file); err != nil {
		return err
	}
	return replay.Free(file)
}

// record opens the recording a live session is written to; nil for none.
func record(file string) (session.Sink, error) {
	if file == "" {
		return nil, nil
	}
	w, err := replay.Create(file)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// plainName refuses a recording's name that says that it is packed.
func plainName(file string) error {
	switch end := filepath.Ext(file); end {
	case ".gz", ".zst":
		return usagef("a recording is written as plain lines, so that a killed run keeps its steps; name it %s and pack it afterwards: packed files are read too",
			strings.TrimSuffix(file, end))
	}
	return nil
}

// stateDir is where snapscope keeps what outlives a run: recordings of the
// demo, the screen's layout, the command line's history.
func stateDir() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("finding the folder to keep state in: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	dir = filepath.Join(dir, "snapscope")
	return dir, os.MkdirAll(dir, 0o700)
}

// newRecording names a recording that does not exist yet.
func newRecording(name string, now time.Time) (string, error) {
	dir, err := stateDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "recordings")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	base := filepath.Join(dir, name+"-"+now.Format("20060102-150405"))
	for i := 0; ; i++ {
		file := base + ".jsonl"
		if i > 0 {
			file = fmt.Sprintf("%s-%d.jsonl", base, i)
		}
		if _, err := os.Stat(file); os.IsNotExist(err) {
			return file, nil
		}
	}
}
