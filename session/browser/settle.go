package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// settle waits until the tab has come to rest after an action: no navigation
// under way, the document loaded, its own requests answered, no change in the
// page for a moment. Every part is bounded. It says why the wait ended, and in
// notes what was still going on.
func (b *Browser) settle(ctx context.Context, t *tab, acted *frame) (waited string, notes []string, err error) {
	s := &settling{b: b, t: t, acted: acted, begun: time.Now(), skip: map[string]bool{}}
	for {
		if err := s.navigation(ctx); err != nil {
			return "", s.notes, err
		}
		if s.restart() {
			const why = "the page kept loading anew and was stopped"
			s.b.link.post(t.session, "Page.stopLoading", nil)
			return why, append(s.notes, why), nil
		}
		why, err := s.quiet(ctx)
		if err != nil && !contextLost(err) {
			return "", s.notes, err
		}
		if err != nil || s.moved() {
			continue
		}
		waitedFor, err := s.network(ctx)
		if err != nil {
			return "", s.notes, err
		}
		if !waitedFor || s.restless {
			return s.reason(why), s.notes, nil
		}
	}
}

type settling struct {
	b     *Browser
	t     *tab
	acted *frame
	begun time.Time

	skip     map[string]bool // loaders and frames not waited for any longer
	loader   string          // the main document the loading bound counts from
	since    time.Time
	loads    int // documents waited for
	requests int // answers waited for
	quietAt  time.Time
	restless bool // the bound on quiet was reached
	notes    []string
}

func (s *settling) reason(why string) string {
	var parts []string
	if s.loads > 0 {
		parts = append(parts, "page loaded")
	}
	if s.requests > 0 {
		parts = append(parts, "requests answered")
	}
	return strings.Join(append(parts, why), ", ")
}

// restart reports whether the page loads itself again and again: after five
// documents in a row, or two that took long, nobody waits for the next.
func (s *settling) restart() bool {
	return s.loads > 5 || s.loads > 2 && time.Since(s.begun) > 2*s.b.opts.LoadMax
}

// busy says what a navigation still needs: how long from since it may take and
// what is noted when it takes longer. ok is false when nothing is under way.
type busy struct {
	key   string
	since time.Time
	limit time.Duration
	note  string
	stop  bool // the navigation is given up then
}

// look tells what is under way now. It is called with the lock held.
func (s *settling) look() (what busy, any bool) {
	root := s.t.root
	if root == nil || s.restart() {
		return busy{}, false
	}
	o := s.b.opts
	coming := root.loading && root.from == root.loader
	switch {
	case root.requested && !root.loading:
		// Asked for and not begun: begins within moments or not at all.
		return busy{"req", s.begun, time.Second, "", false}, !s.skip["req"]
	case coming && root.loaded:
		return busy{
			"nav" + root.loader, s.begun, o.NavigateMax,
			fmt.Sprintf("a navigation got no answer within %s", seconds(o.NavigateMax)), true,
		}, !s.skip["nav"+root.loader]
	case root.loading && !root.loaded:
		if s.loader != root.loader {
			s.loader, s.since = root.loader, time.Now()
			s.loads++
		}
		return busy{
			"load" + root.loader, s.since, o.LoadMax,
			fmt.Sprintf("the page was still loading after %s", seconds(o.LoadMax)), false,
		}, !s.skip["load"+root.loader]
	}
	if s.loader != root.loader && s.loader == "" {
		s.loader = root.loader
	}
	for _, f := range s.t.all()[1:] {
		if (f.loading || f.requested) && !s.skip[string(f.id)] {
			return busy{
				string(f.id), s.begun, o.ReadyMax,
				fmt.Sprintf("a frame was still loading after %s", seconds(o.ReadyMax)), false,
			}, true
		}
	}
	return busy{}, false
}

// navigation waits while documents are on their way.
func (s *settling) navigation(ctx context.Context) error {
	for {
		s.b.mu.Lock()
		what, any := s.look()
		changed := s.b.changed
		s.b.mu.Unlock()
		if !any {
			return ctxErr(ctx)
		}
		left := what.limit - time.Since(what.since)
		if left > 0 {
			if err := pause(ctx, changed, left); err != nil {
				return err
			}
			continue
		}
		s.skip[what.key] = true
		if what.note != "" {
			s.notes = append(s.notes, what.note)
		}
		if what.stop {
			s.b.link.post(s.t.session, "Page.stopLoading", nil)
		}
		if what.key == "req" {
			s.b.mu.Lock()
			s.t.root.requested = false
			s.b.mu.Unlock()
		}
	}
}

// moved reports whether a navigation began while we waited for quiet.
func (s *settling) moved() bool {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	_, any := s.look()
	return any
}

// quiet waits for a moment without changes in the main document and in every
// frame that somebody can see or that was acted on.
func (s *settling) quiet(ctx context.Context) (string, error) {
	o := s.b.opts
	if s.quietAt.IsZero() {
		s.quietAt = time.Now()
	}
	left := max(o.QuietMax-time.Since(s.quietAt), o.QuietFor)
	s.b.mu.Lock()
	var frames []*frame
	for _, f := range s.t.all() {
		if f == s.t.root || f == s.acted || f.shown {
			frames = append(frames, f)
		}
	}
	s.b.mu.Unlock()
	if len(frames) == 0 {
		return "", errNoWorld
	}
	expr := fmt.Sprintf(inPage+".quiet(%d,%d)", o.QuietFor.Milliseconds(), left.Milliseconds())
	ctx, cancel := context.WithTimeoutCause(ctx, left+o.ReadyMax, errBusyPage)
	defer cancel()
	results := make([]string, len(frames))
	errs := make([]error, len(frames))
	var wg sync.WaitGroup
	for i, f := range frames {
		wg.Go(func() {
			fctx := ctx
			if f != s.t.root { // a frame that hangs is its own trouble
				c, cancel := context.WithTimeout(ctx, left+500*time.Millisecond)
				defer cancel()
				fctx = c
			}
			r, err := s.b.eval(fctx, f, evaluation{Expression: expr, Await: true, ByValue: true})
			if err == nil {
				results[i], err = r.text()
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if errs[0] != nil {
		return "", errs[0]
	}
	if err := ctxErr(ctx); err != nil {
		return "", err
	}
	for _, why := range results {
		if strings.HasPrefix(why, "still changing") {
			s.restless = true
			s.notes = append(s.notes, "the page was "+why)
			return why, nil
		}
	}
	return results[0], nil
}

// errBusyPage is a page whose main thread does nothing but run its own script.
var errBusyPage = errors.New("the page does not answer (a script in it runs without end)")

// network waits for the requests that this step set off. An address whose
// answer does not end in time is not waited for again: it is a stream.
func (s *settling) network(ctx context.Context) (waitedFor bool, err error) {
	o := s.b.opts
	for {
		s.b.mu.Lock()
		open := 0
		for id, r := range s.t.open {
			switch {
			case r.step != s.b.steps || s.t.endless[r.key]:
			case time.Since(s.begun) > o.NetworkMax+time.Duration(s.loads)*o.LoadMax:
				s.t.endless[r.key] = true
				delete(s.t.open, id)
				s.notes = append(s.notes, "a request was still open: "+r.key)
			default:
				open++
			}
		}
		changed := s.b.changed
		s.b.mu.Unlock()
		if open == 0 {
			return waitedFor, nil
		}
		if !waitedFor {
			s.requests++
		}
		waitedFor = true
		if err := pause(ctx, changed, 200*time.Millisecond); err != nil {
			return true, err
		}
	}
}

// ctxErr is the cause of ctx's end, nil while it lives.
func ctxErr(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

func seconds(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), "0"), ".") + " s"
}
