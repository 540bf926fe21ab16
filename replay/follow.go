package replay

import (
	"context"
	"errors"
	"io"
	"os"

	"snapscope/session"
)

// Follow plays a recording that another program is still writing: Step answers
// io.EOF where the file ends for now and Changed is signalled when it grew.
func Follow(path string) (*Feed, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	info := session.Info{Mode: session.ModeFollow, Name: path}
	return NewFeed(info, func(ctx context.Context, in *Inlet) error {
		return FollowTo(ctx, path, in)
	}), nil
}

// FollowTo is the source behind Follow.
func FollowTo(ctx context.Context, path string, in *Inlet) error {
	g, err := NewGrowing(ctx, path, in.Idle)
	if err != nil {
		return err
	}
	defer g.Close()
	err = decodeTo(ctx, g, path, in)
	if errors.Is(err, ErrReplaced) {
		in.Put(session.Event{Kind: session.KindNote, Note: &session.Note{Text: "the recording was replaced by another file; what follows is not shown"}})
		return nil
	}
	return err
}

func decodeTo(ctx context.Context, r io.Reader, name string, in *Inlet) error {
	d := NewDecoder(r, name)
	for ctx.Err() == nil {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			for _, n := range d.Notes() {
				in.Put(session.Event{Kind: session.KindNote, Note: &session.Note{Text: n}})
			}
			return nil
		}
		if err != nil {
			return err
		}
		in.Put(e)
	}
	return ctx.Err()
}
