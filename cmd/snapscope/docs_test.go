//go:build !race

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"snapscope/session/demo"
)

var writeDocs = flag.Bool("docs", false, "write what the program answers into the documents")

// The documents are Markdown. Their fenced blocks are kept true by tests:
//
//	```console         "$ snapscope …" and what it answers; -docs writes the answers
//	```sh              command lines alone, which are run, or parsed where they open a screen or wait
//	```toml NAME       a file that the command lines below it may read
//	```sql NAME        a question to DuckDB, which another test asks
//
// Each document's run in a folder of their own that holds testdata/snapshots, the
// small recordings of testdata/ledger under sessions, and the demo's recording as
// session.jsonl.
var fence = regexp.MustCompile("(?ms)^```(\\w+)(?: ([\\w.-]+))?\n(.*?)^```$")

// docsFolder makes the folder that the command lines run in.
func docsFolder(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../testdata/snapshots")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "sessions"), os.DirFS("../../testdata/ledger")); err != nil {
		t.Fatal(err)
	}
	data, err := demo.Recording("leads")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "session.jsonl"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, filepath.Join(dir, "home"))
	}
	t.Chdir(dir)
}

// TestDocumentsAreTrue runs every command line of every document and holds what
// it answers against what the document shows.
func TestDocumentsAreTrue(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	top = filepath.Join(here, "..", "..")
	names, _ := topics()
	if len(names) < 5 {
		t.Fatalf("only %d documents", len(names))
	}
	files := map[string]string{}
	for _, name := range names {
		files[name] = filepath.Join(here, "docs", name+".md")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			docsFolder(t)
			b, err := os.ReadFile(files[name])
			if err != nil {
				t.Fatal(err)
			}
			now := fence.ReplaceAllStringFunc(generate(t, string(b)), func(block string) string {
				m := fence.FindStringSubmatch(block)
				switch kind, file, body := m[1], m[2], m[3]; {
				case kind == "sql": // a test asks DuckDB
				case file != "":
					if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
						t.Fatal(err)
					}
				case kind == "sh":
					for line := range strings.Lines(body) {
						shellLine(t, line)
					}
				case kind == "console":
					return "```console\n" + console(t, body) + "```"
				}
				return block
			})
			if *writeDocs {
				if err := os.WriteFile(files[name], []byte(now), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if now != string(b) {
				t.Errorf("%s shows what the program does not answer (go test ./cmd/snapscope -run Documents -docs writes it again):\n%s", name, firstDifference(string(b), now))
			}
		})
	}
}

// console answers a console block with each command's real answer.
func console(t *testing.T, body string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(body) {
		cmd, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		b.WriteString(line)
		b.WriteString(piped(t, strings.TrimSpace(cmd)))
	}
	return b.String()
}

// piped runs "snapscope … | head -N", "| grep WORD" or "| jq -r .KEY" without a
// shell.
func piped(t *testing.T, line string) string {
	t.Helper()
	parts := strings.Split(line, " | ")
	cmd, ok := strings.CutPrefix(parts[0], "snapscope ")
	if !ok {
		t.Fatalf("%q does not run snapscope", line)
	}
	out := strings.TrimRight(string(answer(t, words(cmd)...)), "\n")
	lines := strings.Split(out, "\n")
	for _, filter := range parts[1:] {
		f := strings.Fields(filter)
		switch {
		case f[0] == "head" && len(f) == 2:
			n, err := strconv.Atoi(strings.TrimPrefix(f[1], "-"))
			if err != nil {
				t.Fatal(err)
			}
			lines = lines[:min(n, len(lines))]
		case f[0] == "grep" && len(f) == 2:
			lines = slices.DeleteFunc(lines, func(l string) bool { return !strings.Contains(l, f[1]) })
		case f[0] == "jq" && len(f) == 3:
			var v map[string]any
			if err := json.Unmarshal([]byte(out), &v); err != nil {
				t.Fatal(err)
			}
			lines = []string{fmt.Sprint(v[strings.TrimPrefix(f[2], ".")])}
		default:
			t.Fatalf("%q: the documents know head -N, grep WORD and jq -r .KEY", filter)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// waits are the commands that open a screen, wait for an agent or change its
// settings: of these a test reads the flags and arguments only.
var waits = []string{"demo", "open", "replay", "attach", "mcp", "api", "live", "ab"}

// shellLine runs one line of a sh block; a line of another program is none of
// ours.
func shellLine(t *testing.T, line string) {
	t.Helper()
	line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
	line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "npx "), "docker run --rm -it ")
	cmd, ok := strings.CutPrefix(line, "snapscope ")
	if !ok {
		return
	}
	args := words(cmd)
	if !slices.Contains(waits, args[0]) {
		answer(t, args...)
		return
	}
	c, rest, err := newRoot().Find(args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil {
		t.Errorf("snapscope %s: %v", cmd, err)
	}
}

// words splits a command line as a shell does, quotes included, and carries out
// patterns of file names.
func words(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`'([^']*)'|"([^"]*)"|\S+`).FindAllStringSubmatch(line, -1) {
		switch {
		case m[1] != "" || m[2] != "":
			out = append(out, m[1]+m[2])
		case strings.Contains(m[0], "*"):
			found, _ := filepath.Glob(m[0])
			out = append(out, found...)
		default:
			out = append(out, m[0])
		}
	}
	return out
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return fmt.Sprintf("line %d\n  shows  %s\n  is now %s", i+1, as[i], bs[i])
		}
	}
	return fmt.Sprintf("%d lines are now %d", len(as), len(bs))
}

// TestLinksLeadSomewhere checks every link between the files of the repository:
// the file is there, and so is the heading.
func TestLinksLeadSomewhere(t *testing.T) {
	const top = "../.."
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	n := 0
	err := filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "dist" || d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "fuzz") {
			return fs.SkipDir
		}
		if filepath.Ext(file) != ".md" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			to, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") {
				continue
			}
			n++
			target := file
			if to != "" {
				target = filepath.Join(filepath.Dir(file), filepath.FromSlash(to))
			}
			there, err := os.ReadFile(target)
			if st, serr := os.Stat(target); serr == nil && st.IsDir() {
				err = nil
			}
			if err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			} else if heading != "" && !slices.Contains(headings(string(there)), heading) {
				t.Errorf("%s links to %s, and there is no such heading", file, m[1])
			}
		}
		return nil
	})
	if err != nil || n < 10 {
		t.Errorf("%d links (%v)", n, err)
	}
}

// headings are a Markdown text's anchors as GitHub makes them.
func headings(text string) []string {
	var out []string
	for line := range strings.Lines(fence.ReplaceAllString(text, "")) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		s := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		s = regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(s, "")
		out = append(out, strings.ReplaceAll(s, " ", "-"))
	}
	return out
}

// TestHelpShowsTopicsAndCommands holds what help answers to a topic, to a
// command, to nothing and to what there is not.
func TestHelpShowsTopicsAndCommands(t *testing.T) {
	names, _ := topics()
	all := string(answer(t, "help"))
	for _, name := range names {
		want, err := docs.ReadFile(path.Join("docs", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if got := answer(t, "help", name); !bytes.Equal(got, want) {
			t.Errorf("help %s does not show the document", name)
		}
		if !strings.Contains(all, "  "+name+" ") {
			t.Errorf("help does not list %s", name)
		}
	}
	if got := string(answer(t, "help", "reduce")); !strings.Contains(got, "snapscope reduce") {
		t.Errorf("help reduce shows %q", got)
	}
	root := newRoot()
	root.SetArgs([]string{"help", "nonesuch"})
	var usage usageError
	if err := root.Execute(); !errors.As(err, &usage) || !strings.Contains(err.Error(), "strategies") {
		t.Errorf("help nonesuch: %v", err)
	}
}
