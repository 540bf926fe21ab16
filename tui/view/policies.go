package view

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"snapscope/session/policy"
)

// AllPolicies lists every policy that can be shown: the panes' own forms, the
// person's, the built-in ones.
func (m *PaneSet) AllPolicies() []policy.Policy {
	var out []policy.Policy
	have := map[string]bool{}
	add := func(p policy.Policy) {
		if !have[p.Name] {
			have[p.Name] = true
			out = append(out, p)
		}
	}
	for _, p := range m.Panes {
		add(p.Policy)
	}
	for _, p := range m.Own {
		add(p)
	}
	for _, p := range policy.Builtin() {
		add(p)
	}
	return out
}

// WordPolicy shows a policy in the focused pane.
func (m *State) WordPolicy(arg string) error {
	for i, p := range m.Panes {
		if p.Policy.Name == arg {
			if !p.Shown {
				m.GoToPane(i)
				return nil
			}
			m.Focus = i
			return nil
		}
	}
	var names []string
	for _, p := range append(m.AllPolicies(), Sent()) {
		if p.Name == arg {
			m.Panes[m.Focus] = PaneOf(p)
			m.Knobs.Forget()
			m.Ask(WantFrame)
			return nil
		}
		names = append(names, p.Name)
	}
	return fmt.Errorf("no policy %q; there are %s", arg, strings.Join(names, ", "))
}

// WordSet turns a knob by name, of the focused pane or else of the first shown
// policy that has it: set fire_threshold=50.
func (m *State) WordSet(arg string) error {
	key, _, _ := strings.Cut(arg, "=")
	var first error
	for _, i := range m.settable() {
		p := m.Knobbed(i).Policy.Clone()
		err := p.Set(arg)
		if err == nil {
			if i != rulePane {
				m.Focus = i
			}
			m.Knobs.Follow()
			m.Knobs.ChangePolicy(i, p, key, "")
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
func (m *PaneSet) settable() []int {
	out := []int{m.Focus}
	for _, i := range m.ShownPanes() {
		if i != m.Focus {
			out = append(out, i)
		}
	}
	return append(out, rulePane)
}

// hasKnob reports whether the policy has the knob called key or strategy.key.
func hasKnob(p policy.Policy, key string) bool {
	for _, k := range KnobsOf(p) {
		if k.Knob.Key == key || k.strategy.Name+"."+k.Knob.Key == key {
			return true
		}
	}
	return false
}

// noSuchKnob says what is wrong with an assignment that no shown policy knows.
func (m *PaneSet) noSuchKnob(arg string) error {
	key, _, ok := strings.Cut(arg, "=")
	if !ok {
		return fmt.Errorf("%q is not knob=value", arg)
	}
	var has []string
	for _, i := range m.settable() {
		for _, k := range KnobsOf(m.Knobbed(i).Policy) {
			if !slices.Contains(has, k.Knob.Key) {
				has = append(has, k.Knob.Key)
			}
		}
	}
	return fmt.Errorf("no knob %q; there are %s", strings.TrimSpace(key), strings.Join(has, ", "))
}

// SparePane is a pane that can be taken for a copy: the last hidden one.
func (m *PaneSet) SparePane() int {
	for i := len(m.Panes) - 1; i >= 0; i-- {
		if !m.Panes[i].Shown {
			return i
		}
	}
	return -1
}

// Compare puts a copy of the focused policy beside it, so that one stays as A
// while the other is turned as B.
func (m *State) Compare() {
	p := m.Panes[m.Focus].Policy.Clone()
	name := strings.TrimSuffix(p.Name, "·B") + "·B"
	for i := range m.Panes {
		if m.Panes[i].Policy.Name == name {
			m.Panes[i] = Pane{Policy: p, Origin: p.Clone(), Shown: true}
			m.Panes[i].Policy.Name = name
			m.Focus = i
			m.Knobs.Follow()
			m.Ask(WantFrame)
			return
		}
	}
	p.Name = name
	b := Pane{Policy: p, Origin: p.Clone(), Shown: true}
	if len(m.Panes) < 9 {
		m.Panes = append(m.Panes, b)
		m.Focus = len(m.Panes) - 1
	} else {
		i := m.SparePane()
		m.Panes[i] = b
		m.Focus = i
	}
	m.Knobs.Follow()
	m.Say(LevelInfo, name+" is a copy: turn its knobs, the other stays as it is")
	m.Ask(WantFrame)
}

// PolicyName reports whether a policy can be called name: it must be typed
// again, on the command line and in flags, and read as it is written.
func PolicyName(name string) bool {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r) {
			return false
		}
	}
	return name != ""
}

// FreeName is a name for an own form of a policy: compress is my-compress.
func (m *PaneSet) FreeName(of string) string {
	base := strings.Map(func(r rune) rune {
		if PolicyName(string(r)) {
			return r
		}
		return '-'
	}, of)
	return "my-" + strings.TrimPrefix(base, "my-")
}
