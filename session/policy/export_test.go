package policy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

func TestExportConfig(t *testing.T) {
	for _, c := range []struct {
		target string
		stage  policy.Stage
		want   string
		notes  []string
	}{
		{
			"openclaw",
			policy.MustStage("openclaw", strategy.Values{"tool_calls": 5}),
			`{"agents":{"defaults":{"contextPruning":{"browserSnapshot":{"expiry":{"enabled":true,"toolCalls":5}}}}}}`, nil,
		},
		{
			"openclaw",
			policy.MustStage("openclaw", strategy.Values{"enabled": 0, "sticky": 0}),
			`{"agents":{"defaults":{"contextPruning":{"browserSnapshot":{"expiry":{"enabled":false,"toolCalls":3}}}}}}`,
			[]string{"openclaw cannot be told sticky false: it works with true"},
		},
		{
			"playwright",
			policy.MustStage("compress", strategy.Values{"keep_n": 20}),
			`{"compress":true}`,
			[]string{"playwright cannot be told keep_n 20: it works with 10"},
		},
		{
			"passmark",
			policy.MustStage("passmark", strategy.Values{"context": 4}),
			"configure({ deltaSnapshot: true });",
			[]string{"passmark cannot be told context 4: it works with 2"},
		},
	} {
		x, err := policy.ExportConfig(c.target, policy.Policy{Name: "p", Stages: []policy.Stage{c.stage}})
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		got := strings.TrimSuffix(x.Text, "\n")
		if strings.HasPrefix(got, "{") {
			var v any
			if err := json.Unmarshal([]byte(got), &v); err != nil {
				t.Errorf("%s: %v", c.target, err)
			}
			b, _ := json.Marshal(v)
			got = string(b)
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.target, got, c.want)
		}
		if diff := cmp.Diff(c.notes, x.Notes); diff != "" {
			t.Errorf("%s: %s", c.target, diff)
		}
	}
}

// The block that the expiry document prints, to the letter.
func TestExportOpenClawReadsAsItsDocument(t *testing.T) {
	x, err := policy.ExportConfig("openclaw", policy.Policy{Name: "p", Stages: []policy.Stage{policy.MustStage("openclaw", nil)}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "agents": {
    "defaults": {
      "contextPruning": {
        "browserSnapshot": {
          "expiry": {
            "enabled": true,
            "toolCalls": 3
          }
        }
      }
    }
  }
}
`
	if x.Text != want {
		t.Errorf("got %s", x.Text)
	}
}

func TestExportTargetsNameKnobsThatExist(t *testing.T) {
	for _, target := range policy.ExportTargets() {
		s, err := registry.Get(target.Strategy)
		if err != nil {
			t.Errorf("target %s: %v", target.Name, err)
			continue
		}
		x, err := policy.ExportConfig(target.Name, policy.Single(s))
		if err != nil || !strings.HasSuffix(x.Text, "\n") || strings.Contains(x.Text, `"?"`) {
			t.Errorf("target %s: %q, %v", target.Name, x.Text, err)
		}
	}
	if _, err := policy.ExportConfig("nosuch", policy.Full()); err == nil || !strings.Contains(err.Error(), "openclaw") {
		t.Errorf("an unknown target: %v", err)
	}
	if _, err := policy.ExportConfig("openclaw", policy.Full()); err == nil {
		t.Error("a policy without the strategy is no error")
	}
}
