package dialog

import (
	"fmt"
	"strings"

	"snapscope/snapshot/wording"
	"snapscope/tui/layout"
	"snapscope/tui/pane"
	"snapscope/tui/view"
)

// CopyMenu offers what can be copied from where the cursor is.
type CopyMenu struct {
	menu  menu
	Clips []clip
}

// NewCopyMenu lists what can be copied. What is copied is the text as it is, not
// as it is drawn: it goes to the terminal as base64 (OSC 52), so no byte of it is
// ever read as a command.
func NewCopyMenu(m *view.State) *CopyMenu {
	c := &CopyMenu{}
	add := func(what, text string) {
		if text == "" {
			return
		}
		c.Clips = append(c.Clips, clip{what, text})
		c.menu.rows = append(c.menu.rows, menuRow{text: what, note: strings.TrimSpace(firstLine(text))})
	}
	d := m.DocOf(m.FocusAt())
	if m.Grid != nil && m.Row < m.Grid.Len() {
		if p := m.Grid.Page[m.Row]; p >= 0 {
			add("ref", m.Fr.Page.Ref(int(p)))
		}
		if l := m.Grid.Line(m.Row, m.FocusAt()); l >= 0 && d != nil {
			add("line", d.Lines[l].Text)
		} else if p := m.Grid.Page[m.Row]; p >= 0 {
			add("line", m.Fr.Page.Lines[p])
		}
	}
	if s := m.Step(); s != nil {
		add("step", s.Action.Label())
	}
	if d != nil {
		add("what the agent gets under "+d.Policy.Name, d.Rendered.Text)
		if !d.Same {
			add("the page in full", strings.Join(m.Fr.Page.Lines, "\n"))
		}
		add("why", d.Reason())
	}
	add("URL", m.Fr.Url)
	return c
}

func firstLine(s string) string {
	line, rest, more := strings.Cut(s, "\n")
	if more {
		return fmt.Sprintf("%s … %s", line, wording.Plural(strings.Count(rest, "\n")+2, "line"))
	}
	return line
}

func (c *CopyMenu) Press(m *view.State, key string) Reply {
	if key == "enter" || key == m.Keys.KeyOf("copy") {
		return Reply{Close: true, Copy: c.Clips[c.menu.at]}
	}
	return Reply{Close: !c.menu.move(key)}
}

func (c *CopyMenu) Draw(m *pane.Painter, r layout.Rect) {
	in := m.Sheet(r, min(90, r.W-8), len(c.menu.rows), "copy", "enter copies · esc closes")
	c.menu.Draw(m, in.Inset(2, 0))
}
