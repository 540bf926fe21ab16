package ledger_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/session/ledger"
)

func TestTruthMoved(t *testing.T) {
	s := truth(t, "moved", "full", "delta")
	want := []ledger.Moved{{Step: 2, Ref: "e51", Read: `button "Aug 13"`, Now: `button "Aug 15"`, From: "code"}}
	if !slices.Equal(s.AsSent.Moved, want) || !slices.Equal(s.AsSent.NoEffect, []int{3}) || len(s.AsSent.Misnamed) > 0 {
		t.Errorf("moved %+v, no effect %v, misnamed %+v", s.AsSent.Moved, s.AsSent.NoEffect, s.AsSent.Misnamed)
	}
	for _, r := range append([]*ledger.Report{s.AsSent}, s.Reports...) {
		if got := survives(r); got != "2/2" {
			t.Errorf("%s: survival %s: a move is no loss", r.Policy.Name, got)
		}
		if r != s.AsSent && len(r.Moved)+len(r.NoEffect) > 0 {
			t.Errorf("%s tells of moves", r.Policy.Name)
		}
	}
	if !strings.HasPrefix(s.Advice.Text, `Step 2: e51 was button "Aug 13" when the agent read it, and button "Aug 15" when it acted on it: `) {
		t.Errorf("first line %s", s.Advice.Text)
	}
}

// sentBy is the report of what a script's session sent.
func sentBy(s *script) *ledger.Report {
	r, err := ledger.AsSent(context.Background(), s.timeline(), options())
	if err != nil {
		panic(err) // only a cancelled context fails
	}
	return r
}

// code gives the last result of a script the code that a Playwright server names.
func (s *script) code(lines ...string) *script {
	for _, e := range slices.Backward(s.events) {
		if e.Result != nil {
			e.Result.Text = "### Ran Playwright code\n```js\n" + strings.Join(lines, "\n") + "\n```\n### Page\n- Page Title: X"
			return s
		}
	}
	return s
}

func TestMoved(t *testing.T) {
	page := func(names ...string) string {
		out := "- main [ref=e1]:"
		for i, n := range names {
			out += fmt.Sprintf("\n  - button %q [ref=e%d]", n, i+2)
		}
		return out
	}
	read := func() *script { return new(script).act(session.VerbGoto, "", page("Save", "Drop it")) }
	click := func(code ...string) *script {
		return read().act(session.VerbClick, "e2", page("Save", "Drop it", "New")).code(code...)
	}
	link := func(s *script) *script { // the newest page reached the agent as a link only
		s.act(session.VerbSnapshot, "", page("Drop it", "Save"))
		s.events[len(s.events)-1].Result.Seen = session.SeenLink
		return s.act(session.VerbClick, "e2", page("Drop it", "Save", "New"))
	}
	for name, c := range map[string]struct {
		s    *script
		from string
	}{
		"the same":              {click("await page.getByRole('button', { name: 'Save' }).click();"), ""},
		"another":               {click("await page.getByRole('button', { name: 'Drop it' }).click();"), "code"},
		"another role":          {click("await page.getByRole('link', { name: 'Save' }).click();"), "code"},
		"a part of its name":    {read().act(session.VerbClick, "e3", page("Save")).code("await page.getByRole('button', { name: 'Drop' }).click();"), ""},
		"exactly another":       {read().act(session.VerbClick, "e3", page("Save")).code("await page.getByRole('button', { name: 'Drop', exact: true }).click();"), "code"},
		"the last of a chain":   {click("await page.getByRole('row', { name: 'Ann' }).getByRole('button', { name: 'Save' }).click();"), ""},
		"no role at the end":    {click("await page.getByRole('link', { name: 'Ann' }).locator('#x').click();"), ""},
		"a hostile name":        {click(`await page.getByRole('button', { name: 'Save\').getByRole(\'link\', { name: \'x' }).click();`), "code"},
		"a hostile text":        {click(`await page.getByText('x").getByRole("link", { name: "y').click();`), ""},
		"a comment":             {click("// it's getByRole('link', { name: 'x' })", "await page.getByRole('button', { name: 'Save' }).click();"), ""},
		"broken code":           {click("await page.getByRole('button', { name: 'Save"), ""},
		"no code":               {read().act(session.VerbClick, "e2", page("Drop it", "Save")), ""},
		"a page it did not get": {link(read()), "page"},
		"not at the head":       {read().act(session.VerbClick, "e2", page("Save", "X")), ""},
	} {
		if name == "not at the head" {
			c.s.events[len(c.s.events)-1].Result.Text = "### Page\n- Page Title: \n### Ran Playwright code\n```js\nawait page.getByRole('link', { name: 'x' }).click();\n```"
		}
		got := sentBy(c.s)
		if len(got.Moved) != min(1, len(c.from)) || len(got.Moved) == 1 && got.Moved[0].From != c.from {
			t.Errorf("%s: %+v", name, got.Moved)
		}
	}
}

func TestMisnamed(t *testing.T) {
	page := "- main [ref=e1]:\n  - group \"Shipping address\" [ref=e9]:\n    - button \"Save\" [ref=e2]:\n      - text: Keep changes\n  - button [ref=e3]"
	for said, want := range map[string]int{"Save button": 0, "Submit order": 1, "keep": 0, "shipping form": 0, "the button": 0, "": 0, "SAVE": 0} {
		s := new(script).act(session.VerbGoto, "", page).named(session.VerbClick, said, "e2", page+"\n")
		if got := sentBy(s).Misnamed; len(got) != want {
			t.Errorf("%q: %+v", said, got)
		}
	}
	if got := sentBy(new(script).act(session.VerbGoto, "", page).named(session.VerbClick, "Close", "e3", page)).Misnamed; len(got) > 0 {
		t.Errorf("an element without a name: %+v", got)
	}
}

func TestNoEffect(t *testing.T) {
	page := "- main [ref=e1]:\n  - button \"Save\" [active] [ref=e2]\n  - text: x e2"
	again := "- main [ref=e11]:\n  - button \"Save\" [ref=e12]\n  - text: x e2"
	changed := strings.Replace(page, "text: x", "text: y", 1)
	start := func() *script { return new(script).act(session.VerbGoto, "", page) }
	with := func(s *script, change func(r *session.Result)) *script {
		change(s.events[len(s.events)-1].Result)
		return s
	}
	for name, c := range map[string]struct {
		s    *script
		want []int
	}{
		"the same page":         {start().act(session.VerbClick, "e2", page), []int{2}},
		"other refs, the focus": {start().act(session.VerbClick, "e2", again), []int{2}},
		"other text":            {start().act(session.VerbClick, "e2", changed), nil},
		"hovered":               {start().act(session.VerbHover, "e2", page), nil},
		"loaded again":          {start().act(session.VerbReload, "", page), nil},
		"failed":                {with(start().act(session.VerbClick, "e2", page), func(r *session.Result) { r.OK = false }), nil},
		"a console line":        {with(start().act(session.VerbClick, "e2", page), func(r *session.Result) { r.Console = []string{"x"} }), nil},
		"a dialog":              {with(start().act(session.VerbClick, "e2", page), func(r *session.Result) { r.Events = []string{"dialog"} }), nil},
		"another address":       {with(start().act(session.VerbClick, "e2", page), func(r *session.Result) { r.Snapshot.URL += "#a" }), nil},
		"another tab":           {with(start().act(session.VerbClick, "e2", page), func(r *session.Result) { r.Snapshot.Tab = 2 }), nil},
		"it took its time":      {start().act(session.VerbClick, "e2", page).act(session.VerbSnapshot, "", changed), nil},
		"read again":            {start().act(session.VerbClick, "e2", page).act(session.VerbSnapshot, "", page), []int{2}},
		"read by itself":        {start().act(session.VerbClick, "e2", "").act(session.VerbSnapshot, "", page), []int{2}},
		"not known":             {start().act(session.VerbClick, "e2", ""), nil},
		"nothing before":        {new(script).act(session.VerbClick, "e2", page), nil},
		"an act between":        {start().act(session.VerbPress, "", "").act(session.VerbClick, "e2", page), nil},
	} {
		if got := sentBy(c.s).NoEffect; !slices.Equal(got, c.want) {
			t.Errorf("%s: no effect %v, want %v", name, got, c.want)
		}
	}
}

// 200 sessions with planted moves and acts without effect: every one is found, and
// nothing else.
func TestPlantedMovesAreFound(t *testing.T) {
	session200(t, func(rt *rapid.T) {
		names := []string{"Aug 13", "Aug 15", "Free", "Busy"}
		state := 0
		page := func() string {
			out := fmt.Sprintf("- main [ref=e1]:\n  - text: state %d", state)
			for i, n := range names {
				out += fmt.Sprintf("\n  - button %q [ref=e%d]", n, i+2)
			}
			return out
		}
		s := new(script).act(session.VerbGoto, "", page())
		var moved, none []int
		for step := 2; step < 2+rapid.IntRange(0, 12).Draw(rt, "steps"); step++ {
			k := rapid.IntRange(0, len(names)-1).Draw(rt, "which")
			ref, is := fmt.Sprintf("e%d", k+2), names[k]
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0: // it moved before the click, which changes the page
				j := (k + 1) % len(names)
				names[k], names[j] = names[j], names[k]
				is = names[k]
				moved = append(moved, step)
				state++
			case 1: // the click does nothing
				none = append(none, step)
			case 2: // the click makes it another one
				names[k] = fmt.Sprintf("Day %d", step)
				state++
			case 3:
				state++
			}
			s.named(session.VerbClick, "", ref, page()).code(fmt.Sprintf("await page.getByRole('button', { name: '%s' }).click();", is))
		}
		got := sentBy(s)
		var at []int
		for _, m := range got.Moved {
			at = append(at, m.Step)
		}
		if !slices.Equal(at, moved) || !slices.Equal(got.NoEffect, none) || got.Survival.Survived != got.Survival.Acted {
			rt.Fatalf("moved %v, want %v; no effect %v, want %v", at, moved, got.NoEffect, none)
		}
	})
}
