package browser

import (
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

// tab is one page target: a session for its main frame and the frames in the
// same process, and one more for each frame in another process. Everything in
// it is guarded by Browser.mu.
type tab struct {
	target   proto.TargetTargetID
	session  string
	opener   proto.TargetTargetID
	firstURL string   // where it was when we first heard of it
	announce bool     // opened by a page, and not yet told of
	opening  []string // addresses of the windows it is about to open
	asked    bool     // attaching to it was asked for
	ready    chan struct{}
	isReady  bool
	initErr  error
	closed   bool
	crashed  bool
	busy     bool     // a script in it did not let us in
	entries  []string // console lines not yet reported
	dropped  int      // console lines that did not fit
	root     *frame
	frames   map[proto.PageFrameID]*frame
	sessions map[string]bool // of this tab, for events of frames in other processes
	seq      int             // number the next frame or main document gets
	dialog   *dialog
	open     map[string]*request // requests in flight, by id
	endless  map[string]bool     // addresses whose answers never end
	lastAsk  int                 // the step that set off the last request
	status   string              // HTTP status of the main document
	download string              // name of the file the running step made the tab download
	chooser  chan chooser
	dragged  chan *proto.InputDragData
}

// dialog is an alert, confirm, prompt or beforeunload that is open.
type dialog struct {
	kind    proto.PageDialogType
	message string
	session string // that told of it and takes the answer
}

func (d *dialog) String() string {
	if d.kind == proto.PageDialogTypeBeforeunload {
		return "beforeunload dialog"
	}
	return fmt.Sprintf("%s dialog %s", d.kind, quoted(d.message))
}

// chooser is a file chooser that the page opened.
type chooser struct {
	node    proto.DOMBackendNodeID
	session string
	many    bool
}

// request is one that a step may have to wait for.
type request struct {
	key  string // address without its query
	step int    // Browser.steps when it began
	// script tells a request that the page's script made for itself.
	script bool
}

// frame is one document's place: the main frame, or an iframe in it.
type frame struct {
	id       proto.PageFrameID
	tab      *tab
	session  string
	parent   *frame
	children []*frame // in the order they were attached
	seq      int      // 0: refs bear no prefix

	url       string
	loader    string
	loading   bool
	from      string // the loader that was there when the loading began
	lost      bool   // its process crashed
	noise     int    // nodes of its session that the search for closed roots could not place
	parsed    bool   // DOMContentLoaded has come
	loaded    bool   // load has come
	requested bool   // a navigation was asked for and has not begun to load

	world      string // unique id of our isolated world's context in the current document
	main       string // unique id of the page's own context
	mainNumber int
	number     int    // the same context's number, where the protocol wants that
	script     bool   // our script is in the world
	shown      bool   // it stood in the last capture
	owner      string // in the parent's last capture, the ref of its iframe
}

// prefix stands before the refs of the frame's elements.
func (f *frame) prefix() string {
	if f.seq == 0 {
		return ""
	}
	return fmt.Sprintf("f%d", f.seq)
}

// attach adds a frame, or moves one to another session: a frame that changes
// its process keeps its number.
func (t *tab) attach(id, parent proto.PageFrameID, session string) *frame {
	if f := t.frames[id]; f != nil {
		if f.session != session {
			f.session = session
			f.forget()
			t.dropChildren(f)
		}
		return f
	}
	f := &frame{id: id, tab: t, session: session, parsed: true, loaded: true}
	if p := t.frames[parent]; p != nil {
		f.parent = p
		p.children = append(p.children, f)
	}
	// Numbers are given as frames come, from one counter a page; the first
	// main document has none.
	f.seq = t.seq
	t.seq++
	t.frames[id] = f
	if parent == "" {
		t.root = f
	}
	return f
}

// forget drops what belonged to the document that was there.
func (f *frame) forget() {
	f.world, f.main, f.script = "", "", false
}

func (t *tab) detach(f *frame) {
	t.dropChildren(f)
	delete(t.frames, f.id)
	if p := f.parent; p != nil {
		for i, c := range p.children {
			if c == f {
				p.children = append(p.children[:i:i], p.children[i+1:]...)
				break
			}
		}
	}
}

func (t *tab) dropChildren(f *frame) {
	for len(f.children) > 0 {
		t.detach(f.children[0])
	}
}

// navigated puts another document into a frame.
func (t *tab) navigated(f *frame, n *proto.PageFrame) {
	t.dropChildren(f)
	// The number of the main frame changes with its document, save where the
	// one that goes was blank (what the reference does, by observation).
	if f == t.root && f.url != "" && f.url != "about:blank" {
		f.seq = t.seq
		t.seq++
	}
	f.url, f.loader = n.URL+n.URLFragment, string(n.LoaderID)
	f.parsed, f.loaded, f.requested = false, false, false
	if f == t.root {
		t.crashed = false
	}
	f.lost = false
	if f == t.root { // what the old document asked for nobody waits for
		clear(t.open)
	}
}

// all lists the frames from the main one down, in tree order.
func (t *tab) all() []*frame {
	var out []*frame
	var walk func(f *frame)
	walk = func(f *frame) {
		out = append(out, f)
		for _, c := range f.children {
			walk(c)
		}
	}
	if t.root != nil {
		walk(t.root)
	}
	return out
}
