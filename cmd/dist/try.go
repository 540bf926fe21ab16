package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// shown is what the demo's first screen says once the debugger is there.
const shown = "leads demo"

// patience is how long a demo may take to come up.
const patience = 60 * time.Second

// tryDemos does what a newcomer does: unpack the archive and run the demo, and
// install the npm packages into an empty folder and run it from there. Each runs
// in a terminal (tmux) until the debugger is on the screen.
func tryDemos(ctx context.Context, made []target, out string) error {
	dir, err := os.MkdirTemp("", "dist-try-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t, err := host(made)
	if err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(out, t.ProjectName+"_*_"+t.Os+"_"+t.Arch+".tar.gz"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("looking for the archive of %s/%s: %d files (%v)", t.Os, t.Arch, len(found), err)
	}
	if msg, err := exec.CommandContext(ctx, "tar", "-xzf", found[0], "-C", dir, "--strip-components=1").CombinedOutput(); err != nil {
		return fmt.Errorf("unpacking %s: %w\n%s", found[0], err, msg)
	}
	if err := demoRuns(ctx, dir, "the archive", "./snapscope demo"); err != nil {
		return err
	}
	if _, err := exec.LookPath("npm"); err != nil {
		say("npx    not tried: there is no npm here")
		return nil
	}
	fresh := filepath.Join(dir, "fresh")
	if err := installPacked(ctx, made, out, fresh); err != nil {
		return err
	}
	return demoRuns(ctx, fresh, "the npm packages", "npx --no-install snapscope demo")
}

// installPacked installs the packed files into an empty project. Nothing is
// published, so that the optional packages are told where their files lie.
func installPacked(ctx context.Context, made []target, out, folder string) error {
	npm, err := filepath.Abs(filepath.Join(out, "npm"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	file := func(name string) string { return "file:" + filepath.Join(npm, npmFile(name, made[0].Version)) }
	packed := map[string]string{}
	for _, t := range made {
		platform, cpu := npmSystem(t)
		packed[npmScope+platform+"-"+cpu] = file(npmScope + platform + "-" + cpu)
	}
	project := map[string]any{
		"name": "fresh", "private": true,
		"dependencies": map[string]string{"snapscope": file("snapscope")}, "overrides": packed,
	}
	b, err := json.Marshal(project)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), b, 0o644); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "npm", "install", "--offline", "--no-audit", "--no-fund", "--cache", filepath.Join(folder, "cache"))
	c.Dir = folder
	if msg, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("installing the packed files: %w\n%s", err, msg)
	}
	return nil
}

// demoRuns runs a command in a terminal of its own until the debugger shows.
func demoRuns(ctx context.Context, dir, what, command string) error {
	tmux := func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, "tmux", append([]string{"-f", "/dev/null", "-S", filepath.Join(dir, "tmux")}, args...)...)
		c.Dir = dir
		c.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"))
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if msg, err := tmux("new-session", "-d", "-s", "t", "-x", "120", "-y", "36", command+"; echo ended with $?; sleep 60"); err != nil {
		return fmt.Errorf("starting tmux: %w\n%s", err, msg)
	}
	defer func() { _, _ = tmux("kill-server") }()
	start, screen := time.Now(), ""
	for time.Since(start) < patience {
		var err error
		if screen, err = tmux("capture-pane", "-p", "-t", "t"); err != nil {
			return fmt.Errorf("reading the screen of %s: %w\n%s", what, err, screen)
		}
		if strings.Contains(screen, shown) || strings.Contains(screen, "ended with") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if !strings.Contains(screen, shown) {
		return fmt.Errorf("the demo of %s did not come up in %s; its screen:\n%s", what, patience, screen)
	}
	say("tried  the demo of %s: on the screen in %s", what, time.Since(start).Round(100*time.Millisecond))
	_, err := tmux("send-keys", "-t", "t", "q")
	return err
}
