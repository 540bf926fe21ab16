package ledger

import (
	"fmt"
	"io"
	"strings"

	"snapscope/snapshot/wording"
)

// WriteMarkdown writes sheets as Markdown: tables that render on any forge.
func WriteMarkdown(w io.Writer, sheets ...Sheet) error {
	var b strings.Builder
	for i, s := range sheets {
		if i > 0 {
			b.WriteByte('\n')
		}
		if s.Advice != nil {
			fmt.Fprintf(&b, "**%s**\n\n", md(s.Advice.Text))
		}
		fmt.Fprintf(&b, "## %s\n\n%s\n\n", md(s.Recording), md(s.headline()))
		rows := s.rows()
		mdTable(&b, s.header(), len(rows), func(i int) []string { return rows[i] })
		b.WriteByte('\n')
		for _, line := range s.legend() {
			fmt.Fprintf(&b, "- %s\n", md(line))
		}
		mdTroubles(&b, s.AsSent)
		mdBill(&b, s.Bill)
		if s.differs() {
			mdPolicy(&b, s.AsSent)
		}
		for _, r := range s.Reports {
			mdPolicy(&b, r)
		}
		if len(s.Reports) > 0 {
			fmt.Fprintf(&b, "\n### Input tokens by model call\n\n")
			mdCalls(&b, s)
		}
		s.foot(func(line string) { fmt.Fprintf(&b, "- %s\n", md(line)) }, func() { b.WriteByte('\n') })
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func mdTable(b *strings.Builder, head []string, n int, row func(int) []string) {
	b.WriteString("| " + strings.Join(head, " | ") + " |\n| ---")
	b.WriteString(strings.Repeat(" | ---:", len(head)-1) + " |\n")
	for i := range n {
		cells := row(i)
		for k := range cells {
			cells[k] = md(cells[k])
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
}

func mdBill(b *strings.Builder, bill *Bill) {
	if bill == nil || bill.Parts.Sum() == 0 {
		return
	}
	fmt.Fprintf(b, "\n### What the input was made of\n\n%s\n\n", md(bill.sentence()))
	rows := bill.billRows()
	mdTable(b, []string{"part", "input tokens", "share"}, len(rows), func(i int) []string {
		r := rows[i]
		if r.Sub {
			r.Name = "of it " + r.Name
		}
		return []string{r.Name, wording.Count(r.Tokens), wording.Percent(r.Share)}
	})
}

func mdTroubles(b *strings.Builder, sent *Report) {
	if sent == nil || len(sent.Troubles) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", strings.ToUpper(wentWrong[:1])+wentWrong[1:])
	for i, t := range sent.Troubles {
		if i == mostLines {
			fmt.Fprintf(b, "- … %d more\n", len(sent.Troubles)-i)
			break
		}
		fmt.Fprintf(b, "- ! %s\n", md(sent.troubleLine(t)))
	}
}

func mdPolicy(b *strings.Builder, r *Report) {
	if lost := r.listed(); len(lost) > 0 {
		fmt.Fprintf(b, "\n### What would be lost %s\n\n", md(r.under()))
		for i, l := range lost {
			if i == mostLines {
				fmt.Fprintf(b, "- … %d more\n", len(lost)-i)
				break
			}
			fmt.Fprintf(b, "- ✗ step %d, %s: %s%s\n", l.Step, md(l.name()), md(l.Why), md(l.priced()))
		}
	}
	if n := len(r.Expiries); n > 0 {
		fmt.Fprintf(b, "\n### Cleared under %s: %s\n\n", md(r.Policy.Name), r.expirySum())
		if !r.judged() {
			return
		}
		for i, e := range r.Expiries {
			if i == mostLines {
				fmt.Fprintf(b, "- … %d more\n", n-i)
				break
			}
			fmt.Fprintf(b, "- %s\n", md(e.Verdict()))
		}
	}
}

func mdCalls(b *strings.Builder, s Sheet) {
	head := []string{"call"}
	for _, r := range s.Reports {
		head = append(head, md(r.Policy.Name))
	}
	calls := len(s.head().Calls)
	mdTable(b, head, min(calls, 200), func(i int) []string {
		cells := []string{fmt.Sprint(i + 1)}
		for _, r := range s.Reports {
			c := r.Calls[i]
			cell := wording.Count(c.InputTokens)
			if c.CachedTokens > 0 {
				cell += " (" + wording.Count(c.CachedTokens) + " cached)"
			}
			cells = append(cells, cell)
		}
		return cells
	})
	if calls > 200 {
		fmt.Fprintf(b, "\n… %d more calls\n", calls-200)
	}
}

// md makes a text of unknown origin safe inside Markdown.
func md(s string) string {
	var b strings.Builder
	for _, r := range plain(s) {
		switch r {
		case '|', '`', '*', '_', '[', ']', '<', '>', '#', '\\':
			if r == '<' {
				b.WriteString("&lt;")
				continue
			}
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
