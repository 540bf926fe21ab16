package browser

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"snapscope/session"
	"snapscope/snapshot/aria"
)

//go:embed js/*.js
var sources embed.FS

// actScript is what an action needs to know of an element and to do to it,
// evaluated beside the capture's script in the same isolated world.
var actScript = assemble(sources)

// inPage is the JavaScript expression of the object it leaves behind. Like
// aria.Object it is no name that the page could give an element.
const inPage = "globalThis[Symbol.for('snapscope.act')]"

// assemble joins the files in the order of their names inside one function.
func assemble(files fs.FS) string {
	names, err := fs.Glob(files, "js/*.js") // sorted by name
	if err != nil {
		panic("browser: " + err.Error()) // the pattern is a constant
	}
	var b strings.Builder
	b.WriteString("(() => {\n'use strict';\nif (" + inPage + ") return;\n")
	for _, name := range names {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			panic("browser: " + err.Error()) // the file was embedded
		}
		b.Write(body)
		b.WriteByte('\n')
	}
	b.WriteString("})();\n")
	return b.String()
}

// element is an element of the page, held in our world of its frame.
type element struct {
	frame   *frame
	session string
	object  string
	name    string // as a sentence names it: e12 (button "Save")
}

// obstacle is what an in-page function says about what stands in the way.
type obstacle struct {
	Why  string   `json:"why"`
	By   string   `json:"by"`
	Has  []string `json:"has"`
	More int      `json:"more"`
}

// passing reports whether the obstacle may go away by itself.
func (o obstacle) passing() bool {
	switch o.Why {
	case "hidden", "disabled", "covered", "outside", "inert":
		return true
	}
	return false
}

// sentence says what is wrong and what to try.
func (o obstacle) sentence(name string) error {
	switch o.Why {
	case "gone":
		return fmt.Errorf("%s is no longer on the page; take a new snapshot", name)
	case "hidden":
		return fmt.Errorf("%s is not visible; open or scroll what holds it first", name)
	case "disabled":
		return fmt.Errorf("%s is disabled", name)
	case "readonly":
		return fmt.Errorf("%s is read-only", name)
	case "outside":
		return fmt.Errorf("%s lies outside the viewport and cannot be scrolled into it", name)
	case "inert":
		return fmt.Errorf("%s takes no pointer events; %s gets the click instead", name, o.By)
	case "covered":
		return fmt.Errorf("%s is covered by %s; close or move what covers it", name, o.By)
	case "option":
		return fmt.Errorf("%s is an option of a closed list; choose it with select", name)
	case "select":
		return fmt.Errorf("%s is a select; use select", name)
	case "check":
		return fmt.Errorf("%s is a checkbox or radio button; use check or uncheck", name)
	case "file":
		return fmt.Errorf("%s is a file field; use upload", name)
	case "nofield":
		return fmt.Errorf("%s takes no text: it is %s", name, o.By)
	case "nocheck":
		return fmt.Errorf("%s cannot be checked: it is %s", name, o.By)
	case "noselect":
		return fmt.Errorf("%s is not a select: it is %s; click it and click the option", name, o.By)
	case "nooption":
		more := ""
		if o.More > 0 {
			more = fmt.Sprintf(" and %d more", o.More)
		}
		return fmt.Errorf("%s has no option %s; it has %s%s", name, quoted(o.By), strings.Join(o.Has, ", "), more)
	case "offoption":
		return fmt.Errorf("option %s of %s is disabled", quoted(o.By), name)
	case "single":
		return fmt.Errorf("%s takes one option at a time", name)
	case "value":
		return fmt.Errorf("%s does not take this value; it takes %s", name, o.By)
	}
	return fmt.Errorf("%s: %s", name, o.Why)
}

// find looks an element up. One named by role or CSS is waited for.
func (s *stepping) find(ctx context.Context, t *session.Target) (*element, error) {
	if t == nil {
		return nil, errors.New("no element is named")
	}
	if t.Ref != "" {
		return s.byRef(ctx, t.Ref)
	}
	end := time.Now().Add(s.b.opts.FindMax)
	for {
		el, err := s.search(ctx, t)
		var none *noMatch
		if err == nil || !errors.As(err, &none) || time.Now().After(end) {
			return el, err
		}
		if err := pause(ctx, nil, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// noMatch is an element that is not there (yet).
type noMatch struct{ text string }

func (e *noMatch) Error() string { return e.text }

// manyMatch is a description that fits several elements.
type manyMatch struct {
	n    int
	what *session.Target
}

func (e *manyMatch) Error() string {
	return fmt.Sprintf("%d elements are %s; say which with nth (1 to %d), or use a ref", e.n, e.what, e.n)
}

// byRef finds an element by the ref of a snapshot.
func (s *stepping) byRef(ctx context.Context, ref string) (*element, error) {
	if !session.IsRef(ref) {
		return nil, fmt.Errorf("%q is not a ref; refs look like e12 or f1e3", ref)
	}
	prefix := ref[:strings.LastIndexByte(ref, 'e')]
	s.b.mu.Lock()
	var in *frame
	for _, f := range s.t.frames {
		if f.prefix() == prefix {
			in = f
		}
	}
	index := s.b.indexOf(s.t)
	_, what, seen := s.b.seen.last(ref)
	s.b.mu.Unlock()
	if in == nil {
		return nil, s.b.stale(ref, index)
	}
	el, err := s.handle(ctx, in, aria.Object+".element("+jsString(ref)+")")
	if err != nil {
		return nil, err
	}
	if el == nil {
		return nil, s.b.stale(ref, index)
	}
	el.name = ref
	if seen {
		el.name = fmt.Sprintf("%s (%s)", ref, what)
	}
	return el, nil
}

// handle evaluates an expression that answers an element; nil: it answered none.
func (s *stepping) handle(ctx context.Context, f *frame, expr string) (*element, error) {
	r, err := s.b.eval(ctx, f, evaluation{Expression: expr})
	if err != nil || r.Object == "" {
		return nil, err
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	return &element{frame: f, session: f.session, object: r.Object}, nil
}

// search looks in every frame for the elements a target names. Those that can
// be seen count; of several the target must say which.
func (s *stepping) search(ctx context.Context, t *session.Target) (*element, error) {
	expr := aria.Object + ".find(" + jsString(t.Role) + "," + jsString(t.Name) + ")"
	if t.CSS != "" {
		expr = aria.Object + ".query(" + jsString(t.CSS) + ")"
	}
	s.b.mu.Lock()
	frames := s.t.all()
	s.b.mu.Unlock()
	var seen, hidden []match
	for i, f := range frames {
		v, h, err := s.matches(ctx, f, expr)
		var x *thrown
		switch {
		case errors.As(err, &x):
			return nil, fmt.Errorf("css %s is not a selector this browser reads", quoted(t.CSS))
		case err != nil && ctxErr(ctx) != nil:
			return nil, ctxErr(ctx)
		case err != nil && i == 0 && !contextLost(err):
			return nil, err
		case err != nil: // a frame that cannot be entered holds nothing
			continue
		}
		seen, hidden = append(seen, v...), append(hidden, h...)
	}
	what := &session.Target{Role: t.Role, Name: t.Name, CSS: t.CSS}
	use := seen
	if len(use) == 0 {
		use = hidden
	}
	n := t.Nth
	switch {
	case len(use) == 0:
		return nil, &noMatch{fmt.Sprintf("no element is %s; take a snapshot to see what is there", what)}
	case n == 0 && len(use) > 1:
		return nil, &manyMatch{len(use), what}
	case n > len(use):
		return nil, &noMatch{fmt.Sprintf("only %d elements are %s, not %d", len(use), what, n)}
	case n == 0:
		n = 1
	}
	m := use[n-1]
	el, err := s.at(ctx, m)
	if el != nil {
		el.name = t.String()
	}
	return el, err
}

// match is one element a search found: the i-th of an array kept in the page.
type match struct {
	frame   *frame
	session string
	array   string
	i       int
}

func (s *stepping) matches(ctx context.Context, f *frame, expr string) (seen, hidden []match, err error) {
	r, err := s.b.eval(ctx, f, evaluation{Expression: expr})
	if err != nil || r.Object == "" {
		return nil, nil, err
	}
	s.b.mu.Lock()
	session := f.session
	s.b.mu.Unlock()
	v, err := s.b.callOn(ctx, session, r.Object, "function(){ return this.map(e => "+inPage+".visible(e) ? 1 : 0) }", true)
	if err != nil {
		return nil, nil, err
	}
	var flags []int
	if err := json.Unmarshal(v.Value, &flags); err != nil {
		return nil, nil, fmt.Errorf("the page's answer: %w", err)
	}
	for i, on := range flags {
		m := match{f, session, r.Object, i}
		if on == 1 {
			seen = append(seen, m)
		} else {
			hidden = append(hidden, m)
		}
	}
	return seen, hidden, nil
}

func (s *stepping) at(ctx context.Context, m match) (*element, error) {
	r, err := s.b.callOn(ctx, m.session, m.array, "function(){ return this["+strconv.Itoa(m.i)+"] }", false)
	if err != nil {
		return nil, err
	}
	return &element{frame: m.frame, session: m.session, object: r.Object}, nil
}

// ask calls one of our functions with the element first and decodes its answer.
func (s *stepping) ask(ctx context.Context, el *element, function string, into any, args ...any) error {
	s.frame = el.frame
	names := make([]string, len(args))
	for i := range args {
		names[i] = "a" + strconv.Itoa(i)
	}
	list := strings.Join(names, ",")
	call := "function(" + list + "){ return " + inPage + "." + function + "(this"
	if list != "" {
		call += "," + list
	}
	r, err := s.b.callOn(ctx, el.session, el.object, call+") }", true, args...)
	if err != nil {
		if contextLost(err) {
			return obstacle{Why: "gone"}.sentence(el.name)
		}
		return err
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(r.Value, into); err != nil {
		return fmt.Errorf("the page's answer about %s: %w", el.name, err)
	}
	return nil
}

// spot is where an element is met by the mouse, in the viewport of the page.
type spot struct {
	obstacle
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// reach finds the point of an element that the mouse reaches, waiting for what
// stands in the way to go.
func (s *stepping) reach(ctx context.Context, el *element, enabled bool) (spot, error) {
	end := time.Now().Add(s.b.opts.FindMax)
	for {
		p, err := s.point(ctx, el, enabled)
		if err != nil {
			return p, err
		}
		if p.Why == "" {
			return p, s.drawn(ctx, el.frame)
		}
		if !p.passing() || time.Now().After(end) {
			return p, p.sentence(el.name)
		}
		if err := pause(ctx, nil, 60*time.Millisecond); err != nil {
			return p, err
		}
	}
}

// drawn waits until the frames around an element in another process have been
// drawn where they are now: the browser sends the mouse to what was drawn there
// last.
func (s *stepping) drawn(ctx context.Context, f *frame) error {
	s.b.mu.Lock()
	var chain []*frame
	for at := f; at != nil; at = at.parent {
		if at == f || at.parent == nil || at.session != at.parent.session {
			chain = append(chain, at)
		}
	}
	apart := f.session != s.t.session
	s.b.mu.Unlock()
	if !apart {
		return nil
	}
	for _, f := range slices.Backward(chain) {
		if _, err := s.b.eval(ctx, f, evaluation{Expression: inPage + ".drawn()", Await: true, ByValue: true}); err != nil {
			return err
		}
	}
	return nil
}

func (s *stepping) point(ctx context.Context, el *element, enabled bool) (spot, error) {
	var p spot
	if enabled {
		var off bool
		if err := s.ask(ctx, el, "disabled", &off); err != nil {
			return p, err
		}
		if off {
			return spot{obstacle: obstacle{Why: "disabled"}}, nil
		}
	}
	if err := s.ask(ctx, el, "place", &p); err != nil || p.Why != "" {
		return p, err
	}
	for f := el.frame; ; {
		s.b.mu.Lock()
		parent := f.parent
		s.b.mu.Unlock()
		if parent == nil {
			return p, nil
		}
		owner, err := s.owner(ctx, parent, f)
		if err != nil {
			return p, err
		}
		was := s.frame
		err = s.ask(ctx, owner, "outward", &p, p.X, p.Y, true)
		s.frame = was
		if err != nil || p.Why != "" {
			return p, err
		}
		f = parent
	}
}

// owner is the iframe element of a frame, in the world of the document around
// it.
func (s *stepping) owner(ctx context.Context, parent, f *frame) (*element, error) {
	session, _, err := s.b.enter(ctx, parent)
	if err != nil {
		return nil, err
	}
	s.b.mu.Lock()
	number := parent.number
	s.b.mu.Unlock()
	raw, err := s.b.link.call(ctx, session, "DOM.getFrameOwner", proto.DOMGetFrameOwner{FrameID: f.id})
	if err != nil {
		return nil, err
	}
	var o proto.DOMGetFrameOwnerResult
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	object, err := s.b.resolve(ctx, session, o.BackendNodeID, number)
	return &element{frame: parent, session: session, object: object, name: "the frame around it"}, err
}

// resolve makes a handle of a node, in the world with the given number.
func (b *Browser) resolve(ctx context.Context, session string, id proto.DOMBackendNodeID, world int) (string, error) {
	raw, err := b.link.call(ctx, session, "DOM.resolveNode", struct {
		Node  proto.DOMBackendNodeID `json:"backendNodeId"`
		World int                    `json:"executionContextId"`
		Group string                 `json:"objectGroup"`
	}{id, world, handles})
	if err != nil {
		return "", err
	}
	var r struct {
		Object struct {
			ID string `json:"objectId"`
		} `json:"object"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return "", err
	}
	return r.Object.ID, nil
}
