package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

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
	var many *manyMatch
	switch {
	case errors.As(err, &none):
		return open, nil
	case err != nil && el == nil && ctxErr(ctx) == nil && !errors.As(err, &many):
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
		r, err := s.b.eval(ctx, f, evaluation{Expression: inPage + ".holds(" + jsString(text) + ")", ByValue: true})
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
