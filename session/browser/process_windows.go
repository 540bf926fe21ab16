//go:build windows

package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// start launches the browser with a port of its own choice: Windows hands no
// extra files to a child. The browser writes the port into its profile.
func start(path string, args []string) (*process, wire, error) {
	dir := newProfile()
	owner, err := makeProfile(dir)
	if err != nil {
		return nil, nil, err
	}
	profile := filepath.Join(dir, "p")
	args = append([]string{"--user-data-dir=" + profile, "--remote-debugging-port=0"}, args...)
	p := &process{dir: dir, owner: owner, cmd: exec.Command(path, args...)}
	p.cmd.Env = environment(dir)
	if err := p.run(); err != nil {
		return nil, nil, errors.Join(err, owner.Close(), removeAll(dir))
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		port, where, ok := strings.Cut(strings.TrimSpace(string(data)), "\n")
		if err != nil || !ok {
			continue
		}
		w, err := Endpoint{Address: "ws://127.0.0.1:" + strings.TrimSpace(port) + where}.dial(context.Background())
		if err != nil {
			return nil, nil, errors.Join(err, p.end(func() {}))
		}
		return p, w, nil
	}
	return nil, nil, errors.Join(fmt.Errorf("the browser opened no port: %s", p.last.why()), p.end(func() {}))
}

// kill ends the browser and its children.
func (p *process) kill() {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.cmd.Process.Pid)).Run() // it may have ended
}

func isRoot() bool { return false }
