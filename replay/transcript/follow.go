package transcript

import (
	"context"
	"errors"
	"fmt"
	"os"

	"snapscope/replay"
	"snapscope/replay/transcript/format"
	"snapscope/session"
)

// Follow plays a transcript that another program is still writing. Step answers
// io.EOF where the file ends for now, and Changed is signalled when it grew. A
// half-written line is never shown.
func Follow(path string, opt Options) (session.Engine, error) {
	path, err := within(path)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(path); err == nil && st.IsDir() { // parts in files of their own: as they are now
		return Open(path, opt, nil)
	}
	if packedFile(path) { // whole by now: nobody appends to it
		return Open(path, opt, nil)
	}
	info := session.Info{Mode: session.ModeFollow, Name: path}
	return replay.NewFeed(info, func(ctx context.Context, in *replay.Inlet) error {
		f := &follower{path: path, opt: opt, in: in}
		for {
			err := f.run(ctx)
			if !errors.Is(err, replay.ErrReplaced) {
				return err
			}
		}
	}), nil
}

// follower gives the events of a file that may be appended to, or written anew
// with more in it.
type follower struct {
	path string
	opt  Options
	in   *replay.Inlet
	sent int // events given; a file read anew begins with the same ones
}

func (f *follower) run(ctx context.Context) error {
	kind, err := f.format(ctx)
	if err != nil {
		return err
	}
	if kind.Rewritten {
		return f.again(ctx)
	}
	opt := f.opt
	opt.Format = kind.Name
	var r *format.Reading
	g, err := replay.NewGrowing(ctx, f.path, func() {
		if r != nil {
			r.Idle()
		}
		f.in.Idle()
	})
	if err != nil {
		return err
	}
	defer g.Close()
	n := 0
	_, err = streamFrom(ctx, g, f.path, opt, func(e session.Event) {
		if n++; n > f.sent {
			f.in.Put(e)
			f.sent = n
		}
	}, func(got *format.Reading) { r = got })
	return err
}

// format waits until the file tells what it is.
func (f *follower) format(ctx context.Context) (*format.Format, error) {
	if f.opt.Format != "" {
		return format.Find(f.opt.Format)
	}
	w := replay.NewWatch(f.path)
	defer w.Close()
	for {
		if err := w.Changed(ctx); err != nil {
			return nil, err
		}
		file, err := os.Open(f.path)
		if err != nil {
			return nil, fmt.Errorf("follow: %w", err)
		}
		_, kind, err := detectFrom(file, f.path, f.opt)
		st, _ := file.Stat()
		file.Close()
		if err == nil {
			return kind, nil
		}
		if st == nil || st.Size() > format.HeadSize {
			return nil, err
		}
		f.in.Idle()
	}
}

// again reads a file whole each time it changes and gives what is new in it.
func (f *follower) again(ctx context.Context) error {
	w := replay.NewWatch(f.path)
	defer w.Close()
	for {
		if err := w.Changed(ctx); err != nil {
			return err
		}
		var events []session.Event
		im, err := Stream(ctx, f.path, f.opt, func(e session.Event) { events = append(events, e) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && !im.Cut { // else it is being written right now
			for _, e := range events[min(f.sent, len(events)):] {
				f.in.Put(e)
			}
			f.sent = max(f.sent, len(events))
		}
		f.in.Idle()
	}
}
