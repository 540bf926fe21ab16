package record

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"snapscope/replay/proxy/api"
	"snapscope/replay/proxy/api/relay"
	"snapscope/session"
)

type events []session.Event

func (s *events) Append(e session.Event) error { *s = append(*s, e); return nil }
func (s *events) Sync() error                  { return nil }
func (s *events) Close() error                 { return nil }

// What a client says of itself is in the recording and in the list of proxies: a secret
// that stands there by mistake is in neither, and the client is still known.
func TestAUserAgentIsMasked(t *testing.T) {
	for _, c := range []struct{ agent, secret, name string }{
		{"claude-cli/2.1.197 (external; token=abcdef123456)", "abcdef123456", "claude-cli/2.1.197"},
		{"agent/1.0;token=abcdef123456", "abcdef123456", "agent/1.0"},
		{"agent?api_key=abcdef123456&v=1", "abcdef123456", "agent"},
		{"agent+sk-0123456789abcdef0123", "sk-0123456789abcdef0123", "agent"},
		{"https://me:opensesame1@agents.test/ bot", "opensesame1", "agents.test"},
	} {
		var put events
		q, err := api.Parse(api.Messages, []byte(`{"model":"m","tools":[{"name":"browser_click"}],"messages":[{"role":"user","content":"go"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		s := Open(SeatOptions{ID: "a", To: &url.URL{Scheme: "http", Host: "model.test"}, Sink: &put, Count: func(s string) int { return len(s) }, Log: func(string) {}})
		s.take(relay.Exchange{Agent: c.agent, Form: api.Messages, Request: q, Status: 200, Answer: api.Answer{Text: "hello", Whole: true, Usage: &session.Usage{Input: 1}}, Begun: time.Unix(1, 0), Ended: time.Unix(2, 0)})
		if _, err := s.Close(); err != nil {
			t.Fatal(err)
		}
		recorded, err := json.Marshal(put)
		if err != nil || len(put) < 3 {
			t.Fatal(err, len(put))
		}
		for where, text := range map[string]string{"the recording": string(recorded), "the list of proxies": s.Run().Client} {
			if strings.Contains(text, c.secret) || !strings.Contains(text, c.name) {
				t.Errorf("%s: %s has %s", c.agent, where, text)
			}
		}
	}
}
