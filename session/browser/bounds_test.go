package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"snapscope/session"
	"snapscope/snapshot/aria"
)

// A page that is too large to be read in time is captured in part and says so.
func TestReadingHasABound(t *testing.T) {
	r := open(t)
	was := r.b.opts.ReadMax
	r.b.opts.ReadMax = 5 * time.Millisecond
	defer func() { r.b.opts.ReadMax = was }()
	res := r.html(`<main id=m></main><script>m.innerHTML = '<p>x <b>y</b></p>'.repeat(8000)</script>`)
	has(t, res, "paragraph")
	if got := strings.Join(res.Snapshot.Notes, " "); !strings.Contains(got, "reading it took longer than 0.005 s") {
		t.Errorf("notes %q", got)
	}
}

// One element that names thousands is read once.
func TestNamesFromOneTargetAreLinear(t *testing.T) {
	r := open(t)
	was := r.b.opts.ReadMax
	r.b.opts.ReadMax = time.Minute
	defer func() { r.b.opts.ReadMax = was }()
	took := func(by string) time.Duration {
		res := r.html(`<main id=m></main><script>m.innerHTML = '<button aria-labelledby=` + by + `>x</button>'.repeat(3000) + '<b id=small>w</b><div id=big>' + '<span>w</span>'.repeat(3000) + '</div>'</script>`)
		if n := strings.Count(res.Snapshot.Text, "- button"); n != 3000 || len(res.Snapshot.Notes) > 0 {
			t.Errorf("%d buttons, notes %q", n, res.Snapshot.Notes)
		}
		return r.b.CaptureTime()
	}
	// Read for each button it would be three thousand times the work.
	if small, big := took("small"), took("big"); big > 10*small+5*time.Second {
		t.Errorf("the capture took %s, with a small name %s", big, small)
	}
}

// What a page says of itself is bounded, step by step.
func TestTitlesAndAddressesAreBounded(t *testing.T) {
	r := open(t)
	res := r.html(`<button onclick="history.pushState({}, '', '/x?' + 'u'.repeat(200000)); document.title = 't'.repeat(500000)">go</button>`)
	res = r.must(act(session.VerbClick, "ref", refOf(t, res, `"go"`)))
	if len(res.Title) > maxTitle+8 || len(res.Snapshot.Title) > maxTitle+8 || len(res.URL) > maxURL+8 || len(res.Snapshot.URL) > maxURL+8 {
		t.Errorf("title %d and %d bytes, URL %d and %d", len(res.Title), len(res.Snapshot.Title), len(res.URL), len(res.Snapshot.URL))
	}
	if !strings.HasPrefix(res.Title, "ttt") || !strings.Contains(res.URL, "/x?uuu") {
		t.Errorf("%.20q %.60q", res.Title, res.URL)
	}
}

// The table of refs forgets the elements that are gone; those that are there
// keep theirs.
func TestRefTableIsPruned(t *testing.T) {
	r := open(t)
	res := r.html(`<button id=k>kept</button><ul id=u></ul>`)
	kept := refOf(t, res, "kept")
	for i := range 12 {
		r.must(act(session.VerbEvaluate, "js", fmt.Sprintf(`u.innerHTML = Array.from({length: 1000}, (_, i) => '<li>item %d.' + i).join(''); 1`, i)))
	}
	res = r.must(act(session.VerbSnapshot))
	if got := refOf(t, res, "kept"); got != kept {
		t.Errorf("the button that stayed has ref %s, had %s", got, kept)
	}
	has(t, r.must(act(session.VerbClick, "ref", refOf(t, res, "item 11.999"))), "item 11.999")
	if n := r.world(aria.Object + ".refs()"); len(n) > 4 || n > "7000" && len(n) == 4 {
		t.Errorf("%s refs are kept for 1,002 elements", n)
	}
}

// A page whose script never ends costs one bound, whatever waits for it.
func TestEndlessScriptCostsOneBound(t *testing.T) {
	o := patience
	o.HangMax, o.ReadyMax, o.StepMax = time.Second, 2*time.Minute, 2*time.Minute
	r := with(t, o)
	r.goTo("/one")
	begun := time.Now()
	r.fails(act(session.VerbEvaluate, "js", "for (;;);"), "does not answer")
	if d := time.Since(begun); d > time.Minute { // of the two minutes of the others
		t.Errorf("it took %s", d)
	}
	r.b.opts.HangMax = time.Minute
	has(t, r.goTo("/two"), `button "two"`)
	r.b.opts.HangMax = time.Second
	// Acting on a page that was never done loading has the same bound.
	r.b.opts.Settle.NavigateMax, r.b.opts.ReadyMax = time.Second, time.Second
	r.do(act(session.VerbGoto, "url", site.URL+page(`<button>stuck</button><script>for (;;);</script>`)))
	begun = time.Now()
	r.fails(act(session.VerbClick, "role", "button"), "does not answer")
	if d := time.Since(begun); d > time.Minute {
		t.Errorf("the click took %s", d)
	}
	r.b.opts.HangMax, r.b.opts.ReadyMax, r.b.opts.Settle.NavigateMax = time.Minute, time.Minute, time.Minute
	has(t, r.goTo("/two"), `button "two"`)
}

// A script that never ends while the page is read ends the step long before the
// document's own bound, and a server that is slow does not.
func TestEndlessScriptWhileLoading(t *testing.T) {
	o := patience
	o.HangMax, o.StepMax, o.Settle.NavigateMax = time.Second, 2*time.Minute, 2*time.Minute
	r := with(t, o)
	begun := time.Now()
	r.fails(act(session.VerbGoto, "url", site.URL+page(`<button>stuck</button><script>for (;;);</script>`)), "does not answer")
	if d := time.Since(begun); d > time.Minute {
		t.Errorf("it took %s of a navigation's %s", d, r.b.opts.Settle.NavigateMax)
	}
	r.b.opts.HangMax = 4 * time.Second
	has(t, r.goTo("/two"), `button "two"`)
	has(t, r.goTo(page(`<script src="/slow.js?ms=6000"></script><h1>Slow</h1>`)), `heading "Slow"`)
}
