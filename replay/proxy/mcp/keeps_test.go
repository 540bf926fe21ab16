package mcp

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
	"snapscope/session/policy"
)

// Nothing of a session is kept while no breakpoint is set; one that is set in the
// middle of it knows what was recorded before.
func TestABreakpointSetLaterKnowsWhatCameBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "browser_snapshot"), []byte(leads), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := func(x *odd) bool {
		got := make(chan bool)
		x.p.rec.post(0, func(r *recorder) { got <- r.story != nil })
		return <-got
	}
	for ref, lost := range map[string]bool{"e2": false, "e77": true} {
		x := newOdd(t, "echo", Options{}, "PAGES="+dir)
		x.greet("t")
		x.send(callLine("1", "browser_snapshot", `{}`))
		x.line()
		if kept(x) {
			t.Error("the session is kept although nothing needs it")
		}
		x.p.Holds().SetRules(proxy.Rules{Breaks: []string{"before lost"}})
		if !kept(x) {
			t.Error("the breakpoint knows nothing of the session")
		}
		x.send(callLine("2", "browser_click", `{"target":"`+ref+`"}`))
		if lost {
			if h := held(t, x); !strings.Contains(h.Why, ref) {
				t.Errorf("held because %q", h.Why)
			}
		} else if got := x.line(); !strings.Contains(got, `"id":2`) {
			t.Errorf("%s: got %s", ref, got)
		}
		x.p.Holds().SetRules(proxy.Rules{})
		if kept(x) {
			t.Error("the session is kept after the last breakpoint is gone")
		}
	}
}

// What takes long to record keeps no seat from ending.
func TestTheEndWaitsForNoRecorder(t *testing.T) {
	t.Parallel()
	var logs []string
	p := New(Options{Log: func(s string) { logs = append(logs, s) }})
	stuck := make(chan struct{})
	defer close(stuck)
	p.rec.post(0, func(*recorder) { <-stuck })
	if err := p.Close(); err != nil { // it would wait for ever
		t.Fatal(err)
	}
	if !p.Recorded() || len(logs) != 1 || !strings.Contains(logs[0], "not in the recording") {
		t.Errorf("recorded %v, said %q", p.Recorded(), logs)
	}
}

// A page that no model could read is not rewritten, and the next one is whole.
func TestAPageThatIsTooLargeForAPolicy(t *testing.T) {
	t.Parallel()
	fold, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &sink{}
	p := New(Options{Policy: &fold, Sink: s})
	p.rec.patience = time.Hour // however slow the machine is
	l := p.Link(t.Context())
	l.FromClient([]byte(callLine("1", "browser_snapshot", "{}") + "\n"))
	msg := textAnswer("1", inPage(table(60_000, 0))) + "\n"
	if got := l.FromServer([]byte(msg)); string(got.Forward) != msg {
		t.Errorf("%d bytes became %d", len(msg), len(got.Forward))
	}
	recorded := make(chan struct{})
	p.rec.post(0, func(*recorder) { close(recorded) })
	<-recorded
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if rec := s.text(); !strings.Contains(rec, "larger than 4 MB: it went as it came") || !strings.Contains(rec, `"kind":"result"`) {
		t.Error("the recording does not say that the page went whole")
	}
}

// Answers that no transcript tells of are not held for ever.
func TestAnswersWithoutATranscript(t *testing.T) {
	t.Parallel()
	p := New(Options{Session: "s", Transcript: func(string, string) string { return "" }})
	text := strings.Repeat("a", 1<<20)
	held := make(chan int)
	for i := range 120 {
		p.rec.post(0, func(r *recorder) {
			r.receive(p.Link(t.Context()).view, "")
			r.expect(&asked{key: strconv.Itoa(i)}, text)
		})
		p.rec.post(0, func(r *recorder) {
			size := 0
			for _, a := range r.got.sent {
				size += len(a.text)
			}
			held <- size
		})
		if size := <-held; size > maxExpected || i > 60 && size > 0 {
			t.Fatalf("%d MB are held after %d answers", size>>20, i+1)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}
