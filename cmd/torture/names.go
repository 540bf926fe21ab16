//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// hostileNames are names of files that say something to a terminal, a shell, a
// formatter or a parser of flags.
var hostileNames = []string{
	"\x1b[31mred\x1b]0;owned\x07", "\u009b31m\u009d0;x\u009c", "\u202ecod.exe", "line\nbreak\r\ttab", "\u2028\u2029\u2066", "%s%d%n%x", "a b'c\"d`e$f;g&h|i", "-", "--json", "-o",
	"\xff\xfe\xc3", "日本\u0301🚀\u200d", strings.Repeat("n", 240), "@list", "*?[", "..", "a.gz", "=", "\x7f\x08\x08", "C:\\x", "~", "$HOME",
}

// hostileCommands are command lines with a place for a name.
var hostileCommands = []string{
	"tokens F", "tokens --json F", "reduce full F", "reduce passmark --prev F F", "reduce full --json F", "report F", "report --json F", "report --md F", "report --html F x.jsonl", "report F*", "report @F",
	"sweep F", "sweep --out F x.jsonl", "sweep --parts F", "tune F", "tune x.jsonl -o F", "check F --policy full", "check x.jsonl --policy F", "import F -o out.jsonl", "import x.jsonl -o F", "import x.jsonl -o F --force",
	"replay --plain F", "run F", "run s.yaml --record F --browser /none", "run s.yaml --browser F", "snapshot F", "snapshot F.html", "open --plain F", "demo --recorded --plain --theme F", "export-config F", "strategies F", "doctor --config F",
	"mcp --record F -- /none", "mcp -- F", "mcp install F", "api --to F", "api --to http://x.test --listen F", "attach F", "help F", "F", "completion F", "man F/x", "report --policies F x.jsonl", "report --prices F x.jsonl", "report --policy F x.jsonl",
	"report --set F x.jsonl", "report --model F x.jsonl", "report --encoding F x.jsonl", "report --from F x.jsonl", "sweep --knob F x.jsonl", "sweep --by F x.jsonl", "tune --keep F x.jsonl", "version F", "snapshot --viewport F x", "snapshot --settle F x", "snapshot --strategy F x", "ab --runs 1 --to F -- true", "live -- F",
}

// names gives every command hostile names: of files that are there, and of none.
func names(f *field) {
	page := []byte("- main [ref=e1]:\n  - button \"Save\" [ref=e2]\n")
	n := len(hostileCommands) * len(hostileNames)
	step := 1
	if f.short {
		step = n / 30
	}
	f.each(n/step, 2, func(i int, r *rand.Rand) (string, error) {
		i = i * step % n
		line, name := hostileCommands[i/len(hostileNames)], hostileNames[i%len(hostileNames)]
		home, env := f.home()
		if err := errors.Join(
			os.WriteFile(filepath.Join(home, "x.jsonl"), []byte(rpc("### Page\n- Page URL: http://a.test/\n### Snapshot\n```yaml\n"+string(page)+"```")), 0o600),
			os.WriteFile(filepath.Join(home, "s.yaml"), []byte("- goto: /leads\n"), 0o600),
		); err != nil {
			return name, err
		}
		if r.IntN(3) > 0 && filepath.IsLocal(name) && name != ".." {
			_ = os.WriteFile(filepath.Join(home, name), page, 0o600) // no system takes all of the names
		}
		var args []string
		for _, w := range strings.Fields(line) {
			args = append(args, strings.ReplaceAll(w, "F", name))
		}
		e := f.do(call{args: args, env: env, dir: home, limit: 20 * time.Second})
		what := line + " with " + name
		if err := e.sound(0, 1<<30); err != nil {
			return what, err
		}
		// A reduced text stands as its file has it, and so do scripts for a shell.
		if at := raw(e.out); at != "" && !strings.HasPrefix(line, "reduce") {
			return what, fmt.Errorf("stdout holds %s raw", at)
		}
		return what, left(home, goneWithin)
	})
}
