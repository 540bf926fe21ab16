package view

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
)

func TestBuildPage(t *testing.T) {
	prev := "- main [ref=e1]:\n  - checkbox \"A\" [ref=e2]\n  - text: gone\n  - button \"B\" [ref=e3]"
	now := "- main [ref=e1]:\n  - checkbox \"A\" [checked] [ref=e2]\n  - button \"B\" [ref=e3]\n  - link \"new\" [ref=e4]"
	p := buildPage(prev, now, notation.Aria, true)
	if d := cmp.Diff([]PageMark{MarkSame, MarkChanged, MarkSame, MarkAdded}, p.Mark); d != "" {
		t.Error(d)
	}
	if p.Was[1] != `  - checkbox "A" [ref=e2]` || p.Became[p.Was[1]] != 1 {
		t.Errorf("was %q, became %v", p.Was[1], p.Became)
	}
	if p.Lost[2] != 1 {
		t.Errorf("lost %v, want one line before line 2", p.Lost)
	}
	for i, want := range [][]int{nil, {0}, {0}, {0}} {
		if d := cmp.Diff(want, p.ancestors(i)); d != "" {
			t.Errorf("ancestors of line %d: %s", i, d)
		}
	}
	if first := buildPage("", now, notation.Aria, false); !first.First || first.Mark[1] != MarkSame {
		t.Error("the first snapshot has marks")
	}
}

// fakeDoc is a doc of lines "text@page", "+text@page", "-text", "...", "!text".
func fakeDoc(pg *Page, lines ...string) *Doc {
	d := &Doc{ByPage: make([]int32, len(pg.Lines))}
	for i := range d.ByPage {
		d.ByPage[i] = -1
	}
	for i, l := range lines {
		dl := DocLine{Text: l, Page: -1}
		switch {
		case l == "...":
			dl.Mark = strategy.Gap
		case l[0] == '!':
			dl.Mark = strategy.Message
		case l[0] == '-':
			dl.Mark = strategy.Removed
		default:
			var n int
			text, at, _ := strings.Cut(l, "@")
			fmt.Sscanf(at, "%d", &n)
			if text[0] == '+' {
				dl.Mark = strategy.Added
			}
			dl.Page = int32(n)
			d.ByPage[n] = int32(i)
		}
		d.Lines = append(d.Lines, dl)
	}
	return d
}

// gridText writes a grid's rows: the page line, then each pane's text.
func gridText(g *Grid, docs []*Doc) string {
	var b strings.Builder
	for r := range g.Page {
		fmt.Fprintf(&b, "%d:", g.Page[r])
		if k := g.Fold(r); k > 0 {
			fmt.Fprintf(&b, " fold %d", k)
		}
		for p, d := range docs {
			text := "·"
			if l := g.Line(r, p); l >= 0 {
				text = d.Lines[l].Text
			}
			b.WriteString(" " + text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestAlignRows(t *testing.T) {
	pg := buildPage("", "a\nb\nc\nd\ne\nf", notation.Aria, false)
	full := fakeDoc(pg, "a@0", "b@1", "c@2", "d@3", "e@4", "f@5")
	delta := fakeDoc(pg, "!head", "...", "c@2", "-old", "+d@3", "e@4", "...")
	short := fakeDoc(pg, "a@0", "f@5", "!note")
	docs := []*Doc{full, delta, short}
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
	if d := cmp.Diff([]int32{5}, g.Changes); d != "" {
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
		pg := buildPage("", strings.TrimSuffix(strings.Repeat("x\n", n), "\n"), notation.Aria, false)
		var docs []*Doc
		for range rapid.IntRange(1, 4).Draw(t, "panes") {
			var lines []string
			for at := 0; at <= len(pg.Lines); at++ {
				for range rapid.IntRange(0, 2).Draw(t, "extra") {
					lines = append(lines, rapid.SampledFrom([]string{"...", "-old", "!msg"}).Draw(t, "kind"))
				}
				if at < len(pg.Lines) && rapid.Bool().Draw(t, "keep") {
					lines = append(lines, fmt.Sprintf("x@%d", at))
				}
			}
			docs = append(docs, fakeDoc(pg, lines...))
		}
		g := alignRows(pg, docs)
		checkGrid(t, pg, docs, g)
		folded := foldSame(pg, docs, g)
		total := 0
		for r := range folded.Page {
			total += max(1, int(folded.Fold(r)))
		}
		if total != g.Len() {
			t.Fatalf("folding %d rows stands for %d", g.Len(), total)
		}
	})
}

func checkGrid(t *rapid.T, pg *Page, docs []*Doc, g *Grid) {
	pages := 0
	for r := range g.Page {
		if g.Page[r] >= 0 {
			if int(g.Page[r]) != pages || int(g.ofPage[pages]) != r {
				t.Fatalf("page line %d is on the wrong row", pages)
			}
			pages++
		}
	}
	if pages != len(pg.Lines) {
		t.Fatalf("%d of %d page lines have a row", pages, len(pg.Lines))
	}
	for p, d := range docs {
		next := 0
		for r := range g.Page {
			l := g.Line(r, p)
			if l < 0 {
				continue
			}
			if int(l) != next {
				t.Fatalf("pane %d: line %d stands where line %d should", p, l, next)
			}
			next++
			if on := d.Lines[l].Page; on >= 0 && on != g.Page[r] {
				t.Fatalf("pane %d: line of page line %d stands on the row of %d", p, on, g.Page[r])
			}
		}
		if next != len(d.Lines) {
			t.Fatalf("pane %d shows %d of %d lines", p, next, len(d.Lines))
		}
	}
}

// leads is a table of so many rows, one of them ticked.
func leads(rows, ticked int) string {
	var b strings.Builder
	b.WriteString("- main [ref=e1]:\n  - heading \"Leads\" [level=1] [ref=e2]\n  - table \"Leads\" [ref=e3]:")
	for i := range rows {
		tick := ""
		if i == ticked {
			tick = " [checked]"
		}
		fmt.Fprintf(&b, "\n    - row \"Lead %d\" [ref=e%d]:\n      - cell [ref=e%d]:\n        - checkbox \"Select %d\"%s [ref=e%d]", i, 10+3*i, 11+3*i, i, tick, 12+3*i)
	}
	return b.String()
}

// TestDocTiesLines checks that each line of each strategy's text is tied to the
// line of the page that it is.
func TestDocTiesLines(t *testing.T) {
	tl := &session.Timeline{}
	for n, text := range []string{leads(130, -1), leads(130, -1), leads(130, 0), leads(130, 120)} {
		id := fmt.Sprint("a", n)
		tl.Append(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: session.VerbSnapshot, Tool: "snapshot"}})
		tl.Append(session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Seen: session.SeenInline, Snapshot: &snapshot.Snapshot{
			URL: "http://x/leads", Title: "Leads", Text: text, Hash: snapshot.HashText(text), Dialect: notation.Aria, Document: "d",
		}}})
	}
	rd := policy.NewRenderer(func(s string) int { return len(s) / 4 })
	for _, p := range policy.Builtin() {
		for at := range tl.Steps {
			f := MakeFrame(rd, FrameAsk{View: tl, At: at, Policies: []policy.Policy{p}})
			if f.Snap < 0 {
				t.Fatalf("step %d has no frame", at+1)
			}
			d := f.Docs[0]
			for i, l := range d.Lines {
				if l.Page < 0 || l.Mark == strategy.Message {
					continue
				}
				own := strings.TrimSpace(f.Page.Lines[l.Page])
				if !strings.Contains(l.Text, own) && l.Mark == strategy.Same && !rewritten(p) {
					t.Fatalf("%s, step %d, line %d: %q is tied to %q", p.Name, at+1, i, l.Text, own)
				}
			}
			for _, s := range d.rule {
				for l := s.From; l < s.To; l++ {
					if d.ByPage[l] >= 0 {
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
		{`  - button "Save" [disabled] [ref=e5]: text`, `bullet<- > role<button> name<"Save"> state<[disabled]> ref<[ref=e5]> value<text>`},
		{`- /url: /leads`, `bullet<- > role</url> value</leads>`},
		{`- text: a "b" [c]`, `bullet<- > role<text> value<a "b" [c]>`},
		{`- link "say \"hi\"" [ref=f1e2]`, `bullet<- > role<link> name<"say \"hi\""> ref<[ref=f1e2]>`},
		{`- 'row "a: b" [ref=e1]': x`, `bullet<- > role<row> name<"a: b"> ref<[ref=e1]> value<x>`},
		{`plain`, `text<plain>`},
		{``, `text<>`},
		{`- button "open`, `bullet<- > role<button> value<"open>`},
		{`- x [open`, `bullet<- > role<x> value<[open>`},
	} {
		kinds := []string{"text", "bullet", "role", "name", "state", "ref", "value"}
		var got []string
		for _, p := range LineParts(c.line, notation.Aria, nil) {
			got = append(got, kinds[p.Kind]+"<"+c.line[p.From:p.To]+">")
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
		for _, p := range LineParts(line, notation.Aria, nil) {
			if p.From < last || p.To < p.From || p.To > len(line) {
				t.Fatalf("parts of %q overlap or run out: %+v", line, p)
			}
			last = p.To
		}
		last = 0
		for _, w := range WordDiff(was, line) {
			if w.From < last || w.To <= w.From || w.To > len(line) {
				t.Fatalf("words of %q overlap or run out: %+v", line, w)
			}
			last = w.To
		}
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
		for _, w := range WordDiff(c.was, c.now) {
			got = append(got, c.now[w.From:w.To])
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("wordDiff(%q, %q) = %q, want %q", c.was, c.now, s, c.want)
		}
	}
}
