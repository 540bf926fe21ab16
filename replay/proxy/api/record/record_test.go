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

// told is a recorder with what it put.
type told struct {
	*Recorder
	t      *testing.T
	events []session.Event
}

func begin(t *testing.T) *told {
	r := &told{t: t}
	r.Recorder = New(Options{Put: func(e session.Event) { r.events = append(r.events, e) }, Count: func(s string) int { return len(s) }})
	return r
}

func (r *told) take(body string, a api.Answer) {
	r.t.Helper()
	q, err := api.Parse(api.Messages, []byte(body))
	if err != nil {
		r.t.Fatalf("%v in %s", err, body)
	}
	if a.Usage == nil && a.Error == "" {
		a.Usage = &session.Usage{Input: 100, Output: 5}
	}
	r.Take(relay.Exchange{Form: api.Messages, Request: q, Status: 200, Answer: a, Begun: time.Unix(1, 0), Ended: time.Unix(2, 0)})
}

// line is the story in short.
func (r *told) line() string {
	var out []string
	for _, e := range r.events {
		switch {
		case e.User != nil:
			out = append(out, "user:"+e.User.Text)
		case e.Call != nil:
			out = append(out, "call:"+e.Call.Text)
		case e.Action != nil:
			out = append(out, "action:"+e.Action.ID)
		case e.Result != nil:
			out = append(out, "result:"+e.Result.Action)
		case e.Compact != nil:
			out = append(out, fmt.Sprintf("compact:%s/%d", e.Compact.Text, e.Compact.Keep))
		case e.Note != nil:
			out = append(out, "note")
		case e.Start == nil:
			out = append(out, string(e.Kind))
		}
	}
	return strings.Join(out, " ")
}

const tools = `,"tools":[{"name":"browser_click"}]`

func user(text string) string { return `{"role":"user","content":"` + text + `"}` }

func use(id string) string {
	return `{"role":"assistant","content":[{"type":"text","text":"say ` + id + `"},{"type":"tool_use","id":"` + id + `","name":"browser_click","input":{}}]}`
}

func answered(id string) string {
	return `{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"ok"}]}`
}

func ask(system, rest string, messages ...string) string {
	return `{"model":"m","system":"` + system + `","messages":[` + strings.Join(messages, ",") + `]` + rest + `}`
}

func calls(ids ...string) api.Answer {
	a := api.Answer{Whole: true}
	for _, id := range ids {
		a.Text = "say " + id
		a.Calls = append(a.Calls, api.ToolCall{ID: id, Name: "browser_click", Args: []byte("{}")})
	}
	return a
}

func TestStories(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(r *told)
		want string
	}{
		"a plain session": {func(r *told) {
			r.take(ask("S", tools, user("go")), calls("a"))
			r.take(ask("S", tools, user("go"), use("a"), answered("a")), calls("b", "c"))
			r.take(ask("S", tools, user("go"), use("a"), answered("a"), use("b"), answered("b"), answered("c"), user("more"), user("more")), calls())
		}, "user:go call:say a action:a result:a call:say c action:b action:c result:b result:c user:more user:more call:"},
		"titles and helpers stay beside": {func(r *told) {
			r.take(ask("Titles", "", user("go")), api.Answer{Text: "title", Whole: true})
			r.take(ask("S", tools, user("go")), calls("a"))
			r.take(ask("Helper", tools, user("look")), calls("h1"))
			r.take(ask("Helper", tools, user("look"), use("h1"), answered("h1")), calls())
			r.take(ask("S", tools, user("go"), use("a"), answered("a")), calls())
		}, "note user:go call:say a action:a note note result:a call:"},
		"a warm-up makes way": {func(r *told) {
			r.take(ask("W", tools, user("warm up")), api.Answer{Whole: true})
			r.take(ask("S", tools, user("go")), calls("a"))
			r.take(ask("S", tools, user("go"), use("a"), answered("a")), calls())
		}, "user:warm up call: note compact:go/0 call:say a action:a result:a call:"},
		"begun in the middle": {func(r *told) {
			r.take(ask("S", tools, user("go"), use("a"), answered("a"), use("b"), answered("b")), calls())
		}, "user:go call:say a action:a result:a call:say b action:b result:b call:"},
		"a refused call comes again": {func(r *told) {
			r.take(ask("S", tools, user("go")), api.Answer{Error: "overloaded"})
			r.take(ask("S", tools, user("go")), calls("a"))
		}, "user:go note call:say a action:a"},
		"half an answer": {func(r *told) {
			half := calls("a")
			half.Whole = false
			r.take(ask("S", tools, user("go")), half)
			r.take(ask("S", tools, user("go")), calls("b"))
		}, "user:go call:say a call:say b action:b"},
		"half an answer that the client had whole": {func(r *told) {
			half := calls("a")
			half.Whole = false
			r.take(ask("S", tools, user("go")), half)
			r.take(ask("S", tools, user("go"), use("a"), answered("a")), calls())
		}, "user:go call:say a action:a result:a call:"},
		"a summary for everything": {func(r *told) {
			r.take(ask("S", tools, user("go")), calls("a"))
			r.take(ask("S", tools, user("go"), use("a"), answered("a")), calls())
			r.take(ask("S", tools, user("in short")), calls("b"))
			r.take(ask("S", tools, user("in short"), use("b"), answered("b")), calls())
		}, "user:go call:say a action:a result:a call: compact:in short/0 call:say b action:b result:b call:"},
		"a summary with the end kept": {func(r *told) {
			r.take(ask("S", tools, user("go")), calls("a"))
			r.take(ask("S", tools, user("go"), use("a"), answered("a")), calls("b"))
			r.take(ask("S", tools, user("in short"), use("b"), answered("b")), calls())
		}, "user:go call:say a action:a result:a call:say b action:b compact:in short/0 result:b call:"},
		"gone back": {func(r *told) {
			r.take(ask("S", tools, user("go")), calls("a"))
			r.take(ask("S", tools, user("go"), use("a"), answered("a")), calls("b"))
			r.take(ask("S", tools, user("go"), use("a"), answered("a"), use("b"), answered("b")), calls())
			r.take(ask("S", tools, user("go"), use("a"), answered("a"), user("other")), calls())
		}, "user:go call:say a action:a result:a call:say b action:b result:b call: note user:other call:"},
		"one id for every call": {func(r *told) {
			r.take(ask("S", tools, user("go")), calls("x"))
			r.take(ask("S", tools, user("go"), use("x"), answered("x")), calls("x"))
			r.take(ask("S", tools, user("go"), use("x"), answered("x"), use("x"), answered("x")), calls())
		}, "user:go call:say x action:x result:x call:say x action:x#2 result:x#2 call:"},
	} {
		r := begin(t)
		c.do(r)
		if got := r.line(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestWhatStandsBesideIsSummed(t *testing.T) {
	r := begin(t)
	r.take(ask("S", tools, user("go")), calls("a"))
	r.take(ask("T", "", user("go")), api.Answer{Usage: &session.Usage{Input: 7, CacheRead: 3, Output: 2}})
	r.take(ask("T", "", user("go")), api.Answer{Usage: &session.Usage{Input: 7, CacheRead: 3, Output: 2}})
	if r.SideCalls != 2 || r.Beside != (session.Usage{Input: 14, CacheRead: 6, Output: 4}) || r.Calls != 1 {
		t.Errorf("%d calls beside, %+v; %d calls", r.SideCalls, r.Beside, r.Calls)
	}
}
