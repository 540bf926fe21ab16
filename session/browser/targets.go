package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// onAttached takes a new session in: a tab, or a frame in another process. The
// target waits until we have set it up, so that nothing it does goes unseen.
func (b *Browser) onAttached(parent string, e *struct {
	Session string `json:"sessionId"`
	Info    struct {
		proto.TargetTargetInfo
		Parent proto.PageFrameID `json:"parentFrameId"`
	} `json:"targetInfo"`
},
) {
	info := &e.Info.TargetTargetInfo
	switch info.Type {
	case proto.TargetTargetInfoTypePage:
		t := b.byTarget[info.TargetID]
		if t == nil {
			t = b.newTab(info, e.Session)
			t.announce = info.OpenerID != ""
		} else {
			t.session = e.Session
			t.sessions[e.Session] = true
			b.bySession[e.Session] = t
		}
		go b.initTab(t)
	case "iframe":
		t := b.bySession[parent]
		if t == nil {
			break
		}
		t.sessions[e.Session] = true
		b.bySession[e.Session] = t
		f := t.attach(proto.PageFrameID(info.TargetID), e.Info.Parent, e.Session)
		if f.parent == nil && f == t.root {
			break
		}
		b.initFrame(e.Session)
		return
	}
	if info.Type != proto.TargetTargetInfoTypePage {
		b.link.post(e.Session, "Runtime.runIfWaitingForDebugger", nil)
	}
}

// onWindowOpen learns where a new tab will go. It comes before the tab is heard
// of, or after.
func (b *Browser) onWindowOpen(t *tab, _ string, e *proto.PageWindowOpen) {
	for _, o := range b.tabs {
		if o.announce && o.opener == t.target && (o.firstURL == "" || o.firstURL == "about:blank") {
			o.firstURL = e.URL
			return
		}
	}
	t.opening = append(t.opening, e.URL)
}

// arrive waits a moment until the tabs that were opened are where they go, so
// that a result can say where that is.
func (b *Browser) arrive(ctx context.Context) {
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		b.mu.Lock()
		waiting := false
		for _, t := range b.tabs {
			blank := t.root == nil || t.root.url == "" || t.root.url == "about:blank"
			waiting = waiting || t.announce && blank && t.firstURL != "" && t.firstURL != "about:blank"
		}
		changed := b.changed
		b.mu.Unlock()
		if !waiting || pause(ctx, changed, time.Until(end)) != nil {
			return
		}
	}
}

func (b *Browser) onDetached(e *proto.TargetDetachedFromTarget) {
	session := string(e.SessionID)
	t := b.bySession[session]
	if t == nil {
		return
	}
	delete(b.bySession, session)
	delete(t.sessions, session)
	b.link.abandon(session, errNoWorld)
	if session == t.session {
		b.removeTab(t)
		return
	}
	for _, f := range t.frames {
		if f.session == session {
			f.forget()
			f.loading, f.requested = false, false
		}
	}
}

// onTargetCreated attaches to tabs that our tabs opened in a browser that is
// not ours; in our own browser every tab is attached to as it comes.
func (b *Browser) onTargetCreated(e *proto.TargetTargetCreated) {
	info := e.TargetInfo
	if b.proc != nil || info == nil || info.Type != proto.TargetTargetInfoTypePage || info.OpenerID == "" {
		return
	}
	if b.byTarget[info.OpenerID] == nil || b.byTarget[info.TargetID] != nil {
		return
	}
	t := b.newTab(info, "")
	t.announce = true
	if slices.Contains(b.made, info.OpenerID) {
		b.made = append(b.made, info.TargetID)
	}
	b.link.post("", "Target.attachToTarget", proto.TargetAttachToTarget{TargetID: info.TargetID, Flatten: true})
}

func (b *Browser) onTargetDestroyed(e *proto.TargetTargetDestroyed) {
	if t := b.byTarget[e.TargetID]; t != nil {
		b.removeTab(t)
	}
}

func (b *Browser) newTab(info *proto.TargetTargetInfo, session string) *tab {
	t := &tab{
		target: info.TargetID, session: session, opener: info.OpenerID, firstURL: info.URL, ready: make(chan struct{}),
		frames: map[proto.PageFrameID]*frame{}, sessions: map[string]bool{},
		open: map[string]*request{}, endless: map[string]bool{},
		chooser: make(chan chooser, 1), dragged: make(chan *proto.InputDragData, 1),
	}
	if o := b.byTarget[info.OpenerID]; o != nil && len(o.opening) > 0 {
		t.firstURL, o.opening = o.opening[0], o.opening[1:]
	}
	b.tabs = append(b.tabs, t)
	b.byTarget[info.TargetID] = t
	if session != "" {
		t.sessions[session] = true
		b.bySession[session] = t
	}
	return t
}

// removeTab forgets a tab that is closed. The one that opened it, or else its
// neighbour, becomes current.
func (b *Browser) removeTab(t *tab) {
	if t.closed {
		return
	}
	t.closed = true
	i := slices.Index(b.tabs, t)
	b.tabs = slices.Delete(b.tabs, i, i+1)
	delete(b.byTarget, t.target)
	for s := range t.sessions {
		delete(b.bySession, s)
	}
	if t.announce {
		return // it came and went between two results
	}
	b.note("tab %d closed", i)
	if b.current != t {
		return
	}
	b.interrupt(t, errTabClosed)
	b.current = b.byTarget[t.opener]
	if b.current == nil && len(b.tabs) > 0 {
		b.current = b.tabs[max(0, i-1)]
	}
}

// initTab sets a tab's session up: everything is sent at once and only the
// frame tree is waited for.
func (b *Browser) initTab(t *tab) {
	b.mu.Lock()
	session := t.session
	b.mu.Unlock()
	b.enable(session)
	if v := b.opts.Viewport; v.W > 0 && v.H > 0 {
		b.link.post(session, "Emulation.setDeviceMetricsOverride", proto.EmulationSetDeviceMetricsOverride{
			Width: v.W, Height: v.H, DeviceScaleFactor: 1, ScreenWidth: &v.W, ScreenHeight: &v.H,
		})
	}
	err := b.readFrames(t, session)
	b.mu.Lock()
	defer b.mu.Unlock()
	t.initErr = err
	t.isReady = true
	close(t.ready)
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *Browser) initFrame(session string) {
	b.enable(session)
	b.link.post(session, "Runtime.runIfWaitingForDebugger", nil)
}

// enable asks a session for the events we live on.
func (b *Browser) enable(session string) {
	zero := 0
	for _, c := range []struct {
		method string
		params any
	}{
		{"Page.enable", nil},
		{"Page.setLifecycleEventsEnabled", proto.PageSetLifecycleEventsEnabled{Enabled: true}},
		{"Runtime.enable", nil},
		{"Log.enable", nil},
		{"Network.enable", proto.NetworkEnable{MaxTotalBufferSize: &zero, MaxResourceBufferSize: &zero, MaxPostDataSize: &zero}},
		{"Inspector.enable", nil},
		// No window of the system may hold the page; an upload answers it.
		{"Page.setInterceptFileChooserDialog", proto.PageSetInterceptFileChooserDialog{Enabled: true}},
		// A page in the background would not focus what is clicked.
		{"Emulation.setFocusEmulationEnabled", proto.EmulationSetFocusEmulationEnabled{Enabled: true}},
		{"Target.setAutoAttach", proto.TargetSetAutoAttach{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: true,
			Filter: proto.TargetTargetFilter{{Type: "iframe"}},
		}},
	} {
		b.link.post(session, c.method, c.params)
	}
}

// readFrames learns the frames that were there before we were and sets the
// target free.
func (b *Browser) readFrames(t *tab, session string) error {
	ctx, cancel := context.WithTimeout(b.life, startMax)
	defer cancel()
	answer := make(chan reply, 1)
	if _, err := b.link.enqueue(session, "Page.getFrameTree", nil, answer); err != nil {
		return err
	}
	// A page another one opened answers nothing while it is held.
	b.link.post(session, "Runtime.runIfWaitingForDebugger", nil)
	var raw []byte
	select {
	case r := <-answer:
		if r.err != nil {
			return fmt.Errorf("the tab does not answer: %w", r.err)
		}
		raw = r.result
	case <-ctx.Done():
		return errors.New("the tab does not answer (a dialog may be open in it)")
	}
	var res proto.PageGetFrameTreeResult
	if err := json.Unmarshal(raw, &res); err != nil || res.FrameTree == nil {
		return fmt.Errorf("the tab answers nonsense about its frames: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var walk func(n *proto.PageFrameTree)
	walk = func(n *proto.PageFrameTree) {
		if t.frames[n.Frame.ID] == nil {
			f := t.attach(n.Frame.ID, n.Frame.ParentID, session)
			f.url, f.loader = n.Frame.URL+n.Frame.URLFragment, string(n.Frame.LoaderID)
		}
		for _, c := range n.ChildFrames {
			walk(c)
		}
	}
	walk(res.FrameTree)
	return nil
}

// describe is a tab as an event tells of it.
func (t *tab) describe(i int) string {
	u := t.firstURL
	if t.root != nil && t.root.url != "" && t.root.url != "about:blank" {
		u = t.root.url
	}
	if strings.TrimSpace(u) == "" {
		u = "about:blank"
	}
	return fmt.Sprintf("tab %d opened: %s", i, u)
}
