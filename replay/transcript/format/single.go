package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"snapscope/replay"
	"snapscope/session"

	"snapscope/replay/tape"
	"snapscope/replay/transcript/reply"
)

var recordingFormat = &Format{
	Name: "snapscope", Title: "snapscope recording",
	Doc:    "What --record writes; see the package replay.",
	detect: func(h *head) bool { return replay.IsHeader(h.raw) },
	read:   readRecording,
}

// readRecording passes a recording's events on as they are.
func readRecording(ctx context.Context, p *importer, r io.Reader) error {
	counted := &Counted{R: r}
	d := replay.NewDecoder(counted, p.im.Path)
	open := map[string]bool{}
	for ctx.Err() == nil && !p.full() {
		e, err := d.Next()
		p.im.Bytes = counted.N
		if errors.Is(err, io.EOF) {
			p.im.Notes = append(p.im.Notes, d.Notes()...)
			p.im.Cut = d.Cut()
			for id := range open {
				p.im.Orphans = append(p.im.Orphans, Orphan{0, id, "call without a result"})
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case e.Action != nil:
			p.im.Calls++
			open[e.Action.ID] = true
		case e.Result != nil:
			if open[e.Result.Action] {
				p.im.Results++
				delete(open, e.Result.Action)
			} else {
				p.im.Orphans = append(p.im.Orphans, Orphan{e.Seq + 1, e.Result.Action, "result without a call"})
			}
			if e.Result.Seen != "" {
				p.im.Seen[e.Result.Seen]++
			}
			if s := e.Result.Snapshot; s != nil && s.Rebuilt {
				p.im.Rebuilt++
			}
		}
		p.events++
		p.something = p.something || e.Call != nil || e.Action != nil || e.User != nil || e.Result != nil
		p.release(e)
	}
	return ctx.Err()
}

var contentFormat = &Format{
	Name: "content", Title: "one saved tool result (JSON)",
	Doc: `What Claude Code saves of a large result: [{"type":"text","text":…}]. It becomes a session of one step.`,
	detect: func(h *head) bool {
		return h.open == '[' && h.anyItem(func(v tape.Value) bool { return v.Get("type").Str() == "text" && v.Has("text") && !v.Has("role") })
	},
	read: func(ctx context.Context, p *importer, r io.Reader) error {
		var parts []string
		err := eachPiece(ctx, p, r, func(_ tape.Piece, v tape.Value) {
			text, n := reply.Block(v)
			p.sees(n)
			parts = append(parts, text)
		})
		single(p, strings.Join(parts, "\n"))
		return err
	},
	Rewritten: true,
}

var replyFormat = &Format{
	Name: "reply", Title: "one tool result or snapshot (text)",
	Doc: "A server's reply or a bare snapshot as a text file, for instance NNN.snapshot.yml. It becomes a session of one step.",
	detect: func(h *head) bool {
		if h.open != 0 || bytes.IndexByte(h.raw, 0) >= 0 {
			return false
		}
		r := reply.Parse(tape.ValidText(string(h.raw)))
		return r.Found && (r.Dialect == "uid" || len(r.Snap) > len(r.Before)/4)
	},
	read: func(ctx context.Context, p *importer, r io.Reader) error {
		var b strings.Builder
		err := eachText(ctx, p, r, func(_ int, line string) {
			if b.Len()+len(line) <= p.max() {
				b.WriteString(line)
				b.WriteByte('\n')
			}
		})
		single(p, b.String())
		return err
	},
	Rewritten: true,
}

// single makes a session of one result.
func single(p *importer, text string) {
	p.browserOnly = true
	id := p.toolCall("", string(session.VerbSnapshot), nil, time.Time{}, 1).raw
	p.result(answer{id: id, text: text, line: 1})
}
