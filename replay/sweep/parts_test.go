package sweep_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/replay/sweep"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// many are sources of which one cannot be read and one breaks its reader.
func many(n int) []sweep.Source {
	src := make([]sweep.Source, n)
	for i := range src {
		src[i] = sweep.Source{Name: fmt.Sprintf("s%02d", i), Open: func(context.Context) (*session.Timeline, error) {
			switch i {
			case 3:
				return nil, errors.New("this is no session")
			case 5:
				panic("a hole in the reader")
			}
			return shop(120+i, 3+5*i%110), nil
		}}
	}
	return src
}

func manifest(p policy.Policy, axes []sweep.Axis, src []sweep.Source) sweep.Manifest {
	m := sweep.Manifest{Program: "test", Policy: p, Axes: axes, Encoding: "words"}
	for i, s := range src {
		m.Inputs = append(m.Inputs, sweep.InputFile{Name: s.Name, Size: int64(40e6), Hash: fmt.Sprint(i)})
	}
	return m
}

func text(t testing.TB, table *sweep.Table) string {
	t.Helper()
	var b bytes.Buffer
	if err := sweep.WriteText(&b, table.Result()); err != nil {
		t.Fatal(err)
	}
	if err := sweep.WriteJSON(&b, table.Result()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The table is the same to the byte whatever order, division and repetition the
// outcomes come in, prices included.
func TestAnyOrderGivesTheSameTable(t *testing.T) {
	p := named(t, "compress")
	axes := []sweep.Axis{{Strategy: "compress", Knob: "keep_n", Values: []float64{5, 20, 90}}}
	whole, err := sweep.NewTable(p, axes, "site", "format", "model")
	if err != nil {
		t.Fatal(err)
	}
	prices, err := ledger.ParsePrices("built-in", ledger.DefaultPricesTOML())
	if err != nil {
		t.Fatal(err)
	}
	o := sweep.Options{Count: words, Ledger: ledger.Options{Prices: prices, Model: prices.Models()[0]}}
	var all []sweep.Outcome
	if err := sweep.Stream(t.Context(), many(9), whole.Points(), o, func(out sweep.Outcome) error {
		all = append(all, out)
		whole.Add(out)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := text(t, whole)
	for _, say := range []string{"✗ s03: this is no session", "✗ s05: working it out: internal error at sweep/parts_test.go:", "a hole in the reader (please report)", "over 7 recordings", "cost"} {
		if !strings.Contains(want, say) {
			t.Errorf("%q is not in\n%s", say, want)
		}
	}
	for _, f := range []sweep.Failure{{"a.jsonl", "a.jsonl: it is empty"}, {"a.jsonl", "it is empty"}} {
		if got := f.String(); got != "a.jsonl: it is empty" {
			t.Errorf("%+v is told as %q", f, got)
		}
	}
	if got := (sweep.Failure{Recording: "a.jsonl", Error: "a.jsonl is empty"}).String(); got != "a.jsonl: is empty" {
		t.Errorf("a file is named twice: %q", got)
	}
	rapid.Check(t, func(rt *rapid.T) {
		table, _ := sweep.NewTable(p, axes, "site", "format", "model")
		order := rapid.Permutation(all).Draw(rt, "order")
		again := rapid.SliceOf(rapid.SampledFrom(all)).Draw(rt, "again")
		for _, out := range append(order, again...) {
			table.Add(out)
		}
		if got := text(t, table); got != want {
			rt.Fatalf("another table:\n%s\nwant\n%s", got, want)
		}
	})
}

// Parts written by seven shards, in two folders, some of them twice, are the
// table of one sweep; and a folder goes on where it was left.
func TestPartsOfShardsAreTheWhole(t *testing.T) {
	p := named(t, "compress")
	axes := []sweep.Axis{{Strategy: "compress", Knob: "keep_n", Values: []float64{5, 90}}}
	src := many(12)
	o := sweep.Options{Count: words}
	whole, err := sweep.NewTable(p, axes, "site", "format", "model")
	if err != nil {
		t.Fatal(err)
	}
	if err := sweep.Stream(t.Context(), src, whole.Points(), o, func(out sweep.Outcome) error { whole.Add(out); return nil }); err != nil {
		t.Fatal(err)
	}
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	did := 0
	sweepShard := func(dir string, i, n int) {
		parts, err := sweep.OpenParts(dir, manifest(p, axes, src))
		if err != nil {
			t.Fatal(err)
		}
		missing, err := parts.Missing(i, n)
		if err != nil {
			t.Fatal(err)
		}
		did += len(missing)
		if err := parts.Fill(t.Context(), i, n, src, o); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i <= 7; i++ {
		sweepShard(dirs[i%2], i, 7)
	}
	sweepShard(dirs[0], 1, 2) // what the other folder has already
	did = 0
	sweepShard(dirs[0], 1, 2)
	if did != 0 {
		t.Errorf("%d chunks that were there were done again", did)
	}
	parts, err := sweep.ReadParts(dirs)
	if err != nil {
		t.Fatal(err)
	}
	merged, _ := sweep.NewTable(p, axes, "site", "format", "model")
	for _, q := range parts {
		if err := q.Read(t.Context(), merged.Add, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := text(t, merged), text(t, whole); got != want {
		t.Errorf("merged:\n%s\nwhole:\n%s", got, want)
	}
}

func TestPartsOfAnotherSweepAreRefused(t *testing.T) {
	p := named(t, "compress")
	axes := []sweep.Axis{{Strategy: "compress", Knob: "keep_n", Values: []float64{5}}}
	dir := t.TempDir()
	base := manifest(p, axes, many(3))
	if _, err := sweep.OpenParts(dir, base); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*sweep.Manifest){
		"the policy is another":                        func(m *sweep.Manifest) { m.Policy = named(t, "fold") },
		"the knobs or their values are others":         func(m *sweep.Manifest) { m.Axes = nil },
		"tokens are counted in words":                  func(m *sweep.Manifest) { m.Encoding = "chars4" },
		"prices, model or fixed sizes are others":      func(m *sweep.Manifest) { m.Prices = "x" },
		"the recordings are others, or have changed":   func(m *sweep.Manifest) { m.Inputs[1].Hash = "x" },
		"it was made by test, this is another program": func(m *sweep.Manifest) { m.Program = "another program" },
	} {
		m := manifest(p, axes, many(3))
		change(&m)
		if _, err := sweep.OpenParts(dir, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	parts, err := sweep.OpenParts(dir, base)
	if err != nil {
		t.Fatal(err)
	}
	if err := parts.Write(0, []sweep.Outcome{{Index: 99, Recording: "s00", Error: "x"}}); err != nil {
		t.Fatal(err)
	}
	if err := parts.Read(t.Context(), func(sweep.Outcome) {}, nil); err == nil || !strings.Contains(err.Error(), "part-000000.jsonl.zst: ") || !strings.Contains(err.Error(), "does not belong") {
		t.Errorf("a foreign row: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "part-000000.jsonl.zst"), []byte("no zstd"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := parts.Read(t.Context(), func(sweep.Outcome) {}, nil); err == nil {
		t.Error("a damaged part is no error")
	}
	for _, s := range []string{"", "0/2", "3/2", "1", "a/b", "1/0"} {
		if _, _, err := sweep.ParseShard(s); err == nil {
			t.Errorf("shard %q is taken", s)
		}
	}
}

// Whoever has the parts can open what they name: a policy of one's own lies beside
// them, and a session of a bucket is fetched.
func TestPartsNameTheirPolicy(t *testing.T) {
	ps, err := policy.Read("p.toml", []byte("[[policy]]\nname = \"mine\"\n[[policy.stage]]\nstrategy = \"compress\"\nkeep_n = 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	axes := []sweep.Axis{{Strategy: "compress", Knob: "keep_n", Values: []float64{5, 7}}}
	dir := t.TempDir()
	if _, err := sweep.OpenParts(dir, manifest(ps[0], axes, many(3))); err != nil {
		t.Fatal(err)
	}
	parts, err := sweep.ReadParts([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "policy.toml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := policy.Read(file, data)
	if err != nil || len(kept) != 1 || kept[0].Key() != ps[0].Key() {
		t.Fatalf("kept is %v, %v", kept, err)
	}
	points, err := sweep.Grid(ps[0], axes)
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range []string{" --set compress.keep_n=5", ""} {
		want := "--policies " + ledger.Word(file) + " --policy mine" + set
		if got := parts[0].Words(points[i].Policy); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if sweep.Program("1.2.0", "0123456789abcdef") != "1.2.0" || sweep.Program("0.0.0-dev", "0123456789abcdef") != "0.0.0-dev+0123456789ab" {
		t.Error("a release is known by its version, another build by its commit")
	}
}

// A manifest that is none is told with its place.
func TestManifestsFaultsAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"":                               ":1:1: this is no manifest of a sweep: unexpected end of JSON input; name another folder with --out",
		"{\n \"version\": 2,\n \"pro":    ":3:",
		"{\n \"version\": \"two\"\n}":    ":2:",
		"{\n \"version\": 2,\n x\n}":     ":3:2: this is no manifest of a sweep: invalid character 'x'",
		"{\"version\": 1}":               "version 1, this program writes version 2",
		"{\"version\": 2, \"axes\": {}}": ":1:",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "manifest.json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := sweep.ReadParts([]string{dir}); err == nil || !strings.HasPrefix(err.Error(), file+":") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// The manifest of many inputs is what JSON makes of it, names of any kind included.
func TestManifestIsJSON(t *testing.T) {
	p := named(t, "compress")
	for n := range 4 {
		m := manifest(p, sweep.Axes(p), many(n))
		if n > 0 {
			m.Inputs[0].Name = "a\"b\n<\x1b>\u2028"
		}
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		var got sweep.Manifest
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if !slices.Equal(got.Inputs, m.Inputs) || got.Policy.Key() != m.Policy.Key() || got.Program != m.Program {
			t.Errorf("%d inputs became\n%s", n, data)
		}
	}
}

// BenchmarkReadParts sums rows of 300 settings, as `sweep --parts` does.
func BenchmarkReadParts(b *testing.B) {
	p := named(b, "compress")
	axes := []sweep.Axis{{Strategy: "compress", Knob: "keep_n"}}
	for v := range 300 {
		axes[0].Values = append(axes[0].Values, float64(v))
	}
	const recordings = 320
	parts, err := sweep.OpenParts(b.TempDir(), manifest(p, axes, many(recordings)))
	if err != nil {
		b.Fatal(err)
	}
	for c := range parts.Chunks() {
		from, to := parts.Chunk(c)
		var outs []sweep.Outcome
		for i := from; i < to; i++ {
			o := sweep.Outcome{Index: i, Recording: parts.Manifest().Inputs[i].Name, Site: "example.com", Model: "claude-sonnet-4-5", Format: "mcp", Full: 200_000 + i}
			for v := range 300 {
				nano := int64(1e6 * (i + v))
				o.Figures = append(o.Figures, sweep.Figures{Point: v, Input: 1000*v + i, Appended: 10*v + i, Peak: 900 + v, Acted: 9, Survived: v % 10, Nano: &nano})
			}
			outs = append(outs, o)
		}
		if err := parts.Write(c, outs); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		table, err := sweep.NewTable(p, axes, "site", "model")
		if err != nil {
			b.Fatal(err)
		}
		if err := parts.Read(b.Context(), table.Add, nil); err != nil {
			b.Fatal(err)
		}
		if n := len(table.Result().Recordings); n != recordings {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(recordings*300*b.N)/b.Elapsed().Seconds(), "rows/s")
}
