//go:build linux

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/snapshot"
)

// steepest is the exponent with which computing and memory may grow with the bytes
// that are read: one is linear, two is its square. Sorting and a loaded machine are
// let through.
const steepest = 1.2

// steepestBend is the same for the upper two of the three sizes: what bends shows there,
// but over half the way a loaded machine counts twice.
const steepestBend = 1.4

// What is too little to measure a growth by.
const (
	littleCPU    = 400 * time.Millisecond
	littleMemory = 150 << 20
	largestInput = 24 << 20 // bytes of the first of the three sizes
)

// growing are recordings that become large in one way each; n is how large.
var growing = []struct {
	name string
	line string
	make func(w *made, n int)
}{
	{"pages that repeat", "report R --policy combined", func(w *made, n int) {
		for i := range n {
			w.page(i, session.VerbClick, w.list(i%3, 200))
		}
	}},
	{"pages that change", "report R --policy all", func(w *made, n int) {
		for i := range n {
			w.page(i, session.VerbSnapshot, w.list(i, 100))
		}
	}},
	{"pages of their own", "report R --policy all", func(w *made, n int) {
		for i := range n {
			w.page(i, session.VerbGoto, w.list(i*1000, 100))
		}
	}},
	{"user messages and compactions", "report R", func(w *made, n int) {
		for i := range n {
			w.put(session.Event{Kind: session.KindUser, User: &session.Message{Text: fmt.Sprint("message ", i)}})
			if i%10 == 9 {
				w.put(session.Event{Kind: session.KindCall, Call: &session.ModelCall{Text: "ok"}})
				w.put(session.Event{Kind: session.KindCompact, Compact: &session.Compaction{Keep: 3, Text: "so far"}})
			}
		}
	}},
	{"actions without a page", "report R", func(w *made, n int) {
		w.page(0, session.VerbGoto, w.list(0, 50))
		for i := range n {
			w.act(i+1, session.VerbClick, fmt.Sprint("e", 2+i%50))
			w.put(session.Event{Kind: session.KindResult, Result: &session.Result{Action: fmt.Sprint("a", i+1), OK: true, Text: "done"}})
		}
	}},
	{"elements that are lost", "report R --policy all", func(w *made, n int) {
		w.page(0, session.VerbGoto, w.list(0, 400))
		for i := range n {
			w.act(i+1, session.VerbClick, fmt.Sprint("e", 100+i%300))
			w.put(session.Event{Kind: session.KindResult, Result: &session.Result{Action: fmt.Sprint("a", i+1), OK: false, Error: "not found"}})
		}
	}},
	{"user messages", "report R", func(w *made, n int) {
		for range n {
			w.put(session.Event{Kind: session.KindUser, User: &session.Message{Text: "go"}})
		}
	}},
	{"a deep page", "report R --policy all", func(w *made, n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s- group \"l%d\" [ref=e%d]:\n", strings.Repeat("  ", i), i, i)
		}
		w.page(0, session.VerbGoto, b.String())
		w.page(1, session.VerbClick, strings.Replace(b.String(), "l7", "m7", 1))
	}},
	{"a wide page", "report R --policy all", func(w *made, n int) {
		w.page(0, session.VerbGoto, w.list(0, n))
		w.page(1, session.VerbClick, w.list(1, n))
	}},
	{"one long line", "report R --policy all", func(w *made, n int) {
		w.page(0, session.VerbGoto, "- button \""+strings.Repeat("long ", n)+"\" [ref=e1]\n")
		w.page(1, session.VerbClick, "- button \""+strings.Repeat("lang ", n)+"\" [ref=e1]\n")
	}},
	{"console lines", "replay --plain R", func(w *made, n int) {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprint("log ", i))
		}
		w.act(0, session.VerbClick, "e1")
		w.put(session.Event{Kind: session.KindResult, Result: &session.Result{Action: "a0", OK: true, Console: lines}})
	}},
	{"notes", "report R", func(w *made, n int) {
		w.page(0, session.VerbGoto, w.list(0, 50))
		for i := range n {
			w.put(session.Event{Kind: session.KindNote, Note: &session.Note{Text: fmt.Sprint("note ", i)}})
		}
	}},
	{"documents", "report R", func(w *made, n int) {
		for i := range n {
			w.document = fmt.Sprint("d", i)
			w.page(i, session.VerbGoto, w.list(i, 3))
		}
	}},
	{"expiries", "report R", func(w *made, n int) {
		var ids []string
		for i := range n {
			w.page(i, session.VerbClick, w.list(i, 3))
			if ids = append(ids, fmt.Sprint("a", i)); i%50 == 49 {
				w.put(session.Event{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: ids[len(ids)-50:]}})
			}
		}
	}},
}

// growth reads recordings at three sizes, each twice the one before.
func growth(f *field) {
	list := growing
	if f.short {
		list = list[:1]
	}
	f.each(len(list), 1, func(i int, _ *rand.Rand) (string, error) {
		g := list[i]
		n, first, err := 8, measured{}, error(nil)
		for first, err = f.measure(g.line, g.make, n); err == nil && first.cpu < littleCPU && first.bytes < largestInput; first, err = f.measure(g.line, g.make, n) {
			if n *= 2; f.short && n > 256 {
				break
			}
		}
		if err != nil {
			return g.name, err
		}
		what := fmt.Sprintf("%s, %d to %d", g.name, n, 4*n)
		middle, err := f.measure(g.line, g.make, 2*n)
		if err != nil {
			return what, err
		}
		last, err := f.measure(g.line, g.make, 4*n)
		if err != nil {
			return what, err
		}
		return what, errors.Join(first.linear(last, steepest), middle.linear(last, steepestBend))
	})
}

// measured is what reading one size took beyond what the program takes for nothing.
type measured struct {
	bytes int64
	cpu   time.Duration
	peak  int64
}

// measure takes the best of three runs, each on one processor: what else a machine does
// only ever adds, and on an idle processor the collector adds as much as it likes.
func (f *field) measure(line string, fill func(*made, int), n int) (measured, error) {
	home, env := f.home()
	defer os.RemoveAll(filepath.Dir(home))
	file := filepath.Join(home, "r.jsonl")
	size, err := writeMade(file, fill, n)
	m := measured{bytes: size, cpu: math.MaxInt64, peak: math.MaxInt64}
	env = append(env, "GOMAXPROCS=1")
	for range 3 {
		if err != nil {
			break
		}
		e := f.do(call{args: words(line, "R", file), env: env, dir: home, limit: 4 * time.Minute})
		if err = e.sound(0, 0); err == nil && e.status != 0 {
			err = errors.New(clip(e.err, 200))
		}
		m.cpu, m.peak = min(m.cpu, e.cpu), min(m.peak, e.peak)
	}
	return m, err
}

// linear is how what a run took grew with what it read.
func (m measured) linear(more measured, steepest float64) error {
	exponent := func(a, b float64) float64 { return math.Log(b/a) / math.Log(float64(more.bytes)/float64(m.bytes)) }
	if e := exponent(float64(max(m.cpu, littleCPU/4)), float64(more.cpu)); more.cpu > 4*littleCPU && e > steepest {
		return fmt.Errorf("computing grows with the power %.2f: %d KB %v, %d KB %v", e, m.bytes>>10, m.cpu.Round(time.Millisecond), more.bytes>>10, more.cpu.Round(time.Millisecond))
	}
	if e := exponent(float64(max(m.peak, littleMemory/4)), float64(more.peak)); more.peak > littleMemory && e > steepest {
		return fmt.Errorf("memory grows with the power %.2f: %d KB %d MB, %d KB %d MB", e, m.bytes>>10, m.peak>>20, more.bytes>>10, more.peak>>20)
	}
	return nil
}

// made is a recording that is being made. total is what it holds in bytes, a page that
// comes again counted again: a recording writes it once.
type made struct {
	total    int64
	w        *replay.Writer
	err      error
	document string
}

func writeMade(path string, fill func(*made, int), n int) (int64, error) {
	w, err := replay.Create(path)
	if err != nil {
		return 0, err
	}
	m := &made{w: w, document: "d"}
	m.put(session.Event{Kind: session.KindStart, Start: &session.Start{Name: "growth", Source: "live"}})
	fill(m, n)
	if err := errors.Join(m.err, w.Close()); err != nil {
		return 0, err
	}
	return m.total, nil
}

func (m *made) put(e session.Event) {
	if m.err == nil {
		m.err = m.w.Append(e)
	}
	m.total += 200
	if e.Result != nil && e.Result.Snapshot != nil {
		m.total += int64(len(e.Result.Snapshot.Text))
	}
	if e.Result != nil {
		for _, line := range e.Result.Console {
			m.total += int64(len(line))
		}
	}
}

func (m *made) act(i int, verb session.Verb, ref string) {
	m.put(session.Event{Kind: session.KindAction, Action: &session.Action{ID: fmt.Sprint("a", i), Verb: verb, Tool: string(verb), Target: &session.Target{Ref: ref}}})
}

// page is a step with a page.
func (m *made) page(i int, verb session.Verb, text string) {
	m.act(i, verb, fmt.Sprint("e", 2+i%40))
	m.put(session.Event{Kind: session.KindResult, Result: &session.Result{
		Action: fmt.Sprint("a", i), OK: true, Seen: session.SeenInline,
		Snapshot: &snapshot.Snapshot{URL: "http://a.test/", Document: m.document, Text: text, Hash: snapshot.HashText(text)},
	}})
}

// list is a page of so many rows, of which one is like no other page's.
func (m *made) list(version, rows int) string {
	var b strings.Builder
	b.WriteString("- list [ref=e1]:\n")
	for i := range rows {
		name := fmt.Sprint("row ", i)
		if i == version%max(1, rows) {
			name = fmt.Sprint("changed ", version)
		}
		fmt.Fprintf(&b, "  - button \"%s\" [ref=e%d]\n", name, i+2)
	}
	return b.String()
}
