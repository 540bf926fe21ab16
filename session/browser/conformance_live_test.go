package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
)

// live is what conformance.mjs hands over.
type live struct {
	Pages    []livePage `json:"pages"`
	Renumber bool       `json:"renumber"` // refs are numbered in the order in which they stand
	Show     bool       `json:"show"`     // the lines that differ stand below their page
	Report   string     `json:"report"`   // where the figures go
}

// livePage is a page that is being served now and what the oracle said of it.
type livePage struct {
	Name  string  `json:"name"`
	Group string  `json:"group"` // the folder or list that it was asked for by; pages are summed by it
	URL   string  `json:"url"`
	Text  string  `json:"text"`
	Again *string `json:"again"` // the oracle's second answer, where it was asked twice
	Wait  int     `json:"wait"`  // ms after load before the oracle looked
}

// unsteady tells whether the oracle did not agree with itself.
func (p livePage) unsteady(tidy func(string) string) bool {
	return p.Again != nil && tidy(*p.Again) != tidy(p.Text)
}

// tally sums pages and lines.
type tally struct{ pages, same, lines, agreed, unsteady int }

func (t *tally) String() string {
	out := fmt.Sprintf("%6.2f%%  %5d of %5d lines; %d of %d pages identical",
		100*float64(t.agreed)/float64(max(t.lines, 1)), t.agreed, t.lines, t.same, t.pages)
	if t.unsteady > 0 {
		out += fmt.Sprintf("; %d pages apart, to which the oracle gave two answers", t.unsteady)
	}
	return out
}

// liveConformance captures the pages that are being served now and reports how
// many lines agree with the answers that the oracle just gave.
func liveConformance(t *testing.T, file string) {
	var in live
	if err := json.Unmarshal([]byte(read(t, file)), &in); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	tidy := firstDocument
	if in.Renumber {
		tidy = renumbered
	}
	var report strings.Builder
	all, groups, order := &tally{}, map[string]*tally{}, []string{}
	for _, p := range in.Pages {
		group := groups[p.Group]
		if group == nil {
			group = &tally{}
			groups[p.Group] = group
			order = append(order, p.Group)
		}
		if p.unsteady(tidy) {
			group.unsteady, all.unsteady = group.unsteady+1, all.unsteady+1
			fmt.Fprintf(&report, "unsteady %s\n", p.Name)
			continue
		}
		comparePage(t, &report, &in, p, tidy, group, all)
	}
	if len(order) > 1 {
		for _, name := range order {
			fmt.Fprintf(&report, "%s  in %s\n", groups[name], name)
		}
	}
	fmt.Fprintf(&report, "%s in all\n", all)
	if err := os.WriteFile(in.Report, []byte(report.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if all.agreed*1000 < all.lines*990 {
		t.Errorf("%d of %d lines agree, want 99.0 %%", all.agreed, all.lines)
	}
}

// comparePage captures one page and counts it in its group and in all.
func comparePage(t *testing.T, report *strings.Builder, in *live, p livePage, tidy func(string) string, sums ...*tally) {
	text, ok := livePageText(t, p)
	if !ok {
		fmt.Fprintf(report, "failed   %s\n", p.Name)
	}
	want, got := strings.Split(tidy(p.Text), "\n"), strings.Split(tidy(text), "\n")
	equal, total := commonLines(want, got), max(len(want), len(got))
	for _, sum := range sums {
		sum.pages++
		sum.lines += total
		sum.agreed += equal
		if equal == total {
			sum.same++
		}
	}
	fmt.Fprintf(report, "%6.2f%%  %5d of %5d lines  %s\n", 100*float64(equal)/float64(max(total, 1)), equal, total, p.Name)
	if in.Show && equal != total {
		report.WriteString(cmp.Diff(want, got) + "\n")
	}
}

// livePageText captures a page in a tab of its own, because a tab numbers its documents.
func livePageText(t *testing.T, p livePage) (text string, ok bool) {
	ok = t.Run(p.Name, func(t *testing.T) {
		r := open(t)
		r.must(act(session.VerbGoto, "url", p.URL))
		time.Sleep(time.Duration(p.Wait) * time.Millisecond)
		snap, _, err := r.b.Snapshot(context.Background(), CaptureOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text = snap.Text
	})
	return text, ok
}

var anyRef = regexp.MustCompile(`\[ref=\w+\]`)

// renumbered counts the refs of a text in the order in which they stand.
func renumbered(text string) string {
	n := 0
	return anyRef.ReplaceAllStringFunc(text, func(string) string {
		n++
		return "[ref=" + strconv.Itoa(n) + "]"
	})
}

// commonLines is the length of the longest common subsequence of two texts,
// common ends first so that equal pages cost nothing.
func commonLines(a, b []string) int {
	n := 0
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b, n = a[1:], b[1:], n+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b, n = a[:len(a)-1], b[:len(b)-1], n+1
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			up := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diagonal = up
		}
	}
	return n + row[len(b)]
}
