package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"snapscope/replay/proxy"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy/fold"
)

// Where a server says the same in structuredContent, both are rewritten or neither,
// and the recording says which.
func TestStructuredContent(t *testing.T) {
	t.Parallel()
	under, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	tree := table(60, 0)
	quoted := string(proxy.Quote(tree))
	for name, c := range map[string]struct {
		structured string
		both       bool
	}{
		"the page itself":     {`{"success":true,"data":{"snapshot":` + quoted + `,"refs":{"e10":{"role":"row"}}},"error":null}`, true},
		"the page in a text":  {`{"content":[{"type":"text","text":` + string(proxy.Quote(inPage(tree))) + `}]}`, true},
		"twice":               {`[` + quoted + `,{"again":` + quoted + `}]`, true},
		"another page":        {`{"snapshot":` + string(proxy.Quote(table(59, 0))) + `}`, false},
		"the page in parts":   {`{"rows":[` + strings.ReplaceAll(quoted, `\n`, `","`) + `]}`, false},
		"no text":             {`{"n":1}`, false},
		"deeper than is read": {strings.Repeat("[", 100) + quoted + strings.Repeat("]", 100), false},
		"none":                {`null`, true},
	} {
		s := &sink{}
		p := New(Options{Policy: &under, Sink: s})
		l := p.Link(t.Context())
		l.FromClient([]byte(callLine("1", "browser_snapshot", "{}") + "\n"))
		msg := `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":` + c.structured + `,"content":[{"type":"text","text":` + string(proxy.Quote(inPage(tree))) + `}]}}` + "\n"
		got := string(l.FromServer([]byte(msg)).Forward)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		rec := s.text()
		if !c.both {
			if got != msg || !strings.Contains(rec, "nothing is rewritten") {
				t.Errorf("%s: %d of %d bytes; the recording says %v", name, len(got), len(msg), strings.Contains(rec, "nothing is rewritten"))
			}
			continue
		}
		var m struct {
			Result struct {
				StructuredContent any
				Content           []struct{ Text string }
			}
		}
		if err := json.Unmarshal([]byte(got), &m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text := fmt.Sprint(m.Result.StructuredContent)
		if strings.Contains(m.Result.Content[0].Text, tree) || strings.Contains(text, tree) {
			t.Errorf("%s: one of the two is not rewritten", name)
		}
		if c.structured == "null" {
			continue
		}
		if n := strings.Count(text, "[folded page: "); n != strings.Count(c.structured, `Row 59\"`) || !strings.Contains(rec, "rewritten in both") {
			t.Errorf("%s: %d folded pages, said %v", name, n, strings.Contains(rec, "rewritten in both"))
		}
		_, folded, _ := strings.Cut(m.Result.Content[0].Text, "```yaml\n")
		folded, _, _ = strings.Cut(folded, "\n```")
		if _, same, err := fold.Unfold(folded, strings.Split(tree, "\n")); err != nil || !same {
			t.Errorf("%s: the text does not give the page back: %v", name, err)
		}
		if !strings.Contains(text, folded) {
			t.Errorf("%s: the two say different things", name)
		}
	}
}
