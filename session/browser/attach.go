package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/cdp"
)

// dial opens a web socket to a browser.
func dial(ctx context.Context, ws string) (w wire, err error) {
	defer func() { // the handshake of whatever answered there
		if r := recover(); r != nil {
			w, err = nil, fmt.Errorf("%s does not speak the DevTools protocol: %v", ws, r)
		}
	}()
	s := &cdp.WebSocket{}
	if err := s.Connect(ctx, ws, nil); err != nil {
		return nil, err
	}
	return s, nil
}

// endpoint finds the web socket behind what a person calls a browser's address:
// host:port, http://host:port, or the ws:// URL itself.
func endpoint(ctx context.Context, address string) (string, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("%q is not an address; it looks like http://127.0.0.1:9222", address)
	}
	switch u.Scheme {
	case "ws", "wss":
		return address, nil
	case "http", "https":
	default:
		return "", fmt.Errorf("%q is not a browser's address; it looks like http://127.0.0.1:9222", address)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + "/json/version"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	res, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return "", fmt.Errorf("no browser answers at %s (start one with --remote-debugging-port=%s): %w",
			address, orElse(u.Port(), "9222"), rootCause(err))
	}
	defer func() { _ = res.Body.Close() }()
	var v struct {
		WS string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&v); err != nil || v.WS == "" {
		return "", fmt.Errorf("what answers at %s is not a browser's debugging port", address)
	}
	return v.WS, nil
}

// rootCause drops the layers that only repeat the address.
func rootCause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
