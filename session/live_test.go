package session_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"snapscope/session"
	"snapscope/session/script"
	"snapscope/snapshot"
)

// fakeDriver answers every action with a page that names it.
type fakeDriver struct {
	n      int
	failAt int
	closed bool
}

func (d *fakeDriver) Do(ctx context.Context, a session.Action) (*session.Result, error) {
	d.n++
	if d.n == d.failAt {
		return nil, errors.New("the browser is gone")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text := "- button \"" + a.Label() + "\" [ref=e1]"
	return &session.Result{OK: true, Snapshot: &snapshot.Snapshot{Text: text, Hash: snapshot.HashText(text)}}, nil
}

func (d *fakeDriver) Close() error { d.closed = true; return nil }

type memSink struct {
	events []session.Event
	syncs  int
}

func (s *memSink) Append(e session.Event) error { s.events = append(s.events, e); return nil }
func (s *memSink) Sync() error                  { s.syncs++; return nil }

func steppedClock() func() time.Time {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time { now = now.Add(time.Second); return now }
}

func newTestLive(t *testing.T, d session.Driver, sink session.Sink, text string) *session.Live {
	t.Helper()
	acts, err := script.Parse("t", []byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	l, err := session.NewLive(session.LiveOptions{Driver: d, Script: acts, Sink: sink, Clock: steppedClock()})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLiveStepsThroughItsScript(t *testing.T) {
	sink := &memSink{}
	d := &fakeDriver{}
	l := newTestLive(t, d, sink, "- goto: x\n- user: go on\n- note: look\n- click: e1\n- user: thanks")
	var all []session.Event
	for {
		ev, err := l.Step(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ev...)
	}
	var kinds []string
	for i, e := range all {
		kinds = append(kinds, string(e.Kind))
		if e.Seq != i+1 {
			t.Errorf("event %d has seq %d", i, e.Seq)
		}
	}
	want := "start action result user note action result user"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("kinds %q, want %q", got, want)
	}
	if len(sink.events) != len(all) || sink.syncs < 5 {
		t.Errorf("recorded %d of %d events with %d syncs", len(sink.events), len(all), sink.syncs)
	}
	tl := session.NewTimeline(all)
	if len(tl.Steps) != 2 || tl.Steps[1].AgentStep != 1 || len(tl.Calls()) != 2 || len(tl.Snaps) != 2 {
		t.Errorf("timeline: %d steps, %d calls, %d snapshots", len(tl.Steps), len(tl.Calls()), len(tl.Snaps))
	}
	if l.Info().Planned != 2 {
		t.Errorf("planned %d", l.Info().Planned)
	}
	if err := l.Close(); err != nil || !d.closed {
		t.Errorf("close: %v, %v", err, d.closed)
	}
}

func TestLiveRecordsTheStepTheBrowserDiedIn(t *testing.T) {
	sink := &memSink{}
	l := newTestLive(t, &fakeDriver{failAt: 2}, sink, "- goto: x\n- back:\n- reload:")
	if _, err := l.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	ev, err := l.Step(context.Background())
	if err == nil || !strings.Contains(err.Error(), "back: the browser is gone") {
		t.Fatalf("error %v", err)
	}
	if len(ev) != 2 || ev[1].Result == nil || ev[1].Result.OK {
		t.Errorf("the failed step is not whole: %+v", ev)
	}
	if _, err := l.Step(context.Background()); err == nil {
		t.Error("a step on a dead browser is no error")
	}
	if got := len(sink.events); got != 5 {
		t.Errorf("recorded %d events, want 5", got)
	}
}

func TestLiveCancelledStepIsAResult(t *testing.T) {
	l := newTestLive(t, &fakeDriver{}, nil, "- goto: x\n- back:")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ev, err := l.Step(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r := ev[len(ev)-1].Result
	if r == nil || r.OK || !strings.HasPrefix(r.Error, "cancelled after") {
		t.Errorf("result %+v", r)
	}
	if ev, err = l.Step(context.Background()); err != nil || !ev[len(ev)-1].Result.OK {
		t.Errorf("the session did not go on: %v", err)
	}
}

func TestTimelineParallelActionsShareACall(t *testing.T) {
	a := func(id string) session.Event { return session.Event{Action: &session.Action{ID: id, Tool: "x"}} }
	r := func(id string) session.Event { return session.Event{Result: &session.Result{Action: id, OK: true}} }
	tl := session.NewTimeline([]session.Event{a("1"), a("2"), r("2"), r("1"), a("3"), r("9"), r("3")})
	if got := len(tl.Calls()); got != 2 {
		t.Errorf("%d calls, want 2", got)
	}
	var ids []string
	for _, s := range tl.Steps {
		ids = append(ids, s.Action.ID)
	}
	if got := strings.Join(ids, " "); got != "2 1 3" || tl.Orphans != 1 {
		t.Errorf("steps %q with %d orphans", got, tl.Orphans)
	}
	if tl.Steps[1].Call != 0 || tl.Steps[2].Call != 1 {
		t.Errorf("calls %d %d", tl.Steps[1].Call, tl.Steps[2].Call)
	}
	real := session.NewTimeline([]session.Event{{Call: &session.ModelCall{}}, a("1"), r("1"), {Call: &session.ModelCall{}}})
	if got := len(real.Calls()); got != 2 || real.Steps[0].Call != 0 {
		t.Errorf("%d calls, step in call %d", got, real.Steps[0].Call)
	}
}

// fullSink is a recording on a disk that is full after so many syncs.
type fullSink struct {
	memSink
	room int
}

func (s *fullSink) Sync() error {
	if s.syncs++; s.syncs > s.room {
		return errors.New("no space left on device")
	}
	return nil
}

// A step that is not in the recording is not told to be done.
func TestStepIsDoneWhenItIsRecorded(t *testing.T) {
	l := newTestLive(t, &fakeDriver{}, &fullSink{room: 2}, "- snapshot:\n- snapshot:\n")
	for n := 1; n <= 2; n++ {
		events, err := l.Step(context.Background())
		res := events[len(events)-1].Result
		if n == 1 && (err != nil || !res.OK) {
			t.Fatalf("step 1: %v %+v", err, res)
		}
		if n == 2 && (err == nil || res.OK || !strings.Contains(res.Error, "not recorded: writing the recording: no space left")) {
			t.Errorf("step 2: %v %+v", err, res)
		}
	}
}
