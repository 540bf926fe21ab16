package transcript

import (
	"context"
	"fmt"
	"io"
)

var stagehandFormat = &Format{
	Name: "stagehand", Title: "Stagehand history",
	Doc: "history.json: an array of methods with parameters and results. It holds no page text.",
	detect: func(h *head) bool {
		return h.open == '[' && h.anyItem(func(v val) bool { return v.has("method", "parameters") })
	},
	read: readStagehand, rewritten: true,
}

func readStagehand(ctx context.Context, p *importer, r io.Reader) error {
	p.browserOnly = true
	p.start.Agent = "Stagehand"
	n := 0
	return eachPiece(ctx, p, r, func(x piece, v val) {
		if !v.has("method") {
			p.unknownKind("entry without a method", x.line)
			return
		}
		n++
		when := stamp(v.get("timestamp"))
		id := p.toolCall(fmt.Sprintf("step-%d", n), v.get("method").str(), v.get("parameters").object(), when, x.line).raw
		res := v.get("result")
		a := answer{id: id, when: when, line: x.line, failed: res.get("success").is("false") || res.has("error")}
		if res.kind() == kindString {
			a.text = res.str()
		} else if res.ok() {
			a.text = string(res.raw())
		}
		p.result(a)
	})
}
