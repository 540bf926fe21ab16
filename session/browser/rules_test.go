package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/session"
)

func TestAddress(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a page.html")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, base, want, wrong string }{
		{"https://example.com/x", "", "https://example.com/x", ""},
		{" example.com ", "", "http://example.com", ""},
		{"localhost:8080/leads?x=1", "", "http://localhost:8080/leads?x=1", ""},
		{"127.0.0.1:80", "", "http://127.0.0.1:80", ""},
		{"about:blank", "", "about:blank", ""},
		{"data:text/html,hi", "", "data:text/html,hi", ""},
		{"/leads", "http://h:1/a/b", "http://h:1/leads", ""},
		{"#three", "http://h/a?b", "http://h/a?b#three", ""},
		{"?q=1", "http://h/a", "http://h/a?q=1", ""},
		{file, "", "file://" + strings.ReplaceAll(filepath.ToSlash(file), " ", "%20"), ""},
		{"", "", "", "no address"},
		{"/leads", "", "", "no file /leads"},
		{"/leads", "chrome-error://chromewebdata/", "", "no file"},
		{"https://", "", "", "names no host"},
		{"http://[::1", "", "", "not an address"},
	} {
		got, err := Address(c.in, c.base)
		if got != c.want || (err == nil) != (c.wrong == "") || (err != nil && !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("Address(%q, %q) = %q, %v; want %q, %q", c.in, c.base, got, err, c.want, c.wrong)
		}
	}
}

func TestChord(t *testing.T) {
	for _, c := range []struct{ in, held, last, code, text string }{
		{"Enter", "", "Enter", "Enter", "\r"},
		{"a", "", "a", "KeyA", "a"},
		{"A", "", "A", "KeyA", "A"},
		{"$", "", "$", "Digit4", "$"},
		{"+", "", "+", "Equal", "+"},
		{"Control++", "Control", "+", "Equal", "+"},
		{"Control+Shift+ArrowDown", "Control Shift", "ArrowDown", "ArrowDown", ""},
		{"ctrl+a", "Control", "a", "KeyA", "a"},
		{"esc", "", "Escape", "Escape", ""},
		{"F12", "", "F12", "F12", ""},
		{"Space", "", " ", "Space", " "},
		{" ", "", " ", "Space", " "},
		{"KeyQ", "", "q", "KeyQ", "q"},
		{"ü", "", "ü", "", "ü"},
		{"Shift", "", "Shift", "ShiftLeft", ""},
	} {
		held, last, err := chord(c.in)
		names := make([]string, len(held))
		for i, h := range held {
			names[i] = h.Key
		}
		got := []string{strings.Join(names, " "), last.Key, last.Code, last.Text}
		if diff := cmp.Diff([]string{c.held, c.last, c.code, c.text}, got); err != nil || diff != "" {
			t.Errorf("chord(%q): %v %s", c.in, err, diff)
		}
	}
	for _, bad := range []string{"", "a+b", "Hyper+x", "F99", "Enterr", "Control+"} {
		if _, _, err := chord(bad); err == nil {
			t.Errorf("chord(%q) is no error", bad)
		}
	}
}

// What is held comes up again, in whatever chord.
func TestStrikeLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mods := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"Control", "Shift", "Alt", "Meta"}), rapid.ID).Draw(t, "mods")
		name := rapid.SampledFrom([]string{"a", "Z", "5", "/", "Enter", "F5", "ArrowUp", "Space"}).Draw(t, "key")
		held, last, err := chord(strings.Join(append(mods, name), "+"))
		if err != nil {
			t.Fatal(err)
		}
		down := map[string]int{}
		for _, e := range strike(held, last) {
			k := e.(keyEvent)
			if k.Type == "keyUp" {
				down[k.Code]--
			} else {
				down[k.Code]++
			}
			if k.Text != "" && k.Modifiers&^modifierBits["Shift"] != 0 {
				t.Fatalf("%+v types while a modifier is held", k)
			}
		}
		for code, n := range down {
			if n != 0 {
				t.Fatalf("%s is down %d times more than up", code, n)
			}
		}
	})
}

func TestReadableLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ascii strings.Builder
		want := rapid.String().Draw(t, "text")
		for _, r := range want { // as the protocol writes it
			data, err := json.Marshal(string(r))
			if err != nil {
				t.Fatal(err)
			}
			s := string(data[1 : len(data)-1])
			if r > 0xffff {
				r -= 0x10000
				s = fmt.Sprintf(`\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			} else if r > 126 {
				s = fmt.Sprintf(`\u%04x`, r)
			}
			ascii.WriteString(s)
		}
		var got string
		if err := json.Unmarshal([]byte(`"`+readable(ascii.String())+`"`), &got); err != nil || got != want {
			t.Fatalf("%q became %q (%v)", want, got, err)
		}
	})
}

func TestSentences(t *testing.T) {
	for _, why := range []string{
		"gone", "hidden", "disabled", "readonly", "outside", "inert", "covered", "option", "select", "check",
		"file", "nofield", "nocheck", "noselect", "nooption", "offoption", "single", "value",
	} {
		got := obstacle{Why: why, By: "BY", Has: []string{"one"}, More: 2}.sentence("e1 (button)").Error()
		if !strings.Contains(got, "e1 (button)") || strings.Contains(got, ": "+why) {
			t.Errorf("%s: %s", why, got)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var m memory
	b := &Browser{}
	b.seen = m
	for i := range 40 {
		b.steps = i
		b.remember(snap(fmt.Sprintf("- button \"B\" [ref=e%d]%s", i, strings.Repeat("x", 1<<20))))
	}
	if b.seen.bytes > maxMemory+2<<20 {
		t.Errorf("%d bytes", b.seen.bytes)
	}
	if _, _, ok := b.seen.last("e0"); ok {
		t.Error("the first snapshot is still remembered")
	}
	if _, line, ok := b.seen.last("e39"); !ok || line != `button "B"` {
		t.Errorf("%q %v", line, ok)
	}
}

// script is a wire that says what it is told to.
type script struct{ lines [][]byte }

func (s *script) Send([]byte) error { return nil }
func (s *script) Close() error      { return nil }
func (s *script) Read() ([]byte, error) {
	if len(s.lines) == 0 {
		return nil, io.EOF
	}
	l := s.lines[0]
	s.lines = s.lines[1:]
	return l, nil
}

// FuzzLink: whatever comes over the wire, the link ends quietly, and the short
// way of reading an answer agrees with JSON.
func FuzzLink(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"result":{"a":1},"sessionId":"ABC"}`, `{"id":1,"result":{}}`, `{"id":2,"error":{"code":1,"message":"m"}}`,
		`{"method":"Page.frameNavigated","params":{"frame":null},"sessionId":"S"}`, `{"id":`, `{"id":1,"result":`, `[]`, ``,
		`{"id":1,"result":{"a":",\"sessionId\":\"x"}}`, `{"method":"Target.attachedToTarget","params":{"targetInfo":{"type":"iframe"}}}`,
		`{"method":"Runtime.consoleAPICalled","params":{"args":[null]},"sessionId":"S"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		if id, result, ok := quickReply(msg); ok && json.Valid(msg) {
			var m struct {
				ID     int64           `json:"id"`
				Result json.RawMessage `json:"result"`
			}
			if err := json.Unmarshal(msg, &m); err == nil && json.Valid(result) {
				if m.ID != id || len(m.Result) != len(result) && !strings.Contains(string(msg), `"result"`) {
					t.Fatalf("%q: %d %s, by JSON %d %s", msg, id, result, m.ID, m.Result)
				}
			}
		}
		b := newBrowser(context.Background(), Options{}.filled(true), &script{lines: [][]byte{msg}}, nil)
		b.mu.Lock()
		tb := b.newTab(targetInfo("T"), "S")
		tb.attach("F", "", "S")
		b.mu.Unlock()
		b.event("S", "Page.frameAttached", msg)
		for method := range handlers {
			if !strings.HasPrefix(method, "Target.attached") { // it talks to the target
				b.event("S", method, msg)
			}
		}
		<-b.link.done
		if _, err := b.link.call(context.Background(), "S", "X.y", nil); !errors.Is(err, ErrGone) {
			t.Fatalf("a call on a link that has ended: %v", err)
		}
		b.stop(ErrGone)
	})
}

// An event may be there before anything was asked: who handles it finds the link that
// it came over. The race detector sees to it that this is no luck.
func TestTheFirstEventFindsTheLink(t *testing.T) {
	const method = "Page.yyy"
	found := make(chan bool, 1)
	handlers[method] = func(b *Browser, _ string, _ []byte) { found <- b.link != nil }
	defer delete(handlers, method)
	for range 500 {
		b := newBrowser(context.Background(), Options{}.filled(true), &script{lines: [][]byte{[]byte(`{"method":"` + method + `","params":{}}`)}}, nil)
		if !<-found {
			t.Fatal("an event was handled before its browser had a link")
		}
		<-b.link.done
		b.stop(ErrGone)
	}
}

// A panic of our own event handler is told as what it is, not as a browser that
// went away.
func TestPanicOfAHandlerIsOurs(t *testing.T) {
	const method = "Page.zzz"
	handlers[method] = func(*Browser, string, []byte) { panic("a nil frame") }
	defer delete(handlers, method)
	b := newBrowser(context.Background(), Options{}.filled(true), &script{lines: [][]byte{[]byte(`{"method":"` + method + `","params":{}}`)}}, nil)
	defer b.stop(ErrGone)
	<-b.link.done
	_, err := b.link.call(context.Background(), "S", "X.y", nil)
	if err == nil || !errors.Is(err, ErrGone) {
		t.Fatalf("the session has not ended: %v", err)
	}
	for _, want := range []string{"a nil frame", method, "rules_test.go:", "defect"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "browser is gone") {
		t.Errorf("the browser is blamed: %v", err)
	}
	<-b.life.Done()
	if _, err := b.Do(context.Background(), session.Action{Verb: session.VerbSnapshot}); err == nil || !strings.Contains(err.Error(), "a nil frame") {
		t.Errorf("a step after it: %v", err)
	}
}

// hostileWire is a peer whose bytes make the reader below the link panic.
type hostileWire struct{ script }

func (*hostileWire) Read() ([]byte, error) { panic("slice bounds out of range") }

func TestPanicOfTheWireEndsTheLink(t *testing.T) {
	b := newBrowser(context.Background(), Options{}.filled(true), &hostileWire{}, nil)
	defer b.stop(ErrGone)
	<-b.link.done
	if _, err := b.link.call(context.Background(), "S", "X.y", nil); err != ErrGone { //nolint:errorlint // exactly this one
		t.Errorf("%v", err)
	}
}

// A page decides what its messages say, never what our code takes them for.
func TestLostContextGoesByCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&protocolError{Code: codeServer, Message: "anything"}, true},
		{&protocolError{Code: codeParams, Message: "uniqueContextId not found"}, true},
		{&protocolError{Code: codeNoSession}, true},
		{&protocolError{Code: -32601, Message: "context with specified id"}, false},
		{&thrown{text: "Could not find object"}, false},
		{errNoWorld, true},
		{errBusyPage, false},
	} {
		if got := contextLost(c.err); got != c.want {
			t.Errorf("contextLost(%v) = %v", c.err, got)
		}
	}
	if text, err := answered(remote{}, &protocolError{Code: codeServer, Message: "x"}, false); err == nil || !strings.Contains(err.Error(), "refers to itself") {
		t.Errorf("a value that cannot be told: %q, %v", text, err)
	}
	if text, err := answered(remote{}, &protocolError{Code: codeServer, Message: "x"}, true); err != nil || !strings.Contains(text, "moved on") {
		t.Errorf("a page that moved on: %q, %v", text, err)
	}
}
