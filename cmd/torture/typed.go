//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// secretFields are fields that a person types something secret into, as pages name
// them.
var secretFields = []string{"Password", "API key", "Private key", "Access token", "PIN", "Clave", "Contraseña", "Hasło", "Wachtwoord", "Mot de passe", "Passwort", "Пароль", "密码", "暗証番号", "비밀번호"}

// secretPage has each of them as plain text fields, text areas and editable parts.
func secretPage() string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Sign in</title>")
	for i, name := range secretFields {
		fmt.Fprintf(&b, "<p><label for=t%d>%s</label><input id=t%d></p><p><label>%s<textarea id=a%d></textarea></label></p><p><div contenteditable role=textbox aria-label=\"%s\" id=c%d>-</div></p><p><input type=password aria-label=\"%s\" id=p%d></p>", i, name, i, name, i, name, i, name, i)
	}
	return b.String()
}

// typedWays are the ways on which a secret that is typed, or that a client sends, may
// get into what the program writes. Each answers what was said.
var typedWays = []struct {
	name string
	try  func(f *field, t *planted) (said string, err error)
}{
	{"typed by run", (*field).typedByRun},
	{"typed on the screen", (*field).typedOnTheScreen},
	{"passed by api", (*field).passedByAPI},
}

// planted is a secret and where it is tried.
type planted struct {
	secret string
	home   string
	env    []string
	in     string // a folder for what the try itself writes: it holds the secret
	r      *rand.Rand
}

// typedSecret types or sends a secret and then looks for it in every file that was
// written and in everything that was said.
func (f *field) typedSecret(i int, r *rand.Rand) (string, error) {
	home, env := f.home()
	t := &planted{home: home, env: env, in: filepath.Join(filepath.Dir(home), "in"), r: r}
	t.secret = fmt.Sprintf("Vq%x%x", r.Uint32(), r.Uint32())
	w := typedWays[i%len(typedWays)]
	if err := os.MkdirAll(t.in, 0o700); err != nil {
		return w.name, err
	}
	said, err := w.try(f, t)
	if at := strings.Index(said, t.secret); err == nil && at >= 0 {
		err = fmt.Errorf("it was said: %q", said[max(0, at-80):min(len(said), at+40)])
	}
	if err == nil {
		err = holding(home, t.secret)
	}
	return w.name, err
}

// holding names a file below a folder that holds a text.
func holding(dir, text string) error {
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if at := bytes.Index(data, []byte(text)); err == nil && at >= 0 {
			return fmt.Errorf("%s holds it: %q", strings.TrimPrefix(path, dir), data[max(0, at-80):min(len(data), at+40)])
		}
		return err
	})
	if err == nil && files == 0 {
		err = errors.New("nothing was written: nothing was tried")
	}
	return err
}

func (f *field) typedByRun(t *planted) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "- goto: %s/secrets\n", f.site.URL)
	for range 3 {
		i, kind := t.r.IntN(len(secretFields)), []string{"t", "a", "c", "p"}[t.r.IntN(4)]
		verb := []string{"fill", "type"}[t.r.IntN(2)]
		target := fmt.Sprintf("css: \"#%s%d\"", kind, i)
		if t.r.IntN(3) == 0 {
			target = fmt.Sprintf("role: textbox, name: %q, nth: %d", secretFields[i], 1+slices.Index([]string{"t", "a", "c", "p"}, kind))
		}
		fmt.Fprintf(&b, "- %s: {%s, text: %q}\n- snapshot:\n", verb, target, t.secret)
	}
	script := filepath.Join(t.in, "s.yaml")
	if err := os.WriteFile(script, []byte(b.String()), 0o600); err != nil {
		return "", err
	}
	e := f.do(call{args: []string{"run", script, "--record", filepath.Join(t.home, "rec.jsonl"), "--json"}, env: t.env, dir: t.home, limit: 3 * time.Minute})
	if e.status != 0 {
		return "", fmt.Errorf("status %d: %s", e.status, clip(e.err, 300))
	}
	return e.out + e.err, holds(filepath.Join(t.home, "rec.jsonl"), 7)
}

func (f *field) typedOnTheScreen(t *planted) (string, error) {
	i := t.r.IntN(4) // names that are typed on any keyboard
	keys := fmt.Sprintf(",,,,:fill %q %s,,enter,,,,:fill #t%d %s,,enter,,,", secretFields[i], t.secret, i, t.secret)
	_, status, err := onTerminal(f.bin, []string{"open", f.site.URL + "/secrets"}, t.home, append(t.env, "TERM=xterm-256color"), [2]uint16{120, 36}, keys)
	if err == nil && status != 0 {
		err = fmt.Errorf("status %d", status)
	}
	return "", err // the line that is typed shows what is typed
}

func (f *field) passedByAPI(t *planted) (string, error) {
	rec := filepath.Join(t.home, "rec.jsonl")
	var gone error
	e := f.do(call{args: []string{"api", "--to", f.site.URL, "--listen", "127.0.0.1:0", "--record", rec}, env: t.env, dir: t.home, limit: time.Minute, during: func(p *os.Process, out *tee) {
		defer func() { _ = p.Signal(os.Interrupt) }()
		var at string
		if at, gone = out.address(f.site.URL); gone != nil {
			return
		}
		body := `{"model":"claude-sonnet-4-5","max_tokens":10,"metadata":{"user_id":"` + t.secret + `"},"messages":[{"role":"user","content":"hello"}]}`
		var status int
		if status, gone = post(at+"/v1/messages?key="+t.secret, body, map[string]string{
			"Authorization": "Bearer " + t.secret, "X-Api-Key": t.secret, "X-Goog-Api-Key": t.secret, "Cookie": "s=" + t.secret,
			"User-Agent": "agent/1.0 (token=" + t.secret + ")", "Content-Type": "application/json",
		}); gone == nil && status != http.StatusOK {
			gone = fmt.Errorf("the request came back with %d", status)
		}
	}})
	if gone != nil {
		return "", fmt.Errorf("%w: %s", gone, clip(e.err, 200))
	}
	if st, err := os.Stat(rec); err != nil || st.Size() < 100 {
		return "", errors.Join(err, errors.New("nothing was recorded"))
	}
	return e.err, nil
}

// answering is a tool server: each line that it reads gets the answer of a file, with
// the number of the line as its id.
const answering = `i=0; while read -r l; do i=$((i+1)); sed "s/ID/$i/" "$1"; done`

// toolCall is a line with a call of a tool.
func toolCall(id int, name, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, args) + "\n"
}

// address waits for the address that a server says it serves at: another one than
// that of what it stands before.
func (t *tee) address(not string) (string, error) {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		said := strings.ReplaceAll(t.String(), not, "")
		if at := strings.Index(said, "http://127.0.0.1:"); at >= 0 {
			if to := strings.IndexAny(said[at:], " \n"); to > 0 {
				return said[at : at+to], nil
			}
		}
	}
	return "", errors.New("it never said where it serves")
}

func post(url, body string, header map[string]string) (int, error) {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	return send(req, header)
}

// send makes a request of its own and answers the status.
func send(req *http.Request, header map[string]string) (int, error) {
	for k, v := range header {
		if req.Header.Set(k, v); k == "Host" {
			req.Host = v
		}
	}
	c := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := c.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}
