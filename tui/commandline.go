package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/session/script"
	"snapscope/snapshot/mask"
	"snapscope/snapshot/wording"
	"snapscope/tui/dialog"
	"snapscope/tui/draw"
	"snapscope/tui/keymap"
	"snapscope/tui/view"
)

// word is a word of the command line that is about the screen itself; the others are
// the verbs of a step script.
type word struct {
	keymap.Word
	why reason // nil: it can always be done
	do  func(m *Model, arg string) (tea.Cmd, error)
}

// words is their table, in the order of the help.
func words() []word {
	quiet := func(do func(*Model, string) error) func(*Model, string) (tea.Cmd, error) {
		return func(m *Model, arg string) (tea.Cmd, error) { return nil, do(m, arg) }
	}
	on := func(do func(*view.State, string) error) func(*Model, string) (tea.Cmd, error) {
		return func(m *Model, arg string) (tea.Cmd, error) { return nil, do(m.s, arg) }
	}
	return []word{
		{keymap.Word{Word: "step", Args: "[n]", Doc: "look at step n, or do the next one"}, nil, (*Model).wordStep},
		{keymap.Word{Word: "until", Args: "n", Doc: "go on until step n"}, nil, (*Model).wordUntil},
		{keymap.Word{Word: "ref", Args: "e12", Doc: "go to the element with this ref"}, noPage, on((*view.State).WordRef)},
		{keymap.Word{Word: "filter", Args: "[text | role:button | ref:e12]", Doc: "show only matching lines; alone: all again"}, noPage, on((*view.State).WordFilter)},
		{keymap.Word{Word: "break", Args: "condition", Doc: "stop where this holds"}, nil, (*Model).wordBreak},
		{keymap.Word{Word: "set", Args: "knob=value", Doc: "turn a knob of the focused pane"}, nil, on((*view.State).WordSet)},
		{keymap.Word{Word: "policy", Args: "name", Doc: "show a policy in the focused pane"}, nil, on((*view.State).WordPolicy)},
		{keymap.Word{Word: "tune", Args: "[seconds | stop]", Doc: "search for the policy that costs least and keeps everything"}, nil, wordTune},
		{keymap.Word{Word: "save", Args: "name", Doc: "keep the focused pane's policy under a name"}, nil, quiet((*Model).wordSave)},
		{keymap.Word{Word: "model", Args: "[name]", Doc: "count costs at the prices of a model; alone: of the session's"}, nil, quiet((*Model).wordModel)},
		{keymap.Word{Word: "theme", Args: "name", Doc: "how the screen looks: dark, light, contrast, mono"}, noTheme, quiet((*Model).word)},
		{keymap.Word{Word: "do", Args: "action", Doc: "any action of the key table by name"}, nil, (*Model).wordAction},
	}
}

// Words is the table for those who read it.
func Words() []keymap.Word {
	var out []keymap.Word
	for _, w := range words() {
		out = append(out, w.Word)
	}
	return out
}

// entered takes the line that was typed. A line with an error stays open.
func (m *Model) entered(in *dialog.Input) tea.Cmd {
	text := dialog.Trimmed(in)
	if why := m.changesAgent(in, text); why != "" && in.Asked != in.String() {
		in.Asked, in.Err = in.String(), why
		return nil
	}
	var cmd tea.Cmd
	var err error
	switch in.Kind {
	case dialog.InputSearch:
		err = m.s.EndSearch(text)
	case dialog.InputCommand:
		if text != "" {
			cmd, err = m.runCommand(text)
		}
	case dialog.InputNote:
		cmd = m.addNote(text)
	case dialog.InputBreak:
		if text != "" {
			cmd, err = m.wordBreak(text)
		}
	case dialog.InputPolicy:
		err = m.wordSave(text)
	case dialog.InputKnob:
		err = m.s.Knobs.SetChosen(text)
	case dialog.InputSteps:
		err = m.s.FilterSteps(text)
	case dialog.InputFilter:
		_, err = m.runCommand("filter " + text)
	}
	if err != nil {
		in.Err = err.Error()
		return nil
	}
	if m.input == in {
		m.input = nil
	}
	if in.Kind == dialog.InputCommand && text != "" {
		a, err := readAction(m.s, m.cfg.BaseURL, text)
		m.remember(text, a, err == nil)
	}
	return cmd
}

const maxHistory = 200

// history is what was typed.
type history struct {
	*base
	hushed []typedLine // lines of it that may hold a secret
}

// remember adds a line to the history, the last time it was typed only. What an
// action types stands masked in it until the session says that it is no secret.
func (m *history) remember(text string, a session.Action, acts bool) {
	if m.cfg.Seat != nil && strings.Contains(text, "{") {
		return // what another program sends, with whatever it types
	}
	line := mask.New(false).Text(text)
	if acts && (a.Verb == session.VerbFill || a.Verb == session.VerbType) && a.Text("text") != "" {
		line = hidden(text, a)
		m.hushed = append(m.hushed[max(0, len(m.hushed)-maxTyped):], typedLine{shown: line, line: text, text: a.Text("text"), verb: a.Verb})
	}
	m.add(line)
}

// maxTyped bounds the lines that wait for what the session says of them.
const maxTyped = 20

// typedLine is a line of the history that types something, as it may be kept and as
// it was typed.
type typedLine struct {
	shown, line string
	text        string // what it types
	verb        session.Verb
}

// hidden is a line without what its action types.
func hidden(text string, a session.Action) string {
	if typed := a.Text("text"); strings.HasSuffix(text, typed) {
		return strings.TrimSuffix(text, typed) + mask.Masked
	}
	return running(a) + " " + mask.Masked
}

func (m *history) add(text string) {
	out := m.s.Hist[:0:0]
	for _, h := range m.s.Hist {
		if h != text {
			out = append(out, h)
		}
	}
	m.s.Hist = append(out, text)
	if n := len(m.s.Hist); n > maxHistory {
		m.s.Hist = m.s.Hist[n-maxHistory:]
	}
}

// reveal puts a line of the history back as it was typed, once the session shows its
// text in clear. Until then, and where it does not, nobody can read it there.
func (m *history) reveal(e session.Event) {
	if e.Action == nil {
		return
	}
	for i, t := range m.hushed {
		said := e.Action.Text("text")
		if t.verb != e.Action.Verb || said != t.text && said != mask.Masked {
			continue
		}
		m.hushed = slices.Delete(m.hushed, i, i+1)
		if at := slices.Index(m.s.Hist, t.shown); at >= 0 && said == t.text {
			m.s.Hist[at] = t.line
		}
		return
	}
}

// running is what an action is called while it runs: without what it types, which
// may be a secret.
func running(a session.Action) string {
	if a.Verb == session.VerbFill || a.Verb == session.VerbType {
		return strings.TrimSpace(string(a.Verb) + " " + a.Target.String())
	}
	return a.Label()
}

// runCommand carries out one typed line.
func (m *Model) runCommand(text string) (tea.Cmd, error) {
	if cmd, ok := m.seatWord(text); ok {
		return cmd, nil
	}
	word, arg, _ := strings.Cut(text, " ")
	arg = strings.TrimSpace(arg)
	if _, err := strconv.Atoi(word); err == nil && arg == "" {
		return m.wordStep(word)
	}
	if word == "q" || word == "q!" || word == "wq" {
		word = "quit"
	}
	if w, ok := m.words[word]; ok {
		if w.why != nil && w.why(m.s) != "" {
			return nil, errors.New(w.why(m.s))
		}
		return w.do(m, arg)
	}
	if _, verb := session.SpecOf(session.Verb(word)); !verb && m.acts[word] != nil {
		return m.wordAction(word)
	}
	a, err := readAction(m.s, m.cfg.BaseURL, text)
	if err != nil {
		return nil, err
	}
	if why := noStep(m.s); why != "" {
		return nil, errors.New(why)
	}
	if m.s.Info.Mode != session.ModeLive {
		return nil, session.ErrRecorded
	}
	return m.start(view.JobDo, running(a), &a), nil
}

// readAction reads a typed action: click e12, click Save, or as a step script has
// it, click {role: button, name: Save}.
func readAction(s *view.State, base, text string) (session.Action, error) {
	verb, rest, _ := strings.Cut(text, " ")
	if rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "{") {
		steps, err := script.Parse("", []byte("- "+verb+": "+rest), base)
		if err != nil {
			return session.Action{}, err
		}
		return steps[0], nil
	}
	line, err := s.ByName(text)
	if err != nil {
		return session.Action{}, err
	}
	return script.ParseCommand(line, base)
}

func (m *Model) wordAction(arg string) (tea.Cmd, error) {
	if m.acts[arg] == nil {
		return nil, fmt.Errorf("no action %q; %s lists them", arg, m.s.Keys.Label("help"))
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
	if n > len(m.s.Tl.Steps) {
		return nil, fmt.Errorf("there are %s so far; until %d goes on to it", wording.Plural(len(m.s.Tl.Steps), "step"), n)
	}
	m.s.Look(n - 1)
	return nil, nil
}

func (m *jobs) wordUntil(arg string) (tea.Cmd, error) {
	n := 0
	if _, err := fmt.Sscanf(arg, "%d", &n); err != nil || n <= len(m.s.Tl.Steps) {
		return nil, fmt.Errorf("until takes the number of a step to come, from %d", len(m.s.Tl.Steps)+1)
	}
	if why := noStep(m.s); why != "" {
		return nil, errors.New(why)
	}
	return m.startTo(view.JobContinue, fmt.Sprintf("going on to step %d", n), nil, 0, n), nil
}

func (m *themes) word(arg string) error {
	if !slices.Contains(draw.ThemeNames, arg) {
		return fmt.Errorf("no theme %q; there are %s", arg, strings.Join(draw.ThemeNames, ", "))
	}
	m.setTheme(arg)
	m.cfg.Theme, m.picked = arg, true
	return nil
}

// wordSave keeps the focused policy under a name and makes it a policy of its
// own.
func (m *base) wordSave(arg string) error {
	if !view.PolicyName(arg) {
		return fmt.Errorf("save takes one word as the policy's name: letters, digits and any of . - _")
	}
	if _, err := policy.Find(arg, nil); err == nil {
		return fmt.Errorf("%s is a built-in policy; take another name", arg)
	}
	if m.cfg.SavePolicy == nil {
		return errors.New("there is no place to save policies to")
	}
	p := m.s.Panes[m.s.Focus].Policy.Clone()
	lost := m.s.WholeSession(m.s.Focus)
	p.Title = "saved from " + p.Name
	p.Name = arg
	file, err := m.cfg.SavePolicy(p)
	if err != nil {
		return fmt.Errorf("saving policy %s: %w", arg, err)
	}
	m.s.Panes[m.s.Focus].Policy, m.s.Panes[m.s.Focus].Origin = p, p.Clone()
	m.s.Own = append(m.s.Own, p)
	m.s.Say(view.LevelGood, "saved as policy "+arg+" in "+file+lost)
	m.s.Ask(view.WantFrame)
	return nil
}
