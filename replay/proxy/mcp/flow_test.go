package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy"
)

// longPage is an answer that comes in in several pieces.
var longPage = inPage(table(6000, 0))

// answered is the line with which the echo server answers call 1 with a text.
func answered(text string) string {
	return `{"id":1,"jsonrpc":"2.0","result":{"content":[{"text":` + string(proxy.Quote(text)) + `,"type":"text"}]}}` + "\n"
}

// put has the tool "long" answer with a text.
func put(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "long"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A client reads a long answer while its step is recorded: all of it but the end, which
// waits for the step.
func TestALongAnswerIsBegunBeforeItIsRecorded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, longPage)
	g := &gate{file: make(chan struct{}), disk: make(chan struct{})}
	x := newOdd(t, "echo", Options{Sink: g}, "PAGES="+dir)
	x.greet("t")
	x.send(callLine("1", "long", `{}`))
	want := answered(longPage)
	begun := make(chan []byte, 1)
	go func() {
		b := make([]byte, len(want)-heldBack)
		_, _ = io.ReadFull(x.out, b)
		begun <- b
	}()
	var got []byte
	select {
	case got = <-begun:
	case <-time.After(ample):
		t.Fatal("nothing is passed on while the disk is busy")
	}
	for g.waits.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if n := x.out.Buffered(); n > 0 {
		t.Errorf("%d bytes of the end are passed on before the step is recorded", n)
	}
	close(g.file)
	close(g.disk)
	if got = append(got, x.line()...); string(got)+"\n" != want {
		t.Errorf("%d bytes came, want %d, and the same", len(got)+1, len(want))
	}
}

// What may be held or rewritten is not begun.
func TestWhatMayChangeIsNotBegun(t *testing.T) {
	t.Parallel()
	t.Run("a result that is held", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		put(t, dir, longPage)
		x := newOdd(t, "echo", Options{}, "PAGES="+dir)
		x.greet("t")
		x.p.Holds().SetRules(proxy.Rules{Results: true})
		x.send(callLine("1", "long", `{}`))
		decide(t, x, proxy.Decision{Do: proxy.Drop})
		x.p.Holds().SetRules(proxy.Rules{})
		x.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		if got := x.line(); !strings.HasPrefix(got, `{"id":2,`) {
			t.Errorf("the client got %s", clip(got, 200))
		}
	})
	t.Run("a page under a policy", func(t *testing.T) {
		t.Parallel()
		w := newWire(t, "fold", "t", Options{})
		w.p.rec.patience = time.Hour // however slow the machine is
		if got := w.ask("browser_click", longPage, ""); len(got) > len(longPage)*3/4 || !strings.Contains(got, "Row") {
			t.Errorf("%d bytes of %d came: %s", len(got), len(longPage), clip(got, 200))
		}
	})
	t.Run("a list of tools whose limits are lifted", func(t *testing.T) {
		t.Parallel()
		says := filepath.Join(t.TempDir(), "says")
		list := `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","description":"` + strings.Repeat("x", 300<<10) + `"}]}}` + "\n"
		if err := os.WriteFile(says, []byte(list), 0o600); err != nil {
			t.Fatal(err)
		}
		x := newOdd(t, "after", Options{Lift: 70000}, "SAYS="+says)
		x.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if got := x.line(); !json.Valid([]byte(got)) || !strings.Contains(got, `"_meta":{"anthropic/maxResultSizeChars":70000}`) {
			t.Errorf("the client got %s … %s", clip(got, 100), clip(got[max(0, len(got)-100):], 100))
		}
	})
}

// Long messages pass to the byte and in their order, whatever they are: one that is too
// long to be kept, one without an end.
func TestLongMessagesKeepEveryByte(t *testing.T) {
	t.Parallel()
	var want bytes.Buffer
	for i, n := range []int{70 << 10, 10, 64 << 10, 64<<10 - 1, 300 << 10, 1, proxy.MaxMessage + 3<<10, 200, 1 << 20} {
		fmt.Fprintf(&want, `{"jsonrpc":"2.0","method":"m%d","params":"%s"}%s`, i, strings.Repeat("x", n), strings.Repeat(" ", i*100)+"\n")
	}
	want.WriteString(`{"cut off":"` + strings.Repeat("y", 500<<10))
	says := filepath.Join(t.TempDir(), "says")
	if err := os.WriteFile(says, want.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	x := newOdd(t, "words", Options{}, "SAYS="+says)
	got, err := io.ReadAll(x.out)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d bytes came, want %d, and the same: %v", len(got), want.Len(), err)
	}
}
