package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

// strategyRow is a strategy's line in the README's table.
func strategyRow(s *strategy.Strategy) string {
	var knobs []string
	for _, k := range s.Knobs {
		knobs = append(knobs, fmt.Sprintf("`%s` %s", k.Key, k.Format(k.Default)))
	}
	if len(knobs) == 0 {
		knobs = []string{"–"}
	}
	source := s.Source
	if s.Link != "" {
		source = fmt.Sprintf("[%s](%s)", s.Source, s.Link)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s |", s.Name, s.Title, source, strings.Join(knobs, ", "))
}

// TestReadmeIsTrue holds the README's tables against the program's.
func TestReadmeIsTrue(t *testing.T) {
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(b)
	for _, s := range registry.All() {
		if row := strategyRow(s); !strings.Contains(readme, row+"\n") {
			t.Errorf("the README lacks this row:\n%s", row)
		}
	}
	for _, c := range newRoot().Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if !strings.Contains(readme, "snapscope "+c.Name()) {
			t.Errorf("the README does not mention snapscope %s", c.Name())
		}
	}
	for _, want := range []string{"make demo", "make test"} {
		if !strings.Contains(readme, want) {
			t.Errorf("the README does not show %q", want)
		}
	}
}
