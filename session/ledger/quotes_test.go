package ledger_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// lostQuotes are the texts of the quotes that a report loses.
func lostQuotes(r *ledger.Report) (out []string) {
	for _, l := range r.Reading.Lost {
		out = append(out, l.Quote)
	}
	slices.Sort(out)
	return out
}

func mustRead(t *testing.T, s ledger.Sheet, quotes int, want map[string][]string) {
	t.Helper()
	for _, r := range append([]*ledger.Report{s.AsSent}, s.Reports...) {
		if r.Reading.Quotes != quotes || !slices.Equal(lostQuotes(r), want[r.Policy.Name]) || r.Reading.Kept+len(r.Reading.Lost) != quotes {
			t.Errorf("%s: %d quotes, %d kept, lost %q; want %d, lost %q", r.Policy.Name, r.Reading.Quotes, r.Reading.Kept, lostQuotes(r), quotes, want[r.Policy.Name])
		}
	}
}

func TestTruthWordsDropped(t *testing.T) {
	s := truth(t, "words-dropped", "full", "fold", "delta", "keep-one", "agent-browser", "budget")
	all := []string{"4,812", "73.5 %", "Card was declined, code 4177", "KX-2207-B"}
	mustRead(t, s, 4, map[string][]string{"agent-browser": all, "budget": all})
	for _, r := range s.Reports {
		if r.Survival.Survived != 2 {
			t.Errorf("%s: survival %s", r.Policy.Name, r.Survival.Label())
		}
		for _, l := range r.Reading.Lost {
			if l.Knob == "" || l.Strategy != r.Policy.Name || l.Price <= 0 || l.Line == "" || l.From == 0 || l.Uses != 1 {
				t.Errorf("%s: %+v", r.Policy.Name, l)
			}
		}
	}
	if a := s.Advice; a.Tested != (ledger.Tested{Acted: 2, Quotes: 4}) || a.Policy == "agent-browser" || a.Policy == "budget" {
		t.Errorf("advice %+v", a)
	}
	var b strings.Builder
	if err := ledger.WriteText(&b, s); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); !strings.Contains(text, "¶ “73.5 %”: agent-browser left it out of the snapshot of step 3: ") || !strings.Contains(text, "  quotes\n") {
		t.Errorf("the report does not tell of quotes:\n%s", text)
	}
}

func TestTruthReadNotTouchedQuotes(t *testing.T) {
	s := truth(t, "read-not-touched", "full", "fold", "delta", "keep-one", "compress")
	mustRead(t, s, 3, map[string][]string{"keep-one": {"4,812", "73.5 %", "Mira Lindqvist"}})
	for _, l := range s.Reports[3].Reading.Lost {
		if !l.Cured || l.Cause != ledger.CauseExpired || l.From != 1 || !strings.Contains(l.Why, "keep-one cleared the snapshot of step 1 before call 3") {
			t.Errorf("%+v", l)
		}
	}
	if a := s.Advice; a.Tested != (ledger.Tested{Quotes: 3}) || a.Policy != "" && a.Report != nil && !a.Report.Policy.Exact() {
		t.Errorf("advice %+v", a)
	}
}

// The knob that keeps a lost quote is looked for as for an element.
func TestALostQuoteIsMended(t *testing.T) {
	tl := opened(t, filepath.Join("..", "..", "testdata", "transcripts", "truth", "words-dropped.json"))
	o := options()
	o.Fixes = true
	rep, err := ledger.Run(context.Background(), tl, named("agent-browser"), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range rep.Reading.Lost {
		if l.Keep == nil || !strings.Contains(l.Why, l.Keep.Strategy+"."+l.Keep.Knob) {
			t.Fatalf("%+v", l)
		}
		o.Fixes = false
		after, err := ledger.Run(context.Background(), tl, l.Keep.Apply(named("agent-browser")), o)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(lostQuotes(after), l.Quote) {
			t.Errorf("%s does not keep %q", l.Keep.Assignment(), l.Quote)
		}
	}
}

// says is call for whoever counts no tokens.
func (s *script) says(text string) *script { return s.call(text, nil) }

// What is no quote, and what is one.
func TestWhatIsAQuote(t *testing.T) {
	page := "- main [ref=e1]:\n  - text: Total 4,812 and KX-2207-B\n  - button \"Save All Changes\" [ref=e2]\n  - text: Mira Lindqvist f1e34"
	for name, c := range map[string]struct {
		s    *script
		want int
	}{
		"said":                      {new(script).says("").act(session.VerbGoto, "", page).says("It is 4,812."), 1},
		"said twice in a turn":      {new(script).says("").act(session.VerbGoto, "", page).says("It is 4,812, yes 4,812."), 1},
		"said again in a turn":      {new(script).says("").act(session.VerbGoto, "", page).says("It is 4,812.").says("As I said, 4,812."), 1},
		"read again":                {new(script).says("").act(session.VerbGoto, "", page).says("It is 4,812.").act(session.VerbSnapshot, "", page).says("Still 4,812."), 2},
		"the user's":                {new(script).user("Is it 4,812?").says("").act(session.VerbGoto, "", page).says("It is 4,812."), 0},
		"the model's own":           {new(script).says("I expect 4,812.").act(session.VerbGoto, "", page).says("It is 4,812."), 0},
		"not on the page":           {new(script).says("").act(session.VerbGoto, "", page).says("It is 4,813, not 4,81."), 0},
		"before the page":           {new(script).says("It is 4,812.").act(session.VerbGoto, "", page), 0},
		"a name of its target":      {new(script).says("").act(session.VerbGoto, "", page).says(`I click "Save All Changes".`).named(session.VerbClick, "Save All Changes", "e2", page), 0},
		"a longer one that is none": {new(script).says("").act(session.VerbGoto, "", page).says(`"the total 4,812 euro"`), 1},
		"a ref":                     {new(script).says("").act(session.VerbGoto, "", strings.ReplaceAll(page, " f1e34", "")+"\n  - link \"x\" [ref=f1e34]").says("I see f1e34 here"), 0},
		"masked":                    {new(script).says("").act(session.VerbGoto, "", page+"\n  - text: sk-abcdefghij0123456789abcd").says("the key sk-abcdefghij0123456789abcd"), 0},
		"after a compaction":        {new(script).says("").act(session.VerbGoto, "", page).compact(0, "a page was read").says("It is 4,812."), 0},
	} {
		got := simulate(c.s.timeline(), policy.Full(), options()).Reading
		if got.Quotes != c.want || got.Kept != c.want {
			t.Errorf("%s: %d quotes, %d kept, want %d", name, got.Quotes, got.Kept, c.want)
		}
	}
}

// named is act with what the agent calls its target.
func (s *script) named(verb session.Verb, element, ref, page string) *script {
	s.act(verb, ref, page)
	for i := range s.events {
		if a := s.events[len(s.events)-1-i].Action; a != nil {
			a.Args = map[string]any{"element": element, "ref": ref}
			break
		}
	}
	return s
}

func (s *script) compact(keep int, text string) *script {
	s.events = append(s.events, session.Event{Kind: session.KindCompact, Compact: &session.Compaction{Keep: keep, Text: text}})
	return s
}

// 200 sessions with planted quotes, among much that is none: every one is found, and
// nothing else; policies that leave nothing out keep all of them.
func TestPlantedQuotesAreFound(t *testing.T) {
	exact := []policy.Policy{policy.Full(), named("delta"), named("fold")}
	session200(t, func(rt *rapid.T) {
		s := new(script).user("Collect what you see, not 99,001 things.").says("")
		planted, n := 0, 0
		var lines []string
		kinds := []func(n int) (line, says string){
			func(n int) (string, string) {
				return fmt.Sprintf("text: total %d,%03d euro", n+10, n), fmt.Sprintf("%d,%03d", n+10, n)
			},
			func(n int) (string, string) {
				return fmt.Sprintf("paragraph [ref=e%d]: Order QX-%04d was sent", 500+n, n), fmt.Sprintf("QX-%04d", n)
			},
			func(n int) (string, string) {
				w := strings.Repeat(string(rune('a'+n%26)), 3+n/26)
				return "cell \"Owner Bo" + w + " Lind" + w + "\"", "Bo" + w + " Lind" + w
			},
			func(n int) (string, string) {
				return fmt.Sprintf("text: rate %d.%d%%", n+10, n), fmt.Sprintf("%d.%d\u202f%%", n+10, n)
			},
		}
		for range rapid.IntRange(1, 6).Draw(rt, "pages") {
			var texts []string
			for range rapid.IntRange(0, 5).Draw(rt, "facts") {
				n++
				line, says := kinds[rapid.IntRange(0, len(kinds)-1).Draw(rt, "kind")](n)
				lines = append(lines, line)
				texts = append(texts, says)
			}
			if keep := rapid.IntRange(0, len(lines)).Draw(rt, "old"); rapid.Bool().Draw(rt, "drop") {
				lines = append([]string(nil), lines[min(keep, len(lines)-len(texts)):]...)
			}
			s.act(rapid.SampledFrom([]session.Verb{session.VerbSnapshot, session.VerbClick}).Draw(rt, "verb"), "", "- main [ref=e1]:\n  - button \"Go\" [ref=e2]\n  - "+strings.Join(append(lines, "text: 99,001 things, 3 left in 2024"), "\n  - "))
			used := texts[:rapid.IntRange(0, len(texts)).Draw(rt, "used")]
			planted += len(used)
			s.says("I see " + strings.Join(used, " and ") + " but not 99,001 nor 55,555; step 3 of 2024 is done.")
		}
		tl := s.timeline()
		for _, p := range exact {
			if r := simulate(tl, p, options()).Reading; r.Quotes != planted || r.Kept != planted {
				rt.Fatalf("%s: planted %d, found %d, kept %d: %+v", p.Name, planted, r.Quotes, r.Kept, r.Lost)
			}
		}
		drops := simulate(tl, named("agent-browser"), options()).Reading
		if drops.Quotes != planted {
			rt.Fatalf("another policy finds others: %d, planted %d", drops.Quotes, planted)
		}
	})
}

// session200 checks a property on 200 sessions that are the same each time.
func session200(t *testing.T, check func(*rapid.T)) {
	t.Helper()
	gen := rapid.Custom(func(rt *rapid.T) bool { check(rt); return true })
	for seed := range 200 {
		gen.Example(seed)
	}
}

// every opens every recording and transcript of testdata.
func every(t *testing.T, each func(file string, tl *session.Timeline)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(filepath.Join("..", "..", "testdata"), func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(file, "torture") || strings.HasSuffix(file, ".aria") {
			return err
		}
		im, err := transcript.Read(t.Context(), file, transcript.Options{})
		if err != nil {
			return nil // no session
		}
		n++
		each(file, session.NewTimeline(im.Events))
		return nil
	})
	if err != nil || n < 60 {
		t.Fatalf("%d sessions: %v", n, err)
	}
}

// A policy that leaves nothing out keeps every quote of every session.
func TestExactPoliciesKeepEveryQuote(t *testing.T) {
	quotes := 0
	every(t, func(file string, tl *session.Timeline) {
		o := options()
		for _, p := range []policy.Policy{policy.Full(), named("delta"), named("fold")} {
			r := simulate(tl, p, o).Reading
			quotes += r.Quotes
			if r.Kept != r.Quotes {
				t.Errorf("%s under %s keeps %d of %d: %+v", file, p.Name, r.Kept, r.Quotes, r.Lost)
			}
		}
	})
	if quotes < 36 { // under three policies
		t.Errorf("only %d quotes in all", quotes)
	}
}

// A page of 5 MB of numbers and a model that repeats it take bounded time and are
// counted once.
func TestQuotesOfAHugePage(t *testing.T) {
	var b strings.Builder
	b.WriteString("- main [ref=e1]:")
	for i := range 200_000 {
		fmt.Fprintf(&b, "\n  - text: row %d.%03d x", i+1000, i%1000)
	}
	page := b.String()
	tl := new(script).says("").act(session.VerbGoto, "", page).says(page).timeline()
	r := simulate(tl, policy.Full(), options())
	if r.Reading.Quotes == 0 || r.Reading.Quotes > 1000 || r.Reading.Kept != r.Reading.Quotes {
		t.Errorf("%d quotes, %d kept", r.Reading.Quotes, r.Reading.Kept)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "quotes") }) {
		t.Errorf("the bound is not told: %q", r.Notes)
	}
}
