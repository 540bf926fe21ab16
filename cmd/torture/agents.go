//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// attach sends a running proxy's socket what no screen would: the agent's calls go on
// all the time, and a list of what runs is still to be had.
func attach(f *field) {
	f.each(f.n(40, 3), 2, func(i int, r *rand.Rand) (string, error) {
		home, env := f.home()
		in, out, err := os.Pipe()
		if err != nil {
			return "", err
		}
		defer in.Close()
		var failed error
		what := "nothing"
		answer := filepath.Join(filepath.Dir(home), "answer")
		if err := os.WriteFile(answer, []byte(`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"ok"}]}}`+"\n"), 0o600); err != nil {
			return "", err
		}
		e := f.do(call{args: []string{"mcp", "--", "/bin/sh", "-c", answering, "sh", answer}, env: env, dir: home, stdin: in, limit: time.Minute, during: func(_ *os.Process, said *tee) {
			defer out.Close()
			calls := 0
			ask := func() {
				calls++
				_, _ = out.WriteString(toolCall(calls, "browser_snapshot", "{}")) // an answer that does not come tells
				for end := time.Now().Add(20 * time.Second); strings.Count(said.String(), "\n") < calls && failed == nil; time.Sleep(10 * time.Millisecond) {
					if time.Now().After(end) {
						failed = fmt.Errorf("call %d had no answer", calls)
					}
				}
			}
			ask()
			sockets, err := filepath.Glob(filepath.Join(home, "s", "snapscope", "run", "*.sock"))
			if err != nil || len(sockets) != 1 {
				failed = errors.Join(failed, err, fmt.Errorf("%d sockets", len(sockets)))
				return
			}
			for range 6 {
				what = misbehave(sockets[0], r)
				ask()
			}
			list := f.do(call{args: []string{"attach", "--json"}, env: env, dir: home})
			if list.status != 0 || !strings.Contains(list.out, "mcp-") {
				failed = errors.Join(failed, fmt.Errorf("attach --json: status %d, %s", list.status, clip(list.err, 100)))
			}
		}})
		if failed == nil {
			failed = e.sound(0, 256<<20)
		}
		if failed == nil {
			failed = left(home, goneWithin)
		}
		return what, failed
	})
}

// misbehave opens a socket and says something to it that no screen says.
func misbehave(socket string, r *rand.Rand) string {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return "dialled: " + err.Error()
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	says := []string{
		strings.Repeat("x", 8<<20) + "\n", "\x00\xff\xfe\n", "{}\n{}\n", `{"v":999,"do":"take"}` + "\n", "[" + strings.Repeat("[", 1<<20), strings.Repeat("{\"v\":1}\n", 20_000),
		`{"v":1,"id":1,"do":"policy","policy":` + strings.Repeat(`{"a":`, 5000) + "\n", `{"v":1,"id":1,"do":"decide","hold":"h1","decision":{"do":"answer","result":{}}}` + "\n", "\n\n\n", "",
	}
	i := r.IntN(len(says))
	_, _ = bufio.NewWriterSize(c, 1).WriteString(says[i]) // it may be closed in the middle
	if r.IntN(2) == 0 {
		time.Sleep(200 * time.Millisecond) // and hang on
	}
	return fmt.Sprintf("said %q", clip(says[i], 40))
}

// live kills what starts both proxies and an agent, with SIGKILL: what it left goes by
// itself, or with the next start.
func live(f *field) {
	f.each(f.n(12, 1), 2, func(i int, r *rand.Rand) (string, error) {
		home, env := f.home()
		bin := filepath.Join(filepath.Dir(home), "bin")
		agent := "#!/bin/sh\necho started\nexec sleep 300\n"
		if err := errors.Join(os.MkdirAll(bin, 0o700), os.WriteFile(filepath.Join(bin, "claude"), []byte(agent), 0o700)); err != nil {
			return "", err
		}
		env = append(env, "PATH="+bin+":"+os.Getenv("PATH"))
		args := []string{"live", "--no-tmux", "--server", "/bin/cat", "--", "claude", "-p", "x"}
		after := time.Duration(r.IntN(1500)) * time.Millisecond
		what := fmt.Sprintf("killed after %s", after)
		f.do(call{args: args, env: env, dir: home, limit: 2 * time.Minute, during: func(p *os.Process, _ *tee) {
			time.Sleep(after)
			_ = p.Kill()
		}})
		// The next start sweeps what was left.
		e := f.do(call{args: args, env: env, dir: home, limit: 2 * time.Minute, during: func(p *os.Process, said *tee) {
			for end := time.Now().Add(30 * time.Second); !strings.Contains(said.String(), "started") && time.Now().Before(end); {
				time.Sleep(20 * time.Millisecond)
			}
			_ = p.Signal(syscall.SIGTERM)
		}})
		if e.hung {
			return what, errors.New("the next one did not end")
		}
		return what, left(home, goneWithin)
	})
}

// strange are agents that a comparison must not stumble over.
var strange = []struct{ name, script string }{
	{"fails", "exit 3"},
	{"says nothing", "exit 0"},
	{"killed", "kill -9 $$"},
	{"talks", "yes | head -c 20000000"},
	{"hostile", `printf '\033[2J\302\233\342\200\256{"usage":'`},
	{"forged receipt", `echo '{"type":"result","usage":{"input_tokens":9223372036854775807,"output_tokens":-5},"total_cost_usd":1e308}'`},
	{"sleeps", "sleep 100"},
	{"leaves a child", "sleep 100 &"},
}

// ab compares runs of strange agents.
func ab(f *field) {
	f.each(f.n(2*len(strange), 3), 2, func(i int, _ *rand.Rand) (string, error) {
		s := strange[i%len(strange)]
		home, env := f.home()
		line := []string{"ab", "--runs", "1", "--policy", "full", "--policy", "delta", "--to", f.site.URL, "--timeout", "3s", "--json", "--", "/bin/sh", "-c", s.script + " # {url}"}
		e := f.do(call{args: line, env: env, dir: home, limit: 2 * time.Minute})
		if err := e.sound(0, 1<<30); err != nil {
			return s.name, err
		}
		if at := raw(e.out); at != "" {
			return s.name, fmt.Errorf("stdout holds %s raw", at)
		}
		return s.name, left(home, goneWithin)
	})
}

// check holds recordings against files that are no policies, and almost ones.
func check(f *field) {
	shared, _ := f.home()
	rec := filepath.Join(shared, "rec.jsonl")
	if err := bigRecording(rec, 5, 2000); err != nil {
		f.failed = append(f.failed, err.Error())
		return
	}
	f.each(f.n(120, 6), 2, func(i int, r *rand.Rand) (string, error) {
		home, env := f.home()
		m := mutations[r.IntN(len(mutations))]
		file := filepath.Join(home, "policy.toml")
		text := []byte(plainPolicy)
		if r.IntN(3) == 0 {
			text = []byte(strings.Replace(plainPolicy, "20", fmt.Sprint(numbers[r.IntN(len(numbers))]), 1))
		}
		if err := os.WriteFile(file, m.make(text, r), 0o600); err != nil {
			return m.name, err
		}
		line := []string{"check R --policy P", "report --check R --policy P", "report R --policy P", "mcp --policy P -- /bin/cat"}[r.IntN(4)]
		e := f.do(call{args: words(line, "R", rec, "P", file), env: env, dir: home})
		what := line + ", " + m.name
		if err := e.sound(10*time.Second, 1<<30); err != nil {
			return what, err
		}
		if at := raw(e.out); at != "" {
			return what, fmt.Errorf("stdout holds %s raw", at)
		}
		return what, left(home, goneWithin)
	})
}
