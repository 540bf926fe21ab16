//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// What reading one hostile transcript may take.
const (
	transcriptMost = 75 * time.Second // of computing: 64 MB of one page take the most
	transcriptPeak = 2 << 30
)

// transcripts reads bombs, and the project's own samples cut off, mixed up and
// rewritten, by report and by import.
func transcripts(f *field) {
	samples, err := sampleFiles(filepath.Join(f.testdata, "transcripts"))
	if err != nil {
		f.failed = append(f.failed, err.Error())
		return
	}
	all := bombs()
	if f.short {
		all = all[:8]
	}
	f.each(len(all)+f.n(300, 12), 2, func(i int, r *rand.Rand) (string, error) {
		home, env := f.home()
		var name string
		var data []byte
		if i < len(all) {
			name, data = all[i].name, all[i].make()
		} else {
			from := samples[r.IntN(len(samples))]
			sample, err := os.ReadFile(from)
			if err != nil {
				return from, err
			}
			if len(sample) == 0 { // a page that says nothing
				sample = []byte("\n")
			}
			what := mutations[r.IntN(len(mutations))]
			name, data = what.name+"-"+filepath.Base(from), what.make(sample, r)
		}
		file := filepath.Join(home, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return name, err
		}
		args := []string{"report", file}
		switch n := r.IntN(3); {
		case n == 0 || strings.HasPrefix(name, "bomb"): // a million events: work that is linear, and long
			args = []string{"import", file, "-o", filepath.Join(home, "out.jsonl"), "--json"}
		case n == 1:
			args = []string{"report", "--json", file}
		}
		e := f.do(call{args: args, env: env, dir: home, limit: 3 * time.Minute})
		if err := e.sound(transcriptMost, transcriptPeak); err != nil {
			return name, err
		}
		if at := raw(e.out); at != "" {
			return name, fmt.Errorf("stdout holds %s raw", at)
		}
		if _, err := os.Stat(filepath.Join(home, "out.jsonl")); err == nil && e.status != 0 {
			return name, errors.New("a recording was left by an import that failed")
		}
		return name, nil
	})
}

func sampleFiles(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) != ".txt" && d.Name() != "README.md" {
			out = append(out, path)
		}
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("no sample lies below %s", dir)
	}
	return out, err
}

// bomb is a file that is small, or simple, and asks for very much.
type bomb struct {
	name string
	make func() []byte
}

func bombs() []bomb {
	call := rpc("### Page\n- Page URL: http://a.test/\n### Snapshot\n```yaml\n- main [ref=e1]\n```")
	page := func(lines string) []byte {
		return []byte(rpc("### Page\n- Page URL: http://a.test/\n### Snapshot\n```yaml\n" + lines + "```"))
	}
	return []bomb{
		{"empty.jsonl", func() []byte { return nil }},
		{"nul.jsonl", func() []byte { return make([]byte, 1<<20) }},
		{"noise.jsonl", func() []byte { return noise(1 << 20) }},
		{"brackets.json", func() []byte { return bytes.Repeat([]byte("["), 5<<20) }},
		{"objects.json", func() []byte { return bytes.Repeat([]byte(`{"a":`), 2<<20) }},
		{"cut.jsonl", func() []byte { return []byte(call[:len(call)/2]) }},
		{"escapes.jsonl", func() []byte { return page("- button \"\x1b[31m\u009b\u202e\u2028\" [ref=e1]\n") }},
		{"numbers.jsonl", func() []byte { return []byte(strings.ReplaceAll(call, `"id":1`, `"id":`+strings.Repeat("9", 1<<20))) }},
		{"one-line.jsonl", func() []byte {
			return []byte(`{"jsonrpc":"2.0","id":1,"x":"` + strings.Repeat("a", 100<<20) + "\"}\n" + call)
		}},
		{"deep-page.jsonl", func() []byte {
			var b strings.Builder
			for i := range 8000 {
				fmt.Fprintf(&b, "%s- group \"l%d\" [ref=e%d]:\n", strings.Repeat("  ", i), i, i)
			}
			return page(b.String())
		}},
		{"wide-page.jsonl", func() []byte { return page(strings.Repeat("- button \"b\" [ref=e1]\n", 400_000)) }},
		{"long-line-page.jsonl", func() []byte { return page("- button \"" + strings.Repeat("n ", 8<<20) + "\" [ref=e1]\n") }},
		{"same-ref-page.jsonl", func() []byte { return page(strings.Repeat("- text [ref=e1]: [ref=e1]\n", 200_000)) }},
		{"many-events.jsonl", func() []byte { return bytes.Repeat([]byte(call), 60_000) }},
		{"many-orphans.jsonl", func() []byte { return bytes.Repeat([]byte(`{"jsonrpc":"2.0","id":7,"result":{}}`+"\n"), 1_000_000) }},
		{"many-open.jsonl", func() []byte {
			var b strings.Builder
			for i := range 300_000 {
				fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"browser_click","arguments":{"ref":"e%d"}}}`+"\n", i, i)
			}
			return []byte(b.String())
		}},
		{"many-passwords.jsonl", func() []byte {
			return page(strings.Repeat("- textbox \"Password\" [ref=e1]: s3cret\n", 60_000))
		}},
		{"many-fences.jsonl", func() []byte { return []byte(rpc(strings.Repeat("```yaml\n- main [ref=e1]\n```\n", 200_000))) }},
		{"bomb.jsonl.gz", func() []byte { return packGzip(bytes.Repeat([]byte(call), 2_000_000)) }},
		{"bomb.jsonl.zst", func() []byte { return packZstd(bytes.Repeat([]byte(call), 2_000_000)) }},
		{"packed-twice.jsonl.gz", func() []byte { return packGzip(packGzip(bytes.Repeat([]byte(call), 1000))) }},
		{"packed-cut.jsonl.zst", func() []byte { b := packZstd(bytes.Repeat([]byte(call), 1000)); return b[:len(b)/2] }},
		{"claude-ring.jsonl", func() []byte {
			return bytes.Repeat([]byte(`{"type":"user","uuid":"a","parentUuid":"b","sessionId":"s","message":{"role":"user","content":"x"}}`+"\n"+`{"type":"assistant","uuid":"b","parentUuid":"a","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"browser_click","input":{}}]}}`+"\n"), 20_000)
		}},
		{"recording-hash.jsonl", func() []byte {
			return []byte(`{"format":"snapscope-recording","version":1}` + "\n" + strings.Repeat(`{"seq":1,"kind":"result","result":{"action":"a","ok":true,"snapshot":{"hash":"nowhere"}}}`+"\n", 100))
		}},
	}
}

// mutations change a sample.
var mutations = []struct {
	name string
	make func(b []byte, r *rand.Rand) []byte
}{
	{"cut", func(b []byte, r *rand.Rand) []byte { return b[:r.IntN(len(b)+1)] }},
	{"bits", func(b []byte, r *rand.Rand) []byte {
		for range 1 + len(b)/500 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		return b
	}},
	{"lines", func(b []byte, r *rand.Rand) []byte {
		lines := bytes.SplitAfter(b, []byte("\n"))
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return bytes.Join(lines, nil)
	}},
	{"twice", func(b []byte, _ *rand.Rand) []byte { return bytes.Repeat(b, 2) }},
	{"escapes", func(b []byte, _ *rand.Rand) []byte {
		return bytes.ReplaceAll(b, []byte("e"), []byte("\\u001b[31m\u009b\u202e"))
	}},
	{"types", func(b []byte, r *rand.Rand) []byte {
		for _, old := range []string{`"`, `{`, `[`, `:`} {
			if at := bytes.Index(b[r.IntN(len(b)):], []byte(old)); at >= 0 && r.IntN(2) == 0 {
				b = bytes.Replace(b, []byte(old), []byte(`null`), 1+r.IntN(3))
			}
		}
		return b
	}},
	{"numbers", func(b []byte, _ *rand.Rand) []byte { return bytes.ReplaceAll(b, []byte("1"), []byte("1e999")) }},
	{"splice", func(b []byte, r *rand.Rand) []byte {
		at, to := r.IntN(len(b)), r.IntN(len(b))
		return append(append(append([]byte{}, b[:at]...), b[to:]...), b[at:]...)
	}},
	{"crlf", func(b []byte, _ *rand.Rand) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }},
	{"utf16", func(b []byte, _ *rand.Rand) []byte {
		out := []byte{0xff, 0xfe}
		for _, c := range b {
			out = append(out, c, 0)
		}
		return out
	}},
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

func packGzip(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // into memory: neither fails
	_ = w.Close()
	return out.Bytes()
}

func packZstd(b []byte) []byte {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err) // without options there is none
	}
	return w.EncodeAll(b, nil)
}
