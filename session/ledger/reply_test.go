package ledger_test

import (
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// A result whose snapshot part was cut out counts what the reply counts whole,
// wherever the cut is.
func TestReplyCountsAsOne(t *testing.T) {
	c, err := token.New(token.Default)
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Renderer = policy.NewRenderer(c.Count)
	for _, reply := range [][3]string{
		{"### Page\n- Page URL: http://x/\n### Snapshot\n```yaml\n", "- main [ref=e1]:\n  - button \"Save\" [ref=e2]", "\n```\n### Events\n- none"},
		{"- Page Snapshot:\n```yaml\n", "- main [ref=e1]: \"12\"", "\n```\n"},
		{"## Latest page snapshot\n", "uid=1_0 RootWebArea \"x\"\n  uid=1_1 button \"y\"", "\n## Pages\n1: http://x/ [selected]"},
		{`[{"type":"text","text":"### Page\n`, strings.Repeat(`  - row \"Ada Lovelace\" [ref=e12]:\n`, 60), `\n"}]`},
		{"see: ", "- link [ref=e1]", ""},
	} {
		whole := reply[0] + reply[1] + reply[2]
		s := new(script).act(session.VerbGoto, "", "")
		r := s.events[len(s.events)-1].Result
		r.Text, r.Shown, r.At, r.Seen = reply[0]+reply[2], reply[1], len(reply[0]), session.SeenIncremental
		if got := simulate(s.timeline(), policy.Full(), o).AppendedTokens; got != c.Count(whole) {
			t.Errorf("%.60q counts %d, cut apart %d", whole, c.Count(whole), got)
		}
	}
}

// Every field of a form and both ends of a drag are elements acted on.
func TestEveryElementSurvives(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", "- form [ref=e1]:\n  - textbox \"A\" [ref=e2]\n  - textbox \"B\" [ref=e3]").act(session.VerbFill, "e2", "")
	for i := range s.events {
		if a := s.events[i].Action; a != nil && a.Target != nil {
			a.Others = []session.Target{{Ref: "e3"}, {Ref: "e9"}, {CSS: "#c"}}
		}
	}
	got := simulate(s.timeline(), policy.Full(), options()).Survival
	if got.Acted != 3 || got.Survived != 2 || len(got.Lost) != 1 || got.Lost[0].Ref != "e9" || got.Lost[0].Step != 2 {
		t.Errorf("%+v", got)
	}
}
