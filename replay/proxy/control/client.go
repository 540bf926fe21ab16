package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	"snapscope/replay/proxy"
)

// ErrEnded is answered when the seat is gone.
var ErrEnded = errors.New("the seat has ended")

// Client is a screen's end of the socket. It is safe for concurrent use. The lease
// is renewed by whoever uses it, with Keep, so that a screen that hangs loses it.
type Client struct {
	nc      net.Conn
	notices chan Notice

	mu    sync.Mutex
	n     int
	await map[int]chan line
	err   error
}

// Dial connects to a run's socket.
func Dial(ctx context.Context, path string) (*Client, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("connecting to the seat: %w", err)
	}
	c := &Client{nc: nc, notices: make(chan Notice, 256), await: map[int]chan line{}}
	go c.read()
	return c, nil
}

// Notices are what the seat tells unasked. The channel is closed, after Ended,
// when the connection is over. A client that leaves more than a few hundred of
// them unread is cut off.
func (c *Client) Notices() <-chan Notice { return c.notices }

func (c *Client) read() {
	in := bufio.NewScanner(c.nc)
	in.Buffer(make([]byte, 0, 64<<10), maxLine)
	for in.Scan() {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			break
		}
		if l.Event == "" {
			c.answer(l)
			continue
		}
		n := Notice{Event: l.Event, Decision: l.Decision}
		if l.Hold != nil {
			n.Hold = *l.Hold
		}
		if l.Event == Ended {
			break
		}
		select {
		case c.notices <- n:
		default:
			_ = c.nc.Close()
		}
	}
	_ = c.nc.Close()
	c.mu.Lock()
	c.err = ErrEnded
	for _, w := range c.await {
		close(w)
	}
	c.await = nil
	c.mu.Unlock()
	select {
	case c.notices <- Notice{Event: Ended}:
	default:
	}
	close(c.notices)
}

func (c *Client) answer(l line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, ok := c.await[l.N]; ok {
		delete(c.await, l.N)
		w <- l
	}
}

func (c *Client) ask(ctx context.Context, r request) (line, error) {
	w := make(chan line, 1)
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return line{}, c.err
	}
	c.n++
	r.V, r.N = Version, c.n
	c.await[r.N] = w
	b, err := json.Marshal(r)
	if err == nil {
		_ = c.nc.SetWriteDeadline(time.Now().Add(Lease))
		_, err = c.nc.Write(append(b, '\n'))
	}
	c.mu.Unlock()
	if err != nil {
		return line{}, fmt.Errorf("asking the seat: %w", err)
	}
	select {
	case l, ok := <-w:
		switch {
		case !ok:
			return line{}, ErrEnded
		case l.Error != "":
			return l, errors.New(l.Error)
		}
		return l, nil
	case <-ctx.Done():
		return line{}, ctx.Err()
	}
}

func (c *Client) do(ctx context.Context, r request) error {
	_, err := c.ask(ctx, r)
	return err
}

// Run answers what runs there and what is held.
func (c *Client) Run(ctx context.Context) (proxy.Run, []proxy.Hold, error) {
	l, err := c.ask(ctx, request{Do: Ask})
	if err != nil {
		return proxy.Run{}, nil, err
	}
	if l.Run == nil {
		return proxy.Run{}, nil, errors.New("the seat's answer holds no run")
	}
	return *l.Run, l.Holds, nil
}

// Take takes the lease; force takes it from another screen. It lasts Lease and is
// to be renewed with Keep every Renew, from the loop that must be alive for the
// person to act: a screen that hangs then loses it.
func (c *Client) Take(ctx context.Context, force bool) error {
	return c.do(ctx, request{Do: Take, PID: os.Getpid(), Force: force})
}

// Keep renews the lease.
func (c *Client) Keep(ctx context.Context) error { return c.do(ctx, request{Do: Keep}) }

// Leave gives the lease back: every hold goes.
func (c *Client) Leave(ctx context.Context) error { return c.do(ctx, request{Do: Leave}) }

// Decide ends a hold.
func (c *Client) Decide(ctx context.Context, hold string, d proxy.Decision) error {
	return c.do(ctx, request{Do: Decide, Hold: hold, Decision: &d})
}

// SetRules says what is to be held.
func (c *Client) SetRules(ctx context.Context, r proxy.Rules) error {
	return c.do(ctx, request{Do: Rules, Rules: &r})
}

// Step holds the next call.
func (c *Client) Step(ctx context.Context) error { return c.do(ctx, request{Do: Step}) }

// SetPolicy rewrites under a policy, one of session/policy, from the next result
// on; nil: nothing is rewritten.
func (c *Client) SetPolicy(ctx context.Context, policy any) error {
	raw, err := json.Marshal(policy)
	if err != nil {
		return err
	}
	return c.do(ctx, request{Do: Policy, Policy: raw})
}

// Close ends the connection, and with it the lease.
func (c *Client) Close() error { return c.nc.Close() }

// List answers the runs that live, oldest first. Sockets that dead ones left
// behind are removed.
func List(ctx context.Context, f proxy.Folder) []proxy.Run {
	var mu sync.Mutex
	var out []proxy.Run
	var wg sync.WaitGroup
	for _, path := range f.Sockets() {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			if refused(path) {
				_ = os.Remove(path)
				return
			}
			c, err := Dial(ctx, path)
			if err != nil {
				return
			}
			defer c.Close()
			if run, _, err := c.Run(ctx); err == nil {
				mu.Lock()
				out = append(out, run)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	sort.Slice(out, func(i, j int) bool { return out[i].Started.Before(out[j].Started) })
	return out
}

// Other is the other seat of a run's agent: of the seats that were started together
// the first of the other kind. ok is false where there is none that lives.
func Other(ctx context.Context, f proxy.Folder, run proxy.Run) (other proxy.Run, path string, ok bool) {
	if run.Group == "" {
		return proxy.Run{}, "", false
	}
	for _, r := range List(ctx, f) {
		if r.Group == run.Group && r.Kind != run.Kind {
			return r, f.Sockets()[r.ID], true
		}
	}
	return proxy.Run{}, "", false
}

// Find answers the run that id names, whole or by its start; of a group of seats
// that before the MCP server.
func Find(ctx context.Context, f proxy.Folder, id string) (proxy.Run, string, error) {
	runs := List(ctx, f)
	var hits []proxy.Run
	var names []string
	for _, r := range runs {
		names = append(names, r.ID)
		if r.ID == id || r.Group == id && r.Kind == proxy.MCP {
			hits = []proxy.Run{r}
			break
		}
		if _, digits, _ := strings.Cut(r.ID, "-"); strings.HasPrefix(r.ID, id) || strings.HasPrefix(digits, id) {
			hits = append(hits, r)
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], f.Sockets()[hits[0].ID], nil
	case len(runs) == 0:
		return proxy.Run{}, "", errors.New("nothing runs: put \"snapscope mcp --\" before the server in the agent's configuration, or start the agent with snapscope live")
	case len(hits) == 0:
		return proxy.Run{}, "", fmt.Errorf("no running seat %q; there are %s", id, strings.Join(names, ", "))
	}
	return proxy.Run{}, "", fmt.Errorf("%q names several seats: %s", id, strings.Join(names, ", "))
}
