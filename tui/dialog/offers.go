package dialog

import (
	"sort"
	"strings"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
	"snapscope/tui/draw"
	"snapscope/tui/view"
)

// offersFor lists what the text before the cursor could become: verbs and
// screen words first, then refs and names on the page, then arguments.
func offersFor(m *view.State, before string) []view.Offer {
	from := len([]rune(before[:strings.LastIndexByte(before, ' ')+1]))
	word := before[strings.LastIndexByte(before, ' ')+1:]
	first, rest, typed := strings.Cut(strings.TrimLeft(before, " "), " ")
	if !typed {
		return verbOffers(m, word, from)
	}
	spec, ok := session.SpecOf(session.Verb(first))
	if !ok {
		return wordOffers(m, first, word, from)
	}
	var out []view.Offer
	if strings.Count(rest, `"`)%2 == 1 { // inside a quoted name
		q := strings.LastIndexByte(before, '"')
		return nameOffers(m, strings.TrimSpace(rest[:strings.LastIndexByte(rest, '"')]), before[q+1:], len([]rune(before[:q])))
	}
	if spec.Target != session.TargetNone && !strings.Contains(strings.TrimSpace(rest), " ") {
		out = append(out, targetOffers(m, word, from)...)
		out = append(out, m.NameOffers(word, from)...)
	}
	for _, a := range spec.Args {
		for _, choice := range a.Choices {
			if strings.HasPrefix(choice, word) {
				out = append(out, view.Offer{Text: choice, Doc: a.Doc, From: from})
			}
		}
		if strings.HasPrefix(a.Name, word) {
			out = append(out, view.Offer{Text: a.Name + "=", Doc: a.Doc, From: from})
		}
	}
	return out
}

func verbOffers(m *view.State, word string, from int) []view.Offer {
	var out []view.Offer
	for _, v := range session.Verbs {
		if strings.HasPrefix(string(v.Verb), word) {
			out = append(out, view.Offer{Text: string(v.Verb), Doc: v.Doc, From: from})
		}
	}
	for _, w := range m.Keys.Words {
		if strings.HasPrefix(w.Word, word) && w.Word != word {
			out = append(out, view.Offer{Text: w.Word, Doc: w.Doc + "  " + w.Args, From: from})
		}
	}
	return out
}

// targetOffers are the refs and the roles with names on the page.
func targetOffers(m *view.State, word string, from int) []view.Offer {
	if m.Fr == nil || m.Fr.Page == nil {
		return nil
	}
	var refs []view.Offer
	if ref := m.CursorRef(); ref != "" && word == "" { // what the cursor is on is what is meant
		refs = append(refs, view.Offer{Text: ref, Doc: "under the cursor", From: from})
	}
	roles := map[string]int{}
	for i := range m.Fr.Page.Lines {
		l := m.Fr.Page.Line(i)
		if !l.IsElement() {
			continue
		}
		ref, role := l.Own(), l.Role
		if ref != "" && strings.HasPrefix(ref, word) && len(refs) < 400 {
			refs = append(refs, view.Offer{Text: ref, Doc: strings.TrimSpace(role + " " + l.Name()), From: from})
		}
		if role != "" && word != "" && strings.HasPrefix(role, word) && l.Name() != "" {
			roles[role]++
		}
	}
	names := make([]string, 0, len(roles))
	for r := range roles {
		names = append(names, r)
	}
	sort.Strings(names)
	var out []view.Offer
	for _, r := range names {
		out = append(out, view.Offer{Text: r + ` "`, Doc: wording.Plural(roles[r], "element"), From: from})
	}
	return append(out, refs...)
}

// nameOffers are the names on the page of elements of a role.
func nameOffers(m *view.State, role, word string, from int) []view.Offer {
	if m.Fr == nil || m.Fr.Page == nil {
		return nil
	}
	if i := strings.LastIndexByte(role, ' '); i >= 0 {
		role = role[i+1:]
	}
	var out []view.Offer
	seen := map[string]bool{}
	for i := range m.Fr.Page.Lines {
		l := m.Fr.Page.Line(i)
		if role != "" && l.Role != role {
			continue
		}
		name := l.Name()
		if name == "" || seen[name] || !strings.HasPrefix(strings.ToLower(name), strings.ToLower(word)) {
			continue
		}
		seen[name] = true
		out = append(out, view.Offer{Text: `"` + name + `"`, Doc: l.Own(), From: from})
		if len(out) == 400 {
			break
		}
	}
	return out
}

// wordOffers complete the arguments of the screen's own words.
func wordOffers(m *view.State, first, word string, from int) []view.Offer {
	var out []view.Offer
	add := func(text, doc string) {
		if strings.HasPrefix(text, word) {
			out = append(out, view.Offer{Text: text, Doc: doc, From: from})
		}
	}
	switch first {
	case "ref":
		for _, o := range targetOffers(m, word, from) {
			if !strings.HasSuffix(o.Text, `"`) {
				out = append(out, o)
			}
		}
	case "policy":
		for _, p := range m.AllPolicies() {
			add(p.Name, p.Title)
		}
	case "set":
		out = m.KnobOffers(word, from)
	case "do":
		for _, a := range m.Keys.Actions {
			add(a.Name, a.Doc)
		}
	case "model":
		for _, name := range ledger.DefaultPrices().Models() {
			add(name, "prices of this model")
		}
	case "theme":
		for _, t := range draw.ThemeNames {
			add(t, "how the screen looks")
		}
	case "break":
		return view.BreakOffers(strings.TrimPrefix(word, "break "))
	}
	return out
}

// stepOffers complete a filter of the list of steps.
func stepOffers(before string) []view.Offer {
	from := strings.LastIndexByte(before, ' ') + 1
	var out []view.Offer
	for _, o := range view.StepFilterForms {
		if word := before[from:]; strings.HasPrefix(o.Text, word) && o.Text != word {
			o.From = len([]rune(before[:from]))
			out = append(out, o)
		}
	}
	return out
}
