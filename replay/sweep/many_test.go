package sweep_test

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"snapscope/replay/replaytest"
	"snapscope/replay/sweep"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
)

// files are sources that are read as the command reads them.
func files(names []string) []sweep.Source {
	src := make([]sweep.Source, len(names))
	for i, name := range names {
		src[i] = sweep.Source{Name: name, Open: func(ctx context.Context) (*session.Timeline, error) {
			if strings.Contains(name, "breaks-the-reader") {
				panic("a hole in the reader")
			}
			im, err := transcript.Read(ctx, name, transcript.Options{})
			if err != nil {
				return nil, err
			}
			return session.NewTimeline(im.Events), nil
		}}
	}
	return src
}

// small are varied recordings of sources that are quickly counted.
func small(t *testing.T, n int) []string {
	t.Helper()
	sources, err := replaytest.Sources("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	sources = slices.DeleteFunc(sources, func(s string) bool {
		return strings.Contains(s, "/pages-") || strings.Contains(s, "/table-") || !strings.Contains(s, "recorded") && !strings.Contains(s, "claude-code")
	})
	names, err := replaytest.Make(t.Context(), t.TempDir(), sources, n)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Two hundred recordings give the same table to the byte, costs included, in one
// go, as parts that are put together, and in seven shards; and however the parts
// are spread over folders, in what order they come, and how often.
func TestTwoHundredRecordings(t *testing.T) {
	p := named(t, "compress")
	axes := []sweep.Axis{{Strategy: "compress", Knob: "keep_n", Values: []float64{2, 30}}}
	src := files(small(t, 200))
	prices, err := ledger.ParsePrices("built-in", ledger.DefaultPricesTOML())
	if err != nil {
		t.Fatal(err)
	}
	o := sweep.Options{Count: words, Ledger: ledger.Options{Prices: prices, Model: "claude-sonnet-4-5"}}
	table := func() *sweep.Table {
		table, err := sweep.NewTable(p, axes, "site", "format", "model")
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	whole := table()
	if err := sweep.Stream(t.Context(), src, whole.Points(), o, func(out sweep.Outcome) error {
		whole.Add(out)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := text(t, whole)
	for _, say := range []string{"over 200 recordings", "cost", "shop-3.example", "claude-code", "$"} {
		if !strings.Contains(want, say) {
			t.Fatalf("%q is not in\n%s", say, want)
		}
	}
	m := manifest(p, axes, src)
	open := func(dir string) *sweep.Parts {
		parts, err := sweep.OpenParts(dir, m)
		if err != nil {
			t.Fatal(err)
		}
		return parts
	}
	merged := func(dirs ...string) string {
		parts, err := sweep.ReadParts(dirs)
		if err != nil {
			t.Fatal(err)
		}
		table := table()
		for _, q := range parts {
			if err := q.Read(t.Context(), table.Add, nil); err != nil {
				t.Fatal(err)
			}
		}
		return text(t, table)
	}
	one, seven := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "seven")
	if err := open(one).Fill(t.Context(), 1, 1, src, o); err != nil {
		t.Fatal(err)
	}
	for i := 7; i > 0; i-- {
		if err := open(seven).Fill(t.Context(), i, 7, src, o); err != nil {
			t.Fatal(err)
		}
	}
	for _, dirs := range [][]string{{one}, {seven}, {seven, one}} {
		if got := merged(dirs...); got != want {
			t.Errorf("%d folders give\n%s\nwant\n%s", len(dirs), got, want)
		}
	}
	if left, err := open(one).Missing(1, 1); err != nil || len(left) > 0 {
		t.Fatalf("%d parts are missing (%v)", len(left), err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		stores := make([]shelf, rapid.IntRange(1, 4).Draw(rt, "stores"))
		for i := range stores {
			stores[i] = shelf{}
		}
		for c := range open(one).Chunks() {
			name := sweep.PartName(c)
			data, err := sweep.Folder(one).Read(name)
			if err != nil {
				rt.Fatal(err)
			}
			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(stores)-1), 1, len(stores), rapid.ID[int]).Draw(rt, "in") {
				stores[i][name] = data
			}
		}
		table := table()
		for _, s := range rapid.Permutation(stores).Draw(rt, "order") {
			parts, err := sweep.OpenPartsIn(s, "shelf", m)
			if err == nil {
				err = parts.Read(t.Context(), table.Add, nil)
			}
			if err != nil {
				rt.Fatal(err)
			}
		}
		if got := text(t, table); got != want {
			rt.Fatalf("another table:\n%s\nwant\n%s", got, want)
		}
	})
}

// shelf is a store in memory.
type shelf map[string][]byte

func (s shelf) Names() ([]string, error) { return slices.Collect(maps.Keys(s)), nil }

func (s shelf) Read(name string) ([]byte, error) {
	data, ok := s[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return data, nil
}

func (s shelf) Write(name string, data []byte) error {
	s[name] = data
	return nil
}

// A file that cannot be read, one that is cut, one that breaks its reader, one
// that unpacks to far more than it holds are rows with their errors; the others'
// figures are what they are without them.
func TestBadFilesAreRows(t *testing.T) {
	good := small(t, 6)
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	packed, err := os.ReadFile("../../testdata/sessions/recorded/forms-1.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := os.ReadFile(good[0])
	if err != nil {
		t.Fatal(err)
	}
	head := rec[:bytes.IndexByte(rec, '\n')+1]
	bad := map[string]string{
		filepath.Join(dir, "missing.jsonl"): "no such file",
		dir:                                 "no session",
		put("cut.jsonl.zst", packed[:len(packed)/2]):            "cut off",
		put("breaks-the-reader.jsonl", nil):                     "a hole in the reader (please report)",
		put("eats-memory.jsonl.zst", bomb(t, head, 200<<20)):    "unpacks to more than 400 times its size",
		put("hostile.jsonl", []byte("\x1b]0;gone\x07\x00{{{{")): "",
	}
	names := slices.Clone(good)
	for path := range bad {
		names = slices.Insert(names, len(names)/2, path)
	}
	p := named(t, "compress")
	axes := []sweep.Axis{{Strategy: "compress", Knob: "keep_n", Values: []float64{2, 30}}}
	run := func(names []string) *sweep.Result {
		table, err := sweep.NewTable(p, axes)
		if err != nil {
			t.Fatal(err)
		}
		if err := sweep.Stream(t.Context(), files(names), table.Points(), sweep.Options{Count: words, Parallel: 2}, func(o sweep.Outcome) error { table.Add(o); return nil }); err != nil {
			t.Fatal(err)
		}
		return table.Result()
	}
	all, alone := run(names), run(good)
	for _, f := range all.Failed {
		if say, ok := bad[f.Recording]; !ok || f.Error == "" || !strings.Contains(f.Error, say) {
			t.Errorf("%s: %s; want %q", f.Recording, f.Error, say)
		}
	}
	if len(all.Failed) != len(bad) {
		t.Errorf("%d of %d bad files are named", len(all.Failed), len(bad))
	}
	all.Failed = nil
	var a, b bytes.Buffer
	if err := sweep.WriteText(&a, all); err != nil {
		t.Fatal(err)
	}
	if err := sweep.WriteText(&b, alone); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("with bad files:\n%s\nwithout:\n%s", &a, &b)
	}
}

// bomb is a head with so many zeros behind it, packed.
func bomb(t *testing.T, head []byte, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	_, err = w.Write(head)
	for range n >> 20 {
		if err == nil {
			_, err = w.Write(zeros)
		}
	}
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Two sweeps do not write into one folder; the shards of one do.
func TestFoldersAreLocked(t *testing.T) {
	p := named(t, "compress")
	axes := []sweep.Axis{{Strategy: "compress", Knob: "keep_n", Values: []float64{5}}}
	parts, err := sweep.OpenParts(t.TempDir(), manifest(p, axes, many(3)))
	if err != nil {
		t.Fatal(err)
	}
	lock := func(i, n int, free bool) func() {
		t.Helper()
		unlock, err := parts.Lock(i, n)
		switch {
		case free && err != nil:
			t.Fatal(err)
		case !free && (err == nil || !strings.Contains(err.Error(), "another sweep is writing into ")):
			t.Fatalf("shard %d of %d: %v", i, n, err)
		}
		return unlock
	}
	whole := lock(1, 1, true)
	lock(1, 1, false)
	lock(2, 7, false)
	whole()
	second, third := lock(2, 7, true), lock(3, 7, true)
	lock(2, 7, false)
	lock(1, 1, false)
	second()
	third()
	lock(1, 1, true)()
}
