//go:build !race

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"snapscope/snapshot/strategy/registry"
)

// generated is what stands between the marks of a document, by name: tables that
// the code has already.
var generated = map[string]func(*testing.T) string{
	"events": eventTables, "schemas": schemaTable, "strategies": strategySections,
	"rows": rowTable, "compared": comparedTable,
}

var generatedPart = regexp.MustCompile(`(?s)<!-- generated: (\w+) -->\n.*?<!-- end -->`)

// generate writes a document's generated parts again.
func generate(t *testing.T, text string) string {
	t.Helper()
	return generatedPart.ReplaceAllStringFunc(text, func(part string) string {
		name := generatedPart.FindStringSubmatch(part)[1]
		if generated[name] == nil {
			t.Fatalf("nothing makes the part %s", name)
		}
		return "<!-- generated: " + name + " -->\n" + generated[name](t) + "<!-- end -->"
	})
}

// examples are a worked example of each strategy, and when it pays: %s is the
// strategy's name.
var examples = map[string]struct{ pays, lines string }{
	"full": {
		"Nothing is hidden and nothing is saved: what the others are measured against. It pays where sessions are short and pages small.",
		"$ snapscope reduce full form.aria | head -4\n",
	},
	"passmark": {
		"Many small steps on one large page: a form, a table, an editor. It pays little where most steps go to another page, because those are full.",
		reduceExample("form-errors.aria", "--prev form.aria"),
	},
	"delta": {
		"As passmark, and also where pages renumber their refs or move blocks: each is told in one line. It needs an agent that was told the notation, and the page before must still stand in its context.",
		reduceExample("form-errors.aria", "--prev form.aria"),
	},
	"response-diff": {
		"Where one tool is called again and again with nearly the same answer. Read its losses first: a change below the threshold is hidden.",
		reduceExample("form-errors.aria", "--prev form.aria --set enabled=true"),
	},
	"playwright-incremental": {
		"Pages whose changes stay in one subtree, with an agent made for Playwright MCP of those versions. A click that moves the focus costs a line for every branch.",
		reduceExample("form-errors.aria", "--prev form.aria"),
	},
	"compress": {
		"Reading long lists of which a few rows tell enough. It hides the rows that an agent acts on: watch survival, and raise keep_n to what the task needs.",
		"$ snapscope reduce compress leads-before.aria | grep collapsed\n$ snapscope reduce compress leads-before.aria --json | jq -r .reason\n",
	},
	"fold": {
		"Tables and lists when every row may be needed: all refs stay. It saves less than cutting does, and is read without the page before.",
		reduceExample("lists-numbers.aria", ""),
	},
	"budget": {
		"Agents that act on buttons, fields and links and do not read: texts go first. It keeps the size of a page bounded whatever the page.",
		reduceExample("form-errors.aria", "--set max_elements=40"),
	},
	"agent-browser": {
		"As budget, for pages that are mostly controls. Text between them goes, and with it what tells equal buttons apart.",
		reduceExample("form-errors.aria", ""),
	},
	"openclaw": {
		"Long sessions on many pages, where an old page is never acted on again. A page that is read, left for a few calls and then acted on is lost.",
		"$ snapscope report sessions/expiry-wins.jsonl --policy %s | grep cleared | head -3\n",
	},
	"keep-one": {
		"Agents that look before they act: the newest page is always there. It breaks the prompt cache behind the cleared page at every step, so compare cost and not tokens alone.",
		"$ snapscope report sessions/expiry-loses.jsonl --policy openclaw --policy %s | head -8\n",
	},
	"clear-tool-uses": {
		"Sessions near the end of a context window: nothing is cleared before the trigger, and much at once after it, which spares the prompt cache.",
		"$ snapscope report sessions/expiry-wins.jsonl --policy %s --set %s.trigger=2000 | grep cleared | head -3\n",
	},
}

// reduceExample is the head of an answer, and the sentence of its arithmetic.
func reduceExample(file, flags string) string {
	if flags != "" {
		flags += " "
	}
	cmd := "$ snapscope reduce %s " + flags + file
	return cmd + " | head -8\n" + cmd + " --json | jq -r .reason\n"
}

// strategySections is a section for each strategy of the registry.
func strategySections(t *testing.T) string {
	var b strings.Builder
	b.WriteString("## Side by side\n\n```console\n$ snapscope report session.jsonl --policy all | head -20\n```\n")
	for _, s := range registry.All() {
		e, ok := examples[s.Name]
		if !ok {
			t.Errorf("strategy %s has no worked example", s.Name)
			continue
		}
		d := describe(s)
		fmt.Fprintf(&b, "\n## %s\n\n*%s*: %s, from %s.\n\n%s\n\n**When it pays.** %s\n", d.Name, d.Title, d.Family, d.Source, strings.ReplaceAll(d.Doc, "\n", "\n\n"), e.pays)
		for i, k := range d.Knobs {
			if i == 0 {
				b.WriteString("\n| knob | default | range | what it does |\n| --- | --- | --- | --- |\n")
			}
			allowed := "true, false"
			switch {
			case k.Choices != nil:
				allowed = strings.Join(k.Choices, ", ")
			case k.Range != nil:
				allowed = k.Range[0] + " to " + k.Range[1] + unit(k.Unit)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Key, k.Default, allowed, k.Doc)
		}
		fmt.Fprintf(&b, "\n```console\n%s```\n", strings.ReplaceAll(e.lines, "%s", s.Name))
	}
	return b.String()
}

// schemaTable lists the schemas and what each is of.
func schemaTable(*testing.T) string {
	var b strings.Builder
	b.WriteString("| schema | of |\n| --- | --- |\n")
	for _, sc := range schemas {
		fmt.Fprintf(&b, "| [%s.json](../schema/%s.json) | %s |\n", sc.name, sc.name, strings.ReplaceAll(sc.title, "|", `\|`))
	}
	return b.String()
}

// definitions are the types of a schema: the keys of each, with what is always
// there.
func definitions(t *testing.T, schema string) map[string]definition {
	b, err := os.ReadFile(filepath.Join(sourceTop(t), "cmd/snapscope/schema", schema+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]definition `json:"$defs"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Defs
}

type definition struct {
	Description string
	Properties  map[string]map[string]any
	Required    []string
}

// table lists a type's keys with their meaning.
func (d definition) table() string {
	var out strings.Builder
	out.WriteString("| key | type | meaning |\n| --- | --- | --- |\n")
	for _, key := range keysOf(d.Properties) {
		p := d.Properties[key]
		must := ""
		if slices.Contains(d.Required, key) {
			must = ", always"
		}
		text, _ := p["description"].(string)
		fmt.Fprintf(&out, "| `%s` | %s%s | %s |\n", key, typeName(p), must, strings.ReplaceAll(text, "|", `\|`))
	}
	return out.String()
}

// rowTable is the keys of a sweep's row.
func rowTable(t *testing.T) string { return definitions(t, "sweep-row")["row"].table() }

// eventTables are the kinds of events with the keys of each, as the schema has
// them.
func eventTables(t *testing.T) string {
	defs := definitions(t, "recording")
	var out strings.Builder
	event := defs["wireEvent"]
	for _, part := range []string{"start", "user", "call", "action", "result", "note", "expiry", "compact"} {
		def, ok := defs[reference(event.Properties[part])]
		if !ok {
			t.Fatalf("an event's %s is not in the schema", part)
		}
		fmt.Fprintf(&out, "### `%s`\n\n%s\n", part, def.table())
	}
	return out.String()
}

// reference is the definition that a schema points to, directly or as one of
// two.
func reference(p map[string]any) string {
	if either, ok := p["anyOf"].([]any); ok {
		p, _ = either[0].(map[string]any)
	}
	ref, _ := p["$ref"].(string)
	return strings.TrimPrefix(ref, "#/$defs/")
}

func typeName(p map[string]any) string {
	if either, ok := p["anyOf"].([]any); ok && reference(p) == "" { // or null
		p, _ = either[0].(map[string]any)
	}
	if ref := reference(p); ref != "" {
		return ref
	}
	name, _ := p["type"].(string)
	items, _ := p["items"].(map[string]any)
	values, _ := p["enum"].([]any)
	switch {
	case items != nil:
		return "list of " + typeName(items)
	case len(values) > 0 && len(values) <= 12:
		return strings.Trim(strings.ReplaceAll(fmt.Sprintf("%q", values), `" "`, `", "`), "[]")
	case name == "":
		return "any"
	}
	return name
}

func keysOf[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// sourceTop is the project's folder. The documents' tests run elsewhere.
func sourceTop(t *testing.T) string {
	t.Helper()
	if top == "" {
		t.Fatal("the project's folder was not noted")
	}
	return top
}

var top string
