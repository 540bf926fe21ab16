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

// What reading one random recording of at most a few megabytes may take.
const (
	recordingMost = 30 * time.Second
	recordingPeak = 1 << 30
)

// readers are the commands that read a recording: R is the recording.
var readers = []string{
	"report R", "report R --policy all", "report --json R", "report --md R", "report --html out.html R",
	"sweep R --knob compress.keep_n=1,20 --knob openclaw.tool_calls=2", "tune R --time 1s -o tuned.toml", "check R --policy POLICY",
	"import R -o out.jsonl", "import R --json -o out.jsonl", "replay --plain R", "tokens R",
}

// recordings reads random recordings that keep to the format by every command that
// reads one.
func recordings(f *field) {
	shared, _ := f.home()
	tuned := filepath.Join(shared, "policy.toml")
	if err := os.WriteFile(tuned, []byte(plainPolicy), 0o600); err != nil {
		f.failed = append(f.failed, err.Error())
		return
	}
	f.each(f.n(20, 1)*len(readers), 2, func(i int, _ *rand.Rand) (string, error) {
		home, env := f.home()
		file := filepath.Join(home, "rec.jsonl")
		r := rand.New(rand.NewPCG(f.seed, uint64(i/len(readers)))) // one recording, read by all
		kind, err := randomRecording(file, r)
		line := readers[i%len(readers)]
		what := line + ": " + kind
		if err != nil {
			return what, err
		}
		e := f.do(call{args: words(line, "R", file, "POLICY", tuned), env: env, dir: home, limit: 2 * time.Minute})
		if err := e.sound(recordingMost, recordingPeak); err != nil {
			return what, err
		}
		if at := raw(e.out); at != "" {
			return what, fmt.Errorf("stdout holds %s raw", at)
		}
		if strings.Contains(e.out, "-9,2") || strings.Contains(e.out, ":-9") {
			return what, errors.New("a figure is below zero by an overflow")
		}
		return what, left(home, goneWithin)
	})
}

// plainPolicy is a file with a policy.
const plainPolicy = "[[policy]]\nname = \"mine\"\n[[policy.stage]]\nstrategy = \"compress\"\nkeep_n = 20\n"

// words takes a command line apart and puts values in the place of names.
func words(line string, names ...string) []string {
	out := strings.Fields(line)
	for i, w := range out {
		for k := 0; k < len(names); k += 2 {
			w = strings.ReplaceAll(w, names[k], names[k+1])
		}
		out[i] = w
	}
	return out
}

// numbers are those at whose bounds sums go wrong.
var numbers = []int{0, 1, -1, 2, 199_999, math.MaxInt32, math.MinInt32, 1 << 53, 1<<53 + 1, 1 << 62, math.MaxInt64, math.MinInt64}

// names that an element, a tool or a model may have.
func anyName(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0:
		return ""
	case 1:
		return hostileNames[r.IntN(len(hostileNames))]
	case 2:
		return strings.Repeat("n", 1<<r.IntN(21)) // up to 1 MB
	case 3:
		return strings.Repeat("日本 ", 1<<r.IntN(8))
	}
	return []string{"Save", "Next", "row 12", "Select 7", "[ref=e1]", "e1", "\"", "- button"}[r.IntN(8)]
}

// randomRecording writes a recording: everything in it is of the format, nothing of
// it is likely. kind says what is drawn large in it.
func randomRecording(path string, r *rand.Rand) (kind string, err error) {
	w, err := replay.Create(path)
	if err != nil {
		return "", err
	}
	g := &drawn{r: r, odd: r.IntN(4), room: 2 << 20}
	kind = [...]string{"numbers", "names", "times and orders", "everything"}[g.odd]
	put := func(e session.Event) {
		e.Time = g.time()
		if err == nil {
			err = w.Append(e)
		}
	}
	put(session.Event{Kind: session.KindStart, Start: &session.Start{Name: g.name("s"), Source: "live", Model: "claude-sonnet-4-5", System: g.number(), Definitions: g.number(), Planned: g.number()}})
	for i := range 1 + r.IntN(60) {
		for _, e := range g.events(i) {
			put(e)
		}
	}
	return kind, errors.Join(err, w.Close())
}

// drawn draws the parts of a recording.
type drawn struct {
	r    *rand.Rand
	odd  int // what is drawn large: 0 numbers, 1 names, 2 times and orders, 3 all
	room int // bytes of odd names that are left: what reading takes is held against a size
	ids  []string
}

func (g *drawn) is(odd int) bool { return (g.odd == odd || g.odd == 3) && g.r.IntN(4) == 0 }

func (g *drawn) number() int {
	if g.is(0) {
		return numbers[g.r.IntN(len(numbers))]
	}
	return g.r.IntN(2000)
}

func (g *drawn) name(usual string) string {
	if g.room > 0 && g.is(1) {
		s := anyName(g.r)
		g.room -= len(s)
		return s
	}
	return usual
}

func (g *drawn) time() time.Time {
	t := time.Unix(1_700_000_000+int64(g.r.IntN(1000)), 0).UTC()
	if g.is(2) {
		t = []time.Time{{}, time.Unix(0, 0), time.Unix(253402300799, 0), time.Unix(-62135596800, 0)}[g.r.IntN(4)].UTC()
	}
	return t
}

// events are those of one turn, whole and in order, or not.
func (g *drawn) events(i int) []session.Event {
	id := g.name(fmt.Sprint("a", i))
	ref := g.name(fmt.Sprint("e", 1+g.r.IntN(40)))
	call := session.Event{Kind: session.KindCall, Call: &session.ModelCall{Model: g.name("claude-sonnet-4-5"), Text: g.name("ok"), Usage: &session.Usage{Input: g.number(), CacheRead: g.number(), CacheWrite: g.number(), Output: g.number()}}}
	verbs := []session.Verb{session.VerbClick, session.VerbGoto, session.VerbSnapshot, session.VerbFill, "", session.Verb(g.name("press"))}
	verb := verbs[g.r.IntN(len(verbs))]
	act := session.Event{Kind: session.KindAction, Action: &session.Action{
		ID: id, Verb: verb, Tool: g.name("browser_" + string(verb)), Args: map[string]any{"ref": ref, g.name("text"): g.name("x")},
		Target: &session.Target{Ref: ref, Role: g.name("button"), Name: g.name("Save"), Nth: g.number()},
	}}
	seen := []session.Seen{session.SeenInline, session.SeenIncremental, session.SeenLink, session.SeenCut, session.SeenExpired, session.SeenDropped, ""}
	res := session.Event{Kind: session.KindResult, Result: &session.Result{
		Action: id, OK: g.r.IntN(4) > 0, Text: g.name("### Page"), Seen: seen[g.r.IntN(len(seen))], At: g.number(), Millis: int64(g.number()), URL: g.name("http://a.test/"), Error: g.name(""),
	}}
	if g.r.IntN(5) > 0 {
		text := g.page()
		res.Result.Snapshot = &snapshot.Snapshot{URL: g.name("http://a.test/"), Document: g.name("d"), Tab: g.r.IntN(3), Text: text, Hash: snapshot.HashText(text)}
	}
	out := []session.Event{call, act, res}
	switch g.r.IntN(12) {
	case 0:
		out = append(out, session.Event{Kind: session.KindUser, User: &session.Message{Text: g.name("go on")}})
	case 1:
		out = append(out, session.Event{Kind: session.KindCompact, Compact: &session.Compaction{Keep: g.number(), Text: g.name("summary")}})
	case 2:
		out = append(out, session.Event{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: append([]string{id}, g.ids...)}})
	case 3:
		out = append(out, session.Event{Kind: session.KindNote, Note: &session.Note{Text: g.name("note"), Step: g.number()}})
	}
	g.ids = append(g.ids, id)
	if g.is(2) {
		g.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		out = out[:1+g.r.IntN(len(out))]
	}
	return out
}

// page draws a page of a few hundred lines at most.
func (g *drawn) page() string {
	var b strings.Builder
	depth := 0
	for i := range 1 + g.r.IntN(200) {
		fmt.Fprintf(&b, "%s- %s", strings.Repeat("  ", depth), g.name("button"))
		if g.r.IntN(3) > 0 {
			fmt.Fprintf(&b, " %q", g.name("Save"))
		}
		if g.r.IntN(2) > 0 {
			fmt.Fprintf(&b, " [ref=%s]", g.name(fmt.Sprint("e", 1+i%60)))
		}
		if deeper := g.r.IntN(4); deeper == 0 {
			b.WriteString(":")
			depth++
		} else if deeper == 1 {
			depth = g.r.IntN(depth + 1)
		}
		b.WriteString("\n")
		if b.Len() > 2<<20 {
			break
		}
	}
	return b.String()
}
