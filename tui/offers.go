package tui

import (
	"sort"
	"strings"

	"snapscope/session"
	"snapscope/tui/keymap"
)

// offersFor lists what the text before the cursor could become: verbs and
// screen words first, then refs and names on the page, then arguments.
func offersFor(m *Model, before string) []offer {
	from := len([]rune(before[:strings.LastIndexByte(before, ' ')+1]))
	word := before[strings.LastIndexByte(before, ' ')+1:]
	first, rest, typed := strings.Cut(strings.TrimLeft(before, " "), " ")
	if !typed {
		return verbOffers(word, from)
	}
	spec, ok := session.SpecOf(session.Verb(first))
	if !ok {
		return wordOffers(m, first, word, from)
	}
	var out []offer
	if strings.Count(rest, `"`)%2 == 1 { // inside a quoted name
		q := strings.LastIndexByte(before, '"')
		return nameOffers(m, strings.TrimSpace(rest[:strings.LastIndexByte(rest, '"')]), before[q+1:], len([]rune(before[:q])))
	}
	if spec.Target != session.TargetNone && !strings.Contains(strings.TrimSpace(rest), " ") {
		out = append(out, targetOffers(m, word, from)...)
	}
	for _, a := range spec.Args {
		for _, choice := range a.Choices {
			if strings.HasPrefix(choice, word) {
				out = append(out, offer{choice, a.Doc, from})
			}
		}
		if strings.HasPrefix(a.Name, word) {
			out = append(out, offer{a.Name + "=", a.Doc, from})
		}
	}
	return out
}

func verbOffers(word string, from int) []offer {
	var out []offer
	for _, v := range session.Verbs {
		if strings.HasPrefix(string(v.Verb), word) {
			out = append(out, offer{string(v.Verb), v.Doc, from})
		}
	}
	for _, w := range keymap.Words() {
		if strings.HasPrefix(w.Word, word) && w.Word != word {
			out = append(out, offer{w.Word, w.Doc + "  " + w.Args, from})
		}
	}
	return out
}

// targetOffers are the refs and the roles with names on the page.
func targetOffers(m *Model, word string, from int) []offer {
	if m.fr == nil || m.fr.page == nil {
		return nil
	}
	var refs []offer
	roles := map[string]int{}
	for _, l := range m.fr.page.lines {
		ref, role := refOf(l), roleOf(l)
		if ref != "" && strings.HasPrefix(ref, word) && len(refs) < 400 {
			refs = append(refs, offer{ref, strings.TrimSpace(role + " " + nameOf(l)), from})
		}
		if role != "" && word != "" && strings.HasPrefix(role, word) && nameOf(l) != "" {
			roles[role]++
		}
	}
	names := make([]string, 0, len(roles))
	for r := range roles {
		names = append(names, r)
	}
	sort.Strings(names)
	var out []offer
	for _, r := range names {
		out = append(out, offer{r + ` "`, plural(roles[r], "element"), from})
	}
	return append(out, refs...)
}

// nameOffers are the names on the page of elements of a role.
func nameOffers(m *Model, role, word string, from int) []offer {
	if m.fr == nil || m.fr.page == nil {
		return nil
	}
	if i := strings.LastIndexByte(role, ' '); i >= 0 {
		role = role[i+1:]
	}
	var out []offer
	seen := map[string]bool{}
	for _, l := range m.fr.page.lines {
		if role != "" && roleOf(l) != role {
			continue
		}
		name := nameOf(l)
		if name == "" || seen[name] || !strings.HasPrefix(strings.ToLower(name), strings.ToLower(word)) {
			continue
		}
		seen[name] = true
		out = append(out, offer{`"` + name + `"`, refOf(l), from})
		if len(out) == 400 {
			break
		}
	}
	return out
}

// wordOffers complete the arguments of the screen's own words.
func wordOffers(m *Model, first, word string, from int) []offer {
	var out []offer
	add := func(text, doc string) {
		if strings.HasPrefix(text, word) {
			out = append(out, offer{text, doc, from})
		}
	}
	switch first {
	case "ref":
		for _, o := range targetOffers(m, word, from) {
			if !strings.HasSuffix(o.text, `"`) {
				out = append(out, o)
			}
		}
	case "policy":
		for _, p := range m.allPolicies() {
			add(p.Name, p.Title)
		}
	case "set":
		out = m.knobOffers(word, from)
	case "do":
		for _, a := range m.keys.Actions {
			add(a.Name, a.Doc)
		}
	case "theme":
		for _, t := range themeNames {
			add(t, "how the screen looks")
		}
	case "break":
		return breakOffers(strings.TrimPrefix(word, "break "))
	}
	return out
}

// knobOffers are the knobs that set can turn, by the knob's name or its
// strategy's.
func (m *Model) knobOffers(word string, from int) []offer {
	var out []offer
	seen := map[string]bool{}
	for _, i := range m.settable() {
		for _, k := range knobsOf(m.knobbed(i).policy) {
			text := k.strategy.Name + "." + k.knob.Key + "="
			if !seen[text] && (strings.HasPrefix(text, word) || strings.HasPrefix(k.knob.Key, word)) {
				seen[text] = true
				out = append(out, offer{text, k.knob.Doc, from})
			}
		}
	}
	return out
}
