//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// strangers are requests that a page of another site, or another machine's name for
// this one, can make a browser send. None may come in.
var strangers = []struct {
	name   string
	method string
	header map[string]string
}{
	{"origin", http.MethodPost, map[string]string{"Origin": "http://evil.test", "Content-Type": "text/plain"}},
	{"null origin", http.MethodPost, map[string]string{"Origin": "null", "Content-Type": "text/plain"}},
	{"cross-site", http.MethodPost, map[string]string{"Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"}},
	{"cross-site GET", http.MethodGet, map[string]string{"Sec-Fetch-Site": "cross-site"}},
	{"same-site", http.MethodPost, map[string]string{"Sec-Fetch-Site": "same-site"}},
	{"another host", http.MethodPost, map[string]string{"Host": "evil.test"}},
	{"a host that resolves here", http.MethodPost, map[string]string{"Host": "127.0.0.1.evil.test:8790"}},
	{"origin of a like name", http.MethodPost, map[string]string{"Origin": "http://127.0.0.1.evil.test"}},
	{"preflight", http.MethodOptions, map[string]string{"Origin": "http://evil.test", "Access-Control-Request-Method": "POST"}},
}

// reachable are addresses that other machines reach: nobody may listen there without
// having said so.
var reachable = []string{"0.0.0.0:0", "[::]:0", ":0"}

// ports knocks at every port that is opened, as pages of other sites would.
func ports(f *field) {
	proxies := []string{"api --to UP --listen 127.0.0.1:0 --record REC", "mcp --to UP/v1/messages --listen 127.0.0.1:0 --record REC"}
	n := len(proxies) * (len(strangers) + len(reachable))
	f.each(n, 1, func(i int, r *rand.Rand) (string, error) { // one: what the site was asked is counted
		line, k := proxies[i%len(proxies)], i/len(proxies)
		home, env := f.home()
		rec := filepath.Join(home, "rec.jsonl")
		args := words(line, "UP", f.site.URL, "REC", rec)
		if k >= len(strangers) {
			at := reachable[k-len(strangers)]
			for j := range args {
				args[j] = strings.ReplaceAll(args[j], "127.0.0.1:0", at)
			}
			e := f.do(call{args: args, env: env, dir: home, limit: 20 * time.Second, during: func(p *os.Process, _ *tee) {
				time.Sleep(3 * time.Second)
				_ = p.Signal(os.Interrupt)
			}})
			if e.status != 2 {
				return args[0] + " at " + at, fmt.Errorf("status %d: %s", e.status, clip(e.err, 200))
			}
			return args[0] + " at " + at, nil
		}
		s := strangers[k]
		what := args[0] + ", " + s.name
		mark := fmt.Sprintf("mark%x", r.Uint64())
		return what, f.knock(call{args: args, env: env, dir: home}, s.method, mark, s.header, rec)
	})
}

// knock starts a proxy, sends it a stranger's request and then one of an agent's:
// the first is refused and nowhere in the recording, the second gets through.
func (f *field) knock(c call, method, mark string, header map[string]string, rec string) error {
	body := func(text string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + text + `"},"model":"m","tools":[{"name":"browser_snapshot","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"` + text + `"}]}`
	}
	var failed error
	c.limit = time.Minute
	c.said = &tee{}
	c.during = func(p *os.Process, _ *tee) {
		defer func() { _ = p.Signal(os.Interrupt) }()
		at, err := c.said.address(f.site.URL)
		if failed = err; err != nil {
			return
		}
		at = strings.TrimSuffix(at, "/v1/messages") + "/v1/messages"
		before := f.site.asked.Load()
		req, err := http.NewRequest(method, at, strings.NewReader(body(mark)))
		if failed = err; err != nil {
			return
		}
		status, err := send(req, header)
		switch {
		case err != nil:
			failed = err
		case status < 400:
			failed = fmt.Errorf("it came in: %d", status)
		case f.site.asked.Load() != before:
			failed = fmt.Errorf("it was passed on, and answered %d", status)
		}
		if failed != nil {
			return
		}
		status, err = post(at, body("friend"), map[string]string{"Content-Type": "application/json"})
		if err != nil || status != http.StatusOK {
			failed = errors.Join(err, fmt.Errorf("an agent's own request came back with %d", status))
		}
	}
	e := f.do(c)
	if failed != nil {
		return fmt.Errorf("%w: %s", failed, clip(e.err, 200))
	}
	data, err := os.ReadFile(rec)
	switch {
	case err != nil:
		return err
	case bytes.Contains(data, []byte(mark)):
		return errors.New("what a stranger said is in the recording")
	case !bytes.Contains(data, []byte("friend")):
		return errors.New("what the agent said is not in the recording")
	}
	return nil
}
