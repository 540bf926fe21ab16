package transcript

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"snapscope/session"
)

var browserUseFormat = &Format{
	Name:  "browser-use",
	Title: "browser-use AgentHistoryList",
	Doc: "The page's text stands only in state_message, which the model saw before it chose the entry's actions: it is shown as what the " +
		"actions before led to. The agent keeps one state only, so each expires when the next comes.",
	detect: func(h *head) bool {
		return h.of == "history" && h.anyItem(func(v val) bool { return v.has("model_output") || v.has("state", "result") })
	},
	read: readBrowserUse, rewritten: true,
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
	err := eachPiece(ctx, p, r, func(x piece, v val) {
		if x.key == "history" && x.list {
			b.entry(v, x.line)
		}
	})
	b.release("", nil)
	return err
}

func (b *browserUse) entry(v val, line int) {
	p := b.p
	b.n++
	state := v.get("state_message").str()
	when := stamp(v.get("metadata", "step_start_time"))
	done := stamp(v.get("metadata", "step_end_time"))
	where := v.get("state")
	if b.held == nil {
		b.first(state, where, when, line)
	} else {
		b.release(state, &where)
	}
	out := v.get("model_output")
	p.begin(session.ModelCall{Text: out.get("next_goal").str()}, when)
	var ids []string
	out.get("action").items(func(a val) {
		a.fields(func(name string, args val) {
			ids = append(ids, p.toolCall(fmt.Sprintf("step-%d-%d", b.n, len(ids)+1), name, args.object(), when, line).raw)
		})
	})
	i := 0
	v.get("result").items(func(r val) {
		if i >= len(ids) {
			p.im.Orphans = append(p.im.Orphans, Orphan{line, fmt.Sprintf("step-%d-%d", b.n, i+1), "result without a call"})
			return
		}
		b.release("", nil)
		text := r.get("extracted_content").str()
		failed := r.get("error").ok()
		if failed {
			text = r.get("error").str()
		}
		b.held = &answer{id: ids[i], text: text, failed: failed, when: done, line: line}
		i++
	})
}

// first is the state before any action. It came with the task, so it is what
// the user said, unless it shows a page: then looking at it is a step.
func (b *browserUse) first(state string, where val, when time.Time, line int) {
	if state == "" {
		return
	}
	if r := parseReply(state); !r.found || !strings.Contains(r.snap, "]<") {
		b.p.user(state, when)
		return
	}
	id := b.p.toolCall(fmt.Sprintf("state-%d", b.n), "browser_get_state", nil, when, line).raw
	b.held = &answer{id: id, when: when, line: line}
	b.release(state, &where)
}

// release lets the held result go, with the state that it led to.
func (b *browserUse) release(state string, where *val) {
	a := b.held
	b.held = nil
	if a == nil {
		return
	}
	if where != nil {
		a.url, a.title = where.get("url").str(), where.get("title").str()
	}
	shows := false
	if state != "" {
		if a.text != "" {
			a.text += "\n"
		}
		a.text += state
		shows = parseReply(state).found
	}
	if shows {
		b.p.expire(b.states, a.when)
		b.states = append(b.states[:0], a.id)
	}
	b.p.result(*a)
}
