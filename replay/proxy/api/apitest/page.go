package apitest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Page is a page of leads that is served as Playwright MCP serves a page: every
// action answers with the page as it is then. It is the Tools of an agent in the
// same process, and an MCP server for one elsewhere.
type Page struct {
	Rows    int
	url     string
	checked map[int]bool
}

// Name is what the checkbox of a row is called.
func Name(row int) string { return fmt.Sprintf("Select lead %03d", row) }

// List tells the tools.
func (p *Page) List() ([]Tool, error) {
	schema := func(props string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":{` + props + `}}`)
	}
	return []Tool{
		{"browser_navigate", "Navigate to a URL", schema(`"url":{"type":"string"}`)},
		{"browser_click", "Click an element of the page", schema(`"element":{"type":"string"},"ref":{"type":"string"}`)},
		{"browser_snapshot", "Take a snapshot of the page", schema("")},
		{"browser_evaluate", "Run a script in the page", schema(`"function":{"type":"string"}`)},
	}, nil
}

// Call carries out one tool call.
func (p *Page) Call(_, name string, args json.RawMessage) (text string, failed bool, err error) {
	var a struct{ URL, Ref, Function string }
	_ = json.Unmarshal(args, &a)
	switch name {
	case "browser_navigate":
		p.url, p.checked = a.URL, map[int]bool{}
		return p.text("await page.goto('" + a.URL + "');"), false, nil
	case "browser_click":
		var row int
		if _, err := fmt.Sscanf(a.Ref, "e%d", &row); err != nil || row < 10 || row >= 10+p.Rows || p.checked == nil {
			return "### Result\nError: Ref " + a.Ref + " not found in the current page snapshot", true, nil
		}
		p.checked[row-10] = !p.checked[row-10]
		return p.text("await page.getByRole('checkbox', { name: '" + Name(row-10) + "' }).click();"), false, nil
	case "browser_snapshot":
		return p.text(""), false, nil
	case "browser_evaluate":
		return fmt.Sprintf("### Result\n%d\n", len(p.checked)), false, nil
	}
	return "### Result\nError: no tool " + name, true, nil
}

// text is the answer with the page as it is.
func (p *Page) text(code string) string {
	var b strings.Builder
	if code != "" {
		fmt.Fprintf(&b, "### Ran Playwright code\n```js\n%s\n```\n", code)
	}
	fmt.Fprintf(&b, "### Page state\n- Page URL: %s\n- Page Title: Leads\n- Page Snapshot:\n```yaml\n- main [ref=e1]:\n  - heading \"Leads\" [level=1] [ref=e2]\n  - table [ref=e3]:\n", p.url)
	for i := range p.Rows {
		mark := ""
		if p.checked[i] {
			mark = " [checked]"
		}
		fmt.Fprintf(&b, "    - row \"%s lead %03d, Main office %d, open\":\n      - checkbox \"%s\"%s [ref=e%d]\n      - cell \"lead %03d\"\n      - cell \"Main office %d\"\n",
			Name(i), i, i%7, Name(i), mark, 10+i, i, i%7)
	}
	b.WriteString("```\n")
	return b.String()
}

// Serve is the page as an MCP server over stdio, until in ends.
func (p *Page) Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var q struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name string          `json:"name"`
				Args json.RawMessage `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &q) != nil || len(q.ID) == 0 {
			continue
		}
		var result any = object{}
		switch q.Method {
		case "initialize":
			result = object{"protocolVersion": "2025-06-18", "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "scripted-page", "version": "1.0"}}
		case "tools/list":
			list, err := p.List()
			if err != nil {
				return err
			}
			result = object{"tools": list}
		case "tools/call":
			text, failed, err := p.Call("", q.Params.Name, q.Params.Args)
			if err != nil {
				return err
			}
			result = object{"content": []object{{"type": "text", "text": text}}, "isError": failed}
		}
		if _, err := fmt.Fprintf(out, "%s\n", must(object{"jsonrpc": "2.0", "id": q.ID, "result": result})); err != nil {
			return err
		}
	}
	return lines.Err()
}
