package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"snapscope/snapshot/aria"
)

// remote is a JavaScript value as the protocol gives it.
type remote struct {
	Type           string          `json:"type"`
	Subtype        string          `json:"subtype"`
	ClassName      string          `json:"className"`
	Value          json.RawMessage `json:"value"`
	Unserializable string          `json:"unserializableValue"`
	Description    string          `json:"description"`
	Object         string          `json:"objectId"`
}

// thrown is an exception of JavaScript that we ran.
type thrown struct {
	text  string
	class string // of the exception: "SyntaxError"; "" for what is no Error
}

func (e *thrown) Error() string { return e.text }

// evaluated is the answer of Runtime.evaluate and Runtime.callFunctionOn.
type evaluated struct {
	Result    remote                         `json:"result"`
	Exception *proto.RuntimeExceptionDetails `json:"exceptionDetails"`
}

func decodeEvaluated(raw []byte, err error) (remote, error) {
	if err != nil {
		return remote{}, err
	}
	var v evaluated
	if err := json.Unmarshal(raw, &v); err != nil {
		return remote{}, fmt.Errorf("the page's answer: %w", err)
	}
	if x := v.Exception; x != nil {
		text, class := x.Text, ""
		if x.Exception != nil && x.Exception.Description != "" {
			text = x.Exception.Description
		} else if x.Exception != nil && !x.Exception.Value.Nil() {
			text += " " + x.Exception.Value.JSON("", "")
		}
		if x.Exception != nil {
			class = x.Exception.ClassName
		}
		return remote{}, &thrown{text, class}
	}
	return v.Result, nil
}

// text is a value that is a string.
func (r remote) text() (string, error) {
	var s string
	if err := json.Unmarshal(r.Value, &s); err != nil {
		return "", fmt.Errorf("the page answered no text: %w", err)
	}
	return s, nil
}

// evaluation is the request of Runtime.evaluate.
type evaluation struct {
	Expression string `json:"expression"`
	Context    string `json:"uniqueContextId,omitempty"`
	ByValue    bool   `json:"returnByValue,omitempty"`
	Await      bool   `json:"awaitPromise,omitempty"`
	Gesture    bool   `json:"userGesture,omitempty"`
	Group      string `json:"objectGroup,omitempty"`
}

// handles is the group of all objects of a page that a step holds on to. They
// are let go together when it ends.
const handles = "snapscope"

// errNoWorld is a frame whose document cannot be entered (now).
var errNoWorld = errors.New("the frame cannot be entered")

// errLost is a frame whose process crashed.
var errLost = errors.New("the frame crashed")

// contextLost reports whether a call failed because the document it was for is
// no longer there.
func contextLost(err error) bool {
	var p *protocolError
	if errors.Is(err, errNoWorld) {
		return true
	}
	if !errors.As(err, &p) {
		return false
	}
	// We name worlds, frames, nodes and objects that the browser itself told us
	// of: one that it does not know is one that went away.
	return p.Code == codeServer || p.Code == codeNoSession || p.Code == codeParams
}

// enter answers the context of our isolated world in a frame's document, with
// our script in it.
func (b *Browser) enter(ctx context.Context, f *frame) (session, world string, err error) {
	b.mu.Lock()
	session, world, script, lost := f.session, f.world, f.script, f.lost
	b.mu.Unlock()
	if lost {
		return "", "", errLost
	}
	if world == "" {
		_, err := b.link.call(ctx, session, "Page.createIsolatedWorld",
			proto.PageCreateIsolatedWorld{FrameID: f.id, WorldName: worldName})
		if err != nil {
			return "", "", err
		}
		// The event that names the world's context came before this answer.
		b.mu.Lock()
		world, script = f.world, f.script
		b.mu.Unlock()
		if world == "" {
			return "", "", errNoWorld
		}
	}
	if script {
		return session, world, nil
	}
	if _, err := decodeEvaluated(b.link.call(ctx, session, "Runtime.evaluate",
		evaluation{Expression: aria.Script + actScript, Context: world})); err != nil {
		return "", "", err
	}
	b.mu.Lock()
	if f.world == world {
		f.script = true
	}
	b.mu.Unlock()
	return session, world, nil
}

// eval evaluates an expression in our world of a frame. A document that goes
// away meanwhile is followed by the next one, for a while.
func (b *Browser) eval(ctx context.Context, f *frame, e evaluation) (remote, error) {
	for end := time.Now().Add(b.opts.Settle.QuietMax); ; {
		session, world, err := b.enter(ctx, f)
		var r remote
		if err == nil {
			e.Context, e.Group = world, handles
			r, err = decodeEvaluated(b.link.call(ctx, session, "Runtime.evaluate", e))
		}
		if err == nil || !contextLost(err) || time.Now().After(end) {
			return r, err
		}
		b.mu.Lock()
		if f.world == world {
			f.world, f.script = "", false
		}
		changed := b.changed
		b.mu.Unlock()
		if err := pause(ctx, changed, 25*time.Millisecond); err != nil {
			return remote{}, err
		}
	}
}

// pause waits for a change, at most d; the error is ctx's.
func pause(ctx context.Context, changed <-chan struct{}, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// callOn calls a function with an object as this.
func (b *Browser) callOn(ctx context.Context, session, object, function string, byValue bool, args ...any) (remote, error) {
	type arg struct {
		Value  any    `json:"value,omitempty"`
		Object string `json:"objectId,omitempty"`
	}
	list := make([]arg, len(args))
	for i, a := range args {
		if o, ok := a.(objectArg); ok {
			list[i].Object = string(o)
		} else {
			list[i].Value = a
		}
	}
	return decodeEvaluated(b.link.call(ctx, session, "Runtime.callFunctionOn", struct {
		Function string `json:"functionDeclaration"`
		Object   string `json:"objectId"`
		Args     []arg  `json:"arguments"`
		ByValue  bool   `json:"returnByValue"`
		Await    bool   `json:"awaitPromise"`
		Gesture  bool   `json:"userGesture"`
		Group    string `json:"objectGroup"`
	}{function, object, list, byValue, true, true, handles}))
}

// objectArg is an argument that is an object of the page.
type objectArg string

func jsString(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(data)
}
