package ledger

import (
	"fmt"
	"slices"
	"strings"

	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// Advice is what a person should know first: what the session used and of what,
// and the policy that would have saved most without hiding anything.
type Advice struct {
	Text    string  // one line: the three below
	Used    string  // what the session used, and of what
	Best    string  // what the policy would have saved and kept, and its command; why there is none
	Unread  string  // what the model could not read as the session was sent; "" nothing
	Policy  string  // "" where none is worth it
	Command string  // applies the policy to the next session; "" without one
	Report  *Report // of the policy; nil without one
}

// worthwhile is the smallest net saving that is advised, as a share of what was
// really sent.
const worthwhile = 0.01

// Advise picks the candidate with the best net saving of those that keep every
// element which the full pages show, and puts it into one line.
// named answers the words that name a policy on a command line; nil: its name.
func Advise(sent, full *Report, bill *Bill, candidates []*Report, named func(policy.Policy) string) *Advice {
	a := &Advice{Used: used(sent, bill), Unread: unreadable(sent)}
	for _, r := range candidates {
		if r.Survival.Survived < full.Survival.Survived || r.NetSavedOfSent < worthwhile || len(r.Policy.Stages) == 0 || dearer(r, sent) {
			continue
		}
		if a.Report == nil || better(r, a.Report) {
			a.Report = r
		}
	}
	switch best := a.Report; {
	case sent.ModelCalls == 0:
	case full.Survival.Unknown:
		a.Best = "No page is recorded in it: whether the agent could read what it acted on is not known, and no policy for pages can be tried."
	case best == nil:
		a.Best = "No policy would have saved 1 % of the input without hiding an element that was used: leave it as it is."
	default:
		if named == nil {
			named = func(p policy.Policy) string { return "--policy " + Word(p.Name) }
		}
		a.Policy, a.Command = best.Policy.Name, command(best, named(best.Policy))
		a.Best = advised(sent, best) + ": " + a.Command
	}
	a.Text = sentences(a.Used, a.Best, a.Unread)
	return a
}

// Short is the advice without what the session used, for where that is shown
// beside it.
func (a *Advice) Short() string { return sentences(a.Best, a.Unread) }

func sentences(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), " ")
}

// better prefers the lower cost, losses paid for, where prices are known: a policy
// that sends less can cost more when it breaks the prompt cache. Else it prefers
// the larger net saving.
func better(r, than *Report) bool {
	if a, b := r.netCost(), than.netCost(); a != nil && b != nil && *a != *b {
		return *a < *b
	}
	return r.NetSavedOfSent > than.NetSavedOfSent
}

// dearer reports whether a policy costs more than what was sent.
func dearer(r, sent *Report) bool {
	a, b := r.netCost(), sent.Cost
	return a != nil && b != nil && *a > *b
}

// netCost is the cost of the input with what bringing the lost elements back
// would cost; nil without prices.
func (r *Report) netCost() *float64 {
	if r.Cost == nil {
		return nil
	}
	sum := *r.Cost
	for _, l := range r.Survival.Lost {
		if l.Cost != nil {
			sum += *l.Cost
		}
	}
	return &sum
}

// used says what the session used, and of what.
func used(sent *Report, b *Bill) string {
	if sent.ModelCalls == 0 {
		return "No model call is recorded: nothing was used."
	}
	total := wording.Plural(sent.InputTokens, "input token")
	if sent.Cost != nil {
		total += " (" + Dollars(sent.Cost) + ")"
	}
	calls := wording.Plural(sent.ModelCalls, "model call")
	if sent.Implied {
		calls += " (one taken before each action: the file tells of none)"
	}
	what := made(b)
	if what == "" {
		return fmt.Sprintf("This session used %s in %s.", total, calls)
	}
	if b.Vendor == nil && sent.System+sent.Definitions == 0 {
		what += " (system prompt and tool definitions are not in the file and not counted)"
	}
	if pages := share(b.Parts.Snapshots+b.Parts.Screenshots, b.Parts.Sum()); b.Results > 0 && share(b.Browsing, b.Results) < littleBrowsing && !sent.Survival.Unknown {
		return fmt.Sprintf("Most of this session is not browsing: of %s in %s only %s are pages. It is %s.", total, calls, wording.Percent(pages), what)
	}
	return fmt.Sprintf("This session used %s in %s: %s.", total, calls, what)
}

// littleBrowsing is the share of results from browser tools below which a
// session is not told as one of browsing.
const littleBrowsing = 0.5

// made lists the parts of a bill, the largest first, those under 1 % left out.
func made(b *Bill) string {
	names := [6]string{"system prompt and tools", "user", "model", "page snapshots", "screenshots", "other results"}
	if b.Vendor != nil {
		names[0] = "system prompt, tools and what else the file does not hold"
	}
	list := b.Parts.list()
	total := b.Parts.Sum()
	var out []string
	for range list {
		most := 0
		for i, n := range list {
			if n > list[most] {
				most = i
			}
		}
		if float64(list[most]) < 0.01*float64(max(1, total)) {
			break
		}
		out = append(out, wording.Percent(share(list[most], total))+" "+names[most])
		list[most] = 0
	}
	return strings.Join(out, ", ")
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// advised says what the best policy would have saved and kept.
func advised(sent, best *Report) string {
	text := fmt.Sprintf("%s would have saved %s of the input", plain(best.Policy.Name), wording.Percent(best.NetSavedOfSent))
	if sent.Cost != nil && best.Cost != nil && *sent.Cost > 0 {
		text += fmt.Sprintf(" (cost %s → %s)", Dollars(sent.Cost), Dollars(best.Cost))
	}
	switch v := best.Survival; {
	case v.Acted == 0:
		return text
	case v.Survived == v.Acted:
		return text + fmt.Sprintf(" and kept %s of %s elements readable that were acted on", wording.Count(v.Survived), wording.Count(v.Acted))
	default:
		return text + fmt.Sprintf(" and kept every element readable that full pages show (%s of %s acted on)", wording.Count(v.Survived), wording.Count(v.Acted))
	}
}

// command applies a policy: a rewrite where the tool answers, a retention rule
// where the history is sent, both around the whole agent.
func command(r *Report, named string) string {
	_, retains := r.Policy.Retention()
	switch {
	case retains && r.Policy.Rewrites():
		return "snapscope live " + named + " -- AGENT…"
	case retains:
		return "snapscope api " + named + " --to " + modelAPI(r.Model)
	default:
		return "snapscope mcp " + named + " -- MCP-SERVER…"
	}
}

// Word quotes a word for a shell where it needs it.
func Word(s string) string {
	if s != "" && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_./=") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(plain(s), "'", `'\''`) + "'"
}

// modelAPI is where requests to a model go, as far as its name tells.
func modelAPI(model string) string {
	for _, name := range imageNames(model) {
		switch {
		case strings.HasPrefix(name, "claude"):
			return "https://api.anthropic.com"
		case strings.HasPrefix(name, "gpt-"), strings.HasPrefix(name, "o1"), strings.HasPrefix(name, "o3"), strings.HasPrefix(name, "o4"):
			return "https://api.openai.com"
		}
	}
	return "URL"
}

// unreadable says what the model could not read as the session was sent.
func unreadable(sent *Report) string {
	n, why := 0, ""
	for _, l := range sent.Survival.Lost {
		if !l.Never {
			n++
			if why == "" {
				why = l.Why
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("As sent, %d of %d elements could not be read when they were acted on: %s.", n, sent.Survival.Acted, plain(why))
}
