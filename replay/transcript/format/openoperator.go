package format

import (
	"context"
	"hash/maphash"
	"io"
	"slices"
	"strings"

	"snapscope/replay/transcript/tape"
	"snapscope/session"
)

var openOperatorFormat = &Format{
	Name: "open-operator", Title: "open-operator-evals result",
	Doc: "One run of an evaluation: steps with their llm_calls, each with the whole request (messages_in) and the reply (message_out). " +
		"What a request no longer holds of the one before is told as cleared; the run's verdict is kept.",
	detect: func(h *head) bool {
		return h.of == "steps" && h.anyItem(func(v tape.Value) bool { return v.Get("llm_calls").Kind() == tape.Array })
	},
	read: readOpenOperator, Rewritten: true,
}

type openOperator struct {
	m     *messages
	told  map[uint64]bool
	pages []pageTold // that the last request held
}

// pageTold is a message that showed a page, and the action that it answered.
type pageTold struct {
	hash   uint64
	action string
}

func readOpenOperator(ctx context.Context, p *importer, r io.Reader) error {
	o := &openOperator{m: &messages{p: p, seen: userPages{p: p}}, told: map[uint64]bool{}}
	p.late = true
	verdict, why := "", ""
	err := eachPiece(ctx, p, r, func(x tape.Piece, v tape.Value) {
		switch {
		case x.Key == "steps" && x.List:
			v.Get("llm_calls").Items(func(c tape.Value) { o.call(c, x.Line) })
		case x.Key == "eval":
			if s := v.Get("eval").Str(); s != "" {
				verdict, why = s, v.Get("reason").Str()
			}
		case x.Key == "success" && verdict == "" && string(v.Raw()) != "null":
			verdict = "failure"
			if v.Bool() {
				verdict = "success"
			}
		case x.Key == "task":
			p.start.Name = v.Get("id").Str()
		}
	})
	if verdict = strings.ToLower(strings.TrimSpace(verdict)); verdict != "" {
		p.outcome(verdict, why)
	}
	return err
}

// call is one request to the model with its reply.
func (o *openOperator) call(c tape.Value, line int) {
	p, first := o.m.p, len(o.told) == 0
	now := map[uint64]bool{}
	var pages []pageTold
	left := 0
	c.Get("messages_in").Items(func(tape.Value) { left++ })
	c.Get("messages_in").Items(func(v tape.Value) {
		left--
		h := maphash.Bytes(hashSeed, v.Raw())
		now[h] = true
		again := left == 0 && len(o.m.seen.waiting) > 0                     // what an action led to, though it is the page before
		if o.told[h] && !again || !first && v.Get("role").Str() != "user" { // what the model said was told as its reply
			return
		}
		o.told[h] = true
		before := o.m.seen.pages
		o.m.item(v, line)
		if o.m.seen.pages > before {
			pages = append(pages, pageTold{h, o.m.seen.answered})
		}
	})
	for _, page := range o.pages {
		if now[page.hash] && !slices.ContainsFunc(pages, func(p pageTold) bool { return p.hash == page.hash }) {
			pages = append(pages, page)
			continue
		}
		p.expire([]string{page.action}, stamp(c.Get("timestamp")))
	}
	o.pages = pages
	out := c.Get("message_out")
	if !isMessage(out) {
		p.begin(session.ModelCall{}, stamp(c.Get("timestamp")))
	} else {
		o.m.item(out, line)
	}
	if n := c.Get("input_tokens"); n.OK() {
		p.lateUsage(&session.Usage{Input: n.Int(), Output: c.Get("output_tokens").Int(), NoCache: true})
	}
}
