// Package store is where sessions come from and where a sweep's parts go: folders,
// and buckets of S3 by their addresses.
//
//	runs/                  a folder; every worker must see it at the same place
//	s3://bucket/prefix     a bucket; endpoint and credentials from the environment
//
// A source is listed once, by who starts the sweep. A target holds small files with
// names of their own; each appears whole, in one move.
package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"snapscope/replay/sweep"
	"snapscope/replay/transcript"
)

// Full reports whether an error says that a disk takes no more.
func Full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// Target is a store that files can be taken from again.
type Target interface {
	sweep.Store
	Remove(name string) error
}

// IsBucket reports whether an address is one of S3.
func IsBucket(address string) bool { return strings.HasPrefix(address, "s3://") }

// OpenTarget opens the folder or the bucket that parts go to. A folder is made where
// there is none. ctx lasts as long as the target is used.
func OpenTarget(ctx context.Context, address string) (Target, error) {
	if IsBucket(address) {
		return openBucket(ctx, address)
	}
	if err := os.MkdirAll(address, 0o755); err != nil {
		return nil, err
	}
	return folder{sweep.Folder(address)}, nil
}

// folder is a folder as a target.
type folder struct{ sweep.Folder }

func (f folder) Remove(name string) error { return os.Remove(filepath.Join(string(f.Folder), name)) }

// List are the sessions of a source, by name, each with what tells it from another
// and from what it was. Of a bucket it is what the listing says; a folder's files are
// read for it. progress is told how many of all sessions it has, of 0 where that is
// not known yet.
func List(ctx context.Context, source string, progress func(done, of int)) ([]sweep.InputFile, error) {
	if IsBucket(source) {
		b, err := openBucket(ctx, source)
		if err != nil {
			return nil, err
		}
		return b.sessions(progress)
	}
	names := []string{source}
	info, err := os.Stat(source)
	if err != nil {
		return nil, fmt.Errorf("reading the source: %w", err)
	}
	if info.IsDir() {
		if names, err = transcript.Below(ctx, source); err != nil {
			return nil, err
		}
	}
	out := make([]sweep.InputFile, len(names))
	for i, name := range names {
		if out[i] = sweep.Fingerprint(ctx, name); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		progress(i+1, len(names))
	}
	return out, nil
}
