package pane

import (
	"fmt"
	"strings"

	"snapscope/session"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/format"
	"snapscope/tui/layout"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// DrawTooSmall says in one sentence what the screen needs.
func (m *Painter) DrawTooSmall() {
	text := fmt.Sprintf("snapscope needs %d×%d, this terminal is %d×%d", layout.MinWidth, layout.MinHeight, m.S.W, m.S.H)
	for y, line := range draw.WrapWords(text, m.S.W) {
		m.Cv.Text(layout.R(0, y, m.S.W, 1).Clip(m.S.W, m.S.H), line, m.Th.Text)
	}
}

// DrawHeader says where the person is: mode, session, page, step, recording.
func (m *Painter) DrawHeader(r layout.Rect) {
	c, th := m.Cv, m.Th
	name, bold := "snapscope", th.Strong
	if m.S.Tag != "" {
		name, bold = " "+m.S.Tag, th.Dim
		if m.S.TagOn {
			name, bold = "▸"+m.S.Tag, th.Accent
		}
	}
	x := c.Put(r.X+1, r.Y, r.X+r.W, name, bold)
	mode, look := m.modeMark()
	x = c.Put(x+2, r.Y, r.X+r.W, mode, look)
	right := m.S.StepMark()
	var tail []string
	if m.S.Info.Recording != "" {
		tail = append(tail, "● rec "+format.Base(m.S.Info.Recording))
	} else if m.S.Unkept {
		tail = append(tail, "not recorded")
	}
	if r.W >= 100 {
		tail = append(tail, m.S.Encoding())
	}
	if len(tail) > 0 {
		right += "  " + strings.Join(tail, "  ")
	}
	at := c.Right(r.Inset(0, 1), right, th.Dim)
	c.Put(at, r.Y, r.X+r.W, m.S.StepMark(), th.Strong)
	if m.S.Info.Recording != "" {
		c.Put(at+safetext.Width(m.S.StepMark())+2, r.Y, r.X+r.W, "●", th.Bad)
	}
	mid := layout.R(x+2, r.Y, at-x-4, 1)
	if mid.W < 8 || m.S.Fr == nil {
		return
	}
	name = format.Base(m.S.Info.Name)
	if name != "" && (r.W >= 110 || m.S.Tag != "") {
		mid.X = c.Text(mid.ClipRight(24), name, th.Dim) + 2
		mid.W = at - mid.X - 2
	}
	if m.S.Fr.Url != "" {
		end := c.Text(mid.ClipRight(max(mid.W*3/5, 20)), m.S.Fr.Url, th.Accent)
		mid.W -= end + 2 - mid.X
		mid.X = end + 2
		if mid.W > 4 {
			c.Text(mid, m.S.Fr.Title, th.Dim)
		}
	}
}

// modeMark says what the session comes from, and that one looks at the past.
func (m *Painter) modeMark() (string, draw.Style) {
	past := m.S.At >= 0 && m.S.At < len(m.S.Tl.Steps)-1
	switch {
	case !m.S.Open:
		return "", m.Th.Dim
	case m.S.Gone != "":
		return "✗ browser gone", m.Th.Bad
	case m.S.Info.Mode == session.ModeLive && past:
		return "◐ looking at the past", m.Th.Warn
	case m.S.ByHand:
		return "● live · changed by hand", m.Th.Warn
	case m.S.Info.Mode == session.ModeLive:
		return "● live", m.Th.Good
	case m.S.Steer.On:
		return m.steerMark()
	case m.S.Info.Mode == session.ModeFollow:
		return "◉ following", m.Th.Good
	}
	return "▷ replay", m.Th.Dim
}

// steerMark says what a running agent is held at, now and from here on: the line of
// messages tells it once, this stays.
func (m *Painter) steerMark() (string, draw.Style) {
	s, text, look := m.S.Steer, "◉ attached", m.Th.Good
	switch {
	case s.Ended:
		return "◌ the agent has ended", m.Th.Dim
	case s.Held > 0:
		text, look = fmt.Sprintf("‖ %d held", s.Held), m.Th.Warn
	}
	if s.Policy != "" {
		text, look = text+" · agent reads pages under "+safetext.Cut(s.Policy, 24), m.Th.Warn
	}
	if len(s.Will) == 0 {
		return text, look
	}
	will := strings.Join(s.Will, ", ")
	if room := m.S.W*5/8 - safetext.Width(text) - 12; safetext.Width(will) > room {
		will = fmt.Sprintf("%s and %d more", s.Will[0], len(s.Will)-1)
		if len(s.Will) == 1 || safetext.Width(will) > room {
			will = wording.Plural(len(s.Will), "condition")
		}
	}
	return text + " · holds " + will, m.Th.Warn
}

// DrawMessage says what is running, or what was said last; false: there is
// nothing to say.
func (m *Painter) DrawMessage(r layout.Rect) bool {
	if m.S.Job != nil {
		m.drawJob(r)
		return true
	}
	if m.S.Msg.Text == "" {
		return false
	}
	mark, look := "", m.Th.Text
	switch m.S.Msg.Level {
	case view.LevelGood:
		mark, look = "✓ ", m.Th.Good
	case view.LevelStop:
		mark, look = "◆ ", m.Th.Accent
	case view.LevelWarn:
		mark, look = "! ", m.Th.Warn
	case view.LevelError:
		mark, look = "✗ ", m.Th.Bad
	}
	lines := []string{mark + m.S.Msg.Text}
	if safetext.Width(lines[0]) > r.W-2 {
		lines = draw.WrapCells(lines[0], r.W-2, mostMessage)
	}
	for i, l := range lines { // one that is too long for its row is read in full
		row := layout.R(r.X, r.Y-len(lines)+1+i, r.W, 1)
		m.Cv.Fill(row, " ", m.Th.Text)
		m.Cv.Text(row.Inset(1, 1), l, look)
	}
	return true
}

// mostMessage is how many rows a message may take.
const mostMessage = 6

// DrawKeys names what can be done now; why tells what cannot.
func (m *Painter) DrawKeys(r layout.Rect, why func(action string) string) {
	x, end := r.X+1, r.X+r.W
	for _, h := range m.S.Hints(r.W - 2) {
		if h.Action != "" && why(h.Action) != "" {
			x = m.Cv.Put(x, r.Y, end, h.Key+" "+h.Short, m.Th.Faint) + view.HintGap
			continue
		}
		x = m.Cv.Put(x, r.Y, end, h.Key, m.Th.Key)
		x = m.Cv.Put(x+1, r.Y, end, h.Short, m.Th.Dim) + view.HintGap
	}
}

// spinner turns with the clock of a running job.
var spinner = []string{"◐", "◓", "◑", "◒"}

func (m *Painter) drawJob(r layout.Rect) {
	c, th := m.Cv, m.Th
	spent := m.S.Clock().Sub(m.S.Job.Since)
	mark := spinner[int(spent/(2*view.TickEvery))%len(spinner)]
	x := c.Put(r.X+1, r.Y, r.X+r.W, mark+" ", th.Accent)
	what := m.S.Job.What
	if m.S.Job.Mode == view.JobContinue && m.S.Job.Done > 0 {
		what = fmt.Sprintf("%s · %s done · now %s", what, wording.Plural(m.S.Job.Done, "step"), m.S.NextName())
	}
	if m.S.Job.Doing != "" {
		what += " · " + m.S.Job.Doing
	}
	if m.S.Job.Cancelled {
		what = "stopping: " + what
	}
	tail := fmt.Sprintf("  %s   %s ", format.Duration(spent), m.S.Keys.Label("cancel")+" stops it")
	if m.S.Job.Cancelled {
		tail = fmt.Sprintf("  %s   %s ", format.Duration(spent), m.S.Keys.Label("cancel")+" again lets go of it")
	}
	x = c.Text(layout.R(x, r.Y, r.X+r.W-x-safetext.Width(tail), 1), what, th.Text)
	c.Put(x, r.Y, r.X+r.W, tail, th.Dim)
}
