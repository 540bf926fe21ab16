package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A folder whose program and guard were both killed goes at the next start; one
// that somebody has stays.
func TestLeftoverFoldersAreSwept(t *testing.T) {
	root := t.TempDir()
	folder := func(name string, owned bool) string {
		dir := filepath.Join(root, "mine-"+name)
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		if owned {
			if err := os.WriteFile(filepath.Join(dir, ownerFile), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	dead, young, old, used := folder("dead", true), folder("young", false), folder("old", false), folder("used", true)
	past := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	// Somebody else's possession is that of another process; the same process may
	// hold one too, by another open file.
	f, err := Own(filepath.Join(used, ownerFile))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	SweepFolders(root, "mine-")
	for dir, want := range map[string]bool{dead: false, young: true, old: false, used: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
}
