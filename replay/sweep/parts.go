package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"snapscope/replay"
	"snapscope/session/guard"
	"snapscope/session/policy"
)

// Parts is a folder with the outcomes of a sweep that can be gone on with:
//
//	manifest.json              what is swept: everything that decides a figure
//	policy.toml                its policy, where no program has one of that name
//	part-000012.jsonl.zst      the rows of chunk 12, a JSON object a line, see Row
//	lock                       held by who writes, see Lock
//
// A chunk is a run of neighbouring inputs. Its file appears when all of them are
// counted, in one move, so that a kill loses the chunks at work and nothing else.
// Several shards may write into one folder, or into folders of their own.
type Parts struct {
	dir      string // what people call it
	store    Store
	manifest Manifest
	chunks   [][2]int // of the inputs: from, to
	settings []string // names of the grid's points
}

// Manifest is everything that decides the figures of a sweep. Two runs with
// different manifests are never put together.
type Manifest struct {
	Version  int           `json:"version"`
	Program  string        `json:"program"`
	Policy   policy.Policy `json:"policy"`
	Axes     []Axis        `json:"axes"`
	Encoding string        `json:"encoding"`
	Prices   string        `json:"prices"` // digest of the price table
	Model    string        `json:"model,omitempty"`
	Fixed    [2]int        `json:"system_and_definition_tokens"`
	Reading  string        `json:"reading,omitempty"` // flags by which inputs are read, where they are not the usual ones
	Inputs   []InputFile   `json:"inputs"`
}

// InputFile tells an input from another: by name, size and a digest of its
// content.
type InputFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Hash string `json:"hash"`
}

// Program names who counts in a manifest: by the version, and by the commit where no
// release is that version's.
func Program(version, commit string) string {
	if strings.Contains(version, "dev") && commit != "" {
		return version + "+" + commit[:min(12, len(commit))]
	}
	return version
}

const (
	manifestName    = "manifest.json"
	manifestVersion = 2
	chunkFiles      = 16
	chunkBytes      = 64 << 20
)

// OpenParts opens a folder for a sweep, or begins it. A folder of another sweep
// is refused with what differs.
func OpenParts(dir string, m Manifest) (*Parts, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return OpenPartsIn(Folder(dir), dir, m)
}

// OpenPartsIn is OpenParts for a store that people call name.
func OpenPartsIn(store Store, name string, m Manifest) (*Parts, error) {
	m.Version = manifestVersion
	old, err := readManifest(store, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data, err := m.Encode()
		if err != nil {
			return nil, err
		}
		if err := store.Write(manifestName, data); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	default:
		if what := old.differs(m); what != "" {
			return nil, fmt.Errorf("%s holds another sweep: %s; name another folder with --out", name, what)
		}
	}
	p, err := newParts(store, name, m)
	if err == nil {
		err = p.keepPolicy()
	}
	return p, err
}

func newParts(store Store, name string, m Manifest) (*Parts, error) {
	points, err := Grid(m.Policy, m.Axes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(name, manifestName), err)
	}
	return &Parts{dir: name, store: store, manifest: m, chunks: m.chunks(), settings: Names(points)}, nil
}

// ReadParts opens folders for reading. They must be of one sweep.
func ReadParts(dirs []string) ([]*Parts, error) {
	var out []*Parts
	for _, dir := range dirs {
		store := Folder(dir)
		m, err := readManifest(store, dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s holds no sweep: it has no manifest.json", dir)
		}
		if err != nil {
			return nil, err
		}
		if len(out) > 0 {
			if what := out[0].manifest.differs(m); what != "" {
				return nil, fmt.Errorf("%s and %s are of two sweeps: %s", out[0].dir, dir, what)
			}
		}
		p, err := newParts(store, dir, m)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func readManifest(store Store, name string) (Manifest, error) {
	var m Manifest
	data, err := store.Read(manifestName)
	if err != nil {
		return m, err
	}
	path := filepath.Join(name, manifestName)
	if err := json.Unmarshal(data, &m); err != nil {
		return m, manifestFault(path, data, err)
	}
	if m.Version != manifestVersion {
		return m, fmt.Errorf("%s: version %d, this program writes version %d", path, m.Version, manifestVersion)
	}
	return m, nil
}

// Encode is the manifest's file: JSON, an input a line. It is written in one piece,
// since there may be millions of inputs.
func (m Manifest) Encode() ([]byte, error) {
	inputs := m.Inputs
	m.Inputs = []InputFile{}
	head, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, err
	}
	head, ok := bytes.CutSuffix(head, []byte("]\n}")) // inputs come last
	if !ok {
		return nil, errors.New("the inputs of a manifest do not come last")
	}
	size := len(head) + 16
	for _, in := range inputs {
		size += len(in.Name) + len(in.Hash) + 64
	}
	out := append(make([]byte, 0, size), head...)
	for i, in := range inputs {
		line, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, "\n  "...), line...)
	}
	return append(out, "]\n}\n"...), nil
}

// manifestFault says where a manifest is none.
func manifestFault(path string, data []byte, err error) error {
	f := &replay.Fault{Name: path, Line: 1, Column: 1, What: "this is no manifest of a sweep: " + err.Error() + "; name another folder with --out"}
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	at := 0
	switch {
	case errors.As(err, &syn):
		at = int(syn.Offset)
	case errors.As(err, &typ):
		at = int(typ.Offset)
	}
	before := data[:min(at, len(data))]
	f.Line += bytes.Count(before, []byte("\n"))
	f.Column = max(1, len(before)-1-bytes.LastIndexByte(before, '\n'))
	return f
}

// differs names the first thing in which two manifests are not the same.
func (m Manifest) differs(o Manifest) string {
	switch {
	case m.Program != o.Program:
		return fmt.Sprintf("it was made by %s, this is %s", m.Program, o.Program)
	case m.Policy.Key() != o.Policy.Key():
		return "the policy is another"
	case !reflect.DeepEqual(m.Axes, o.Axes):
		return "the knobs or their values are others"
	case m.Encoding != o.Encoding:
		return "tokens are counted in " + m.Encoding + ", not in " + o.Encoding
	case m.Prices != o.Prices || m.Model != o.Model || m.Fixed != o.Fixed:
		return "prices, model or fixed sizes are others"
	case m.Reading != o.Reading:
		return "the recordings are read in another way"
	case !slices.Equal(m.Inputs, o.Inputs):
		return "the recordings are others, or have changed"
	}
	return ""
}

// chunks divides the inputs; the same manifest always divides alike.
func (m Manifest) chunks() [][2]int {
	var out [][2]int
	from, size := 0, int64(0)
	for i, in := range m.Inputs {
		if i > from && (i-from == chunkFiles || size+in.Size > chunkBytes) {
			out = append(out, [2]int{from, i})
			from, size = i, 0
		}
		size += in.Size
	}
	if from < len(m.Inputs) {
		out = append(out, [2]int{from, len(m.Inputs)})
	}
	return out
}

// Manifest is what the parts are of.
func (p *Parts) Manifest() Manifest { return p.manifest }

// Name is what people call the parts: their folder.
func (p *Parts) Name() string { return p.dir }

// Chunks is how many chunks there are.
func (p *Parts) Chunks() int { return len(p.chunks) }

// Missing are the chunks of shard i of n (from 1) that are not there yet.
func (p *Parts) Missing(i, n int) ([]int, error) {
	names, err := p.store.Names()
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	var out []int
	for c := range p.chunks {
		if c%n == i-1 && !there[PartName(c)] {
			out = append(out, c)
		}
	}
	return out, nil
}

// Chunk is the inputs [from, to) of a chunk.
func (p *Parts) Chunk(c int) (from, to int) { return p.chunks[c][0], p.chunks[c][1] }

// PartName is the file of a chunk's outcomes.
func PartName(chunk int) string { return fmt.Sprintf("part-%06d.jsonl.zst", chunk) }

func (p *Parts) path(chunk int) string { return filepath.Join(p.dir, PartName(chunk)) }

// Write puts a chunk's outcomes in place.
func (p *Parts) Write(chunk int, outs []Outcome) error {
	data, err := EncodePart(outs, p.settings)
	if err != nil {
		return err
	}
	return p.store.Write(PartName(chunk), data)
}

// EncodePart is what a chunk's file holds, whoever counted it. settings are the
// Names of the grid.
func EncodePart(outs []Outcome, settings []string) ([]byte, error) {
	slices.SortFunc(outs, func(a, b Outcome) int { return a.Index - b.Index })
	var b bytes.Buffer
	zw, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, err
	}
	if err := WriteRows(zw, outs, settings); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// readAhead is how many parts are read at once: a bucket is waited for most of the
// time, a folder takes all cores.
func readAhead() int { return max(16, 2*runtime.GOMAXPROCS(0)) }

// Read hands over every outcome that is there, in the order of the inputs. A part
// that is damaged is an error with its file and line. progress is told how many of
// all parts were read; it may be nil.
func (p *Parts) Read(ctx context.Context, each func(Outcome), progress func(done, total int)) error {
	type chunk struct {
		outs []Outcome
		err  error
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ahead := make(chan chan chunk, readAhead())
	go func() {
		defer close(ahead)
		for c := range p.chunks {
			got := make(chan chunk, 1)
			select {
			case ahead <- got:
			case <-ctx.Done():
				return
			}
			go func() {
				var outs []Outcome
				err := guard.Do("reading "+p.path(c), func() (err error) {
					outs, err = p.readChunk(c)
					return err
				})
				got <- chunk{outs, err}
			}()
		}
	}()
	done := 0
	for got := range ahead {
		select {
		case c := <-got:
			if c.err != nil && !errors.Is(c.err, fs.ErrNotExist) {
				return c.err
			}
			for _, o := range c.outs {
				each(o)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		if done++; progress != nil {
			progress(done, p.Chunks())
		}
	}
	return ctx.Err()
}

func (p *Parts) readChunk(c int) (outs []Outcome, err error) {
	data, err := p.store.Read(PartName(c))
	if err != nil {
		return nil, err
	}
	zr, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return nil, err
	}
	defer zr.Close()
	from, to := p.Chunk(c)
	next := from
	err = ReadRows(zr, len(p.settings), func(o Outcome) error {
		if o.Index != next || o.Index >= to || o.Recording != p.manifest.Inputs[o.Index].Name {
			return fmt.Errorf("%q does not belong into this part", o.Recording)
		}
		next++
		o.Recording = p.manifest.Inputs[o.Index].Name // one copy in memory
		outs = append(outs, o)
		return nil
	})
	if err == nil && next != to {
		err = fmt.Errorf("%d of %d recordings", next-from, to-from)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove the file and sweep again", p.path(c), err)
	}
	return outs, nil
}

// ParseShard reads "2/7": the second of seven shards.
func ParseShard(text string) (i, n int, err error) {
	a, b, ok := strings.Cut(text, "/")
	if ok {
		_, err = fmt.Sscanf(a+" "+b, "%d %d", &i, &n)
	}
	if !ok || err != nil || i < 1 || n < 1 || i > n {
		return 0, 0, fmt.Errorf("shard %q is not i/n, such as 2/7", text)
	}
	return i, n, nil
}
