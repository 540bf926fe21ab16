package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"snapscope/session"
)

// phase is what the running step is doing now.
type phase struct {
	doing string
	since time.Time
	limit time.Duration // 0: bounded by the step alone
}

// CaptureTime is how long the last step's capture took, from the first message
// to the text in hand.
func (b *Browser) CaptureTime() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.took
}

var _ session.Teller = (*Browser)(nil)

// Progress says what the running step is doing, for how long, and for how long
// at most; "" when no step runs. It may be called at any time.
func (b *Browser) Progress() string {
	b.mu.Lock()
	p, begun, limit := b.phase, b.begun, b.bound
	b.mu.Unlock()
	if begun.IsZero() {
		return ""
	}
	if p.doing == "" {
		p = phase{"acting", begun, limit}
	}
	if p.limit <= 0 {
		p.limit = limit
	}
	return fmt.Sprintf("%s: %.1f s of at most %s (the whole step: %s)", p.doing, time.Since(p.since).Seconds(), seconds(p.limit), seconds(limit))
}

// capturingPage is what a step does last: its document is no longer waited for.
const capturingPage = "capturing the page"

// loadingHangs is how many times HangMax a page's thread may answer nothing while its
// document is waited for: large scripts are read then, and a page may come to itself.
const loadingHangs = 2

// watch ends the running step when the page's thread answers nothing for long,
// whatever the step is waiting for: the bounds of its parts, one after the
// other, would make it a minute and more. A server that is slow leaves the thread
// free to answer.
func (b *Browser) watch(ctx context.Context) {
	silent := 0 // times in a row
	for wait := b.opts.HangMax / 4; pause(ctx, nil, wait) == nil; {
		b.mu.Lock()
		t := b.current
		var root *frame
		if t != nil && t.isReady && t.dialog == nil {
			root = t.root
		}
		b.mu.Unlock()
		if root == nil {
			continue
		}
		asked, cancel := context.WithTimeoutCause(ctx, b.opts.HangMax, errBusyPage)
		_, err := b.link.call(asked, root.session, "Runtime.evaluate", evaluation{Expression: "0"})
		cancel()
		if !errors.Is(err, errBusyPage) {
			silent = 0
			continue
		}
		silent++
		b.mu.Lock()
		most := 1
		if root.loading && b.phase.doing != "" && b.phase.doing != capturingPage {
			most = loadingHangs
		}
		if t == b.current && t.dialog == nil && silent >= most {
			t.busy = true
			b.interrupt(t, errBusyPage)
		}
		b.mu.Unlock()
	}
}
