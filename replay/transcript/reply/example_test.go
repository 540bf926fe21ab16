package reply_test

import (
	"fmt"

	"snapscope/replay/transcript/reply"
)

// Two answers of a server that sends only what changed.
func ExamplePages() {
	pages := reply.Pages{}
	for i, text := range []string{
		"### Page\n- Page URL: http://shop.test/\n### Snapshot\n```yaml\n- main [ref=e1]:\n  - button \"Buy\" [ref=e2]\n```",
		"### Page\n- Page URL: http://shop.test/\n### Snapshot\n```yaml\n- <changed> button \"Bought\" [ref=e2]\n```",
	} {
		call := reply.Explain("mcp__playwright__browser_click", map[string]any{"ref": "e2"}, false)
		r := pages.Result(call, reply.Answer{Action: fmt.Sprint("call-", i+1), Text: text})
		fmt.Printf("%s on %s: %s\n%s\n", call.Verb, call.Target.Ref, r.Seen, r.Snapshot.Text)
	}
	// Output:
	// click on e2: inline
	// - main [ref=e1]:
	//   - button "Buy" [ref=e2]
	// click on e2: incremental
	// - main [ref=e1]:
	//   - button "Bought" [ref=e2]
}
