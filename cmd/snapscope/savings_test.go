package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
	"snapscope/snapshot/wording"
)

// savingsOf names a folder with the recordings of testdata/sessions, as make
// savings drives them: the README's table is made of them.
var savingsOf = flag.String("savings", "", "make the README's table of savings from the recordings in this folder")

// The table's rows and columns. A column is the recordings KIND-*.jsonl of the folder,
// or, of a made kind, what savingsEvents makes of those in testdata.
var (
	savingsPolicies = []string{"passmark", "delta", "fold", "compress", "budget", "keep-one", "openclaw", "combined"}
	savingsKinds    = []struct{ kind, title string }{
		{"table", "one large table"},
		{"pages", "several pages"},
		{"forms", "forms and dialogs"},
		{"widgets", "widgets, feed, lists"},
		{"coding", "a coding agent"},
		{"indexed", "an indexed DOM"},
	}
)

// savingsTable works the recordings of a folder out and answers the table as
// Markdown, and how many recordings there were. Without a folder only the columns of
// the made kinds are filled in.
func savingsTable(ctx context.Context, dir string) (table string, sessions int, err error) {
	sums := make([]summary, len(savingsKinds))
	for k, kind := range savingsKinds {
		if dir == "" && !isMade(kind.kind) {
			continue
		}
		pattern := filepath.Join(dir, kind.kind+"-*.jsonl")
		if isMade(kind.kind) {
			pattern = "../../testdata/sessions/recorded/*.jsonl.zst"
		}
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			return "", 0, fmt.Errorf("no recording of kind %s in %s: %w", kind.kind, dir, err)
		}
		for _, file := range files {
			s, err := savingsSheet(ctx, kind.kind, file)
			if err != nil {
				return "", 0, err
			}
			sums[k].add(s)
			sessions++
		}
	}
	var b strings.Builder
	b.WriteString("| policy |")
	for _, kind := range savingsKinds {
		b.WriteString(" " + kind.title + " |")
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", 1+len(savingsKinds)) + "\n")
	for i, name := range savingsPolicies {
		b.WriteString("| `" + name + "` |")
		for _, sum := range sums {
			if len(sum.rows) == 0 {
				b.WriteString(" |")
				continue
			}
			r := sum.rows[i]
			one := func(f float64) string { return strings.TrimSuffix(wording.Percent(f), " %") }
			fmt.Fprintf(&b, " %s (%s to %s) · %d/%d |", wording.Percent(median(r.net)), one(slices.Min(r.net)), one(slices.Max(r.net)), r.survived, r.acted)
		}
		b.WriteByte('\n')
	}
	return b.String(), sessions, nil
}

func savingsSheet(ctx context.Context, kind, file string) (ledger.Sheet, error) {
	count, err := token.New("o200k_base")
	if err != nil {
		return ledger.Sheet{}, err
	}
	events, err := savingsEvents(ctx, kind, file)
	if err != nil {
		return ledger.Sheet{}, err
	}
	var ps []policy.Policy
	for _, name := range savingsPolicies {
		p, err := policy.Find(name, nil)
		if err != nil {
			return ledger.Sheet{}, err
		}
		ps = append(ps, p)
	}
	s := ledger.Sheet{}
	o, t := ledger.Options{Renderer: policy.NewRenderer(count.Count)}, session.NewTimeline(events)
	if s.Full, err = ledger.Run(ctx, t, policy.Full(), o); err != nil {
		return s, err
	}
	s.Reports, err = ledger.All(ctx, t, ps, o)
	return s, err
}

// savingsIn finds the table in the README.
var savingsIn = regexp.MustCompile(`(?m)^\| policy \| one large table \|.*\n(\|.*\n)+`)

// TestSavingsTable holds that the README's table of savings is one: every policy
// and kind, the median within its range, the same elements acted on in each row, and the
// columns of the made kinds what they are now.
// With -savings it makes the table anew.
func TestSavingsTable(t *testing.T) {
	const readme = "../../README.md"
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if *savingsOf != "" {
		table, _, err := savingsTable(t.Context(), *savingsOf)
		if err != nil {
			t.Fatal(err)
		}
		if !savingsIn.Match(b) {
			t.Fatal("the README has no table of savings")
		}
		b = savingsIn.ReplaceAllLiteral(b, []byte(table))
		if err := os.WriteFile(readme, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*savingsOf, "table.md"), []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rows := strings.Split(strings.TrimSpace(string(savingsIn.Find(b))), "\n")
	if len(rows) != 2+len(savingsPolicies) {
		t.Fatalf("the table of savings has %d rows:\n%s", len(rows), strings.Join(rows, "\n"))
	}
	now, _, err := savingsTable(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	made := strings.Split(strings.TrimSpace(now), "\n")
	cell := regexp.MustCompile(`^ (\S+) % \((\S+) to (\S+)\) · (\d+)/(\d+) $`)
	acted := make([]string, len(savingsKinds))
	for i, name := range savingsPolicies {
		cells := strings.Split(strings.Trim(rows[2+i], "|"), "|")
		if strings.TrimSpace(cells[0]) != "`"+name+"`" || len(cells) != 1+len(savingsKinds) {
			t.Fatalf("row %d is not of %s: %s", i+1, name, rows[2+i])
		}
		for k, c := range strings.Split(strings.Trim(made[2+i], "|"), "|")[1:] {
			if isMade(savingsKinds[k].kind) && c != cells[1+k] {
				t.Errorf("%s, %s: the README says %q, it is %q; make savings writes it", name, savingsKinds[k].kind, cells[1+k], c)
			}
		}
		for k, c := range cells[1:] {
			m := cell.FindStringSubmatch(c)
			if m == nil {
				t.Fatalf("%s, %s: %q", name, savingsKinds[k].kind, c)
			}
			mid, low, high := number(t, m[1]), number(t, m[2]), number(t, m[3])
			if low > mid || mid > high || high > 100 || number(t, m[4]) > number(t, m[5]) {
				t.Errorf("%s, %s: %q is no median within its range", name, savingsKinds[k].kind, c)
			}
			if acted[k] == "" {
				acted[k] = m[5]
			}
			if acted[k] != m[5] {
				t.Errorf("%s, %s: acted on %s elements, in the rows above on %s", name, savingsKinds[k].kind, m[5], acted[k])
			}
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "−", "-"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
