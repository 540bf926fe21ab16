//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// private are command lines that write what only their person may read: wherever
// they put it, with a umask that forbids nothing.
var private = []struct{ line, keys string }{
	{"run RUN --record rec.jsonl", ""},
	{"import RPC -o out.jsonl", ""},
	{"mcp -- /bin/sh -c ANSWER", ""},
	{"mcp --record rec.jsonl -- /bin/sh -c ANSWER", ""},
	{"replay RPC", ",l,,e,enter,,esc,"},
	{"open URL", ",,,,:note x,,enter,,"},
}

// modes looks at every file and folder that a command made below its home.
func modes(f *field) {
	f.each(f.n(2, 1)*len(private), 2, func(i int, _ *rand.Rand) (string, error) {
		p := private[i%len(private)]
		home, env := f.home()
		in := filepath.Join(filepath.Dir(home), "in")
		run, calls := filepath.Join(in, "s.yaml"), filepath.Join(in, "rpc.jsonl")
		if err := errors.Join(os.MkdirAll(in, 0o700),
			os.WriteFile(run, []byte("- goto: "+f.site.URL+"/plain\n- click: {css: \"#b\"}\n"), 0o600),
			os.WriteFile(calls, []byte(rpc("### Page\n- Page URL: http://a.test/\n### Snapshot\n```yaml\n- main [ref=e1]\n```")), 0o600)); err != nil {
			return p.line, err
		}
		args := words(p.line, "RUN", run, "RPC", calls, "URL", f.site.URL+"/plain", "ANSWER", `read l; echo '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'; sleep 1`)
		if p.keys != "" {
			sh := append([]string{"-c", `umask 0; exec "$@"`, "sh", f.bin}, args...)
			if _, status, err := onTerminal("/bin/sh", sh, home, append(env, "TERM=xterm-256color"), [2]uint16{120, 36}, p.keys); err != nil || status != 0 {
				return p.line, errors.Join(err, fmt.Errorf("status %d", status))
			}
		} else {
			sh := append([]string{"-c", `umask 0; exec "$@"`, "sh", f.bin}, args...)
			e := f.shell().do(call{args: sh, env: env, dir: home, stdin: strings.NewReader(toolCall(1, "browser_snapshot", "{}")), limit: time.Minute})
			if e.status != 0 {
				return p.line, fmt.Errorf("status %d: %s", e.status, clip(e.err, 200))
			}
		}
		return p.line, onlyOwn(home)
	})
}

// onlyOwn names what others may read or write of what lies below a folder.
func onlyOwn(dir string) error {
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		if st.Mode().IsRegular() {
			files++
		}
		if !st.IsDir() && st.Mode().Perm()&0o077 != 0 {
			return fmt.Errorf("%s has the mode %v", strings.TrimPrefix(path, dir), st.Mode())
		}
		return nil
	})
	if err == nil && files == 0 {
		err = errors.New("no file was written: nothing was tried")
	}
	return err
}
