package tui

import (
	"fmt"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/script"
)

// The command line takes the verbs of a step script and, besides, the words
// below that are about the screen itself.
type screenWord struct {
	word string
	args string
	doc  string
	run  func(m *Model, arg string) (tea.Cmd, error)
}

func screenWords() []screenWord {
	return []screenWord{
		{"step", "[n]", "look at step n, or do the next one", (*Model).wordStep},
		{"until", "n", "go on until step n", (*Model).wordUntil},
		{"ref", "e12", "go to the element with this ref", (*Model).wordRef},
		{"filter", "[text | role:button | ref:e12]", "show only matching lines; alone: all again", (*Model).wordFilter},
		{"break", "condition", "stop where this holds", (*Model).wordBreak},
		{"set", "knob=value", "turn a knob of the focused pane", (*Model).wordSet},
		{"policy", "name", "show a policy in the focused pane", (*Model).wordPolicy},
		{"save", "name", "keep the focused pane's policy under a name", (*Model).wordSave},
		{"do", "action", "any action of the key table by name", (*Model).wordAction},
	}
}

func (m *Model) doCommand() tea.Cmd {
	m.input = newInput(inputCommand, ":", "")
	return nil
}

// accept takes the line that was typed.
func (in *input) accept(m *Model) tea.Cmd {
	text := trimmed(in)
	switch in.kind {
	case inputSearch:
		m.input = nil
		if text == "" {
			m.search.clear(m)
		} else if len(m.search.hits) == 0 {
			m.say(levelWarn, fmt.Sprintf("%q is not on this page", text))
		} else if i := m.search.at(m.row); i < len(m.search.hits) {
			return m.toMatch(i)
		}
		return nil
	case inputCommand:
		return in.command(m, text)
	}
	return in.acceptOther(m, text)
}

func (in *input) command(m *Model, text string) tea.Cmd {
	if text == "" {
		m.input = nil
		return nil
	}
	cmd, err := m.runCommand(text)
	if err != nil {
		in.err = err.Error()
		return nil
	}
	m.input = nil
	m.remember(text)
	return cmd
}

// remember adds a line to the history, the last time it was typed only.
func (m *Model) remember(text string) {
	out := m.hist[:0:0]
	for _, h := range m.hist {
		if h != text {
			out = append(out, h)
		}
	}
	m.hist = append(out, text)
	if n := len(m.hist); n > maxHistory {
		m.hist = m.hist[n-maxHistory:]
	}
}

const maxHistory = 200

// runCommand carries out one typed line.
func (m *Model) runCommand(text string) (tea.Cmd, error) {
	word, arg, _ := strings.Cut(text, " ")
	arg = strings.TrimSpace(arg)
	for _, w := range screenWords() {
		if w.word == word {
			return w.run(m, arg)
		}
	}
	if _, verb := session.SpecOf(session.Verb(word)); !verb {
		if a := m.bindings.byName[word]; a != nil {
			return m.wordAction(word)
		}
	}
	a, err := script.ParseCommand(text, m.cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if why := m.noStep(); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	if m.info.Mode != session.ModeLive {
		return nil, session.ErrRecorded
	}
	return m.act(a), nil
}

func (m *Model) wordAction(arg string) (tea.Cmd, error) {
	a := m.bindings.byName[arg]
	if a == nil {
		return nil, fmt.Errorf("no action %q; ? lists them", arg)
	}
	if a.why != nil {
		if why := a.why(m); why != "" {
			return nil, fmt.Errorf("%s", why)
		}
	}
	m.input = nil
	cmd := a.run(m)
	return cmd, nil
}

func (m *Model) wordStep(arg string) (tea.Cmd, error) {
	if arg == "" {
		return m.wordAction("step")
	}
	n := 0
	if _, err := fmt.Sscanf(arg, "%d", &n); err != nil || n < 1 {
		return nil, fmt.Errorf("step takes a number from 1, not %q", arg)
	}
	if n > len(m.tl.Steps) {
		return nil, fmt.Errorf("there are %s so far; until %d goes on to it", plural(len(m.tl.Steps), "step"), n)
	}
	return m.look(n - 1), nil
}

func (m *Model) wordUntil(arg string) (tea.Cmd, error) {
	n := 0
	if _, err := fmt.Sscanf(arg, "%d", &n); err != nil || n <= len(m.tl.Steps) {
		return nil, fmt.Errorf("until takes the number of a step to come, from %d", len(m.tl.Steps)+1)
	}
	if why := m.noStep(); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	return m.startTo(jobContinue, fmt.Sprintf("going on to step %d", n), nil, 0, n), nil
}

func (m *Model) wordRef(arg string) (tea.Cmd, error) {
	if why := m.noPage(); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	if m.toRef(arg) {
		return nil, nil
	}
	return nil, fmt.Errorf("no element with ref %q on this page", arg)
}

func (m *Model) wordFilter(arg string) (tea.Cmd, error) {
	if why := m.noPage(); why != "" {
		return nil, fmt.Errorf("%s", why)
	}
	m.search.filter = parseFilter(arg)
	m.regrow()
	return nil, nil
}

// offersFor lists what the text before the cursor could become: verbs and
// screen words first, then refs and names on the page, then arguments.
func offersFor(m *Model, before string) []offer {
	from := len([]rune(before[:strings.LastIndexByte(before, ' ')+1]))
	word := before[strings.LastIndexByte(before, ' ')+1:]
	first, rest, typed := strings.Cut(strings.TrimLeft(before, " "), " ")
	if !typed {
		return verbOffers(word, from)
	}
	spec, ok := session.SpecOf(session.Verb(first))
	if !ok {
		return wordOffers(m, first, word, from)
	}
	var out []offer
	if strings.Count(rest, `"`)%2 == 1 { // inside a quoted name
		q := strings.LastIndexByte(before, '"')
		return nameOffers(m, strings.TrimSpace(rest[:strings.LastIndexByte(rest, '"')]), before[q+1:], len([]rune(before[:q])))
	}
	if spec.Target != session.TargetNone && !strings.Contains(strings.TrimSpace(rest), " ") {
		out = append(out, targetOffers(m, word, from)...)
	}
	for _, a := range spec.Args {
		for _, choice := range a.Choices {
			if strings.HasPrefix(choice, word) {
				out = append(out, offer{choice, a.Doc, from})
			}
		}
		if strings.HasPrefix(a.Name, word) {
			out = append(out, offer{a.Name + "=", a.Doc, from})
		}
	}
	return out
}

func verbOffers(word string, from int) []offer {
	var out []offer
	for _, v := range session.Verbs {
		if strings.HasPrefix(string(v.Verb), word) {
			out = append(out, offer{string(v.Verb), v.Doc, from})
		}
	}
	for _, w := range screenWords() {
		if strings.HasPrefix(w.word, word) && w.word != word {
			out = append(out, offer{w.word, w.doc + "  " + w.args, from})
		}
	}
	return out
}

// targetOffers are the refs and the roles with names on the page.
func targetOffers(m *Model, word string, from int) []offer {
	if m.fr == nil || m.fr.page == nil {
		return nil
	}
	var refs []offer
	roles := map[string]int{}
	for _, l := range m.fr.page.lines {
		ref, role := refOf(l), roleOf(l)
		if ref != "" && strings.HasPrefix(ref, word) && len(refs) < 400 {
			refs = append(refs, offer{ref, strings.TrimSpace(role + " " + nameOf(l)), from})
		}
		if role != "" && word != "" && strings.HasPrefix(role, word) && nameOf(l) != "" {
			roles[role]++
		}
	}
	names := make([]string, 0, len(roles))
	for r := range roles {
		names = append(names, r)
	}
	sort.Strings(names)
	var out []offer
	for _, r := range names {
		out = append(out, offer{r + ` "`, plural(roles[r], "element"), from})
	}
	return append(out, refs...)
}

// nameOffers are the names on the page of elements of a role.
func nameOffers(m *Model, role, word string, from int) []offer {
	if m.fr == nil || m.fr.page == nil {
		return nil
	}
	if i := strings.LastIndexByte(role, ' '); i >= 0 {
		role = role[i+1:]
	}
	var out []offer
	seen := map[string]bool{}
	for _, l := range m.fr.page.lines {
		if role != "" && roleOf(l) != role {
			continue
		}
		name := nameOf(l)
		if name == "" || seen[name] || !strings.HasPrefix(strings.ToLower(name), strings.ToLower(word)) {
			continue
		}
		seen[name] = true
		out = append(out, offer{`"` + name + `"`, refOf(l), from})
		if len(out) == 400 {
			break
		}
	}
	return out
}

// wordOffers complete the arguments of the screen's own words.
func wordOffers(m *Model, first, word string, from int) []offer {
	var out []offer
	add := func(text, doc string) {
		if strings.HasPrefix(text, word) {
			out = append(out, offer{text, doc, from})
		}
	}
	switch first {
	case "ref":
		for _, o := range targetOffers(m, word, from) {
			if !strings.HasSuffix(o.text, `"`) {
				out = append(out, o)
			}
		}
	case "policy":
		for _, p := range m.allPolicies() {
			add(p.Name, p.Title)
		}
	case "set":
		out = m.knobOffers(word, from)
	case "do":
		for _, a := range m.bindings.actions {
			add(a.name, a.doc)
		}
	case "break":
		return breakOffers(strings.TrimPrefix(word, "break "))
	}
	return out
}

// knobOffers are the knobs that set can turn, by the knob's name or its
// strategy's.
func (m *Model) knobOffers(word string, from int) []offer {
	var out []offer
	seen := map[string]bool{}
	for _, i := range m.settable() {
		for _, k := range knobsOf(m.knobbed(i).policy) {
			text := k.strategy.Name + "." + k.knob.Key + "="
			if !seen[text] && (strings.HasPrefix(text, word) || strings.HasPrefix(k.knob.Key, word)) {
				seen[text] = true
				out = append(out, offer{text, k.knob.Doc, from})
			}
		}
	}
	return out
}
