package tui

import (
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/policy"
)

// TestLossesAreFixedOneByOne holds that f fixes the chosen loss, that the others
// keep the knob that fixes them, and that each is told once.
func TestLossesAreFixedOneByOne(t *testing.T) {
	e := leadsEngine(130)
	check := func(n int, ref string, row int) []session.Event {
		return fakeStep(n, session.Action{Verb: session.VerbCheck, Target: &session.Target{Ref: ref}}, leadsURL, "Leads", leadsPage(130, row, ": google"))
	}
	e.steps = append(e.steps[:3:3], check(4, "e612", 120), check(5, "e212", 40), check(6, "e412", 80))
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 36}, {160, 60}} {
		e.at = 0
		d := newDriver(t, Config{Engine: e, AutoSteps: -1}, c.w, c.h)
		d.press("tab", "tab", "v")
		d.wants("lost under compress: 3 elements")
		told := func(want int) {
			t.Helper()
			if got := strings.Count(d.screen(), " keeps it"); got != want {
				t.Errorf("%d×%d: %d losses name the knob that keeps them, want %d\n%s", c.w, c.h, got, want, d.screen())
			}
			d.lacks("would keep it")
		}
		said := func(want string) {
			t.Helper()
			if got := d.m.s.Msg.Text; !strings.Contains(got, want) {
				t.Errorf("%d×%d: it says %q, want %q", c.w, c.h, got, want)
			}
			d.wants(strings.Fields(want)[0]) // the message wraps, and is seen from its beginning
		}
		if c.h > 24 { // else two of the three are seen
			told(3)
		}
		d.press("tab", "tab", "f") // the second one, in row 40
		said("keeps e212; still loses e612 at step 4 and 1 more; f: 121 keeps all · u")
		d.wants("lost under compress: 2 elements", "survival", "→")
		if c.h > 24 { // else the message lies over one of them
			told(2)
		}
		d.press("s", "f") // another key takes the offer back, and the chosen place holds the next one
		said("keeps e412; still loses e612 at step 4; f: 121 keeps both · u")
		d.wants("lost under compress: 1 element")
		told(1)
		d.press("f")
		said("compress.keep_n=121 loses nothing that the agent used · u")
		d.lacks("lost under compress")
		d.press("u", "u")
		d.wants("context and cost", "lost under compress: 2 elements")
	}
}

// TestAFixOffersWhatKeepsAll holds that f, pressed again after a fix that still loses
// something, turns the knob to the value that loses nothing, and that any other key in
// between leaves f what it is.
func TestAFixOffersWhatKeepsAll(t *testing.T) {
	e := leadsEngine(130)
	check := func(n int, ref string, row int) []session.Event {
		return fakeStep(n, session.Action{Verb: session.VerbCheck, Target: &session.Target{Ref: ref}}, leadsURL, "Leads", leadsPage(130, row, ": google"))
	}
	e.steps = append(e.steps[:3:3], check(4, "e212", 40), check(5, "e612", 120))
	for _, between := range []string{"", "j"} {
		e.at = 0
		var saved []policy.Policy
		d := newDriver(t, Config{Engine: e, AutoSteps: -1, List: true, SavePolicy: func(p policy.Policy) (string, error) {
			saved = append(saved, p)
			return "policies.toml", nil
		}}, 160, 45)
		d.press("!", "enter", "f")
		d.wants("compress.keep_n=41 keeps e212; still loses e612 at step 5; f: 121 keeps both")
		want := 41.0
		if between != "" {
			d.press(between)
		} else {
			want = 121
		}
		d.press("f")
		if n := d.m.s.Panes[2].Policy.Stages[0].Knobs["keep_n"]; n != want {
			t.Errorf("after %q keep_n is %v, want %v", between, n, want)
		}
		d.press("e", "enter")
		says := map[float64]string{121: "it loses nothing that the agent used in this session", 41: "it still loses e612 at step 5"}[want]
		d.wants("saved as policy my-compress in policies.toml; " + says)
	}
}
