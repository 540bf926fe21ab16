package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"snapscope/snapshot/wording"
)

// progress tells on stderr how far something is: a bar that is wiped at the end
// on a terminal, a line every few seconds elsewhere. Nothing is said of what is
// over within half a second.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	tty   bool
	what  string
	begun time.Time
	last  time.Time
	drawn bool
}

func newProgress(what string) *progress {
	now := time.Now()
	return &progress{w: os.Stderr, tty: terminal(os.Stderr), what: oneLine(what), begun: now, last: now}
}

// step tells that done of total are done.
func (p *progress) step(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	every := 5 * time.Second
	if p.tty {
		every = 100 * time.Millisecond
	}
	if now.Sub(p.begun) < 500*time.Millisecond || now.Sub(p.last) < every || total <= 0 {
		return
	}
	p.last = now
	if !p.tty {
		fmt.Fprintf(p.w, "snapscope: %s: %s of %s\n", p.what, wording.Count(done), wording.Count(total))
		return
	}
	p.drawn = true
	const width = 30
	n := min(width, done*width/total)
	fmt.Fprintf(p.w, "\r\x1b[K%s ▕%s%s▏ %s of %s", p.what, strings.Repeat("█", n), strings.Repeat(" ", width-n), wording.Count(done), wording.Count(total))
}

// say shows a line of what goes on.
func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	every := 5 * time.Second
	if p.tty {
		every = 100 * time.Millisecond
	}
	if now.Sub(p.begun) < 500*time.Millisecond || now.Sub(p.last) < every {
		return
	}
	p.last = now
	if !p.tty {
		fmt.Fprintln(p.w, "snapscope: "+oneLine(line))
		return
	}
	p.drawn = true
	fmt.Fprint(p.w, "\r\x1b[K"+oneLine(line))
}

// end wipes the bar.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// during runs f, which cannot be stopped, and tells on stderr that it goes on:
// after half a second on a terminal, every few seconds elsewhere. When ctx ends
// it returns its error at once, and f is left to the end of the program.
func during(ctx context.Context, what string, f func()) error {
	p := newProgress(what)
	defer p.end()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick.C:
			p.goesOn(now)
		}
	}
}

// goesOn tells how long it has taken so far.
func (p *progress) goesOn(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	long := now.Sub(p.begun)
	switch {
	case p.tty && long >= 500*time.Millisecond:
		p.drawn = true
		fmt.Fprintf(p.w, "\r\x1b[K%s, %.1f s", p.what, long.Seconds())
	case !p.tty && now.Sub(p.last) >= 5*time.Second:
		p.last = now
		fmt.Fprintf(p.w, "snapscope: %s, %.0f s\n", p.what, long.Seconds())
	}
}

// telling runs f and says on stderr what it is doing, as the driver of a live
// step tells it.
func telling(doing func() string, f func()) {
	p, done, told := newProgress(""), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				p.end()
				return
			case <-tick.C:
				if line := doing(); line != "" {
					p.say(line)
				}
			}
		}
	}()
	defer func() { close(done); <-told }()
	f()
}
