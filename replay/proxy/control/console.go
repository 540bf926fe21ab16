package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"snapscope/replay/proxy"
	"snapscope/session/breakpoint"
	"snapscope/session/policy"
)

// Console is a person's end of a seat, without a screen: what is held now, and the
// words that act on it. A screen and a script use the same one. It is safe for
// concurrent use; Beat is to be called every Renew by whoever must be alive for the
// person to act.
type Console struct {
	c        *Client
	own      []policy.Policy
	changed  chan struct{}
	notice   chan Notice
	mu       sync.Mutex
	run      proxy.Run
	holds    []proxy.Hold
	rules    proxy.Rules
	steering bool
	ended    bool
}

// OpenConsole connects to a seat and takes it; force takes it from another screen.
// own are the person's policies, which the word policy finds by name.
func OpenConsole(ctx context.Context, path string, force bool, own []policy.Policy) (*Console, error) {
	c, err := Dial(ctx, path)
	if err != nil {
		return nil, err
	}
	k := &Console{c: c, own: own, changed: make(chan struct{}, 1), notice: make(chan Notice, 256)}
	if err := c.Take(ctx, force); err != nil {
		_ = c.Close()
		return nil, err
	}
	k.steering = true
	if err := k.refresh(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	go k.listen()
	return k, nil
}

func (k *Console) refresh(ctx context.Context) error {
	run, holds, err := k.c.Run(ctx)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.run, k.holds, k.rules = run, holds, run.Rules
	return nil
}

func (k *Console) listen() {
	for n := range k.c.Notices() {
		k.mu.Lock()
		switch n.Event {
		case Held:
			if !slices.ContainsFunc(k.holds, func(h proxy.Hold) bool { return h.ID == n.Hold.ID }) {
				k.holds = append(k.holds, n.Hold)
			}
			k.run.Next = k.run.Next && n.Hold.What == proxy.HeldResult
		case Gone:
			k.holds = slices.DeleteFunc(k.holds, func(h proxy.Hold) bool { return h.ID == n.Hold.ID })
		case Lapsed:
			k.steering, k.rules, k.holds = false, proxy.Rules{}, nil
		case Ended:
			k.steering, k.ended, k.holds = false, true, nil
		}
		k.mu.Unlock()
		select {
		case k.notice <- n:
		default: // nobody reads them one by one
		}
		select {
		case k.changed <- struct{}{}:
		default:
		}
	}
	close(k.notice)
}

// Changed is signalled when something was held or went, or the seat ended.
func (k *Console) Changed() <-chan struct{} { return k.changed }

// Notices are the same one by one, for whoever wants each of them; at most a few
// hundred are kept.
func (k *Console) Notices() <-chan Notice { return k.notice }

// State is what a screen shows of a seat.
type State struct {
	Run      proxy.Run
	Holds    []proxy.Hold // oldest first
	Rules    proxy.Rules
	Models   bool // every model call is held
	Next     bool // the next call is held, whatever it is
	Steering bool // this console has the lease
	Ended    bool // the seat is gone
}

// Will lists what is going to be held, in a person's words.
func (s State) Will() []string {
	var out []string
	for _, w := range []struct {
		on   bool
		what string
	}{{s.Rules.All, "all calls"}, {s.Next && !s.Rules.All, "the next call"}, {s.Rules.Results, "all results"}, {s.Models, "all model calls"}} {
		if w.on {
			out = append(out, w.what)
		}
	}
	return append(out, s.Rules.Breaks...)
}

// State answers what is known now.
func (k *Console) State() State {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := State{Run: k.run, Holds: slices.Clone(k.holds), Rules: k.rules, Next: k.run.Next && k.steering, Steering: k.steering, Ended: k.ended}
	if k.run.Kind == proxy.API { // its calls are the model's
		s.Models, s.Rules.All = s.Rules.All, false
	}
	return s
}

// Beat renews the lease and what is known of the run. A lease that was lost, since
// the screen hung for a while, is taken again where nobody else has it.
func (k *Console) Beat(ctx context.Context) error {
	k.mu.Lock()
	steering, ended := k.steering, k.ended
	k.mu.Unlock()
	if ended {
		return ErrEnded
	}
	if !steering {
		if err := k.c.Take(ctx, false); err != nil {
			return err
		}
		k.mu.Lock()
		k.steering = true
		k.mu.Unlock()
	} else if err := k.c.Keep(ctx); err != nil {
		return err
	}
	return k.refresh(ctx)
}

// Close lets everything go.
func (k *Console) Close() error { return k.c.Close() }

// Word is one of the words that act on a seat.
type Word struct{ Word, Usage, Doc string }

// Words is the one table of them.
var Words = []Word{
	{"step", "step", "let the held call go and hold the next one; with nothing held: hold the next call"},
	{"run", "run", "let everything go on to the next breakpoint"},
	{"result", "result", "let the held call go and hold its result"},
	{"args", `args {"target":"e5"}`, "let the held call go with other arguments"},
	{"give", `give {"content":[…]}`, "let the held result go as this one; a text alone becomes its only block"},
	{"answer", `answer {"content":[…]}`, "answer the held call in the server's place; a text alone becomes its only block"},
	{"drop", "drop", "throw the held message away"},
	{"hold", "hold all", "hold every call; hold results: every result; hold models: every model call, where both seats are there; hold none"},
	{"break", "break before lost", "stop where a condition holds"},
	{"unbreak", "unbreak before lost", "take a breakpoint away; alone: all of them"},
	{"policy", "policy fold", "rewrite under a policy from the next result on; none: as it comes"},
}

// Do carries out one line of words and says what was done.
func (k *Console) Do(ctx context.Context, line string) (said string, err error) {
	word, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
	arg = strings.TrimSpace(arg)
	switch word {
	case "step", "run", "result", "args", "give", "answer", "drop":
		return k.decide(ctx, word, arg)
	case "hold":
		return k.hold(ctx, arg)
	case "break", "unbreak":
		return k.breakpoint(ctx, word == "break", arg)
	case "policy":
		return k.policy(ctx, arg)
	}
	var names []string
	for _, w := range Words {
		names = append(names, w.Word)
	}
	return "", fmt.Errorf("no word %q; there are %s", word, strings.Join(names, ", "))
}

func (k *Console) decide(ctx context.Context, word, arg string) (string, error) {
	k.mu.Lock()
	holds := slices.Clone(k.holds)
	k.mu.Unlock()
	if len(holds) == 0 {
		switch word {
		case "step":
			err := k.c.Step(ctx)
			k.expect(err == nil)
			return "the next call is held", err
		case "run":
			return "nothing is held", nil
		}
		return "", errors.New("nothing is held")
	}
	h := holds[0]
	d := proxy.Decision{Do: proxy.Go}
	said := h.ID + " goes on"
	switch word {
	case "step":
		d.Then = proxy.ThenStep
	case "result":
		d.Then, said = proxy.ThenResult, h.ID+" goes on, its result is held"
	case "args":
		d.Args, d.Then, said = json.RawMessage(arg), proxy.ThenStep, h.ID+" goes on with other arguments"
		if arg == "" {
			return "", errors.New(`which arguments? args {"target":"e5"}`)
		}
	case "give":
		d.Result, d.Then, said = resultOf(arg), proxy.ThenStep, h.ID+" goes on as another result"
		if h.What != proxy.HeldResult {
			return "", fmt.Errorf("%s is a call: answer it, or hold its result first", h.ID)
		}
	case "answer":
		d.Do, d.Result, d.Then, said = proxy.Answer, resultOf(arg), proxy.ThenStep, h.ID+" is answered, the server never has it"
	case "drop":
		d.Do, d.Then, said = proxy.Drop, proxy.ThenStep, h.ID+" is dropped"
	}
	if err := k.c.Decide(ctx, h.ID, d); err != nil {
		return "", err
	}
	k.expect(d.Then == proxy.ThenStep)
	return said, nil
}

// expect notes whether the next call is held, until the seat is asked again.
func (k *Console) expect(next bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.run.Next = next
}

// resultOf is a tool's result: the JSON that was typed, or a text as its only
// block.
func resultOf(arg string) json.RawMessage {
	if strings.HasPrefix(arg, "{") {
		return json.RawMessage(arg)
	}
	out := append([]byte(`{"content":[{"type":"text","text":`), proxy.Quote(arg)...)
	return append(out, "}]}"...)
}

func (k *Console) setRules(ctx context.Context, change func(*proxy.Rules)) error {
	k.mu.Lock()
	r := k.rules
	r.Breaks = slices.Clone(r.Breaks)
	k.mu.Unlock()
	change(&r)
	if err := k.c.SetRules(ctx, r); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rules = r
	return nil
}

func (k *Console) hold(ctx context.Context, arg string) (string, error) {
	said := map[string]string{"all": "every call is held", "results": "every result is held", "none": "nothing is held by itself any more"}[arg]
	if said == "" {
		return "", fmt.Errorf("hold takes all, results or none, not %q", arg)
	}
	return said, k.setRules(ctx, func(r *proxy.Rules) {
		switch arg {
		case "all":
			r.All = true
		case "results":
			r.Results = true
		default:
			r.All, r.Results = false, false
		}
	})
}

func (k *Console) breakpoint(ctx context.Context, set bool, arg string) (string, error) {
	if arg == "" && !set {
		return "no breakpoint is left", k.setRules(ctx, func(r *proxy.Rules) { r.Breaks = nil })
	}
	c, err := breakpoint.Parse(arg)
	if err != nil {
		return "", err
	}
	text := c.String()
	said := "stops where: " + text
	if !set {
		said = "stops no more where: " + text
	}
	return said, k.setRules(ctx, func(r *proxy.Rules) {
		r.Breaks = slices.DeleteFunc(r.Breaks, func(b string) bool { return b == text })
		if set {
			r.Breaks = append(r.Breaks, text)
		}
	})
}

func (k *Console) policy(ctx context.Context, arg string) (string, error) {
	name, sets, _ := strings.Cut(arg, " ")
	if name == "none" || name == "" {
		return "from the next result on everything goes as it comes", k.c.SetPolicy(ctx, nil)
	}
	p := policy.Policy{Name: name}
	if name != "inline" {
		var err error
		if p, err = policy.Find(name, k.own); err != nil {
			return "", err
		}
	}
	for _, set := range strings.Fields(sets) {
		if err := p.Set(set); err != nil {
			return "", err
		}
	}
	return "from the next result on the wire goes under " + name, k.SetPolicy(ctx, p)
}

// SetPolicy rewrites under a policy from the next result on.
func (k *Console) SetPolicy(ctx context.Context, p policy.Policy) error { return k.c.SetPolicy(ctx, p) }
