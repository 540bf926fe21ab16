package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"snapscope/snapshot/token"
)

// The largest texts that are read, in bytes: far beyond any real one, small enough
// that a wrong file does not fill the memory.
const (
	maxText     = 1 << 30
	maxSettings = 16 << 20
)

// readFile reads a regular file of at most so many bytes. Anything else is refused:
// a pipe would be waited for, and a device has no end.
func readFile(path string, most int64) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(path, st); err != nil {
		return nil, err
	}
	if st.Size() > most {
		return nil, fmt.Errorf("%s has %d MB, more than is read (%d MB)", path, st.Size()>>20, most>>20)
	}
	return os.ReadFile(path)
}

// absent reports whether a file that nobody named is simply not there. That is also
// so where a folder on its path is a file: in some containers HOME is /dev/null.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// regular is the error of reading what is no regular file.
func regular(path string, st fs.FileInfo) error {
	switch {
	case st.IsDir():
		return fmt.Errorf("%s is a folder; name a file", path)
	case !st.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file; what comes through a pipe can be given on standard input, under the name -", path)
	}
	return nil
}

// readText reads a text file, or stdin for "-" until ctx ends.
func readText(ctx context.Context, file string) (string, error) {
	if file != "-" {
		b, err := readFile(file, maxText)
		return token.ReplaceInvalid(string(b)), err
	}
	type read struct {
		b   []byte
		err error
	}
	got := make(chan read, 1)
	go func() { // a read of a pipe cannot be stopped; it ends with the program
		b, err := io.ReadAll(io.LimitReader(os.Stdin, maxText+1))
		got <- read{b, err}
	}()
	select {
	case r := <-got:
		if r.err == nil && len(r.b) > maxText {
			r.err = errors.New("more than 1 GB came")
		}
		if r.err != nil {
			return "", fmt.Errorf("reading standard input: %w", r.err)
		}
		return token.ReplaceInvalid(string(r.b)), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
