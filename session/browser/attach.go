package browser

import (
	"context"
	"encoding/base64"
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

// Endpoint is a browser that runs somewhere, alone or in a fleet.
type Endpoint struct {
	Address string      // host:port, http://host:port, or a ws:// URL; may hold a name and password, or a token
	Header  http.Header // sent with every request to it, such as Authorization
}

// String is the endpoint without what opens it: scheme, host and port. Names,
// passwords, paths and queries often are keys, and are left out.
func (e Endpoint) String() string {
	u, err := e.parse()
	if err != nil {
		return "the endpoint"
	}
	return u.Scheme + "://" + u.Host
}

func (e Endpoint) parse() (*url.URL, error) {
	address := e.Address
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, errors.New("a browser's address looks like http://127.0.0.1:9222")
	}
	return u, nil
}

// header is what is sent: a name and password in the address, as a header.
func (e Endpoint) header() http.Header {
	h := e.Header.Clone()
	u, err := e.parse()
	if err != nil || u.User == nil || h.Get("Authorization") != "" {
		return h
	}
	if h == nil {
		h = http.Header{}
	}
	word, _ := u.User.Password()
	h.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+word)))
	return h
}

// dialMax is how long an endpoint may take to answer that it is one.
const dialMax = 15 * time.Second

// dial opens a web socket to a browser.
func (e Endpoint) dial(ctx context.Context) (w wire, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialMax)
	defer cancel()
	ws, err := e.socket(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { // the handshake of whatever answered there
		if r := recover(); r != nil {
			w, err = nil, fmt.Errorf("%s does not speak the DevTools protocol: %v", e, r)
		}
	}()
	u, err := url.Parse(ws)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s names no web socket", e)
	}
	u.User = nil
	s := &cdp.WebSocket{}
	if err := s.Connect(ctx, u.String(), e.header()); err != nil {
		return nil, fmt.Errorf("attaching to %s: %w", e, rootCause(err))
	}
	return s, nil
}

// socket finds the web socket behind what a person calls a browser's address.
func (e Endpoint) socket(ctx context.Context) (string, error) {
	u, err := e.parse()
	if err != nil {
		return "", err
	}
	switch u.Scheme {
	case "ws", "wss":
		return u.String(), nil
	case "http", "https":
	default:
		return "", fmt.Errorf("%s is not a browser's address; it looks like http://127.0.0.1:9222", e)
	}
	u.Path, u.User = strings.TrimSuffix(u.Path, "/")+"/json/version", nil
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", fmt.Errorf("%s: %w", e, rootCause(err))
	}
	if h := e.header(); h != nil {
		req.Header = h
	}
	res, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return "", fmt.Errorf("no browser answers at %s (start one with --remote-debugging-port=%s): %w",
			e, orElse(u.Port(), "9222"), rootCause(err))
	}
	defer func() { _ = res.Body.Close() }()
	var v struct {
		WS string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&v); err != nil || v.WS == "" {
		if res.StatusCode != http.StatusOK {
			return "", fmt.Errorf("what answers at %s is not a browser's debugging port, or asks for a key: %s", e, res.Status)
		}
		return "", fmt.Errorf("what answers at %s is not a browser's debugging port", e)
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
