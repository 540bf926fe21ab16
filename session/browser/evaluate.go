package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-rod/rod/lib/proto"
)

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
	if errors.As(err, &x) && x.class == syntaxError { // a bare function, or an object literal
		if r2, err2 := run("("+js+"\n)", false); !errors.As(err2, &x) || x.class != syntaxError {
			r, err = r2, err2
		}
	}
	if err == nil && r.Type == "function" {
		r, err = s.b.callOn(ctx, session, r.Object, "function(el){ return this(el) }", false, arg...)
	}
	if err == nil && r.Object != "" {
		r, err = s.b.callOn(ctx, session, r.Object, "function(){ return this }", true)
	}
	s.b.mu.Lock()
	moved := f.main != world
	s.b.mu.Unlock()
	return answered(r, err, moved)
}

// syntaxError is the class of the exception for JavaScript that cannot be read.
const syntaxError = "SyntaxError"

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

// answered is what JavaScript gave as JSON text; moved tells that the document
// it ran in is no longer there.
func answered(r remote, err error, moved bool) (string, error) {
	var p *protocolError
	switch {
	case errors.As(err, &p) && p.Code == codeServer && !moved: // the world is there, the value did not come out of it
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
