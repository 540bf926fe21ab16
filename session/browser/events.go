package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// handlers is what we do about each event we care for. They run in the
// goroutine that reads the link, with the lock held: they change state and post
// messages, and never wait. What the table does not name is not even decoded.
var handlers = map[string]func(b *Browser, session string, params []byte){
	"Target.attachedToTarget":           onSession((*Browser).onAttached),
	"Target.detachedFromTarget":         on((*Browser).onDetached),
	"Target.targetCreated":              on((*Browser).onTargetCreated),
	"Target.targetDestroyed":            on((*Browser).onTargetDestroyed),
	"Inspector.targetCrashed":           onTab((*Browser).onCrashed),
	"Page.frameAttached":                onTab((*Browser).onFrameAttached),
	"Page.frameDetached":                onTab((*Browser).onFrameDetached),
	"Page.frameNavigated":               onTab((*Browser).onFrameNavigated),
	"Page.navigatedWithinDocument":      onTab((*Browser).onWithinDocument),
	"Page.frameRequestedNavigation":     onTab((*Browser).onRequestedNavigation),
	"Page.frameStartedLoading":          onTab((*Browser).onStartedLoading),
	"Page.frameStoppedLoading":          onTab((*Browser).onStoppedLoading),
	"Page.lifecycleEvent":               onTab((*Browser).onLifecycle),
	"Page.javascriptDialogOpening":      onTab((*Browser).onDialogOpening),
	"Page.javascriptDialogClosed":       onTab((*Browser).onDialogClosed),
	"Page.windowOpen":                   onTab((*Browser).onWindowOpen),
	"Page.fileChooserOpened":            onTab((*Browser).onFileChooser),
	"Runtime.executionContextCreated":   onTab((*Browser).onContextCreated),
	"Runtime.executionContextDestroyed": onTab((*Browser).onContextDestroyed),
	"Runtime.executionContextsCleared":  onTab((*Browser).onContextsCleared),
	"Runtime.consoleAPICalled":          onTab((*Browser).onConsole),
	"Runtime.exceptionThrown":           onTab((*Browser).onException),
	"Log.entryAdded":                    onTab((*Browser).onLog),
	"Network.requestWillBeSent":         onTab((*Browser).onRequest),
	"Network.responseReceived":          onTab((*Browser).onResponse),
	"Network.loadingFinished":           onTab((*Browser).onFinished),
	"Network.loadingFailed":             onTab((*Browser).onFailed),
	"Input.dragIntercepted":             onTab((*Browser).onDragIntercepted),
	"Page.downloadWillBegin":            onTab((*Browser).onPageDownload),
	"Browser.downloadWillBegin":         on((*Browser).onDownload),
	"Browser.downloadProgress":          on((*Browser).onDownloadProgress),
}

func on[E any](f func(*Browser, *E)) func(*Browser, string, []byte) {
	return func(b *Browser, _ string, params []byte) {
		e := new(E)
		if json.Unmarshal(params, e) == nil {
			f(b, e)
		}
	}
}

func onSession[E any](f func(*Browser, string, *E)) func(*Browser, string, []byte) {
	return func(b *Browser, session string, params []byte) {
		e := new(E)
		if json.Unmarshal(params, e) == nil {
			f(b, session, e)
		}
	}
}

func onTab[E any](f func(*Browser, *tab, string, *E)) func(*Browser, string, []byte) {
	return func(b *Browser, session string, params []byte) {
		t := b.bySession[session]
		e := new(E)
		if t != nil && json.Unmarshal(params, e) == nil {
			f(b, t, session, e)
		}
	}
}

// event applies one event and wakes whoever waits for a change.
func (b *Browser) event(session, method string, params []byte) {
	h := handlers[method]
	if h == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h(b, session, params)
	close(b.changed)
	b.changed = make(chan struct{})
}

func (b *Browser) onFrameAttached(t *tab, session string, e *proto.PageFrameAttached) {
	t.attach(e.FrameID, e.ParentFrameID, session)
}

func (b *Browser) onFrameDetached(t *tab, session string, e *proto.PageFrameDetached) {
	f := t.frames[e.FrameID]
	// A frame that goes to another process is not gone, and the process it
	// left has no more say in it.
	if f != nil && f.session == session && e.Reason != proto.PageFrameDetachedReasonSwap {
		t.detach(f)
	} else if f != nil && f.session != session && f.parent != nil && f.parent.session == session &&
		e.Reason != proto.PageFrameDetachedReasonSwap {
		t.detach(f)
	}
}

func (b *Browser) onFrameNavigated(t *tab, session string, e *proto.PageFrameNavigated) {
	if e.Frame == nil {
		return
	}
	f := t.frames[e.Frame.ID]
	if f == nil {
		f = t.attach(e.Frame.ID, e.Frame.ParentID, session)
	}
	t.navigated(f, e.Frame)
}

func (b *Browser) onWithinDocument(t *tab, _ string, e *proto.PageNavigatedWithinDocument) {
	if f := t.frames[e.FrameID]; f != nil {
		f.url, f.requested = e.URL, false
	}
}

func (b *Browser) onRequestedNavigation(t *tab, _ string, e *proto.PageFrameRequestedNavigation) {
	if f := t.frames[e.FrameID]; f != nil && e.Disposition == proto.PageClientNavigationDispositionCurrentTab &&
		!strings.HasPrefix(e.URL, "javascript:") && !strings.HasPrefix(e.URL, "mailto:") {
		f.requested = true
	}
}

func (b *Browser) onStartedLoading(t *tab, _ string, e *proto.PageFrameStartedLoading) {
	if f := t.frames[e.FrameID]; f != nil {
		f.loading, f.from = true, f.loader
	}
}

func (b *Browser) onStoppedLoading(t *tab, _ string, e *proto.PageFrameStoppedLoading) {
	if f := t.frames[e.FrameID]; f != nil {
		f.loading, f.requested = false, false
	}
}

func (b *Browser) onLifecycle(t *tab, _ string, e *proto.PageLifecycleEvent) {
	f := t.frames[e.FrameID]
	if f == nil || f.loader != string(e.LoaderID) {
		return
	}
	switch e.Name {
	case proto.PageLifecycleEventNameDOMContentLoaded:
		f.parsed = true
	case proto.PageLifecycleEventNameLoad:
		f.parsed, f.loaded = true, true
	}
}

// worldName is the name of our isolated world.
const worldName = "snapscope"

func (b *Browser) onContextCreated(t *tab, _ string, e *contextCreated) {
	f := t.frames[proto.PageFrameID(e.Context.AuxData.FrameID)]
	switch {
	case f == nil:
	case e.Context.AuxData.IsDefault:
		f.main, f.mainNumber = e.Context.UniqueID, e.Context.ID
	case e.Context.Name == worldName:
		f.world, f.number, f.script = e.Context.UniqueID, e.Context.ID, false
	}
}

// contextCreated is the part of the event that we need, decoded without maps.
type contextCreated struct {
	Context struct {
		ID       int    `json:"id"`
		UniqueID string `json:"uniqueId"`
		Name     string `json:"name"`
		AuxData  struct {
			IsDefault bool   `json:"isDefault"`
			FrameID   string `json:"frameId"`
		} `json:"auxData"`
	} `json:"context"`
}

func (b *Browser) onContextDestroyed(t *tab, _ string, e *struct {
	UniqueID string `json:"executionContextUniqueId"`
},
) {
	for _, f := range t.frames {
		switch e.UniqueID {
		case f.world:
			f.world, f.script = "", false
		case f.main:
			f.main = ""
		}
	}
}

func (b *Browser) onContextsCleared(t *tab, session string, _ *struct{}) {
	for _, f := range t.frames {
		if f.session == session {
			f.forget()
		}
	}
}

func (b *Browser) onCrashed(t *tab, session string, _ *struct{}) {
	if session == t.session {
		t.crashed = true
		t.dialog = nil
		t.open = map[string]*request{}
		b.interrupt(t, errCrashed)
		return
	}
	for _, f := range t.frames { // a frame's own process
		if f.session == session {
			f.forget()
			f.loading, f.requested, f.lost = false, false, true
		}
	}
	b.link.abandon(session, errLost)
}

func (b *Browser) onDialogOpening(t *tab, session string, e *proto.PageJavascriptDialogOpening) {
	d := &dialog{kind: e.Type, message: e.Message, session: session}
	if a := b.armed; a != nil {
		b.armed = nil
		b.link.post(session, "Page.handleJavaScriptDialog", a)
		b.note("%s, %s", d, answerWord(a))
		return
	}
	t.dialog = d
	b.note("%s is open; answer it with dialog accept or dialog dismiss", d)
	b.interrupt(t, errDialog)
}

func (b *Browser) onDialogClosed(t *tab, _ string, _ *proto.PageJavascriptDialogClosed) {
	t.dialog = nil
}

func answerWord(a *proto.PageHandleJavaScriptDialog) string {
	switch {
	case !a.Accept:
		return "dismissed"
	case a.PromptText != "":
		return "accepted with " + quoted(a.PromptText)
	}
	return "accepted"
}

func (b *Browser) onFileChooser(t *tab, session string, e *proto.PageFileChooserOpened) {
	many := e.Mode == proto.PageFileChooserOpenedModeSelectMultiple
	select {
	case t.chooser <- chooser{e.BackendNodeID, session, many}:
	default: // the last one was not answered either
	}
}

func (b *Browser) onDragIntercepted(t *tab, _ string, e *proto.InputDragIntercepted) {
	select {
	case t.dragged <- e.Data:
	default:
	}
}

func (b *Browser) onRequest(t *tab, _ string, e *struct {
	RequestID string                    `json:"requestId"`
	Type      proto.NetworkResourceType `json:"type"`
	Request   struct {
		URL string `json:"url"`
	} `json:"request"`
},
) {
	switch e.Type {
	case proto.NetworkResourceTypeDocument, proto.NetworkResourceTypePreflight:
		return
	}
	if strings.HasPrefix(e.Request.URL, "data:") || strings.HasPrefix(e.Request.URL, "blob:") {
		return
	}
	key, _, _ := strings.Cut(e.Request.URL, "?")
	t.lastAsk = b.steps
	t.open[e.RequestID] = &request{
		key: key, step: b.steps,
		script: e.Type == proto.NetworkResourceTypeXHR || e.Type == proto.NetworkResourceTypeFetch,
	}
}

func (b *Browser) onResponse(t *tab, _ string, e *struct {
	RequestID string                    `json:"requestId"`
	FrameID   proto.PageFrameID         `json:"frameId"`
	Type      proto.NetworkResourceType `json:"type"`
	Response  struct {
		Status   int    `json:"status"`
		Text     string `json:"statusText"`
		MIMEType string `json:"mimeType"`
	} `json:"response"`
},
) {
	if e.Response.MIMEType == "text/event-stream" {
		delete(t.open, e.RequestID)
	}
	if e.Type == proto.NetworkResourceTypeDocument && t.root != nil && e.FrameID == t.root.id {
		t.status = strings.TrimSpace(fmt.Sprintf("%d %s", e.Response.Status, e.Response.Text))
	}
}

func (b *Browser) onFinished(t *tab, _ string, e *struct {
	RequestID string `json:"requestId"`
},
) {
	delete(t.open, e.RequestID)
}

func (b *Browser) onFailed(t *tab, _ string, e *struct {
	RequestID string `json:"requestId"`
},
) {
	delete(t.open, e.RequestID)
}

// onPageDownload hears of downloads in a browser that is not ours: asking the
// browser itself to tell of them would change where it puts them.
func (b *Browser) onPageDownload(_ *tab, _ string, e *proto.BrowserDownloadWillBegin) {
	if b.proc == nil {
		b.onDownload(e)
	}
}

func (b *Browser) onDownload(e *proto.BrowserDownloadWillBegin) {
	name := e.SuggestedFilename
	if name == "" {
		if u, err := url.Parse(e.URL); err == nil {
			name = path.Base(u.Path)
		}
	}
	for _, t := range b.tabs {
		if f := t.frames[e.FrameID]; f != nil {
			f.requested = false // what was asked for turned out to be no document
			b.downloads[e.GUID] = &download{name: name}
			b.note("download of %s began (%s)", quoted(name), e.URL)
			t.download = name
		}
	}
}

func (b *Browser) onDownloadProgress(e *proto.BrowserDownloadProgress) {
	d := b.downloads[e.GUID]
	if d == nil {
		return
	}
	switch e.State {
	case proto.BrowserDownloadProgressStateCompleted:
		b.note("download of %s finished, %.0f bytes", quoted(d.name), e.ReceivedBytes)
	case proto.BrowserDownloadProgressStateCanceled:
		b.note("download of %s was cancelled", quoted(d.name))
	default:
		return
	}
	delete(b.downloads, e.GUID)
}

// interrupt ends the calls of the running step on a tab, with the reason.
func (b *Browser) interrupt(t *tab, cause error) {
	if b.step != nil && b.current == t {
		b.step(cause)
	}
}

// note keeps a sentence for the next result.
func (b *Browser) note(format string, args ...any) {
	if len(b.notes) < maxNotes {
		b.notes = append(b.notes, clip(fmt.Sprintf(format, args...), maxNote))
	}
}
