package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
)

// summary is what each policy comes to over several sessions. Every session
// counts alike: what a policy saves of one large session says little of others.
type summary struct {
	sessions int
	left     int // left out: what full would have sent is not known
	rows     []summaryRow
}

type summaryRow struct {
	policy          string
	saved, net      []float64
	acted, survived int
	quotes, read    int
	runs            ledger.Runs
}

func (s *summary) add(sheet ledger.Sheet) {
	if len(sheet.Reports) > 0 && sheet.Reports[0].Unbuilt > 0 {
		s.left++
		return
	}
	s.sessions++
	for _, r := range sheet.Reports {
		row := s.row(r.Policy.Name)
		row.saved = append(row.saved, r.SavedRatio)
		row.net = append(row.net, r.NetSavedRatio)
		row.acted += r.Survival.Acted
		row.survived += r.Survival.Survived
		row.quotes += r.Reading.Quotes
		row.read += r.Reading.Kept
		row.runs.Add(r)
	}
}

// join adds the sessions of another summary.
func (s *summary) join(o summary) {
	s.sessions += o.sessions
	s.left += o.left
	for _, from := range o.rows {
		row := s.row(from.policy)
		row.saved = append(row.saved, from.saved...)
		row.net = append(row.net, from.net...)
		row.acted += from.acted
		row.survived += from.survived
		row.quotes += from.quotes
		row.read += from.read
		row.runs.Join(from.runs)
	}
}

// row is a policy's row, begun if need be.
func (s *summary) row(policy string) *summaryRow {
	i := slices.IndexFunc(s.rows, func(row summaryRow) bool { return row.policy == policy })
	if i < 0 {
		i = len(s.rows)
		s.rows = append(s.rows, summaryRow{policy: policy})
	}
	return &s.rows[i]
}

func (s *summary) table() [][]string {
	out := [][]string{{"policy", "saved, median", "net saved, median", "lowest", "highest", "survival", "quotes", "whole runs"}}
	for _, r := range s.rows {
		out = append(out, []string{
			oneLine(r.policy), wording.Percent(median(r.saved)), wording.Percent(median(r.net)),
			wording.Percent(slices.Min(r.net)), wording.Percent(slices.Max(r.net)),
			ledger.Survival{Acted: r.acted, Survived: r.survived}.Label(),
			ledger.Survival{Acted: r.quotes, Survived: r.read}.Label(), r.runs.Label(),
		})
	}
	return out
}

// leftOut says which sessions do not count.
func (s *summary) leftOut() string {
	return wording.Plural(s.left, "session") + " left out: some pages are only partly in the file, so what full snapshots would have sent is unknown"
}

// legend says what each column means, in the words of a single session's.
func (s *summary) legend() []string {
	return []string{
		"saved, net saved: " + ledger.Column("net saved") + "; the session in the middle",
		"lowest, highest: net saved, of the session with the least and the one with the most",
		"survival: " + ledger.Column("survival") + "; of all sessions together",
		"quotes: " + ledger.Column("quotes"),
		"whole runs: sessions in which no element was lost, of all with a page; in brackets where that share lies in 95 of 100 cases (Wilson)",
	}
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// writeText writes the table for people; nothing for a single session.
func (s *summary) writeText(w io.Writer) error {
	if s.sessions < 2 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n%d sessions, as shares of full's input; every session counts the same\n", s.sessions)
	ledger.WriteTable(&b, s.table(), 0)
	b.WriteByte('\n')
	for _, line := range s.legend() {
		b.WriteString("  " + line + "\n")
	}
	if s.left > 0 {
		fmt.Fprintf(&b, "%s\n", s.leftOut())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeMarkdown is writeText as Markdown.
func (s *summary) writeMarkdown(w io.Writer) error {
	if s.sessions < 2 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Over %d sessions\n\nAs shares of full's input; every session counts the same.\n\n", s.sessions)
	for i, row := range s.table() {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	b.WriteByte('\n')
	for _, line := range s.legend() {
		b.WriteString("- " + line + "\n")
	}
	if s.left > 0 {
		fmt.Fprintf(&b, "\n%s\n", s.leftOut())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
