package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"snapscope/session"
	"snapscope/snapshot"
)

// doer carries out one verb. text is what the agent gets to read besides the
// snapshot.
type doer func(s *stepping, ctx context.Context) (text string, err error)

// doers has one entry for every verb a browser can carry out.
var doers map[session.Verb]doer

func init() { // the entries look the table up themselves, through check and scroll
	doers = map[session.Verb]doer{
		session.VerbGoto: (*stepping).goTo, session.VerbBack: (*stepping).back, session.VerbForward: (*stepping).forward,
		session.VerbReload: (*stepping).reload, session.VerbClick: (*stepping).click, session.VerbDblClick: (*stepping).dblclick,
		session.VerbHover: (*stepping).hover, session.VerbFill: (*stepping).fill, session.VerbType: (*stepping).typeText,
		session.VerbPress: (*stepping).pressKey, session.VerbCheck: (*stepping).check, session.VerbUncheck: (*stepping).uncheck,
		session.VerbSelect: (*stepping).choose, session.VerbScroll: (*stepping).scroll, session.VerbDrag: (*stepping).drag,
		session.VerbUpload: (*stepping).upload, session.VerbDialog: (*stepping).answer, session.VerbTab: (*stepping).tabs,
		session.VerbEvaluate: (*stepping).evaluate, session.VerbWait: (*stepping).wait,
		session.VerbSnapshot: (*stepping).nothing, session.VerbScreenshot: (*stepping).screenshot,
	}
}

// stepping is one step being carried out.
type stepping struct {
	b     *Browser
	t     *tab
	a     session.Action
	outer context.Context // of the step, whatever interrupts its parts
	frame *frame          // of the element that was acted on
	was   string          // loader of the tab's document before the action
	image string          // the file of the picture that the step took
	size  snapshot.Size   // and its size in pixels
}

func (s *stepping) nothing(context.Context) (string, error) { return "", nil }

// begin waits for the caller's turn and gives it a context to work under.
func (b *Browser) begin(ctx context.Context) (context.Context, func(), error) {
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	ctx, done := b.under(ctx)
	return ctx, func() {
		done()
		<-b.turn
	}, nil
}

// under ties a context to the browser's life and to the running step: what
// interrupts the step ends it, with the reason as its cause.
func (b *Browser) under(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(b.life, func() { cancel(context.Cause(b.life)) })
	b.mu.Lock()
	b.step = cancel
	b.mu.Unlock()
	return ctx, func() {
		b.mu.Lock()
		b.step = nil
		if t := b.current; t != nil {
			for s := range t.sessions {
				b.link.post(s, "Runtime.releaseObjectGroup", proto.RuntimeReleaseObjectGroup{ObjectGroup: handles})
			}
		}
		b.mu.Unlock()
		stop()
		cancel(nil)
	}
}

// tab is the current tab, ready for work.
func (b *Browser) tab(ctx context.Context) (*tab, error) {
	b.mu.Lock()
	t := b.current
	b.mu.Unlock()
	if !b.Alive() {
		return nil, context.Cause(b.life)
	}
	if t == nil {
		return nil, errors.New("no tab is open; open one with tab new")
	}
	return t, b.ready(ctx, t)
}

func (b *Browser) indexOf(t *tab) int { return max(0, slices.Index(b.tabs, t)) }

// Do carries out one action, waits until the page is quiet and captures it. The
// result of an action that failed says why and shows the page as it is. The
// error is ErrGone (errors.Is), or that of ctx.
func (b *Browser) Do(ctx context.Context, a session.Action) (*session.Result, error) {
	begun := time.Now()
	limit := b.opts.StepMax
	if ms, ok := number(a.Args["ms"]); ok && a.Verb == session.VerbWait && ms > 0 {
		limit += time.Duration(ms * float64(time.Millisecond))
	}
	outer, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the step took longer than %s", seconds(limit)))
	defer cancel()
	sctx, done, err := b.begin(outer)
	if err != nil {
		return &session.Result{Action: a.ID, Error: "cancelled"}, err
	}
	defer done()

	b.mu.Lock()
	b.steps++
	b.begun, b.bound, b.phase = begun, limit, phase{}
	if t := b.current; t != nil { // what an old step asked for nobody waits for
		maps.DeleteFunc(t.open, func(_ string, r *request) bool { return r.step < b.steps-1 })
		if len(t.endless) > maxEndless {
			clear(t.endless)
		}
	}
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.begun, b.phase = time.Time{}, phase{}
		b.mu.Unlock()
	}()
	watch, unwatch := context.WithCancel(sctx)
	go b.watch(watch)
	defer unwatch()
	s := &stepping{b: b, a: a, outer: outer}
	res := &session.Result{Action: a.ID}
	err = s.run(sctx, res)
	b.arrive(outer)
	res.Millis = time.Since(begun).Milliseconds()
	s.report(res)
	switch {
	case !b.Alive():
		return res, context.Cause(b.life)
	case errors.Is(err, ErrGone):
		return res, err
	case ctx.Err() != nil:
		res.OK, res.Error = false, "cancelled"
		return res, ctx.Err()
	}
	return res, nil
}

// run acts, settles and captures. It fills the result; the error matters only
// where the browser is gone.
func (s *stepping) run(ctx context.Context, res *session.Result) error {
	do := doers[s.a.Verb]
	if do == nil {
		res.Error = fmt.Sprintf("a browser has no action %q", orElse(string(s.a.Verb), s.a.Tool))
		return nil
	}
	t, err := s.b.tab(ctx)
	s.t = t
	if err != nil && s.a.Verb != session.VerbTab {
		res.Error = err.Error()
		return err
	}
	if err := s.blocked(); err != nil {
		res.Error = err.Error()
		return nil
	}
	s.b.mu.Lock()
	if s.t != nil && s.t.root != nil {
		s.was = s.t.root.loader
	}
	s.b.mu.Unlock()
	res.Text, err = do(s, ctx)
	res.OK = err == nil || (errors.Is(err, errDialog) && !s.staying()) || errors.Is(err, errTabClosed)
	if !res.OK {
		res.Error = s.sentence(err)
	}
	if err := s.show(ctx, res); err != nil {
		return err
	}
	return err
}

// blocked is the error of an action that a dialog or a crash makes pointless.
func (s *stepping) blocked() error {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	switch {
	case s.t == nil || s.a.Verb == session.VerbTab || s.a.Verb == session.VerbDialog:
		return nil
	case s.t.dialog != nil:
		return fmt.Errorf("%s is open and holds the page; answer it first with dialog accept or dialog dismiss", s.t.dialog)
	case s.t.crashed && !s.a.Verb.Navigates():
		return errCrashed
	}
	return nil
}

// staying reports whether the open dialog asks if the page may be left: the
// action then has not happened yet.
func (s *stepping) staying() bool {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return s.t.dialog != nil && s.t.dialog.kind == proto.PageDialogTypeBeforeunload
}

// sentence is an error as the agent reads it.
func (s *stepping) sentence(err error) string {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if errors.Is(err, errDialog) && s.t != nil && s.t.dialog != nil {
		return fmt.Sprintf("%s is open and holds the page; answer it with dialog accept or dialog dismiss", s.t.dialog)
	}
	return err.Error()
}

// show settles and captures the page into the result. Should its tab close
// meanwhile, the one behind it is shown.
func (s *stepping) show(ctx context.Context, res *session.Result) error {
	for try := 0; ; try++ {
		err := ctxErr(ctx)
		if err == nil {
			err = s.showCurrent(ctx, res)
		}
		if !errors.Is(err, errTabClosed) || try == 5 {
			return s.unseen(err, res)
		}
		fresh, done := s.b.under(s.outer)
		defer done()
		ctx = fresh
	}
}

func (s *stepping) showCurrent(ctx context.Context, res *session.Result) error {
	s.b.mu.Lock()
	t := s.b.current // the action may have changed it
	s.b.mu.Unlock()
	if t == nil {
		return nil
	}
	if err := s.b.ready(ctx, t); err != nil {
		return err
	}
	how, acted, was := mannerOf(s.a), s.frame, s.was
	if t != s.t {
		how, acted, was = mannerNothing, nil, ""
	}
	var notes []string
	for try := 0; ; try++ {
		end, err := (&settling{b: s.b, t: t, p: s.b.opts.Settle, acted: acted, how: how, was: was}).settle(ctx)
		if err != nil {
			return s.hold(t, err)
		}
		if len(notes) == 0 { // a note of the first wait tells more than the second wait's end
			res.Waited, res.Rest = end.words, end.rest
		}
		notes = append(notes, end.notes...)
		s.b.mu.Lock()
		s.b.phase = phase{capturingPage, time.Now(), s.b.opts.captureMax()}
		s.b.mu.Unlock()
		begun := time.Now()
		res.Snapshot, err = s.b.capture(ctx, t, CaptureOptions{Rects: s.b.opts.Boxes, Boxes: s.b.opts.Marks, Exact: s.b.opts.Exact})
		s.b.mu.Lock()
		s.b.took = time.Since(begun)
		s.b.mu.Unlock()
		if err == nil {
			break
		}
		// A document that went away between the wait and the capture: its
		// successor is what there is to see.
		if contextLost(err) && try == 3 {
			return errMovesOn
		}
		if !contextLost(err) {
			return s.hold(t, err)
		}
	}
	res.Snapshot.Notes = append(notes, res.Snapshot.Notes...)
	s.b.remember(res.Snapshot)
	return nil
}

// errMovesOn is a page that never stays in one document for long.
var errMovesOn = errors.New("it goes to another address again and again, faster than it can be captured")

// hold remembers that a script holds the page's thread.
func (s *stepping) hold(t *tab, err error) error {
	if errors.Is(err, errBusyPage) || errors.Is(err, errSlowPage) {
		s.b.mu.Lock()
		t.busy = true
		s.b.mu.Unlock()
	}
	return err
}

// unseen says in the result why there is no snapshot. An action that opened a
// dialog has worked all the same.
func (s *stepping) unseen(err error, res *session.Result) error {
	switch {
	case err == nil:
	case errors.Is(err, errDialog):
		res.Waited, res.Rest = "a dialog opened", session.RestDialog
	default:
		res.Waited, res.Rest = err.Error(), session.RestFailed
		if res.OK {
			res.OK, res.Error = false, "the page could not be captured: "+err.Error()
		}
	}
	return err
}

// report fills in what happened besides.
func (s *stepping) report(res *session.Result) {
	b := s.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.current; t != nil {
		res.Console = t.takeConsole()
		if t.root != nil {
			res.URL = shortURL(t.root.url)
		}
	}
	for i, t := range b.tabs {
		if t.announce {
			t.announce = false
			b.note("%s; go there with tab switch %d", t.describe(i), i)
		}
	}
	res.Events, b.notes = b.notes, nil
	if res.Snapshot != nil {
		res.URL, res.Title = res.Snapshot.URL, res.Snapshot.Title
	}
	if s.image != "" {
		res.Image, res.Images = s.image, []snapshot.Size{s.size}
	}
}
