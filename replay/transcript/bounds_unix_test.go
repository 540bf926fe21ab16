//go:build unix

package transcript

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Only files are read: opening a pipe would wait for its writer, and a device
// has no end.
func TestOnlyFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "p")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "a pipe", "/dev/zero": "a device"} {
		if _, err := Read(context.Background(), path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
