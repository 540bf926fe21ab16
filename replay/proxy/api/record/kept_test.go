package record

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy/api"
	"snapscope/replay/proxy/api/relay"
	"snapscope/session"
)

// responses takes one exchange of the Responses form.
func (r *told) responses(previous, input string, a api.Answer) {
	r.t.Helper()
	r.prompted("", previous, input, a)
}

func (r *told) prompted(prompt, previous, input string, a api.Answer) {
	r.t.Helper()
	body := `{"model":"m","tools":[{"type":"function","name":"browser_click"}],"input":[` + input + `]`
	if prompt != "" {
		body += `,"instructions":"` + prompt + `"`
	}
	if previous != "" {
		body += `,"previous_response_id":"` + previous + `"`
	}
	q, err := api.Parse(api.Responses, []byte(body+"}"))
	if err != nil {
		r.t.Fatalf("%v in %s", err, body)
	}
	a.Whole, a.Usage = true, &session.Usage{Input: 100, Output: 5}
	r.Take(relay.Exchange{Form: api.Responses, Request: q, Status: 200, Answer: a, Begun: time.Unix(1, 0), Ended: time.Unix(2, 0)})
}

func answerOf(n int) api.Answer {
	id := fmt.Sprint(n)
	return api.Answer{ID: "resp_" + id, Text: "say " + id, Calls: []api.ToolCall{{ID: "c" + id, Name: "browser_click", Args: []byte("{}")}}}
}

func output(n int) string {
	return fmt.Sprintf(`{"type":"function_call_output","call_id":"c%d","output":"ok"}`, n)
}

func said(text string) string { return `{"type":"message","role":"user","content":"` + text + `"}` }

// Where the vendor keeps the history, each request brings only what is new, and names
// the answer that it goes on from: all of them are one session.
func TestTheVendorKeepsTheHistory(t *testing.T) {
	r := begin(t)
	r.responses("", said("go"), answerOf(1))
	want := []string{"user:go call:say 1 action:c1"}
	for n := 2; n <= 6; n++ {
		r.responses(fmt.Sprintf("resp_%d", n-1), output(n-1), answerOf(n))
		want = append(want, fmt.Sprintf("result:c%d call:say %d action:c%d", n-1, n, n))
	}
	r.responses("resp_6", output(6)+","+said("go"), answerOf(7)) // the same words again are new ones
	want = append(want, "result:c6 user:go call:say 7 action:c7")
	if got := r.line(); got != strings.Join(want, " ") {
		t.Errorf("told\n%s, want\n%s", got, strings.Join(want, " "))
	}
	if r.Calls != 7 || r.SideCalls != 0 {
		t.Errorf("%d calls and %d beside, want 7 and 0", r.Calls, r.SideCalls)
	}
}

// A request that is sent again tells nothing twice; one that goes on from an earlier
// answer says so; a helper's chain is no part of the session.
func TestChainsOfAnswers(t *testing.T) {
	r := begin(t)
	r.responses("", said("go"), answerOf(1))
	r.responses("resp_1", output(1)+","+said("more"), answerOf(2))
	r.responses("resp_1", output(1)+","+said("more"), answerOf(3)) // again: its answer was lost on the way
	if got, want := r.line(), "user:go call:say 1 action:c1 result:c1 user:more call:say 2 action:c2 note call:say 3 action:c3"; got != want {
		t.Errorf("told\n%s, want\n%s", got, want)
	}
	r.prompted("You are a helper", "", said("a task"), answerOf(11))
	r.prompted("You are a helper", "resp_11", output(11), answerOf(12))
	if r.Calls != 3 || r.SideCalls != 2 {
		t.Errorf("%d calls and %d beside, want 3 and 2", r.Calls, r.SideCalls)
	}
}
