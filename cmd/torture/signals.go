//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// endWithin is what a command may take to end after a signal; a seat lets its
// server end first.
const (
	endWithin     = 1100 * time.Millisecond
	endSeatWithin = 3 * time.Second
)

// working are command lines that go on for long: BIG is a large recording, MANY a
// folder of them, URL an address. Those with a browser are signalled later.
var working = []struct {
	line  string
	after time.Duration
}{
	{"tokens -", 0},
	{"reduce passmark --prev - BIG", 0},
	{"import - -o out.jsonl", 0},
	{"report BIG BIG BIG BIG --policy all", 0},
	{"sweep MANY --knob compress.keep_n=1..90/1", 0},
	{"tune MANY --time 100s", 0},
	{"replay --plain --follow BIG", 0},
	{"mcp -- /bin/sh -c SLEEP", 0},
	{"mcp --record rec.jsonl -- /bin/sh -c ANSWERING sh ANSWER", 0},
	{"api --to http://127.0.0.1:1 --listen 127.0.0.1:0", 0},
	{"snapshot URL/served/hang", 900 * time.Millisecond},
	{"snapshot URL/page/endless-loop-at-once", 900 * time.Millisecond},
	{"run RUN --record rec.jsonl --json", 900 * time.Millisecond},
}

// signals ends commands in the middle of their work.
func signals(f *field) {
	kinds := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	n := len(working) * len(kinds) * 2
	step := 1
	if f.short {
		step = 6
	}
	shared, _ := f.home()
	many := filepath.Join(shared, "many")
	big := filepath.Join(many, "big.jsonl")
	if err := errors.Join(os.MkdirAll(many, 0o700), bigRecording(big, 60, 120_000)); err != nil {
		f.failed = append(f.failed, err.Error())
		return
	}
	f.each(n/step, 1, func(i int, r *rand.Rand) (string, error) {
		i = (i*step + i%step) % n
		w, kind, twice := working[i/6], kinds[i/2%3], i%2 == 1
		home, env := f.home()
		script := filepath.Join(home, "run.yaml")
		if err := os.WriteFile(script, []byte(strings.ReplaceAll(longScript, "URL", f.site.URL)), 0o600); err != nil {
			return w.line, err
		}
		answer := filepath.Join(home, "answer")
		if err := os.WriteFile(answer, []byte(pageAnswer), 0o600); err != nil {
			return w.line, err
		}
		var args []string
		for _, a := range strings.Fields(w.line) {
			switch a {
			case "ANSWERING":
				a = answering
			case "ANSWER":
				a = answer
			case "SLEEP":
				a = "while read l; do sleep 100; done"
			case "RUN":
				a = script
			}
			a = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(a, "BIG", big), "MANY", many), "URL", f.site.URL)
			args = append(args, a)
		}
		in, out, err := os.Pipe() // says nothing, and does not end
		if err != nil {
			return w.line, err
		}
		defer in.Close()
		defer out.Close()
		answers := strings.Contains(w.line, "ANSWER")
		if answers { // it is asked, and what it answers is to be recorded
			for n := range 20 {
				_, err = out.WriteString(toolCall(n+1, "browser_snapshot", "{}"))
			}
		}
		if err != nil {
			return w.line, err
		}
		var at time.Time
		e := f.do(call{args: args, env: env, dir: home, stdin: in, limit: 30 * time.Second, during: func(p *os.Process, _ *tee) {
			time.Sleep(120*time.Millisecond + w.after + time.Duration(r.IntN(400))*time.Millisecond)
			at = time.Now()
			_ = p.Signal(kind)
			if twice {
				time.Sleep(30 * time.Millisecond)
				_ = p.Signal(kind)
			}
		}})
		took, what := time.Since(at), fmt.Sprintf("%s, %v, twice %t", w.line, kind, twice)
		most := endWithin
		if strings.HasPrefix(w.line, "mcp") || strings.HasPrefix(w.line, "api") {
			most = endSeatWithin
		}
		switch {
		case e.hung:
			return what, errors.New("it did not end")
		case e.status == 0 && strings.HasPrefix(w.line, "api"): // a server that was asked to end has ended
		case e.status != 130 && (e.status != -1 || took > endWithin): // -1: before the program listened
			return what, fmt.Errorf("status %d after %s: %s", e.status, took, clip(e.err, 200))
		case took > most:
			return what, fmt.Errorf("it took %s", took.Round(time.Millisecond))
		}
		if answers {
			if err := holds(filepath.Join(home, "rec.jsonl"), strings.Count(e.out, "\n")); err != nil {
				return what, err
			}
		}
		if w.after > 0 { // one that was ended at once, or was late, may leave its profile to the next start
			f.do(call{args: []string{"snapshot", f.site.URL + "/plain"}, env: env, dir: home})
		}
		return what, left(home, goneWithin)
	})
}

// longScript is a session that takes its time.
const longScript = `- goto: URL/plain
- click: {css: "#b"}
- wait: {text: "never there", ms: 20000}
- click: {css: "#b"}
`
