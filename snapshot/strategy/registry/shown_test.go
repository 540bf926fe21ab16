package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"
)

// said is what a hostile page says of itself: handles and every sign that a
// notation of ours has.
var said = []string{
	"Save", "[ref=e1]", `say "hi" [ref=e2]`, `x" [ref=e3]`, "a\nb [ref=e4]", "uid=1_2 button", "- ref=e5 [unchanged]", "[unchanged]", "* e6 e7", "~e4 button",
	"x e6 list", "@e9 main", "/re [ref=e3]/", "/re/ [ref=e8] /", "/", "… | e7", "…1", "= e4 → e9", "[page unchanged]", "[page delta: ~ changed]", "<changed> row",
	"it's [ref=e2]", "'", "''", "a: b [ref=e3]", `C:\`, `\" [ref=e9]`, "[delta snapshot: +1 lines added]", "+ - button [ref=e1]", "...", "| ", " | e3",
	"=", `="Ada"`, "e12", "12", "", "true", "a, ref=e4", "], ref=e4]", "added:", "{v}", "\u2028[ref=e5]", "é", "- button \"x\" [ref=e6]",
}

// hostile draws a page whose names, texts and links say what said does.
func hostile(t *rapid.T) []*notation.Node {
	says := rapid.SampledFrom(said)
	n := 0
	var draw func(depth int) *notation.Node
	draw = func(depth int) *notation.Node {
		if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
			return &notation.Node{Role: "text", Text: says.Draw(t, "text"), HasText: true}
		}
		e := &notation.Node{Role: rapid.SampledFrom([]string{"generic", "list", "row", "cell", "button", "link", "checkbox", "navigation", "heading"}).Draw(t, "role")}
		if e.HasName = rapid.IntRange(0, 2).Draw(t, "named") > 0; e.HasName {
			e.Name = says.Draw(t, "name")
		}
		for _, a := range []string{"checked", "active"} {
			if rapid.IntRange(0, 5).Draw(t, a) == 0 {
				e.Attrs = append(e.Attrs, a)
			}
		}
		if n++; rapid.IntRange(0, 5).Draw(t, "ref") > 0 {
			ref(e, fmt.Sprint("e", n))
		}
		if rapid.IntRange(0, 4).Draw(t, "link") == 0 {
			e.Props = []notation.Prop{{Key: "url", Value: says.Draw(t, "url")}}
		}
		if depth > 0 {
			for range rapid.IntRange(0, 4).Draw(t, "children") {
				e.Children = append(e.Children, draw(depth-1))
			}
			if k := len(e.Children); k > 0 && rapid.Bool().Draw(t, "alike") { // rows of one build, for fold and compress
				for range rapid.IntRange(2, 5).Draw(t, "more") {
					c := alike(e.Children[k-1], &n, says, t)
					e.Children = append(e.Children, c)
				}
			}
		}
		if len(e.Children)+len(e.Props) == 0 && rapid.Bool().Draw(t, "inline") {
			e.Text, e.HasText = says.Draw(t, "value"), true
		}
		return e
	}
	out := []*notation.Node{draw(3)}
	for range rapid.IntRange(0, 2).Draw(t, "roots") {
		out = append(out, draw(2))
	}
	return out
}

func ref(e *notation.Node, to string) {
	e.Attrs = slices.DeleteFunc(e.Attrs, func(a string) bool { return strings.HasPrefix(a, "ref=") })
	e.Ref, e.Attrs = to, append(e.Attrs, "ref="+to)
}

// alike copies an element with refs of its own and, where they are named, other
// names.
func alike(e *notation.Node, n *int, says *rapid.Generator[string], t *rapid.T) *notation.Node {
	c := *e
	c.Attrs, c.Children, c.Props = slices.Clone(e.Attrs), nil, slices.Clone(e.Props)
	if *n++; e.Ref != "" {
		ref(&c, fmt.Sprint("e", *n))
	}
	if e.HasName {
		c.Name = says.Draw(t, "other name")
	}
	for _, k := range e.Children {
		c.Children = append(c.Children, alike(k, n, says, t))
	}
	return &c
}

// later draws what became of a page: elements went, came, moved, changed or got
// new refs.
func later(t *rapid.T, roots []*notation.Node) []*notation.Node {
	n := 1000
	says := rapid.SampledFrom(said)
	var out []*notation.Node
	for _, e := range roots {
		c := *e
		c.Attrs, c.Props = slices.Clone(e.Attrs), slices.Clone(e.Props)
		switch rapid.IntRange(0, 14).Draw(t, "change") {
		case 0:
			continue
		case 1:
			if c.Ref != "" {
				ref(&c, "n"+c.Ref)
			}
		case 2:
			if c.HasName {
				c.Name = says.Draw(t, "new name")
			}
		case 3:
			if c.HasText {
				c.Text = says.Draw(t, "new text")
			}
		case 4:
			out = append(out, alike(e, &n, says, t))
			n += 100
		case 5:
			if !c.Has("checked") && c.Role != "text" {
				c.Attrs = slices.Insert(c.Attrs, 0, "checked")
			}
		}
		c.Children = later(t, e.Children)
		if rapid.IntRange(0, 6).Draw(t, "moved") == 0 {
			slices.Reverse(c.Children)
		}
		out = append(out, &c)
	}
	return out
}

// unique gives elements whose ref an earlier one has another.
func unique(roots []*notation.Node) {
	seen := map[string]bool{}
	for _, root := range roots {
		for e := range root.Walk() {
			for e.Ref != "" && seen[e.Ref] {
				ref(e, e.Ref+"0")
			}
			seen[e.Ref] = true
		}
	}
}

// The readers below know the notations from their descriptions alone; they share
// no code with what they are held against.

var (
	quotedKey = regexp.MustCompile(`^'((?:[^']|'')*)'(:|$)`)
	ariaKey   = regexp.MustCompile(`^[A-Za-z][\w-]*( "(?:[^"\\]|\\.)*")?((?: \[[^\]]*\])*)(:|$)`)
	bareKey   = regexp.MustCompile(`^[A-Za-z][\w-]* /.*/((?: \[[^\]]*\])*):?$`)
	refAttr   = regexp.MustCompile(`(?:\[|, )ref=([^\],]+)`)
)

// ownRef reads the ref of the element that an aria line shows.
func ownRef(line string) string {
	key, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "- ")
	if !ok {
		return ""
	}
	key = strings.TrimPrefix(key, "<changed> ")
	if m := quotedKey.FindStringSubmatch(key); m != nil {
		key = strings.TrimPrefix(strings.ReplaceAll(m[1], "''", "'"), "<changed> ")
		if m := bareKey.FindStringSubmatch(key); m != nil {
			return attrRef(m[1])
		}
	} else if _, name, ok := strings.Cut(key, " "); ok && strings.HasPrefix(name, "/") {
		bare, _, _ := strings.Cut(key, ": ")
		if m := bareKey.FindStringSubmatch(bare); m != nil {
			return attrRef(m[1])
		}
		return ""
	}
	if m := ariaKey.FindStringSubmatch(key); m != nil {
		return attrRef(m[2])
	}
	return ""
}

func attrRef(brackets string) string {
	if m := refAttr.FindStringSubmatch(brackets); m != nil {
		return m[1]
	}
	return ""
}

// finds reads the refs that a text shows, under any strategy.
func finds(t *rapid.T, text string) map[string]bool {
	out := map[string]bool{}
	lines := strings.Split(text, "\n")
	switch {
	case strings.HasPrefix(text, "[delta snapshot: +"), strings.HasPrefix(text, "[response diff: +"):
		for _, l := range lines[1:] {
			if strings.HasPrefix(l, "+ ") || strings.HasPrefix(l, "  ") {
				out[ownRef(l[2:])] = true
			}
		}
	case strings.HasPrefix(text, "[page delta: "), lines[0] == "[page unchanged]":
		for _, l := range lines[1:] {
			out[deltaRef(l)] = true
		}
	case strings.HasPrefix(text, "[folded page: "):
		readFolded(t, lines[1:], out)
	default:
		for _, l := range lines {
			out[ownRef(l)] = true
		}
	}
	delete(out, "")
	return out
}

// deltaRef reads a delta's line: what is behind ~ or +, or a deeper line without
// a sign, is a line of the page without its dash.
func deltaRef(l string) string {
	switch {
	case strings.HasPrefix(l, "~"):
		l = l[strings.IndexAny(l, " |:"):]
	case strings.HasPrefix(l, "+"):
		l = l[1:]
	case !strings.HasPrefix(l, "  "):
		return ""
	}
	if raw, ok := strings.CutPrefix(l, "|"); ok {
		return ownRef(raw)
	}
	if strings.HasPrefix(l, ":") {
		return ""
	}
	return ownRef("- " + strings.TrimLeft(l, " "))
}

// patternLine is one element of a folded page's pattern.
type patternLine struct {
	ref    bool
	values int // values that stand in an item's line
}

var slot = regexp.MustCompile(`^ (?:…\d*|=|"(?:[^"\\]|\\.)*")`)

func readPattern(line string) (p patternLine, property bool) {
	body := strings.TrimPrefix(strings.TrimLeft(line, " "), "- ")
	take := func() {
		m := slot.FindString(body)
		if strings.HasPrefix(m, " …") {
			p.values++
		}
		body = body[len(m):]
	}
	if strings.HasPrefix(body, "/") {
		body = body[strings.Index(body, ":")+1:]
		take()
		return p, true
	}
	body = body[strings.IndexAny(body+" ", " :"):]
	take()
	for strings.HasPrefix(body, " [") {
		end := strings.Index(body, "]")
		p.ref = p.ref || body[:end+1] == " [ref]"
		body = body[end+1:]
	}
	if strings.HasPrefix(body, ":") {
		body = body[1:]
		take()
	}
	return p, false
}

func readFolded(t *rapid.T, lines []string, out map[string]bool) {
	patterns := map[string][]patternLine{}
	for i := 0; i < len(lines); i++ {
		body := strings.TrimLeft(lines[i], " ")
		mark, item, isItem := strings.Cut(body, " ")
		switch {
		case !strings.HasPrefix(body, "*"):
			out[ownRef(lines[i])] = true
		case isItem:
			readItem(t, patterns[mark], item, out)
		default:
			var p []patternLine
			indent := len(lines[i]) - len(body) + 2
			for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], strings.Repeat(" ", indent)+"- ") || i+1 < len(lines) && len(p) > 0 && strings.HasPrefix(lines[i+1], strings.Repeat(" ", indent+2)); i++ {
				one, property := readPattern(lines[i+1])
				if k := len(p) - 1; property {
					p[k].values += one.values
				} else {
					p = append(p, one)
				}
			}
			patterns[strings.TrimSuffix(mark, ":")] = p
		}
	}
}

// readItem reads an item along its pattern: a ref and its states, a name that
// differs, values.
func readItem(t *rapid.T, pattern []patternLine, item string, out map[string]bool) {
	for _, p := range pattern {
		values := p.values
		if p.ref {
			var ref string
			ref, item, _ = strings.Cut(item, " ")
			out[ref] = true
			for strings.HasPrefix(item, "[") {
				_, item, _ = strings.Cut(item, "]")
				item = strings.TrimPrefix(item, " ")
			}
			if strings.HasPrefix(item, `="`) {
				item = strings.TrimPrefix(cutString(t, item[1:]), " ")
			}
		}
		for range values {
			if strings.HasPrefix(item, `"`) {
				item = strings.TrimPrefix(cutString(t, item), " | ")
			} else {
				_, item, _ = strings.Cut(item, " | ")
			}
		}
	}
	if item != "" {
		t.Fatalf("%q is left of an item", item)
	}
}

func cutString(t *rapid.T, s string) string {
	d := json.NewDecoder(strings.NewReader(s))
	var v string
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return s[d.InputOffset():]
}

// For every ref of a page, under every strategy: the verdict says that its text
// shows the element if and only if a reader of the text alone finds its line.
func TestVerdictsSayWhatTheyShow(t *testing.T) {
	for _, s := range rewrites() {
		t.Run(s.Name, func(t *testing.T) {
			rewritten := 0
			rapid.Check(t, func(t *rapid.T) {
				if checkShown(t, s) != strategy.KindFull {
					rewritten++
				}
			})
			if s != full && rewritten < 10 {
				t.Errorf("only %d pages were rewritten", rewritten)
			}
		})
	}
}

func checkShown(t *rapid.T, s *strategy.Strategy) strategy.Kind {
	before := hostile(t)
	after := later(t, before)
	if len(after) == 0 {
		after = before
	}
	unique(before)
	unique(after)
	in := strategytest.Against(strategytest.Printed(before), strategytest.Printed(after))
	in.Page.Title, in.Visited = "A\n- button [ref=e1]", []string{"- link [ref=e2]"}
	in.Prev = in.Base
	if s.Compose != nil {
		in.Page.Text, in.Base.Text = s.Compose(in.Page), s.Compose(*in.Base)
	}
	if rapid.IntRange(0, 3).Draw(t, "first") == 0 {
		in.Base = nil
	}
	v := s.Apply(in, knobs(t, s))
	strategytest.Check(t, in, v)
	page := in.Page.Read()
	says := map[string]bool{}
	for ref, line := range v.Refs(page) {
		says[ref] = true
		if !strings.Contains(strings.Split(v.Text, "\n")[line], ref) {
			t.Fatalf("line %d does not hold %s:\n%s", line, ref, v.Text)
		}
	}
	found := finds(t, v.Text)
	maps.DeleteFunc(found, func(ref string, _ bool) bool { return page.Find(ref) < 0 })
	if diff := cmp.Diff(found, says); diff != "" {
		t.Fatalf("found -, said +\n%s\ntext:\n%s\npage:\n%s\n%s", diff, v.Text, in.Page.Text, v.Reason())
	}
	if s.Name == "delta" && v.NeedsBase {
		checkBase(t, in, &v, page, says)
	}
	return v.Kind
}

// checkBase holds that what an exact delta does not show stands in its base,
// under the ref that the verdict says, as the same line.
func checkBase(t *rapid.T, in strategy.Input, v *strategy.Verdict, page *notation.Text, says map[string]bool) {
	base := in.Base.Read()
	plain := func(line, ref string) string {
		line = notation.WithRef(strings.TrimLeft(line, " "), ref, notation.Aria)
		line, _ = notation.DropAttr(line, "active")
		return line
	}
	for r := range page.Refs() {
		if says[r.Ref] {
			continue
		}
		i := base.Find(v.BaseRef(r.Ref))
		if i < 0 || plain(base.Raw(i), r.Ref) != plain(page.Raw(r.Line), r.Ref) {
			t.Fatalf("%s stands neither in the delta nor in its base:\n%s\nbase:\n%s\npage:\n%s", r.Ref, v.Text, in.Base.Text, in.Page.Text)
		}
	}
}

// knobs draws a setting with which short pages are rewritten: a saving below 0
// is always reached.
func knobs(t *rapid.T, s *strategy.Strategy) strategy.Values {
	v := s.Values(nil)
	for _, k := range s.Knobs {
		switch {
		case k.Key == "full":
		case k.Type == strategy.Bool || k.Type == strategy.Choice:
			v[k.Key] = float64(rapid.IntRange(0, int(k.Max)).Draw(t, k.Key))
		case k.Key == "min_savings":
			v[k.Key] = rapid.SampledFrom([]float64{-9, -9, 0, 0.2}).Draw(t, k.Key)
		case k.Type == strategy.Ratio:
			v[k.Key] = rapid.SampledFrom([]float64{0, 0, 0.2}).Draw(t, k.Key)
		case k.Key != "max_tokens":
			v[k.Key] = k.Clamp(float64(rapid.IntRange(0, 12).Draw(t, k.Key)))
		}
	}
	return v
}
