package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// able asks an in-page function to do something, again while what stands in
// the way may go. into gets the function's answer besides.
func (s *stepping) able(ctx context.Context, el *element, function string, into any, args ...any) error {
	end := time.Now().Add(s.b.opts.FindMax)
	for {
		var raw json.RawMessage
		if err := s.ask(ctx, el, function, &raw, args...); err != nil {
			return err
		}
		var o obstacle
		if err := json.Unmarshal(raw, &struct {
			Why *string `json:"why"`
		}{&o.Why}); err != nil {
			return fmt.Errorf("the page's answer about %s: %w", el.name, err)
		}
		if o.Why == "" {
			if into == nil {
				return nil
			}
			return json.Unmarshal(raw, into)
		}
		if err := json.Unmarshal(raw, &o); err != nil {
			return fmt.Errorf("the page's answer about %s: %w", el.name, err)
		}
		if !o.passing() || time.Now().After(end) {
			return o.sentence(el.name)
		}
		if err := pause(ctx, nil, 60*time.Millisecond); err != nil {
			return err
		}
	}
}

// fill replaces the value of a field: typed where it can be typed, so that the
// page sees what a person would make it see.
func (s *stepping) fill(ctx context.Context) (string, error) {
	el, err := s.find(ctx, s.a.Target)
	if err != nil {
		return "", err
	}
	text := s.a.Text("text")
	var how struct {
		Type bool `json:"type"`
	}
	if err := s.able(ctx, el, "fill", &how, text); err != nil {
		return "", err
	}
	if !how.Type {
		return "", nil
	}
	if text == "" {
		err = s.send(ctx, "Input.dispatchKeyEvent", strike(nil, named["delete"])...)
	} else {
		err = s.insert(ctx, text)
	}
	if err != nil {
		return "", err
	}
	var held struct {
		OK  bool   `json:"ok"`
		Has string `json:"has"`
	}
	if err := s.ask(ctx, el, "filled", &held, text); err != nil {
		return "", nil //nolint:nilerr // the page moved on with what it got
	}
	if !held.OK {
		return "the field made it " + quoted(held.Has), nil
	}
	return "", nil
}

func (s *stepping) check(ctx context.Context) (string, error)   { return s.tick(ctx, true) }
func (s *stepping) uncheck(ctx context.Context) (string, error) { return s.tick(ctx, false) }

// tick brings a checkbox, radio button or switch into a state by a click, if it
// is not in it.
func (s *stepping) tick(ctx context.Context, on bool) (string, error) {
	el, err := s.find(ctx, s.a.Target)
	if err != nil {
		return "", err
	}
	type state struct {
		On    *bool `json:"on"`
		Radio bool  `json:"radio"`
	}
	var was state
	if err := s.able(ctx, el, "ticked", &was); err != nil {
		return "", err
	}
	if was.On != nil && *was.On == on {
		return fmt.Sprintf("%s was %s already", el.name, tickWord(on)), nil
	}
	if was.Radio && !on {
		return "", fmt.Errorf("%s is a radio button: check another of its group instead", el.name)
	}
	aim, err := s.b.callOn(ctx, el.session, el.object, "function(){ const a = "+inPage+"; return a.target(a.control(this)) }", false)
	if err != nil {
		return "", err
	}
	at := &element{frame: el.frame, session: el.session, object: aim.Object, name: el.name}
	if err := s.clickOn(ctx, at, "left", 1); err != nil {
		return "", err
	}
	for end := time.Now().Add(300 * time.Millisecond); ; {
		var is state
		if err := s.ask(ctx, el, "ticked", &is); err != nil {
			return "", nil //nolint:nilerr // the page moved on: the click did something
		}
		if is.On != nil && *is.On == on {
			return "", nil
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("%s was clicked and is still not %s", el.name, tickWord(on))
		}
		if err := pause(ctx, nil, 20*time.Millisecond); err != nil {
			return "", err
		}
	}
}

func tickWord(on bool) string {
	if on {
		return "checked"
	}
	return "unchecked"
}

// choose selects options of a native select.
func (s *stepping) choose(ctx context.Context) (string, error) {
	el, err := s.find(ctx, s.a.Target)
	if err != nil {
		return "", err
	}
	want := s.a.Words("value")
	if len(want) == 0 {
		return "", errors.New("select needs a value: an option's label or value")
	}
	return "", s.able(ctx, el, "select", nil, want)
}

// scroll brings an element into view, or moves what scrolls.
func (s *stepping) scroll(ctx context.Context) (string, error) {
	to, by := s.a.Text("to"), 0.0
	if v, ok := number(s.a.Args["by"]); ok {
		by = v
	}
	var moved struct {
		Moved *int `json:"moved"`
		At    int  `json:"at"`
		Of    int  `json:"of"`
	}
	if s.a.Target != nil {
		el, err := s.find(ctx, s.a.Target)
		if err != nil {
			return "", err
		}
		if err := s.ask(ctx, el, "scroll", &moved, to, by); err != nil {
			return "", err
		}
	} else {
		if to == "" && by == 0 {
			return "", errors.New("scroll needs an element, to (top or bottom), or by (CSS pixels)")
		}
		s.b.mu.Lock()
		root := s.t.root
		s.b.mu.Unlock()
		r, err := s.b.eval(ctx, root, evaluation{
			Expression: fmt.Sprintf("%s.scroll(null,%s,%g)", inPage, jsString(to), by), ByValue: true,
		})
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(r.Value, &moved); err != nil {
			return "", fmt.Errorf("the page's answer: %w", err)
		}
	}
	if moved.Moved == nil {
		return "", nil
	}
	return fmt.Sprintf("scrolled by %d px, at %d of %d", *moved.Moved, moved.At, moved.Of), nil
}

// number is an argument that holds a number, whatever made it.
func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	}
	return 0, false
}

// upload puts files into a file field, or into the chooser that a click on the
// element opens.
func (s *stepping) upload(ctx context.Context) (string, error) {
	files, err := uploads(s.a.Words("files"))
	if err != nil {
		return "", err
	}
	el, err := s.find(ctx, s.a.Target)
	if err != nil {
		return "", err
	}
	var field struct {
		File, Many, Off bool
	}
	r, err := s.b.callOn(ctx, el.session, el.object, "function(){ return "+inPage+".chooses(this) }", true)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(r.Value, &field); err != nil {
		return "", fmt.Errorf("the page's answer about %s: %w", el.name, err)
	}
	s.frame = el.frame
	switch {
	case field.Off:
		return "", obstacle{Why: "disabled"}.sentence(el.name)
	case field.File && !field.Many && len(files) > 1:
		return "", fmt.Errorf("%s takes one file, not %d", el.name, len(files))
	case field.File:
		aim, err := s.b.callOn(ctx, el.session, el.object, "function(){ return "+inPage+".control(this) }", false)
		if err != nil {
			return "", err
		}
		_, err = s.b.link.call(ctx, el.session, "DOM.setFileInputFiles",
			proto.DOMSetFileInputFiles{Files: files, ObjectID: proto.RuntimeRemoteObjectID(aim.Object)})
		return "", err
	}
	return "", s.throughChooser(ctx, el, files)
}

// throughChooser clicks the element and answers the file chooser it opens.
func (s *stepping) throughChooser(ctx context.Context, el *element, files []string) error {
	select {
	case <-s.t.chooser: // one that an earlier click opened
	default:
	}
	if err := s.clickOn(ctx, el, "left", 1); err != nil {
		return err
	}
	late, cancel := context.WithTimeout(ctx, s.b.opts.FindMax)
	defer cancel()
	select {
	case c := <-s.t.chooser:
		if !c.many && len(files) > 1 {
			return fmt.Errorf("%s takes one file, not %d", el.name, len(files))
		}
		_, err := s.b.link.call(ctx, c.session, "DOM.setFileInputFiles",
			proto.DOMSetFileInputFiles{Files: files, BackendNodeID: c.node})
		return err
	case <-late.Done():
		if err := ctxErr(ctx); err != nil {
			return err
		}
		return fmt.Errorf("%s is not a file field, and a click on it opened no file chooser", el.name)
	}
}

// uploads makes paths absolute and checks that the files are there.
func uploads(paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, errors.New("upload needs files")
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		st, err := os.Stat(p)
		switch {
		case err != nil:
			return nil, fmt.Errorf("there is no file %s to upload", p)
		case st.IsDir():
			return nil, fmt.Errorf("%s is a folder, not a file", p)
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, fmt.Errorf("the file %s: %w", p, err)
		}
		out[i] = abs
	}
	return out, nil
}
