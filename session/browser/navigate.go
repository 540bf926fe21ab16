package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

var hasScheme = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// Address makes a URL of what a person calls a page: a URL, a local file, or a
// host without its scheme. base, a URL, is what a relative address is read
// against; it may be empty.
func Address(s, base string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "", errors.New("no address is given")
	}
	if st, err := os.Stat(s); err == nil && !st.IsDir() {
		abs, err := filepath.Abs(s)
		if err != nil {
			return "", fmt.Errorf("the file %s: %w", s, err)
		}
		return (&url.URL{Scheme: "file", Path: filepath.ToSlash(abs)}).String(), nil
	}
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "?") || strings.HasPrefix(s, "#") || strings.HasPrefix(s, ".") {
		b, err := url.Parse(base)
		if err != nil || b.Host == "" || !strings.HasPrefix(b.Scheme, "http") {
			return "", fmt.Errorf("there is no file %s, and no page that it could be an address on", s)
		}
		u, err := b.Parse(s)
		if err != nil {
			return "", fmt.Errorf("%q is not an address: %w", s, err)
		}
		return u.String(), nil
	}
	if !hasScheme.MatchString(s) || hostPort.MatchString(s) {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil {
		return "", fmt.Errorf("%q is not an address: %w", s, rootCause(err))
	}
	if (u.Scheme == "http" || u.Scheme == "https") && u.Host == "" {
		return "", fmt.Errorf("%q is not an address: it names no host", s)
	}
	return s, nil
}

// hostPort is an address like localhost:8080/leads, which is no scheme.
var hostPort = regexp.MustCompile(`^[a-zA-Z0-9.-]+:\d+(/|\?|#|$)`)

// base is the address that relative ones are read against.
func (s *stepping) base() string {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if s.t == nil || s.t.root == nil {
		return ""
	}
	return s.t.root.url
}

func (s *stepping) goTo(ctx context.Context) (string, error) {
	to, err := Address(s.a.Text("url"), s.base())
	if err != nil {
		return "", err
	}
	return s.b.navigate(ctx, s.t, to)
}

// navigate loads a document and answers when it has begun to arrive.
func (b *Browser) navigate(ctx context.Context, t *tab, to string) (string, error) {
	b.mu.Lock()
	session := t.session
	t.status, t.download = "", ""
	b.mu.Unlock()
	b.free(t)
	slow := fmt.Errorf("%s did not answer within %s", to, seconds(b.opts.Settle.NavigateMax))
	nctx, cancel := context.WithTimeoutCause(ctx, b.opts.Settle.NavigateMax, slow)
	defer cancel()
	raw, err := b.link.call(nctx, session, "Page.navigate", proto.PageNavigate{URL: to})
	if err != nil {
		if nctx.Err() != nil && !errors.Is(err, errDialog) { // whoever gave up does not want the page later
			b.link.post(session, "Page.stopLoading", nil)
		}
		var p *protocolError
		if errors.As(err, &p) {
			return "", fmt.Errorf("%s cannot be opened: %s", to, strings.ToLower(p.Message))
		}
		return "", err
	}
	var res proto.PageNavigateResult
	if err := json.Unmarshal(raw, &res); err != nil {
		return "", fmt.Errorf("opening %s: %w", to, err)
	}
	if res.ErrorText == "net::ERR_ABORTED" {
		if err := b.aborted(ctx, t); err != nil {
			return "", err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case t.download != "":
		return "", fmt.Errorf("%s is a download (%s), not a page; the page stays where it was", to, quoted(t.download))
	case res.ErrorText == "net::ERR_ABORTED" && !strings.HasPrefix(to, "http"):
		return "", fmt.Errorf("%s cannot be opened: the browser shows no such address as a page", to)
	case res.ErrorText == "net::ERR_ABORTED":
		return "", fmt.Errorf("%s answered with nothing to show; the page stays where it was", to)
	case res.ErrorText != "":
		return "", fmt.Errorf("%s cannot be opened: %s", to, netError(res.ErrorText))
	}
	if res.LoaderID != "" && t.root != nil && t.root.loader != string(res.LoaderID) {
		// The commit is told by an event that is on its way.
		t.root.requested = true
	}
	return httpText(t.status), nil
}

// aborted waits a moment for the reason of a navigation that was given up: that
// it became a download, or that the page crashed, is told after it.
func (b *Browser) aborted(ctx context.Context, t *tab) error {
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		b.mu.Lock()
		known, changed := t.download != "" || t.crashed, b.changed
		b.mu.Unlock()
		if known {
			break
		}
		if err := pause(ctx, changed, time.Until(end)); err != nil {
			return err
		}
	}
	return ctxErr(ctx)
}

// httpText is worth saying only where the answer was not a plain one.
func httpText(status string) string {
	if status == "" || strings.HasPrefix(status, "2") || strings.HasPrefix(status, "0") {
		return ""
	}
	return "HTTP " + status
}

// netErrors says the commonest network errors in words.
var netErrors = map[string]string{
	"ERR_NAME_NOT_RESOLVED":      "the host name does not resolve; check its spelling and the network",
	"ERR_CONNECTION_REFUSED":     "the connection was refused; is the server running there?",
	"ERR_CONNECTION_RESET":       "the server closed the connection",
	"ERR_CONNECTION_CLOSED":      "the server closed the connection",
	"ERR_EMPTY_RESPONSE":         "the server sent no answer",
	"ERR_CONNECTION_TIMED_OUT":   "the server did not answer in time",
	"ERR_TIMED_OUT":              "the server did not answer in time",
	"ERR_INTERNET_DISCONNECTED":  "there is no network",
	"ERR_ADDRESS_UNREACHABLE":    "the address cannot be reached",
	"ERR_FILE_NOT_FOUND":         "there is no such file",
	"ERR_UNSAFE_PORT":            "browsers refuse this port",
	"ERR_TOO_MANY_REDIRECTS":     "it redirects without end",
	"ERR_INVALID_URL":            "it is not a valid URL",
	"ERR_UNKNOWN_URL_SCHEME":     "the browser does not know this kind of URL",
	"ERR_CERT_AUTHORITY_INVALID": "its certificate is not trusted",
	"ERR_SSL_PROTOCOL_ERROR":     "it does not speak TLS; try http://",
	"ERR_BLOCKED_BY_CLIENT":      "the browser blocked it",
}

func netError(text string) string {
	code := strings.TrimPrefix(text, "net::")
	if words := netErrors[code]; words != "" {
		return words + " (" + code + ")"
	}
	return code
}

func (s *stepping) back(ctx context.Context) (string, error)    { return s.history(ctx, -1) }
func (s *stepping) forward(ctx context.Context) (string, error) { return s.history(ctx, 1) }

// history goes to another entry of the tab's history.
func (s *stepping) history(ctx context.Context, by int) (string, error) {
	raw, err := s.b.link.call(ctx, s.t.session, "Page.getNavigationHistory", nil)
	if err != nil {
		return "", err
	}
	var h proto.PageGetNavigationHistoryResult
	if err := json.Unmarshal(raw, &h); err != nil {
		return "", fmt.Errorf("the tab's history: %w", err)
	}
	to := h.CurrentIndex + by
	if to < 0 || to >= len(h.Entries) {
		if by < 0 {
			return "", errors.New("there is no page to go back to")
		}
		return "", errors.New("there is no page to go forward to")
	}
	s.b.free(s.t)
	_, err = s.b.link.call(ctx, s.t.session, "Page.navigateToHistoryEntry",
		proto.PageNavigateToHistoryEntry{EntryID: h.Entries[to].ID})
	s.expect(err)
	return "", err
}

func (s *stepping) reload(ctx context.Context) (string, error) {
	s.b.free(s.t)
	_, err := s.b.link.call(ctx, s.t.session, "Page.reload", nil)
	s.expect(err)
	return "", err
}

// expect makes settling wait for a navigation the browser was told to make: its
// answer may come before its first event.
func (s *stepping) expect(err error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	if err == nil && s.t.root != nil && !s.t.root.loading {
		s.t.root.requested = true
	}
}

// free ends a script that holds the page's thread, so that it can be left.
func (b *Browser) free(t *tab) {
	b.mu.Lock()
	held := t.busy
	t.busy = false
	b.mu.Unlock()
	if held {
		b.link.post(t.session, "Runtime.terminateExecution", nil)
	}
}
