package transcript

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

func packedForms(t *testing.T, text []byte) map[string][]byte {
	t.Helper()
	var gz bytes.Buffer
	w := gzip.NewWriter(&gz)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{".gz": gz.Bytes(), ".zst": z.EncodeAll(text, nil)}
}

// A packed file reads as the plain one does, whatever its format.
func TestPackedFilesReadAsPlainOnes(t *testing.T) {
	for _, name := range []string{
		"mcp/selectors.jsonl", "session-v2/session.md", "openai/chat.json", "amp/T-7d2f.md",
	} {
		plain := filepath.Join("../../testdata/transcripts", name)
		want, err := Read(t.Context(), plain, Options{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(plain)
		if err != nil {
			t.Fatal(err)
		}
		for end, packed := range packedForms(t, text) {
			path := filepath.Join(t.TempDir(), filepath.Base(name)+end)
			if err := os.WriteFile(path, packed, 0o600); err != nil {
				t.Fatal(err)
			}
			opt := Options{Roots: []string{filepath.Dir(plain)}}
			if err := check(path, opt); err != nil {
				t.Errorf("%s%s: %v", name, end, err)
			}
			got, err := Read(t.Context(), path, opt)
			if err != nil {
				t.Errorf("%s%s: %v", name, end, err)
				continue
			}
			if got.Format != want.Format || len(got.Events) != len(want.Events) {
				t.Errorf("%s%s: %s with %d events, plain %s with %d", name, end, got.Format, len(got.Events), want.Format, len(want.Events))
			}
			if diff := cmp.Diff(snapsOf(want), snapsOf(got)); diff != "" {
				t.Errorf("%s%s: snapshots\n%s", name, end, diff)
			}
		}
	}
}

func snapsOf(im *Import) []string {
	var out []string
	for _, e := range im.Events {
		if e.Result != nil && e.Result.Snapshot != nil {
			out = append(out, e.Result.Snapshot.Text)
		}
	}
	return out
}

// A packed file that is damaged gives one error that names it.
func TestDamagedPackedFiles(t *testing.T) {
	text, err := os.ReadFile("../../testdata/transcripts/mcp/selectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	try := func(name string, b []byte, says string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Read(t.Context(), path, Options{})
		if err == nil || !strings.Contains(err.Error(), "unpack "+path) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for end, packed := range packedForms(t, text) {
		for _, n := range []int{5, 40, len(packed) / 2, len(packed) - 1} {
			try("cut"+end, packed[:n], "cut off")
		}
		damaged := bytes.Clone(packed)
		for i := 30; i < len(damaged); i += 7 {
			damaged[i] ^= 0x55
		}
		try("damaged"+end, damaged, "")
	}
	try("a.gz", []byte("\x1f\x8b\x00\x00"), "")
	try("a.zst", []byte("\x28\xb5\x2f\xfd"), "cut off")
}
