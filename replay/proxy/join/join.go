// Package join makes one session of the recordings of an agent's two seats.
//
//	seat before the MCP server: what the server answered, what was rewritten, held, edited ─┐
//	seat before the model API:  what the model got, what the vendor counted                ─┴─▶ one session
//
// The model's side is the skeleton, for it tells of every call and of every tool:
// each of its results takes from the other side the page as the server gave it,
// and keeps what the model got of it. A tool call on one side is the one on the
// other that names the same tool with the same arguments, in the order of both;
// so a session of a client that tells no ids is joined as well.
package join

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"snapscope/session"
)

// Joined is a session made of two recordings.
type Joined struct {
	Events []session.Event
	Pairs  int // tool calls found on both sides
	Lone   int // tool calls of the MCP side that no model call tells of
}

// Join joins the recording of a seat before a model API with one of a seat before
// an MCP server. The events are not changed; those that differ are copies.
func Join(api, mcp []session.Event) Joined {
	var j joiner
	for _, e := range mcp {
		j.server(e)
	}
	for _, e := range api {
		j.take(e)
	}
	for _, n := range j.notes {
		j.put(n)
	}
	out := Joined{Events: j.out, Pairs: j.pairs}
	for _, s := range j.other {
		if s.as == "" {
			out.Lone++
		}
	}
	return out
}

// side is a tool call of the MCP side with its result.
type side struct {
	action *session.Action
	result *session.Result
	since  *side  // the call of the first page that its recipe may build on; nil: none is named
	as     string // what the joined session calls it; "" it is not found on the other side
}

type joiner struct {
	other []*side
	byID  map[string]*side // the last call of the MCP side that bears an id
	notes []session.Event  // of the MCP side, still to come
	pair  map[string]*side
	out   []session.Event
	pairs int
}

func (j *joiner) put(e session.Event) {
	e.Seq = len(j.out) + 1
	j.out = append(j.out, e)
}

// server takes in one event of the MCP side.
func (j *joiner) server(e session.Event) {
	switch {
	case e.Action != nil:
		if j.byID == nil {
			j.byID = map[string]*side{}
		}
		s := &side{action: e.Action}
		j.other, j.byID[e.Action.ID] = append(j.other, s), s
	case e.Result != nil:
		if s := j.byID[e.Result.Action]; s != nil && s.result == nil {
			s.result = e.Result
			if e.Result.Recipe != nil {
				s.since = j.byID[e.Result.Recipe.Since]
			}
		}
	case e.Note != nil:
		j.notes = append(j.notes, e)
	}
}

// take puts one event of the model's side, and before it the notes of the other
// that are older.
func (j *joiner) take(e session.Event) {
	for len(j.notes) > 0 && before(j.notes[0].Time, e.Time) {
		j.put(j.notes[0])
		j.notes = j.notes[1:]
	}
	switch {
	case e.Action != nil:
		e.Action = j.action(e.Action)
	case e.Result != nil:
		if s := j.pair[e.Result.Action]; s != nil && s.result != nil {
			e.Result = both(e.Result, s)
		}
	case e.Start != nil:
		s := *e.Start
		s.Source = "both seats"
		e.Start = &s
	}
	j.put(e)
}

func before(a, b time.Time) bool { return !a.IsZero() && !b.IsZero() && a.Before(b) }

// find is the place of a tool call's other half; -1: there is none.
func (j *joiner) find(a *session.Action) int {
	return slices.IndexFunc(j.other, func(s *side) bool { return s.as == "" && same(a, s.action) })
}

// action finds the tool call's other half.
func (j *joiner) action(a *session.Action) *session.Action {
	i := j.find(a)
	if i < 0 {
		return a
	}
	s := j.other[i]
	s.as = a.ID
	j.pairs++
	if j.pair == nil {
		j.pair = map[string]*side{}
	}
	j.pair[a.ID] = s
	if s.action.Given == nil {
		return a
	}
	edited := *s.action // a person changed it on its way
	edited.ID = a.ID
	return &edited
}

// same reports whether two actions are one: the model names a tool with its
// server before it.
func same(model, server *session.Action) bool {
	if model.Tool != server.Tool && !strings.HasSuffix(model.Tool, "_"+server.Tool) && !strings.HasSuffix(model.Tool, "."+server.Tool) {
		return false
	}
	given := server.Args
	if server.Given != nil {
		given = server.Given
	}
	return text(model.Args) == text(given)
}

func text(args map[string]any) string {
	if len(args) == 0 {
		return "{}"
	}
	b, err := json.Marshal(args)
	if err != nil {
		return ""
	}
	return string(b)
}

// both is a result with the page that the server gave, what was made of it on its
// way, and what the model got.
func both(model *session.Result, s *side) *session.Result {
	out, server := *model, s.result
	if server.Millis > 0 {
		out.Millis = server.Millis
	}
	if server.Reader != "" {
		out.Reader = server.Reader
	}
	out.Console, out.Events, out.Policy, out.Touched, out.Recipe = server.Console, server.Events, server.Policy, server.Touched, s.recipe()
	if out.URL == "" {
		out.URL, out.Title = server.URL, server.Title
	}
	if server.Snapshot != nil {
		out.Snapshot = server.Snapshot
		got(&out, model, server)
	}
	if out.Recipe != nil {
		tellApart(&out)
	}
	return &out
}

// got sets what of a page the model got.
func got(out, model, server *session.Result) {
	if before, behind, ok := around(model.Whole(), server.Whole()); ok { // the client passed it on as it was sent
		out.Text, out.Seen, out.Shown, out.At = before+server.Text+behind, server.Seen, server.Shown, server.At
		if before != "" {
			out.At += len(before)
		}
		return
	}
	showed := model.Showed()
	switch {
	case model.Seen == "" && model.Snapshot == nil: // no page can be told from the text: what is left of one is in it
		out.Seen, out.Shown, out.Text, out.At = session.SeenCut, model.Text, "", 0
	case model.Seen == session.SeenInline && showed != server.Snapshot.Text:
		out.Shown = showed
		if server.Shown != "" && server.Seen == session.SeenIncremental {
			out.Seen = session.SeenIncremental
		} else if len(showed) < len(server.Snapshot.Text) {
			out.Seen = session.SeenCut
		}
	}
}

// recipe is how the page was made, in the names of the joined session; nil: nothing
// was made of it.
func (s *side) recipe() *session.Recipe {
	if s.result.Recipe == nil {
		return nil
	}
	r := *s.result.Recipe
	if s.since != nil && s.since.as != "" {
		r.Since = s.since.as
	}
	return &r
}

// tellApart takes out of a result's text how its page is read, which its recipe holds:
// the MCP side records it there alone. Where the client's cut left it out, or stands in
// the page's place, the recipe does not tell it.
func tellApart(r *session.Result) {
	for _, grammar := range []string{r.Recipe.Grammar, strings.TrimSpace(r.Recipe.Grammar), spaced(r.Recipe.Grammar)} {
		if i := strings.Index(r.Text, grammar); i >= 0 {
			if i < r.At {
				r.At -= len(grammar)
			}
			r.Text = r.Text[:i] + r.Text[i+len(grammar):]
			return
		}
	}
	r.Recipe.Grammar = ""
}

// around is what a client put before and behind a text that it passed on whole, such
// as a reminder of its own; ok is false where the text was cut or changed. Space may
// differ.
func around(got, sent string) (before, behind string, ok bool) {
	if sent = strings.TrimSpace(sent); sent == "" {
		return "", "", strings.TrimSpace(got) == ""
	}
	if i := strings.Index(got, sent); i >= 0 {
		before, behind = got[:i], got[i+len(sent):]
	} else {
		g, s := spaced(got), spaced(sent)
		if i = strings.Index(g, s); i < 0 {
			return "", "", false
		}
		before, behind = g[:i], g[i+len(s):]
	}
	if strings.TrimSpace(before) == "" {
		before = ""
	}
	if strings.TrimSpace(behind) == "" {
		behind = ""
	}
	return before, behind, true
}

// spaced is a text with a single space between its words.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }
