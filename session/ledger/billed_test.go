package ledger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// bill is the input cost of a Claude Code file, worked out here from its own
// lines: of each message the last usage, at so many dollars a million tokens.
func bill(t *testing.T, file string, dollars float64) (usd float64) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]float64{}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		var l struct {
			Message struct {
				ID    string `json:"id"`
				Usage *struct {
					In    float64 `json:"input_tokens"`
					Read  float64 `json:"cache_read_input_tokens"`
					Write float64 `json:"cache_creation_input_tokens"`
					Kept  struct {
						Hour float64 `json:"ephemeral_1h_input_tokens"`
					} `json:"cache_creation"`
				} `json:"usage"`
			} `json:"message"`
		}
		if json.Unmarshal(line, &l) != nil || l.Message.Usage == nil {
			continue
		}
		u := l.Message.Usage
		last[l.Message.ID] = (u.In + 0.1*u.Read + 1.25*(u.Write-u.Kept.Hour) + 2*u.Kept.Hour) * dollars / 1e6
	}
	for _, c := range last {
		usd += c
	}
	return usd
}

// priced reads and studies a file at a model's prices; "" is the file's own.
func priced(t *testing.T, file, model string, policies ...string) ledger.Sheet {
	t.Helper()
	im, err := transcript.Read(t.Context(), file, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return pricedOf(t, session.NewTimeline(im.Events), model, policies...)
}

func pricedOf(t *testing.T, tl *session.Timeline, model string, policies ...string) ledger.Sheet {
	t.Helper()
	count, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	ps := []policy.Policy{policy.Full()}
	for _, name := range policies {
		ps = append(ps, named(name))
	}
	o := ledger.Options{Renderer: policy.NewRenderer(count.Count), Prices: ledger.DefaultPrices(), Model: model}
	s, err := ledger.Study(context.Background(), tl, ps, []policy.Policy{}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCostAsSentIsTheBill(t *testing.T) {
	t.Run("five minutes and an hour", func(t *testing.T) {
		s := priced(t, "../../testdata/ledger/hour-cache.claude-code.jsonl", "")
		if got := *s.AsSent.Cost; math.Abs(got-0.111621) > 1e-9 {
			t.Errorf("as sent costs %v, the bill is 0.111621", got)
		}
		if got := *s.Reports[0].Cost; math.Abs(got-0.111621) > 1e-9 {
			t.Errorf("as it was costs %v, the bill is 0.111621", got)
		}
		if s.AsSent.HourTokens != 10700 || s.AsSent.CachedTokens != 41500 || s.AsSent.PlainTokens != 32 {
			t.Errorf("cached %d, for an hour %d, plain %d", s.AsSent.CachedTokens, s.AsSent.HourTokens, s.AsSent.PlainTokens)
		}
	})
	files, err := filepath.Glob("../../testdata/transcripts/claude-*/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		want := bill(t, file, 3)
		if want == 0 {
			continue
		}
		s := priced(t, file, "claude-sonnet-4-5")
		if got := *s.AsSent.Cost; math.Abs(got-want) > 0.001*want {
			t.Errorf("%s: as sent costs %v, the bill is %v", file, got, want)
		}
		if s.AsSent.InputTokens == s.Full.InputTokens && !near(*s.Full.Cost, *s.AsSent.Cost) {
			t.Errorf("%s: as it was costs %v, as sent %v", file, *s.Full.Cost, *s.AsSent.Cost)
		}
	}
}

// claudeFile writes a session in Claude Code's form with figures of its own.
func claudeFile(t *testing.T, r *rand.Rand) string {
	t.Helper()
	var b strings.Builder
	put := func(kind, message string) {
		fmt.Fprintf(&b, `{"type":%q,"uuid":"u%d","sessionId":"s","version":"2.1.330","timestamp":"2026-11-01T10:00:00.000Z","message":%s}`+"\n", kind, b.Len(), message)
	}
	put("user", `{"role":"user","content":"look at the shop"}`)
	for i := range 2 + r.IntN(12) {
		short, hour := r.IntN(9000), r.IntN(9000)
		put("assistant", fmt.Sprintf(`{"id":"m%d","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"t%d","name":"mcp__playwright__browser_click","input":{"ref":"e%d"}}],`+
			`"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d},"output_tokens":9}}`,
			i, i, 1+r.IntN(30), 1+r.IntN(50), r.IntN(60000), short+hour, short, hour))
		page, err := json.Marshal("### Page\n- Page URL: http://shop.test/\n### Snapshot\n```yaml\n" + lines(1, 5+r.IntN(60)) + "\n```")
		if err != nil {
			t.Fatal(err)
		}
		put("user", fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":[{"type":"text","text":%s}]}]}`, i, page))
	}
	file := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestCostAsSentIsTheBillOfAnyFigures(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 25 {
		file := claudeFile(t, r)
		want := bill(t, file, 3)
		s := priced(t, file, "", "delta", "keep-one")
		if !near(*s.AsSent.Cost, want) || !near(*s.Full.Cost, want) {
			t.Fatalf("as sent costs %v, as it was %v, the bill is %v", *s.AsSent.Cost, *s.Full.Cost, want)
		}
	}
}

// What a file says of some calls only is not guessed for the others.
func TestACallWithoutAReceiptHasNoCost(t *testing.T) {
	s := new(script).call("", &session.Usage{Input: 1000, CacheWrite: 900}).act(session.VerbGoto, "", onePage).
		call("", nil).act(session.VerbClick, "e1", "")
	sheet := pricedOf(t, s.timeline(), "claude-sonnet-4-5")
	if want := (100 + 900*1.25) * 3 / 1e6; !near(*sheet.AsSent.Cost, want) || !near(*sheet.Full.Cost, want) {
		t.Errorf("as sent %v, as it was %v, the one receipt %v", *sheet.AsSent.Cost, *sheet.Full.Cost, want)
	}
	if !slices.ContainsFunc(sheet.AsSent.Notes, func(n string) bool { return strings.Contains(n, "1 call has no usage") }) {
		t.Errorf("it is not said: %q", sheet.AsSent.Notes)
	}
}

// A receipt that does not say what was cached leaves that to the rule.
func TestAReceiptWithoutTheCache(t *testing.T) {
	s := new(script)
	for range 3 {
		s.call("", &session.Usage{Input: 5000, NoCache: true}).act(session.VerbGoto, "", onePage)
	}
	sheet := pricedOf(t, s.timeline(), "claude-sonnet-4-5")
	if r := sheet.AsSent; r.Billed || r.CachedTokens < 8000 || r.Rule.Name != "anthropic" {
		t.Errorf("billed %v, cached %d by %s", r.Billed, r.CachedTokens, r.Rule.Name)
	}
}

// Calls of one session may go to two models: each is paid at its own price.
func TestEachCallAtItsModelsPrice(t *testing.T) {
	s := new(script).call("", &session.Usage{Input: 1000}).call("", &session.Usage{Input: 1000}).call("", &session.Usage{Input: 1000})
	for i, m := range []string{"claude-sonnet-4-5", "claude-haiku-4-5", "nobody-knows"} {
		s.events[i].Call.Model = m
	}
	r := pricedOf(t, s.timeline(), "").AsSent
	if want := (3.0 + 1.0) * 1000 / 1e6; !near(*r.Cost, want) {
		t.Errorf("as sent %v, the two receipts with a price %v", *r.Cost, want)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "1 call went to another model") }) {
		t.Errorf("it is not said: %q", r.Notes)
	}
}
