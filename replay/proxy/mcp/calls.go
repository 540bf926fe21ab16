package mcp

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"snapscope/replay/proxy"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
	"snapscope/session/agents"
)

// call passes a tools/call on, or holds it.
func (l *Link) call(m message) Passage {
	c := l.newCall(m)
	why, stop, late := l.stops(c)
	if !stop {
		l.sent(c, nil)
		return Passage{Forward: m.raw}
	}
	key := m.key()
	ctx, end := context.WithCancelCause(l.context)
	giveUp := func() { end(nil) }
	l.mu.Lock()
	l.waiting[key] = giveUp
	l.mu.Unlock()
	return Passage{
		Wait: func() (forward, back []byte) {
			defer giveUp()
			begun := time.Now()
			go func() {
				select {
				case <-late:
					end(proxy.ErrSettled)
				case <-ctx.Done():
				}
			}()
			c.shown = l.shown(c)
			d := l.p.holds.Wait(ctx, proxy.Hold{What: proxy.HeldCall, Why: why, Action: c.action, Tool: c.tool, Args: c.shown}, l.limit(0))
			c.held += time.Since(begun)
			l.mu.Lock()
			delete(l.waiting, key)
			l.mu.Unlock()
			return l.released(c, m, d)
		},
		GiveUp: giveUp,
		Beat:   beat(c),
	}
}

// stops reports whether a call is to be held, and why. It is held, too, where the
// breakpoints are not looked at in time: then late, if it is not nil, is closed once
// they have been and none of them stops it.
func (l *Link) stops(c *asked) (why string, stop bool, late <-chan struct{}) {
	h := l.p.holds
	if h.Quiet() {
		return "", false, nil
	}
	if why, stop = h.Stops(); stop {
		return why, true, nil
	}
	breaks := h.Rules().Breaks
	if len(breaks) == 0 {
		return "", false, nil
	}
	args, tool, nothing := c.args, c.tool, make(chan struct{})
	told, _ := l.p.rec.ask(l.context, 0, func(r *recorder, t *ticket) {
		w, s := r.stopBefore(l.view, tool, args)
		if t.claim(func() { why, stop = w, s }) {
			return
		}
		switch {
		case s:
			r.note(tool + " stays held: " + w)
		case r.after != "": // came true with a result that was recorded late
			r.note(tool + " stays held: " + r.after)
		default:
			close(nothing)
		}
	})
	if !told && !l.p.plain() {
		return unsure(breaks, reply.Explain(tool, object(args), true)), true, nothing // only for the words: the view is the recorder's
	}
	if !stop { // a condition may have come true with the result that was just recorded
		why, stop = h.Stops()
	}
	return why, stop, nil
}

// unknownLimit is how long a client waits that nothing is known of: the TypeScript
// SDK's default.
const unknownLimit = time.Minute

// limit is how long a message may be held when its call has been under way for a
// time.
func (l *Link) limit(under time.Duration) time.Duration {
	l.mu.Lock()
	wait := l.known.Call
	named := l.known.Name != ""
	l.mu.Unlock()
	if l.p.o.CallLimit > 0 {
		wait = agents.Wait{Limit: l.p.o.CallLimit}
	} else if !named {
		wait.Limit = unknownLimit
	}
	d, ok := wait.Deadline()
	if !ok {
		return 0
	}
	return max(d-under, time.Millisecond)
}

// released carries out what was decided on a held call.
func (l *Link) released(c *asked, m message, d proxy.Decision) (forward, back []byte) {
	switch d.Do {
	case proxy.Drop:
		l.never(c, m, d)
		return nil, nil
	case proxy.Answer:
		return nil, l.inPlace(c, m, d)
	}
	out := m.raw
	var given []byte
	if len(d.Args) > 0 {
		now := unmasked(oneLine(d.Args), c.shown, c.args)
		if edited, err := withArguments(m.raw, now); err == nil {
			out, given = edited, c.args
			c.args, c.edited = now, true
		} else {
			l.note("the arguments could not be replaced, the call went as it came: " + err.Error())
		}
	}
	l.sent(c, given)
	return out, nil
}

// never records a call that the server never had. Its request is closed, so that
// nothing is expected of the server.
func (l *Link) never(c *asked, m message, d proxy.Decision) {
	l.mu.Lock()
	l.over(c, c.at)
	l.mu.Unlock()
	l.p.await(l.p.rec.step(0, func(r *recorder) {
		r.called(l.view, c, nil)
		r.record(l, &outgoing{c: c, failed: true, touched: session.TouchedDropped, result: &session.Result{
			Action: c.action, Error: "held until " + d.By + "; it never reached the server",
		}})
	}))
}

// inPlace answers a call in the server's place.
func (l *Link) inPlace(c *asked, m message, d proxy.Decision) []byte {
	out := answerTo(c.id, d.Result)
	l.mu.Lock()
	l.over(c, c.at)
	l.mu.Unlock()
	l.p.await(l.p.rec.step(len(out), func(r *recorder) {
		r.called(l.view, c, nil)
		l.view.forget(session.AnewEdited)
		o := l.view.outgoing(c, head(out))
		o.touched = session.TouchedAnswered
		r.record(l, o)
	}))
	return out
}

func oneLine(raw json.RawMessage) []byte {
	out := make([]byte, len(raw))
	for i, b := range raw {
		if b == '\n' || b == '\r' { // only between values: strings hold none
			b = ' '
		}
		out[i] = b
	}
	return out
}

func withArguments(msg, args []byte) ([]byte, error) {
	params, ok := proxy.Find(msg, "params")
	if !ok {
		return nil, errNoParams
	}
	ch, err := proxy.Put(msg, params, "arguments", args)
	if err != nil {
		return nil, err
	}
	return proxy.Splice(msg, ch)
}

var errNoParams = errorText("the call has no params")

type errorText string

func (e errorText) Error() string { return string(e) }

// result passes a tool's answer on: as it came, rewritten, or when a person has
// looked at it.
func (l *Link) result(c *asked, m message) Passage {
	h := l.p.holds
	hold := !m.begun && !h.Quiet() && h.StopsResult(c.action)
	if !hold {
		out, kept := l.goesOn(c, m)
		return Passage{Forward: out, Ready: l.p.ready(kept)}
	}
	ctx, giveUp := context.WithCancel(l.context)
	key := c.at
	l.mu.Lock()
	l.waiting[key] = giveUp
	l.mu.Unlock()
	return Passage{GiveUp: giveUp, Beat: beat(c), Wait: func() (forward, back []byte) {
		defer giveUp()
		var whole []byte
		if !m.failed {
			whole = m.result.Of(m.raw)
		}
		shown := whole
		if whole != nil {
			shown = l.shownResult(c, whole)
		}
		begun := time.Now()
		d := h.Wait(ctx, proxy.Hold{What: proxy.HeldResult, Why: "its call was let go for the result", Action: c.action, Tool: c.tool, Args: l.shown(c), Result: shown}, l.limit(time.Since(c.sent)))
		c.held += time.Since(begun)
		l.mu.Lock()
		delete(l.waiting, key)
		l.mu.Unlock()
		if len(d.Result) > 0 {
			d.Result = unmasked(oneLine(d.Result), shown, whole)
		}
		return l.releasedResult(c, m, d), nil
	}}
}

// releasedResult carries out what was decided on a held result.
func (l *Link) releasedResult(c *asked, m message, d proxy.Decision) []byte {
	if d.Do == proxy.Drop {
		l.answered(c, m, func(o *outgoing) { o.touched = session.TouchedDropped })
		return nil
	}
	if len(d.Result) > 0 {
		edited := proxy.Change{Span: m.result, With: d.Result}
		if out, err := proxy.Splice(m.raw, edited); err == nil && !m.failed {
			l.p.rec.post(0, func(*recorder) { l.view.forget(session.AnewEdited) })
			l.p.await(l.answered(c, head(out), func(o *outgoing) { o.touched = session.TouchedEdited }))
			return out
		}
		l.note("the result could not be replaced, it went as it came")
	}
	out, kept := l.goesOn(c, m)
	l.p.await(kept)
	return out
}

// goesOn is an answer as the agent gets it: rewritten under the policy in force, or
// as it came. kept is closed when its step is.
func (l *Link) goesOn(c *asked, m message) (out []byte, kept <-chan struct{}) {
	if !m.begun && l.p.rewrites() {
		return l.rewritten(c, m)
	}
	return m.raw, l.answered(c, m, nil)
}

// beat is what tells a client that its held call is alive; nil where the call
// gave no token for that. The progress grows by very little, so that what the server
// tells later is more.
func beat(c *asked) func() []byte {
	if c.token == nil {
		return nil
	}
	at := c.progress
	return func() []byte {
		at = max(at+1e-6, math.Nextafter(at, math.Inf(1)))
		out := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), c.token...)
		return append(strconv.AppendFloat(append(out, `,"progress":`...), at, 'f', -1, 64), `,"message":"held in the debugger"}}`+"\n"...)
	}
}
