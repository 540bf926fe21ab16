package atomicfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"snapscope/session/atomicfile"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestTheOldFileStandsUntilTheNewOneIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policies.toml")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	f, err := atomicfile.Create(path, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("half of the n"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("while it is being written the file holds %q", got)
	}
	f.Abort()
	if got := read(t, path); got != "old" {
		t.Errorf("after an abort the file holds %q", got)
	}
	if err := atomicfile.Write(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "new" {
		t.Errorf("the file holds %q", got)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions became %v (%v)", info.Mode(), err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("files left beside it: %v (%v)", left, err)
	}
}

// What a killed program was writing goes with the next file in its folder; what
// somebody still writes stays, and so does what only looks alike.
func TestWhatAKillLeftIsSwept(t *testing.T) {
	dir := t.TempDir()
	f, err := atomicfile.Create(filepath.Join(dir, "now"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	other := t.TempDir() // a folder that this program has not written in
	stays := filepath.Join(other, filepath.Base(f.Name()))
	if err := os.Rename(f.Name(), stays); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".snapscope-0123abcd.tmp", ".snapscope-mine.tmp", "screen.tmp"} {
		if err := os.WriteFile(filepath.Join(other, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.Write(filepath.Join(other, "new"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(other)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	want := []string{filepath.Base(stays), ".snapscope-mine.tmp", "new", "screen.tmp"}
	slices.Sort(want)
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("there are %q, want %q", names, want)
	}
}

func TestALinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := atomicfile.Write(link, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || read(t, target) != "x" {
		t.Errorf("the link became %v (%v), its target holds %q", info.Mode(), err, read(t, target))
	}
}

func TestWhatCannotBeWrittenIsSaidOfTheFileItself(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "such", "folder")} {
		err := atomicfile.Write(path, nil, 0o600)
		if err == nil {
			t.Errorf("%s was written", path)
		} else if want := "writing " + path + ": "; len(err.Error()) <= len(want) || err.Error()[:len(want)] != want {
			t.Errorf("the error does not begin with the file: %v", err)
		}
	}
}
