package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"snapscope/replay/proxy"
	"snapscope/replay/transcript/reply"
	"snapscope/session"
	"snapscope/session/agents"
	"snapscope/session/policy"
)

// outgoing is a tool's answer on its way to the agent.
type outgoing struct {
	c       *asked
	msg     message
	texts   []proxy.Span    // its text blocks, in the message
	was     []string        // their texts as they came
	now     []string        // as they go out
	whole   []string        // as they would go out with every page whole
	result  *session.Result // what whole tells
	shown   string          // what stands for the page; empty: the page itself
	based   bool            // shown is only understood with the page before it
	sent    *policy.Sent    // what was decided on the page; nil: nothing was
	recipe  *session.Recipe // of that
	given   bool            // the view has it
	late    bool            // nobody waits for it any more
	inlined bool
	failed  bool
	// structured is structuredContent, which must agree with the text; empty: there is
	// none. changes are those in it.
	structured proxy.Span
	changes    []proxy.Change
	touched    session.Touched
}

// read takes an answer apart.
func (v *view) outgoing(c *asked, m message) *outgoing {
	o := &outgoing{c: c, msg: m, failed: m.failed}
	if m.failed {
		o.was = []string{proxy.TextAt(m.raw, "error", "message")}
		o.now, o.whole = o.was, o.was
		return o
	}
	o.structured, o.failed = m.said.structured, m.said.failed
	for _, s := range m.said.texts {
		if text, ok := proxy.Text(m.raw, s); ok {
			o.texts, o.was = append(o.texts, s), append(o.was, text)
		}
	}
	o.now, o.whole = append([]string(nil), o.was...), append([]string(nil), o.was...)
	return o
}

// plan decides what the agent gets. It runs on the recorder, before the answer
// goes out, and only where something is to be rewritten.
func (r *recorder) plan(v *view, o *outgoing) {
	if r.inline && o.structured.To == 0 && !o.c.inBatch {
		for i, text := range o.was {
			if in, ok := v.inlined(text); ok {
				o.whole[i], o.now[i], o.inlined = in, in, true
			}
		}
	}
	o.result = v.pages.Result(v.open[o.c.action], reply.Answer{Action: o.c.action, Text: strings.Join(o.whole, "\n"), Failed: o.failed})
	if r.policy != nil && r.policy.Rewrites() {
		v.rewrites(r.policy)
		r.render(v, o)
	}
}

// render asks what goes out of the page of an answer under the policy in force. The
// page is a page like any other, whether the agent asked for it or not.
func (r *recorder) render(v *view, o *outgoing) {
	page := o.result.Snapshot
	if page == nil || o.result.Seen != session.SeenInline || page.Text == "" {
		return
	}
	before := len(v.wire.Snaps)
	who, known := r.reader(v, o.c)
	if o.result.Reader = who; !known {
		o.result.Reader = session.Stranger
	}
	v.give(o.result, true)
	if o.given = true; len(v.wire.Snaps) == before {
		return // its call is not known
	}
	if !known {
		v.reader.Stranger(v.wire, before)
		r.once(v, "the client does not tell which of its agents reads an answer: pages are compared with none before, and how they are read is told with each (--one-agent says that there is one agent)")
	}
	var both beside
	if o.structured.To > 0 {
		both = holding(o.msg.raw, o.structured, page.Text)
	}
	if why := o.asItCame(page.Text, both); why != "" {
		if why == session.WholeStructured {
			r.once(v, besideApart)
		}
		v.leave(o, before, why)
		return
	}
	i, at := o.find(page.Text)
	all := strings.Join(o.whole, "\n")
	from := strings.Index(all, page.Text)
	s := v.reader.Page(v.wire, before, all[:from]+all[from+len(page.Text):])
	o.sent, o.recipe = &s, v.plan.Recipe(v.wire, s)
	if s.Text == page.Text {
		return
	}
	text := o.whole[i]
	o.now[i] = s.Grammar + text[:at] + s.Text + text[at+len(page.Text):]
	o.shown, o.based = s.Text, s.Base >= 0
	if o.structured.To > 0 {
		o.changes = both.instead(func(t string) string { return s.Grammar + strings.Replace(t, page.Text, s.Text, 1) })
		r.once(v, besideRewritten)
	}
}

// once makes a remark the first time, in the recording and on stderr.
func (r *recorder) once(v *view, remark string) {
	if !v.said[remark] {
		v.said[remark] = true
		r.note(remark)
		r.p.o.Log(remark)
	}
}

// asItCame says why an answer must not be changed.
func (o *outgoing) asItCame(page string, both beside) session.Whole {
	switch i, _ := o.find(page); {
	case o.late:
		return session.WholeLate
	case o.c.inBatch:
		return session.WholeBatch
	case o.structured.To > 0 && len(both.at) == 0:
		return session.WholeStructured
	case i < 0:
		return session.WholeApart
	}
	return ""
}

// find is the text block that holds a page, and where; -1 none does.
func (o *outgoing) find(page string) (i, at int) {
	for i, text := range o.whole {
		if at := strings.Index(text, page); at >= 0 {
			return i, at
		}
	}
	return -1, 0
}

// leave notes that the page of an answer, the n-th of the wire, goes as it came.
func (v *view) leave(o *outgoing, n int, why session.Whole) {
	s := policy.Sent{Since: n}
	if o.sent != nil {
		s = *o.sent
	}
	v.reader.Whole(v.wire, n, s)
	s.Whole, s.Grammar = why, ""
	o.recipe, o.sent, o.shown, o.based = v.plan.Recipe(v.wire, s), nil, "", false
}

// bytes is the answer as it goes out; nil where it goes as it came.
func (o *outgoing) bytes() []byte {
	var changes []proxy.Change
	for i, s := range o.texts {
		if o.now[i] != o.was[i] {
			changes = append(changes, proxy.Change{Span: s, With: proxy.Quote(o.now[i])})
		}
	}
	if changes = append(changes, o.changes...); changes == nil {
		return nil
	}
	out, err := proxy.Splice(o.msg.raw, changes...)
	if err != nil {
		return nil
	}
	return out
}

// limit is what a client of the table hands on of a tool's text.
func limit(k agents.Agent, lift int) agents.Cut {
	c := k.Text
	if lift > 0 && c.Asked {
		c.Chars = lift
	}
	return c
}

// cut tells what a client of the table does to a text that is this long.
func cut(k agents.Agent, lift int, text string) (seen session.Seen, shown, why string) {
	c := limit(k, lift)
	if !c.Cuts(len(text), len(text)) { // it has no more characters than bytes
		return "", "", ""
	}
	chars := utf8.RuneCountInString(text)
	if !c.Cuts(chars, len(text)) {
		return "", "", ""
	}
	why = fmt.Sprintf("%s gives its model no text this large (%d characters, %d bytes): ", k.Title, chars, len(text))
	switch c.Kept {
	case agents.Head:
		return session.SeenSpilled, c.Leaves(text), why + "the model gets a preview, the whole lies in a file; lifted by " + c.Setting
	case agents.Lines:
		return session.SeenCut, c.Leaves(text), why + "the model gets its beginning, the whole lies in a file; lifted by " + c.Setting
	}
	return session.SeenCut, c.Leaves(text), why + "the model gets its head and its tail; lifted by " + c.Setting
}

// record writes down an answer that went out, or that was given up.
func (r *recorder) record(l *Link, o *outgoing) {
	v := l.view
	mean := v.open[o.c.action]
	delete(v.open, o.c.action)
	if o.result == nil {
		o.result = v.pages.Result(mean, reply.Answer{Action: o.c.action, Text: strings.Join(o.whole, "\n"), Failed: o.failed})
	}
	res := *o.result
	res.Touched, res.Held = o.touched, o.c.held.Milliseconds()
	if !o.c.sent.IsZero() && !o.c.back.IsZero() {
		res.Millis = o.c.back.Sub(o.c.sent).Milliseconds()
	}
	if nothing := o.recipe != nil && o.recipe.Nothing; (o.shown != "" || nothing) && res.Snapshot != nil {
		res.Shown, res.Policy = o.shown, r.policy.Name
		if o.based {
			res.Seen = session.SeenIncremental
		}
	}
	if o.inlined && res.Policy == "" {
		res.Policy = "inline"
	}
	if res.Reader == "" {
		if res.Reader = o.c.thread; !o.given && res.Snapshot != nil && r.untold(v, o.c) {
			res.Reader = session.Stranger
		}
	}
	if res.Recipe = o.recipe; v.anew != "" && res.Snapshot != nil {
		if res.Recipe == nil {
			res.Recipe = &session.Recipe{}
		}
		res.Recipe.Anew, v.anew = v.anew, ""
	}
	if !o.given {
		v.give(&res, false)
	}
	r.expect(o.c, strings.Join(o.now, "\n"))
	seen, shown, why := cut(l.client(), r.p.o.Lift, strings.Join(o.now, "\n"))
	if seen != "" && res.Snapshot != nil && res.Seen.Readable() {
		res.Seen, res.Shown = seen, shown
	}
	r.put(session.Event{Kind: session.KindResult, Result: r.maskedResult(&res, o.c.tool, o.c.args)})
	if why != "" {
		r.note(why)
	}
	r.p.update(func(x *proxy.Run) {
		x.Steps++
		if res.URL != "" {
			x.Site = r.mask.Text(res.URL)
		}
	})
	r.stopAfter()
}

// answered posts an answer to be recorded as it goes out; kept is closed when it is.
func (l *Link) answered(c *asked, m message, change func(*outgoing)) (kept <-chan struct{}) {
	return l.p.rec.step(len(m.raw), func(r *recorder) {
		o := l.view.outgoing(c, m)
		if change != nil {
			change(o)
		}
		r.record(l, o)
	})
}

// rewritten is an answer under the policy in force; the original where there is
// none, or where finding it out took too long.
func (l *Link) rewritten(c *asked, m message) (out []byte, kept <-chan struct{}) {
	out = m.raw
	_, kept = l.p.rec.ask(l.context, len(m.raw), func(r *recorder, t *ticket) {
		o := l.view.outgoing(c, m)
		o.late = t.over()
		r.plan(l.view, o)
		b := o.bytes()
		if !t.claim(func() {
			if b != nil {
				out = b
			}
		}) {
			if l.context.Err() == nil {
				r.note(fmt.Sprintf("rewriting the answer of %s took more than %v: it went as it came", c.tool, patience))
			}
			l.view.late(o)
		} else if b == nil {
			o.shown, o.inlined = "", false
		}
		if o.recipe != nil && o.recipe.Whole == session.WholeLarge {
			r.note(fmt.Sprintf("the page of %s is larger than %d MB: it went as it came", c.tool, policy.Largest>>20))
		}
		r.record(l, o)
	})
	return out, kept
}

// late takes back what was planned for an answer that went as it came: its rewriting
// took too long.
func (v *view) late(o *outgoing) {
	given := o.given
	if given && o.recipe != nil {
		v.leave(o, len(v.wire.Snaps)-1, session.WholeLate)
	}
	recipe := o.recipe
	*o = *v.outgoing(o.c, o.msg)
	o.given, o.recipe = given, recipe
}

// idle says what of a policy can do nothing before a tool server; "" where all works.
func idle(p *policy.Policy) string {
	if p == nil {
		return ""
	}
	return strings.Join(policy.Idle("here", *p), "; ")
}

// rewrites reports whether answers may be rewritten at present.
func (p *Proxy) rewrites() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run.Policy != ""
}

// SetPolicy rewrites under a policy, as JSON, from the next result on; null: bytes
// pass as they come.
func (p *Proxy) SetPolicy(raw json.RawMessage) error {
	var next *policy.Policy
	inline := p.o.Inline
	if len(raw) > 0 && !bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		var w policy.Policy
		if err := json.Unmarshal(raw, &w); err != nil {
			return fmt.Errorf("reading the policy: %w", err)
		}
		next = &w
		if w.Name == Inline {
			next, inline = nil, true
		}
	}
	name := policyName(next, inline)
	p.update(func(r *proxy.Run) { r.Policy = name })
	p.rec.post(0, func(r *recorder) {
		r.policy, r.inline = next, inline
		if name == "" {
			name = "none: bytes pass as they come"
		}
		r.note("from the next result on the policy is " + name)
		if what := idle(next); what != "" {
			r.note(what)
			p.o.Log(what)
		}
	})
	return nil
}

// Inline is the name of the policy that puts the text of a linked snapshot into
// the answer and leaves everything else as it is.
const Inline = "inline"
