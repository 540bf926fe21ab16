//go:build unix

package proxy

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Asking for a socket's path makes no file, not for a moment: who is killed then
// leaves nothing.
func TestASocketsPathLeavesNoFile(t *testing.T) {
	f := Folder{Runs: []string{filepath.Join(t.TempDir(), "run")}}
	if _, err := f.Socket("mcp-000000"); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(f.Runs[0], long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Socket("mcp-000001"); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(f.Runs[0])
	if err != nil || !st.ModTime().Equal(long) {
		t.Errorf("something was made in the folder: %v, %v", st.ModTime(), err)
	}
}
