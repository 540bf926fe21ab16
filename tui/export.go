package tui

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
	"snapscope/tui/dialog"
	"snapscope/tui/format"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

func (m *Model) export() tea.Cmd {
	if m.s.Awaits(view.WantFixes) && !m.exports { // what was asked for first is part of what is exported
		m.exports = true
		m.s.Say(view.LevelInfo, "looking for the knob that keeps the element; the export opens once it is turned · "+m.s.Keys.Label("export")+" again opens it now")
		return nil
	}
	m.exports = false
	m.over = dialog.ExportMenu(m.s, m.cfg.SavePolicy != nil, dialog.CommandLine(m.s, m.cfg.Command))
	return nil
}

// exportTo does what was chosen in the menu.
func (m *Model) exportTo(e dialog.Export) tea.Cmd {
	p := m.s.Panes[m.s.Focus].Policy
	stem := "snapscope"
	if s := m.s.Step(); s != nil {
		stem = fmt.Sprintf("snapscope-step%d", s.N)
	}
	switch e.Kind {
	case dialog.ExportPolicy:
		if err := m.wordSave(e.Name); err != nil {
			m.s.Say(view.LevelError, err.Error())
		}
	case dialog.ExportConfig:
		x, err := policy.ExportConfig(e.Name, p)
		if err != nil {
			m.s.Say(view.LevelError, err.Error())
			return nil
		}
		ext := filepath.Ext(x.Where)
		if ext == "" {
			ext = ".txt"
		}
		return m.writeOut("snapscope-"+e.Name+ext, func() (string, error) { return x.Text, nil })
	case dialog.ExportCommand:
		return m.copyText("the command line", dialog.CommandLine(m.s, m.cfg.Command))
	case dialog.ExportStep:
		text := stepMarkdown(m.s)
		return m.writeOut(stem+".md", func() (string, error) { return text, nil })
	case dialog.ExportReport:
		return m.writeOut("snapscope-report.html", m.report())
	case dialog.ExportText:
		text, screen := m.s.DocOf(m.s.FocusAt()).Rendered.Text, m.screenText()
		name := stem + "-" + fileName(p.Name)
		return tea.Batch(m.writeOut(name+"-screen.txt", func() (string, error) { return screen, nil }),
			m.writeOut(name+".txt", func() (string, error) { return text, nil }))
	}
	return nil
}

// writeOut makes a text and writes it to a new file, in a command.
func (m *base) writeOut(name string, text func() (string, error)) tea.Cmd {
	dir := m.cfg.ExportDir
	return func() tea.Msg {
		var t string
		err := guard.Do("making "+name, func() (err error) {
			t, err = text()
			return err
		})
		if err != nil {
			return exportedMsg{"", fmt.Errorf("exporting %s: %w", name, err)}
		}
		path, err := writeNew(dir, name, t)
		return exportedMsg{path, err}
	}
}

// report makes the session's HTML report under every shown policy.
func (m *base) report() func() (string, error) {
	ctx, t, opt, name, enc := m.ctx, m.s.Tl.View(), m.options(), m.s.Info.Name, m.s.EncName
	opt.Fixes = true
	ps := slices.DeleteFunc(m.s.FigurePolicies(), func(p policy.Policy) bool { return p.Name == ledger.AsSentName }) // the report begins with it by itself
	return func() (string, error) {
		s, err := ledger.Study(ctx, t, ps, policy.Builtin(), opt)
		if err != nil {
			return "", err
		}
		s.Recording, s.Encoding = name, enc
		if opt.Prices != nil {
			s.Prices = opt.Prices.Date
		}
		var b bytes.Buffer
		err = ledger.WriteHTML(&b, s)
		return b.String(), err
	}
}

// stepMarkdown is the step looked at, for an issue or a mail: what it did, what
// each pane shows of the page, and what was lost.
func stepMarkdown(m *view.State) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		b.WriteString(safetext.Line(fmt.Sprintf(format, args...)) + "\n")
	}
	s := m.Step()
	line("# Step %d: %s", s.N, wording.OneLine(view.DidWhat(m.Tl, m.At), 200))
	line("")
	if s.Result.OK {
		line("- done in %s ms", wording.Count(int(s.Result.Millis)))
	} else {
		line("- failed: %s", wording.OneLine(s.Result.Error, 500))
	}
	if m.Fr == nil || m.Fr.Page == nil {
		line("- no snapshot up to this step")
		return b.String()
	}
	line("- page: %s, %s", m.Fr.Url, wording.OneLine(m.Fr.Title, 200))
	if m.Fr.Seen != session.SeenInline {
		line("- the agent had the page as: %s", m.Fr.Seen)
	}
	line("")
	line("| policy | tokens | saved | why |")
	line("| --- | ---: | ---: | --- |")
	for n := range m.ShownPanes() {
		if d := m.DocOf(n); d != nil {
			line("| %s | %s | %s | %s |", d.Policy.Name, wording.Count(d.Rendered.Tokens), format.Delta(d.Saved()),
				strings.ReplaceAll(wording.OneLine(d.Reason(), 300), "|", "\\|"))
		}
	}
	for n, i := range m.ShownPanes() {
		d := m.DocOf(n)
		if l, ok := m.LossHere(i); ok && d != nil {
			line("")
			line("**Lost under %s**: %s (%s). %s", d.Policy.Name, l.Ref, wording.OneLine(view.ElementOf(l.Line), 200), l.Why)
			if l.Keep != nil {
				line("`%s`", l.Fix())
			}
		}
	}
	if d := m.DocOf(m.FocusAt()); d != nil {
		line("")
		line("## What the agent gets under %s", d.Policy.Name)
		line("")
		fence := "```"
		for strings.Contains(d.Rendered.Text, fence) {
			fence += "`"
		}
		line("%s", fence)
		for _, l := range strings.Split(d.Rendered.Text, "\n") {
			line("%s", l)
		}
		line("%s", fence)
	}
	return b.String()
}

func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, s)
}

// writeNew writes a file that was not there before: name, name-2, name-3, …
func writeNew(dir, name, text string) (string, error) {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for i := 1; i < 1000; i++ {
		n := name
		if i > 1 {
			n = fmt.Sprintf("%s-%d%s", stem, i, ext)
		}
		path := filepath.Join(dir, n)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("exporting: %w", err)
		}
		_, err = f.WriteString(text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(path) // no half-written file stays
			return "", fmt.Errorf("exporting: %w", err)
		}
		return path, nil
	}
	return "", fmt.Errorf("exporting: %s and a thousand others are there already", name)
}

type exportedMsg struct {
	path string
	err  error
}

func (e exportedMsg) apply(m *Model) tea.Cmd {
	if e.err != nil {
		m.s.Say(view.LevelError, e.err.Error())
	} else {
		m.s.Say(view.LevelGood, "wrote "+e.path)
	}
	return nil
}
