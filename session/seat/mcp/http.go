package mcp

import (
	"context"
	"errors"
)

// HTTP stands before a server that speaks streamable HTTP.
func (p *Proxy) HTTP(_ context.Context, _, _ string) error { return errors.New("not yet") }
