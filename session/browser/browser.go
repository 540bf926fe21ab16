package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"snapscope/session"
	"snapscope/snapshot"
)

// Options say how a browser is started and how patient a session is. The zero
// value is a headless browser of 1280×720 with the bounds named below.
type Options struct {
	Path     string        // the browser's command; empty: the first that Find finds
	Headful  bool          // show a window
	Viewport snapshot.Size // CSS pixels; zero: 1280×720 when launched, as it is when attached to
	Args     []string      // more switches for the browser's command line
	Boxes    bool          // fill Snapshot.Boxes at every step
	Marks    bool          // print [box=x,y,w,h] behind each ref of every step's snapshot
	Exact    bool          // see CaptureOptions; for captures that nobody records
	MaxText  int           // characters of text a capture is cut at; 0: 4,000,000
	Join     bool          // attached: begin on the tab that a person is on, not on a new one
	Apart    bool          // attached: in a browser context of its own, with its own cookies and storage, gone at the end
	Shots    string        // folder of screenshots that were given no file name; empty: the current one

	Settle   Settle        // how a page is waited for between an action and its capture; zero: Quick
	FindMax  time.Duration // until an element is there and can be acted on: 3 s
	WaitMax  time.Duration // for what a wait action waits for: 10 s
	ReadyMax time.Duration // for a new tab, or a frame, to answer at all: 5 s
	ReadMax  time.Duration // a page that takes longer to be read is captured in part, with a note: 8 s
	HangMax  time.Duration // a page whose thread answers nothing for so long ends the step: 12 s
	StepMax  time.Duration // for a whole step: 90 s
}

func (o Options) filled(launched bool) Options {
	if launched && o.Viewport == (snapshot.Size{}) {
		o.Viewport = snapshot.Size{W: 1280, H: 720}
	}
	o.Settle = o.Settle.filled()
	if o.MaxText == 0 {
		o.MaxText = 4_000_000
	}
	for _, d := range []struct {
		p *time.Duration
		v time.Duration
	}{
		{&o.FindMax, 3 * time.Second},
		{&o.WaitMax, 10 * time.Second},
		{&o.ReadyMax, 5 * time.Second},
		{&o.ReadMax, 8 * time.Second},
		{&o.HangMax, 12 * time.Second},
		{&o.StepMax, 90 * time.Second},
	} {
		if *d.p == 0 {
			*d.p = d.v
		}
	}
	return o
}

// captureMax bounds a capture, all frames together.
func (o Options) captureMax() time.Duration { return 2 * (o.ReadyMax + o.ReadMax) }

// Browser is a Chromium being driven. It is a session.Driver. Do, Snapshot and
// Screenshot may be called from several goroutines; steps take turns.
type Browser struct {
	opts Options
	link *link
	proc *process // nil: attached to
	life context.Context
	stop func(error) // ends life

	where   string                        // the endpoint; empty: launched
	context proto.BrowserBrowserContextID // a session's own; empty: the browser's

	turn  chan struct{} // holds one value while a step runs
	close sync.Once
	cerr  error

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced after every change
	tabs      []*tab
	byTarget  map[proto.TargetTargetID]*tab
	bySession map[string]*tab
	current   *tab
	made      []proto.TargetTargetID            // tabs opened in a browser that is not ours
	armed     *proto.PageHandleJavaScriptDialog // how the next dialog is answered
	step      context.CancelCauseFunc           // ends the calls of the running step
	steps     int
	begun     time.Time     // of the running step; zero: none runs
	bound     time.Duration // of the running step
	phase     phase
	notes     []string // for Result.Events
	downloads map[string]*download
	seen      memory
	shots     int
	took      time.Duration // the last step's capture
}

type download struct{ name string }

// Bounds of what one result reports.
const (
	maxNotes   = 50
	maxConsole = 100
	maxNote    = 1000 // characters of one
	maxEndless = 1000 // addresses known to be streams
)

// Why the calls of a step were ended.
var (
	errDialog    = errors.New("a dialog is open")
	errCrashed   = errors.New("the page crashed; reload it or go somewhere else")
	errTabClosed = errors.New("the tab was closed")
)

var _ session.Driver = (*Browser)(nil)

// Launch starts a browser with a fresh profile. ctx bounds its whole life: when
// it ends, the browser is closed as by Close.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	path := o.Path
	if path == "" {
		found, err := Find("")
		if err != nil {
			return nil, err
		}
		path = found
	}
	o = o.filled(true)
	proc, w, err := start(path, o.switches())
	if err != nil {
		return nil, err
	}
	b := newBrowser(ctx, o, w, proc)
	if err := b.open(ctx); err != nil {
		why := ""
		if proc.waitExit(0) || errors.Is(err, ErrGone) { // what it said last is why
			why = proc.last.why()
		}
		_ = b.Close() // the error that counts is the first
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if why != "" {
			return nil, fmt.Errorf("the browser %s did not start: %s", path, why)
		}
		return nil, fmt.Errorf("the browser %s did not start: %w", path, err)
	}
	return b, nil
}

// Attach connects to a running browser. The session gets a tab of its own unless
// Options.Join is set; the tabs that are there can be switched to. Close closes what
// the session opened and leaves the rest.
func Attach(ctx context.Context, e Endpoint, o Options) (*Browser, error) {
	w, err := e.dial(ctx)
	if err != nil {
		return nil, err
	}
	b := newBrowser(ctx, o.filled(false), w, nil)
	b.where = e.String()
	if err := b.open(ctx); err != nil {
		_ = b.Close() // the error that counts is the first
		return nil, fmt.Errorf("attaching to %s: %w", e, err)
	}
	return b, nil
}

// Where is the endpoint of a browser that was attached to, without what opens it;
// empty for one that was launched.
func (b *Browser) Where() string { return b.where }

func newBrowser(ctx context.Context, o Options, w wire, proc *process) *Browser {
	b := &Browser{
		opts: o, proc: proc, changed: make(chan struct{}), turn: make(chan struct{}, 1),
		byTarget: map[proto.TargetTargetID]*tab{}, bySession: map[string]*tab{},
		downloads: map[string]*download{},
	}
	life, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	b.life, b.stop = life, stop
	b.link = newLink(w, b.event)
	context.AfterFunc(ctx, func() { _ = b.Close() })
	go func() { // the browser may go first
		select {
		case <-b.link.done:
			stop(b.link.reason())
		case <-life.Done():
		}
	}()
	b.link.start() // its events find the link in its place
	return b
}

// startMax is how long a browser may take to start: a cold one on a busy
// machine takes its time.
const startMax = 30 * time.Second

// open makes the session's first tab.
func (b *Browser) open(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startMax)
	defer cancel()
	if b.proc != nil {
		b.link.post("", "Browser.setDownloadBehavior", proto.BrowserSetDownloadBehavior{
			Behavior: proto.BrowserSetDownloadBehaviorBehaviorAllow, DownloadPath: b.proc.downloads(), EventsEnabled: true,
		})
		b.link.post("", "Target.setAutoAttach", proto.TargetSetAutoAttach{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true,
			Filter: proto.TargetTargetFilter{{Type: "page"}},
		})
	} else if err := b.join(ctx); err != nil {
		return err
	}
	b.link.post("", "Target.setDiscoverTargets", proto.TargetSetDiscoverTargets{
		Discover: true, Filter: proto.TargetTargetFilter{{Type: "page"}},
	})
	t, err := b.first(ctx)
	if err != nil {
		return err
	}
	b.mu.Lock()
	b.current = t
	b.mu.Unlock()
	return nil
}

// first is the session's first tab: a new one, or the one that a person is on.
func (b *Browser) first(ctx context.Context) (*tab, error) {
	if b.proc != nil || !b.opts.Join {
		return b.makeTab(ctx, startMax)
	}
	t, err := b.joined(ctx)
	if err != nil {
		return nil, err
	}
	return t, b.readyWithin(ctx, t, startMax)
}

// join makes a context of the session's own in a browser that is not ours, or
// lists the tabs that are there.
func (b *Browser) join(ctx context.Context) error {
	if !b.opts.Apart {
		return b.existing(ctx)
	}
	raw, err := b.link.call(ctx, "", "Target.createBrowserContext", proto.TargetCreateBrowserContext{DisposeOnDetach: true})
	if err != nil {
		return fmt.Errorf("making a browser context: %w", err)
	}
	var res proto.TargetCreateBrowserContextResult
	if err := json.Unmarshal(raw, &res); err != nil || res.BrowserContextID == "" {
		return errors.New("making a browser context: the browser names none")
	}
	b.mu.Lock()
	b.context = res.BrowserContextID
	b.mu.Unlock()
	return nil
}

// existing lists the tabs of a browser that is not ours. They are attached to
// when somebody switches to them.
func (b *Browser) existing(ctx context.Context) error {
	pages, err := b.targets(ctx)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, info := range pages {
		b.newTab(info, "")
	}
	return nil
}

// targets asks for the browser's pages.
func (b *Browser) targets(ctx context.Context) ([]*proto.TargetTargetInfo, error) {
	raw, err := b.link.call(ctx, "", "Target.getTargets", nil)
	if err != nil {
		return nil, err
	}
	var res proto.TargetGetTargetsResult
	if err := json.Unmarshal(raw, &res); err != nil {
		return nil, fmt.Errorf("the browser's list of tabs: %w", err)
	}
	return slices.DeleteFunc(res.TargetInfos, func(i *proto.TargetTargetInfo) bool {
		return i.Type != proto.TargetTargetInfoTypePage
	}), nil
}

// makeTab opens a blank tab and waits until it can be worked with.
func (b *Browser) makeTab(ctx context.Context, limit time.Duration) (*tab, error) {
	raw, err := b.link.call(ctx, "", "Target.createTarget", proto.TargetCreateTarget{URL: "about:blank", BrowserContextID: b.context})
	if err != nil {
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	var res proto.TargetCreateTargetResult
	if err := json.Unmarshal(raw, &res); err != nil {
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	b.mu.Lock()
	t := b.byTarget[res.TargetID]
	if t == nil {
		t = b.newTab(&proto.TargetTargetInfo{TargetID: res.TargetID}, "")
	}
	if b.proc == nil {
		b.made = append(b.made, res.TargetID)
	}
	b.mu.Unlock()
	return t, b.readyWithin(ctx, t, limit)
}

// ready waits until a tab is set up, attaching to it first if nobody has.
func (b *Browser) ready(ctx context.Context, t *tab) error {
	return b.readyWithin(ctx, t, b.opts.ReadyMax)
}

func (b *Browser) readyWithin(ctx context.Context, t *tab, limit time.Duration) error {
	b.mu.Lock()
	attach := t.session == "" && !t.asked && b.proc == nil
	t.asked = t.asked || attach
	b.mu.Unlock()
	if attach {
		if _, err := b.link.call(ctx, "", "Target.attachToTarget",
			proto.TargetAttachToTarget{TargetID: t.target, Flatten: true}); err != nil {
			return fmt.Errorf("attaching to the tab: %w", err)
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		errors.New("the tab does not answer (a dialog may be open in it)"))
	defer cancel()
	select {
	case <-t.ready:
		b.mu.Lock()
		defer b.mu.Unlock()
		return t.initErr
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-b.life.Done():
		return context.Cause(b.life)
	}
}

// Close ends the browser and leaves no process and no folder behind. One that
// was attached to goes on without the tabs the session opened.
func (b *Browser) Close() error {
	b.close.Do(func() {
		b.stop(ErrGone)
		if b.proc != nil {
			var ask func()
			if b.opts.Headful {
				ask = func() { b.link.post("", "Browser.close", nil) }
			}
			b.cerr = b.proc.end(ask)
			b.link.close()
			return
		}
		b.closeMade()
		b.link.close()
	})
	return b.cerr
}

// closeMade closes the tabs the session opened in a browser that is not ours,
// and waits a moment until they are closed.
func (b *Browser) closeMade() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	b.mu.Lock()
	for _, id := range b.made {
		b.link.post("", "Target.closeTarget", proto.TargetCloseTarget{TargetID: id})
	}
	own := b.context
	b.mu.Unlock()
	if own != "" { // closes what else is in it
		_, _ = b.link.call(ctx, "", "Target.disposeBrowserContext", proto.TargetDisposeBrowserContext{BrowserContextID: own})
	}
	for {
		b.mu.Lock()
		left := false
		for _, id := range b.made {
			left = left || b.byTarget[id] != nil
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-b.link.done:
			return
		default:
		}
		if !left || pause(ctx, changed, 100*time.Millisecond) != nil {
			return
		}
	}
}

// Settle is how pages are waited for before they are captured.
func (b *Browser) Settle() Settle { return b.opts.Settle }

// Alive reports whether the browser is still there.
func (b *Browser) Alive() bool { return b.life.Err() == nil }

// switches is the browser's command line. Each group has its reason.
func (o Options) switches() []string {
	out := []string{
		// A fresh profile must ask nothing and offer nothing.
		"--no-first-run", "--no-default-browser-check", "--disable-default-apps", "--disable-extensions",
		"--disable-search-engine-choice-screen", "--disable-infobars", "--password-store=basic", "--use-mock-keychain",
		"--no-startup-window", "--no-service-autorun", "--disable-prompt-on-repost", "--disable-popup-blocking",
		// What a page gets is what its server sent: no traffic of the browser's own.
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-field-trial-config", "--disable-breakpad", "--metrics-recording-only", "--disable-pings",
		"--disable-component-extensions-with-background-pages",
		"--disable-features=Translate,OptimizationHints,MediaRouter,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable," +
			"LensOverlay,PaintHolding,NetworkTimeServiceQuerying,PreconnectToSearch,DestroyProfileOnBrowserClose",
		// A page that nobody looks at runs as fast as one that somebody does.
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding", "--disable-hang-monitor", "--disable-ipc-flooding-protection",
		"--allow-pre-commit-input",
		// The same page gives the same picture and the same boxes everywhere.
		"--force-color-profile=srgb", "--hide-scrollbars", "--mute-audio", "--disable-gpu",
		// Going back loads the page again, as agents' drivers have it.
		"--disable-back-forward-cache",
		// Shared memory of containers is often too small for a large page.
		"--disable-dev-shm-usage",
	}
	if !o.Headful {
		out = append(out, "--headless",
			"--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4")
	}
	if isRoot() && runtime.GOOS != "windows" {
		out = append(out, "--no-sandbox") // Chromium does not start as root with its sandbox
	}
	if v := o.Viewport; v.W > 0 && v.H > 0 {
		out = append(out, fmt.Sprintf("--window-size=%d,%d", v.W, v.H))
	}
	return append(out, o.Args...)
}
