package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// unclear are words that readers of reports stumbled over, with what to write instead.
var unclear = map[string]string{
	`\bst(ands?|ood) `:           "is, was",
	`\banew\b`:                   "again",
	`\bprofits?\b`:               "say which calls followed and how many were needed",
	`\bas it came\b|\bgoes as\b`: "unchanged",
	`\bof sent\b`:                "compared with what was really sent",
	`\bknown in part\b`:          "only partly in the file",
	`\bsession (tells|does not tell|holds)\b`: "the file has",
	`\btold by\b`:                           "recognised by",
	`\bno change of one knob\b`:             "no single setting",
	`\bhide it again\b`:                     "not show it either",
	`\bgave no element\b`:                   "was not needed",
	`\b[Hh]olds? (a|the|later) .*against\b`: "tests, checks",
	`\bthere is no telling\b`:               "it is not known",
}

// What report, tune, check and import say to a person is in words that need no second
// reading. Sentences of the code, which are literals of three words and more, are held
// against the words that did.
func TestReportsUsePlainWords(t *testing.T) {
	files := []string{"report.go", "check.go", "tune.go", "import.go", "summary.go", "inputs.go", "policies.go"}
	for _, dir := range []string{"../../session/ledger", "../../replay/tune"} {
		in, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, in...)
	}
	bad := map[*regexp.Regexp]string{}
	for word, better := range unclear {
		bad[regexp.MustCompile(word)] = better
	}
	read := 0
	look := func(where, text string) {
		if len(strings.Fields(text)) < 3 {
			return
		}
		read++
		for word, better := range bad {
			if word.MatchString(text) {
				t.Errorf("%s: %q: instead of %s: %s", where, text, word, better)
			}
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil {
					look(set.Position(l.Pos()).String(), text)
				}
			}
			return true
		})
	}
	page, err := os.ReadFile("../../session/ledger/report.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range regexp.MustCompile(`>[^<>{}]+<`).FindAllString(string(page), -1) {
		look("report.html", text)
	}
	if read < 200 {
		t.Errorf("only %d sentences were read", read)
	}
}
