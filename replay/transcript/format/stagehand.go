package format

import (
	"context"
	"fmt"
	"io"

	"snapscope/replay/tape"
)

var stagehandFormat = &Format{
	Name: "stagehand", Title: "Stagehand history",
	Doc: "history.json: an array of methods with parameters and results. It holds no page text.",
	detect: func(h *head) bool {
		return h.open == '[' && h.anyItem(func(v tape.Value) bool { return v.Has("method", "parameters") })
	},
	read: readStagehand, Rewritten: true,
}

func readStagehand(ctx context.Context, p *importer, r io.Reader) error {
	p.browserOnly = true
	p.start.Agent = "Stagehand"
	n := 0
	return eachPiece(ctx, p, r, func(x tape.Piece, v tape.Value) {
		if !v.Has("method") {
			p.unknownKind("entry without a method", x.Line)
			return
		}
		n++
		when := stamp(v.Get("timestamp"))
		id := p.toolCall(fmt.Sprintf("step-%d", n), v.Get("method").Str(), v.Get("parameters").Object(), when, x.Line).raw
		res := v.Get("result")
		a := answer{id: id, when: when, line: x.Line, failed: res.Get("success").Is("false") || res.Has("error")}
		if res.Kind() == tape.String {
			a.text = res.Str()
		} else if res.OK() {
			a.text = string(res.Raw())
		}
		p.result(a)
	})
}
