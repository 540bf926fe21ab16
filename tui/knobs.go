package tui

import (
	"fmt"
	"math"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// knobsPane is the side column that turns the knobs of all shown policies and of
// the expiry rule.
type knobsPane struct {
	at   int // chosen knob among knobRows
	top  int // first visible line
	undo []knobTurn
	redo []knobTurn
	was  *wasFigures // figures before the last turn; until the next key
}

// rulePane stands in place of a pane's index for the expiry rule whose counters
// the expiry line shows where no shown policy has one of its own.
const rulePane = -1

// knobTurn is one change of a policy, for undo.
type knobTurn struct {
	pane   int
	before policy.Policy
	after  policy.Policy
	what   string
}

// wasFigures are a policy's figures before it was changed.
type wasFigures struct {
	pane     int
	tokens   int
	saved    float64
	input    int
	lost     int
	acted    int
	expired  int
	value    string
	knob     string
	hasTotal bool
}

// knobRow is one knob of a policy with the stage that it belongs to.
type knobRow struct {
	pane     int
	stage    int
	strategy *strategy.Strategy
	knob     strategy.Knob
	value    float64
}

// knobbed is what a knob belongs to: a pane, or the expiry rule.
func (m *Model) knobbed(i int) *pane {
	if i == rulePane {
		return &m.rule
	}
	return &m.panes[i]
}

// knobRows lists the knobs of every shown policy in the order of the panes, then
// those of the expiry rule.
func (m *Model) knobRows() []knobRow {
	var out []knobRow
	add := func(i int) {
		for _, r := range knobsOf(m.knobbed(i).policy) {
			r.pane = i
			out = append(out, r)
		}
	}
	own := false
	for _, i := range m.shownPanes() {
		add(i)
		_, keeps := m.panes[i].policy.Retention()
		own = own || keeps
	}
	if !own {
		add(rulePane)
	}
	return out
}

// chosen is the knob that is turned; ok is false where there is none.
func (k *knobsPane) chosen(m *Model) (r knobRow, ok bool) {
	rows := m.knobRows()
	if len(rows) == 0 {
		return knobRow{}, false
	}
	k.at = max(0, min(k.at, len(rows)-1))
	return rows[k.at], true
}

// knobsOf lists a policy's knobs in the order of its stages.
func knobsOf(p policy.Policy) []knobRow {
	var out []knobRow
	for i, st := range p.Stages {
		s, v := st.Strategy, st.Values()
		for _, k := range s.Knobs {
			out = append(out, knobRow{stage: i, strategy: s, knob: k, value: v[k.Key]})
		}
	}
	return out
}

// follow chooses the focused pane's first knob, unless one of its knobs is
// chosen already or it has none.
func (k *knobsPane) follow(m *Model) {
	if r, ok := k.chosen(m); !ok || r.pane == m.focus {
		return
	}
	for i, r := range m.knobRows() {
		if r.pane == m.focus {
			k.at = i
			return
		}
	}
}

// choose moves to a knob and takes the focus to the pane that shows what it does.
func (k *knobsPane) choose(m *Model, at int) {
	k.at = at
	if r, ok := k.chosen(m); ok && r.pane != rulePane {
		m.focus = r.pane
	}
}

// before is what a pane's figures were before the last turn.
func (k *knobsPane) before(pane int) (wasFigures, bool) {
	if k.was == nil || k.was.pane != pane {
		return wasFigures{}, false
	}
	return *k.was, true
}

func (m *Model) doKnobs() {
	if m.side == sideKnobs && m.onSide {
		m.side, m.onSide = sideNone, false
	} else {
		m.side, m.onSide = sideKnobs, true
		m.zoom = false
		m.knobs.follow(m)
		m.knobs.choose(m, m.knobs.at)
	}
	m.arrange()
	m.clampView()
}

// noKnobs says why no knob can be turned: while the column is open all of them
// can, else those of the focused pane.
func (m *Model) noKnobs() string {
	if m.side == sideKnobs && !m.zoom {
		if len(m.knobRows()) == 0 {
			return "no shown policy has a knob"
		}
		return ""
	}
	return m.noOwnKnobs()
}

func (m *Model) noOwnKnobs() string {
	if len(knobsOf(m.panes[m.focus].policy)) == 0 {
		return fmt.Sprintf("%s has no knobs; %s goes to another pane", m.panes[m.focus].policy.Name, m.keys.Label("next-pane"))
	}
	return ""
}

func (m *Model) doMore() { m.turn(1) }
func (m *Model) doLess() { m.turn(-1) }

// press takes the keys that mean something else while the knobs have them.
func (k *knobsPane) press(m *Model, action string) bool {
	n := len(m.knobRows())
	if n == 0 {
		return false
	}
	switch action {
	case "down":
		k.choose(m, min(k.at+1, n-1))
	case "up":
		k.choose(m, max(k.at-1, 0))
	case "page-down", "bottom":
		k.choose(m, n-1)
	case "page-up", "top":
		k.choose(m, 0)
	case "right":
		m.turn(1)
	case "left":
		m.turn(-1)
	default:
		return false
	}
	return true
}

// turn changes the chosen knob by some steps.
func (m *Model) turn(by float64) {
	if m.side != sideKnobs {
		m.knobs.follow(m)
	}
	r, ok := m.knobs.chosen(m)
	if !ok {
		return
	}
	step := r.knob.Step
	if step <= 0 {
		step = 1
	}
	if r.knob.Type == strategy.Choice || r.knob.Type == strategy.Bool {
		n := float64(max(len(r.knob.Choices), 2))
		m.setKnob(r, math.Mod(r.value+by+n, n))
		return
	}
	to := r.knob.Clamp(r.value + by*step)
	if to == r.value {
		m.say(levelWarn, fmt.Sprintf("%s takes %s to %s", r.knob.Key, knobText(r.knob, r.knob.Min), knobText(r.knob, r.knob.Max)))
		return
	}
	m.setKnob(r, to)
}

// setKnob gives a knob of its policy a value.
func (m *Model) setKnob(r knobRow, to float64) {
	p := m.knobbed(r.pane).policy.Clone()
	st := &p.Stages[r.stage]
	if st.Knobs == nil {
		st.Knobs = strategy.Values{}
	}
	st.Knobs[r.knob.Key] = to
	if to == r.knob.Default {
		delete(st.Knobs, r.knob.Key)
	}
	m.changePolicy(r.pane, p, r.knob.Key, knobText(r.knob, r.value))
}

// changePolicy gives a pane, or the expiry rule, another form of its policy and
// remembers the figures of before, to stand beside the new ones until the next
// key.
func (m *Model) changePolicy(pane int, to policy.Policy, knob, was string) {
	m.knobs.undo = append(m.knobs.undo, knobTurn{pane, m.knobbed(pane).policy, to, knob})
	m.knobs.redo = nil
	m.put(pane, to, knob, was)
}

func (m *Model) put(pane int, to policy.Policy, knob, was string) {
	w := wasFigures{pane: pane, knob: knob, value: was}
	if d := m.docOfPane(pane); d != nil {
		w.tokens, w.saved = d.rendered.Tokens, d.saved()
	}
	if f, ok := m.figuresAt(pane); ok && m.set.events == len(m.tl.Events) {
		s := f.upTo(m.tl, m.at)
		w.input, w.lost, w.acted, w.hasTotal = s.input, len(s.lost), s.acted, true
		w.expired = m.expired()
	}
	m.knobs.was = &w
	m.knobbed(pane).policy = to
	if pane == rulePane {
		m.wantFigures()
		return
	}
	m.wantFrame()
}

// docOfPane is what a pane shows; nil where it is hidden, or not there yet.
func (m *Model) docOfPane(pane int) *doc {
	for n, i := range m.shownPanes() {
		if i == pane {
			return m.docOf(n)
		}
	}
	return nil
}

// figuresAt are the figures of a pane's policy, or of the expiry rule alone.
func (m *Model) figuresAt(pane int) (policyFigures, bool) {
	if pane != rulePane {
		return m.figuresOf(m.panes[pane].policy.Name)
	}
	if m.set == nil || m.set.keeper.report == nil {
		return policyFigures{}, false
	}
	return m.set.keeper, true
}

// expired counts the snapshots that the expiry line shows as gone.
func (m *Model) expired() int {
	n := 0
	if s := m.step(); s != nil && m.set != nil {
		for _, a := range m.set.ages[s.N] {
			if a.Expired {
				n++
			}
		}
	}
	return n
}

func (m *Model) noUndo() string {
	if len(m.knobs.undo) == 0 {
		return "no turn of a knob is left to take back"
	}
	return ""
}

func (m *Model) noRedo() string {
	if len(m.knobs.redo) == 0 {
		return "there is nothing to do again"
	}
	return ""
}

func (m *Model) doUndo() {
	k := &m.knobs
	t := k.undo[len(k.undo)-1]
	k.undo = k.undo[:len(k.undo)-1]
	k.redo = append(k.redo, t)
	m.say(levelInfo, "undone: "+t.what)
	m.put(t.pane, t.before, t.what, "")
}

func (m *Model) doRedo() {
	k := &m.knobs
	t := k.redo[len(k.redo)-1]
	k.redo = k.redo[:len(k.redo)-1]
	k.undo = append(k.undo, t)
	m.say(levelInfo, "done again: "+t.what)
	m.put(t.pane, t.after, t.what, "")
}

// resetPane is whose knobs reset puts back: the chosen knob's while the column is
// open, else the focused pane's.
func (m *Model) resetPane() int {
	if r, ok := m.knobs.chosen(m); ok && m.side == sideKnobs {
		return r.pane
	}
	return m.focus
}

func (m *Model) noReset() string {
	p := m.knobbed(m.resetPane())
	if p.policy.Key() == p.origin.Key() {
		return "all knobs of " + p.policy.Name + " are as they came"
	}
	return ""
}

func (m *Model) doReset() {
	i := m.resetPane()
	p := m.knobbed(i)
	m.changePolicy(i, p.origin.Clone(), "reset", "")
	m.say(levelInfo, "all knobs of "+p.policy.Name+" are as they came; "+m.keys.Label("undo")+" takes that back")
}
