package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"snapscope/replay/proxy"
	"snapscope/session/policy"
)

// Both versions of the protocol that are tried.
const (
	older = "2025-11-25"
	newer = "2026-07-28"
)

// sdkServer is a server of the official SDK: one tool answers with a page, one with
// what it was given.
func sdkServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "Playwright", Version: "9"}, nil)
	s.AddTool(&sdk.Tool{Name: "browser_snapshot", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: inPage(table(60, 0))}}}, nil
	})
	mirrored := map[string]any{"type": "object", "properties": map[string]any{
		"region": map[string]any{"type": "string", "x-mcp-header": "Region"},
		"deep":   map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer", "x-mcp-header": "Deep-N"}}},
	}}
	s.AddTool(&sdk.Tool{Name: "where", InputSchema: mirrored}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		text := string(r.Params.Arguments)
		if r.Extra != nil && r.Extra.Header != nil {
			text += " " + r.Extra.Header.Get("Mcp-Name") + " " + r.Extra.Header.Get("Mcp-Param-Region") + " " + r.Extra.Header.Get("Mcp-Param-Deep-N")
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
	})
	return s
}

func init() {
	modes["sdk"] = func() { _ = sdkServer().Run(context.Background(), &sdk.StdioTransport{}) }
}

// connected is a client of the SDK that speaks one version.
func connected(t *testing.T, version string, tr sdk.Transport) *sdk.ClientSession {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	c := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: version}, nil)
	s, err := c.Connect(ctx, tr, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("they speak %s, want %s", got, version)
	}
	return s
}

func ask(t *testing.T, s *sdk.ClientSession, tool string, args any) string {
	t.Helper()
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Content) != 1 || res.IsError {
		t.Fatalf("%s answered %+v", tool, res)
	}
	return res.Content[0].(*sdk.TextContent).Text
}

// overHTTP is a seat before a server of the SDK that speaks both versions.
func overHTTP(t *testing.T, o Options) (*Proxy, func() sdk.Transport, *sink) {
	t.Helper()
	server := sdkServer()
	up := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(up.Close)
	p, url, s := behind(t, up.URL, o)
	return p, func() sdk.Transport { return &sdk.StreamableClientTransport{Endpoint: url} }, s
}

// overStdio is a seat before a server of the SDK in a process of its own.
func overStdio(t *testing.T, o Options) (*Proxy, func() sdk.Transport, *sink) {
	t.Helper()
	x := newOdd(t, "sdk", o)
	return x.p, func() sdk.Transport {
		return &sdk.IOTransport{Reader: io.NopCloser(x.out), Writer: x.in}
	}, x.sink
}

// The official SDK plays both sides, in both versions, over both transports; the
// agent's pages are rewritten, and the recording knows who spoke.
func TestTheSDKOnBothSides(t *testing.T) {
	t.Parallel()
	fold, err := policy.Find("fold", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{older, newer} {
		for name, over := range map[string]func(*testing.T, Options) (*Proxy, func() sdk.Transport, *sink){"HTTP": overHTTP, "stdio": overStdio} {
			p, dial, rec := over(t, Options{Policy: &fold, Lift: 400000})
			s := connected(t, version, dial())
			tools, err := s.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != 2 || fmt.Sprint(tools.Tools[0].Meta[liftKey]) != "400000" {
				t.Errorf("%s, %s: the tools are %+v, %v", version, name, tools, err)
			}
			page := ask(t, s, "browser_snapshot", nil)
			if whole := inPage(table(60, 0)); len(page) > len(whole)*2/3 || !strings.Contains(page, "e600") {
				t.Errorf("%s, %s: %d of %d characters", version, name, len(page), len(whole))
			}
			run := p.Run()
			if run.Client != "tester "+version || run.Server != "Playwright 9" {
				t.Errorf("%s, %s: between %q and %q", version, name, run.Client, run.Server)
			}
			_ = s.Close()
			if err := p.Close(); err != nil {
				t.Error(err)
			}
			if text := rec.text(); !strings.Contains(text, `"agent":"tester `+version+`"`) || !strings.Contains(text, `"verb":"snapshot"`) {
				t.Errorf("%s, %s: the recording:\n%s", version, name, clip(text, 2000))
			}
		}
	}
}

// Headers that repeat arguments say what a person made of them: the server refuses a
// call where they do not agree.
func TestEditedArgumentsAndTheirHeaders(t *testing.T) {
	t.Parallel()
	p, dial, _ := overHTTP(t, Options{})
	s := connected(t, newer, dial())
	if _, err := s.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for edited, want := range map[string]string{
		`{"region":"us","deep":{"n":7}}`: `{"region":"us","deep":{"n":7}} where us 7`,
		`{"region":"größe"}`:             `{"region":"größe"} where =?base64?Z3LDtsOfZQ==?= `,
		`{"region":" x"}`:                `{"region":" x"} where =?base64?IHg=?= `,
		`{}`:                             `{} where  `,
	} {
		p.Holds().SetRules(proxy.Rules{All: true})
		got := make(chan string, 1)
		go func() {
			res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "where", Arguments: json.RawMessage(`{"region":"eu","deep":{"n":1}}`)})
			if err != nil {
				got <- err.Error()
				return
			}
			got <- res.Content[0].(*sdk.TextContent).Text
		}()
		until(t, func() bool { return len(p.Holds().List()) == 1 })
		p.Holds().SetRules(proxy.Rules{})
		if err := p.Holds().Decide(p.Holds().List()[0].ID, proxy.Decision{Do: proxy.Go, Args: json.RawMessage(edited)}); err != nil {
			t.Fatal(err)
		}
		if text := <-got; text != want {
			t.Errorf("%s arrived as %q, want %q", edited, text, want)
		}
	}
}

// Over HTTP, too, whoever spoke one version may speak the other next.
func TestBothVersionsInTurnOverHTTP(t *testing.T) {
	t.Parallel()
	p, dial, rec := overHTTP(t, Options{})
	for i, version := range []string{older, newer, older} {
		s := connected(t, version, dial())
		if got := ask(t, s, "where", map[string]any{"n": i}); !strings.HasPrefix(got, fmt.Sprintf(`{"n":%d}`, i)) {
			t.Errorf("%s: %s", version, got)
		}
		if run := p.Run(); run.Client != "tester "+version {
			t.Errorf("%s: the client is %q", version, run.Client)
		}
		_ = s.Close()
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(rec.text(), `"kind":"result"`); n != 3 {
		t.Errorf("%d results are recorded", n)
	}
}

// A client may speak both versions in turn, on one connection: it is one client, and
// each of its calls gets its answer.
func TestBothVersionsInTurn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "browser_snapshot"), []byte(leads), 0o600); err != nil {
		t.Fatal(err)
	}
	x := newOdd(t, "echo", Options{}, "PAGES="+dir)
	x.greet("tester")
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"}}`
	x.send(callLine("1", "browser_snapshot", `{}`))
	x.line()
	x.send(`{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{` + meta + `}}`)
	x.line()
	x.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"browser_click","arguments":{"target":"e2"},` + meta + `}}`)
	if got := x.line(); !strings.Contains(got, `"id":1`) || !strings.Contains(got, "e2") {
		t.Errorf("got %s", got)
	}
	x.send(`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`)
	x.line()
	if run := x.p.Run(); run.Client != "tester 1" || run.Steps != 2 || !strings.HasPrefix(run.Server, "Playwright") {
		t.Errorf("the run: %+v", run)
	}
	if rec := finish(t, x); strings.Count(rec, `"kind":"start"`) != 1 || strings.Count(rec, `"kind":"result"`) != 2 {
		t.Errorf("the recording:\n%s", rec)
	}
}
