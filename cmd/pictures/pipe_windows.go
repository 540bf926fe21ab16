package main

import "errors"

// namedPipe has no twin here: there is no tmux on Windows to film either.
func namedPipe(string) error { return errors.ErrUnsupported }
