package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	t, err := s.b.makeTab(ctx, s.b.opts.Settle.NavigateMax)
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
