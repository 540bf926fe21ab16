package policy_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session/policy"
)

func TestAPromiseIsKeptWithItsPolicy(t *testing.T) {
	want := policy.Policy{
		Name: "mine", Stages: []policy.Stage{policy.MustStage("fold", nil)},
		Promise: &policy.Promise{Keep: 1, Minimize: "input", Saved: 0.8312, Low: 0.79, High: 0.9, Sessions: 12},
	}
	var b bytes.Buffer
	if err := policy.Write(&b, []policy.Policy{want}); err != nil {
		t.Fatal(err)
	}
	got, err := policy.Read("p.toml", b.Bytes())
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if diff := cmp.Diff([]policy.Policy{want}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAWrongPromiseIsAnErrorWithItsLine(t *testing.T) {
	const head = "[[policy]]\nname = \"p\"\n[policy.promise]\n"
	for _, c := range []struct{ text, want string }{
		{"keep = 1.5\nminimize = \"input\"\nsessions = 1\n", "p.toml:4: policy p: keep is 1.5"},
		{"keep = 1.0\nminimize = \"time\"\nsessions = 1\n", "p.toml:5: policy p: minimize is \"time\""},
		{"keep = 1.0\nminimize = \"cost\"\nsessions = 0\n", "p.toml:6: policy p: sessions is 0"},
		{"keep = 1.0\nminimize = \"cost\"\nsaved = 0.5\nlow = 0.6\nhigh = 0.7\nsessions = 2\n", "p.toml:6: policy p: low ≤ saved"},
		{"keeps = 1.0\n", "p.toml:4: unknown key"},
	} {
		_, err := policy.Read("p.toml", []byte(head+c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s…", c.text, err, c.want)
		}
	}
}

func TestAPromiseIsWiderForFewerSessions(t *testing.T) {
	p := policy.Promise{Keep: 1, Minimize: "input", Saved: 0.8, Low: 0.7, High: 0.86, Sessions: 10}
	low, high := p.For(10)
	if low != p.Low || high != p.High {
		t.Errorf("for as many sessions: %v to %v", low, high)
	}
	l1, h1 := p.For(1)
	l40, h40 := p.For(40)
	if !(l1 < low && low < l40 && h1 > high && high > h40) {
		t.Errorf("one session %v to %v, ten %v to %v, forty %v to %v", l1, h1, low, high, l40, h40)
	}
}
