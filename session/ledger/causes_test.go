package ledger_test

import (
	"testing"

	"snapscope/session"
)

// Each cause of a loss is in the JSON of what was really sent.
func TestEveryCauseIsInTheJSON(t *testing.T) {
	page := lines(1, 200)
	opened := func(agent string) *script {
		s := &script{events: []session.Event{{Kind: session.KindStart, Start: &session.Start{Source: agent}}}}
		return s.act(session.VerbGoto, "", page)
	}
	cut := opened("codex")
	r := cut.events[2].Result
	r.Seen, r.Shown = session.SeenCut, page[:300]+"…900 tokens truncated…"+page[len(page)-300:]
	cleared := opened("")
	cleared.put(session.Event{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: []string{cleared.events[1].Action.ID}}})
	small := named("budget").Clone()
	if err := small.Set("budget.max_elements=10"); err != nil {
		t.Fatal(err)
	}
	for want, tl := range map[string]*session.Timeline{
		"never-shown": opened("").act(session.VerbClick, "e777", "").timeline(),
		"client-cut":  cut.act(session.VerbClick, "e100", "").timeline(),
		"expired":     cleared.act(session.VerbClick, "e100", "").timeline(),
		"rule":        underRecipe(opened("").act(session.VerbClick, "e100", ""), small, "small"),
	} {
		lost := jsonOf(t, advisedOn(t, tl, false, "full")).AsSent.Survival.Lost
		if len(lost) != 1 || lost[0].Cause != want {
			t.Errorf("%s: lost %+v", want, lost)
		}
	}
}
