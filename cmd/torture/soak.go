//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// flat is how much the memory of a session may differ from what it was after step
// 200, or after a tenth of the steps of a short one.
const flat = 0.10

// soak runs a long session on a page that changes with every step, and looks at
// the program's resident memory all along.
func soak(f *field) {
	steps := f.n(2000, 60)
	f.each(1, 1, func(int, *rand.Rand) (string, error) {
		home, env := f.home()
		var script strings.Builder
		fmt.Fprintf(&script, "- goto: %s/soak\n", f.site.URL)
		for range steps - 1 {
			script.WriteString("- click: {css: \"#b\"}\n")
		}
		file := filepath.Join(home, "s.yaml")
		if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
			return "", err
		}
		held := make([]int64, steps+1) // bytes after each step
		e := f.do(call{args: []string{"run", file, "--record", filepath.Join(home, "rec.jsonl")}, env: env, dir: home, limit: 25 * time.Minute, during: func(p *os.Process, out *tee) {
			for {
				size, ok := resident(p.Pid)
				if !ok {
					return
				}
				if n := out.steps(); n > 0 && n <= steps {
					held[n] = size
				}
				time.Sleep(40 * time.Millisecond)
			}
		}})
		if err := e.sound(0, 0); err != nil {
			return "", err
		}
		if e.status != 0 {
			return "", errors.New(clip(e.err, 300))
		}
		before, after := typical(held[steps/10:steps/5]), typical(held[steps*9/10:])
		f.note = fmt.Sprintf("%d steps: %d MB after %d, %d MB at the end", steps, before>>20, steps/10, after>>20)
		if grown := float64(after)/float64(before) - 1; !f.short && (grown > flat || grown < -flat) {
			return "", fmt.Errorf("from %d MB to %d MB", before>>20, after>>20)
		}
		return "", left(home, goneWithin)
	})
}

// steps counts the steps told so far: lines that begin with a number.
func (t *tee) steps() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := t.b.Bytes()
	last = last[max(0, len(last)-4000):]
	n := 0
	for _, line := range strings.Split(string(last), "\n") {
		if len(line) > 5 && line[3] == ' ' || len(line) > 5 && line[4] == ' ' {
			if k, err := strconv.Atoi(strings.TrimSpace(line[:4])); err == nil {
				n = k
			}
		}
	}
	return n
}

// resident is how many bytes of memory a process holds now.
func resident(pid int) (int64, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	_, rest, ok := strings.Cut(string(data), "VmRSS:")
	if !ok {
		return 0, false
	}
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kb << 10, err == nil
}

// typical is the median of what was measured.
func typical(of []int64) int64 {
	var seen []int64
	for _, n := range of {
		if n > 0 {
			seen = append(seen, n)
		}
	}
	if len(seen) == 0 {
		return 1
	}
	slices.Sort(seen)
	return seen[len(seen)/2]
}
