package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// Advice is what a person should know first: what went wrong, what the session used
// and of what, and the policy that would have saved most without hiding anything.
type Advice struct {
	Text    string  // one line: the four below
	Wrong   string  // what went wrong: acts on what no page showed, pages that were cut; "" nothing of that kind
	Used    string  // what the session used, and of what
	Best    string  // what the policy would have saved and kept, and its command; why there is none
	Unread  string  // what the model could not read as the session was sent, besides Wrong; "" nothing
	Policy  string  // "" where none is worth it
	Command string  // applies the policy to the next session; "" without one
	Report  *Report // of the policy; nil without one
	Tested  Tested  // what the session tested of it
}

// Tested is what in a session can show that a policy hides something.
type Tested struct {
	Acted  int // acts on elements that full pages show
	Quotes int // pieces of page text that the agent used and that full pages show
}

const (
	// worthwhile is the smallest net saving that is advised, as a share of what was
	// really sent.
	worthwhile = 0.01
	// enoughActs is how many acts a session has at least that can speak for a policy
	// that leaves something out: of ten acts, one that hides every tenth element is
	// found out in two sessions of three.
	enoughActs = 10
	// exactIsWorth is what a policy that leaves something out has to save more than one
	// that does not, as a share of what was sent.
	exactIsWorth = 0.10
)

// Advise picks a policy for the next session and puts all that is to be known first
// into one line. It recommends only what the session tested. Of the candidates that
// keep every element and every quote which the full pages show it takes the one with the best net
// saving; one that leaves something out only after enoughActs acts, and only where it
// saves clearly more than an exact one. The five published rules one after the other
// are never advised to somebody who did not name them. Where the agent's own program
// cut what it needed, that is mended first.
func Advise(sent, full *Report, bill *Bill, candidates []*Report, o Options) *Advice {
	a := &Advice{Wrong: sent.wrong(), Used: used(sent, bill), Unread: unreadable(sent)}
	named := o.Named
	if named == nil {
		named = func(p policy.Policy) string { return "--policy " + Word(p.Name) }
	}
	a.Tested = Tested{full.Survival.Survived, full.Reading.Kept}
	exact, lossy := a.candidates(sent, full, candidates, o)
	switch {
	case sent.ModelCalls == 0:
	case full.Survival.Unknown:
		a.Best = "The file has no page, so it is not known whether the agent could read the elements that it used, and no policy can be tried."
	case sent.cutsMatter():
		a.uncut(sent, candidates, named)
	default:
		a.Report = exact
		if lossy != nil && a.Tested.Acted >= enoughActs && (exact == nil || saving(lossy, sent)-saving(exact, sent) > exactIsWorth) {
			a.Report = lossy
		}
		if a.Report == nil {
			a.Best = none(a.Tested.Acted, lossy)
			break
		}
		a.Policy, a.Command = a.Report.Policy.Name, sent.command(a.Report.Policy, named)
		a.Best = advised(sent, full, a.Report) + ": " + a.Command
	}
	a.Text = sentences(a.Wrong, a.Used, a.Best, a.Unread)
	return a
}

// candidates are the best that leaves nothing out and the best of the others; nil none.
func (a *Advice) candidates(sent, full *Report, all []*Report, o Options) (exact, lossy *Report) {
	combined := policy.Combined()
	for _, r := range all {
		if r.Survival.Survived < full.Survival.Survived || r.Reading.Kept < full.Reading.Kept || r.NetSavedOfSent < worthwhile || len(r.Policy.Stages) == 0 || dearer(r, sent) {
			continue
		}
		of := &lossy
		switch {
		case r.Policy.Exact():
			of = &exact
		case !o.Asked && r.Policy.Key() == combined.Key():
			continue
		}
		if *of == nil || better(r, *of) {
			*of = r
		}
	}
	return exact, lossy
}

// uncut advises what shows the agent the pages that its program cut.
func (a *Advice) uncut(sent *Report, candidates []*Report, named func(policy.Policy) string) {
	switch {
	case sent.cuts.folds:
		a.Policy, a.Command = folded.Name, sent.command(folded, named)
		for _, r := range candidates {
			if r.Policy.Key() == folded.Key() {
				a.Report = r
			}
		}
		a.Best = "Under fold every page that was cut fits: " + a.Command
	case sent.cuts.lifts != "":
		a.Command = sent.cuts.lifts
		a.Best = "With a higher limit the pages go to the model whole: " + a.Command
	default:
		a.Best = "Lift that limit first: what a policy would save on pages that were cut is not known."
	}
}

// none says why no policy is advised.
func none(acted int, lossy *Report) string {
	if lossy == nil || acted >= enoughActs {
		return "No policy would have saved 1 % of the input without hiding an element that was used: leave it as it is."
	}
	tested := "the agent acted on nothing that a page had shown"
	if acted > 0 {
		tested = "only " + wording.Plural(acted, "act") + " tested it"
	}
	return fmt.Sprintf("No policy that leaves nothing out would have saved 1 %% of the input. %s would have saved %s, but %s, and %d are needed to advise it.",
		plain(lossy.Policy.Name), wording.Percent(lossy.NetSavedOfSent), tested, enoughActs)
}

// Forms are the advice in full, without what the session used, and without what went
// wrong besides: for where there is less room, or the rest is shown beside it.
func (a *Advice) Forms() [3]string {
	return [3]string{a.Text, sentences(a.Wrong, a.Best, a.Unread), sentences(a.Best, a.Unread)}
}

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

// saving is what a policy saves of what was sent, losses paid for: of the cost where
// prices are known, else of the tokens.
func saving(r, sent *Report) float64 {
	if a, b := r.netCost(), sent.Cost; a != nil && b != nil && *b > 0 {
		return 1 - *a / *b
	}
	return r.NetSavedOfSent
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
		calls += " (one for each action is assumed)"
	}
	what := made(b)
	if what == "" {
		return fmt.Sprintf("This session used %s in %s.", total, calls)
	}
	if b.Vendor == nil && sent.System+sent.Definitions == 0 {
		what += " (system prompt and tools are not in the file)"
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
		names[0] = "system prompt, tools and whatever else is not in the file"
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

// advised says what the best policy would have saved and kept, and what tested it.
func advised(sent, full, best *Report) string {
	text := fmt.Sprintf("%s would have saved %s of the input", plain(best.Policy.Name), wording.Percent(best.NetSavedOfSent))
	if sent.Cost != nil && best.Cost != nil && *sent.Cost > 0 {
		text += fmt.Sprintf(" (cost %s → %s)", Dollars(sent.Cost), Dollars(best.Cost))
	}
	if best.Policy.Exact() {
		text += " without leaving anything out"
	}
	shown := ""
	if full.Survival.Acted > full.Survival.Survived {
		shown = " and that a page had shown"
	}
	quotes := ""
	if n := full.Reading.Kept; n > 0 {
		quotes = " and " + counted(n, "quote", "quotes")
	}
	switch n := full.Survival.Survived; {
	case n == 0 && quotes != "":
		return text + "; no act tested it, only" + strings.TrimPrefix(quotes, " and") + " from its pages"
	case n == 0:
		return text + "; no act tested it"
	case n == 1:
		return text + ", and the one element" + quotes + " that the agent used" + shown + " stayed readable"
	default:
		return text + fmt.Sprintf(", and all %s elements%s that the agent used%s stayed readable", wording.Count(n), quotes, shown)
	}
}

// command applies a policy to the next session like this one.
func (r *Report) command(p policy.Policy, named func(policy.Policy) string) string {
	if r.hist == nil {
		return Command(p, named(p), r.Model)
	}
	return Command(p, named(p), r.Model, r.hist.t)
}

// Command is the command that applies a policy to the next session like those that are
// given, as it was counted on them: a rewrite where the tool answers, a retention rule
// where the history is sent, both around the whole agent. named are the flags that
// choose the policy; model is "" where none is known.
func Command(p policy.Policy, named, model string, ts ...*session.Timeline) string {
	if slices.ContainsFunc(ts, func(t *session.Timeline) bool { return oneAgent(p, t) }) {
		named += " --one-agent"
	}
	_, retains := p.Retention()
	switch {
	case retains && p.Rewrites():
		return "snapscope live " + named + " -- " + agentCommand(ts)
	case retains:
		return "snapscope api " + named + " --to " + modelAPI(model)
	default:
		return "snapscope mcp " + named + " -- MCP-SERVER…"
	}
}

// oneAgent reports that what was counted of a policy comes true in a proxy only if that
// is told that one agent reads all answers: the policy compares pages with those before,
// and the agent's program does not tell which of its agents reads one.
func oneAgent(p policy.Policy, t *session.Timeline) bool {
	if c, ok := agentOf(t); ok && c.TellsReader() || !p.Compares() {
		return false
	}
	told := func(s session.Snap) bool { return s.Reader != "" }
	return !slices.ContainsFunc(t.Snaps, told) // else it was counted with what the proxy was told
}

// agentCommand starts the agent of sessions again, where snapscope can start it and it
// is one.
func agentCommand(ts []*session.Timeline) string {
	out := ""
	for _, t := range ts {
		c, _ := agentOf(t)
		if c.Command == "" || out != "" && c.Command != out {
			return "AGENT…"
		}
		out = c.Command
	}
	return cmp.Or(out, "AGENT…")
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
	return "https://MODEL-API"
}

// unreadable says what the model could not read as the session was sent, besides what
// wrong has said.
func unreadable(sent *Report) string {
	n, why := 0, ""
	for _, l := range sent.Survival.Lost {
		if l.Cause != CauseNever && l.Cause != CauseCut {
			if n++; why == "" {
				why = l.Why
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("As sent, the agent could not read %d of %d elements when it used them: %s.", n, sent.Survival.Acted, plain(why))
}
