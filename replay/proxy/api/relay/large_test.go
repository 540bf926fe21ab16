package relay_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"snapscope/replay/proxy/api/relay"
)

// A request up to 64 MB is read, and a rule applied to it; a larger one passes
// unread, byte for byte, and the recording says so.
func TestRequestsOfMoreThan64MB(t *testing.T) {
	hash := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := sha256.New()
		n, err := io.Copy(h, r.Body)
		fmt.Fprintf(w, `{"n":%d,"sum":"%x","err":%q}`, n, h.Sum(nil), fmt.Sprint(err))
	})
	b := start(t, hash, relay.Options{Expiry: expiry(t, "openclaw")})
	const most = 64 << 20
	for i, size := range []int{most, most + 1} {
		const head, foot = `{"model":"m","messages":[{"role":"user","content":"`, `"}]}`
		body := append(append([]byte(head), bytes.Repeat([]byte("a"), size-len(head)-len(foot))...), foot...)
		res, err := http.Post(b.url+"/v1/messages", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf(`{"n":%d,"sum":"%x","err":"<nil>"}`, size, sha256.Sum256(body)); string(got) != want {
			t.Errorf("the vendor got %s, want %s", got, want)
		}
		x := b.ended(t, i+1)[i]
		if unread := strings.Contains(strings.Join(x.Trouble, "; "), "more than 64 MB went on unread"); unread != (size > most) || (x.Request == nil) != unread {
			t.Errorf("%d bytes: read %v, %v", size, x.Request != nil, x.Trouble)
		}
	}
}
