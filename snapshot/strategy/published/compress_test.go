package published

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"snapscope/snapshot/ecma"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/internal/strategytest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func note(n int) string {
	return fmt.Sprintf("\n[playwright-compress: %d repeated ARIA nodes collapsed — use browser_evaluate() to enumerate the full list]", n)
}

// The example of the proposal: 150 items become 10 and a note. The document shows a
// blank line before the note where the published code has one newline.
func TestCompressSeedExample(t *testing.T) {
	text := "- list [ref=e2]:\n" + strategytest.Numbered(150, "  - listitem [ref=e#]: Item #\n")
	v := strategytest.Apply(t, Compress, strategytest.Page(text))
	want := "- list [ref=e2]:\n" + strategytest.Numbered(10, "  - listitem [ref=e#]: Item #\n") + note(140)
	if diff := cmp.Diff(want, v.Text); diff != "" {
		t.Error(diff)
	}
	if v.Kind != strategy.KindCompressed {
		t.Errorf("kind %s", v.Kind)
	}
	if diff := cmp.Diff([]strategy.Loss{{From: 11, To: 151, Rule: "keep_n 10", Knob: "keep_n"}}, v.Gone); diff != "" {
		t.Error(diff)
	}
	if want := "most frequent line ×150 > fire_threshold 100: 140 lines beyond keep_n 10 collapsed, saved "; !strings.HasPrefix(v.Reason(), want) {
		t.Errorf("reason %q", v.Reason())
	}
}

// What the proposal's own tests state.
func TestCompressSeedTests(t *testing.T) {
	buttons := "- list [ref=e1]:\n" + strategytest.Numbered(150, "  - button \"Go #\" [ref=e#]\n")
	for _, c := range []struct {
		name, text, reason string
		set                []string
	}{
		{"50 items are too few", "- list:\n" + strategytest.Numbered(50, "  - listitem: Item #\n"), "×50 ≤ fire_threshold 100 → full", nil},
		{"100 items are not more than 100", strategytest.Numbered(100, "- listitem: Item #\n"), "×100 ≤ fire_threshold 100 → full", nil},
		{"150 buttons stay", buttons, "every repeat beyond keep_n 10 is protected → full", nil},
		{"empty", "", "×0 ≤ fire_threshold 100 → full", nil},
	} {
		v := strategytest.Apply(t, Compress, strategytest.Page(c.text), c.set...)
		if v.Kind != strategy.KindFull || v.Text != c.text || !strings.Contains(v.Reason(), c.reason) {
			t.Errorf("%s: %s, %q", c.name, v.Kind, v.Reason())
		}
	}
	v := strategytest.Apply(t, Compress, strategytest.Page(strategytest.Numbered(101, "- listitem: Item #\n")))
	if v.Kind != strategy.KindCompressed || !strings.HasSuffix(v.Text, note(91)) {
		t.Errorf("101 items: %s, %q", v.Kind, v.Reason())
	}
}

// distinct writes n items that share no word, as real texts do not.
func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  - listitem [ref=e%d]: text%c%c%c\n", i+2, 'a'+i%26, 'a'+i/26%26, 'q')
	}
	return "- list [ref=e1]:\n" + strings.TrimSuffix(b.String(), "\n")
}

// The faults of the published form, and what scope parent makes of each.
func TestCompressKnownFaults(t *testing.T) {
	withButtons := "- list [ref=e1]:\n" + strategytest.Numbered(150, "  - listitem [ref=e#]:\n    - button \"Go\" [ref=b#]\n")
	offices := "- list [ref=e1]:\n" + strategytest.Numbered(150, "  - row \"Main office #\" [ref=e#]\n")
	v := strategytest.Apply(t, Compress, strategytest.Page(distinct(150)))
	if v.Kind != strategy.KindFull {
		t.Errorf("distinct texts: %s, %q", v.Kind, v.Reason())
	}
	v = strategytest.Apply(t, Compress, strategytest.Page(withButtons))
	if got := strings.Count(v.Text, "button"); got != 10 || !strings.HasSuffix(v.Text, note(280)) {
		t.Errorf("items with buttons: %d buttons left", got)
	}
	v = strategytest.Apply(t, Compress, strategytest.Page(offices))
	if v.Kind != strategy.KindFull {
		t.Errorf("Main office rows: %s, %q", v.Kind, v.Reason())
	}
	for _, role := range []string{"combobox", "option", "slider", "switch"} {
		v = strategytest.Apply(t, Compress, strategytest.Page(strategytest.Numbered(150, "- "+role+" \"x #\" [ref=e#]\n")))
		if !strings.HasSuffix(v.Text, note(140)) {
			t.Errorf("%s: %q", role, v.Reason())
		}
	}
	// Once one kind fires, every kind above keep_n goes.
	v = strategytest.Apply(t, Compress, strategytest.Page(strategytest.Numbered(150, "- listitem: Item #\n")+"\n"+strategytest.Numbered(12, "  - paragraph: Note #\n")+"\n"+strategytest.Numbered(12, "- paragraph: Note #\n")))
	if !strings.HasSuffix(v.Text, note(140+12+2)) {
		t.Errorf("two kinds: %q", v.Reason())
	}
}

func TestCompressScopeParentMends(t *testing.T) {
	parent := "scope=parent"
	if v := strategytest.Apply(t, Compress, strategytest.Page(distinct(150)), parent); !strings.HasSuffix(v.Text, note(140)) {
		t.Errorf("distinct texts: %q", v.Reason())
	}
	withButtons := "- list [ref=e1]:\n" + strategytest.Numbered(150, "  - listitem [ref=e#]:\n    - button \"Go\" [ref=b#]\n")
	if v := strategytest.Apply(t, Compress, strategytest.Page(withButtons), parent); v.Kind != strategy.KindFull || v.Text != withButtons {
		t.Errorf("items with buttons: %s, %q", v.Kind, v.Reason())
	}
	offices := "- list [ref=e1]:\n" + strategytest.Numbered(150, "  - row \"Main office #\" [ref=e#]\n")
	if v := strategytest.Apply(t, Compress, strategytest.Page(offices), parent); !strings.HasSuffix(v.Text, note(140)) {
		t.Errorf("Main office rows: %q", v.Reason())
	}
	for _, role := range []string{"combobox", "option", "slider", "switch", "grid", "listbox", "menu", "menubar", "menuitemradio", "spinbutton", "tree", "treeitem"} {
		text := strategytest.Numbered(150, "- "+role+" \"x #\" [ref=e#]\n")
		if v := strategytest.Apply(t, Compress, strategytest.Page(text), parent); v.Kind != strategy.KindFull {
			t.Errorf("%s: %q", role, v.Reason())
		}
	}
	// The threshold holds per kind, and rows of one table are not counted with
	// those of another.
	text := "- list:\n" + strategytest.Numbered(150, "  - listitem: Item #\n") + "\n- list:\n" + strategytest.Numbered(50, "  - listitem: Item #\n")
	if v := strategytest.Apply(t, Compress, strategytest.Page(text), parent); !strings.HasSuffix(v.Text, note(140)) {
		t.Errorf("two lists: %q", v.Reason())
	}
	// Cells of kept rows stay whole.
	table := "- table:\n" + strategytest.Numbered(150, "  - row \"r #\":\n    - cell \"a #\"\n    - cell \"b #\"\n")
	v := strategytest.Apply(t, Compress, strategytest.Page(table), parent)
	if got := strings.Count(v.Text, "- cell"); got != 20 || !strings.HasSuffix(v.Text, note(420)) {
		t.Errorf("table: %d cells left, %q", got, v.Reason())
	}
}

func TestCompressBlankLines(t *testing.T) {
	text := strategytest.Numbered(101, "- listitem: Item #\n\n") + "\n- button \"end\"\n"
	v := strategytest.Apply(t, Compress, strategytest.Page(text))
	want := strings.TrimSuffix(strategytest.Numbered(10, "- listitem: Item #\n\n"), "\n") + "\n\n- button \"end\"\n" + note(91+91)
	if diff := cmp.Diff(want, v.Text); diff != "" {
		t.Error(diff)
	}
}

func TestSignature(t *testing.T) {
	long := strings.Repeat("y", 201)
	for _, c := range []struct{ line, want string }{
		{`  - listitem [ref=e3]: Item 12`, `- listitem [ref=?]: Item N`},
		{"\t- button \"Go to 5\" [ref=f1e3] [cursor=pointer]: \r", `- button "" [ref=?] [cursor=pointer]:`},
		{`- link "a \"b\" c" [ref=e1]`, `- link ""b\"" [ref=?]`},
		{`    - 'row "a: b" [ref=e5]':`, `- 'row...':`},
		{`- 'row "a: b" [ref=e5]': some 'text' 5`, `- 'row...': some 'text' N`},
		{`- 'row "a: b" [ref=e5]'`, `- 'row...'`},
		{`- 'row' a': 5`, `- '' a': N`},
		{"- 'row\r [ref=e5]': 5", `- 'row...': N`},
		{"- 'row [ref=e5]': 5\r6", "- '': N\rN"},
		{`- 'row' [ref=e5]`, `- '' [ref=?]`},
		{`- '"x" y'`, `- ''`},
		{`- text: it's John's`, `- text: it''s`},
		{`- text: '` + long + `' 'b'`, (`- text: '` + long)[:80]},
		{`- text: '` + long[:200] + `' 'b'`, `- text: '' ''`},
		{`- heading "x" [level=2] 3.5 -7 a1 _2 é3`, `- heading "" [level=N] N.N -N a1 _2 éN`},
		{"- text: " + strings.Repeat("😀", 40), "- text: " + strings.Repeat("😀", 36)},
		{"- text:x" + strings.Repeat("😀", 40), "- text:x" + strings.Repeat("😀", 36)},
		{"- text:xy" + strings.Repeat("😀", 40), "- text:xy" + strings.Repeat("😀", 35) + "\xed\xa0\xbd"},
		{"[ref=]", "[ref=]"},
		{"[ref=e1", "[ref=e1"},
	} {
		var s signer
		if got := string(s.sign(c.line)); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.line, got, c.want)
		}
	}
}

// plainSignature is section 4's first rule written with the literal regular
// expressions. Characters above U+FFFF are first written as two private ones,
// so that a rune is a UTF-16 unit; Go's \w, \d and \b are ASCII as JavaScript's
// are.
func plainSignature(line string) string {
	s := halves(ecma.TrimEnd(line))
	s = reRef.ReplaceAllString(s, "[ref=?]")
	s = reName.ReplaceAllString(s, `""`)
	if m := reKey.FindStringSubmatch(s); m != nil {
		s = m[1] + "- '" + m[2] + "...'" + m[3]
	} else {
		s = reQuoted.ReplaceAllString(s, "''")
	}
	s = reNumber.ReplaceAllString(s, "N")
	r := []rune(ecma.TrimStart(s))
	return string(r[:min(len(r), 80)])
}

var (
	reRef    = regexp.MustCompile(`\[ref=[^\]]+\]`)
	reName   = regexp.MustCompile(`"[^"]*"`)
	reKey    = regexp.MustCompile(`^(` + reSpace + `*)- '(\w+)[^']*'(:[^\n\r\x{2028}\x{2029}]*)?$`)
	reQuoted = regexp.MustCompile(`'[^']{0,200}'`)
	reNumber = regexp.MustCompile(`\b\d+\b`)
)

const reSpace = `[\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]`

// halves writes each half of a surrogate pair as one private character.
func halves(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r > 0xFFFF:
			b.WriteRune(0xE000 + (r-0x10000)>>10)
			b.WriteRune(0xE400 + (r-0x10000)&0x3FF)
		case r == utf8.RuneError && size == 1 && len(s) >= i+3 && s[i] == 0xED: // a lone first half
			b.WriteRune(0xE000 + rune(s[i+1]&0xF)<<6 + rune(s[i+2]&0x3F))
			size = 3
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

func TestSignatureEqualsRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := strings.ReplaceAll(strategytest.Line(t, 3), "\n", "")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			line = strings.Repeat("  ", rapid.IntRange(0, 4).Draw(t, "depth")) + line
		case 1:
			line = rapid.StringOfN(rapid.SampledFrom([]rune(`'"[]=ref- :19aé_😀\`)), 0, 60, -1).Draw(t, "line")
		case 2:
			line = "- 'a" + rapid.StringOfN(rapid.SampledFrom([]rune("'\": x\u2028\r")), 0, 12, -1).Draw(t, "key")
		}
		var s signer
		if got, want := halves(string(s.sign(line))), plainSignature(line); got != want {
			t.Fatalf("%q:\n got %q\nwant %q", line, got, want)
		}
	})
}

// plainCompress is section 4 written line by line with maps and regular
// expressions.
func plainCompress(text string, fire, keep int) string {
	lines := strings.Split(text, "\n")
	key := func(l string) string {
		return fmt.Sprintf("%d|%s", len([]rune(l))-len([]rune(ecma.TrimStart(l))), plainSignature(l))
	}
	total := map[string]int{}
	most := 0
	for _, l := range lines {
		if ecma.Trim(l) != "" {
			total[key(l)]++
			most = max(most, total[key(l)])
		}
	}
	if most <= fire {
		return text
	}
	seen := map[string]int{}
	var out []string
	below, dropped := -1, 0
	for _, l := range lines {
		if ecma.Trim(l) == "" {
			if below < 0 {
				out = append(out, l)
			} else {
				dropped++
			}
			continue
		}
		in := len([]rune(l)) - len([]rune(ecma.TrimStart(l)))
		if below >= 0 && in > below {
			dropped++
			continue
		}
		below = -1
		seen[key(l)]++
		if seen[key(l)] > keep && !reProtected.MatchString(l) {
			below = in
			dropped++
			continue
		}
		out = append(out, l)
	}
	if dropped == 0 {
		return text
	}
	return strings.Join(out, "\n") + note(dropped)
}

var reProtected = regexp.MustCompile(`\b(?:` + foldASCII("button input textbox checkbox radio select dialog alert navigation main "+
	"form search menuitem tab status heading link banner region columnheader rowheader gridcell") + `)\b`)

// foldASCII makes an alternation of words in any ASCII case: (?i) would fold
// the Kelvin sign onto k, which JavaScript does not.
func foldASCII(words string) string {
	var alts []string
	for _, w := range strings.Fields(words) {
		var b strings.Builder
		for _, c := range w {
			fmt.Fprintf(&b, "[%c%c]", c, c-'a'+'A')
		}
		alts = append(alts, b.String())
	}
	return strings.Join(alts, "|")
}

func TestCompressEqualsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strategytest.Aria(t, "page")
		fire, keep := rapid.IntRange(1, 8).Draw(t, "fire"), rapid.IntRange(0, 5).Draw(t, "keep")
		in := strategytest.Page(text)
		for scope := range 2 {
			v := Compress.Apply(in, Compress.Values(strategy.Values{"fire_threshold": float64(fire), "keep_n": float64(keep), "scope": float64(scope)}))
			strategytest.Check(t, in, v)
			if scope == scopeParent {
				continue
			}
			if diff := cmp.Diff(plainCompress(text, fire, keep), v.Text); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// devtoolsPage is a list as chrome-devtools-mcp writes it: flat, a handle a line.
func devtoolsPage(rows int) string {
	var b strings.Builder
	b.WriteString("uid=1_0 RootWebArea \"Orders\" url=\"http://a.test/\"\n  uid=1_1 main\n")
	for i := range rows {
		fmt.Fprintf(&b, "    uid=2_%d checkbox \"Select order %d\"\n    uid=2_%d \"Main office %d\"\n    uid=2_%d \"Open\"\n", 3*i, i, 3*i+1, i, 3*i+2)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// The handles of a flat page do not tell its lines apart; in scope parent what can be
// acted on stays, and a text is none of it, whatever its words.
func TestCompressFlatPages(t *testing.T) {
	in := strategytest.Page(devtoolsPage(200))
	in.Page.Dialect = notation.UID
	for scope, want := range []struct{ texts, boxes int }{{205, 200}, {10, 200}} {
		v := Compress.Apply(in, Compress.Values(strategy.Values{"scope": float64(scope)}))
		texts, boxes := strings.Count(v.Text, "office")+strings.Count(v.Text, `"Open"`), strings.Count(v.Text, "checkbox")
		if v.Kind != strategy.KindCompressed || boxes != want.boxes || texts != want.texts {
			t.Errorf("scope %d: %s, %d texts and %d boxes, want %d and %d", scope, v.Kind, texts, boxes, want.texts, want.boxes)
		}
	}
}

// Scope parent never loses a ref of a protected role.
func TestCompressScopeParentKeepsWhatActs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strategytest.Aria(t, "page")
		v := Compress.Apply(strategytest.Page(text), Compress.Values(strategy.Values{"fire_threshold": 1, "keep_n": 0, "scope": scopeParent}))
		for i, l := range strings.Split(text, "\n") {
			if role := notation.ReadLine(l, notation.Aria).Role; v.Lines != nil && (protectedWords.in[role] || mendedRoles.in[role]) && !hasSource(v, i) {
				t.Fatalf("line %d lost: %q", i, l)
			}
		}
	})
}

func hasSource(v strategy.Verdict, line int) bool {
	for _, l := range v.Lines {
		if l.Source == line {
			return true
		}
	}
	return false
}
