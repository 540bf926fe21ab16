package session

import (
	"context"

	"snapscope/snapshot"
	"snapscope/snapshot/mask"
	"snapscope/snapshot/notation"
)

// masked is an action as it is told to everybody but the browser: what goes into
// a field for secrets is left out. The field is known by how the action names
// it, by how the last page shows it, or by the page itself.
func (l *Live) masked(ctx context.Context, a Action) Action {
	if l.o.KeepSecrets || len(a.Args) == 0 {
		return a
	}
	secret := false
	if a.Verb == VerbFill || a.Verb == VerbType {
		secret = mask.SaysSecret(describe(a.Target)) || mask.SaysSecret(shownAs(l.page, a.Target))
		if ask, ok := l.driver().(SecretFields); ok && !secret {
			secret = ask.TakesSecret(ctx, a)
		}
	}
	a.Args = l.mask.Typed(a.Args, secret)
	if a.Target != nil && a.Target.CSS != "" {
		t := *a.Target
		t.CSS = l.mask.Text(t.CSS)
		a.Target = &t
	}
	return a
}

// describe is what an action itself says of its element.
func describe(t *Target) string {
	if t == nil {
		return ""
	}
	return t.Name + " " + t.CSS
}

// shownAs is the line in which a page shows an element named by its ref.
func shownAs(page *snapshot.Snapshot, t *Target) string {
	if page == nil || t == nil || t.Ref == "" {
		return ""
	}
	raw, ok := notation.LineOf(page.Text, page.Dialect, t.Ref)
	if !ok {
		return ""
	}
	line := notation.ReadLine(raw, page.Dialect)
	return line.Name()
}

// maskResult takes secrets out of a result in place.
func (l *Live) maskResult(a Action, r *Result) {
	*r = *r.Masked(l.mask, a.Verb == VerbEvaluate && mask.AsksForCookies("", a.Args))
	if r.Snapshot != nil {
		l.page = r.Snapshot
	}
}

// Masked is a copy of a result without its secrets, as it may be recorded and told;
// cookies says that the call asked for cookies or a page's storage.
func (r *Result) Masked(m *mask.Masker, cookies bool) *Result {
	if m.Keeps() {
		return r
	}
	out := *r
	at := min(max(r.At, 0), len(r.Text))
	before := m.Answer(r.Text[:at], cookies)
	out.Text, out.At = before+m.Answer(r.Text[at:], cookies), len(before)
	if r.Snapshot != nil {
		s := *r.Snapshot
		s.URL, s.Title = m.Text(s.URL), m.Text(s.Title)
		if text := m.Text(s.Text); text != s.Text {
			s.Text, s.Hash = text, snapshot.HashText(text)
		}
		s.Notes = m.Texts(s.Notes)
		out.Snapshot = &s
	}
	// The rest repeats what was counted above.
	out.Error, out.URL, out.Title, out.Shown = m.Again(r.Error), m.Again(r.URL), m.Again(r.Title), m.Again(r.Shown)
	out.Console, out.Events = m.Texts(r.Console), m.Texts(r.Events)
	return &out
}
