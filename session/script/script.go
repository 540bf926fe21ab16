package script

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"snapscope/session"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// A step script is one YAML list. Each entry is one verb with its target and
// arguments; the table Verbs says what a verb takes:
//
//	- goto: http://127.0.0.1:8080/leads
//	- click: {role: checkbox, name: Select Melonie Parker}
//	- press: Enter
//	- back:
//
// Everything is checked before anything runs: an unknown verb, an unknown or
// missing argument, a value of the wrong kind is a Error with its place.

// Error is a fault in a step script or on the command line.
type Error struct {
	File      string
	Line, Col int // from 1; 0 where there is no place
	Msg       string
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0 && e.File == "":
		return e.Msg
	case e.Line == 0:
		return e.File + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// maxScript is the largest script read, in bytes: far beyond any real one, small
// enough that a wrong file does not fill the memory.
const maxScript = 4 << 20

// Load reads a step script from a file. A relative goto is resolved
// against base when base is not empty.
func Load(file, base string) ([]session.Action, error) {
	st, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	if !st.Mode().IsRegular() {
		return nil, &Error{File: file, Msg: "this is no step script: it is no regular file"}
	}
	if st.Size() > maxScript {
		return nil, &Error{File: file, Msg: "this is no step script: it is larger than 4 MB"}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	return Parse(file, data, base)
}

// Parse reads a step script. The name stands in errors.
func Parse(name string, data []byte, base string) ([]session.Action, error) {
	p := scriptParser{file: name, base: base}
	if strings.IndexByte(string(data), 0) >= 0 {
		return nil, p.errorf(nil, "this is a binary file, not a step script")
	}
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, p.syntax(err)
	}
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			return nil, p.errorf(d.Body, "a script is one YAML document; this begins a second one")
		}
		body = d.Body
	}
	if body == nil {
		return nil, p.errorf(nil, "the script is empty; it is a YAML list of actions, for instance \"- goto: https://example.com\"")
	}
	list, ok := body.(*ast.SequenceNode)
	if !ok {
		return nil, p.errorf(body, "a script is a YAML list: begin each action with \"- \"")
	}
	out := make([]session.Action, 0, len(list.Values))
	for _, n := range list.Values {
		a, err := p.entry(n)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

type scriptParser struct{ file, base string }

func (p scriptParser) errorf(n ast.Node, format string, args ...any) error {
	e := &Error{File: p.file, Msg: fmt.Sprintf(format, args...)}
	if n != nil && n.GetToken() != nil {
		pos := n.GetToken().Position
		e.Line, e.Col = pos.Line, pos.Column
	}
	return e
}

var yamlPlace = regexp.MustCompile(`^\[(\d+):(\d+)\] ([^\n]*)`)

func (p scriptParser) syntax(err error) error {
	e := &Error{File: p.file, Msg: err.Error()}
	if m := yamlPlace.FindStringSubmatch(err.Error()); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Col, _ = strconv.Atoi(m[2])
		e.Msg = "not valid YAML: " + m[3]
	}
	return e
}

func (p scriptParser) entry(n ast.Node) (session.Action, error) {
	if s, ok := n.(*ast.StringNode); ok { // "- back"
		return p.action(s, s.Value, nil)
	}
	pairs, err := p.pairs(n, "an action is a verb and what it takes, for instance \"- press: Enter\"")
	if err != nil {
		return session.Action{}, err
	}
	if len(pairs) != 1 {
		at := n
		if len(pairs) > 1 {
			at = pairs[1].Key
		}
		return session.Action{}, p.errorf(at, "one action an entry: put what %s takes in braces, or begin a new \"- \"", p.key(pairs))
	}
	return p.action(pairs[0].Key, pairs[0].Key.String(), pairs[0].Value)
}

func (p scriptParser) key(pairs []*ast.MappingValueNode) string {
	if len(pairs) == 0 {
		return "it"
	}
	return pairs[0].Key.String()
}

func (p scriptParser) pairs(n ast.Node, want string) ([]*ast.MappingValueNode, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	}
	return nil, p.errorf(n, "%s", want)
}

func (p scriptParser) action(at ast.Node, verb string, val ast.Node) (session.Action, error) {
	spec, ok := session.SpecOf(session.Verb(verb))
	if !ok {
		return session.Action{}, p.errorf(at, "no action %q%s; there are %s", verb, nearest(verb), verbNames())
	}
	a := session.Action{Verb: spec.Verb, Tool: verb}
	switch v := val.(type) {
	case nil, *ast.NullNode:
	case *ast.MappingNode, *ast.MappingValueNode:
		pairs, _ := p.pairs(v, "")
		for _, kv := range pairs {
			if err := p.arg(&a, spec, kv); err != nil {
				return session.Action{}, err
			}
		}
	default:
		if err := p.short(&a, spec, v); err != nil {
			return session.Action{}, err
		}
	}
	if msg := finish(&a, spec, p.base); msg != "" {
		return session.Action{}, p.errorf(at, "%s", msg)
	}
	return a, nil
}

// short reads "press: Enter", where a bare value stands for the verb's main
// argument or, for a verb without one, for a ref.
func (p scriptParser) short(a *session.Action, spec session.VerbSpec, v ast.Node) error {
	if spec.Short == "" || (spec.Target == session.TargetRequired && len(spec.Args) > 0 && spec.Args[0].Required) {
		text, err := p.scalar(v, "the element")
		if err != nil {
			return err
		}
		if spec.Target != session.TargetNone && session.IsRef(text) && !requiresArg(spec) {
			a.Target = &session.Target{Ref: text}
			return nil
		}
		return p.errorf(v, "%s takes %s", spec.Verb, usage(spec))
	}
	arg, _ := findArg(spec, spec.Short)
	val, err := p.value(arg, v)
	if err != nil {
		return err
	}
	setArg(a, arg.Name, val)
	return nil
}

func (p scriptParser) arg(a *session.Action, spec session.VerbSpec, kv *ast.MappingValueNode) error {
	key := kv.Key.String()
	if arg, ok := findArg(spec, key); ok {
		if _, dup := a.Args[key]; dup {
			return p.errorf(kv.Key, "%s stands twice", key)
		}
		val, err := p.value(arg, kv.Value)
		if err != nil {
			return err
		}
		setArg(a, key, val)
		return nil
	}
	if spec.Target != session.TargetNone && isTargetKey(key) {
		if a.Target == nil {
			a.Target = &session.Target{}
		}
		return p.target(a.Target, kv)
	}
	return p.errorf(kv.Key, "%s has no %q; it takes %s", spec.Verb, key, usage(spec))
}

func (p scriptParser) target(t *session.Target, kv *ast.MappingValueNode) error {
	key := kv.Key.String()
	text, err := p.scalar(kv.Value, key)
	if err != nil {
		return err
	}
	if text == "" {
		return p.errorf(kv.Value, "%s is empty", key)
	}
	if err := t.Set(key, text); err != nil {
		return p.errorf(kv.Value, "%v", err)
	}
	return nil
}

func (p scriptParser) value(arg session.Arg, n ast.Node) (any, error) {
	if arg.Kind == session.ArgTarget {
		if s, ok := n.(*ast.StringNode); ok && session.IsRef(s.Value) {
			return map[string]any{"ref": s.Value}, nil
		}
		pairs, err := p.pairs(n, arg.Name+" is an element: {ref: e12}, {role: button, name: Save} or {css: \"#save\"}")
		if err != nil {
			return nil, err
		}
		var t session.Target
		for _, kv := range pairs {
			if !isTargetKey(kv.Key.String()) {
				return nil, p.errorf(kv.Key, "an element has no %q; it takes ref, or role and name, or css", kv.Key.String())
			}
			if err := p.target(&t, kv); err != nil {
				return nil, err
			}
		}
		if err := t.Check(); err != nil {
			return nil, p.errorf(n, "%s: %v", arg.Name, err)
		}
		return t.Map(), nil
	}
	if seq, ok := n.(*ast.SequenceNode); ok && arg.Kind == session.ArgWords {
		words := []any{}
		for _, v := range seq.Values {
			s, err := p.scalar(v, arg.Name)
			if err != nil {
				return nil, err
			}
			words = append(words, s)
		}
		return words, nil
	}
	text, err := p.scalar(n, arg.Name)
	if err != nil {
		return nil, err
	}
	val, msg := parseArg(arg, text)
	if msg != "" {
		return nil, p.errorf(n, "%s", msg)
	}
	return val, nil
}

// scalar is a node's text as it was written, so that 007 or 1e3 stays what the
// author typed.
func (p scriptParser) scalar(n ast.Node, what string) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.NullNode, nil:
		return "", p.errorf(n, "%s has no value", what)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	}
	return "", p.errorf(n, "%s takes one plain value", what)
}

// resolve makes a relative URL absolute.
func resolve(base, ref string) string {
	if base == "" {
		return ref
	}
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	u, err := b.Parse(ref)
	if err != nil {
		return ref
	}
	return u.String()
}
