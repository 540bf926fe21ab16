package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"snapscope/session/policy"

	tea "charm.land/bubbletea/v2"
)

// allPolicies lists every policy that can be shown: the panes' own forms, the
// person's, the built-in ones.
func (m *Model) allPolicies() []policy.Policy {
	var out []policy.Policy
	have := map[string]bool{}
	add := func(p policy.Policy) {
		if !have[p.Name] {
			have[p.Name] = true
			out = append(out, p)
		}
	}
	for _, p := range m.panes {
		add(p.policy)
	}
	for _, p := range m.cfg.Policies {
		add(p)
	}
	for _, p := range m.own {
		add(p)
	}
	for _, p := range policy.Builtin() {
		add(p)
	}
	return out
}

// wordPolicy shows a policy in the focused pane.
func (m *Model) wordPolicy(arg string) error {
	for i, p := range m.panes {
		if p.policy.Name == arg {
			if !p.shown {
				m.togglePane(i)
				return nil
			}
			m.focus = i
			return nil
		}
	}
	var names []string
	for _, p := range m.allPolicies() {
		if p.Name == arg {
			m.panes[m.focus] = pane{policy: p.Clone(), origin: p.Clone(), shown: true}
			m.knobs = knobsPane{}
			m.wantFrame()
			return nil
		}
		names = append(names, p.Name)
	}
	return fmt.Errorf("no policy %q; there are %s", arg, strings.Join(names, ", "))
}

// wordSet turns a knob by name, of the focused pane or else of the first shown
// policy that has it: set fire_threshold=50.
func (m *Model) wordSet(arg string) error {
	key, _, _ := strings.Cut(arg, "=")
	var first error
	for _, i := range m.settable() {
		p := m.knobbed(i).policy.Clone()
		err := p.Set(arg)
		if err == nil {
			if i != rulePane {
				m.focus = i
			}
			m.knobs.follow(m)
			m.changePolicy(i, p, key, "")
			return nil
		}
		if first == nil && hasKnob(p, strings.TrimSpace(key)) {
			first = err
		}
	}
	if first == nil {
		return m.noSuchKnob(arg)
	}
	return first
}

// settable lists the policies whose knobs set can turn, the focused one first.
func (m *Model) settable() []int {
	out := []int{m.focus}
	for _, i := range m.shownPanes() {
		if i != m.focus {
			out = append(out, i)
		}
	}
	return append(out, rulePane)
}

// hasKnob reports whether the policy has the knob called key or strategy.key.
func hasKnob(p policy.Policy, key string) bool {
	for _, k := range knobsOf(p) {
		if k.knob.Key == key || k.strategy.Name+"."+k.knob.Key == key {
			return true
		}
	}
	return false
}

// noSuchKnob says what is wrong with an assignment that no shown policy knows.
func (m *Model) noSuchKnob(arg string) error {
	key, _, ok := strings.Cut(arg, "=")
	if !ok {
		return fmt.Errorf("%q is not knob=value", arg)
	}
	var has []string
	for _, i := range m.settable() {
		for _, k := range knobsOf(m.knobbed(i).policy) {
			if !slices.Contains(has, k.knob.Key) {
				has = append(has, k.knob.Key)
			}
		}
	}
	return fmt.Errorf("no knob %q; there are %s", strings.TrimSpace(key), strings.Join(has, ", "))
}

// wordSave keeps the focused policy under a name and makes it a policy of its
// own.
func (m *Model) wordSave(arg string) error {
	if !policyName(arg) {
		return fmt.Errorf("save takes one word as the policy's name: letters, digits and any of . - _")
	}
	if _, err := policy.Find(arg, nil); err == nil {
		return fmt.Errorf("%s is a built-in policy; take another name", arg)
	}
	if m.cfg.SavePolicy == nil {
		return errors.New("there is no place to save policies to")
	}
	p := m.panes[m.focus].policy.Clone()
	p.Title = "saved from " + p.Name
	p.Name = arg
	file, err := m.cfg.SavePolicy(p)
	if err != nil {
		return fmt.Errorf("saving policy %s: %w", arg, err)
	}
	m.own = append(m.own, p)
	m.panes[m.focus].policy, m.panes[m.focus].origin = p, p.Clone()
	m.say(levelGood, "saved as policy "+arg+" in "+file)
	m.wantFrame()
	return nil
}

func (m *Model) doSavePolicy() tea.Cmd {
	m.input = newInput(inputPolicy, "save policy as ", "")
	return nil
}

func (m *Model) noCompare() string {
	if len(m.panes) == 9 && m.spare() < 0 {
		return "all nine panes are in use; hide one first"
	}
	return m.noOwnKnobs()
}

// spare is a pane that can be taken for a copy: the last hidden one.
func (m *Model) spare() int {
	for i := len(m.panes) - 1; i >= 0; i-- {
		if !m.panes[i].shown {
			return i
		}
	}
	return -1
}

// doCompare puts a copy of the focused policy beside it, so that one stays as A
// while the other is turned as B.
func (m *Model) doCompare() {
	p := m.panes[m.focus].policy.Clone()
	name := strings.TrimSuffix(p.Name, "·B") + "·B"
	for i := range m.panes {
		if m.panes[i].policy.Name == name {
			m.panes[i] = pane{policy: p, origin: p.Clone(), shown: true}
			m.panes[i].policy.Name = name
			m.focus = i
			m.knobs.follow(m)
			m.wantFrame()
			return
		}
	}
	p.Name = name
	b := pane{policy: p, origin: p.Clone(), shown: true}
	if len(m.panes) < 9 {
		m.panes = append(m.panes, b)
		m.focus = len(m.panes) - 1
	} else {
		i := m.spare()
		m.panes[i] = b
		m.focus = i
	}
	m.knobs.follow(m)
	m.say(levelInfo, name+" is a copy: turn its knobs, the other stays as it is")
	m.wantFrame()
}

// policyName reports whether a policy can be called name: it must be typed
// again, on the command line and in flags, and read as it is written.
func policyName(name string) bool {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r) {
			return false
		}
	}
	return name != ""
}
