//go:build !race

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/snapshot/wording"
)

// comparedFile holds what make compared measured on whole agents, a cell a line.
const comparedFile = "testdata/compared.jsonl"

// comparedCell is one comparison: an agent, a server and a page under all policies.
type comparedCell struct {
	Client   string        `json:"client"` // its npm package with the version
	Server   string        `json:"server"` // version of Playwright MCP
	Rows     int           `json:"rows"`   // of the page's table
	Policies []comparedRow `json:"policies"`
}

// comparedRow is one run: its input tokens as predicted and as the model counted them.
type comparedRow struct {
	Policy    string `json:"policy"`
	Predicted int    `json:"predicted"`
	Measured  int    `json:"measured"`
	Ended     string `json:"ended"`
}

func (c comparedCell) key() string { return fmt.Sprintf("%s %s %05d", c.Client, c.Server, c.Rows) }

func comparedCells(t *testing.T, file string) (cells []comparedCell) {
	t.Helper()
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		var c comparedCell
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cells = append(cells, c)
	}
	return cells
}

// comparedPages are the pages by their tables' rows.
var comparedPages = []int{60, 180, 420}

// comparedTable is the table of docs/attach.md: a table a client, a row a server and a
// policy, a column a page.
func comparedTable(t *testing.T) string {
	cells := comparedCells(t, filepath.Join(sourceTop(t), "cmd/snapscope", comparedFile))
	var b strings.Builder
	for i, first := range cells {
		if i > 0 && cells[i-1].Client == first.Client {
			continue
		}
		fmt.Fprintf(&b, "**%s**\n\n| server | policy |", first.Client)
		for _, rows := range comparedPages {
			fmt.Fprintf(&b, " %d rows |", rows)
		}
		b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(comparedPages)) + "\n")
		for k, of := range cells {
			if of.Client != first.Client || k > 0 && cells[k-1].Server == of.Server && cells[k-1].Client == of.Client {
				continue
			}
			for n, row := range of.Policies {
				fmt.Fprintf(&b, "| %s | `%s` |", of.Server, row.Policy)
				for _, rows := range comparedPages {
					b.WriteString(" " + comparedText(cells, of, rows, n) + " |")
				}
				b.WriteByte('\n')
			}
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// comparedText is one run in words: predicted → measured, how far that is, how it ended.
func comparedText(cells []comparedCell, of comparedCell, rows, n int) string {
	of.Rows = rows
	for _, c := range cells {
		if c.key() != of.key() || n >= len(c.Policies) {
			continue
		}
		r, first := c.Policies[n], c.Policies[0]
		end := "done"
		if strings.HasPrefix(r.Ended, "LOST") {
			end = "lost"
		} else if !strings.HasPrefix(r.Ended, "DONE") {
			end = r.Ended
		}
		if r.Ended != first.Ended && end == "lost" && strings.HasPrefix(first.Ended, "LOST") {
			end = "lost elsewhere"
		}
		off := fmt.Sprintf("%+.2f %%", 100*float64(r.Predicted-r.Measured)/float64(max(1, r.Measured)))
		return fmt.Sprintf("%s → %s, %s, %s", wording.Count(r.Predicted), wording.Count(r.Measured), strings.NewReplacer("-0.00", "+0.00", "-", "−").Replace(off), end)
	}
	return "not run"
}
