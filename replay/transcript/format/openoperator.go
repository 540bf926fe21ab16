package format

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"time"

	"snapscope/replay/tape"
	"snapscope/session"
)

var openOperatorFormat = &Format{
	Name: "open-operator", Title: "open-operator-evals result",
	Doc: "One run of an evaluation, or a list of runs: steps with their llm_calls, each with the whole request (messages_in) and the reply (message_out). " +
		"What a request no longer holds of the one before is told as cleared; each run's verdict is kept.",
	detect: func(h *head) bool {
		return h.of == "steps" && h.anyItem(func(v tape.Value) bool { return v.Get("llm_calls").Kind() == tape.Array }) ||
			h.open == '[' && h.of == "" && h.contains(`"messages_in"`) && h.contains(`"llm_calls"`)
	},
	read: readOpenOperator, Rewritten: true,
}

type openOperator struct {
	m     *messages
	told  map[uint64]bool
	pages []pageTold // that the last request held

	verdict, why string
	verdicts     []string // of the runs before
}

// pageTold is a message that showed a page, and the action that it answered.
type pageTold struct {
	hash   uint64
	action string
}

func readOpenOperator(ctx context.Context, p *importer, r io.Reader) error {
	o := &openOperator{}
	p.late = true
	o.begin(p)
	err := eachPiece(ctx, p, r, func(x tape.Piece, v tape.Value) {
		switch {
		case x.List && x.Key == "": // a run of many
			if len(o.verdicts) > 0 {
				p.compacted("", 0, time.Time{}) // with a history of its own
				o.begin(p)
			}
			v.Fields(func(key string, f tape.Value) {
				if key == "steps" {
					f.Items(func(s tape.Value) { o.field(key, true, s, x.Line) })
				} else {
					o.field(key, false, f, x.Line)
				}
			})
			o.ended()
		default:
			o.field(x.Key, x.List, v, x.Line)
		}
	})
	switch {
	case len(o.verdicts) > 1:
		p.outcome(sumOf(o.verdicts), "")
	case o.verdicts == nil:
		o.ended()
	}
	return err
}

// begin forgets what the requests of the run before held.
func (o *openOperator) begin(p *importer) {
	o.m, o.told, o.pages = &messages{p: p, seen: userPages{p: p}}, map[uint64]bool{}, nil
	o.verdict, o.why = "", ""
}

// field reads one field of a run; list says that v is an entry of it.
func (o *openOperator) field(key string, list bool, v tape.Value, line int) {
	switch {
	case key == "steps" && list:
		v.Get("llm_calls").Items(func(c tape.Value) { o.call(c, line) })
	case key == "eval":
		if s := v.Get("eval").Str(); s != "" {
			o.verdict, o.why = s, v.Get("reason").Str()
		}
	case key == "success" && o.verdict == "" && string(v.Raw()) != "null":
		o.verdict = "failure"
		if v.Bool() {
			o.verdict = "success"
		}
	case key == "task" && o.m.p.start.Name == "":
		o.m.p.start.Name = v.Get("id").Str()
	}
}

// ended tells how a run was judged.
func (o *openOperator) ended() {
	verdict := strings.ToLower(strings.TrimSpace(o.verdict))
	o.verdicts = append(o.verdicts, verdict)
	if verdict != "" {
		o.m.p.outcome(verdict, o.why)
	}
}

// sumOf is the verdict that several runs share, or how often there was each.
func sumOf(verdicts []string) string {
	times := map[string]int{}
	var order []string
	for _, v := range verdicts {
		if v = cmp.Or(v, "not judged"); times[v] == 0 {
			order = append(order, v)
		}
		times[v]++
	}
	if len(order) == 1 {
		return order[0]
	}
	for i, v := range order {
		order[i] = fmt.Sprintf("%d %s", times[v], v)
	}
	return strings.Join(order, ", ")
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
