package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/script"
)

// screenWords do what the words of the command line say that are about the screen
// itself; the others are the verbs of a step script.
var screenWords map[string]func(m *Model, arg string) (tea.Cmd, error)

// quietly is a word that asks for nothing but what the state itself wants.
func quietly(do func(*Model, string) error) func(*Model, string) (tea.Cmd, error) {
	return func(m *Model, arg string) (tea.Cmd, error) { return nil, do(m, arg) }
}

func init() {
	screenWords = map[string]func(*Model, string) (tea.Cmd, error){
		"step":   (*Model).wordStep,
		"until":  (*Model).wordUntil,
		"ref":    quietly((*Model).wordRef),
		"filter": quietly((*Model).wordFilter),
		"break":  (*Model).wordBreak,
		"set":    quietly((*Model).wordSet),
		"policy": quietly((*Model).wordPolicy),
		"save":   quietly((*Model).wordSave),
		"theme":  quietly((*Model).wordTheme),
		"do":     (*Model).wordAction,
	}
}

// entered takes the line that was typed. A line with an error stays open.
func (m *Model) entered(in *input) tea.Cmd {
	text := trimmed(in)
	var cmd tea.Cmd
	var err error
	switch in.kind {
	case inputSearch:
		m.endSearch(text)
	case inputCommand:
		if text != "" {
			cmd, err = m.runCommand(text)
		}
	case inputNote:
		cmd = m.addNote(text)
	case inputBreak:
		if text != "" {
			cmd, err = m.wordBreak(text)
		}
	case inputPolicy:
		err = m.wordSave(text)
	case inputFilter:
		err = m.wordFilter(text)
	}
	if err != nil {
		in.err = err.Error()
		return nil
	}
	if m.input == in {
		m.input = nil
	}
	if in.kind == inputCommand && text != "" {
		m.remember(text)
	}
	return cmd
}

// endSearch ends the typing of a search.
func (m *Model) endSearch(text string) {
	switch i := m.search.at(m.row); {
	case text == "":
		m.search.clear(m)
	case len(m.search.hits) == 0:
		m.say(levelWarn, fmt.Sprintf("%q is not on this page", text))
	case i < len(m.search.hits):
		m.toMatch(i)
	}
}

func (m *Model) doCommand() tea.Cmd {
	m.input = newInput(inputCommand, ":", "")
	return nil
}

const maxHistory = 200

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

// runCommand carries out one typed line.
func (m *Model) runCommand(text string) (tea.Cmd, error) {
	word, arg, _ := strings.Cut(text, " ")
	arg = strings.TrimSpace(arg)
	if run := screenWords[word]; run != nil {
		return run(m, arg)
	}
	if _, verb := session.SpecOf(session.Verb(word)); !verb {
		if _, ok := doings[word]; ok {
			return m.wordAction(word)
		}
	}
	a, err := script.ParseCommand(text, m.cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	if why := m.noStep(); why != "" {
		return nil, errors.New(why)
	}
	if m.info.Mode != session.ModeLive {
		return nil, session.ErrRecorded
	}
	return m.act(a), nil
}

func (m *Model) wordAction(arg string) (tea.Cmd, error) {
	if _, ok := doings[arg]; !ok {
		return nil, fmt.Errorf("no action %q; %s lists them", arg, m.keys.Label("help"))
	}
	if why := m.whyNot(arg); why != "" {
		return nil, errors.New(why)
	}
	m.input = nil
	return m.do(arg), nil
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
	m.look(n - 1)
	return nil, nil
}

func (m *Model) wordUntil(arg string) (tea.Cmd, error) {
	n := 0
	if _, err := fmt.Sscanf(arg, "%d", &n); err != nil || n <= len(m.tl.Steps) {
		return nil, fmt.Errorf("until takes the number of a step to come, from %d", len(m.tl.Steps)+1)
	}
	if why := m.noStep(); why != "" {
		return nil, errors.New(why)
	}
	return m.startTo(jobContinue, fmt.Sprintf("going on to step %d", n), nil, 0, n), nil
}

func (m *Model) wordRef(arg string) error {
	if why := m.noPage(); why != "" {
		return errors.New(why)
	}
	if m.toRef(arg) {
		return nil
	}
	return fmt.Errorf("no element with ref %q on this page", arg)
}

func (m *Model) wordFilter(arg string) error {
	if why := m.noPage(); why != "" {
		return errors.New(why)
	}
	m.search.filter = parseFilter(arg)
	m.regrow()
	return nil
}

func (m *Model) wordTheme(arg string) error {
	if why := m.noTheme(); why != "" {
		return errors.New(why)
	}
	if !slices.Contains(themeNames, arg) {
		return fmt.Errorf("no theme %q; there are %s", arg, strings.Join(themeNames, ", "))
	}
	m.setTheme(arg)
	m.cfg.Theme, m.picked = arg, true
	return nil
}
