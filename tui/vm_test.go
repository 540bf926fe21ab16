package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

func TestDiffLines(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want []hunk
	}{
		{"", "", nil},
		{"a b c", "a b c", nil},
		{"a b c", "a x c", []hunk{{1, 2, 1, 2}}},
		{"a c", "a b c", []hunk{{1, 1, 1, 2}}},
		{"a b c", "a c", []hunk{{1, 2, 1, 1}}},
		{"a b c d e", "a x c y e", []hunk{{1, 2, 1, 2}, {3, 4, 3, 4}}},
	} {
		got := diffLines(strings.Fields(c.a), strings.Fields(c.b))
		if d := cmp.Diff(c.want, got, cmp.AllowUnexported(hunk{})); d != "" {
			t.Errorf("diffLines(%q, %q): %s", c.a, c.b, d)
		}
	}
}

// TestDiffApplies is the law of a diff: taking its hunks turns a into b.
func TestDiffApplies(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "", " x"})
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOfN(line, 0, 30).Draw(t, "a"), rapid.SliceOfN(line, 0, 30).Draw(t, "b")
		var out []string
		at := 0
		for _, h := range diffLines(a, b) {
			out = append(append(out, a[at:h.a0]...), b[h.b0:h.b1]...)
			at = h.a1
		}
		out = append(out, a[at:]...)
		if strings.Join(out, "\n") != strings.Join(b, "\n") {
			t.Fatalf("applying the diff of %q and %q gives %q", a, b, out)
		}
	})
}

func TestBuildPage(t *testing.T) {
	prev := "- main [ref=e1]:\n  - checkbox \"A\" [ref=e2]\n  - text: gone\n  - button \"B\" [ref=e3]"
	now := "- main [ref=e1]:\n  - checkbox \"A\" [checked] [ref=e2]\n  - button \"B\" [ref=e3]\n  - link \"new\" [ref=e4]"
	p := buildPage(prev, now, true)
	if d := cmp.Diff([]pageMark{markSame, markChanged, markSame, markAdded}, p.mark); d != "" {
		t.Error(d)
	}
	if p.was[1] != `  - checkbox "A" [ref=e2]` || p.became[p.was[1]] != 1 {
		t.Errorf("was %q, became %v", p.was[1], p.became)
	}
	if p.lost[2] != 1 {
		t.Errorf("lost %v, want one line before line 2", p.lost)
	}
	if d := cmp.Diff([]int32{-1, 0, 0, 0}, p.parent); d != "" {
		t.Error(d)
	}
	if first := buildPage("", now, false); !first.first || first.mark[1] != markSame {
		t.Error("the first snapshot has marks")
	}
}

// fakeDoc is a doc of lines "text@page", "+text@page", "-text", "...", "!text".
func fakeDoc(pg *page, lines ...string) *doc {
	d := &doc{byPage: make([]int32, len(pg.lines))}
	for i := range d.byPage {
		d.byPage[i] = -1
	}
	for i, l := range lines {
		dl := docLine{text: l, page: -1}
		switch {
		case l == "...":
			dl.mark = strategy.Gap
		case l[0] == '!':
			dl.mark = strategy.Message
		case l[0] == '-':
			dl.mark = strategy.Removed
		default:
			var n int
			text, at, _ := strings.Cut(l, "@")
			fmt.Sscanf(at, "%d", &n)
			if text[0] == '+' {
				dl.mark = strategy.Added
			}
			dl.page = int32(n)
			d.byPage[n] = int32(i)
		}
		d.lines = append(d.lines, dl)
	}
	return d
}

// gridText writes a grid's rows: the page line, then each pane's text.
func gridText(g *grid, docs []*doc) string {
	var b strings.Builder
	for r := range g.page {
		fmt.Fprintf(&b, "%d:", g.page[r])
		if k := g.fold(r); k > 0 {
			fmt.Fprintf(&b, " fold %d", k)
		}
		for p, d := range docs {
			text := "·"
			if l := g.line(r, p); l >= 0 {
				text = d.lines[l].text
			}
			b.WriteString(" " + text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestAlignRows(t *testing.T) {
	pg := buildPage("", "a\nb\nc\nd\ne\nf", false)
	full := fakeDoc(pg, "a@0", "b@1", "c@2", "d@3", "e@4", "f@5")
	delta := fakeDoc(pg, "!head", "...", "c@2", "-old", "+d@3", "e@4", "...")
	short := fakeDoc(pg, "a@0", "f@5", "!note")
	docs := []*doc{full, delta, short}
	g := alignRows(pg, docs)
	want := `-1: · !head ·
0: a@0 ... a@0
1: b@1 · ·
2: c@2 c@2 ·
-1: · -old ·
3: d@3 +d@3 ·
4: e@4 e@4 ·
5: f@5 ... f@5
-1: · · !note
`
	if got := gridText(g, docs); got != want {
		t.Errorf("rows are\n%swant\n%s", got, want)
	}
	if d := cmp.Diff([]int32{5}, g.changes); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int32{1, 2, 3, 5, 6, 7}, g.ofPage); d != "" {
		t.Error(d)
	}
}

// TestAlignKeepsOrder holds for any docs: every line of every pane stands once,
// in its own order, and what has a line of the page stands on its row.
func TestAlignKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		pg := buildPage("", strings.TrimSuffix(strings.Repeat("x\n", n), "\n"), false)
		var docs []*doc
		for range rapid.IntRange(1, 4).Draw(t, "panes") {
			var lines []string
			for at := 0; at <= len(pg.lines); at++ {
				for range rapid.IntRange(0, 2).Draw(t, "extra") {
					lines = append(lines, rapid.SampledFrom([]string{"...", "-old", "!msg"}).Draw(t, "kind"))
				}
				if at < len(pg.lines) && rapid.Bool().Draw(t, "keep") {
					lines = append(lines, fmt.Sprintf("x@%d", at))
				}
			}
			docs = append(docs, fakeDoc(pg, lines...))
		}
		g := alignRows(pg, docs)
		checkGrid(t, pg, docs, g)
		folded := foldSame(pg, docs, g)
		total := 0
		for r := range folded.page {
			total += max(1, int(folded.fold(r)))
		}
		if total != g.len() {
			t.Fatalf("folding %d rows stands for %d", g.len(), total)
		}
	})
}

func checkGrid(t *rapid.T, pg *page, docs []*doc, g *grid) {
	pages := 0
	for r := range g.page {
		if g.page[r] >= 0 {
			if int(g.page[r]) != pages || int(g.ofPage[pages]) != r {
				t.Fatalf("page line %d is on the wrong row", pages)
			}
			pages++
		}
	}
	if pages != len(pg.lines) {
		t.Fatalf("%d of %d page lines have a row", pages, len(pg.lines))
	}
	for p, d := range docs {
		next := 0
		for r := range g.page {
			l := g.line(r, p)
			if l < 0 {
				continue
			}
			if int(l) != next {
				t.Fatalf("pane %d: line %d stands where line %d should", p, l, next)
			}
			next++
			if on := d.lines[l].page; on >= 0 && on != g.page[r] {
				t.Fatalf("pane %d: line of page line %d stands on the row of %d", p, on, g.page[r])
			}
		}
		if next != len(d.lines) {
			t.Fatalf("pane %d shows %d of %d lines", p, next, len(d.lines))
		}
	}
}

// TestDocTiesLines checks that each line of each strategy's text is tied to the
// line of the page that it is.
func TestDocTiesLines(t *testing.T) {
	tl := &session.Timeline{}
	for _, s := range leadsSteps(130) {
		for _, e := range s {
			tl.Append(e)
		}
	}
	rd := policy.NewRenderer(func(s string) int { return len(s) / 4 })
	for _, p := range policy.Builtin() {
		for at := range tl.Steps {
			f := makeFrame(rd, frameAsk{view: tl, at: at, policies: []policy.Policy{p}})
			if f.snap < 0 {
				t.Fatalf("step %d has no frame", at+1)
			}
			d := f.docs[0]
			for i, l := range d.lines {
				if l.page < 0 || l.mark == strategy.Message {
					continue
				}
				own := strings.TrimSpace(f.page.lines[l.page])
				if !strings.Contains(l.text, own) && l.mark == strategy.Same && !rewritten(p) {
					t.Fatalf("%s, step %d, line %d: %q is tied to %q", p.Name, at+1, i, l.text, own)
				}
			}
			for _, s := range d.rule {
				for l := s.from; l < s.to; l++ {
					if d.byPage[l] >= 0 {
						t.Fatalf("%s: page line %d is there and in a dropped run", p.Name, l)
					}
				}
			}
		}
	}
}

// rewritten reports policies whose lines are no longer the page's own words.
func rewritten(p policy.Policy) bool {
	for _, st := range p.Stages {
		switch st.Strategy.Name {
		case "passmark", "compress":
		default:
			return true
		}
	}
	return false
}

func TestLineParts(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`  - button "Save" [disabled] [ref=e5]: text`, `bullet<- > role<button> name<"Save"> state<[disabled]> ref<[ref=e5]> value< text>`},
		{`- /url: /leads`, `bullet<- > role</url> value< /leads>`},
		{`- text: a "b" [c]`, `bullet<- > role<text> value< a "b" [c]>`},
		{`- link "say \"hi\"" [ref=f1e2]`, `bullet<- > role<link> name<"say \"hi\""> ref<[ref=f1e2]>`},
		{`- 'row "a: b" [ref=e1]': x`, `bullet<- > role<row> name<"a: b"> ref<[ref=e1]> value<': x>`},
		{`plain`, `text<plain>`},
		{``, `text<>`},
		{`- button "open`, `bullet<- > role<button> name<"open>`},
		{`- x [open`, `bullet<- > role<x> text<[open>`},
	} {
		kinds := []string{"text", "bullet", "role", "name", "state", "ref", "value"}
		var got []string
		for _, p := range lineParts(c.line, nil) {
			got = append(got, kinds[p.kind]+"<"+c.line[p.from:p.to]+">")
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("lineParts(%q) = %s, want %s", c.line, s, c.want)
		}
	}
}

func FuzzLineParts(f *testing.F) {
	f.Add(`  - button "Save" [disabled] [ref=e5]: text`, "other")
	f.Add(`- "a\`, `- [`)
	f.Fuzz(func(t *testing.T, line, was string) {
		last := 0
		for _, p := range lineParts(line, nil) {
			if p.from < last || p.to < p.from || p.to > len(line) {
				t.Fatalf("parts of %q overlap or run out: %+v", line, p)
			}
			last = p.to
		}
		last = 0
		for _, w := range wordDiff(was, line) {
			if w.from < last || w.to <= w.from || w.to > len(line) {
				t.Fatalf("words of %q overlap or run out: %+v", line, w)
			}
			last = w.to
		}
		_, _, _ = refOf(line), roleOf(line), nameOf(line)
	})
}

func TestWordDiff(t *testing.T) {
	for _, c := range []struct{ was, now, want string }{
		{`- p: 1 selected`, `- p: 2 selected`, "2"},
		{`- checkbox "A" [ref=e2]`, `- checkbox "A" [checked] [ref=e2]`, "[checked]"},
		{`a b c`, `a b c`, ""},
		{`a`, `a b c`, "b c"},
		{`one two three four`, `one 2 three 4`, "2|4"},
	} {
		var got []string
		for _, w := range wordDiff(c.was, c.now) {
			got = append(got, c.now[w.from:w.to])
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("wordDiff(%q, %q) = %q, want %q", c.was, c.now, s, c.want)
		}
	}
}

func TestFormat(t *testing.T) {
	for got, want := range map[string]string{
		thousands(0): "0", thousands(999): "999", thousands(53223): "53,223", thousands(-1234567): "−1,234,567",
		short(950): "950", short(12_410): "12.4 k", short(213_400): "213 k", short(1_234_567): "1.2 M", short(99_960): "100 k", short(999_960_000): "1.0 G", short(31_791_900_000): "31.8 G",
		delta(0.977): "−97.7 %", delta(0.99999): "−99.9 %", delta(1): "−100.0 %", delta(0): "±0.0 %", delta(-0.03): "+3.0 %", delta(0.00001): "±0.0 %",
		plural(1, "step"): "1 step", plural(2, "step"): "2 steps", plural(0, "step"): "0 steps",
		bar(1, 4): "████", bar(0.5, 4): "██", bar(0, 4): "", bar(0.001, 4): "", bar(0.03, 4): "▏", bar(2, 3): "███",
		spark([]int{0, 1, 8}, 8): " ▁█", spark([]int{1, 2, 3}, 2): "▆█",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
