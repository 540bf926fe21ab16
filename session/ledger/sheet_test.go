package ledger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

func fiveCallSheet(t *testing.T) ledger.Sheet {
	t.Helper()
	tl := recorded(t, "five-calls.jsonl")
	o := options()
	o.Prices, o.Model, o.Fixes = handPrices(t), "writer", true
	ps := []policy.Policy{policy.Full(), named("openclaw"), named("passmark"), deltaAndExpiry()}
	sheet, err := ledger.Study(context.Background(), tl, ps, ps, o)
	if err != nil {
		t.Fatal(err)
	}
	sheet.Recording, sheet.Encoding, sheet.Prices = "five-calls.jsonl", "words", "2026-01-01"
	return sheet
}

func TestWriters(t *testing.T) {
	s := fiveCallSheet(t)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return ledger.WriteText(b, s) },
		"md":   func(b *bytes.Buffer) error { return ledger.WriteMarkdown(b, s) },
		"html": func(b *bytes.Buffer) error { return ledger.WriteHTML(b, s) },
		"json": func(b *bytes.Buffer) error { return ledger.WriteJSON(b, s) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			golden.RequireEqual(t, b.Bytes())
		})
	}
}

// The names that cli.md promises, and that empty lists are lists.
func TestJSONKeepsItsContract(t *testing.T) {
	var b bytes.Buffer
	s := ledger.Sheet{Recording: "empty", Reports: []*ledger.Report{simulate(new(script).act(session.VerbGoto, "", onePage).timeline(), policy.Full(), options())}}
	if err := ledger.WriteJSON(&b, s); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	has := func(m map[string]any, keys ...string) {
		t.Helper()
		for _, k := range keys {
			if _, ok := m[k]; !ok {
				t.Errorf("no key %q in %v", k, m)
			}
		}
	}
	has(got, "recording", "steps", "model_calls", "snapshots", "policies")
	p := got["policies"].([]any)[0].(map[string]any)
	has(p, "policy", "appended_tokens", "input_tokens", "peak_tokens", "saved_ratio", "cached_tokens", "written_tokens", "cost_usd", "survival", "per_call")
	if p["cost_usd"] != nil {
		t.Errorf("an unknown model costs %v", p["cost_usd"])
	}
	if calls, ok := p["per_call"].([]any); !ok || len(calls) != 1 {
		t.Errorf("per_call is %v", p["per_call"])
	}
	v := p["survival"].(map[string]any)
	has(v, "acted", "survived", "lost")
	if lost, ok := v["lost"].([]any); !ok || len(lost) != 0 {
		t.Errorf("lost is %v", v["lost"])
	}
}

// The names that cli.md promises of what was sent, the bill, the advice and the
// losses.
func TestJSONOfAStudyKeepsItsContract(t *testing.T) {
	var b bytes.Buffer
	if err := ledger.WriteJSON(&b, fiveCallSheet(t)); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for path, keys := range map[string][]string{
		"as_sent":                    {"appended_tokens", "input_tokens", "survival"},
		"bill":                       {"vendor_input_tokens", "counted_input_tokens", "uncounted_per_call", "parts"},
		"bill.parts":                 {"system_tools", "user", "model", "snapshots", "screenshots", "other_results"},
		"advice":                     {"text", "policy", "net_saved_ratio", "command"},
		"policies.3":                 {"saved_ratio", "net_saved_ratio"},
		"policies.3.survival.lost.0": {"step", "ref", "why", "uses", "cured_by_snapshot"},
	} {
		var at any = got
		for name := range strings.SplitSeq(path, ".") {
			switch x := at.(type) {
			case map[string]any:
				at = x[name]
			case []any:
				at = x[name[0]-'0']
			}
		}
		m, ok := at.(map[string]any)
		if !ok {
			t.Errorf("%s is %v", path, at)
			continue
		}
		for _, k := range keys {
			if _, ok := m[k]; !ok {
				t.Errorf("%s has no %q: %v", path, k, m)
			}
		}
	}
	if bill := got["bill"].(map[string]any); bill["vendor_input_tokens"] != nil || bill["uncounted_per_call"] != nil {
		t.Errorf("the vendor's count is not known: %v", bill)
	}
}

func TestWritersLetNothingOfAPageThrough(t *testing.T) {
	evil := "e1\x1b]0;owned\a<script>alert(1)</script>|\u202e"
	tl := new(script).act(session.VerbGoto, "", "- button \"x\" [ref=e2]").act(session.VerbClick, evil, "").timeline()
	r := simulate(tl, policy.Full(), options())
	if len(r.Survival.Lost) != 1 || !r.Survival.Lost[0].Never {
		t.Fatalf("survival %+v", r.Survival)
	}
	s := ledger.Sheet{Recording: evil, Reports: []*ledger.Report{r}}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return ledger.WriteText(b, s) },
		"md":   func(b *bytes.Buffer) error { return ledger.WriteMarkdown(b, s) },
		"html": func(b *bytes.Buffer) error { return ledger.WriteHTML(b, s) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\a\u202e") {
			t.Errorf("%s lets a control character through", name)
		}
		if name != "text" && strings.Contains(b.String(), "<script>") {
			t.Errorf("%s lets markup through", name)
		}
	}
}
