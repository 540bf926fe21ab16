package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"
)

// answer answers the dialog that is open, or says how the next one will be.
func (s *stepping) answer(ctx context.Context) (string, error) {
	a := &proto.PageHandleJavaScriptDialog{PromptText: s.a.Text("text")}
	switch do := s.a.Text("do"); do {
	case "accept":
		a.Accept = true
	case "dismiss":
	default:
		return "", fmt.Errorf("a dialog is answered with accept or dismiss, not %q", do)
	}
	s.b.mu.Lock()
	d := s.t.dialog
	if d == nil {
		s.b.armed = a
		s.b.mu.Unlock()
		return "no dialog is open; the next one will be " + answerWord(a), nil
	}
	s.t.dialog = nil // so that what it held up does not count as blocked
	s.b.mu.Unlock()
	if _, err := s.b.link.call(ctx, d.session, "Page.handleJavaScriptDialog", a); err != nil && !errors.Is(err, errDialog) {
		var p *protocolError
		if !errors.As(err, &p) { // it closed by itself
			return "", err
		}
	}
	return fmt.Sprintf("%s %s", d, answerWord(a)), nil
}

// tabs opens, switches to or closes a tab.
func (s *stepping) tabs(ctx context.Context) (string, error) {
	switch do := s.a.Text("do"); do {
	case "new":
		return s.newTab(ctx)
	case "switch":
		t, i, err := s.pick()
		if err != nil {
			return "", err
		}
		s.b.mu.Lock()
		s.b.current = t
		s.b.mu.Unlock()
		s.t = t
		if err := s.b.ready(ctx, t); err != nil {
			return "", err
		}
		s.b.link.post(t.session, "Page.bringToFront", nil)
		return fmt.Sprintf("tab %d", i), nil
	case "close":
		t, i, err := s.pick()
		if err != nil {
			return "", err
		}
		return s.closeTab(ctx, t, i)
	default:
		return "", fmt.Errorf("tab takes new, switch or close, not %q", do)
	}
}

// pick is the tab the action names, the current one if it names none.
func (s *stepping) pick() (*tab, int, error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	v, given := number(s.a.Args["index"])
	if !given {
		if s.a.Text("do") == "switch" {
			return nil, 0, fmt.Errorf("tab switch needs an index, 0 to %d", len(s.b.tabs)-1)
		}
		if s.b.current == nil {
			return nil, 0, errors.New("no tab is open")
		}
		return s.b.current, s.b.indexOf(s.b.current), nil
	}
	i := int(v)
	if float64(i) != v || i < 0 || i >= len(s.b.tabs) {
		return nil, 0, fmt.Errorf("there is no tab %g; there are tabs 0 to %d", v, len(s.b.tabs)-1)
	}
	return s.b.tabs[i], i, nil
}

func (s *stepping) newTab(ctx context.Context) (string, error) {
	to := s.a.Text("url")
	if to != "" {
		var err error
		if to, err = Address(to, s.base()); err != nil {
			return "", err
		}
	}
	t, err := s.b.makeTab(ctx, s.b.opts.NavigateMax)
	if err != nil {
		return "", err
	}
	s.b.mu.Lock()
	s.b.current = t
	i := s.b.indexOf(t)
	s.b.mu.Unlock()
	s.t = t
	s.b.link.post(t.session, "Page.bringToFront", nil)
	if to == "" {
		return fmt.Sprintf("tab %d", i), nil
	}
	return s.b.navigate(ctx, t, to)
}

func (s *stepping) closeTab(ctx context.Context, t *tab, i int) (string, error) {
	if _, err := s.b.link.call(ctx, "", "Target.closeTarget", proto.TargetCloseTarget{TargetID: t.target}); err != nil {
		if !errors.Is(err, errTabClosed) {
			return "", err
		}
	}
	for { // the event that says so is on its way
		s.b.mu.Lock()
		closed, changed := t.closed, s.b.changed
		s.b.mu.Unlock()
		if closed {
			break
		}
		if err := pause(ctx, changed, time.Second); err != nil && !errors.Is(err, errTabClosed) {
			return "", err
		}
	}
	s.b.mu.Lock()
	s.t = s.b.current
	left := len(s.b.tabs)
	s.b.mu.Unlock()
	if left == 0 {
		return fmt.Sprintf("tab %d closed; none is left, open one with tab new", i), nil
	}
	return fmt.Sprintf("tab %d closed", i), nil
}

// maxText bounds what evaluate hands back, in characters.
const maxText = 200_000

// evaluate runs JavaScript in the page's own world: an expression, statements,
// or a function, which gets the element if one is named.
func (s *stepping) evaluate(ctx context.Context) (string, error) {
	js := strings.TrimSpace(s.a.Text("js"))
	if js == "" {
		return "", errors.New("evaluate needs js")
	}
	f, arg, err := s.evaluateIn(ctx)
	if err != nil {
		return "", err
	}
	s.b.mu.Lock()
	session, world := f.session, f.main
	s.b.mu.Unlock()
	run := func(expr string, byValue bool) (remote, error) {
		return decodeEvaluated(s.b.link.call(ctx, session, "Runtime.evaluate",
			evaluation{Expression: expr, Context: world, ByValue: byValue, Await: true, Gesture: true, Group: handles}))
	}
	r, err := run(js, false)
	var x *thrown
	if errors.As(err, &x) && strings.HasPrefix(x.text, "SyntaxError") { // a bare function, or an object literal
		if r2, err2 := run("("+js+"\n)", false); err2 == nil || !strings.HasPrefix(err2.Error(), "SyntaxError") {
			r, err = r2, err2
		}
	}
	if err == nil && r.Type == "function" {
		r, err = s.b.callOn(ctx, session, r.Object, "function(el){ return this(el) }", false, arg...)
	}
	if err == nil && r.Object != "" {
		r, err = s.b.callOn(ctx, session, r.Object, "function(){ return this }", true)
	}
	return s.answered(r, err)
}

// evaluateIn is the frame to evaluate in, and the element to hand over.
func (s *stepping) evaluateIn(ctx context.Context) (*frame, []any, error) {
	s.b.mu.Lock()
	root := s.t.root
	s.b.mu.Unlock()
	if s.a.Target == nil {
		return root, nil, nil
	}
	el, err := s.find(ctx, s.a.Target)
	if err != nil {
		return nil, nil, err
	}
	s.frame = el.frame
	// The page's world has its own object for the same element.
	raw, err := s.b.link.call(ctx, el.session, "DOM.describeNode", proto.DOMDescribeNode{ObjectID: proto.RuntimeRemoteObjectID(el.object)})
	if err != nil {
		return nil, nil, err
	}
	var d struct {
		Node struct {
			ID proto.DOMBackendNodeID `json:"backendNodeId"`
		} `json:"node"`
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, nil, err
	}
	s.b.mu.Lock()
	number := el.frame.mainNumber
	s.b.mu.Unlock()
	object, err := s.b.resolve(ctx, el.session, d.Node.ID, number)
	return el.frame, []any{objectArg(object)}, err
}

// answered is what JavaScript gave as JSON text.
func (s *stepping) answered(r remote, err error) (string, error) {
	var p *protocolError
	switch {
	case errors.As(err, &p) && strings.Contains(p.Message, "reference chain"):
		return "", errors.New("the value refers to itself or nests too deep; return only the parts you need")
	case err != nil && contextLost(err):
		return "the page moved on before it answered", nil
	case err != nil:
		return "", err
	case r.Unserializable != "":
		return r.Unserializable, nil
	case r.Type == "undefined":
		return "undefined", nil
	case r.Value == nil:
		return orElse(r.Description, r.Type), nil
	}
	text := readable(string(r.Value))
	if n := len(text); n > maxText {
		return clip(text, maxText) + fmt.Sprintf(" (cut: %d bytes in all)", n), nil
	}
	return text, nil
}

// wait waits for a text, for its end, for a URL, for an element, or for a time.
func (s *stepping) wait(ctx context.Context) (string, error) {
	text, gone, to := s.a.Text("text"), s.a.Text("gone"), s.a.Text("url")
	ms, timed := number(s.a.Args["ms"])
	if text == "" && gone == "" && to == "" && s.a.Target == nil {
		if !timed || ms < 0 {
			return "", errors.New("wait needs text, gone, url, an element, or ms")
		}
		return "", sleep(ctx, time.Duration(ms*float64(time.Millisecond)))
	}
	limit := s.b.opts.WaitMax
	if timed && ms > 0 {
		limit = time.Duration(ms * float64(time.Millisecond))
	}
	end := time.Now().Add(limit)
	for {
		open, err := s.awaited(ctx, text, gone, to)
		if err != nil || open == "" {
			return "", err
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("%s within %s", open, seconds(limit))
		}
		if err := pause(ctx, nil, 50*time.Millisecond); err != nil {
			return "", err
		}
	}
}

// awaited says what has not come yet, "" when all has.
func (s *stepping) awaited(ctx context.Context, text, gone, to string) (string, error) {
	if to != "" {
		s.b.mu.Lock()
		at := s.t.root.url
		s.b.mu.Unlock()
		if !strings.Contains(at, to) {
			return fmt.Sprintf("the URL did not come to hold %s (it is %s)", quoted(to), at), nil
		}
	}
	for _, want := range []struct {
		text string
		on   bool
		open string
	}{{text, true, "the text %s did not come"}, {gone, false, "the text %s did not go"}} {
		if want.text == "" {
			continue
		}
		has, err := s.holds(ctx, want.text)
		if err != nil {
			return "", err
		}
		if has != want.on {
			return fmt.Sprintf(want.open, quoted(want.text)), nil
		}
	}
	if s.a.Target == nil {
		return "", nil
	}
	return s.there(ctx)
}

// there says that the element waited for cannot be seen yet.
func (s *stepping) there(ctx context.Context) (string, error) {
	open := fmt.Sprintf("%s did not come", s.a.Target)
	if s.a.Target.Ref != "" {
		el, err := s.byRef(ctx, s.a.Target.Ref)
		if err != nil {
			return "", err
		}
		var on bool
		if err := s.ask(ctx, el, "visible", &on); err != nil || !on {
			return open, err
		}
		return "", nil
	}
	el, err := s.search(ctx, s.a.Target)
	var none *noMatch
	switch {
	case errors.As(err, &none):
		return open, nil
	case err != nil && el == nil && ctxErr(ctx) == nil && !strings.Contains(err.Error(), "say which"):
		return "", err
	case el == nil:
		return "", ctxErr(ctx)
	}
	var on bool
	if err := s.ask(ctx, el, "visible", &on); err != nil || !on {
		return open, err
	}
	return "", nil
}

// holds reports whether a text stands in any frame.
func (s *stepping) holds(ctx context.Context, text string) (bool, error) {
	s.b.mu.Lock()
	frames := s.t.all()
	s.b.mu.Unlock()
	for i, f := range frames {
		r, err := s.b.eval(ctx, f, evaluation{Expression: "__snapact.holds(" + jsString(text) + ")", ByValue: true})
		if err != nil && (i == 0 || ctxErr(ctx) != nil) && !contextLost(err) {
			return false, err
		}
		if string(r.Value) == "true" {
			return true, nil
		}
	}
	return false, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	return pause(ctx, nil, d)
}

// screenshot writes a picture of the viewport, or of an element.
func (s *stepping) screenshot(ctx context.Context) (string, error) {
	var clip *proto.PageViewport
	if s.a.Target != nil {
		el, err := s.find(ctx, s.a.Target)
		if err != nil {
			return "", err
		}
		if clip, err = s.clipOf(ctx, el); err != nil {
			return "", err
		}
	}
	png, err := s.b.picture(ctx, s.t, clip)
	if err != nil {
		return "", err
	}
	file := s.a.Text("file")
	if file == "" {
		s.b.mu.Lock()
		s.b.shots++
		file = filepath.Join(s.b.opts.Shots, fmt.Sprintf("screenshot-%d.png", s.b.shots))
		s.b.mu.Unlock()
	}
	if err := os.WriteFile(file, png, 0o644); err != nil {
		return "", fmt.Errorf("writing the screenshot: %w", err)
	}
	s.image = file
	return "wrote " + file, nil
}

func (s *stepping) clipOf(ctx context.Context, el *element) (*proto.PageViewport, error) {
	p, err := s.point(ctx, el, false)
	if err != nil {
		return nil, err
	}
	if p.Why == "hidden" || p.Why == "gone" {
		return nil, p.sentence(el.name)
	}
	box, err := s.boxOf(ctx, el)
	if err != nil {
		return nil, err
	}
	return &proto.PageViewport{X: float64(box.X), Y: float64(box.Y), Width: float64(max(1, box.W)), Height: float64(max(1, box.H)), Scale: 1}, nil
}

// readable is JSON with its escaped letters written out: the protocol escapes
// all that is not ASCII.
func readable(js string) string {
	if !strings.Contains(js, `\u`) {
		return js
	}
	var b strings.Builder
	for i := 0; i < len(js); {
		switch {
		case js[i] != '\\' || i+1 >= len(js):
			b.WriteByte(js[i])
			i++
		case js[i+1] != 'u':
			b.WriteString(js[i : i+2])
			i += 2
		default:
			r, n := escaped(js[i:])
			if r < ' ' || r == utf8.RuneError || !unicode.IsPrint(r) || r == '"' || r == '\\' {
				b.WriteString(js[i : i+n])
			} else {
				b.WriteRune(r)
			}
			i += n
		}
	}
	return b.String()
}

// escaped reads one \uXXXX, or two that make one rune, and tells their length.
func escaped(s string) (rune, int) {
	unit := func(s string) rune {
		if len(s) < 6 || s[:2] != `\u` {
			return utf8.RuneError
		}
		v, err := strconv.ParseUint(s[2:6], 16, 16)
		if err != nil {
			return utf8.RuneError
		}
		return rune(v)
	}
	r := unit(s)
	if utf16.IsSurrogate(r) && len(s) >= 12 {
		if full := utf16.DecodeRune(r, unit(s[6:])); full != utf8.RuneError {
			return full, 12
		}
		return utf8.RuneError, 6
	}
	return r, min(6, len(s))
}
