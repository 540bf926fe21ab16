//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// pageMost is how long a session with one hostile page may take: each of its steps
// is bounded by 90 s, and most end long before.
const (
	pageMost = 5 * time.Minute
	pagePeak = 1536 << 20
)

// harmless are pages for the short form: those that cost no bound.
var harmless = []string{"/page/navigates-every-30ms", "/page/named-elements", "/page/escapes", "/page/forged-lines", "/page/owns-in-a-ring", "/served/sandbox", "/served/wrong-bytes", "/page/deep", "/page/custom-elements-throw", "/page/removes-itself"}

// pages opens each page of the corpus in a session, acts on it, and goes on to a
// plain page in a new tab, which must be there as ever.
func pages(f *field) {
	list := append([]string{
		"chrome://hang", "chrome://crash", "chrome://kill", "about:blank", "view-source:" + f.site.URL + "/plain", "data:text/html,<button>d", "javascript:for(;;);",
	}, f.site.pages...)
	if f.short {
		list = harmless
	}
	f.each(len(list), 2, func(i int, _ *rand.Rand) (string, error) {
		home, env := f.home()
		at := list[i]
		if strings.HasPrefix(at, "/") {
			at = f.site.URL + at
		}
		script := fmt.Sprintf("- goto: %q\n- snapshot:\n- click: {role: button}\n- tab: new\n- goto: %s/plain\n- click: {css: \"#b\"}\n", at, f.site.URL)
		file, rec := filepath.Join(home, "s.yaml"), filepath.Join(home, "rec.jsonl")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			return at, err
		}
		e := f.do(call{args: []string{"run", file, "--keep-going", "--json", "--record", rec}, env: env, dir: home, limit: pageMost})
		if err := e.sound(0, pagePeak); err != nil {
			return at, err
		}
		if err := f.survived(e, rec); err != nil {
			return at, err
		}
		return at, left(home, goneWithin)
	})
}

// survived checks that all six steps were told, safely, and that the last ones
// show the plain page.
func (f *field) survived(e ended, rec string) error {
	if at := raw(e.out); at != "" {
		return fmt.Errorf("stdout holds %s raw", at)
	}
	lines := strings.Split(strings.TrimSpace(e.out), "\n")
	if len(lines) != 6 {
		return fmt.Errorf("%d of 6 steps were told: %s", len(lines), clip(e.err, 300))
	}
	for n, line := range lines {
		var s struct {
			OK                bool
			Error, URL, Title string
			Ms                int64
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			return fmt.Errorf("step %d: %w", n+1, err)
		}
		switch {
		case s.Ms > 95_000:
			return fmt.Errorf("step %d took %d ms", n+1, s.Ms)
		case len(s.URL) > 10_000 || len(s.Title) > 10_000:
			return fmt.Errorf("step %d has an address of %d bytes and a title of %d", n+1, len(s.URL), len(s.Title))
		case strings.Contains(s.Error, "-32"):
			return fmt.Errorf("step %d says a raw protocol sentence: %s", n+1, s.Error)
		case n >= 4 && (!s.OK || s.Title != "Plain"):
			return fmt.Errorf("step %d, back on a plain page: ok %t, title %q: %s", n+1, s.OK, clip(s.Title, 40), s.Error)
		}
	}
	if st, err := os.Stat(rec); err != nil || st.Size() > 64<<20 {
		return errors.Join(err, fmt.Errorf("the recording has %d MB", st.Size()>>20))
	}
	return holds(rec, 2) // the two on the plain page
}
