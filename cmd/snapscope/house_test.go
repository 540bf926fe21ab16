package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// house is the table of rooms: what each package imports of ours. Data moves
// one way, from sources through the story and the rules to the views.
var house = rooms(`
cmd/dist:
cmd/pictures: session/browser, tui/safetext
cmd/snapscope: replay, replay/ab, replay/ab/lab, replay/proxy, replay/proxy/api/record, replay/proxy/control, replay/proxy/join, replay/proxy/mcp, replay/proxy/setup, replay/sweep, replay/transcript, replay/tune, session, session/agents, session/atomicfile, session/browser, session/demo, session/guard, session/ledger, session/policy, session/script, snapshot, snapshot/strategy, snapshot/strategy/registry, snapshot/token, snapshot/wording, tui, tui/format, tui/keymap, tui/safetext
cmd/torture: replay, session, session/atomicfile, snapshot, tui/safetext
replay/ab/lab: replay, replay/ab, replay/proxy, replay/proxy/api/record, replay/proxy/join, session, session/atomicfile, session/guard, session/ledger, session/policy
replay/ab: session, session/ledger, session/policy, snapshot/wording
replay/proxy/api/apitest:
replay/proxy/api/record: replay/proxy, replay/proxy/api, replay/proxy/api/relay, replay/transcript, session, session/agents, session/policy, snapshot, snapshot/mask
replay/proxy/api/relay: replay/proxy, replay/proxy/api
replay/proxy/api: session, snapshot/strategy
replay/proxy/control: replay/proxy, session/breakpoint, session/policy
replay/proxy/join: session
replay/proxy/mcp: replay/proxy, replay/transcript/reply, replay/transcript/sidefile, session, session/agents, session/breakpoint, session/ledger, session/policy, snapshot, snapshot/mask, snapshot/notation, snapshot/wording
replay/proxy/setup: replay/proxy, session/agents
replay/proxy: replay, replay/tape, session/atomicfile
replay/replaytest: replay, replay/transcript, session
replay/sweep: replay, session, session/atomicfile, session/guard, session/ledger, session/policy, snapshot/strategy, snapshot/strategy/registry, snapshot/wording
replay/tape:
replay/transcript/format: replay, replay/tape, replay/transcript/reply, replay/transcript/sidefile, session, snapshot, snapshot/mask, snapshot/notation
replay/transcript/reply: replay/tape, replay/transcript/sidefile, session, snapshot, snapshot/notation
replay/transcript/sidefile: replay/tape
replay/transcript: replay, replay/transcript/format, session, session/agents, session/guard
replay/tune: session, session/guard, session/ledger, session/policy, snapshot/strategy, snapshot/strategy/registry, snapshot/wording
replay: replay/tape, session, session/atomicfile, session/guard, snapshot
session/agents:
session/atomicfile:
session/breakpoint: session, session/policy, session/script, snapshot, snapshot/notation
session/browser: session, session/atomicfile, snapshot, snapshot/aria, snapshot/mask, snapshot/notation
session/demo:
session/guard:
session/ledger: session, session/agents, session/guard, session/policy, session/quote, snapshot, snapshot/mask, snapshot/notation, snapshot/strategy, snapshot/wording
session/policy: session, snapshot, snapshot/notation, snapshot/strategy, snapshot/strategy/registry, snapshot/wording
session/quote:
session/script: session
session: snapshot, snapshot/mask, snapshot/notation, snapshot/strategy
snapshot/aria: snapshot
snapshot/ecma:
snapshot/mask: snapshot/notation, snapshot/wording
snapshot/notation: snapshot/ecma
snapshot/strategy/budget: snapshot, snapshot/ecma, snapshot/notation, snapshot/strategy, snapshot/wording
snapshot/strategy/delta: snapshot/notation, snapshot/strategy, snapshot/textdiff, snapshot/wording
snapshot/strategy/expiry: snapshot/strategy
snapshot/strategy/fold: snapshot/notation, snapshot/strategy, snapshot/wording
snapshot/strategy/internal/strategytest: snapshot/notation, snapshot/strategy, snapshot/wording
snapshot/strategy/published: snapshot/ecma, snapshot/notation, snapshot/strategy, snapshot/textdiff, snapshot/wording
snapshot/strategy/registry: snapshot/strategy, snapshot/strategy/budget, snapshot/strategy/delta, snapshot/strategy/expiry, snapshot/strategy/fold, snapshot/strategy/published
snapshot/strategy: snapshot, snapshot/ecma, snapshot/notation, snapshot/wording
snapshot/textdiff:
snapshot/token:
snapshot/wording:
snapshot: snapshot/notation
tui/dialog: session, session/breakpoint, session/ledger, session/policy, snapshot/wording, tui/draw, tui/format, tui/keymap, tui/layout, tui/pane, tui/safetext, tui/view
tui/draw: tui/layout, tui/safetext
tui/format: snapshot/wording
tui/keymap:
tui/layout:
tui/pane: session, session/ledger, session/policy, snapshot/notation, snapshot/strategy, snapshot/wording, tui/draw, tui/format, tui/layout, tui/safetext, tui/view
tui/safetext:
tui/view: replay/ab, session, session/breakpoint, session/guard, session/ledger, session/policy, session/script, snapshot/notation, snapshot/strategy, snapshot/strategy/registry, snapshot/textdiff, snapshot/wording, tui/format, tui/keymap, tui/layout, tui/safetext
tui: replay/proxy, replay/proxy/control, replay/tune, session, session/atomicfile, session/breakpoint, session/guard, session/ledger, session/policy, session/script, snapshot/mask, snapshot/strategy/registry, snapshot/textdiff, snapshot/wording, tui/dialog, tui/draw, tui/format, tui/keymap, tui/layout, tui/pane, tui/safetext, tui/view
`)

// rooms reads the table: a room a line, behind the colon what it imports.
func rooms(table string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(table)) {
		room, imports, _ := strings.Cut(line, ":")
		out[room] = strings.FieldsFunc(imports, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
	}
	return out
}

// onlyImporter names the one room each of these libraries may be used in.
var onlyImporter = map[string][]string{
	"github.com/go-rod/rod":                {"session/browser"},
	"github.com/sergi/go-diff":             {"snapshot/textdiff"},
	"github.com/tiktoken-go/tokenizer":     {"snapshot/token"},
	"charm.land/bubbletea/v2":              {"tui", "tui/dialog"},
	"charm.land/bubbles/v2":                {"tui/dialog"},
	"charm.land/lipgloss/v2":               {"tui"},
	"github.com/charmbracelet/x/ansi":      {"tui", "tui/safetext", "cmd/pictures"},
	"github.com/charmbracelet/ultraviolet": {},
}

type listed struct {
	ImportPath, Dir string
	Doc             string // the first sentence of the package's comment
	Imports         []string
	GoFiles         []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json", "snapscope/...", "snapscope/session/demo").Output()
	if err != nil {
		t.Fatalf("listing the packages: %v", err)
	}
	var pkgs []listed
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := dec.Decode(&p); err == io.EOF {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}

// TestEveryArrowIsInTheTable holds the table exact both ways: no import that is not
// in it, and nothing in it that nobody imports. A room whose name ends in "test" is
// there for tests of several rooms, as net/http/httptest is: no program imports it.
func TestEveryArrowIsInTheTable(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		room := strings.TrimPrefix(p.ImportPath, "snapscope/")
		allowed, ok := house[room]
		if !ok {
			t.Errorf("package %s is no room of the house", room)
			continue
		}
		seen[room] = true
		var imports []string
		for _, imp := range p.Imports {
			if ours, is := strings.CutPrefix(imp, "snapscope/"); is {
				imports = append(imports, ours)
				if forTests(ours) && !forTests(room) {
					t.Errorf("%s imports %s, which is for tests", room, ours)
				}
			}
			for lib, rooms := range onlyImporter {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && !slices.Contains(rooms, room) {
					t.Errorf("%s imports %s; only %v may", room, lib, rooms)
				}
			}
		}
		slices.Sort(imports)
		slices.Sort(allowed)
		if !slices.Equal(imports, allowed) {
			t.Errorf("the table says\n%s: %s\nand the room is\n%s: %s", room, strings.Join(allowed, ", "), room, strings.Join(imports, ", "))
		}
	}
	for room := range house {
		if !seen[room] {
			t.Errorf("room %s is in the table and not in the tree", room)
		}
	}
}

// A newcomer learns from a package's comment what is in it.
func TestEveryPackageHasAComment(t *testing.T) {
	for _, p := range packages(t) {
		name := path.Base(p.ImportPath)
		if !strings.HasPrefix(p.Doc, "Package "+name+" ") && !strings.HasPrefix(p.Doc, "Command "+name+" ") {
			t.Errorf("%s has no comment that begins with \"Package %s\" or \"Command %s\": %q", p.ImportPath, name, name, p.Doc)
		}
	}
}

// What was caught of a panic is told: in an error, a log or a recording. Who recovers
// without looking at what it was hides a defect.
func TestNoPanicIsSwallowed(t *testing.T) {
	caught := regexp.MustCompile(`(\w+) := recover\(\).*\{\n((?:.*\n){8})`)
	found := 0
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			b, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for _, m := range caught.FindAllStringSubmatch(string(b), -1) {
				if regexp.MustCompile(`[ (]` + m[1] + `[,)\n]`).MatchString(m[2]) {
					told++
				}
			}
			if all := strings.Count(string(b), "recover()"); all != told {
				t.Errorf("%s/%s recovers %d times and tells of it %d times", p.ImportPath, name, all, told)
			} else {
				found += all
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d recovers were looked at", found)
	}
}

func forTests(room string) bool { return strings.HasSuffix(room, "test") }

func TestTheTableHasNoCycle(t *testing.T) {
	state := map[string]int{}
	var visit func(string, []string)
	visit = func(room string, path []string) {
		switch state[room] {
		case 1:
			t.Fatalf("cycle: %v", append(path, room))
		case 2:
			return
		}
		state[room] = 1
		for _, next := range house[room] {
			visit(next, append(path, room))
		}
		state[room] = 2
	}
	for room := range house {
		visit(room, nil)
	}
}

// What grows past these is several things in one.
const (
	mostLines   = 500 // of a file
	mostMethods = 40  // of a type, functions of its package that take it first counted
)

// large are the types that have more methods than that as yet, with how many they may
// have: these numbers only go down.
var large = map[string]int{
	"cmd/snapscope.app":        75,
	"cmd/torture.field":        43,
	"session/browser.Browser":  92,
	"session/browser.stepping": 66,
	"session/ledger.history":   53,
	"session/ledger.machine":   43,
}

func TestFilesAndTheModelStaySmall(t *testing.T) {
	methods, files := map[string]int{}, 0
	for _, p := range packages(t) {
		names, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimPrefix(p.ImportPath, "snapscope/")
		types, funcs := map[string]bool{}, []string{}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files++
			if n := strings.Count(string(b), "\n"); n > mostLines {
				t.Errorf("%s/%s has %d lines, at most %d are wanted", room, filepath.Base(name), n, mostLines)
			}
			if !strings.HasSuffix(name, "_test.go") {
				funcs = append(funcs, typesAndFuncs(t, name, b, types)...)
			}
		}
		for _, of := range funcs {
			if types[of] { // of this package: what others do with it is theirs
				methods[room+"."+of]++
			}
		}
	}
	for of, n := range methods {
		if most := max(large[of], mostMethods); n > most {
			t.Errorf("%s has %d methods, functions that take it first counted; at most %d are wanted", of, n, most)
		}
	}
	for of, most := range large {
		if methods[of] < most {
			t.Errorf("%s has %d methods now: its number among the large ones, %d, goes down to that, or its row goes", of, methods[of], most)
		}
	}
	if files < 100 || len(methods) < 100 {
		t.Errorf("only %d files and %d types were read", files, len(methods))
	}
}

// typesAndFuncs notes the types that a file declares and answers, for each of its
// functions, the type that it is a method of or takes first.
func typesAndFuncs(t *testing.T, name string, src []byte, types map[string]bool) (out []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					types[s.Name.Name] = true
				}
			}
		case *ast.FuncDecl:
			first := d.Type.Params
			if d.Recv != nil {
				first = d.Recv
			}
			if len(first.List) == 0 {
				continue
			}
			of := first.List[0].Type
			if p, ok := of.(*ast.StarExpr); ok {
				of = p.X
			}
			if i, ok := of.(*ast.IndexExpr); ok {
				of = i.X
			}
			if id, ok := of.(*ast.Ident); ok {
				out = append(out, id.Name)
			}
		}
	}
	return out
}

// TestNoFolderLooksUp holds for folders what the table holds for rooms: of any two
// that lie in the same folder, at any depth, one is below, and nothing in it imports
// from the other. A folder's own package is one of them.
func TestNoFolderLooksUp(t *testing.T) {
	below := map[string]map[string]string{} // folder → folder that it imports from → an import that does
	for room, imports := range house {
		for _, imp := range imports {
			from, to := strings.Split(room, "/"), strings.Split(imp, "/")
			n := 0
			for n < len(from) && n < len(to) && from[n] == to[n] {
				n++
			}
			in := strings.Join(from[:n], "/")
			a, b := in+"/"+strings.Join(from[n:min(n+1, len(from))], ""), in+"/"+strings.Join(to[n:min(n+1, len(to))], "")
			if below[a] == nil {
				below[a] = map[string]string{}
			}
			below[a][b] = room + " imports " + imp
		}
	}
	if len(below) < 40 || below["/tui"]["/session"] == "" || below["session/policy"]["session/"] == "" {
		t.Fatalf("the folders are not read: %v", below)
	}
	var visit func(folder string, way []string)
	visit = func(folder string, way []string) {
		if i := slices.Index(way, folder); i >= 0 {
			way = append(way[i:], folder)
			var why []string
			for j := range len(way) - 1 {
				why = append(why, below[way[j]][way[j+1]])
			}
			t.Fatalf("folders in a circle: %s", strings.Join(why, "; "))
		}
		for next := range below[folder] {
			visit(next, append(slices.Clone(way), folder))
		}
	}
	for folder := range below {
		visit(folder, nil)
	}
}
