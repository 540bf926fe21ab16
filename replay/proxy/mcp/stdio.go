package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"snapscope/replay/proxy"
)

// Stdio is a client on one side and a server's command on the other.
type Stdio struct {
	In    io.Reader    // the client's messages
	Out   io.Writer    // to the client
	Err   io.Writer    // where the server's stderr goes; an *os.File is inherited
	Argv  []string     // the server's command
	Guard *proxy.Guard // ends the server's processes when the seat is killed; nil: nobody does
}

// The steps of an ending: the server's stdin is closed, then it is asked to end,
// then it is killed. A client that closes its end sees everything gone within two
// seconds, unless it is slow to take what the server said last.
const (
	closeFor = 900 * time.Millisecond
	termFor  = 700 * time.Millisecond
	killFor  = 200 * time.Millisecond
	drainFor = 2 * time.Second
)

// beatEvery is how often a client hears that its held call is alive.
const beatEvery = 5 * time.Second

// ExitError is a server that ended by itself with a status other than 0.
type ExitError struct {
	Code int // as a shell has it: 128 and more for a signal
	What string
}

func (e *ExitError) Error() string { return e.What }

// Stdio starts the server and passes messages until either side ends. The error is
// an *ExitError where the server ended first, or tells that it could not be
// started. No process of the server's group is left.
func (p *Proxy) Stdio(ctx context.Context, s Stdio) error {
	srv, err := start(s)
	if err != nil {
		return err
	}
	defer srv.end(0)
	l := p.Link(ctx)
	defer l.Close()
	toServer, toClient := &lines{w: srv.in}, &lines{w: s.Out}
	clientGone := make(chan struct{})
	go func() {
		defer close(clientGone)
		fromClient := func(raw []byte, _ bool) Passage { return l.FromClient(raw) }
		p.pump(s.In, fromClient, func() bool { return false }, toServer, toClient, toClient)
	}()
	go func() {
		defer close(srv.drained)
		fromServer := func(raw []byte, begun bool) Passage { return l.fromServer(raw, 0, begun) }
		p.pump(srv.out, fromServer, l.begins, toClient, toServer, toClient)
	}()
	select {
	case <-clientGone:
		l.Close()
		_ = toServer.close()
		srv.end(closeFor)
		<-srv.drained
		return nil
	case <-ctx.Done():
		l.Close()
		srv.end(0)
		return ctx.Err()
	case <-toClient.broken():
		l.Close()
		srv.end(0)
		return nil
	case <-srv.drained: // its output has ended: so does ours, whether it still runs or not
		if c, ok := s.Out.(io.Closer); ok {
			_ = c.Close()
		}
		select {
		case <-srv.exited:
		case <-clientGone:
			l.Close()
			srv.end(closeFor)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	case <-srv.exited:
		select { // what it still had to say
		case <-srv.drained:
		case <-time.After(200 * time.Millisecond):
		}
	}
	l.Close()
	srv.end(closeFor)
	return srv.status()
}

// maxAhead is how many messages are read while one waits for its step's recording:
// their steps then share one sync.
const maxAhead = 16

// maxAheadSize is up to how many bytes a message may have for others to be read while
// it waits.
const maxAheadSize = 256 << 10

// pump passes messages on until the stream ends. One that begins may is passed on
// while it comes in; judge is told so of it, and then lets it go as it came.
func (p *Proxy) pump(from io.Reader, judge func(raw []byte, begun bool) Passage, begins func() bool, forward, back, client *lines) {
	queue, ended := make(chan func(), maxAhead), make(chan struct{})
	go func() {
		defer close(ended)
		for pass := range queue {
			pass()
		}
	}()
	defer func() { close(queue); <-ended }()
	f := proxy.NewFrames(from)
	var now *flow // the message that comes in, where it was begun
	looked := false
	f.Coming = func(soFar []byte) {
		if !looked && begins() {
			begun := newFlow()
			queue <- func() { forward.flow(begun) }
			now = begun
		}
		if looked = true; now != nil {
			now.more(soFar)
		}
	}
	for {
		raw, long, err := f.Next()
		begun := now
		now, looked = nil, false
		if long != nil {
			p.tooLong()
		}
		switch {
		case begun != nil && long != nil:
			begun.end(nil, long, nil)
		case begun != nil:
			begun.end(raw, nil, judge(raw, true).Ready)
		case long != nil:
			queue <- func() { forward.copy(long) }
		case len(raw) > 0:
			is := judge(raw, false)
			queue <- func() { p.carry(is, forward, back, client) }
		}
		if long != nil || len(raw) > maxAheadSize { // it is not kept beside others
			passed := make(chan struct{})
			queue <- func() { close(passed) }
			<-passed
		}
		if err != nil {
			return
		}
	}
}

// carry writes what a passage says, when its step is recorded, or its hold is over.
func (p *Proxy) carry(is Passage, forward, back, client *lines) {
	if is.Ready != nil {
		is.Ready()
	}
	forward.write(is.Forward)
	back.write(is.Back)
	if is.Wait == nil {
		return
	}
	go func() {
		stop := p.beats(is.Beat, client.write)
		f, b := is.Wait()
		stop()
		forward.write(f)
		back.write(b)
	}()
}

// beats sends a client a line every few seconds until it is stopped; then none is
// under way any more.
func (p *Proxy) beats(line func() []byte, send func([]byte)) (stop func()) {
	if line == nil {
		return func() {}
	}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(p.beat)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				send(line())
			case <-end:
				return
			}
		}
	}()
	return func() { close(end); <-ended }
}

// lines writes whole messages from several goroutines.
type lines struct {
	mu   sync.Mutex
	w    io.Writer
	err  error
	fail chan struct{}
}

func (l *lines) write(b []byte) {
	if len(b) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(b)
}

// put is write for whoever holds l.mu.
func (l *lines) put(b []byte) {
	if l.err == nil && len(b) > 0 {
		_, err := l.w.Write(b)
		l.failed(err)
	}
}

// copy writes a message that is too long to be kept. Others for the same side wait.
func (l *lines) copy(long io.Reader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest(long)
}

// rest is copy for whoever holds l.mu.
func (l *lines) rest(long io.Reader) {
	if l.err == nil {
		_, err := io.Copy(l.w, long)
		l.failed(err)
	}
	_, _ = io.Copy(io.Discard, long) // nobody reads it any more; what follows is the next message
}

// failed notes that nobody reads any more.
func (l *lines) failed(err error) {
	if l.err = err; err != nil && l.fail != nil {
		close(l.fail)
	}
}

// broken is closed when nobody reads any more.
func (l *lines) broken() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fail == nil {
		l.fail = make(chan struct{})
		if l.err != nil {
			close(l.fail)
		}
	}
	return l.fail
}

func (l *lines) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = os.ErrClosed
	}
	if c, ok := l.w.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// server is the process that was started, with its group.
type server struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	group  group
	exited chan struct{}
	// drained is closed when everything it said was passed on.
	drained chan struct{}
	once    sync.Once
	err     error
}

func start(s Stdio) (*server, error) {
	if len(s.Argv) == 0 {
		return nil, errors.New("no command of a server was given")
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		_, _ = inR.Close(), inW.Close()
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	cmd := command(s.Argv)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, s.Err
	srv := &server{cmd: cmd, in: inW, out: outR, exited: make(chan struct{}), drained: make(chan struct{})}
	err = srv.group.start(cmd, s.Guard)
	_, _ = inR.Close(), outW.Close()
	if err != nil {
		_, _ = inW.Close(), outR.Close()
		return nil, fmt.Errorf("starting the server %s: %w; is it installed, and on this PATH: %s", s.Argv[0], err, os.Getenv("PATH"))
	}
	go func() {
		srv.err = cmd.Wait()
		close(srv.exited)
	}()
	return srv, nil
}

// end ends the server and everything it started. polite is how long it has to end
// by itself, now that its input is closed.
func (s *server) end(polite time.Duration) {
	s.once.Do(func() {
		_ = s.in.Close()
		s.group.gone(s.exited, polite)
		s.group.ask()
		if !s.group.gone(s.exited, termFor) {
			s.group.kill()
			s.group.gone(s.exited, killFor)
		}
		<-s.exited
		if polite > 0 { // what it said last may still stand in the pipe
			select {
			case <-s.drained:
			case <-time.After(drainFor):
			}
		}
		_ = s.out.Close()
	})
}

func (s *server) status() error {
	<-s.exited
	var exit *exec.ExitError
	switch {
	case s.err == nil:
		return nil
	case errors.As(s.err, &exit):
		code := exit.ExitCode()
		if code < 0 {
			code = 128 + signalOf(exit)
		}
		return &ExitError{Code: code, What: fmt.Sprintf("the server %s ended by itself: %v", s.cmd.Args[0], strings.TrimSpace(s.err.Error()))}
	}
	return s.err
}
