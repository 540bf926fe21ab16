package view

import (
	"errors"
	"fmt"
	"math"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// KnobsPane is the side column that turns the knobs of all shown policies and of
// the expiry rule.
type KnobsPane struct {
	*Figures
	Cur        int // chosen knob among knobRows
	First      int // first visible line
	Undo, Redo []knobTurn
	Was        *WasFigures       // figures before the last turn; until the next key
	edges      map[string]*Edges // where knobs begin to lose, by edgeKey; nil: it cannot be known

	run string // the knob that is being turned, press by press: one undo takes all of it back
}

// Forget begins anew: the panes are others.
func (m *KnobsPane) Forget() { *m = KnobsPane{Figures: m.Figures} }

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

// WasFigures are a policy's figures before it was changed.
type WasFigures struct {
	pane     int
	Tokens   int
	saved    float64
	input    int
	lost     int
	acted    int
	expired  int
	value    string
	knob     string
	hasTotal bool
}

// KnobRow is one knob of a policy with the stage that it belongs to.
type KnobRow struct {
	Pane     int
	stage    int
	strategy *strategy.Strategy
	Knob     strategy.Knob
	Value    float64
}

// Knobbed is what a knob belongs to: a pane, or the expiry rule.
func (m *PaneSet) Knobbed(i int) *Pane {
	if i == rulePane {
		return &m.Rule
	}
	return &m.Panes[i]
}

// KnobRows lists the knobs of every shown policy in the order of the panes, then
// those of the expiry rule.
func (m *PaneSet) KnobRows() []KnobRow {
	var out []KnobRow
	add := func(i int) {
		for _, r := range KnobsOf(m.Knobbed(i).Policy) {
			r.Pane = i
			out = append(out, r)
		}
	}
	own := false
	for _, i := range m.ShownPanes() {
		add(i)
		_, keeps := m.Panes[i].Policy.Retention()
		own = own || keeps
	}
	if !own {
		add(rulePane)
	}
	return out
}

// Chosen is the knob that is turned; ok is false where there is none.
func (m *KnobsPane) Chosen() (r KnobRow, ok bool) {
	rows := m.KnobRows()
	if len(rows) == 0 {
		return KnobRow{}, false
	}
	m.Cur = max(0, min(m.Cur, len(rows)-1))
	return rows[m.Cur], true
}

// KnobsOf lists a policy's knobs in the order of its stages.
func KnobsOf(p policy.Policy) []KnobRow {
	var out []KnobRow
	for i, st := range p.Stages {
		s, v := st.Strategy, st.Values()
		for _, k := range s.Knobs {
			out = append(out, KnobRow{stage: i, strategy: s, Knob: k, Value: v[k.Key]})
		}
	}
	return out
}

// Follow chooses the focused pane's first knob, unless one of its knobs is
// chosen already or it has none.
func (m *KnobsPane) Follow() {
	if r, ok := m.Chosen(); !ok || r.Pane == m.Focus {
		return
	}
	for i, r := range m.KnobRows() {
		if r.Pane == m.Focus {
			m.Cur = i
			return
		}
	}
}

// Choose moves to a knob and takes the focus to the pane that shows what it does.
func (m *KnobsPane) Choose(at int) {
	m.Cur = at
	if r, ok := m.Chosen(); ok && r.Pane != rulePane {
		m.Focus = r.Pane
	}
}

// Before is what a pane's figures were before the last turn.
func (m *KnobsPane) Before(pane int) (WasFigures, bool) {
	if m.Was == nil || m.Was.pane != pane {
		return WasFigures{}, false
	}
	return *m.Was, true
}

// ToggleKnobs opens the column of knobs and gives it the keys, or closes it.
func (m *State) ToggleKnobs() {
	if m.Side == SideKnobs && m.OnSide {
		m.Side, m.OnSide = SideNone, false
	} else {
		m.Side, m.OnSide = SideKnobs, true
		m.Zoom = false
		m.Knobs.Follow()
		m.Knobs.Choose(m.Knobs.Cur)
	}
	m.Arrange()
	m.ClampView()
}

// Press takes the keys that mean something else while the knobs have them.
func (m *KnobsPane) Press(action string) bool {
	n := len(m.KnobRows())
	if n == 0 {
		return false
	}
	switch action {
	case "down":
		m.Choose(min(m.Cur+1, n-1))
	case "up":
		m.Choose(max(m.Cur-1, 0))
	case "page-down", "bottom":
		m.Choose(n - 1)
	case "page-up", "top":
		m.Choose(0)
	case "right":
		m.Turn(1)
	case "left":
		m.Turn(-1)
	default:
		return false
	}
	return true
}

// EndRun ends a run of presses on one knob: the next turn has an undo of its own.
func (m *KnobsPane) EndRun() { m.run = "" }

// ChosenKnob is the chosen knob as set takes it, and its value: compress.keep_n, 10.
func (m *KnobsPane) ChosenKnob() (name, value string, ok bool) {
	r, ok := m.Chosen()
	if !ok {
		return "", "", false
	}
	return r.strategy.Name + "." + r.Knob.Key, r.Knob.Format(r.Value), true
}

// SetChosen gives the chosen knob a typed value.
func (m *KnobsPane) SetChosen(value string) error {
	r, ok := m.Chosen()
	if !ok {
		return errors.New("no shown policy has a knob")
	}
	p := m.Knobbed(r.Pane).Policy.Clone()
	if err := p.Set(r.strategy.Name + "." + r.Knob.Key + "=" + value); err != nil {
		return err
	}
	m.ChangePolicy(r.Pane, p, r.Knob.Key, KnobText(r.Knob, r.Value))
	return nil
}

// Turn changes the chosen knob by some steps.
func (m *KnobsPane) Turn(by int) {
	if m.Side != SideKnobs {
		m.Follow()
	}
	r, ok := m.Chosen()
	if !ok {
		return
	}
	step := r.Knob.Step
	if step <= 0 {
		step = 1
	}
	if r.Knob.Type == strategy.Choice || r.Knob.Type == strategy.Bool {
		n := float64(max(len(r.Knob.Choices), 2))
		m.setKnob(r, math.Mod(r.Value+float64(by)+n, n))
		return
	}
	to := r.Knob.Clamp(r.Value + float64(by)*step)
	if to == r.Value {
		m.Say(LevelWarn, fmt.Sprintf("%s takes %s to %s", r.Knob.Key, KnobText(r.Knob, r.Knob.Min), KnobText(r.Knob, r.Knob.Max)))
		return
	}
	m.setKnob(r, to)
}

// setKnob gives a knob of its policy a value.
func (m *KnobsPane) setKnob(r KnobRow, to float64) {
	p := m.Knobbed(r.Pane).Policy.Clone()
	st := &p.Stages[r.stage]
	if st.Knobs == nil {
		st.Knobs = strategy.Values{}
	}
	st.Knobs[r.Knob.Key] = to
	if to == r.Knob.Default {
		delete(st.Knobs, r.Knob.Key)
	}
	id := fmt.Sprint(r.Pane, r.stage, r.Knob.Key)
	run := m.run == id
	m.ChangePolicy(r.Pane, p, r.Knob.Key, KnobText(r.Knob, r.Value))
	if u := m.Undo; run && len(u) > 1 { // one undo for a run of presses
		u[len(u)-2].after = u[len(u)-1].after
		m.Undo = u[:len(u)-1]
	}
	m.run = id
}

// ChangePolicy gives a pane, or the expiry rule, another form of its policy and
// remembers the figures of before, to stand beside the new ones until the next
// key.
func (m *KnobsPane) ChangePolicy(pane int, to policy.Policy, knob, was string) {
	m.Undo = append(m.Undo, knobTurn{pane, m.Knobbed(pane).Policy, to, knob})
	m.Redo, m.run = nil, ""
	m.put(pane, to, knob, was)
}

func (m *KnobsPane) put(pane int, to policy.Policy, knob, was string) {
	w := WasFigures{pane: pane, knob: knob, value: was}
	if d := m.docOfPane(pane); d != nil {
		w.Tokens, w.saved = d.Rendered.Tokens, d.Saved()
	}
	if f, ok := m.figuresAt(pane); ok && m.Set.events == len(m.Tl.Events) {
		s := f.UpTo(m.Tl, m.At)
		w.input, w.lost, w.acted, w.hasTotal = s.Input, len(s.Lost), s.Acted, true
		w.expired = m.expired()
	}
	m.Was = &w
	m.Knobbed(pane).Policy = to
	if pane == rulePane {
		m.Ask(WantFigures)
		return
	}
	m.Ask(WantFrame)
}

// docOfPane is what a pane shows; nil where it is hidden, or not there yet.
func (m *Figures) docOfPane(pane int) *Doc {
	for n, i := range m.ShownPanes() {
		if i == pane {
			return m.DocOf(n)
		}
	}
	return nil
}

// figuresAt are the figures of a pane's policy, or of the expiry rule alone.
func (m *Figures) figuresAt(pane int) (PolicyFigures, bool) {
	if pane != rulePane {
		return m.FiguresOf(m.Panes[pane].Policy.Name)
	}
	if m.Set == nil || m.Set.expiry.Report == nil {
		return PolicyFigures{}, false
	}
	return m.Set.expiry, true
}

// expired counts the snapshots that the expiry line shows as gone.
func (m *Figures) expired() int {
	n := 0
	if s := m.Step(); s != nil && m.Set != nil {
		for _, a := range m.Set.Ages[s.N] {
			if a.Expired {
				n++
			}
		}
	}
	return n
}

// Unturn takes the last turn of a knob back, or does it again.
func (m *KnobsPane) Unturn(again bool) {
	from, to, said := &m.Undo, &m.Redo, "undone: "
	if again {
		from, to, said = to, from, "done again: "
	}
	t := (*from)[len(*from)-1]
	*from, *to = (*from)[:len(*from)-1], append(*to, t)
	m.Say(LevelInfo, said+t.what)
	if again {
		m.put(t.pane, t.after, t.what, "")
	} else {
		m.put(t.pane, t.before, t.what, "")
	}
}

// ResetPane is whose knobs reset puts back: the chosen knob's while the column is
// open, else the focused pane's.
func (m *KnobsPane) ResetPane() int {
	if r, ok := m.Chosen(); ok && m.Side == SideKnobs {
		return r.Pane
	}
	return m.Focus
}

// ResetKnobs puts all knobs of a policy back as they came.
func (m *KnobsPane) ResetKnobs() {
	i := m.ResetPane()
	p := m.Knobbed(i)
	m.ChangePolicy(i, p.Origin.Clone(), "reset", "")
	m.Say(LevelInfo, "all knobs of "+p.Policy.Name+" are as they came; "+m.Keys.Label("undo")+" takes that back")
}
