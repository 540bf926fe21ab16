package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"snapscope/session"
)

// settling is the wait of one step between its action and the capture. Every
// part of it is bounded; where a bound was reached, notes say of what, and the
// page counts as captured early.
type settling struct {
	b     *Browser
	t     *tab
	acted *frame
	p     Settle
	how   manner
	was   string // loader of the main document before the action
	begun time.Time

	skip     map[string]bool // loaders and frames not waited for any longer
	loader   string          // the main document the bounds on loading count from
	since    time.Time
	parsed   time.Time // when it had been read
	loads    int       // documents waited for
	requests int       // times that answers were waited for
	fixed    time.Duration
	quietAt  time.Time
	restless time.Duration // the bound on quiet that was reached
	early    session.Rest  // the first bound that was reached
	notes    []string
}

// ending is how a wait ended: for code, and in words.
type ending struct {
	rest  session.Rest
	words string
	notes []string
}

// settle waits until the page may be captured, in the way of the session's
// profile.
func (s *settling) settle(ctx context.Context) (ending, error) {
	s.begun, s.skip = time.Now(), map[string]bool{}
	var err error
	rest := session.RestQuiet
	if s.p.After > 0 {
		rest, err = s.timed(ctx)
	} else {
		rest, err = s.watched(ctx)
	}
	if s.early != "" {
		rest = s.early
	}
	return ending{rest, s.words(rest), s.notes}, err
}

// watched waits until the tab has come to rest: no navigation under way, the
// document loaded, its own requests answered, no change in the page for a
// moment.
func (s *settling) watched(ctx context.Context) (session.Rest, error) {
	for lost := 0; ; {
		if err := s.navigation(ctx); err != nil {
			return "", err
		}
		if s.restart() {
			return s.stopReloading(), nil
		}
		changing, err := s.quiet(ctx)
		if err != nil && !contextLost(err) {
			return "", err
		}
		if err != nil {
			if lost++; lost > 5 {
				return s.stopReloading(), nil
			}
			continue
		}
		if s.moved() {
			continue
		}
		if changing {
			s.restless = max(s.p.QuietMax, s.p.QuietFor)
			s.late(session.RestChanging, "the page was still changing after "+seconds(s.restless))
		}
		waitedFor, err := s.network(ctx)
		if err != nil {
			return "", err
		}
		if !waitedFor || s.restless > 0 {
			return session.RestQuiet, nil
		}
	}
}

func (s *settling) stopReloading() session.Rest {
	s.b.link.post(s.t.session, "Page.stopLoading", nil)
	s.late(session.RestReloading, "the page kept loading anew and was stopped")
	return session.RestReloading
}

// late notes that a bound was reached.
func (s *settling) late(r session.Rest, note string) {
	if s.early == "" || r == session.RestLoading || r == session.RestReloading {
		s.early = r
	}
	s.notes = append(s.notes, note)
}

// words is the end of the wait for people.
func (s *settling) words(rest session.Rest) string {
	var parts []string
	if s.loads > 0 && rest != session.RestLoading && rest != session.RestReloading {
		parts = append(parts, "page loaded")
	}
	if s.requests > 0 && rest != session.RestRequests {
		parts = append(parts, "requests answered")
	}
	switch {
	case rest.Early():
		parts = append(parts, strings.TrimPrefix(s.notes[0], "the page was "))
	case s.fixed > 0:
		parts = append(parts, fmt.Sprintf("waited %d ms", s.fixed.Milliseconds()))
	case rest == session.RestQuiet:
		parts = append(parts, fmt.Sprintf("quiet for %d ms", s.p.QuietFor.Milliseconds()))
	case len(parts) == 0:
		parts = append(parts, "captured at once")
	}
	return strings.Join(parts, ", ")
}

// restart reports whether the page loads itself again and again: after five
// documents in a row, or two that took long, nobody waits for the next.
func (s *settling) restart() bool {
	return s.loads > 5 || s.loads > 2 && time.Since(s.begun) > 2*s.p.LoadMax
}

// busy says what a navigation still needs: how long from since it may take and
// what is noted when it takes longer.
type busy struct {
	key   string
	doing string
	since time.Time
	limit time.Duration
	rest  session.Rest
	note  string // empty: nobody needs to know
	stop  bool   // the navigation is given up then
}

// look tells what is under way now. It is called with the lock held.
func (s *settling) look() (what busy, any bool) {
	root := s.t.root
	if root == nil || s.restart() {
		return busy{}, false
	}
	coming := root.loading && root.from == root.loader
	switch {
	case root.requested && !root.loading:
		// Asked for and not begun: begins within moments or not at all.
		return busy{key: "req", doing: "waiting for a navigation to begin", since: s.begun, limit: time.Second}, !s.skip["req"]
	case coming && root.loaded:
		return busy{
			"nav" + root.loader, "waiting for a document", s.begun, s.p.NavigateMax, session.RestLoading,
			fmt.Sprintf("a navigation got no answer within %s", seconds(s.p.NavigateMax)), true,
		}, !s.skip["nav"+root.loader]
	case root.loading && !root.loaded:
		return s.lookAtLoading(root)
	}
	if s.loader != root.loader && s.loader == "" {
		s.loader = root.loader
	}
	return s.lookAtFrames()
}

// lookAtLoading is the part of look for a document that has begun to arrive.
func (s *settling) lookAtLoading(root *frame) (busy, bool) {
	now := time.Now()
	if s.loader != root.loader {
		s.loader, s.since, s.parsed = root.loader, now, time.Time{}
		s.loads++
	}
	if root.parsed && s.parsed.IsZero() {
		s.parsed = now
	}
	reading, loading := s.p.NavigateMax, s.p.LoadMax
	if s.how == mannerAct && s.p.After > 0 {
		reading, loading = s.p.FollowMax, s.p.FollowMax-max(0, s.parsed.Sub(s.since))
	}
	if !root.parsed {
		key := "read" + root.loader
		return busy{
			key, "reading the document", s.since, reading, session.RestLoading,
			fmt.Sprintf("the page was still loading after %s: its document has not been read to its end", seconds(reading)), false,
		}, !s.skip[key]
	}
	key := "load" + root.loader
	return busy{
		key, "loading the page", s.parsed, loading, session.RestLoading,
		fmt.Sprintf("the page was still loading after %s", seconds(loading)), false,
	}, !s.skip[key] && !s.skip["read"+root.loader]
}

// lookAtFrames is the part of look for the frames in the page.
func (s *settling) lookAtFrames() (busy, bool) {
	for _, f := range s.t.all()[1:] {
		if (f.loading || f.requested) && !s.skip[string(f.id)] {
			return s.frameLoading(f, s.begun), true
		}
	}
	return busy{}, false
}

func (s *settling) frameLoading(f *frame, since time.Time) busy {
	return busy{
		string(f.id), "loading a frame", since, s.b.opts.ReadyMax, session.RestFrame,
		fmt.Sprintf("a frame was still loading after %s", seconds(s.b.opts.ReadyMax)), false,
	}
}

// navigation waits while documents are on their way.
func (s *settling) navigation(ctx context.Context) error { return s.while(ctx, s.look) }

// while waits as long as something is under way, each at most its time.
func (s *settling) while(ctx context.Context, look func() (busy, bool)) error {
	for {
		s.b.mu.Lock()
		what, any := look()
		changed := s.b.changed
		if any {
			s.b.phase = phase{what.doing, what.since, what.limit}
		}
		s.b.mu.Unlock()
		if !any {
			return ctxErr(ctx)
		}
		if left := what.limit - time.Since(what.since); left > 0 {
			if err := pause(ctx, changed, left); err != nil {
				return err
			}
			continue
		}
		s.skip[what.key] = true
		if what.note != "" {
			s.late(what.rest, what.note)
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
func (s *settling) quiet(ctx context.Context) (changing bool, err error) {
	if s.quietAt.IsZero() {
		s.quietAt = time.Now()
	}
	end := s.quietAt.Add(s.p.QuietMax)
	if least := time.Now().Add(s.p.QuietFor); end.Before(least) {
		end = least
	}
	s.b.mu.Lock()
	var frames []*frame
	for _, f := range s.t.all() {
		if f == s.t.root || f == s.acted || f.shown {
			frames = append(frames, f)
		}
	}
	s.b.phase = phase{"waiting until nothing changes", s.quietAt, s.p.QuietMax}
	s.b.mu.Unlock()
	if len(frames) == 0 {
		return false, errNoWorld
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Until(end)+s.b.opts.ReadyMax, errBusyPage)
	defer cancel()
	still, errs := make([]bool, len(frames)), make([]error, len(frames))
	var wg sync.WaitGroup
	for i, f := range frames {
		wg.Go(func() {
			fctx := ctx
			if f != s.t.root { // a frame that hangs is its own trouble
				c, cancel := context.WithTimeout(ctx, time.Until(end)+500*time.Millisecond)
				defer cancel()
				fctx = c
			}
			still[i], errs[i] = s.still(fctx, f, end)
		})
	}
	wg.Wait()
	if errs[0] != nil {
		return false, errs[0]
	}
	return slices.Contains(still, true), ctxErr(ctx)
}

// still waits until a frame has not changed for the profile's time, at most
// until end. The clock is ours: a document whose scripts are forbidden runs no
// timers, not even those of an isolated world.
func (s *settling) still(ctx context.Context, f *frame, end time.Time) (changing bool, err error) {
	const slack = 20 * time.Millisecond // between two clocks
	expr := fmt.Sprintf("%s.sinceChange(%%t,%d)", inPage, s.p.QuietFor.Milliseconds())
	for first := true; ; first = false {
		r, err := s.b.eval(ctx, f, evaluation{Expression: fmt.Sprintf(expr, first), ByValue: true})
		if err != nil {
			return false, err
		}
		var ago float64 // milliseconds since the last change, or since we began to watch
		if err := json.Unmarshal(r.Value, &ago); err != nil {
			return false, fmt.Errorf("the page's answer: %w", err)
		}
		if ago < 0 { // this document was not watched: it took the place of the one that was
			return false, errNoWorld
		}
		if least := time.Now().Add(s.p.QuietFor); first && end.Before(least) {
			end = least
		}
		wait := s.p.QuietFor - time.Duration(ago*float64(time.Millisecond))
		left := time.Until(end) + slack
		if wait <= 0 || left <= 0 {
			return wait > 0, nil
		}
		if err := pause(ctx, nil, min(wait, left)+time.Millisecond); err != nil {
			return false, err
		}
	}
}

// errBusyPage is a page whose main thread does nothing but run its own script.
var errBusyPage = errors.New("the page does not answer: a script in it runs without end, or the browser is not done laying it out")

// network waits for the requests that this step set off. An address whose
// answer does not end in time is not waited for again: it is a stream.
func (s *settling) network(ctx context.Context) (waitedFor bool, err error) {
	limit := s.p.RequestsMax + time.Duration(s.loads)*s.p.LoadMax
	for {
		s.b.mu.Lock()
		open := 0
		for id, r := range s.t.open {
			switch {
			case !r.script || r.step != s.b.steps || s.t.endless[r.key]:
			case time.Since(s.begun) > limit:
				s.t.endless[r.key] = true
				delete(s.t.open, id)
				s.late(session.RestRequests, "a request was still open: "+r.key)
			default:
				open++
			}
		}
		changed := s.b.changed
		if open > 0 {
			s.b.phase = phase{answersOf(open), s.begun, limit}
		}
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
