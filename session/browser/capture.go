package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"snapscope/snapshot"
	"snapscope/snapshot/aria"
	"snapscope/snapshot/notation"
)

// CaptureOptions are what one capture may be asked for.
type CaptureOptions struct {
	Boxes bool // print [box=x,y,w,h] behind each ref
	Rects bool // fill Snapshot.Boxes
	// Exact gives the text as Playwright's tools give it to an agent: passwords in
	// clear, and nothing of closed shadow roots. Such a text belongs in no file.
	Exact bool
}

// Snapshot captures the current tab as it is, without waiting for anything. The
// duration is that of the capture alone: from the first message to the text in
// hand.
func (b *Browser) Snapshot(ctx context.Context, o CaptureOptions) (*snapshot.Snapshot, time.Duration, error) {
	ctx, done, err := b.begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	t, err := b.tab(ctx)
	if err != nil {
		return nil, 0, err
	}
	begun := time.Now()
	snap, err := b.capture(ctx, t, o)
	return snap, time.Since(begun), err
}

// capture makes a snapshot of a tab: every frame by its own script, in
// parallel, put together.
func (b *Browser) capture(ctx context.Context, t *tab, o CaptureOptions) (*snapshot.Snapshot, error) {
	b.mu.Lock()
	root := t.root
	b.mu.Unlock()
	if err := b.held(t); err != nil {
		return nil, err
	}
	if root == nil {
		return nil, errNoWorld
	}
	ctx, cancel := context.WithTimeoutCause(ctx, b.opts.captureMax(), errSlowPage)
	defer cancel()
	c := &capturing{b: b, o: o}
	a, err := c.frame(ctx, root, 0)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := &snapshot.Snapshot{
		URL: shortURL(a.URL), Title: clip(a.Title, maxTitle), Text: a.Text, Hash: snapshot.HashText(a.Text), Dialect: notation.Aria,
		Elements: a.Elements, Tab: b.indexOf(t), Document: root.loader, Viewport: c.viewport, Notes: append(c.notes, a.Notes...),
	}
	if o.Rects {
		s.Boxes = a.Boxes
	}
	return s, nil
}

// Bounds of what a page says of itself, in characters: both stand in every step
// of a recording.
const (
	maxTitle = 500
	maxURL   = 4000
)

// shortURL is an address that fits into a recording.
func shortURL(u string) string {
	if strings.HasPrefix(u, "data:") {
		return clip(u, 200)
	}
	return clip(u, maxURL)
}

// errSlowPage is a page whose capture does not come to its end, whatever the
// reason.
var errSlowPage = errors.New("its capture does not come to an end: the page is too large, or a script in it keeps the browser busy")

// held is the error of a page that an open dialog holds.
func (b *Browser) held(t *tab) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.dialog != nil {
		return fmt.Errorf("%s is open and holds the page", t.dialog)
	}
	return nil
}

// capturing is one capture under way.
type capturing struct {
	b *Browser
	o CaptureOptions

	mu       sync.Mutex
	notes    []string
	viewport snapshot.Size
}

func (c *capturing) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// maxDepth is how deep frames may nest: a page that frames itself must end.
const maxDepth = 20

// frame captures one frame and all in it. The frames that stood in the last
// capture are begun at the same time as their parent; others when it has named
// them.
func (c *capturing) frame(ctx context.Context, f *frame, depth int) (aria.Answer, error) {
	c.b.mu.Lock()
	if f.lost {
		c.b.mu.Unlock()
		return aria.Answer{}, errLost
	}
	prefix := f.prefix()
	begun := map[*frame]func() (aria.Answer, error){}
	if depth < maxDepth {
		for _, child := range f.children {
			if child.shown {
				begun[child] = c.child(ctx, child, depth)
			}
		}
	}
	c.b.mu.Unlock()
	if !c.o.Exact {
		if err := c.b.findClosed(ctx, f); err != nil && !contextLost(err) {
			return aria.Answer{}, err
		}
	}
	a, err := c.own(ctx, f, prefix, depth == 0)
	if err != nil || len(a.Frames) == 0 || depth == maxDepth {
		return a, err
	}
	return c.join(ctx, f, a, begun, depth)
}

// own is the frame's own answer, its iframes bare lines.
func (c *capturing) own(ctx context.Context, f *frame, prefix string, main bool) (aria.Answer, error) {
	o, err := json.Marshal(aria.Options{Prefix: prefix, Boxes: c.o.Boxes, Rects: c.o.Rects, Exact: c.o.Exact, Millis: int(c.b.opts.ReadMax.Milliseconds()), Max: c.b.opts.MaxText})
	if err != nil {
		return aria.Answer{}, err
	}
	expr := aria.Object + ".capture(" + string(o) + ")"
	if main {
		expr = `innerWidth+" "+innerHeight+"\n"+` + expr
	}
	r, err := c.b.eval(ctx, f, evaluation{Expression: expr, ByValue: true})
	if err != nil {
		return aria.Answer{}, err
	}
	raw, err := r.text()
	if err != nil {
		return aria.Answer{}, err
	}
	if main {
		var n int
		if _, err := fmt.Sscanf(raw, "%d %d\n", &c.viewport.W, &c.viewport.H); err != nil {
			return aria.Answer{}, fmt.Errorf("the page's viewport: %w", err)
		}
		for n < len(raw) && raw[n] != '\n' {
			n++
		}
		raw = raw[n+1:]
	}
	return aria.Decode(raw)
}

// child begins the capture of a frame; the function waits for its end.
func (c *capturing) child(ctx context.Context, f *frame, depth int) func() (aria.Answer, error) {
	var a aria.Answer
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeoutCause(ctx, c.b.opts.ReadyMax, errBusyPage)
		defer cancel()
		a, err = c.frame(ctx, f, depth+1)
	}()
	return func() (aria.Answer, error) {
		<-done
		return a, err
	}
}

// join finds which frame stands behind each iframe line and nests its answer
// there. One that cannot be reached stays a bare line.
func (c *capturing) join(ctx context.Context, f *frame, a aria.Answer, begun map[*frame]func() (aria.Answer, error), depth int) (aria.Answer, error) {
	places := make([]place, len(a.Frames))
	var wg sync.WaitGroup
	for i, line := range a.Frames {
		wg.Go(func() { places[i] = c.place(ctx, f, line.Ref) })
	}
	wg.Wait()
	if err := ctxErr(ctx); err != nil {
		return a, err
	}
	c.b.mu.Lock()
	for _, child := range f.children {
		child.shown = false
	}
	for _, p := range places {
		if p.frame == nil {
			continue
		}
		p.frame.shown = true
		if begun[p.frame] == nil {
			begun[p.frame] = c.child(ctx, p.frame, depth)
		}
	}
	c.b.mu.Unlock()
	children := map[string]aria.Answer{}
	for i, p := range places {
		ref := a.Frames[i].Ref
		if p.frame == nil {
			if ref != "" {
				c.note("frame %s could not be reached", ref)
			}
			continue
		}
		child, err := begun[p.frame]()
		switch {
		case err == nil:
			children[ref] = child.Moved(p.x, p.y)
		case ctxErr(ctx) != nil:
			return a, ctxErr(ctx)
		case errors.Is(err, errBusyPage):
			c.note("frame %s did not answer within %s", ref, seconds(c.b.opts.ReadyMax))
		case errors.Is(err, errLost):
			c.note("frame %s crashed", ref)
		default:
			c.note("frame %s could not be reached", ref)
		}
	}
	return aria.Join(a, children), nil
}

// place is the frame behind an iframe and where its content begins in the
// viewport of the document around it.
type place struct {
	frame *frame
	x, y  int
}

// place finds the frame of an iframe by the iframe's ref. Once found it is
// known: refs are not given twice in a document.
func (c *capturing) place(ctx context.Context, f *frame, ref string) place {
	c.b.mu.Lock()
	var known *frame
	for _, child := range f.children {
		if child.owner == ref {
			known = child
		}
	}
	c.b.mu.Unlock()
	if ref == "" || (known != nil && !c.o.Rects) {
		return place{frame: known}
	}
	r, err := c.b.eval(ctx, f, evaluation{Expression: aria.Object + ".element(" + jsString(ref) + ")"})
	if err != nil || r.Object == "" {
		return place{frame: known}
	}
	c.b.mu.Lock()
	session := f.session
	c.b.mu.Unlock()
	p := place{frame: known}
	if known == nil {
		p.frame = c.b.contentFrame(ctx, f, session, r.Object)
		if p.frame == nil {
			return p
		}
		c.b.mu.Lock()
		p.frame.owner = ref
		c.b.mu.Unlock()
	}
	if c.o.Rects {
		p.x, p.y = c.b.contentOrigin(ctx, session, r.Object)
	}
	return p
}

// contentFrame is the frame an iframe element holds.
func (b *Browser) contentFrame(ctx context.Context, f *frame, session, object string) *frame {
	raw, err := b.link.call(ctx, session, "DOM.describeNode", proto.DOMDescribeNode{ObjectID: proto.RuntimeRemoteObjectID(object)})
	if err != nil {
		return nil
	}
	var d struct {
		Node struct {
			Frame proto.PageFrameID `json:"frameId"`
		} `json:"node"`
	}
	if json.Unmarshal(raw, &d) != nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return f.tab.frames[d.Node.Frame]
}

// contentOrigin is where an iframe's content begins, in its document's viewport.
func (b *Browser) contentOrigin(ctx context.Context, session, object string) (x, y int) {
	r, err := b.callOn(ctx, session, object, `function(){
		const r = this.getBoundingClientRect(), s = getComputedStyle(this);
		return [Math.round(r.x + this.clientLeft + parseFloat(s.paddingLeft)), Math.round(r.y + this.clientTop + parseFloat(s.paddingTop))];
	}`, true)
	var at [2]int
	if err != nil || json.Unmarshal(r.Value, &at) != nil {
		return 0, 0
	}
	return at[0], at[1]
}
