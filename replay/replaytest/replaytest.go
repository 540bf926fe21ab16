// Package replaytest makes many recordings of a few, for tests and measurements of
// what goes through thousands of them:
//
//	recordings and transcripts ─▶ events ─▶ other words, another site, an earlier end ─▶ recordings
//
// What it makes of a source and a number is always the same. Names, texts and
// what is typed become other words wherever they stand, so that pages still fit
// the actions on them; roles, refs and the shape of a page stay. Two recordings
// of one source differ in their texts, their token counts and where they end.
// The tests of several packages import it; no program does.
package replaytest

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"snapscope/replay"
	"snapscope/replay/transcript"
	"snapscope/session"
)

// Sources are the project's recorded sessions and a transcript of each of several
// agents, below testdata.
func Sources(testdata string) ([]string, error) {
	var out []string
	for _, pattern := range []string{
		"sessions/recorded/*.jsonl.zst", "transcripts/claude-code/*.jsonl", "transcripts/codex/*.jsonl", "transcripts/anthropic/request.json",
		"transcripts/openai/*.json", "transcripts/opencode/export.json", "transcripts/openclaw/*.jsonl", "transcripts/mcp/selectors.jsonl", "transcripts/mcp/frames.jsonl",
	} {
		got, err := filepath.Glob(filepath.Join(testdata, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		out = append(out, got...)
	}
	if len(out) == 0 {
		return nil, errors.New("there is no recording below " + testdata)
	}
	return out, nil
}

// Make writes n recordings into a folder, each varied from one of the sources in
// turn, and answers their names.
func Make(ctx context.Context, dir string, sources []string, n int) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	read := make([][]session.Event, len(sources))
	for i, path := range sources {
		im, err := transcript.Read(ctx, path, transcript.Options{})
		if err != nil {
			return nil, err
		}
		read[i] = im.Events
	}
	var out []string
	for i := range n {
		at := i % len(sources)
		name, _, _ := strings.Cut(filepath.Base(sources[at]), ".")
		path := filepath.Join(dir, fmt.Sprintf("%05d-%s.jsonl", i, name))
		if err := write(path, read[at], uint64(i)); err != nil {
			return nil, fmt.Errorf("varying %s: %w", sources[at], err)
		}
		out = append(out, path)
	}
	return out, nil
}

func write(path string, events []session.Event, seed uint64) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	w, err := replay.NewWriter(f)
	if err != nil {
		return err
	}
	for _, e := range cut(events, seed) {
		if e, err = vary(e, seed); err != nil {
			return err
		}
		if err := w.Append(e); err != nil {
			return err
		}
	}
	return w.Close()
}

// cut ends a session behind one of the results of its second half.
func cut(events []session.Event, seed uint64) []session.Event {
	var ends []int
	for i, e := range events {
		if e.Kind == session.KindResult && i >= len(events)/2 {
			ends = append(ends, i+1)
		}
	}
	if len(ends) == 0 {
		return events
	}
	return events[:ends[rand.New(rand.NewPCG(seed, 1)).IntN(len(ends))]]
}

var (
	word = regexp.MustCompile(`[A-Z][a-z]{3,}`)
	host = regexp.MustCompile(`127\.0\.0\.1:\d+`)
)

// models are some that have a price.
var models = []string{"claude-sonnet-4-5", "claude-opus-4-5", "gpt-5"}

// vary gives an event other words and another site.
func vary(e session.Event, seed uint64) (session.Event, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return e, err
	}
	data = word.ReplaceAllFunc(data, func(w []byte) []byte { return other(w, seed) })
	data = host.ReplaceAll(data, fmt.Appendf(nil, "shop-%d.example", seed%7))
	var out session.Event
	if err := json.Unmarshal(data, &out); err != nil {
		return e, err
	}
	if out.Result != nil && out.Result.Snapshot != nil {
		out.Result.Snapshot.Hash = "" // of the text as it was
	}
	if out.Start != nil && out.Start.Model == "" {
		out.Start.Model = models[seed%uint64(len(models))]
	}
	return out, nil
}

var syllables = strings.Fields("ba be bo da de di ka ke ko la le lo ma me mi na no nu ra re ri sa so su ta te to va ve vo wen lin mar sol tor ber gan fel")

// other is the word that stands for another one in the recording of a number: a
// half of them stay.
func other(w []byte, seed uint64) []byte {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	_, _ = h.Write(w)
	r := rand.New(rand.NewPCG(h.Sum64(), seed))
	if r.IntN(2) == 0 {
		return w
	}
	var b strings.Builder
	for b.Len() < len(w) {
		b.WriteString(syllables[r.IntN(len(syllables))])
	}
	s := b.String()[:len(w)]
	return []byte(strings.ToUpper(s[:1]) + s[1:])
}
