package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenIsRecordedWhateverHappens holds that a session without flags is there
// after the program was killed.
func TestOpenIsRecordedWhateverHappens(t *testing.T) {
	t.Parallel()
	bin, dir := build(t), t.TempDir()
	env := []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir + "/state"}
	page, pid := filepath.Join(dir, "page.html"), filepath.Join(dir, "pid")
	if err := os.WriteFile(page, []byte("<title>Kept</title><button>Save</button>"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openScreen(t, 120, 36, env, fmt.Sprintf(`sh -c 'echo $$ > %s; exec %s open %s'`, pid, bin, page))
	s.wait(`step 1/1[\s\S]*rec open-`)
	s.run("kill -9 $(cat " + pid + ")")
	s.wait(`ENDED=137`)
	files, err := filepath.Glob(filepath.Join(dir, "state", "snapscope", "recordings", "open-*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the recordings are %v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(data), `button \"Save\"`) {
		t.Errorf("the recording holds %s, %v", data, err)
	}
}
