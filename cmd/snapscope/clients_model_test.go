//go:build live

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay"
	"snapscope/replay/proxy/api/apitest"
	"snapscope/session"
)

// TestRetentionLive: under each retention rule the requests of every client stay
// such as the model takes, something is cleared, the task ends as it does without,
// and both seats' recordings make one session that holds no key.
func TestRetentionLive(t *testing.T) {
	script := func(s *site) []apitest.Step {
		steps := []apitest.Step{{Goto: s.URL}}
		for _, row := range []int{3, 7, 11, 17} {
			steps = append(steps, apitest.Step{Look: true}, apitest.Step{Click: rowName(row)})
		}
		return append(steps, apitest.Step{Eval: "() => 1"}, apitest.Step{Look: true}, apitest.Step{Click: rowName(5)})
	}
	for _, client := range clientNames {
		for _, rule := range [][]string{
			{"--policy", "keep-one"},
			{"--policy", "openclaw", "--set", "tool_calls=2"},
			{"--policy", "clear-tool-uses", "--set", "trigger=3000"},
		} {
			t.Run(client+" "+rule[1], func(t *testing.T) {
				s := bigTable(t, 20)
				got := trial{client: client, script: script(s), seat: []string{"--keep", "5"}, api: rule}.run(t)
				if got.said != "DONE" || s.clicks.Load() != 5 {
					t.Errorf("it ended with %q after %d clicks\n%s", got.said, s.clicks.Load(), got.output)
				}
				tl := joined(t, filepath.Join(got.home, "rec", "api.jsonl"), len(script(s))) // what was refused is an error of run
				cleared := 0
				for _, e := range tl.Events {
					if e.Expiry != nil {
						cleared += len(e.Expiry.IDs)
					}
				}
				t.Logf("%d calls, %d results cleared, %d steps joined, %d model calls with a count", len(got.calls), cleared, len(tl.Steps), counted(tl))
				if cleared == 0 || counted(tl) == 0 {
					t.Errorf("%d results are cleared, %d calls bear the vendor's count", cleared, counted(tl))
				}
				noKeys(t, got)
			})
		}
	}
}

func counted(tl *session.Timeline) (n int) {
	for _, c := range tl.Calls() {
		if c.Model != nil && c.Model.Usage != nil {
			n++
		}
	}
	return n
}

// joined imports a seat's recording, which is joined with the other seat's.
func joined(t *testing.T, file string, pairs int) *session.Timeline {
	t.Helper()
	out := filepath.Join(t.TempDir(), "joined.jsonl")
	root := newRoot()
	root.SetArgs([]string{"import", file, "-o", out})
	root.SetOut(io.Discard)
	var stderr bytes.Buffer
	root.SetErr(&stderr)
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d tool calls stand in both", pairs); !strings.Contains(stderr.String(), want) {
		t.Errorf("importing it says %s, want %q", &stderr, want)
	}
	rec, err := replay.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return session.NewTimeline(rec.Events)
}

// noKeys greps everything that the seats left.
func noKeys(t *testing.T, r liveRun) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.home, "rec", "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("recordings: %v, %v", files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"sk-ant-dummy", "Bearer dummy", "user_id", "authorization", "x-api-key"} {
			if bytes.Contains(bytes.ToLower(b), []byte(strings.ToLower(secret))) {
				t.Errorf("%s holds %q", f, secret)
			}
		}
	}
}
