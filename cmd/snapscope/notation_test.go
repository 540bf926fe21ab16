package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// handleMarks are what a page's notation is told by. Only snapshot/notation may
// look for them, or write them: two readers of one notation would disagree, and
// a page could say what it likes in the gap between them.
var handleMarks = []string{"ref=", "uid=", "[unchanged]", "<changed>", "[active]"}

// notationExceptions are the files that may hold such a mark in a string, and why.
var notationExceptions = map[string]string{
	"snapshot/strategy/published/signature.go":    "the published signature of compress is a text substitution, to the byte",
	"snapshot/strategy/published/agentbrowser.go": "agent-browser's own answer to an unchanged page, no line of it",
	"snapshot/strategy/delta/grammar.go":          "the grammar that goes into an agent's prompt",
}

// TestTheTableOfMarks reads the string literals of all code that is not a test.
// cmd/torture, which forges pages, and the rooms for tests stand in for their makers.
// Fields that hold prose for people (Doc, Notation, Long, Short, Example, help)
// are not looked at.
func TestTheTableOfMarks(t *testing.T) {
	root := os.DirFS("../..")
	used := map[string]bool{}
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "dist" || path == "snapshot/notation" || forTests(path) || path == "cmd/torture"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		for _, found := range marksIn(t, filepath.Join("../..", path)) {
			used[path] = true
			if notationExceptions[path] == "" {
				t.Errorf("%s: %s: ask package notation instead", path, found)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range notationExceptions {
		if !used[path] {
			t.Errorf("%s is an exception and holds no mark", path)
		}
	}
}

// marksIn lists the string literals of a file that hold a mark, with their lines.
func marksIn(t *testing.T, path string) []string {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok {
			if k, ok := kv.Key.(*ast.Ident); ok {
				switch k.Name {
				case "Doc", "Notation", "Long", "Short", "Example":
					return false
				}
			}
		}
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		s, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		s = strings.ReplaceAll(s, "href=", "")
		for _, mark := range handleMarks {
			if strings.Contains(s, mark) {
				out = append(out, "line "+strconv.Itoa(files.Position(lit.Pos()).Line)+" holds "+lit.Value)
				break
			}
		}
		return true
	})
	return out
}
