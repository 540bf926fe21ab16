package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"

	"github.com/go-rod/rod/lib/proto"

	"snapscope/session"
	"snapscope/snapshot"
)

// Screenshot is a PNG of the current tab's viewport as it is now.
func (b *Browser) Screenshot(ctx context.Context) ([]byte, error) {
	ctx, done, err := b.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	t, err := b.tab(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.held(t); err != nil {
		return nil, err
	}
	return b.picture(ctx, t, nil)
}

// picture takes one; clip is in CSS pixels of the viewport, nil for all of it.
func (b *Browser) picture(ctx context.Context, t *tab, clip *proto.PageViewport) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*b.opts.ReadyMax, errBusyPage)
	defer cancel()
	if clip != nil { // the protocol counts from the document's corner
		x, y, err := b.scrolled(ctx, t)
		if err != nil {
			return nil, err
		}
		clip.X, clip.Y = clip.X+x, clip.Y+y
	}
	raw, err := b.link.call(ctx, t.session, "Page.captureScreenshot", proto.PageCaptureScreenshot{
		Format: proto.PageCaptureScreenshotFormatPng, Clip: clip, OptimizeForSpeed: true,
	})
	if err != nil {
		return nil, fmt.Errorf("taking a picture of the page: %w", err)
	}
	var res struct {
		Data []byte `json:"data"`
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return nil, fmt.Errorf("taking a picture of the page: %w", err)
	}
	return res.Data, nil
}

func (b *Browser) scrolled(ctx context.Context, t *tab) (x, y float64, err error) {
	b.mu.Lock()
	root := t.root
	b.mu.Unlock()
	r, err := b.eval(ctx, root, evaluation{Expression: "[scrollX, scrollY]", ByValue: true})
	if err != nil {
		return 0, 0, err
	}
	var at [2]float64
	err = json.Unmarshal(r.Value, &at)
	return at[0], at[1], err
}

// Box is where an element of the current tab is now, in the viewport of the
// page, by its ref.
func (b *Browser) Box(ctx context.Context, ref string) (snapshot.Box, error) {
	ctx, done, err := b.begin(ctx)
	if err != nil {
		return snapshot.Box{}, err
	}
	defer done()
	t, err := b.tab(ctx)
	if err != nil {
		return snapshot.Box{}, err
	}
	if err := b.held(t); err != nil {
		return snapshot.Box{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, b.opts.ReadyMax, errBusyPage)
	defer cancel()
	s := &stepping{b: b, t: t, a: session.Action{}}
	el, err := s.byRef(ctx, ref)
	if err != nil {
		return snapshot.Box{}, err
	}
	return s.boxOf(ctx, el)
}

// boxOf is an element's border box in the viewport of the page, through all
// frames around it.
func (s *stepping) boxOf(ctx context.Context, el *element) (snapshot.Box, error) {
	var r struct{ X, Y, W, H float64 }
	if err := s.ask(ctx, el, "box", &r); err != nil {
		return snapshot.Box{}, err
	}
	for f := el.frame; ; {
		s.b.mu.Lock()
		parent := f.parent
		s.b.mu.Unlock()
		if parent == nil {
			break
		}
		owner, err := s.owner(ctx, parent, f)
		if err != nil {
			return snapshot.Box{}, err
		}
		x, y := s.b.contentOrigin(ctx, owner.session, owner.object)
		r.X, r.Y = r.X+float64(x), r.Y+float64(y)
		f = parent
	}
	return snapshot.Box{X: round(r.X), Y: round(r.Y), W: round(r.W), H: round(r.H)}, nil
}

func round(f float64) int {
	if f < 0 {
		return -int(-f + 0.5)
	}
	return int(f + 0.5)
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
	data, err := s.b.picture(ctx, s.t, clip)
	if err != nil {
		return "", err
	}
	file, mode := s.a.Text("file"), os.FileMode(0o644)
	if file == "" {
		mode = 0o600
		s.b.mu.Lock()
		s.b.shots++
		file = filepath.Join(s.b.opts.Shots, fmt.Sprintf("screenshot-%d.png", s.b.shots))
		s.b.mu.Unlock()
	}
	if err := os.WriteFile(file, data, mode); err != nil {
		return "", fmt.Errorf("writing the screenshot: %w", err)
	}
	s.image, s.size = file, sizeOf(data)
	return "wrote " + file, nil
}

// sizeOf is a PNG's width and height in pixels, zero where it is none.
func sizeOf(data []byte) snapshot.Size {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return snapshot.Size{}
	}
	return snapshot.Size{W: c.Width, H: c.Height}
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
