package view

import (
	"fmt"
	"sort"
	"strings"

	"snapscope/session"
	"snapscope/session/script"
	"snapscope/snapshot/notation"
	"snapscope/snapshot/wording"
)

// GoneLine says that the browser is gone and what starts it again.
func (m *State) GoneLine() string {
	what, _, _ := strings.Cut(m.Gone, "; start")
	return what + " · " + m.Keys.Label("read") + " starts it again at the same page"
}

// CursorRole is the role of the element under the cursor.
func (m *Reader) CursorRole() string {
	if m.CursorRef() == "" {
		return ""
	}
	return m.Fr.Page.Line(int(m.Grid.Page[m.Row])).Role
}

// handled are roles that a person clicks or types into; of several elements with
// one name these are meant.
var handled = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "checkbox": true, "radio": true, "switch": true,
	"combobox": true, "listbox": true, "option": true, "menuitem": true, "menuitemcheckbox": true, "menuitemradio": true,
	"tab": true, "slider": true, "spinbutton": true, "treeitem": true, "columnheader": true,
}

// ByName reads an action on an element that is called by its name alone: click
// Save becomes click e12. What names its element in another way, or in none that is
// on the page, stays as it is. Several elements of one name are an error that lists
// them.
func (m *Reader) ByName(line string) (string, error) {
	words, err := script.Words(line)
	if err != nil || len(words) < 2 || m.Fr == nil || m.Fr.Page == nil {
		return line, nil // what is wrong with it is told where it is read
	}
	spec, ok := session.SpecOf(session.Verb(words[0].Text))
	if !ok || spec.Target == session.TargetNone || session.IsRef(words[1].Text) || len(words) > 2 && words[2].Quoted && !words[1].Quoted && m.hasRole(words[1].Text) {
		return line, nil
	}
	need := 0 // words that its arguments take
	for _, a := range spec.Args {
		if a.Required {
			need = 1
		}
	}
	var name, rest []string
	for i, w := range words[1:] {
		key, _, is := strings.Cut(w.Text, "=")
		switch {
		case is && !w.Quoted && (key == "css" || key == "role" || key == "ref" || key == "name"):
			return line, nil
		case is && !w.Quoted, need > 0 && i > 0:
			rest = append(rest, Quoted(w.Text))
			if is && !w.Quoted {
				rest[len(rest)-1] = key + "=" + Quoted(w.Text[len(key)+1:])
			}
		default:
			name = append(name, w.Text)
		}
	}
	if spec.Target == session.TargetOptional && need > 0 && len(rest) == 0 {
		return line, nil // type Save types it
	}
	called := strings.Join(name, " ")
	ref, err := m.refOf(called)
	switch {
	case err != nil:
		return line, err
	case ref == "" && !m.hasRole(words[1].Text):
		return line, fmt.Errorf("no element called %q on this page; %s reads it anew, {role: …, name: …} asks the page itself", called, m.Keys.Label("read"))
	case ref == "":
		return line, nil
	}
	return strings.TrimSpace(words[0].Text + " " + ref + " " + strings.Join(rest, " ")), nil
}

// hasRole reports that an element of a role is on the page, or could be.
func (m *Reader) hasRole(role string) bool {
	if handled[role] {
		return true
	}
	for i := range m.Fr.Page.Lines {
		if m.Fr.Page.Line(i).Role == role {
			return true
		}
	}
	return false
}

// refOf finds the element with a name: the whole name, else its beginning, else a
// part of it, without regard to case. Empty: there is none.
func (m *Reader) refOf(name string) (string, error) {
	want := strings.ToLower(strings.TrimSpace(name))
	if want == "" {
		return "", nil
	}
	var best []notation.Line
	bestRank := -1
	for i := range m.Fr.Page.Lines {
		l := m.Fr.Page.Line(i)
		if l.Own() == "" {
			continue
		}
		has, rank := strings.ToLower(l.Name()), -1
		switch {
		case has == want:
			rank = 4
		case strings.HasPrefix(has, want):
			rank = 2
		case strings.Contains(has, want):
			rank = 0
		default:
			continue
		}
		if handled[l.Role] {
			rank++
		}
		if rank > bestRank {
			best, bestRank = best[:0], rank
		}
		if rank == bestRank {
			best = append(best, l)
		}
	}
	switch len(best) {
	case 0:
		return "", nil
	case 1:
		return best[0].Own(), nil
	}
	var list []string
	for _, l := range best[:min(len(best), 4)] {
		list = append(list, fmt.Sprintf("%s %s %q", l.Own(), l.Role, wording.OneLine(l.Name(), 40)))
	}
	return "", fmt.Errorf("%s %q: %s; take one by its ref", wording.Plural(len(best), "element")+" called", name, strings.Join(list, ", "))
}

// NameOffers are the elements whose name holds what was typed, those that are
// called so from their beginning first.
func (m *Reader) NameOffers(word string, from int) []Offer {
	want := strings.ToLower(strings.Trim(word, `"`))
	if want == "" || m.Fr == nil || m.Fr.Page == nil {
		return nil
	}
	type found struct {
		Offer
		at int
	}
	var out []found
	for i := range m.Fr.Page.Lines {
		l := m.Fr.Page.Line(i)
		if at := strings.Index(strings.ToLower(l.Name()), want); at >= 0 && l.Own() != "" && handled[l.Role] && len(out) < 400 {
			out = append(out, found{Offer{l.Own(), l.Role + " " + Quoted(l.Name()), from}, min(at, 1)})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].at < out[j].at })
	offers := make([]Offer, len(out))
	for i := range out {
		offers[i] = out[i].Offer
	}
	return offers
}
