package mcp

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"snapscope/session/policy"
)

// Lines that a proxy which decodes and encodes would change, drop or choke on.
func conformance() (client, server []string) {
	big := strings.Repeat(`- link \"x\" [ref=e1] <b>&amp;</b> \u00e9 `, 130_000) // 5 MB
	client = []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"sampling":{},"future":{"x":1}},"clientInfo":{"name":"odd","version":"1","title":"<Odd> & co"}}}`,
		`{"method":"notifications/initialized","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}`,
		`{ "jsonrpc" : "2.0" , "id" : "s-1" , "method" : "tools/call" , "params" : { "name" : "browser_click" , "arguments" : { "n" : 1.0, "big" : 12345678901234567890, "e" : 1e2 } , "_meta" : { "progressToken" : 7 , "claudecode/toolUseId" : "toolu_1" } } }`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","arguments":null,"task":{"ttl":1}}}`,
		`{"jsonrpc":"2.0","id":2.5,"method":"future/method","params":[1,2]}`,
		`{"jsonrpc":"2.0","id":0,"result":{"roots":[{"uri":"file:///tmp","name":"a"}],"_meta":{"k":[]}}}`,
		`{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"no","data":{"deep":[{"x":null}]}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"<gone>"}}`,
		`[{"jsonrpc":"2.0","id":10,"method":"ping"},{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"y"}}]`,
		"\t {\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"ping\"}\r",
		"", "   ",
		`not JSON at all <>&` + "\x00\xff\xfe",
		`{"jsonrpc":"2.0","id":13,"method":"tools/call","params":`,
		`{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"z","arguments":{"t":"` + big + `"}}}`,
		`{"jsonrpc":"2.0","id":15,"id":16,"method":"ping","method":"tools/call","params":{"name":"dup","name":"dup2"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		"{\"jsonrpc\":\"2.0\",\"id\":17,\"method\":\"tools/call\",\"params\":{\"name\":\"u\u2028\",\"arguments\":{\"x\":\"\\ud83d\\ude00 \\/ \\u003c\"}}}",
	}
	server = []string{
		`{"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"x":{}},"serverInfo":{"name":"Odd","version":"0","icons":[]},"instructions":"<b>"},"jsonrpc":"2.0","id":0}`,
		`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`,
		`{"jsonrpc":"2.0","id":99,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":0.5,"total":null}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"zz","inputSchema":{"type":"object","$schema":"x","properties":{"b":{},"a":{}}},"_meta":{"k":1}},{"name":"aa"}],"nextCursor":"c","_meta":{}}}`,
		`{"jsonrpc":"2.0","id":"s-1","result":{"content":[{"type":"hologram","data":{"x":1}},{"type":"text","text":"### Page\n- Page URL: http://x/\n### Snapshot\n` + "```yaml\\n- button \\\"A\\\" [ref=e1]\\n```" + `","annotations":{"priority":1.0}},{"type":"resource_link","uri":"x:y"}],"isError":false,"odd":[1,2,{"y":null}]}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no \"x\"","data":{"a":[1,{"b":2}]}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`,
		`{"jsonrpc":"2.0","id":4711,"result":{"content":[{"type":"text","text":"nobody asked"}]}}`,
		`[{"jsonrpc":"2.0","id":10,"result":{}},{"jsonrpc":"2.0","id":11,"result":{"content":[{"type":"text","text":"b"}]}}]`,
		`Listening on port 3000…`, "\x1b[31mred\x1b[0m", "", "\xff\xfe\x00",
		`{"jsonrpc":"2.0","id":14,"result":{"content":[{"type":"text","text":"` + big + `"}],"structuredContent":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":17,"result":{"content":{"not":"a list"},"content":[{"type":"text"}]}}`,
		`{"jsonrpc":"2.0","id":16,"result":`,
		`{"jsonrpc":"2.0","id":16,"result":"a text"}`,
	}
	return client, server
}

// modern is the same for the protocol of 2026-07-28, which knows no initialize.
func modern() (client, server []string) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"odd","version":"2","title":"<Odd>"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"x":1.0}`
	client = []string{
		`{"jsonrpc":"2.0","id":0,"method":"server/discover","params":{` + meta + `}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null,` + meta + `}}}`,
		`{ "id" : "s-1" , "jsonrpc" : "2.0" , "method" : "tools/call" , "params" : { ` + meta + ` , "progressToken" : 7 } , "name" : "browser_click" , "arguments" : { "n" : 1.0, "big" : 12345678901234567890 } } }`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"x","arguments":{"region":"<eu>"},"inputResponses":{"q":{"action":"accept","content":{}}},"requestState":"\u003cs\u003e",` + meta + `}}}`,
		`{"jsonrpc":"2.0","id":"sub","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:y"]},` + meta + `}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"no-meta"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":"<t>",` + meta + `}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientInfo":"no object"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"odd","version":"2"}}}`,
	}
	server = []string{
		`{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{"listChanged":true}},"instructions":"<b>","ttlMs":3600000,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Odd","version":"1","icons":[]}}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[{"name":"zz","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"deep":{"properties":{"a":{"type":"integer","x-mcp-header":"A"}}}}}}],"ttlMs":0,"cacheScope":"private"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1e-3}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"<?>"}}},"requestState":"<s>"}}`,
		`{"jsonrpc":"2.0","id":"s-1","result":{"resultType":"complete","content":[{"type":"text","text":"<&>"}],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Odd","version":"1"}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"sub"}}}`,
		`{"jsonrpc":"2.0","id":"sub","result":{"resultType":"complete"}}`,
		`{"jsonrpc":"2.0","id":4,"error":{"code":-32004,"message":"unsupported","data":{"supported":["2025-11-25"],"requested":"2026-07-28"}}}`,
		`{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"<none>"}}`,
		`{"jsonrpc":"2.0","id":6,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":7}}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"Odd","version":"1"}}}`,
	}
	return client, server
}

func TestEveryByteIsTheSameInTheNewProtocol(t *testing.T) {
	clientLines, serverLines := modern()
	rec := everyByte(t, clientLines, serverLines)
	for _, want := range []string{`"agent":"odd 2"`, `"tool":"browser_click"`, `"tool":"x"`, `"text":"<&>"`} {
		if !strings.Contains(rec, want) {
			t.Errorf("the recording does not hold %q:\n%s", want, rec)
		}
	}
	if strings.Contains(rec, "nobody made") || strings.Contains(rec, "a second time") {
		t.Errorf("an answer was not paired:\n%s", rec)
	}
}

func TestEveryByteIsTheSameAtBothEnds(t *testing.T) {
	clientLines, serverLines := conformance()
	rec := everyByte(t, clientLines, serverLines)
	for _, want := range []string{
		"the server wrote a line that is no JSON-RPC message: Listening on port 3000", "a second time", "that nobody made",
		"the client sent a line that is no JSON-RPC message", `"tool":"browser_click"`,
	} {
		if !strings.Contains(rec, want) {
			t.Errorf("the recording does not hold %q", want)
		}
	}
}

// everyByte passes lines both ways over stdio, and is the recording.
func everyByte(t *testing.T, clientLines, serverLines []string) string {
	t.Helper()
	fromClient := []byte(strings.Join(clientLines, "\n") + "\nno newline at the end")
	fromServer := []byte(strings.Join(serverLines, "\n") + "\nnor here")
	dir := t.TempDir()
	says, heard := filepath.Join(dir, "says"), filepath.Join(dir, "heard")
	if err := os.WriteFile(says, fromServer, 0o600); err != nil {
		t.Fatal(err)
	}
	x := newOdd(t, "say", Options{}, "SAYS="+says, "HEARD="+heard)
	go func() {
		_, _ = x.in.Write(fromClient)
		_ = x.in.Close()
	}()
	got, err := io.ReadAll(x.out)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the client got", got, fromServer)
	if err := <-x.done; err != nil {
		t.Error(err)
	}
	in, err := os.ReadFile(heard)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the server got", in, fromClient)
	if err := x.p.Close(); err != nil {
		t.Error(err)
	}
	if x.logs.Len() > 0 {
		t.Errorf("stderr: %s", x.logs)
	}
	return x.sink.text()
}

// A policy that is on changes nothing in what it has no business with.
func TestUnderAPolicyEverythingElseIsTheSame(t *testing.T) {
	clientLines, serverLines := conformance()
	fold, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := New(Options{Policy: &fold, Inline: true})
	defer p.Close()
	l := p.Link(t.Context())
	for _, line := range clientLines {
		if got := l.FromClient([]byte(line + "\n")); string(got.Forward) != line+"\n" || got.Back != nil || got.Wait != nil {
			t.Errorf("%s became %s", clip(line, 80), clip(string(got.Forward), 80))
		}
	}
	for i, line := range serverLines[1:] {
		if got := l.FromServer([]byte(line + "\n")); string(got.Forward) != line+"\n" || got.Back != nil {
			t.Errorf("%d: %s became %s", i, clip(line, 80), clip(string(got.Forward), 80))
		}
	}
}

func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	t.Errorf("%s %d bytes, want %d; first difference at %d: %q, want %q", what, len(got), len(want), at,
		clip(string(got[at:]), 60), clip(string(want[at:]), 60))
}

func TestLatency(t *testing.T) {
	if testing.Short() {
		t.Skip("a timing")
	}
	x := newOdd(t, "echo", Options{})
	x.greet("t")
	best := time.Hour // of many: a machine that is busy now and then delays some
	for range 200 {
		begun := time.Now()
		x.send(callLine("1", "browser_click", `{"ref":"e1"}`))
		x.line()
		best = min(best, time.Since(begun))
	}
	if best > 20*time.Millisecond { // both ways and the server's own time
		t.Errorf("a small call takes at least %v", best)
	}
}
