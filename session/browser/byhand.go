package browser

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"snapscope/session"
)

// byHand waits in a document until a person does something to it. Events that the
// page's own script makes up are not trusted (DOM Standard, isTrusted), those of a
// mouse and a keyboard are; between two steps nobody else sends any. The listeners
// live in our isolated world: the page cannot see them.
const byHand = `(() => {
  globalThis.__snapscopeHand?.abort();
  const off = globalThis.__snapscopeHand = new AbortController();
  return new Promise(done => {
    off.signal.addEventListener("abort", () => done("off"));
    for (const kind of ["pointerdown", "keydown", "input", "change", "drop", "paste"])
      globalThis.addEventListener(kind, e => { if (e.isTrusted) { done(kind); off.abort() } }, {capture: true, passive: true, signal: off.signal});
  });
})()`

var _ session.Watcher = (*Browser)(nil)

// handFrames bounds how many frames of a page are watched.
const handFrames = 40

// Watch waits between two steps until a person has done something to the page in
// the browser's own window: used mouse or keyboard in it, or gone to another one.
// The error is ctx's, or says that the browser is gone.
func (b *Browser) Watch(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.life, func() { cancel(context.Cause(b.life)) })()
	b.mu.Lock()
	t := b.current
	var frames []*frame
	was := ""
	if t != nil && t.root != nil {
		was = t.root.loader
		for _, f := range t.frames {
			if f == t.root || f.shown {
				frames = append(frames, f)
			}
		}
	}
	b.mu.Unlock()
	touched := make(chan struct{}, 1)
	for _, f := range frames[:min(len(frames), handFrames)] {
		go func() {
			session, world, err := b.enter(ctx, f)
			if err != nil {
				return
			}
			got, err := decodeEvaluated(b.link.call(ctx, session, "Runtime.evaluate",
				evaluation{Expression: byHand, Context: world, Await: true, ByValue: true}))
			if kind, terr := got.text(); err == nil && terr == nil && kind != "off" {
				select {
				case touched <- struct{}{}:
				default:
				}
			}
		}()
	}
	for {
		b.mu.Lock()
		changed := b.changed
		gone := t != nil && (b.current != t || t.root != nil && t.root.loader != was)
		b.mu.Unlock()
		if gone {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-touched:
			return nil
		case <-changed:
		}
	}
}

// Tab is an open page of the browser.
type Tab struct {
	Index      int // as the tab action counts
	URL, Title string
	Current    bool
}

// Tabs lists the open pages.
func (b *Browser) Tabs(ctx context.Context) ([]Tab, error) {
	infos, err := b.targets(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []Tab
	for _, info := range infos {
		if t := b.byTarget[info.TargetID]; t != nil {
			out = append(out, Tab{b.indexOf(t), info.URL, info.Title, t == b.current})
		}
	}
	slices.SortFunc(out, func(x, y Tab) int { return x.Index - y.Index })
	return out, nil
}

// lookMax is how long one tab may take to say whether it is seen.
const lookMax = 500 * time.Millisecond

// joined is the tab that a person is on in a browser that is not ours: the one that
// has the focus, else one that is seen, else the newest. Pages of the browser's
// own (its settings, its developer tools) are none.
func (b *Browser) joined(ctx context.Context) (*tab, error) {
	infos, err := b.targets(ctx)
	if err != nil {
		return nil, err
	}
	var best *tab
	most := ""
	for _, info := range infos {
		b.mu.Lock()
		t := b.byTarget[info.TargetID]
		b.mu.Unlock()
		if t == nil || ofBrowser(info.URL) {
			continue
		}
		seen := b.sightOf(ctx, t)
		if best == nil || seen > most {
			best, most = t, seen
		}
	}
	if best == nil {
		return nil, errors.New("no page is open in it; give a URL to open one")
	}
	return best, nil
}

// sightOf is how much of a tab a person sees: "" nothing, then "1 seen", "2 focus".
func (b *Browser) sightOf(ctx context.Context, t *tab) string {
	ctx, cancel := context.WithTimeout(ctx, lookMax)
	defer cancel()
	if b.readyWithin(ctx, t, lookMax) != nil {
		return ""
	}
	b.mu.Lock()
	session := t.session
	b.mu.Unlock()
	got, err := decodeEvaluated(b.link.call(ctx, session, "Runtime.evaluate",
		evaluation{Expression: `document.hasFocus() ? "2 focus" : document.visibilityState === "visible" ? "1 seen" : ""`, ByValue: true}))
	if err != nil {
		return ""
	}
	text, _ := got.text()
	return text
}

func ofBrowser(url string) bool {
	for _, p := range []string{"devtools://", "chrome://", "chrome-extension://", "chrome-untrusted://"} {
		if strings.HasPrefix(url, p) {
			return true
		}
	}
	return false
}
