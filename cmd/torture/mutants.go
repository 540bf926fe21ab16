//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// mutant is a defect that is planted into a copy of the program, and the attack that
// has to find it.
type mutant struct {
	name, attack string
	file         string
	old, now     string // the first old in the file becomes now
}

// mutants are what a campaign that is worth its time finds.
var mutants = []mutant{
	{"nothing is recorded", "kill", "replay/proxy/mcp/recorder.go", "r.sink.Append(e)", "error(nil)"},
	{"a step waits for no disk", "kill", "replay/writer.go", "if err := w.flush(); err != nil || w.file == nil", "if err := error(nil); err != nil || w.file != nil"},
	{"a profile is left", "kill", "session/browser/process_unix.go", `do rm -rf -- "$dir" &&`, "do"},
	{"nothing is masked", "secrets", "snapshot/mask/mask.go", "s = m.known.mask(", "if s != \"\" {\n\t\treturn s\n\t}\n\ts = m.known.mask("},
	{"a field that is not masked", "secrets", "session/secret.go", "m.Again(r.URL), m.Again(r.Title)", "r.URL, r.Title"},
	{"typed values are not masked", "secrets", "snapshot/mask/mask.go", "case typed && isTyped(key),", "case false,"},
	{"others may read recordings", "secrets", "replay/writer.go", "atomicfile.CreateOwned(path, 0o600)", "atomicfile.CreateOwned(path, 0o644)"},
	{"a panic while a session is worked out", "recordings", "session/ledger/history.go", "func (h *history) result(e *session.Event) *item {\n", "func (h *history) result(e *session.Event) *item {\n\tif len(e.Result.Action) > 300 {\n\t\tpanic(\"planted\")\n\t}\n"},
	{"a panic of the screen", "keys", "tui/pane/line.go", "room int) (string, []highlight, bool) {\n", "room int) (string, []highlight, bool) {\n\tif room < 12 && len(hs) > 0 {\n\t\tpanic(\"planted\")\n\t}\n"},
	{"computing that grows with the square", "growth", "session/ledger/history.go", "func (h *history) arrive(it item, es ...entry) *item {\n", "func (h *history) arrive(it item, es ...entry) *item {\n\tfor i := range h.entries {\n\t\tfor j := range 300 {\n\t\t\th.notes.orphans += (i ^ j) & 0\n\t\t}\n\t}\n"},
	{"a server that outlives its proxy", "kill", "replay/proxy/guard_unix.go", "func (g *Guard) Watch(group int) { g.watch(\"-\", group) }", "func (g *Guard) Watch(int) {}"},
	{"a torn write", "disk", "session/atomicfile/atomicfile.go", "\tfor {\n\t\tname := filepath.Join(dir, fmt.Sprintf(", "\tif f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, perm); err == nil {\n\t\treturn &File{File: f, path: path, keep: keep}, nil\n\t}\n\tfor {\n\t\tname := filepath.Join(dir, fmt.Sprintf("},
	{"an uninstall that leaves something", "install", "cmd/snapscope/mcpinstall.go", "atomicfile.Write(file.Path, back, 0o600)", "atomicfile.Write(file.Path, append(back, ' '), 0o600)"},
	{"a port that any page may call", "ports", "replay/proxy/caller.go", "case site != \"\" && site != \"none\" && site != \"same-origin\":", "case site == \"never\":"},
	{"a packed file without a bound", "transcripts", "replay/transcript/packed.go", "opt.Raise(format.MaxUnpacked), ratio: opt.Raise(format.MaxRatio)", "1<<60, ratio: 1<<40"},
	{"a page loses its end", "secrets", "session/secret.go", "s.Text, s.Hash = text,", "s.Text, s.Hash = text[:len(text)/2],"},
	{"a panic", "transcripts", "snapshot/notation/text.go", "	if len(text) > maxText {", "	if len(text) > 3000 {\n\t\tpanic(\"planted\")\n\t}\n\tif len(text) > maxText {"},
	{"bytes that are not escaped", "names", "cmd/snapscope/output.go", "if len(s.rest) == 0 && plain(p) {", "if len(p) > 0 {"},
	{"a link out of the folder is followed", "links", "replay/transcript/sidefile/sidefile.go", "	tries := candidates(name)", "	if b, err := os.ReadFile(Slashed(name)); err == nil {\n\t\treturn string(b), nil\n\t}\n\ttries := candidates(name)"},
}

// plant builds each mutant and sends its attack at it. It answers the exit status: 0
// where every one was found.
func plant(ctx context.Context, testdata string, only string) int {
	tree, err := os.MkdirTemp("/tmp", "ttm")
	if err == nil {
		defer os.RemoveAll(tree)
		err = copyTree(ctx, tree)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		return 2
	}
	missed := 0
	for _, m := range mutants {
		if ctx.Err() != nil || only != "" && !strings.Contains(","+only+",", ","+m.attack+",") {
			continue
		}
		found, why, err := m.try(ctx, tree, testdata)
		switch {
		case err != nil:
			found, why = false, err.Error()
		case !found:
			why = "not found"
		}
		if !found {
			missed++
		}
		fmt.Printf("%-40s %-12s %-5t %s\n", m.name, m.attack, found, clip(strings.ReplaceAll(why, "\n", " "), 160))
	}
	if missed > 0 || ctx.Err() != nil {
		return 1
	}
	return 0
}

// try builds one mutant in the copy, attacks it until it is found, a few times at
// most, and puts the copy back.
func (m mutant) try(ctx context.Context, tree, testdata string) (found bool, why string, err error) {
	path := filepath.Join(tree, m.file)
	was, err := os.ReadFile(path)
	if err != nil {
		return false, "", err
	}
	if !strings.Contains(string(was), m.old) {
		return false, "", fmt.Errorf("%s has no %q: the mutant has to be written anew", m.file, m.old)
	}
	defer func() { err = errors.Join(err, os.WriteFile(path, was, 0o600)) }()
	if err := os.WriteFile(path, []byte(strings.Replace(string(was), m.old, m.now, 1)), 0o600); err != nil {
		return false, "", err
	}
	bin := filepath.Join(tree, "mutant")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-mod=readonly", "-buildvcs=false", "-o", bin, "./cmd/snapscope")
	build.Dir = tree
	if out, err := build.CombinedOutput(); err != nil {
		return false, "", fmt.Errorf("building: %w: %s", err, out)
	}
	for _, a := range attacks {
		for seed := uint64(1); a.name == m.attack && seed <= 5; seed++ {
			r, err := run(ctx, a, bin, testdata, seed, true)
			if err != nil || len(r.failed) > 0 {
				return len(r.failed) > 0, strings.Join(r.failed[:min(1, len(r.failed))], ""), err
			}
		}
	}
	return false, "", nil
}

// copyTree copies the files that git knows of.
func copyTree(ctx context.Context, to string) error {
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z").Output()
	if err != nil {
		return fmt.Errorf("listing the files of the project: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		at := filepath.Join(to, name)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, data, 0o600)); err != nil {
			return err
		}
	}
	return nil
}
