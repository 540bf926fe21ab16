package demo_test

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"snapscope/session/demo"
)

// pages are the clean URLs of the site.
var pages = []string{"/", "/leads", "/listing", "/form", "/feed", "/frames", "/dialogs", "/tabs", "/lists", "/slow", "/busy", "/stall", "/hostile", "/frame-booking", "/frame-payment", "/frame-nest"}

func get(t *testing.T, target string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	demo.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	res := w.Result()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

// files answers the site's files by name.
func files(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(demo.Site(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(demo.Site(), name)
		out[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPagesAreServed(t *testing.T) {
	for _, p := range pages {
		res, body := get(t, p)
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %s, %s", p, res.Status, res.Header.Get("Content-Type"))
		}
		for _, want := range []string{"<!doctype html>", `<html lang="en">`, `<meta charset="utf-8">`, "<title>"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %s", p, want)
			}
		}
		if res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be cached", p)
		}
		if _, again := get(t, p); again != body {
			t.Errorf("%s differs when it is asked for again", p)
		}
	}
}

func TestEveryPageIsListed(t *testing.T) {
	for name := range files(t) {
		clean := "/" + strings.TrimSuffix(name, ".html")
		if path.Ext(name) == ".html" && name != "index.html" && name != "404.html" && !slices.Contains(pages, clean) {
			t.Errorf("%s is not among the pages these tests look at", name)
		}
	}
	_, index := get(t, "/")
	for _, p := range pages {
		if p != "/" && !strings.HasPrefix(p, "/frame-") && !strings.Contains(index, `href="`+p+`"`) {
			t.Errorf("the index has no link to %s", p)
		}
	}
}

// A page that asked a clock, threw dice or called out could not be compared
// with itself.
func TestPagesAreDeterministic(t *testing.T) {
	unsteady := regexp.MustCompile(`Math\.random|crypto\.|new Date|Date\.now|performance\.|setTimeout|requestAnimationFrame|toLocale|XMLHttpRequest|WebSocket|EventSource`)
	timer := regexp.MustCompile(`setInterval|fetch\(`)
	abroad := regexp.MustCompile(`https?://[^\s"'<>)\\$]*`)
	home := []string{"http://www.w3.org/2000/svg", "http://127.0.0.1/evil", "https://"}
	for name, text := range files(t) {
		if m := unsteady.FindString(text); m != "" {
			t.Errorf("%s uses %s", name, m)
		}
		if m := timer.FindString(text); m != "" && name != "busy.html" && name != "slow.html" {
			t.Errorf("%s uses %s", name, m)
		}
		for _, u := range abroad.FindAllString(text, -1) {
			if !slices.Contains(home, u) {
				t.Errorf("%s names %s", name, u)
			}
		}
	}
}

// link matches what a page points at: in markup, and in scripts that write markup.
var link = regexp.MustCompile(`(?:href|src|action)\s*[=:]\s*["'` + "`" + `]([^"'` + "`" + `]*)`)

func TestLinksResolve(t *testing.T) {
	seen := 0
	for name, text := range files(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := m[1]
			switch {
			case strings.Contains(target, "${"), strings.HasPrefix(target, "data:"), strings.HasPrefix(target, "#"):
				continue
			case target == "/hang", target == "/no-such-page", strings.HasPrefix(target, "/status/"), target == "/slow?ms=5000":
				continue // made to fail or to take long
			case !strings.HasPrefix(target, "/"):
				target = path.Join("/", path.Dir(name), target)
			}
			seen++
			if res, _ := get(t, target); res.StatusCode >= 400 {
				t.Errorf("%s points at %s: %s", name, m[1], res.Status)
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d links looked at; the pattern misses some", seen)
	}
	for _, m := range regexp.MustCompile(`\['([a-z]+)', '[A-Z]`).FindAllStringSubmatch(files(t)["site.js"], -1) {
		if res, _ := get(t, "/"+m[1]); res.StatusCode != http.StatusOK {
			t.Errorf("the navigation points at /%s: %s", m[1], res.Status)
		}
	}
}

// The snapshots were taken of these pages, so they show what scripts build.
func TestSizes(t *testing.T) {
	tests := []struct {
		file, line string
		want       int
	}{
		{"leads-before.aria", `(?m)^ +- row `, 501},
		{"leads-before.aria", `(?m)^ +- row "[^"]+, [^"]+, [^"]+" `, 500},
		{"leads-before.aria", `(?m)^ +- checkbox "Select [^"]+" `, 501},
		{"leads-before.aria", `(?m)^ +- button "Open [^"]+" `, 500},
		{"leads-before.aria", `(?m)^ +- columnheader `, 8},
		{"leads-before.aria", `(?m)^ +- cell `, 500 * 8},
		{"leads-after.aria", `(?m)\[checked\]`, 1},
		{"listing.aria", `(?m)^ +- article `, 203},
		{"listing.aria", `(?m)^ +- /url: /listing\?town=`, 60},
		{"listing.aria", `(?m)^ +- button "Book a tour" `, 203},
		{"lists-text.aria", `(?m)^ +- listitem \[ref=e\d+\]: The `, 150},
		{"lists-buttons.aria", `(?m)^ +- button "Close ticket \d+" `, 150},
		{"lists-offices.aria", `(?m)^ +- row "Main office \d+" `, 150},
		{"lists-numbers.aria", `(?m)^ +- listitem \[ref=e\d+\]: Item \d+$`, 150},
		{"form-errors.aria", `(?m)\[invalid\]`, 5},
	}
	for _, tt := range tests {
		b, err := os.ReadFile("../../testdata/snapshots/" + tt.file)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(regexp.MustCompile(tt.line).FindAllString(string(b), -1)); got != tt.want {
			t.Errorf("%s: %d lines match %s, want %d", tt.file, got, tt.line, tt.want)
		}
	}
}

// Every lead can be named without doubt: its checkbox and its button are the
// only ones with that name.
func TestLeadsAreDistinct(t *testing.T) {
	b, err := os.ReadFile("../../testdata/snapshots/leads-before.aria")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`checkbox "(Select [^"]+)"`).FindAllStringSubmatch(string(b), -1) {
		if seen[m[1]] {
			t.Errorf("two checkboxes %q", m[1])
		}
		seen[m[1]] = true
	}
}

func TestEmbeddedSizeIsModest(t *testing.T) {
	total := 0
	for _, text := range files(t) {
		total += len(text)
	}
	if total > 200<<10 {
		t.Errorf("the site weighs %d bytes; it goes into every binary", total)
	}
}
