package view

import (
	"fmt"
	"slices"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy/registry"
	"snapscope/tui/layout"
)

// Pane is one way to read the session: a policy, shown or not.
type Pane struct {
	Policy policy.Policy
	Origin policy.Policy // the policy as it came, for reset
	Shown  bool
}

// SideKind is what the side column holds.
type SideKind uint8

const (
	SideNone SideKind = iota
	SideKnobs
	SideEvents
	SidePicture
)

// Level is how loud a message is.
type Level uint8

const (
	LevelInfo Level = iota
	LevelGood
	LevelStop // a breakpoint
	LevelWarn
	LevelError
)

// Message is the one line said to the person; it stays until the next key.
type Message struct {
	Level Level
	Text  string
}

func (m *Screen) Say(l Level, text string) { m.Msg = Message{l, text} }

// FirstHint is what a person is told who was never here.
func (m *State) FirstHint() string {
	if m.List.Open {
		return fmt.Sprintf("new here? %s looks at a step, %s goes to what went wrong, %s sorts, %s lists every key",
			m.Keys.Label("reason"), m.Keys.Label("next-loss"), m.Keys.Label("step"), m.Keys.Label("help"))
	}
	return fmt.Sprintf("new here? %s takes a step, %s turns the knobs, %s says why, %s lists every key",
		m.Keys.Label("step"), m.Keys.Label("knobs"), m.Keys.Label("reason"), m.Keys.Label("help"))
}

// PaneOf is a shown pane of a policy as it came.
func PaneOf(p policy.Policy) Pane { return Pane{Policy: p.Clone(), Origin: p.Clone(), Shown: true} }

// PanesOf lists the panes: those asked for, shown, then every other policy that
// rewrites, hidden.
func PanesOf(shown, own []policy.Policy) []Pane {
	if len(shown) == 0 {
		for _, name := range []string{"full", "passmark", "compress"} {
			if s, err := registry.Get(name); err == nil {
				shown = append(shown, policy.Single(s))
			}
		}
	}
	var out []Pane
	have := map[string]bool{}
	add := func(p policy.Policy, show bool) {
		if have[p.Name] || len(out) == 9 && !show {
			return
		}
		have[p.Name] = true
		out = append(out, Pane{Policy: p.Clone(), Origin: p.Clone(), Shown: show})
	}
	for _, p := range shown {
		add(p, true)
	}
	for _, p := range slices.Concat(own, policy.Builtin()) {
		if p.Name == "full" || p.Rewrites() {
			add(p, false)
		}
	}
	return out
}

// SetKnobs lays assignments over every policy that has the knob.
func SetKnobs(panes []Pane, set []string) error {
	for _, a := range set {
		var first error
		done := false
		for i := range panes {
			p := panes[i].Policy.Clone()
			if err := p.Set(a); err == nil {
				panes[i].Policy, panes[i].Origin, done = p, p.Clone(), true
			} else if first == nil || len(p.Stages) > 0 {
				first = err
			}
		}
		if !done {
			return first
		}
	}
	return nil
}

// ShownPanes lists the indexes of the panes that are shown, in order.
func (m *PaneSet) ShownPanes() []int {
	var out []int
	for i, p := range m.Panes {
		if p.Shown {
			out = append(out, i)
		}
	}
	return out
}

// FocusAt is the place of the focused pane among the shown ones.
func (m *PaneSet) FocusAt() int {
	for i, p := range m.ShownPanes() {
		if p == m.Focus {
			return i
		}
	}
	return 0
}

// Step is the step looked at; nil before the first.
func (m *Story) Step() *session.Step {
	if m.At < 0 || m.At >= len(m.Tl.Steps) {
		return nil
	}
	return &m.Tl.Steps[m.At]
}

// Show puts a frame on the screen and keeps the reader where it was: on the same
// line of the page, or on what a new step did.
func (m *State) Show(f *Frame) {
	old, oldGrid := m.Fr, m.Grid
	m.Fr = f
	if m.Weigh {
		m.Ask(WantWeights)
	}
	m.Arrange()
	m.regrid()
	if m.Grid == nil {
		m.Top, m.Row = 0, 0
		m.Search.Hits = nil
		if m.Search.land != 0 && f.at == m.At {
			m.landed()
		}
		return
	}
	samePlace := m.WantRef == "" && old != nil && old.Page != nil && oldGrid != nil && m.Row < oldGrid.Len()
	switch {
	case samePlace && old.Snap == f.Snap:
		m.placeAt(oldGrid, m.Row)
	case m.WantRef != "" && m.toRef(m.WantRef):
	case old == nil || old.at != f.at || old.Snap != f.Snap:
		m.Row, m.Top = 0, 0
		if len(m.Grid.ofPage) > 0 { // what only some panes have above the page is seen, not stood on
			m.Row = int(m.Grid.ofPage[0])
		}
		if f.focus >= 0 {
			m.LeapTo(int(m.Grid.ofPage[f.focus]))
		} else if len(m.Grid.Changes) > 0 && !f.Page.First {
			m.LeapTo(int(m.Grid.Changes[0]))
		}
	}
	if m.Job == nil {
		m.WantRef = ""
	}
	m.ClampView()
	m.Search.Run(&m.Reader)
	if m.Search.land != 0 && f.at == m.At {
		m.landed()
	}
}

// toRef puts the cursor on the element with a ref.
func (m *Reader) toRef(ref string) bool {
	i := m.Fr.Page.Find(ref)
	if i < 0 {
		return false
	}
	m.LeapTo(int(m.Grid.ofPage[i]))
	return true
}

// placeAt keeps the cursor on the line of the page that it was on in another
// grid.
func (m *Reader) placeAt(was *Grid, row int) {
	line := int32(-1)
	for r := row; r >= 0 && line < 0; r-- {
		line = was.Page[r]
	}
	off := m.Row - m.Top
	if line >= 0 && int(line) < len(m.Grid.ofPage) {
		m.Row = int(m.Grid.ofPage[line])
		m.Top = m.Row - off
	}
}

// regrid makes the rows that are walked through from the frame's.
func (m *Reader) regrid() {
	m.Grid = nil
	if m.Fr == nil || m.Fr.grid == nil {
		return
	}
	m.Grid = m.Fr.grid
	switch {
	case m.Search.Filter != nil:
		m.Grid = m.Search.filtered(m.Fr)
	case m.Fold:
		m.Grid = foldSame(m.Fr.Page, m.Fr.Docs, m.Fr.grid)
	}
}

// Look goes to a step by its index.
func (m *Walk) Look(at int) {
	if at < 0 || at >= len(m.Tl.Steps) {
		return
	}
	m.At = at
	m.Follow = at == len(m.Tl.Steps)-1
	m.Ask(WantFrame)
	m.List.follow(m.Table, at)
	m.SayFailure()
}

// SayFailure says what went wrong in the step looked at, unless there is something
// else to say or the list of steps says it.
func (m *Walk) SayFailure() {
	if m.Msg.Text != "" || m.List.Open || m.Step() == nil {
		return
	}
	if why := m.WrongAt(m.At); why != "" {
		m.Say(LevelWarn, fmt.Sprintf("step %d: %s · ", m.Step().N, why)+m.Keys.Label("events")+" shows its answer")
	}
}

// SessionKey names the session whose breakpoints and notes are kept.
func (m *Story) SessionKey() string {
	switch {
	case m.Info.Name != "":
		return m.Info.Name
	case m.Info.Recording != "":
		return m.Info.Recording
	}
	return string(m.Info.Mode)
}

func (m *PaneSet) RestorePanes(names []string) {
	want := map[string]bool{}
	for _, n := range names {
		want[n] = true
	}
	any := false
	for i := range m.Panes {
		any = any || want[m.Panes[i].Policy.Name]
	}
	if !any {
		return
	}
	for i := range m.Panes {
		m.Panes[i].Shown = want[m.Panes[i].Policy.Name]
	}
	m.Focus = m.ShownPanes()[0]
}

// ClearMessage forgets what was said before: a message stays until the next key.
func (m *State) ClearMessage() {
	m.Msg = Message{}
	m.Knobs.Was = nil
}

// Arrange lays the screen out for what is shown now and brings what is chosen into
// sight.
func (m *State) Arrange() {
	m.Lay = layout.Arrange(m.W, m.H, layout.Wanted{
		Panes: len(m.ShownPanes()), Focus: m.FocusAt(), Zoom: m.Zoom, Side: m.Side != SideNone, Wide: m.Side == SidePicture, List: m.List.Open,
	})
	m.Lay.Reason = m.reasonRows()
	if m.List.Open {
		body, _ := m.Lay.ListParts()
		m.List.Fit(body.H, 2)
	}
	if m.Side == SideKnobs {
		lines := m.Knobs.Lines(m.KnobRows())
		body, _ := SplitKnobs(m.Lay.Side, len(lines))
		m.Knobs.scrollTo(lines, body.H)
	}
}
