package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/api"
	"snapscope/replay/proxy/api/relay"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/policy"
	"snapscope/snapshot/mask"
)

// SeatOptions are what a seat before a model API is started with.
type SeatOptions struct {
	ID        string
	To        *url.URL
	Policy    *policy.Policy // its retention rule is applied; nil: none
	Sink      session.Sink   // the recording; nil: nothing is recorded
	Sync      proxy.Sync     // what an answer waits for; "": proxy.SyncStep
	Recording string         // the sink's file, for screens
	Group     string         // names the seats of one agent
	Anyone    bool           // serve requests that name another host
	Count     func(string) int
	Log       func(line string)
}

// Seat is a proxy with its recording.
type Seat struct {
	o     SeatOptions
	proxy *relay.Proxy
	holds *proxy.Holds
	rec   *Recorder // of the proxy's telling goroutine, until Close

	mu   sync.Mutex
	run  proxy.Run
	sink session.Sink
}

// Open starts a seat. What a policy asks for that cannot be done here is logged.
func Open(o SeatOptions) *Seat {
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Sync = cmp.Or(o.Sync, proxy.SyncStep); o.Sink == nil {
		o.Sync = proxy.SyncNone // there is nothing to wait for
	}
	s := &Seat{o: o, holds: proxy.NewHolds(), sink: o.Sink}
	s.run = proxy.Run{
		ID: o.ID, Kind: proxy.API, PID: os.Getpid(), Group: o.Group, Server: o.To.Host,
		Recording: o.Recording, Started: time.Now().UTC(), Policy: policyName(o.Policy),
	}
	s.rec = New(Options{
		Put: s.put, Count: o.Count,
		Start: session.Start{Source: "api-seat", Name: "model calls to " + o.To.Host, Group: o.Group},
	})
	s.proxy = relay.New(relay.Options{
		To: o.To, Expiry: s.expiry(o.Policy), Holds: s.holds, HoldFor: holdFor,
		Told: s.take, Log: o.Log, Anyone: o.Anyone, Sync: o.Sync,
	})
	return s
}

func policyName(p *policy.Policy) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// expiry is a policy's retention rule at work; nil where it has none.
func (s *Seat) expiry(p *policy.Policy) *api.Expiry {
	if p == nil {
		return nil
	}
	st, ok := p.Retention()
	if p.Rewrites() {
		s.o.Log("policy " + p.Name + " rewrites pages: that happens before the agent has them, in snapscope mcp; here only its retention rule counts")
	}
	if !ok {
		if !p.Rewrites() && len(p.Stages) > 0 {
			s.o.Log("policy " + p.Name + " has no retention rule: requests pass as they came")
		}
		return nil
	}
	return api.NewExpiry(api.Rule{Strategy: st.Strategy, Values: st.Values(), Shows: transcript.ShowsPage, Count: s.o.Count})
}

// holdFor is how long a client waits for a model call, with a margin; 0: no limit
// is known.
func holdFor(agent string) time.Duration {
	known, _ := agents.Find(agentName(agent))
	d, _ := known.Model.Deadline()
	return d
}

// agentName is the client's name in a User-Agent: claude-cli/2.1.197 (external). What
// follows the name may be anything, and a client's name may be a secret by mistake.
func agentName(agent string) string {
	name, _, _ := strings.Cut(agent, " ")
	return mask.New(false).Text(name)
}

// take records one exchange, on the proxy's telling goroutine.
func (s *Seat) take(x relay.Exchange) {
	s.mu.Lock()
	if s.run.Client == "" && x.Agent != "" {
		s.run.Client = agentName(x.Agent)
	}
	s.mu.Unlock()
	s.rec.Take(x)
	s.keep()
}

// keep brings what was told as far as Sync asks before the answer ends.
func (s *Seat) keep() {
	if s.o.Sync == proxy.SyncStep {
		s.sync()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.sink.(interface{ Flush() error }); ok {
		if err := f.Flush(); err != nil {
			s.lost(err)
		}
	}
}

func (s *Seat) put(e session.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.Result != nil {
		s.run.Steps++
		if e.Result.URL != "" {
			s.run.Site = e.Result.URL
		}
	}
	if s.sink == nil {
		return
	}
	if err := s.sink.Append(e); err != nil {
		s.lost(err)
	}
}

func (s *Seat) sync() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sink == nil {
		return
	}
	if err := s.sink.Sync(); err != nil {
		s.lost(err)
	}
}

// lost goes on without a recording.
func (s *Seat) lost(err error) {
	s.sink, s.run.Recording = nil, ""
	s.o.Log(fmt.Sprintf("the recording ends here, the session goes on: %v", err))
}

// ServeHTTP passes one request on.
func (s *Seat) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.proxy.ServeHTTP(w, r) }

// Holds are the seat's holds, for the control socket.
func (s *Seat) Holds() *proxy.Holds { return s.holds }

// Run says what runs.
func (s *Seat) Run() proxy.Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// SetPolicy puts a policy's retention rule in force from the next request on; raw
// is session/policy's Policy, null for none.
func (s *Seat) SetPolicy(raw json.RawMessage) error {
	var p *policy.Policy
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("reading the policy: %w", err)
	}
	s.proxy.SetExpiry(s.expiry(p))
	s.mu.Lock()
	s.run.Policy = policyName(p)
	s.mu.Unlock()
	return nil
}

// Totals are a seat's sums, known when it is closed.
type Totals struct {
	Calls  int           // of the session, answered
	Others int           // of the agent, beside the session
	Beside session.Usage // what the others cost
	// BesideOf is Beside by model.
	BesideOf map[string]session.Usage
}

// Close ends the recording when everything that passed stands in it.
func (s *Seat) Close() (Totals, error) {
	err := s.proxy.Close()
	s.rec.Close()
	s.sync()
	t := Totals{Calls: s.rec.Calls, Others: s.rec.SideCalls, Beside: s.rec.Beside, BesideOf: s.rec.BesideOf}
	if c, ok := s.o.Sink.(interface{ Close() error }); ok {
		if cerr := c.Close(); err == nil {
			err = cerr
		}
	}
	return t, err
}
