package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

// ariaFolder holds the conformance cases: pages of our own, one feature each,
// with the answer of the oracle stored beside them.
const ariaFolder = "../../testdata/aria"

// ariaCase is one page and the oracle's answer to it.
type ariaCase struct {
	File, Name, URL string
	Want            string
}

// TestConformance captures every case and holds it against the oracle's stored
// answer. With SNAPSCOPE_CONFORMANCE it takes pages and answers from the file
// that testdata/aria/conformance.mjs wrote instead, and prints the agreement.
func TestConformance(t *testing.T) {
	if file := os.Getenv("SNAPSCOPE_CONFORMANCE"); file != "" {
		liveConformance(t, file)
		return
	}
	t.Parallel()
	cases, pages := storedCases(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, page)
	}))
	defer server.Close()
	known, older := knownDifferences(t), map[string]string{}
	for _, s := range sections(t, filepath.Join(ariaFolder, "older.aria"), regexp.MustCompile(`(?m)^=== (.*)\n`)) {
		older[s.name] = strings.TrimSuffix(s.body, "\n")
	}
	texts := ariaTexts(t, server.URL, cases)
	for i, c := range cases {
		got := texts[i]
		if got == older[c.File+" | "+c.Name] {
			got = c.Want
		}
		delete(older, c.File+" | "+c.Name)
		why, differs := known[c.File+" | "+c.Name]
		delete(known, c.File+" | "+c.Name)
		switch {
		case differs && got == c.Want:
			t.Errorf("%s, case %q is listed as different (%s) and is not", c.File, c.Name, why)
		case !differs && got != c.Want:
			t.Errorf("%s, case %q (-oracle +ours):\n%s", c.File, c.Name, cmp.Diff(strings.Split(c.Want, "\n"), strings.Split(got, "\n")))
		}
	}
	for name := range known {
		t.Errorf("differences.txt lists %q, which is no case", name)
	}
	for name := range older {
		t.Errorf("older.aria holds %q, which is no case", name)
	}
	if len(cases) < 300 {
		t.Errorf("%d cases, want several hundred", len(cases))
	}
}

// ariaTexts captures every case, by two browsers at once.
func ariaTexts(t *testing.T, base string, cases []ariaCase) []string {
	t.Helper()
	out := make([]string, len(cases))
	t.Run("captures", func(t *testing.T) {
		const browsers = 2
		for n := range browsers {
			t.Run(strconv.Itoa(n), func(t *testing.T) {
				t.Parallel()
				r := with(t, Options{Settle: Settle{QuietFor: time.Millisecond}})
				for i := n; i < len(cases); i += browsers {
					out[i] = r.ariaText(base + cases[i].URL)
				}
			})
		}
	})
	return out
}

// ariaText opens a page and gives its aria text, its refs numbered as those of
// the first document of a tab.
func (r *rig) ariaText(url string) string {
	r.t.Helper()
	res := r.must(act(session.VerbGoto, "url", url))
	if res.Snapshot == nil {
		r.t.Fatalf("%s: no snapshot: %s", url, res.Waited)
	}
	return firstDocument(res.Snapshot.Text)
}

var refPrefix = regexp.MustCompile(`\[ref=f(\d+)e`)

// firstDocument takes the main frame's prefix off its refs and counts those of
// the frames in it from 1.
func firstDocument(text string) string {
	m := refPrefix.FindStringSubmatch(text)
	if m == nil || strings.Index(text, "[ref=") != strings.Index(text, m[0]) {
		return text // the main frame, which comes first, has no prefix
	}
	main, _ := strconv.Atoi(m[1])
	return refPrefix.ReplaceAllStringFunc(text, func(ref string) string {
		n, _ := strconv.Atoi(refPrefix.FindStringSubmatch(ref)[1])
		if n == main {
			return "[ref=e"
		}
		return "[ref=f" + strconv.Itoa(n-main) + "e"
	})
}

// storedCases reads the cases and answers of the folder, and the pages by path.
func storedCases(t *testing.T) ([]ariaCase, map[string]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(ariaFolder, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []ariaCase
	pages := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if name == "child.html" {
			pages["/child.html"] = read(t, file)
			continue
		}
		html := sections(t, file, regexp.MustCompile(`(?m)^<!-- case: (.*) -->\n`))
		answers := sections(t, strings.TrimSuffix(file, ".html")+".aria", regexp.MustCompile(`(?m)^=== (.*)\n`))
		if len(html) != len(answers) {
			t.Fatalf("%s has %d cases and %d answers: run node oracle.mjs store", name, len(html), len(answers))
		}
		for i, page := range html {
			if page.name != answers[i].name {
				t.Fatalf("%s: case %d is %q, its answer %q: run node oracle.mjs store", name, i, page.name, answers[i].name)
			}
			c := ariaCase{File: name, Name: page.name, URL: fmt.Sprintf("/case/%s/%d", name, i), Want: strings.TrimSuffix(answers[i].body, "\n")}
			pages[c.URL] = "<!doctype html>\n" + page.body
			cases = append(cases, c)
		}
	}
	return cases, pages
}

type section struct{ name, body string }

// sections splits a file at the lines that match, the name being the first group.
func sections(t *testing.T, file string, at *regexp.Regexp) []section {
	t.Helper()
	text := read(t, file)
	marks := at.FindAllStringSubmatchIndex(text, -1)
	var out []section
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		out = append(out, section{text[m[2]:m[3]], text[m[1]:end]})
	}
	return out
}

func read(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// knownDifferences reads differences.txt: reason by "file | case".
func knownDifferences(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(read(t, filepath.Join(ariaFolder, "differences.txt"))) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, " | ", 3)
		if len(parts) != 3 {
			t.Fatalf("differences.txt: %q is not file | case | reason", line)
		}
		out[parts[0]+" | "+parts[1]] = parts[2]
	}
	return out
}
