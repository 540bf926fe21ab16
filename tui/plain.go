package tui

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
	"snapscope/tui/format"
	"snapscope/tui/safetext"
	"snapscope/tui/view"
)

// maxPlainLines is how many changed lines of a step the plain view reads out.
const maxPlainLines = 40

// Plain writes a session as a linear text, step by step, top to bottom, without
// colour, cursor movement or columns: for screen readers, pipes and logs. It
// goes on to the session's end or until ctx ends.
func Plain(ctx context.Context, w io.Writer, cfg Config) error {
	if cfg.Engine == nil {
		return errors.New("the plain view needs a session")
	}
	m, err := newModel(ctx, cfg)
	if err != nil {
		return err
	}
	p := &plainView{m: m, w: bufio.NewWriter(w)}
	p.head()
	for {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, p.w.Flush())
		}
		events, err := m.eng.Step(ctx)
		p.take(events)
		if ferr := p.w.Flush(); ferr != nil {
			return fmt.Errorf("writing the plain view: %w", ferr)
		}
		if errors.Is(err, io.EOF) {
			if m.eng.Info().Mode == session.ModeFollow && p.waits(ctx) {
				continue
			}
			break
		}
		if err != nil {
			return err
		}
	}
	p.totals()
	return errors.Join(ctx.Err(), p.w.Flush())
}

// waits waits until a followed session has grown; false: ctx ended first, or
// nothing can come.
func (p *plainView) waits(ctx context.Context) bool {
	ch := p.m.eng.Changed()
	if ch == nil {
		return false
	}
	select {
	case <-ch:
		return true
	case <-ctx.Done():
		return false
	}
}

type plainView struct {
	m    *Model
	w    *bufio.Writer
	last int
}

// line writes one line; page text in it is made safe like on the screen.
func (p *plainView) line(format string, args ...any) {
	_, _ = p.w.WriteString(safetext.Line(fmt.Sprintf(format, args...)) + "\n") // Flush tells of errors
}

func (p *plainView) head() {
	i := p.m.eng.Info()
	p.line("snapscope, %s session %s", i.Mode, i.Name)
	if p.m.cfg.Notice != "" {
		p.line("note: %s", p.m.cfg.Notice)
	}
	p.line("tokens are counted with %s", p.m.s.Encoding())
}

func (p *plainView) take(events []session.Event) {
	for _, e := range events {
		p.m.s.Tl.Append(e)
		if e.Start != nil {
			p.m.s.Began(*e.Start)
		}
	}
	for ; p.last < len(p.m.s.Tl.Steps); p.last++ {
		p.step(p.last)
	}
}

func (p *plainView) step(at int) {
	m := p.m
	s := m.s.Tl.Steps[at]
	p.line("")
	p.line("Step %d: %s", s.N, s.Action.Label())
	if !s.Result.OK {
		p.line("  failed: %s", s.Result.Error)
	}
	for _, n := range m.s.WireLines(at) {
		p.line("  note: %s", n)
	}
	f := view.MakeFrame(m.rd, view.FrameAsk{View: m.s.Tl, At: at, Policies: m.s.FigurePolicies()})
	if f.Snap < 0 || f.Stale > 0 {
		p.line("  no snapshot")
	} else {
		p.line("  page: %s, %s", f.Url, f.Title)
		if why := cmp.Or(f.Unread(), f.InPart()); why != "" {
			p.line("  %s", why)
		}
		for _, d := range f.Docs {
			p.line("  %s: %s tokens, %s of full. %s", d.Policy.Name, wording.Count(d.Rendered.Tokens), format.Delta(d.Saved()), d.Reason())
		}
		p.changes(f)
	}
	for _, a := range ledger.Counters(m.s.Tl, m.s.ExpiryPolicy(), s.N, ledger.Options{Renderer: m.rd}) {
		switch {
		case a.Expired && a.ExpiredAt == s.N:
			p.line("  snapshot of step %d expires now. %s", a.Step, a.Reason)
		case !a.Expired && a.Limit > 0:
			p.line("  snapshot of step %d: %d of %d until it expires", a.Step, a.Calls, a.Limit)
		}
	}
}

// changes reads out what changed in the page since the snapshot before.
func (p *plainView) changes(f *view.Frame) {
	n := 0
	for i, k := range f.Page.Mark {
		if k == view.MarkSame {
			continue
		}
		if n++; n > maxPlainLines {
			continue
		}
		word := "added"
		if k == view.MarkChanged {
			word = "changed"
			p.line("  was: %s", strings.TrimSpace(f.Page.Was[int32(i)]))
		}
		p.line("  %s: %s", word, strings.TrimSpace(f.Page.Lines[i]))
	}
	lost := 0
	for _, k := range f.Page.Lost {
		lost += k
	}
	if lost > 0 {
		p.line("  %s gone", wording.Plural(lost, "line"))
	}
	if n > maxPlainLines {
		p.line("  and %s more", wording.Plural(n-maxPlainLines, "change"))
	}
}

func (p *plainView) totals() {
	m := p.m
	set := view.MakeFigures(m.ctx, view.FigureAsk{View: m.s.Tl, At: len(m.s.Tl.Steps) - 1, Policies: m.s.FigurePolicies(), Opt: ledger.Options{Renderer: m.rd, Prices: m.cfg.Ledger.Prices, Model: m.cfg.Ledger.Model}})
	if set == nil {
		return
	}
	p.line("")
	p.line("The session: %s, %s", wording.Plural(len(m.s.Tl.Steps), "step"), wording.Plural(len(m.s.Tl.Calls()), "model call"))
	for _, f := range set.Pol {
		s := f.Report.Survival
		text := fmt.Sprintf("  %s: %s input tokens", f.Policy.Name, wording.Count(f.Report.InputTokens))
		if f.Policy.Name != "full" && set.Full.Report.InputTokens > 0 {
			text += ", " + format.Delta(1-float64(f.Report.InputTokens)/float64(set.Full.Report.InputTokens)) + " of full"
		}
		p.line("%s; the agent could read %d of the %d elements it used", text, s.Survived, s.Acted)
		for _, l := range s.Lost {
			p.line("    lost in step %d: %s. %s", l.Step, l.Ref, l.Why)
		}
	}
}
