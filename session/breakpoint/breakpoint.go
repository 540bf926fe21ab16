package breakpoint

import (
	"fmt"
	"strconv"
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/session/script"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
)

// Condition is a condition on a step that has just happened. It is pure: the
// same scene gives the same answer, live or recorded.
//
//	step 12                       that step
//	url leads                     the page's URL holds this; title, action, console likewise
//	text "Saved" appears          it stands in this snapshot and not in the one before; or vanishes
//	role dialog appears           an element with this role; or vanishes
//	tokens > 5000                 of the snapshot in full; tokens passmark > 5000: under a policy
//	rule passmark=delta           a strategy came to this verdict; rule compress: it did anything
//	survival lost                 an element acted on could no longer be read
//	error                         the step failed
//	before click                  an action of this verb or tool is about to happen
//	before lost                   the agent is about to act on what its context does not show
type Condition struct {
	text   string // canonical: Parse reads it back
	before bool   // looks at the action that is about to happen
	hit    func(s Scene) (why string, ok bool)
}

// Scene is what a breakpoint looks at.
type Scene struct {
	Timeline *session.Timeline
	Step     int             // index of the step that has just happened
	Policies []policy.Policy // those the session is read under
	Renderer *policy.Renderer
	// Lost tells which elements the step acted on that could not be read, one
	// sentence each. nil: a breakpoint on survival never holds.
	Lost func(step int) []string
	// Next is the action that is about to happen: set, only conditions on it can
	// hold. LostNext is Lost for it; where it fails, the condition holds.
	Next     *session.Action
	LostNext func() ([]string, error)
}

// String is the condition as Parse reads it.
func (b Condition) String() string { return b.text }

// Hit reports whether the condition holds, and why, in one sentence.
func (b Condition) Hit(s Scene) (why string, ok bool) {
	if b.hit == nil || b.before != (s.Next != nil) {
		return "", false
	}
	if b.before {
		return b.hit(s)
	}
	if s.Timeline == nil || s.Step < 0 || s.Step >= len(s.Timeline.Steps) {
		return "", false
	}
	return b.hit(s)
}

// Form is one kind of condition, for help and completion.
type Form struct{ Word, Usage, Doc string }

// Forms is the one table of conditions.
var Forms = []Form{
	{"step", "step 12", "at a step"},
	{"url", "url leads", "the URL holds a text"},
	{"title", `title "Leads"`, "the title holds a text"},
	{"action", "action click", "an action of this verb or tool"},
	{"text", `text "Saved" appears`, "a text appears or vanishes"},
	{"role", "role dialog appears", "a role appears or vanishes"},
	{"tokens", "tokens > 5000", "the snapshot's tokens, in full or under a policy: tokens passmark > 500"},
	{"rule", "rule passmark=delta", "a strategy comes to a verdict: full, delta, unchanged, compressed, truncated"},
	{"survival", "survival lost", "an element acted on could no longer be read"},
	{"console", `console "Error"`, "a console line holds a text"},
	{"error", "error", "the step failed"},
	{"before", "before click", "an action of this verb or tool is about to happen; before lost: on what the agent cannot read"},
}

// Parse reads a condition. The error says what was expected.
func Parse(text string) (Condition, error) {
	words, err := script.Words(text)
	if err != nil {
		return Condition{}, fmt.Errorf("breakpoint %q: %w", text, err)
	}
	if len(words) == 0 {
		return Condition{}, fmt.Errorf("a breakpoint needs a condition: %s", breakpointUsages())
	}
	args := make([]string, len(words)-1)
	for i, w := range words[1:] {
		args[i] = w.Text
	}
	b, err := parseCondition(words[0].Text, args)
	if err != nil {
		return Condition{}, fmt.Errorf("breakpoint %q: %w", strings.TrimSpace(text), err)
	}
	return b, nil
}

func breakpointUsages() string {
	out := make([]string, len(Forms))
	for i, f := range Forms {
		out[i] = f.Usage
	}
	return strings.Join(out, ", ")
}

func usageOf(word string) string {
	for _, f := range Forms {
		if f.Word == word {
			return f.Usage
		}
	}
	return ""
}

func parseCondition(word string, args []string) (Condition, error) {
	parse, ok := map[string]func([]string) (Condition, bool){
		"step": breakStep, "url": breakURL, "title": breakTitle, "action": breakAction,
		"text": breakText, "role": breakRole, "tokens": breakTokens, "rule": breakRule,
		"survival": breakSurvival, "console": breakConsole, "error": breakError,
		"before": breakBefore,
	}[word]
	if !ok {
		return Condition{}, fmt.Errorf("no condition %q; there are %s", word, breakpointUsages())
	}
	b, ok := parse(args)
	if !ok {
		return Condition{}, fmt.Errorf("write it like %s", usageOf(word))
	}
	return b, nil
}

func breakStep(args []string) (Condition, bool) {
	n, ok := wholeNumber(args)
	if !ok || n < 1 {
		return Condition{}, false
	}
	return Condition{text: fmt.Sprintf("step %d", n), hit: func(s Scene) (string, bool) {
		return fmt.Sprintf("step %d", n), s.now().N == n
	}}, true
}

func wholeNumber(args []string) (int, bool) {
	if len(args) != 1 {
		return 0, false
	}
	n, err := strconv.Atoi(args[0])
	return n, err == nil
}

// holds makes a condition on a text of the step that holds a needle.
func holds(word string, args []string, of func(Scene) string) (Condition, bool) {
	if len(args) != 1 || args[0] == "" {
		return Condition{}, false
	}
	needle := args[0]
	return Condition{text: word + " " + quoteWord(needle), hit: func(s Scene) (string, bool) {
		got := of(s)
		return fmt.Sprintf("%s holds %q", word, needle), strings.Contains(got, needle)
	}}, true
}

// quoteWord writes a word as script.Words reads it back.
func quoteWord(w string) string {
	if w != "" && !strings.ContainsAny(w, " \t\"'\\=") {
		return w
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w) + `"`
}

func breakURL(args []string) (Condition, bool) {
	return holds("url", args, func(s Scene) string {
		if r := s.now().Result; r.URL != "" || r.Snapshot == nil {
			return r.URL
		}
		return s.now().Result.Snapshot.URL
	})
}

func breakTitle(args []string) (Condition, bool) {
	return holds("title", args, func(s Scene) string {
		if r := s.now().Result; r.Title != "" || r.Snapshot == nil {
			return r.Title
		}
		return s.now().Result.Snapshot.Title
	})
}

func breakConsole(args []string) (Condition, bool) {
	return holds("console", args, func(s Scene) string {
		r := s.now().Result
		return strings.Join(append(append([]string(nil), r.Console...), r.Events...), "\n")
	})
}

func breakAction(args []string) (Condition, bool) {
	if len(args) != 1 || args[0] == "" {
		return Condition{}, false
	}
	want := args[0]
	return Condition{text: "action " + quoteWord(want), hit: func(s Scene) (string, bool) {
		a := s.now().Action
		return "action " + a.Label(), string(a.Verb) == want || a.Tool == want
	}}, true
}

// turns makes a condition on something that stands in a snapshot and did not
// stand in the one before, or the other way round.
func turns(word string, args []string, in func(*snapshot.Snapshot) bool, what string) (Condition, bool) {
	if len(args) == 1 {
		args = append(args, "appears")
	}
	if len(args) != 2 || args[0] == "" || args[1] != "appears" && args[1] != "vanishes" {
		return Condition{}, false
	}
	appears := args[1] == "appears"
	return Condition{text: word + " " + quoteWord(args[0]) + " " + args[1], hit: func(s Scene) (string, bool) {
		i := s.now().Snap
		if i < 0 {
			return "", false
		}
		now := in(s.Timeline.Snaps[i].Snap)
		before := i > 0 && in(s.Timeline.Snaps[i-1].Snap)
		return what + " " + args[1], appears && now && !before || !appears && !now && before
	}}, true
}

func breakText(args []string) (Condition, bool) {
	if len(args) == 0 {
		return Condition{}, false
	}
	needle := args[0]
	return turns("text", args, func(sn *snapshot.Snapshot) bool { return strings.Contains(sn.Text, needle) }, fmt.Sprintf("text %q", needle))
}

func breakRole(args []string) (Condition, bool) {
	if len(args) == 0 {
		return Condition{}, false
	}
	role := args[0]
	return turns("role", args, func(sn *snapshot.Snapshot) bool { return hasRole(sn, role) }, "role "+role)
}

// hasRole reports an element with the role.
func hasRole(sn *snapshot.Snapshot, role string) bool {
	for raw := range strings.SplitSeq(sn.Text, "\n") {
		if l := notation.ReadLine(raw, sn.Dialect); l.IsElement() && l.Role == role {
			return true
		}
	}
	return false
}

var comparisons = map[string]func(a, b int) bool{
	">":  func(a, b int) bool { return a > b },
	">=": func(a, b int) bool { return a >= b },
	"<":  func(a, b int) bool { return a < b },
	"<=": func(a, b int) bool { return a <= b },
}

func breakTokens(args []string) (Condition, bool) {
	policy, text := "full", "tokens"
	if len(args) == 3 {
		policy, args = args[0], args[1:]
		text += " " + quoteWord(policy)
	}
	if len(args) != 2 {
		return Condition{}, false
	}
	cmp, ok := comparisons[args[0]]
	n, err := strconv.Atoi(strings.ReplaceAll(args[1], ",", ""))
	if !ok || err != nil || n < 0 {
		return Condition{}, false
	}
	return Condition{text: fmt.Sprintf("%s %s %d", text, args[0], n), hit: func(s Scene) (string, bool) {
		got, ok := s.tokens(policy)
		return fmt.Sprintf("%s tokens under %s %s %s", grouped(got), policy, args[0], grouped(n)), ok && cmp(got, n)
	}}, true
}

// grouped writes a number that is not negative with thousands separators.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func breakRule(args []string) (Condition, bool) {
	if len(args) != 1 || args[0] == "" {
		return Condition{}, false
	}
	name, kind, given := strings.Cut(args[0], "=")
	if name == "" || given && kind == "" {
		return Condition{}, false
	}
	return Condition{text: "rule " + args[0], hit: func(s Scene) (string, bool) {
		i := s.now().Snap
		if i < 0 || s.Renderer == nil {
			return "", false
		}
		for _, p := range s.Policies {
			for _, st := range s.Renderer.Render(s.Timeline, i, p).Stages {
				if st.Strategy.Name != name {
					continue
				}
				if got := string(st.Verdict.Kind); given && got == kind || !given && got != "full" {
					return fmt.Sprintf("%s → %s: %s", name, got, st.Verdict.Reason()), true
				}
			}
		}
		return "", false
	}}, true
}

func breakSurvival(args []string) (Condition, bool) {
	if len(args) != 1 || args[0] != "lost" {
		return Condition{}, false
	}
	return Condition{text: "survival lost", hit: func(s Scene) (string, bool) {
		if s.Lost == nil {
			return "", false
		}
		lost := s.Lost(s.now().N)
		if len(lost) == 0 {
			return "", false
		}
		return "lost: " + lost[0], true
	}}, true
}

func breakError(args []string) (Condition, bool) {
	if len(args) != 0 {
		return Condition{}, false
	}
	return Condition{text: "error", hit: func(s Scene) (string, bool) {
		r := s.now().Result
		return "error: " + r.Error, !r.OK
	}}, true
}

func breakBefore(args []string) (Condition, bool) {
	if len(args) != 1 || args[0] == "" {
		return Condition{}, false
	}
	want := args[0]
	b := Condition{text: "before " + quoteWord(want), before: true}
	b.hit = func(s Scene) (string, bool) {
		return "before " + s.Next.Label(), string(s.Next.Verb) == want || s.Next.Tool == want
	}
	if want == "lost" {
		b.hit = func(s Scene) (string, bool) {
			if s.LostNext == nil {
				return "", false
			}
			lost, err := s.LostNext()
			if err != nil {
				return "before " + s.Next.Label() + ": could not tell whether the agent can read it: " + err.Error(), true
			}
			if len(lost) == 0 {
				return "", false
			}
			return "before " + s.Next.Label() + ", which the agent cannot read: " + lost[0], true
		}
	}
	return b, true
}

func (s Scene) now() *session.Step { return &s.Timeline.Steps[s.Step] }

// tokens counts the step's snapshot under a policy by name.
func (s Scene) tokens(name string) (int, bool) {
	i := s.now().Snap
	if i < 0 || s.Renderer == nil {
		return 0, false
	}
	p, err := policy.Find(name, s.Policies)
	if err != nil {
		return 0, false
	}
	return s.Renderer.Render(s.Timeline, i, p).Tokens, true
}
