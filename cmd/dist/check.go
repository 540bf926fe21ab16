package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const sumsFile = "checksums.txt"

// writeSums writes the SHA-256 of everything that is released, in the form that
// sha256sum -c reads.
func writeSums(out string) error {
	var b strings.Builder
	for _, pattern := range []string{"*.tar.gz", "*.zip", "*.spdx.json", "npm/*.tgz"} {
		found, err := filepath.Glob(filepath.Join(out, pattern))
		if err != nil {
			return err
		}
		for _, file := range found {
			hash, err := sum(file)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(out, file)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%x  %s\n", hash, filepath.ToSlash(name))
		}
	}
	return os.WriteFile(filepath.Join(out, sumsFile), []byte(b.String()), 0o644)
}

// checkSums reads the sums back and holds every file against them.
func checkSums(out string) (int, error) {
	b, err := os.ReadFile(filepath.Join(out, sumsFile))
	if err != nil {
		return 0, err
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		want, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return n, fmt.Errorf("%s: no sum in %q", sumsFile, line)
		}
		got, err := sum(filepath.Join(out, filepath.FromSlash(name)))
		if err != nil {
			return n, err
		}
		if fmt.Sprintf("%x", got) != want {
			return n, fmt.Errorf("%s: %s is not the file that was summed", sumsFile, name)
		}
		n++
	}
	return n, nil
}

// check reads back what was written: the sums, what each archive holds, what
// each binary says of itself, and runs those that this machine can.
func check(ctx context.Context, p *plan, made []target, out string) error {
	n, err := checkSums(out)
	if err != nil {
		return err
	}
	say("checked %d sums", n)
	for _, t := range made {
		file := filepath.Join(out, t.name(p)+"."+p.format(t))
		files, err := unpack(file)
		if err != nil {
			return fmt.Errorf("reading %s back: %w", file, err)
		}
		if err := t.checkArchive(p, files); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	t, err := host(made)
	if err != nil {
		return err
	}
	text, err := exec.CommandContext(ctx, t.binary, "version", "--json").Output()
	if err != nil {
		return fmt.Errorf("running %s: %w", t.binary, err)
	}
	var says struct{ Version, Commit, Date, OS, Arch string }
	if err := json.Unmarshal(text, &says); err != nil {
		return fmt.Errorf("reading what %s version --json says: %w", t.binary, err)
	}
	if says.Version != t.Version || says.Commit != t.FullCommit || says.Date != t.CommitDate || says.OS != t.Os || says.Arch != t.Arch {
		return fmt.Errorf("%s says it is %+v, and was built as %+v", t.binary, says, t)
	}
	say("ran    %s/%s: %s", t.Os, t.Arch, bytes.TrimSpace(text))
	return nil
}

// extrasOf is what an archive holds besides the program.
var extrasOf = []string{
	"LICENSE", "README.md", "CHANGELOG.md", "man/snapscope.1", "man/snapscope-replay.1",
	"completions/snapscope.bash", "completions/_snapscope", "completions/snapscope.fish", "completions/snapscope.ps1",
}

// checkArchive holds an archive's files against what they are to be.
func (t target) checkArchive(p *plan, files map[string][]byte) error {
	top := t.name(p) + "/"
	for _, name := range extrasOf {
		if len(files[top+name]) == 0 {
			return fmt.Errorf("it lacks %s", name)
		}
	}
	data := files[top+t.file(p)]
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("reading what its binary was built from: %w", err)
	}
	got := map[string]string{}
	for _, s := range info.Settings {
		got[s.Key] = s.Value
	}
	for key, want := range map[string]string{"GOOS": t.Os, "GOARCH": t.Arch, "CGO_ENABLED": "0", "-trimpath": "true"} {
		if got[key] != want {
			return fmt.Errorf("its binary was built with %s=%s, not %s", key, got[key], want)
		}
	}
	for what, s := range map[string]string{"version": t.Version, "commit": t.FullCommit, "date": t.CommitDate} {
		if !bytes.Contains(data, []byte(s)) {
			return fmt.Errorf("its binary does not hold the %s %s", what, s)
		}
	}
	if wd, err := os.Getwd(); err == nil && bytes.Contains(data, []byte(wd+"/cmd")) {
		return fmt.Errorf("its binary holds the path of this folder, %s", wd)
	}
	if t.Os == "linux" {
		return static(data)
	}
	return nil
}

// static finds out whether a linux binary asks for a loader or a library.
func static(data []byte) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	libs, _ := f.ImportedLibraries() // none is what a file without a dynamic section answers
	loader := slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
	if loader || len(libs) > 0 {
		return fmt.Errorf("its binary is not static: loader %v, libraries %v", loader, libs)
	}
	return nil
}

// unpack reads an archive into memory, by name.
func unpack(file string) (map[string][]byte, error) {
	out := map[string][]byte{}
	if strings.HasSuffix(file, ".zip") {
		z, err := zip.OpenReader(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = z.Close() }()
		for _, f := range z.File {
			if out[f.Name], err = fs.ReadFile(z, f.Name); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	gz, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	r := tar.NewReader(gz)
	for {
		head, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if out[head.Name], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}
