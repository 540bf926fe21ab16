package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"snapscope/replay/proxy"
)

// Seat is what a server steers.
type Seat struct {
	Holds *proxy.Holds
	// Run answers what runs; Held, Rules, Next and Screen are filled in by the server.
	Run func() proxy.Run
	// Policy puts a policy in force from the next result on; nil: this seat has none.
	Policy func(raw json.RawMessage) error
}

// Server answers on one run's socket.
type Server struct {
	seat Seat
	ln   net.Listener
	path string

	mu     sync.Mutex
	conns  map[*conn]bool
	holder *conn // who has the lease
	until  time.Time
	expiry *time.Timer
	lease  time.Duration
	closed bool
	wg     sync.WaitGroup
}

// Listen opens the socket. A file that a dead run left at this path is replaced.
func Listen(path string, s Seat) (*Server, error) {
	ln, err := net.Listen("unix", path)
	if err != nil && refused(path) {
		_ = os.Remove(path)
		ln, err = net.Listen("unix", path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the control socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = ln.Close()
		return nil, fmt.Errorf("closing the control socket to others: %w", err)
	}
	v := &Server{seat: s, ln: ln, path: path, conns: map[*conn]bool{}, lease: Lease}
	s.Holds.Watch(v.notice)
	v.wg.Go(v.accept)
	return v, nil
}

// refused reports whether a socket's file stands there and nobody answers.
func refused(path string) bool {
	c, err := net.DialTimeout("unix", path, 200*time.Millisecond)
	if err == nil {
		_ = c.Close()
		return false
	}
	st, serr := os.Lstat(path)
	return serr == nil && st.Mode()&os.ModeSocket != 0
}

// Close ends the connections, lets every hold go and removes the socket.
func (v *Server) Close() error {
	v.mu.Lock()
	if v.closed {
		v.mu.Unlock()
		return nil
	}
	v.closed = true
	for c := range v.conns {
		c.send(line{Event: Ended})
		c.end()
	}
	v.mu.Unlock()
	err := v.ln.Close() // removes the file
	v.drop(nil, proxy.ByScreen)
	v.wg.Wait()
	return err
}

func (v *Server) accept() {
	for {
		nc, err := v.ln.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(50 * time.Millisecond) // too many open files, for a while
			continue
		}
		c := &conn{nc: nc, out: make(chan line, 256), gone: make(chan struct{})}
		v.mu.Lock()
		if v.closed {
			v.mu.Unlock()
			_ = nc.Close()
			return
		}
		v.conns[c] = true
		v.mu.Unlock()
		v.wg.Go(c.write)
		v.wg.Go(func() { v.read(c) })
	}
}

// notice passes on what the holds tell. It is called with the holds locked.
func (v *Server) notice(n proxy.HoldNotice) {
	l := line{Event: Held, Hold: &n.Hold}
	if n.Decision != nil {
		l.Event, l.Decision = Gone, n.Decision
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for c := range v.conns {
		c.send(l)
	}
}

func (v *Server) read(c *conn) {
	defer func() {
		c.end()
		v.drop(c, proxy.ByScreen)
		v.mu.Lock()
		delete(v.conns, c)
		v.mu.Unlock()
	}()
	in := bufio.NewScanner(c.nc)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	for in.Scan() {
		var r request
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			c.send(line{Error: "the line is no request: " + err.Error()})
			return
		}
		a := line{N: r.N}
		if r.V != Version {
			a.Error = fmt.Sprintf("the request has version %d, this seat speaks %d: use the same snapscope for both", r.V, Version)
		} else if err := v.carryOut(c, r, &a); err != nil {
			a.Error = err.Error()
		}
		c.send(a)
	}
}

func (v *Server) carryOut(c *conn, r request, a *line) error {
	switch r.Do {
	case Ask:
		run := v.run()
		a.Run, a.Holds = &run, v.seat.Holds.List()
		return nil
	case Take:
		return v.take(c, r)
	}
	if !v.holds(c) {
		return errors.New("this screen does not steer the seat: take it first")
	}
	switch r.Do {
	case Keep:
		v.renew(c)
	case Leave:
		v.drop(c, proxy.ByScreen)
	case Decide:
		if r.Decision == nil {
			return errors.New("a decision is missing")
		}
		d := *r.Decision
		d.By = proxy.ByPerson
		return v.seat.Holds.Decide(r.Hold, d)
	case Rules:
		if r.Rules == nil {
			return errors.New("the rules are missing")
		}
		v.seat.Holds.SetRules(*r.Rules)
	case Step:
		v.seat.Holds.StopNext("step")
	case Policy:
		if v.seat.Policy == nil {
			return errors.New("this seat rewrites nothing")
		}
		return v.seat.Policy(r.Policy)
	default:
		return fmt.Errorf("no command %q", r.Do)
	}
	return nil
}

func (v *Server) run() proxy.Run {
	run := v.seat.Run()
	run.Held, run.Rules, run.Next = len(v.seat.Holds.List()), v.seat.Holds.Rules(), v.seat.Holds.Next()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.holder != nil {
		run.Screen = v.holder.pid
	}
	return run
}

func (v *Server) holds(c *conn) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.holder == c
}

// take gives the lease to c.
func (v *Server) take(c *conn, r request) error {
	v.mu.Lock()
	if h := v.holder; h != nil && h != c {
		if !r.Force {
			v.mu.Unlock()
			return fmt.Errorf("another screen (process %d) steers this seat", h.pid)
		}
		h.send(line{Event: Lapsed})
		v.holder = nil
		v.mu.Unlock()
		v.seat.Holds.LetGo(proxy.ByScreen)
		v.mu.Lock()
	}
	c.pid = r.PID
	v.holder = c
	v.mu.Unlock()
	v.renew(c)
	return nil
}

// renew lets the lease of c last anew.
func (v *Server) renew(c *conn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.holder != c {
		return
	}
	if v.expiry != nil {
		v.expiry.Stop()
	}
	v.until = time.Now().Add(v.lease)
	v.expiry = time.AfterFunc(v.lease, func() {
		v.mu.Lock()
		over := v.holder == c && !time.Now().Before(v.until)
		v.mu.Unlock()
		if over { // and not renewed at this very moment
			v.drop(c, proxy.ByScreen)
		}
	})
}

// drop ends the lease of c; nil: whoever has it.
func (v *Server) drop(c *conn, by string) {
	v.mu.Lock()
	if v.holder == nil || c != nil && v.holder != c {
		v.mu.Unlock()
		return
	}
	v.holder.send(line{Event: Lapsed})
	v.holder = nil
	if v.expiry != nil {
		v.expiry.Stop()
	}
	v.mu.Unlock()
	v.seat.Holds.LetGo(by) // tells the connections, so not under the lock
}

// conn is one screen.
type conn struct {
	nc   net.Conn
	out  chan line
	gone chan struct{}
	once sync.Once
	pid  int
}

// send never waits: a screen that does not read is cut off.
func (c *conn) send(l line) {
	l.V = Version
	select {
	case c.out <- l:
	case <-c.gone:
	default:
		c.end()
		_ = c.nc.Close()
	}
}

func (c *conn) end() { c.once.Do(func() { close(c.gone) }) }

// write sends what is queued, and what still is when the connection ends.
func (c *conn) write() {
	defer c.nc.Close()
	w := bufio.NewWriter(c.nc)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	put := func(l line) bool {
		_ = c.nc.SetWriteDeadline(time.Now().Add(Lease))
		if err := enc.Encode(l); err != nil {
			return false
		}
		return len(c.out) > 0 || w.Flush() == nil
	}
	for {
		select {
		case l := <-c.out:
			if !put(l) {
				c.end()
				return
			}
			continue
		default:
		}
		select {
		case l := <-c.out:
			if !put(l) {
				c.end()
				return
			}
		case <-c.gone:
			for len(c.out) > 0 && put(<-c.out) {
			}
			return
		}
	}
}
