package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// inTree makes the project's folder the current one, as for go run ./cmd/dist.
func inTree(t *testing.T) {
	t.Helper()
	t.Chdir("../..")
}

func TestThePlanIsSixTargets(t *testing.T) {
	inTree(t)
	p, err := readPlan(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	st := stamp{Version: "1.2.3", FullCommit: "c0ffee", CommitDate: "2026-01-02T03:04:05Z"}
	var got []string
	for _, target := range p.targets(st, "bin") {
		got = append(got, target.name(p)+"."+p.format(target))
	}
	want := []string{
		"snapscope_1.2.3_linux_amd64.tar.gz", "snapscope_1.2.3_linux_arm64.tar.gz",
		"snapscope_1.2.3_darwin_amd64.tar.gz", "snapscope_1.2.3_darwin_arm64.tar.gz",
		"snapscope_1.2.3_windows_amd64.zip", "snapscope_1.2.3_windows_arm64.zip",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the archives are %v", got)
	}
	ld, err := p.targets(st, "bin")[0].fill(strings.Join(p.Builds[0].Ldflags, " "))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"builtVersion=1.2.3", "builtCommit=c0ffee", "builtDate=2026-01-02T03:04:05Z"} {
		if !strings.Contains(ld, "-X main."+s) {
			t.Errorf("the ldflags %q do not set %s", ld, s)
		}
	}
}

// A key that dist does not carry out is an error, not a difference between what
// is tried and what is released.
func TestAnUnknownKeyOfThePlanIsAnError(t *testing.T) {
	b, err := os.ReadFile("../../.goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"signs:\n  - artifacts: all\n", "upx:\n  - enabled: true\n"} {
		file := filepath.Join(t.TempDir(), "plan.yaml")
		if err := os.WriteFile(file, append(slices.Clone(b), more...), 0o600); err != nil {
			t.Fatal(err)
		}
		key, _, _ := strings.Cut(more, ":")
		if _, err := readPlan(file); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("with %s the plan reads, or fails of something else: %v", key, err)
		}
	}
}

func TestTheSameFilesMakeTheSameArchive(t *testing.T) {
	files := []entry{{"top/LICENSE", []byte("text"), false}, {"top/snapscope", bytes.Repeat([]byte("binary "), 5000), true}}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for ending, pack := range map[string]func([]entry, time.Time) ([]byte, error){".tar.gz": tarGz, ".zip": zipped} {
		one, err := pack(files, at)
		if err != nil {
			t.Fatal(err)
		}
		two, err := pack(files, at.In(time.FixedZone("elsewhere", 7200)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s: two archives of the same files differ", ending)
		}
		file := filepath.Join(t.TempDir(), "a"+ending)
		if err := os.WriteFile(file, one, 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := unpack(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !bytes.Equal(back[f.name], f.data) {
				t.Errorf("%s: %s came back as %d bytes of %d", ending, f.name, len(back[f.name]), len(f.data))
			}
		}
	}
}

// TestTheBillListsWhatWasLinked reads the bill of this test's own binary.
func TestTheBillListsWhatWasLinked(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	doc := bill(info, "abc", time.Unix(0, 0))
	names, ids := map[string]string{}, map[string]bool{}
	for _, p := range doc.Packages {
		if ids[p.ID] {
			t.Errorf("%s stands twice", p.ID)
		}
		ids[p.ID] = true
		names[p.Name] = p.Refs[0].Locator
	}
	if got := names["stdlib"]; !strings.HasPrefix(got, "pkg:golang/stdlib@1.") {
		t.Errorf("the standard library is %q", got)
	}
	for _, m := range info.Deps {
		if got, want := names[m.Path], "pkg:golang/"+m.Path+"@"+m.Version; got != want {
			t.Errorf("%s is listed as %q, want %q", m.Path, got, want)
		}
	}
	for _, r := range doc.Relations[1:] {
		if r.Type != "DEPENDS_ON" || !ids[r.To] {
			t.Errorf("a relation to nothing: %+v", r)
		}
	}
}

// TestNpmPackagesFitTogether packs fake binaries: the program's package names
// each system's package at its own version, and each is for its system alone.
func TestNpmPackagesFitTogether(t *testing.T) {
	inTree(t)
	p, err := readPlan(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	made := p.targets(stamp{Version: "1.2.3", at: time.Unix(0, 0)}, filepath.Join(dir, "bin"))
	for _, m := range made {
		if err := os.MkdirAll(filepath.Dir(m.binary), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m.binary, []byte(m.Os+m.Arch), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeNpm(made, dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) (manifest, map[string][]byte) {
		files, err := unpack(filepath.Join(dir, npmFile(name, "1.2.3")))
		if err != nil {
			t.Fatal(err)
		}
		var m manifest
		if err := json.Unmarshal(files["package/package.json"], &m); err != nil {
			t.Fatal(err)
		}
		return m, files
	}
	main, files := read("snapscope")
	if len(files["package/"+main.Bin["snapscope"]]) == 0 {
		t.Errorf("the package runs %v and holds no such file", main.Bin)
	}
	if len(main.Optional) != len(made) {
		t.Errorf("the package names %d systems of %d", len(main.Optional), len(made))
	}
	for _, m := range made {
		platform, cpu := npmSystem(m)
		name := npmScope + platform + "-" + cpu
		one, files := read(name)
		if main.Optional[name] != one.Version || one.OS[0] != platform || one.CPU[0] != cpu {
			t.Errorf("%s is wanted at %q and is %+v", name, main.Optional[name], one)
		}
		if got := string(files["package/bin/"+filepath.Base(m.binary)]); got != m.Os+m.Arch {
			t.Errorf("%s holds %q", name, got)
		}
	}
}

// TestTheImageIsSound holds the container recipe to what a reader would check:
// pinned bases, no root, and commands that exist.
func TestTheImageIsSound(t *testing.T) {
	b, err := os.ReadFile("container/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(b), "\\\n", " ")
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var last string
	user := false
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD", "ENV"}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if !slices.Contains(known, f[0]) {
			t.Errorf("no instruction %s", f[0])
		}
		switch f[0] {
		case "FROM":
			user = false
			if name, tag, ok := strings.Cut(f[1], ":"); !ok || tag == "latest" {
				t.Errorf("the base %s has no version", name)
			} else if v, is := strings.CutPrefix(tag, "1."); is && name == "golang" {
				minor, _, _ := strings.Cut(v, "-")
				if !strings.Contains(string(mod), "\ngo 1."+minor) {
					t.Errorf("the image builds with Go 1.%s, go.mod says another", minor)
				}
			}
		case "USER":
			user = f[1] != "root" && f[1] != "0"
		case "ENTRYPOINT", "CMD":
			var args []string
			if err := json.Unmarshal([]byte(strings.TrimSpace(strings.TrimPrefix(line, f[0]))), &args); err != nil || len(args) == 0 {
				t.Errorf("%s is no list of words: %v", f[0], err)
			}
		}
		last = f[0]
	}
	if !user || last != "CMD" {
		t.Errorf("the image runs as root, or ends with %s", last)
	}
}
