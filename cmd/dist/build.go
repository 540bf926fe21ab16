package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// extrasFolder holds what the archives carry besides the program.
var extrasFolder = filepath.Join("dist", "extras")

// build makes one target's binary.
func (p *plan) build(ctx context.Context, t target) error {
	return p.buildIn(ctx, t, ".", t.binary)
}

// buildIn builds in a folder of the source; env is added to the process's own.
func (p *plan) buildIn(ctx context.Context, t target, dir, out string, env ...string) error {
	b := p.Builds[0]
	ld, err := t.fill(strings.Join(b.Ldflags, " "))
	if err != nil {
		return fmt.Errorf("the ldflags of .goreleaser.yaml: %w", err)
	}
	abs, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	args := append(append([]string{"build"}, b.Flags...), "-ldflags", ld, "-o", abs, b.Main)
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Env = append(append(append(os.Environ(), "GOOS="+t.Os, "GOARCH="+t.Arch), b.Env...), env...)
	if msg, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("building for %s/%s: %w\n%s", t.Os, t.Arch, err, msg)
	}
	return os.Chtimes(abs, t.at, t.at) // mod_timestamp
}

// extras asks the program for its completions and its man pages.
func extras(ctx context.Context, st stamp, folder string) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	comp, man := filepath.Join(folder, "completions"), filepath.Join(folder, "man")
	if err := os.MkdirAll(comp, 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dist-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin := filepath.Join(dir, "snapscope")
	ld := fmt.Sprintf("-X main.builtVersion=%s -X main.builtDate=%s", st.Version, st.CommitDate)
	if msg, err := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags", ld, "-o", bin, "./cmd/snapscope").CombinedOutput(); err != nil {
		return fmt.Errorf("building the program that writes completions: %w\n%s", err, msg)
	}
	for _, shell := range []struct{ name, file string }{
		{"bash", "snapscope.bash"}, {"zsh", "_snapscope"}, {"fish", "snapscope.fish"}, {"powershell", "snapscope.ps1"},
	} {
		text, err := exec.CommandContext(ctx, bin, "completion", shell.name).Output()
		if err != nil {
			return fmt.Errorf("writing the %s completion: %w", shell.name, err)
		}
		if err := os.WriteFile(filepath.Join(comp, shell.file), text, 0o644); err != nil {
			return err
		}
	}
	if msg, err := exec.CommandContext(ctx, bin, "man", man).CombinedOutput(); err != nil {
		return fmt.Errorf("writing the man pages: %w\n%s", err, msg)
	}
	return nil
}

// host is the target that can be run here.
func host(made []target) (target, error) {
	for _, t := range made {
		if t.Os == runtime.GOOS && t.Arch == runtime.GOARCH {
			return t, nil
		}
	}
	return target{}, fmt.Errorf("no binary of this release runs on %s/%s", runtime.GOOS, runtime.GOARCH)
}

// buildAgain builds this system's binary in a clone somewhere else, with an
// empty build cache, and compares the bytes.
func buildAgain(ctx context.Context, p *plan, made []target) error {
	t, err := host(made)
	if err != nil {
		return err
	}
	if strings.HasSuffix(t.Version, ".dirty") {
		return fmt.Errorf("building again needs a commit: %s has changes that are in none", t.Version)
	}
	dir, err := os.MkdirTemp("", "dist-again-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	src, out := filepath.Join(dir, "elsewhere"), filepath.Join(dir, "snapscope")
	if msg, err := exec.CommandContext(ctx, "git", "clone", "-q", "--no-hardlinks", ".", src).CombinedOutput(); err != nil {
		return fmt.Errorf("cloning: %w\n%s", err, msg)
	}
	if msg, err := exec.CommandContext(ctx, "git", "-C", src, "checkout", "-q", "--detach", t.FullCommit).CombinedOutput(); err != nil {
		return fmt.Errorf("checking out %s: %w\n%s", t.FullCommit, err, msg)
	}
	if err := p.buildIn(ctx, t, src, out, "GOCACHE="+filepath.Join(dir, "cache")); err != nil {
		return err
	}
	one, err := sum(t.binary)
	if err != nil {
		return err
	}
	two, err := sum(out)
	if err != nil {
		return err
	}
	if one != two {
		return fmt.Errorf("%s/%s is not reproducible: %x here, %x in another folder", t.Os, t.Arch, one, two)
	}
	say("again  %s/%s in another folder, empty cache: the same %x", t.Os, t.Arch, one[:8])
	return nil
}

func sum(file string) ([sha256.Size]byte, error) {
	b, err := os.ReadFile(file)
	return sha256.Sum256(b), err
}
