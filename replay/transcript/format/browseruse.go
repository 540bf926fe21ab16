package format

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"snapscope/session"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
)

var browserUseFormat = &Format{
	Name:  "browser-use",
	Title: "browser-use AgentHistoryList",
	Doc: "The page's text stands only in state_message, which the model saw before it chose the entry's actions: it is shown as what the " +
		"actions before led to. The agent keeps one state only, so each expires when the next comes.",
	detect: func(h *head) bool {
		return h.of == "history" && h.anyItem(func(v tape.Value) bool { return v.Has("model_output") || v.Has("state", "result") })
	},
	read: readBrowserUse, Rewritten: true,
}

type browserUse struct {
	p      *importer
	n      int
	held   *answer // the last result, which waits for the state that it led to
	states []string
}

func readBrowserUse(ctx context.Context, p *importer, r io.Reader) error {
	b := &browserUse{p: p}
	p.late, p.browserOnly = true, true
	p.start.Agent = "browser-use"
	err := eachPiece(ctx, p, r, func(x tape.Piece, v tape.Value) {
		if x.Key == "history" && x.List {
			b.entry(v, x.Line)
		}
	})
	b.release("", nil)
	return err
}

func (b *browserUse) entry(v tape.Value, line int) {
	p := b.p
	b.n++
	state := v.Get("state_message").Str()
	when := stamp(v.Get("metadata", "step_start_time"))
	done := stamp(v.Get("metadata", "step_end_time"))
	where := v.Get("state")
	if b.held == nil {
		b.first(state, where, when, line)
	} else {
		b.release(state, &where)
	}
	out := v.Get("model_output")
	var usage *session.Usage
	if n := v.Get("metadata", "input_tokens"); n.OK() { // the vendor's count, kept since browser-use 0.1.24
		usage = &session.Usage{Input: n.Int(), NoCache: true}
	}
	p.begin(session.ModelCall{Text: browserUseSaid(out), Usage: usage}, when)
	var ids []string
	out.Get("action").Items(func(a tape.Value) {
		a.Fields(func(name string, args tape.Value) {
			ids = append(ids, p.toolCall(fmt.Sprintf("step-%d-%d", b.n, len(ids)+1), name, args.Object(), when, line).raw)
		})
	})
	i := 0
	v.Get("result").Items(func(r tape.Value) {
		if i >= len(ids) {
			p.im.Orphans = append(p.im.Orphans, Orphan{line, fmt.Sprintf("step-%d-%d", b.n, i+1), "result without a call"})
			return
		}
		b.release("", nil)
		text := r.Get("extracted_content").Str()
		failed := r.Get("error").OK()
		if failed {
			text = r.Get("error").Str()
		}
		b.held = &answer{id: ids[i], text: text, failed: failed, when: done, line: line}
		i++
	})
}

// browserUseSaid is what the model said besides its actions: fields of its output,
// in older versions below current_state.
func browserUseSaid(out tape.Value) string {
	if s := out.Get("current_state"); s.Kind() == tape.Object {
		out = s
	}
	var said []string
	for _, key := range []string{"thinking", "evaluation_previous_goal", "memory", "next_goal"} {
		if t := out.Get(key).Str(); t != "" {
			said = append(said, t)
		}
	}
	return strings.Join(said, "\n")
}

// first is the state before any action. It came with the task, so it is what
// the user said, unless it shows a page: then looking at it is a step.
func (b *browserUse) first(state string, where tape.Value, when time.Time, line int) {
	if state == "" {
		return
	}
	if r := reply.Parse(state); !r.Found || !strings.Contains(r.Snap, "]<") {
		b.p.user(state, when)
		return
	}
	id := b.p.spokenCall(fmt.Sprintf("state-%d", b.n), "browser_get_state", nil, when, line).raw
	b.held = &answer{id: id, when: when, line: line}
	b.release(state, &where)
}

// release lets the held result go, with the state that it led to.
func (b *browserUse) release(state string, where *tape.Value) {
	a := b.held
	b.held = nil
	if a == nil {
		return
	}
	if where != nil {
		a.url, a.title = where.Get("url").Str(), where.Get("title").Str()
	}
	shows := false
	if state != "" {
		if a.text != "" {
			a.text += "\n"
		}
		a.text += state
		shows = reply.Parse(state).Found
	}
	if shows {
		b.p.expire(b.states, a.when)
		b.states = append(b.states[:0], a.id)
	}
	b.p.result(*a)
}
