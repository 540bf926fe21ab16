package ledger

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"snapscope/snapshot/wording"
)

// mostLines is how many losses or expiries of one policy a report for people
// lists; the JSON has all.
const mostLines = 20

// columns of the table of policies with what each means; the first is aligned
// left. "vs sent" stands only where what was sent is not what full would send.
var columns = []struct{ name, means string }{
	{"policy", "what rewrites or clears the snapshots; as sent: what the session really sent; full: every page the model was given, in full"},
	{"appended", "tokens that all results added to the history, once"},
	{"input", "input tokens of all model calls, the whole history in each"},
	{"peak", "input tokens of the largest call"},
	{"saved", "input tokens not sent, as a share of full's"},
	{"vs sent", "saved compared with what was really sent"},
	{"net saved", "saved, after paying for each lost element: one more call, and the page that shows it again"},
	{"cached", "input tokens read from the prompt cache"},
	{"written", "input tokens written to the prompt cache"},
	{"cost", "cost of the input in US dollars; –: the model has no price"},
	{"survival", "elements that the agent could read when it used them, of all that it used; –: it used none"},
	{"quotes", "numbers, codes, names and quoted words from a page that the agent could still read when it used them, of all that it used"},
}

const columnOfSent, columnQuotes = 5, 11

// stands reports whether a column is shown.
func (s Sheet) stands(i int) bool {
	return (i != columnOfSent || s.differs()) && (i != columnQuotes || s.head().Reading.Quotes > 0)
}

// Column says what a column of the table of policies means; "" for none of that
// name.
func Column(name string) string {
	for _, c := range columns {
		if c.name == name {
			return c.means
		}
	}
	return ""
}

// differs reports whether what was sent is not what full would send.
func (s Sheet) differs() bool {
	return s.AsSent != nil && s.Full != nil &&
		(s.AsSent.InputTokens != s.Full.InputTokens || s.AsSent.AppendedTokens != s.Full.AppendedTokens)
}

// head names the columns of the sheet.
func (s Sheet) header() (names []string) {
	for i, c := range columns {
		if s.stands(i) {
			names = append(names, c.name)
		}
	}
	return names
}

// legend says what each column means.
func (s Sheet) legend() (lines []string) {
	for i, c := range columns {
		if s.stands(i) {
			lines = append(lines, c.name+": "+c.means)
		}
	}
	return lines
}

// rows are the reports as the table shows them: what was sent, where that is
// not full, then the policies.
func (s Sheet) rows() (out [][]string) {
	if s.differs() {
		out = append(out, s.row(s.AsSent))
	}
	for _, r := range s.Reports {
		out = append(out, s.row(r))
	}
	return out
}

// row is one report as the table shows it.
func (s Sheet) row(r *Report) []string {
	saved, net, ofSent := wording.Percent(r.SavedRatio), wording.Percent(r.NetSavedRatio), wording.Percent(r.SavedOfSent)
	if r.Policy.Name == "full" {
		saved, net = "–", "–"
	}
	if r.Policy.Name == AsSentName {
		net, ofSent = "–", "–"
	}
	cells := []string{
		plain(r.Policy.Name), wording.Count(r.AppendedTokens), wording.Count(r.InputTokens), wording.Count(r.PeakTokens), saved, ofSent, net,
		wording.Count(r.CachedTokens), wording.Count(r.WrittenTokens), Dollars(r.Cost), r.Survival.Label(), r.Reading.Survival().Label(),
	}
	for _, i := range []int{columnQuotes, columnOfSent} {
		if !s.stands(i) {
			cells = slices.Delete(cells, i, i+1)
		}
	}
	return cells
}

// billRow is one part of what the input was made of.
type billRow struct {
	Name   string
	Tokens int
	Share  float64
	Sub    bool // a part of the row above
}

// billRows lists what the input was made of.
func (b *Bill) billRows() []billRow {
	total := b.Parts.Sum()
	var out []billRow
	add := func(name string, n int, sub bool) {
		if n > 0 {
			out = append(out, billRow{name, n, share(n, total), sub})
		}
	}
	beside := 0
	if b.Vendor != nil {
		beside = max(0, min(*b.Vendor-b.Ours, b.Parts.SystemTools))
	}
	add("system prompt and tools", b.Parts.SystemTools-beside, false)
	outside := "not in the file: system prompt, tools, thinking"
	if !b.Factor.known() {
		outside += ", another tokenizer"
	}
	add(outside, beside, false)
	add("user", b.Parts.User, false)
	add("model", b.Parts.Model, false)
	add("page snapshots", b.Parts.Snapshots, false)
	add("lines not shown before", b.Fresh, true)
	add("lines shown before", b.Repeated, true)
	add("in snapshots from which nothing was used", b.NeverActed, true)
	add("screenshots", b.Parts.Screenshots, false)
	add("other results", b.Parts.OtherResults, false)
	return out
}

// sentence says whose count the bill is.
func (b *Bill) sentence() string {
	if b.Vendor == nil {
		return fmt.Sprintf("input as sent, %s, our own count (no usage in the file); what is not in the file is not included", wording.Plural(b.Calls, "call"))
	}
	of := wording.Plural(b.Calls, "call")
	if b.Calls < b.Of {
		of += " of " + wording.Count(b.Of)
	}
	return fmt.Sprintf("input as sent by the vendor's count, %s; %s tokens a call are not in the file; %s", of, wording.Count(*b.Uncounted), b.Factor)
}

// String says what the factor is and where it comes from.
func (f Factor) String() string {
	if !f.known() {
		return "vendor tokens for one of ours: not known, 1 is assumed"
	}
	two := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
	from := "published for the model"
	if f.From == FromReceipts {
		from = "learned from " + wording.Plural(f.Increments, "call")
	}
	return fmt.Sprintf("%s vendor tokens for one of ours (%s to %s, %s)", two(f.Value), two(f.Low), two(f.High), from)
}

// costs says what the costs start from.
func (r *Report) costs() string {
	switch {
	case r.Cost == nil:
		return ""
	case r.Billed:
		return "cost as sent: the usage in the file at list prices; under a policy: the same cache reads and writes at the same place in the conversation, and a new write where the policy changed earlier text"
	case r.Usage != nil:
		return "cost: the file does not say what was cached; the cache rule of " + r.Rule.Name + " is assumed"
	}
	says := "cost: no usage in the file; the cache rule of " + r.Rule.Name + " is assumed"
	if r.Factor.known() {
		says += ", and " + r.Factor.String()
	}
	return says
}

// headline says what a sheet is of.
func (s Sheet) headline() string {
	h := s.head()
	parts := []string{wording.Plural(h.Steps, "step"), wording.Plural(h.ModelCalls, "model call"), wording.Plural(h.Snapshots, "snapshot")}
	if s.Encoding != "" {
		parts = append(parts, "tokens by "+s.Encoding)
	}
	if h.Usage != nil && h.Factor.known() {
		parts = append(parts, "input in vendor tokens")
	}
	switch {
	case h.Cost != nil:
		parts = append(parts, fmt.Sprintf("cost of input for %s at prices of %s", plain(h.Model), s.Prices))
	case h.Model != "":
		parts = append(parts, "model "+plain(h.Model))
	}
	return strings.Join(parts, " · ")
}

// fixed says how the system prompt and the definitions were counted.
func (r *Report) fixed() string {
	if r.System+r.Definitions == 0 && r.Uncounted > 0 {
		return "system prompt and tool definitions are not in the file; the vendor's count includes them"
	}
	if r.System+r.Definitions == 0 {
		return "system prompt and tool definitions are not known and count 0"
	}
	from := "from the file"
	if r.Assumed {
		from = "as set"
	}
	return fmt.Sprintf("system prompt %s and tool definitions %s tokens in every call, %s", wording.Count(r.System), wording.Count(r.Definitions), from)
}

// WriteText writes sheets for a terminal or a mail: plain text, no colour.
func WriteText(w io.Writer, sheets ...Sheet) error {
	var b strings.Builder
	for i, s := range sheets {
		if i > 0 {
			b.WriteString("\n\n")
		}
		if s.Advice != nil {
			b.WriteString(s.Advice.Text + "\n\n")
		}
		fmt.Fprintf(&b, "%s\n%s\n\n", plain(s.Recording), s.headline())
		rows := append([][]string{s.header()}, s.rows()...)
		WriteTable(&b, rows, 0, len(rows[0])-1)
		b.WriteByte('\n')
		for _, line := range s.legend() {
			b.WriteString("  " + line + "\n")
		}
		textTroubles(&b, s.AsSent)
		textBill(&b, s.Bill)
		if s.AsSent != nil && s.differs() {
			textPolicy(&b, s.AsSent)
		}
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

func textBill(b *strings.Builder, bill *Bill) {
	if bill == nil || bill.Parts.Sum() == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", bill.sentence())
	var rows [][]string
	for _, r := range bill.billRows() {
		indent := "  "
		if r.Sub {
			indent = "    of it "
		}
		rows = append(rows, []string{indent + r.Name, wording.Count(r.Tokens), wording.Percent(r.Share)})
	}
	WriteTable(b, rows, 0)
}

// wentWrong heads the list of what did go wrong, which is no policy's doing.
const wentWrong = "what went wrong in the session as it was sent"

func textTroubles(b *strings.Builder, sent *Report) {
	if sent == nil || len(sent.Troubles) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", wentWrong)
	for i, t := range sent.Troubles {
		if i == mostLines {
			fmt.Fprintf(b, "  … %d more\n", len(sent.Troubles)-i)
			break
		}
		fmt.Fprintf(b, "  ! %s\n", sent.troubleLine(t))
	}
}

// troubleLine is a trouble with its step by name.
func (r *Report) troubleLine(t Trouble) string {
	return fmt.Sprintf("step %d, %s: %s", t.Step, r.hist.stepName(t.Step), plain(t.Why))
}

func textPolicy(b *strings.Builder, r *Report) {
	if lost := r.listed(); len(lost) > 0 {
		fmt.Fprintf(b, "\nwhat would be lost %s\n", r.under())
		for i, l := range lost {
			if i == mostLines {
				fmt.Fprintf(b, "  … %d more\n", len(lost)-i)
				break
			}
			fmt.Fprintf(b, "  ✗ step %d, %s: %s%s\n", l.Step, plain(l.name()), plain(l.Why), l.priced())
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

// losses are the elements that a policy would have hidden, each once. What no policy
// has to do with is among the troubles of the session as it was sent.
func (r *Report) losses() (out []Lost) {
	if r.Policy.Name == AsSentName {
		return nil
	}
	for _, l := range r.Survival.Lost {
		if l.Uses > 0 && !l.Never {
			out = append(out, l)
		}
	}
	return out
}

// under says of what policy something is said.
func (r *Report) under() string {
	if r.Policy.Name == AsSentName {
		return AsSentName
	}
	return "under " + plain(r.Policy.Name)
}

// priced says what bringing the element back would cost, and whether it stays.
func (l Lost) priced() string {
	s := ""
	if l.Uses > 1 {
		s = fmt.Sprintf("; used %d times", l.Uses)
	}
	switch {
	case l.Never:
		return s
	case l.Cured:
		s += "; a new snapshot shows it again for "
	default:
		s += "; a new snapshot would not show it either; the full page costs "
	}
	s += wording.Plural(l.Price, "input token")
	if l.Cost != nil {
		s += " (" + Dollars(l.Cost) + ")"
	}
	return s
}

// name is how a lost element is called: its ref, and what the action called it.
func (l Lost) name() string {
	if l.Quote != "" {
		return "¶ “" + cut(l.Quote, longestName) + "”"
	}
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
		return fmt.Sprintf("%s, %s tokens in all; %s tokens after them were sent again; without prices it is not known whether that paid",
			wording.Plural(len(r.Expiries), "time"), wording.Count(cleared), wording.Count(again))
	}
	return fmt.Sprintf("%s, %d paid, %d did not", wording.Plural(len(r.Expiries), "time"), paid, lost)
}

// foot says what stands below the tables: fixed sizes, real usage, worth, notes.
func (s Sheet) foot(line func(string), gap func()) {
	h := s.head()
	gap()
	line(h.fixed())
	if s.AsSent != nil {
		h = s.AsSent
	}
	if says := h.costs(); says != "" {
		line(says)
	}
	if u := h.Usage; u != nil && u.Input == 0 {
		line("the usage figures in the file are all 0: ignored")
	} else if u != nil {
		line(fmt.Sprintf("the vendor counted %s input tokens in %s (%s read from cache, %s written); our count of the same calls %s is %s, %s",
			wording.Count(u.Input), wording.Plural(u.Calls, "call"), wording.Count(u.CacheRead), wording.Count(u.CacheWrite), h.under(), wording.Count(u.Own), apart(u.Difference())))
	}
	if w := s.Worth; w != nil {
		line(w.sentence())
	}
	for _, n := range s.head().Notes {
		line("note: " + plain(n))
	}
	if says := s.AsSent.misnamed(); says != "" {
		line("note: " + says)
	}
}

func apart(f float64) string {
	switch {
	case f > 0:
		return wording.Percent(f) + " more"
	case f < 0:
		return wording.Percent(-f) + " less"
	}
	return "the same"
}

// sentence tells a session's worth in words.
func (w *Worth) sentence() string {
	if w.Snapshots == 0 {
		return fmt.Sprintf("of %s tokens as sent none are snapshots", wording.Count(w.Total()))
	}
	part := func(n, of int) string {
		switch f := float64(n) / float64(max(1, of)); {
		case n > 0 && f < 0.001:
			return "< 0.1 %"
		case n < of && f > 0.999:
			return "> 99.9 %"
		default:
			return wording.Percent(f)
		}
	}
	return fmt.Sprintf("of %s tokens as sent, each counted once, %s are snapshots, %s other results, %s messages and tool calls; of the snapshots %s repeats earlier lines and %s is elements that were never used; %d of %d snapshots were not needed",
		wording.Count(w.Total()), part(w.Snapshots, w.Total()), part(w.Results, w.Total()), part(w.User+w.Assistant+w.Calls, w.Total()),
		part(w.Duplicate, w.Snapshots), part(w.Snapshots-w.Acted, w.Snapshots), w.Unused, w.Shown)
}
