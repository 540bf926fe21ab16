package transcript

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"snapscope/session"
)

func packedFileOf(t *testing.T, write func(io.Writer)) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		t.Fatal(err)
	}
	write(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bomb.jsonl.zst")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A few kilobytes that unpack to very much are read up to a multiple of their
// size, and one sentence says so.
func TestPackedBomb(t *testing.T) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping","x":"` + strings.Repeat("a", 10_000) + "\"}\n")
	block := bytes.Repeat(line, 100)
	path := packedFileOf(t, func(w io.Writer) {
		for range 70 { // 73 MB
			_, _ = w.Write(block)
		}
	})
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = Stream(context.Background(), path, Options{}, drop)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "--limits") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%d bytes packed: %v", st.Size(), err)
	}
	if held := int64(after.HeapInuse) - int64(before.HeapInuse); held > 1<<30 {
		t.Errorf("it held %d MB", held>>20)
	}
}

// More events than the bound are left out, and a line of very many values is no
// line to hold.
func TestManyEventsAndValues(t *testing.T) {
	most := 1_000_000
	line := `{"type":"user","uuid":"","sessionId":"s","message":{"role":"user","content":"x"}}` + "\n"
	in := io.MultiReader(strings.NewReader(strings.Repeat(line, 1000)), &repeated{line: []byte(line), left: most})
	n := 0
	im, err := streamFrom(context.Background(), in, "x", Options{}, func(session.Event) { n++ }, nil)
	if err != nil || n > most+2 || !im.Cut || len(im.Skipped) == 0 || !strings.Contains(im.Skipped[len(im.Skipped)-1].Kind, "--limits") {
		t.Errorf("%v: %d events, %+v", err, n, im)
	}
	many := `{"jsonrpc":"2.0","id":1,"x":[` + strings.Repeat("1,", 4_100_000) + `1]}` + "\n" + sample(t, "mcp/era-b.jsonl")
	im, err = streamFrom(context.Background(), strings.NewReader(many), "x", Options{Format: "mcp"}, drop, nil)
	if err != nil || im.Calls != 5 || len(im.Skipped) != 1 || !strings.Contains(im.Skipped[0].Kind, "too many values") {
		t.Errorf("%v %+v", err, im)
	}
}

// repeated gives a line again and again.
type repeated struct {
	line []byte
	left int
	rest []byte
}

func (r *repeated) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(r.rest) == 0 {
			if r.left == 0 {
				break
			}
			r.rest = r.line
			r.left--
		}
		k := copy(p[n:], r.rest)
		r.rest = r.rest[k:]
		n += k
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// What is piped in comes as standard input, and a read that waits ends with its
// context.
func TestStandardInput(t *testing.T) {
	r, _ := io.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := streamFrom(ctx, &whileLasting{ctx: ctx, r: r}, "-", Options{}, drop, nil)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	case <-time.After(3 * time.Minute):
		t.Error("a pipe that says nothing is waited for")
	}
	in := sample(t, "mcp/era-b.jsonl")
	im, err := streamFrom(context.Background(), &whileLasting{ctx: context.Background(), r: strings.NewReader(in)}, "-", Options{}, drop, nil)
	if err != nil || im.Calls != 5 {
		t.Errorf("%v %+v", err, im)
	}
}

// A file with nothing in it is an error that says what it looks like.
func TestNothingInIt(t *testing.T) {
	for in, want := range map[string]string{
		`{"messages":[{"x":1}],"role":"x"}`:                 "an Anthropic Messages request, but nothing whole is in it: entry of unknown kind (none) (line 1)",
		`{"sessionId":"s","projectHash":"h","messages":[]}`: "a Gemini CLI session, but nothing whole is in it",
		`{"format":"snapscope-recording","version":1}` + "\n" + `{"seq":1,"kind":"start","start":{"source":"live"}}` + "\n": "a snapscope recording, but nothing whole is in it",
		`{"lat":1,"lon":2}`:           "it looks like a JSON object with the fields lat, lon;",
		`[{"a":1,"b\u001b":2}]`:       `it looks like a JSON list of objects with the fields a, "b\x1b";`,
		"{\"a\":1}\n{\"a\":2}\n":      "it looks like lines of JSON with the fields a;",
		"Dear diary,\ntoday \x1b[31m": `it looks like text that begins "Dear diary,";`,
	} {
		_, err := readBytes(t, in, Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v\nwant %s", in, err, want)
		}
	}
}

func drop(session.Event) {}
