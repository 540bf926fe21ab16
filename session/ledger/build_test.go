package ledger_test

import (
	"context"
	"strconv"
	"strings"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot"
)

// script builds timelines by hand, an event a call.
type script struct {
	events []session.Event
	n      int
	doc    string
}

func (s *script) put(e session.Event) { s.events = append(s.events, e) }

func (s *script) user(text string) *script {
	s.put(session.Event{Kind: session.KindUser, User: &session.Message{Text: text}})
	return s
}

func (s *script) call(text string, u *session.Usage) *script {
	s.put(session.Event{Kind: session.KindCall, Call: &session.ModelCall{Text: text, Usage: u}})
	return s
}

// act is an action on a ref with its result: page "" gives a result without a
// snapshot.
func (s *script) act(v session.Verb, ref, page string) *script {
	s.n++
	a := &session.Action{ID: "a" + strconv.Itoa(s.n), Verb: v, Tool: string(v)}
	if ref != "" {
		a.Target = &session.Target{Ref: ref}
	}
	r := &session.Result{Action: a.ID, OK: true}
	if page != "" {
		r.Snapshot, r.Seen = s.snap(page), session.SeenInline
	}
	s.put(session.Event{Kind: session.KindAction, Action: a})
	s.put(session.Event{Kind: session.KindResult, Result: r})
	return s
}

func (s *script) snap(page string) *snapshot.Snapshot {
	return &snapshot.Snapshot{URL: "http://x/", Title: "X", Text: page, Hash: snapshot.HashText(page), Document: s.doc}
}

func (s *script) timeline() *session.Timeline { return session.NewTimeline(s.events) }

// words counts words: a tokenizer that a person can check by hand.
func words(text string) int { return len(strings.Fields(text)) }

func named(name string) policy.Policy {
	p, err := policy.Find(name, nil)
	if err != nil {
		panic(err)
	}
	return p
}

// simulate is ledger.Run for a session that nobody stops.
func simulate(t *session.Timeline, p policy.Policy, o ledger.Options) *ledger.Report {
	r, err := ledger.Run(context.Background(), t, p, o)
	if err != nil {
		panic(err) // only a cancelled context fails
	}
	return r
}
