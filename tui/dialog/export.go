package dialog

import (
	"fmt"
	"strings"

	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/tui/view"
)

// ExportKind is what is to be exported.
type ExportKind uint8

// The kinds of an export. ExportNone is no export.
const (
	ExportNone    ExportKind = iota
	ExportPolicy             // the policy to the policy file, under Name
	ExportConfig             // the policy as a system's own configuration, Name
	ExportCommand            // the command line that gives this view
	ExportStep               // the step as Markdown
	ExportReport             // the session as an HTML report
	ExportText               // what the pane shows, and the screen beside it
)

// Export is one thing to be exported.
type Export struct {
	Kind ExportKind
	Name string
}

// ExportMenu offers what can be exported from here. saves tells that policies can be
// saved, command is the command line of this view; empty: none is known.
func ExportMenu(m *view.State, saves bool, command string) *Menu {
	e := &Menu{title: "export", foot: "enter exports · esc closes", width: 110, own: "export"}
	add := func(k ExportKind, name, text, note string) {
		e.add(MenuRow{text: text, note: note, Does: Reply{Export: Export{k, name}}})
	}
	p := m.Panes[m.Focus].Policy
	if saves && len(p.Stages) > 0 {
		name := p.Name
		if _, err := policy.Find(name, nil); err == nil || !view.PolicyName(name) {
			name = m.FreeName(name)
		}
		add(ExportPolicy, name, "policy "+p.Name+" to the policy file", "as "+name)
	}
	for _, t := range policy.ExportTargets() {
		if x, err := policy.ExportConfig(t.Name, p); err == nil {
			add(ExportConfig, t.Name, "policy "+p.Name+" as configuration of "+t.Name, x.Where)
		}
	}
	if command != "" {
		add(ExportCommand, "", "the command line that gives this view", command)
	}
	if m.Step() != nil {
		add(ExportStep, "", fmt.Sprintf("step %d as Markdown", m.Step().N), "with what each pane shows")
	}
	add(ExportReport, "", "the session as an HTML report", "under every shown policy")
	if d := m.DocOf(m.FocusAt()); d != nil {
		add(ExportText, "", "what the agent gets under "+p.Name, "and the screen beside it")
	}
	return e
}

// CommandLine is the command that gives a view again: base is the command that
// opens the session. What really went out is no policy: it is shown where no policy
// is named.
func CommandLine(m *view.State, base string) string {
	if base == "" {
		return ""
	}
	parts := []string{base}
	for _, i := range m.ShownPanes() {
		p := m.Panes[i].Policy
		name := p.Name
		if i := strings.Index(name, "·"); i > 0 {
			name = name[:i]
		}
		if name != ledger.AsSentName {
			parts = append(parts, "--policy "+name)
		}
	}
	if strings.Join(parts[1:], " ") == "--policy passmark --policy compress" && len(m.ShownPanes()) == 3 { // as it opens by itself
		parts = parts[:1]
	}
	for _, i := range m.ShownPanes() {
		for _, st := range m.Panes[i].Policy.Stages {
			for _, k := range st.Strategy.Knobs {
				if v, ok := st.Knobs[k.Key]; ok && v != k.Default {
					parts = append(parts, "--set "+st.Strategy.Name+"."+k.Key+"="+k.Format(v))
				}
			}
		}
	}
	return strings.Join(parts, " ")
}
