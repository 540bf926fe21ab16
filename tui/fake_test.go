package tui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/token"
)

// fakeEngine hands out steps that were made beforehand; nothing of it takes
// time unless a test says so.
type fakeEngine struct {
	mu      sync.Mutex
	info    session.Info
	steps   [][]session.Event
	at      int
	do      func(ctx context.Context, a session.Action) ([]session.Event, error)
	gate    chan struct{} // when set, Step waits for it or for ctx
	changed chan struct{}
	closed  bool
	shot    []byte
	plan    []session.Action
}

func (f *fakeEngine) Info() session.Info { return f.info }

func (f *fakeEngine) Step(ctx context.Context) ([]session.Event, error) {
	if f.gate != nil {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.gate:
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at >= len(f.steps) {
		return nil, io.EOF
	}
	f.at++
	return f.steps[f.at-1], nil
}

func (f *fakeEngine) Do(ctx context.Context, a session.Action) ([]session.Event, error) {
	if f.do == nil {
		return nil, session.ErrRecorded
	}
	return f.do(ctx, a)
}

func (f *fakeEngine) Pending() []session.Action { return f.plan }

func (f *fakeEngine) Changed() <-chan struct{} { return f.changed }

func (f *fakeEngine) Close() error { f.closed = true; return nil }

// shooter is a fake engine with a browser to take pictures of.
type shooter struct{ *fakeEngine }

func (s shooter) Screenshot(context.Context) ([]byte, error) { return s.shot, nil }

// leadsPage is a table of n rows; the checked row is ticked.
func leadsPage(n, checked int, query string) string {
	var b strings.Builder
	b.WriteString("- generic [ref=e1]:\n")
	b.WriteString("  - navigation \"Main\" [ref=e2]:\n")
	b.WriteString("    - link \"Leads\" [ref=e3] [cursor=pointer]:\n      - /url: /leads\n")
	b.WriteString("    - link \"Deals\" [ref=e4] [cursor=pointer]:\n      - /url: /deals\n")
	b.WriteString("  - main [ref=e5]:\n")
	b.WriteString("    - heading \"Leads\" [level=1] [ref=e6]\n")
	fmt.Fprintf(&b, "    - searchbox \"Search\" [ref=e7]%s\n", query)
	b.WriteString("    - table \"Leads\" [ref=e8]:\n")
	b.WriteString("      - rowgroup [ref=e9]:\n")
	ref := 10
	for i := range n {
		first := []string{"Melonie", "Thomas", "Ana", "Ravi", "Ingrid"}[i%5]
		name := fmt.Sprintf("%s Parker %d", first, i)
		tick := ""
		if i == checked {
			tick = " [checked]"
		}
		fmt.Fprintf(&b, "        - row \"Select %s %s Vice President\" [ref=e%d]:\n", name, name, ref)
		fmt.Fprintf(&b, "          - cell [ref=e%d]:\n", ref+1)
		fmt.Fprintf(&b, "            - checkbox \"Select %s\"%s [ref=e%d]\n", name, tick, ref+2)
		fmt.Fprintf(&b, "          - cell \"%s\" [ref=e%d]\n", name, ref+3)
		fmt.Fprintf(&b, "          - cell \"Vice President\" [ref=e%d]\n", ref+4)
		ref += 5
	}
	b.WriteString("    - button \"Next page\" [ref=e9000]")
	return b.String()
}

// fakeStep is one step as events: an action, and a result with a snapshot.
func fakeStep(n int, a session.Action, url, title, text string) []session.Event {
	a.ID = fmt.Sprintf("a%d", n)
	if a.Tool == "" {
		a.Tool = string(a.Verb)
	}
	at := time.Date(2026, 1, 15, 10, 0, n, 0, time.UTC)
	res := &session.Result{Action: a.ID, OK: true, URL: url, Title: title, Millis: int64(100 + n), Waited: "quiet"}
	if text != "" {
		res.Seen = session.SeenInline
		res.Snapshot = &snapshot.Snapshot{
			URL: url, Title: title, Text: text, Hash: snapshot.HashText(text), Dialect: notation.Aria,
			Elements: strings.Count(text, "[ref="), Document: url,
		}
	}
	return []session.Event{
		{Time: at, Kind: session.KindAction, Action: &a},
		{Time: at, Kind: session.KindResult, Result: res},
	}
}

const leadsURL = "http://127.0.0.1:41877/leads"

// leadsSteps is a short session on the table: open, look, search, tick, a click
// that fails, a user's word.
func leadsSteps(rows int) [][]session.Event {
	click := func(ref string) session.Action {
		return session.Action{Verb: session.VerbClick, Target: &session.Target{Ref: ref}}
	}
	steps := [][]session.Event{
		fakeStep(1, session.Action{Verb: session.VerbGoto, Args: map[string]any{"url": "/leads"}}, leadsURL, "Leads · CRM", leadsPage(rows, -1, "")),
		fakeStep(2, session.Action{Verb: session.VerbSnapshot}, leadsURL, "Leads · CRM", leadsPage(rows, -1, "")),
		fakeStep(3, session.Action{Verb: session.VerbFill, Target: &session.Target{Ref: "e7"}, Args: map[string]any{"text": "google"}}, leadsURL, "Leads · CRM", leadsPage(rows, -1, ": google")),
		fakeStep(4, session.Action{Verb: session.VerbCheck, Target: &session.Target{Role: "checkbox", Name: "Select Melonie Parker 0", Ref: "e12"}}, leadsURL, "Leads · CRM", leadsPage(rows, 0, ": google")),
		fakeStep(5, click("e9999"), leadsURL, "Leads · CRM", leadsPage(rows, 0, ": google")),
		fakeStep(6, click("e9000"), leadsURL+"?page=2", "Leads · CRM", leadsPage(rows, 1, ": google")),
	}
	bad := steps[4][1].Result
	bad.OK, bad.Error = false, "no element with ref e9999 on the page"
	bad.Console = []string{"Error: nothing here"}
	start := session.Event{Kind: session.KindStart, Start: &session.Start{Name: "leads demo", Source: "live", Planned: 6}}
	user := session.Event{Kind: session.KindUser, User: &session.Message{Text: "tick Melonie"}}
	steps[0] = append([]session.Event{start, user}, steps[0]...)
	return steps
}

func leadsEngine(rows int) *fakeEngine {
	return &fakeEngine{
		info:  session.Info{Mode: session.ModeReplay, Name: "leads demo", Planned: 6},
		steps: leadsSteps(rows),
	}
}

// driver runs a model as Bubble Tea would, but in one goroutine and without a
// clock: commands are carried out when they are asked for, ticks are not.
type driver struct {
	t *testing.T
	m *Model
}

func newDriver(t *testing.T, cfg Config, w, h int) *driver {
	t.Helper()
	if cfg.Count == nil {
		c, err := token.New("chars4")
		if err != nil {
			t.Fatal(err)
		}
		cfg.Count, cfg.Encoding = c.Count, "o200k_base"
	}
	if cfg.Now == nil {
		at := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
		cfg.Now = func() time.Time { return at }
	}
	m, err := newModel(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	m.after = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	d := &driver{t, m}
	d.run(m.Init())
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// run carries out a command and all that follow from it.
func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tickMsg, tea.QuitMsg:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	default:
		d.send(msg)
	}
}

func (d *driver) send(msg tea.Msg) {
	_, cmd := d.m.Update(msg)
	d.run(cmd)
}

// press sends keys as a person types them: names, or single characters.
func (d *driver) press(keys ...string) {
	for _, k := range keys {
		d.send(keyMsg(k))
	}
}

// type sends a text character by character.
func (d *driver) typed(text string) {
	for _, r := range text {
		d.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

var specialKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
}

func keyMsg(k string) tea.KeyPressMsg {
	if c, ok := specialKeys[k]; ok {
		return tea.KeyPressMsg{Code: c}
	}
	if k == "space" {
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	if rest, ok := strings.CutPrefix(k, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: []rune(rest)[0], Mod: tea.ModCtrl}
	}
	if k == "shift+tab" {
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	}
	return tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
}

// screen is what is drawn now, as plain text.
func (d *driver) screen() string {
	d.m.draw(d.m.whyNot)
	lines := make([]string, d.m.p.Cv.H)
	for y := range lines {
		lines[y] = d.m.p.Cv.PlainLine(y)
	}
	return strings.Join(lines, "\n")
}

func (d *driver) wants(texts ...string) {
	d.t.Helper()
	s := d.screen()
	for _, want := range texts {
		if !strings.Contains(s, want) {
			d.t.Errorf("the screen does not show %q:\n%s", want, s)
		}
	}
}

func (d *driver) lacks(texts ...string) {
	d.t.Helper()
	s := d.screen()
	for _, no := range texts {
		if strings.Contains(s, no) {
			d.t.Errorf("the screen shows %q:\n%s", no, s)
		}
	}
}
