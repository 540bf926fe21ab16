package ledger

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// mostLines is how many losses or expiries of one policy a report for people
// lists; the JSON has all.
const mostLines = 20

// columns of the table of policies; the first is aligned left.
var columns = []string{"policy", "appended", "input", "peak", "saved", "cached", "written", "cost", "survival"}

// row is one policy as the table shows it.
func row(r *Report) []string {
	saved := Percent(r.SavedRatio)
	if r.Policy.Name == "full" {
		saved = "–"
	}
	return []string{
		plain(r.Policy.Name), Thousands(r.AppendedTokens), Thousands(r.InputTokens), Thousands(r.PeakTokens), saved,
		Thousands(r.CachedTokens), Thousands(r.WrittenTokens), Dollars(r.Cost), r.Survival.Label(),
	}
}

// headline says what a sheet is of.
func (s Sheet) headline() string {
	h := s.head()
	parts := []string{count(h.Steps, "step"), count(h.ModelCalls, "model call"), count(h.Snapshots, "snapshot")}
	if s.Encoding != "" {
		parts = append(parts, "tokens by "+s.Encoding)
	}
	switch {
	case h.Cost != nil:
		parts = append(parts, fmt.Sprintf("cost of input for %s at prices of %s", plain(h.Model), s.Prices))
	case h.Model != "":
		parts = append(parts, "model "+plain(h.Model))
	}
	return strings.Join(parts, " · ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Thousands(n) + " " + what + "s"
}

// fixed says how the system prompt and the definitions were counted.
func (r *Report) fixed() string {
	if r.System+r.Definitions == 0 {
		return "system prompt and tool definitions are not known and count 0"
	}
	from := "as the session tells"
	if r.Assumed {
		from = "as set"
	}
	return fmt.Sprintf("system prompt %s and tool definitions %s tokens in every call, %s", Thousands(r.System), Thousands(r.Definitions), from)
}

// WriteText writes sheets for a terminal or a mail: plain text, no colour.
func WriteText(w io.Writer, sheets ...Sheet) error {
	var b strings.Builder
	for i, s := range sheets {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s\n%s\n\n", plain(s.Recording), s.headline())
		rows := [][]string{columns}
		for _, r := range s.Reports {
			rows = append(rows, row(r))
		}
		WriteTable(&b, rows, 0, len(columns)-1)
		for _, r := range s.Reports {
			textPolicy(&b, r)
		}
		s.foot(func(line string) { fmt.Fprintf(&b, "%s\n", line) }, func() { b.WriteByte('\n') })
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteTable aligns rows of the same number of columns: to the right, but those
// named in left.
func WriteTable(b *strings.Builder, rows [][]string, left ...int) {
	wide := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			wide[i] = max(wide[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		var line strings.Builder
		for i, c := range r {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", wide[i]-utf8.RuneCountInString(c))
			if slices.Contains(left, i) {
				c, pad = pad, c
			}
			line.WriteString(pad + c)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

func textPolicy(b *strings.Builder, r *Report) {
	if n := len(r.Survival.Lost); n > 0 {
		fmt.Fprintf(b, "\nlost under %s\n", plain(r.Policy.Name))
		for i, l := range r.Survival.Lost {
			if i == mostLines {
				fmt.Fprintf(b, "  … %d more\n", n-i)
				break
			}
			fmt.Fprintf(b, "  step %d, %s: %s\n", l.Step, plain(l.name()), plain(l.Why))
			if l.Line != "" {
				fmt.Fprintf(b, "    step %d showed it: %s\n", l.From, plain(strings.TrimSpace(l.Line)))
			}
		}
	}
	if n := len(r.Expiries); n > 0 {
		fmt.Fprintf(b, "\ncleared under %s: %s\n", plain(r.Policy.Name), r.expirySum())
		if !r.judged() {
			return
		}
		for i, e := range r.Expiries {
			if i == mostLines {
				fmt.Fprintf(b, "  … %d more\n", n-i)
				break
			}
			fmt.Fprintf(b, "  %s\n", e.Verdict())
		}
	}
}

// name is how a lost element is called: its ref, and what the action called it.
func (l Lost) name() string {
	if l.Target == "" || l.Target == l.Ref {
		return l.Ref
	}
	return l.Ref + " " + l.Target
}

// judged reports whether any expiry can be said to have paid or not.
func (r *Report) judged() bool {
	return slices.ContainsFunc(r.Expiries, func(e Expiry) bool { return e.Known })
}

// expirySum is the balance of all expiries of a report in a few words.
func (r *Report) expirySum() string {
	paid, lost, known := 0, 0, 0
	for _, e := range r.Expiries {
		if !e.Known {
			continue
		}
		known++
		if e.Paid {
			paid++
		} else {
			lost++
		}
	}
	if known == 0 {
		cleared, again := 0, 0
		for _, e := range r.Expiries {
			cleared += e.tokens()
			again += e.Rewritten
		}
		return fmt.Sprintf("%s, %s tokens in all, %s behind them sent anew; without a model's prices there is no telling whether it paid",
			count(len(r.Expiries), "time"), Thousands(cleared), Thousands(again))
	}
	return fmt.Sprintf("%s, %d paid, %d lost", count(len(r.Expiries), "time"), paid, lost)
}

// foot says what stands below the tables: fixed sizes, real usage, worth, notes.
func (s Sheet) foot(line func(string), gap func()) {
	h := s.head()
	gap()
	line(h.fixed())
	if u := h.Usage; u != nil {
		line(fmt.Sprintf("the vendor counted %s input tokens in %s (%s read from cache, %s written); our count of the same calls under %s is %s, %s",
			Thousands(u.Input), count(u.Calls, "call"), Thousands(u.CacheRead), Thousands(u.CacheWrite), plain(h.Policy.Name), Thousands(u.Own), apart(u.Difference())))
	}
	if w := s.Worth; w != nil {
		line(w.sentence())
	}
	for _, n := range h.Notes {
		line("note: " + plain(n))
	}
}

func apart(f float64) string {
	switch {
	case f > 0:
		return Percent(f) + " more"
	case f < 0:
		return Percent(-f) + " less"
	}
	return "the same"
}

// sentence tells a session's worth in words.
func (w *Worth) sentence() string {
	if w.Snapshots == 0 {
		return fmt.Sprintf("of %s tokens none are snapshots", Thousands(w.Total()))
	}
	share := func(n, of int) string {
		switch f := float64(n) / float64(max(1, of)); {
		case n > 0 && f < 0.001:
			return "< 0.1 %"
		case n < of && f > 0.999:
			return "> 99.9 %"
		default:
			return Percent(f)
		}
	}
	return fmt.Sprintf("of %s tokens, each counted once, %s are snapshots, %s other results, %s messages and tool calls; of the snapshots %s repeat earlier lines, %s were never acted on, %d of %d gave no element that was used",
		Thousands(w.Total()), share(w.Snapshots, w.Total()), share(w.Results, w.Total()), share(w.User+w.Assistant+w.Calls, w.Total()),
		share(w.Duplicate, w.Snapshots), share(w.Snapshots-w.Acted, w.Snapshots), w.Unused, w.Shown)
}
