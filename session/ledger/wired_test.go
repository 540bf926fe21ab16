package ledger_test

import (
	"context"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// underRecipe makes a session's pages go out as a policy makes them, with the recipe
// in the recording and a name of the policy's own.
func underRecipe(s *script, p policy.Policy, name string) *session.Timeline {
	t, plan := s.timeline(), options().Renderer.Plan(p)
	sends := plan.Reader(nil)
	for i, sn := range t.Snaps {
		sent, r := sends.Page(t, i, ""), t.Steps[sn.Step].Result
		r.Recipe = plan.Recipe(t, sent)
		if sent.Text != r.Snapshot.Text {
			r.Policy, r.Shown = name, sent.Text
			if sent.Base >= 0 {
				r.Seen = session.SeenIncremental
			}
		}
	}
	return s.timeline()
}

// What went out is read by its recipe, whatever the policy was called.
func TestWhatWasSentIsReadByItsRecipe(t *testing.T) {
	for _, name := range []string{"delta", "tuned", "full"} {
		s := new(script).act(session.VerbGoto, "", lines(1, 200)).
			act(session.VerbClick, "e2", lines(2, 201)).
			act(session.VerbClick, "e201", "")
		tl := underRecipe(s, named("delta"), name)
		if r := tl.Steps[1].Result; r.Policy != name || r.Seen != session.SeenIncremental {
			t.Fatalf("%s: nothing was rewritten: %+v", name, r)
		}
		sent, err := ledger.AsSent(context.Background(), tl, options())
		if err != nil {
			t.Fatal(err)
		}
		if v := sent.Survival; v.Survived != 2 || v.Acted != 2 {
			t.Errorf("%s: %d of %d elements could be read, want 2 of 2: %+v", name, v.Survived, v.Acted, v.Lost)
		}
	}
}
