package mcp

import (
	"slices"
	"strings"

	"snapscope/replay/transcript/reply"
	"snapscope/session"
	"snapscope/session/breakpoint"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

// conditions are the breakpoints in force, parsed.
type conditions struct {
	texts []string
	all   []breakpoint.Condition
}

// refresh parses the breakpoints again where they changed. One that cannot be
// read is noted and stops nothing. Of the session as much is kept as they need:
// nothing while none is set.
func (r *recorder) refresh() []breakpoint.Condition {
	texts := r.p.holds.Rules().Breaks
	if slices.Equal(texts, r.breaks.texts) {
		return r.breaks.all
	}
	r.breaks = conditions{texts: texts}
	switch {
	case len(texts) == 0:
		r.story, r.told, r.renderer, r.losses = nil, 0, nil, nil
	case r.story == nil:
		r.recall()
	}
	for _, t := range texts {
		c, err := breakpoint.Parse(t)
		if err != nil {
			r.note(err.Error())
			continue
		}
		r.breaks.all = append(r.breaks.all, c)
	}
	return r.breaks.all
}

// stopBefore reports whether a breakpoint holds for a call that is about to go.
func (r *recorder) stopBefore(v *view, tool string, args []byte) (why string, stop bool) {
	all := r.refresh()
	if len(all) == 0 {
		return "", false
	}
	mean := reply.Explain(tool, object(args), v.browser)
	next := &session.Action{ID: "next", Verb: mean.Verb, Tool: tool, Args: object(args), Target: mean.Target, Others: mean.Others}
	s := breakpoint.Scene{Timeline: r.story, Step: -1, Next: next, Renderer: r.renderer, LostNext: func() ([]string, error) { return r.lostNext(next) }}
	for _, c := range all {
		if why, ok := c.Hit(s); ok {
			return why, true
		}
	}
	return "", false
}

// stopAfter stops at the next call where a breakpoint holds for the step that has
// just happened.
func (r *recorder) stopAfter() {
	r.after = ""
	if r.p.holds.Quiet() {
		return
	}
	all := r.refresh()
	if len(all) == 0 || r.story == nil || len(r.story.Steps) == 0 {
		return
	}
	s := breakpoint.Scene{Timeline: r.story, Step: len(r.story.Steps) - 1, Renderer: r.renderer, Lost: r.lostAt, Policies: policy.Builtin()}
	for _, c := range all {
		if why, ok := c.Hit(s); ok {
			r.after = why
			r.p.holds.StopNext(why)
			return
		}
	}
}

// lostAt tells which elements a step acted on that the agent could not read.
func (r *recorder) lostAt(step int) []string {
	lost, err := r.losses.At(step)
	if err != nil {
		r.note("a breakpoint could not be looked at: " + err.Error())
	}
	return inWords(lost)
}

// lostNext tells which elements an action is about to act on that the agent cannot
// read.
func (r *recorder) lostNext(next *session.Action) ([]string, error) {
	lost, err := r.losses.Next(next)
	return inWords(lost), err
}

func inWords(lost []ledger.Lost) (out []string) {
	for _, l := range lost {
		what := l.Ref
		if l.Target != "" {
			what = l.Target
		}
		out = append(out, strings.TrimSpace(what+": "+l.Why))
	}
	return out
}

// unsure says why a call is held that the breakpoints were not asked about in time.
func unsure(breaks []string, call reply.Call) string {
	what := "whether the breakpoints stop here: " + strings.Join(breaks, ", ")
	if slices.Contains(breaks, "before lost") && call.Target != nil {
		what = "whether the agent can read " + call.Target.String()
	}
	return "could not tell in time " + what
}
