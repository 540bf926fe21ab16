package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// mouse is one mouse event to send.
type mouse struct {
	Type    string  `json:"type"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Button  string  `json:"button,omitempty"`
	Buttons int     `json:"buttons"`
	Clicks  int     `json:"clickCount,omitempty"`
}

var buttonBits = map[string]int{"left": 1, "right": 2, "middle": 4}

// send hands input events to the page in one go and waits until it has taken
// them all: one trip instead of one each.
func (s *stepping) send(ctx context.Context, method string, events ...any) error {
	replies := make([]chan reply, len(events))
	for i, e := range events {
		replies[i] = make(chan reply, 1)
		if _, err := s.b.link.enqueue(s.t.session, method, e, replies[i]); err != nil {
			return err
		}
	}
	for _, ch := range replies {
		select {
		case r := <-ch:
			if r.err != nil {
				return r.err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// press is a full click at a point, times in a row.
func (s *stepping) press(ctx context.Context, p spot, button string, times int) error {
	events := []any{mouse{Type: "mouseMoved", X: p.X, Y: p.Y}}
	for n := 1; n <= times; n++ {
		events = append(events,
			mouse{Type: "mousePressed", X: p.X, Y: p.Y, Button: button, Buttons: buttonBits[button], Clicks: n},
			mouse{Type: "mouseReleased", X: p.X, Y: p.Y, Button: button, Clicks: n})
	}
	return s.send(ctx, "Input.dispatchMouseEvent", events...)
}

func (s *stepping) click(ctx context.Context) (string, error) {
	return s.clickTimes(ctx, orElse(s.a.Text("button"), "left"), 1)
}

func (s *stepping) dblclick(ctx context.Context) (string, error) {
	return s.clickTimes(ctx, "left", 2)
}

func (s *stepping) clickTimes(ctx context.Context, button string, times int) (string, error) {
	if buttonBits[button] == 0 {
		return "", fmt.Errorf("there is no mouse button %q; there are left, right, middle", button)
	}
	el, err := s.find(ctx, s.a.Target)
	if err != nil {
		return "", err
	}
	return "", s.clickOn(ctx, el, button, times)
}

// clickOn clicks an element, or the label that stands for one out of sight.
func (s *stepping) clickOn(ctx context.Context, el *element, button string, times int) error {
	p, err := s.reach(ctx, el, true)
	if err != nil {
		return err
	}
	return s.press(ctx, p, button, times)
}

func (s *stepping) hover(ctx context.Context) (string, error) {
	el, err := s.find(ctx, s.a.Target)
	if err != nil {
		return "", err
	}
	p, err := s.reach(ctx, el, false)
	if err != nil {
		return "", err
	}
	return "", s.send(ctx, "Input.dispatchMouseEvent", mouse{Type: "mouseMoved", X: p.X, Y: p.Y})
}

// drag drags one element onto another: as the mouse does, and where the page
// uses the browser's own drag and drop, by its events.
func (s *stepping) drag(ctx context.Context) (string, error) {
	to := s.a.Element("to")
	if to == nil {
		return "", errors.New("drag needs to: the element to drop on")
	}
	from, err := s.find(ctx, s.a.Target)
	if err != nil {
		return "", err
	}
	onto, err := s.find(ctx, to)
	if err != nil {
		return "", err
	}
	native := false
	if err := s.ask(ctx, from, "draggable", &native); err != nil {
		return "", err
	}
	b, err := s.reach(ctx, onto, false) // scrolls it into view first: the start must stay
	if err != nil {
		return "", err
	}
	a, err := s.reach(ctx, from, true)
	if err != nil {
		return "", err
	}
	if again, err := s.point(ctx, onto, false); err == nil && again.Why == "" {
		b = again
		if back, err := s.point(ctx, from, false); err == nil && back.Why == "" {
			a = back
		}
	}
	return "", s.dragBetween(ctx, a, b, native)
}

func (s *stepping) dragBetween(ctx context.Context, a, b spot, native bool) error {
	b1 := buttonBits["left"]
	mid := spot{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}
	if native {
		s.drain()
		s.b.link.post(s.t.session, "Input.setInterceptDrags", proto.InputSetInterceptDrags{Enabled: true})
		defer s.b.link.post(s.t.session, "Input.setInterceptDrags", proto.InputSetInterceptDrags{})
	}
	start := []any{
		mouse{Type: "mouseMoved", X: a.X, Y: a.Y},
		mouse{Type: "mousePressed", X: a.X, Y: a.Y, Button: "left", Buttons: b1, Clicks: 1},
		mouse{Type: "mouseMoved", X: a.X + 4, Y: a.Y + 4, Button: "left", Buttons: b1},
		mouse{Type: "mouseMoved", X: mid.X, Y: mid.Y, Button: "left", Buttons: b1},
	}
	end := mouse{Type: "mouseReleased", X: b.X, Y: b.Y, Button: "left", Clicks: 1}
	if !native {
		return s.send(ctx, "Input.dispatchMouseEvent", append(start,
			mouse{Type: "mouseMoved", X: b.X, Y: b.Y, Button: "left", Buttons: b1},
			mouse{Type: "mouseMoved", X: b.X, Y: b.Y, Button: "left", Buttons: b1}, end)...)
	}
	data, err := s.intercepted(ctx, start)
	if err != nil {
		return err
	}
	if data == nil { // the page would not have it dragged
		return s.send(ctx, "Input.dispatchMouseEvent",
			mouse{Type: "mouseMoved", X: b.X, Y: b.Y, Button: "left", Buttons: b1}, end)
	}
	for _, kind := range []proto.InputDispatchDragEventType{
		proto.InputDispatchDragEventTypeDragEnter, proto.InputDispatchDragEventTypeDragOver, proto.InputDispatchDragEventTypeDrop,
	} {
		if err := s.send(ctx, "Input.dispatchDragEvent",
			proto.InputDispatchDragEvent{Type: kind, X: b.X, Y: b.Y, Data: data}); err != nil {
			return err
		}
	}
	return s.send(ctx, "Input.dispatchMouseEvent", end)
}

// drain forgets a drag that was intercepted before.
func (s *stepping) drain() {
	select {
	case <-s.t.dragged:
	default:
	}
}

// intercepted starts a drag and answers what is dragged, nil if the page began
// none.
func (s *stepping) intercepted(ctx context.Context, start []any) (*proto.InputDragData, error) {
	sent := make(chan error, 1)
	go func() { sent <- s.send(ctx, "Input.dispatchMouseEvent", start...) }()
	select {
	case data := <-s.t.dragged:
		return data, nil
	case err := <-sent:
		if err != nil {
			return nil, err
		}
	}
	// The event follows the mouse's answer, or never comes.
	late, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	select {
	case data := <-s.t.dragged:
		return data, nil
	case <-late.Done():
		return nil, ctxErr(ctx)
	}
}
