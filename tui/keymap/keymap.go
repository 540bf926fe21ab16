// Package keymap binds keys to the screen's actions, as the table of actions has them
// or as a person has remapped them.
//
//	table ──Bind(remap)──▶ Bindings ──▶ key pressed → action
//	                                └─▶ action → key, for sentences that name one
package keymap

import (
	"fmt"
	"sort"
	"strings"
)

// Action is one row of the table.
type Action struct {
	Name  string   // for remapping: step, next-change
	Keys  []string // as Bubble Tea names them
	Group string
	Short string // a word or two for the hint line; empty: not hinted
	Doc   string
}

// Word is one of the words of the command line that are about the screen itself;
// the others are the verbs of a step script.
type Word struct{ Word, Args, Doc string }

// Bindings is the table with a person's own keys laid over it.
type Bindings struct {
	Actions []*Action
	ByKey   map[string]*Action
	ByName  map[string]*Action
	Words   []Word // of the command line
}

// Bind lays remap over a table, whose rows it changes. A key given to one action is taken from the
// action that had it by default; two remapped actions on one key are a conflict.
func Bind(table []*Action, remap map[string][]string) (*Bindings, error) {
	b := &Bindings{Actions: table, ByKey: map[string]*Action{}, ByName: map[string]*Action{}}
	for _, a := range b.Actions {
		b.ByName[a.Name] = a
	}
	own, err := b.remap(remap)
	if err != nil {
		return nil, err
	}
	for _, a := range b.Actions {
		if _, mine := remap[a.Name]; !mine {
			a.Keys = without(a.Keys, own)
		}
		for _, k := range a.Keys {
			b.ByKey[k] = a
		}
	}
	for _, must := range []string{"quit", "help", "command"} {
		if len(b.ByName[must].Keys) == 0 {
			return nil, fmt.Errorf("keys: %s is left without a key", must)
		}
	}
	return b, nil
}

// remap gives actions the keys a person chose and answers which action took each
// of those keys.
func (b *Bindings) remap(remap map[string][]string) (map[string]string, error) {
	names := make([]string, 0, len(remap))
	for n := range remap {
		names = append(names, n)
	}
	sort.Strings(names)
	all := make([]string, len(b.Actions))
	for i, a := range b.Actions {
		all[i] = a.Name
	}
	own := map[string]string{}
	for _, n := range names {
		a, ok := b.ByName[n]
		if !ok {
			return nil, fmt.Errorf("keys: no action %q; there are %s", n, strings.Join(all, ", "))
		}
		a.Keys = nil
		for _, k := range remap[n] {
			k = keyName(k)
			if k == "" {
				return nil, fmt.Errorf("keys: %s has an empty key", n)
			}
			if !known(k) {
				return nil, fmt.Errorf("keys: %s has no key %q; a key is one character, or a name such as ctrl+x, f5, pgdown, space, enter", n, k)
			}
			if other, taken := own[k]; taken && other != n {
				return nil, fmt.Errorf("keys: %s is given to both %s and %s", k, other, n)
			}
			own[k] = n
			a.Keys = append(a.Keys, k)
		}
	}
	return own, nil
}

func without(keys []string, taken map[string]string) []string {
	var out []string
	for _, k := range keys {
		if _, t := taken[k]; !t {
			out = append(out, k)
		}
	}
	return out
}

// keyName brings the ways a key is written to the one that Bubble Tea uses.
func keyName(k string) string {
	switch k {
	case " ", "spc":
		return "space"
	case "escape":
		return "esc"
	case "return":
		return "enter"
	case "pageup":
		return "pgup"
	case "pagedown":
		return "pgdown"
	}
	return strings.TrimSpace(k)
}

// named are the keys that are no single character.
var named = map[string]bool{
	"enter": true, "esc": true, "tab": true, "space": true, "up": true, "down": true, "left": true, "right": true,
	"pgup": true, "pgdown": true, "home": true, "end": true, "backspace": true, "delete": true, "insert": true,
}

// known reports that a terminal can send a key of this name.
func known(k string) bool {
	for {
		rest, ok := k, false
		for _, mod := range []string{"ctrl+", "alt+", "shift+", "super+", "meta+"} {
			if r, is := strings.CutPrefix(rest, mod); is && r != "" {
				rest, ok = r, true
			}
		}
		if !ok {
			break
		}
		k = rest
	}
	if named[k] || len([]rune(k)) == 1 {
		return true
	}
	n := 0
	if _, err := fmt.Sscanf(k, "f%d", &n); err == nil && n >= 1 && n <= 63 {
		return k == fmt.Sprintf("f%d", n)
	}
	return false
}

// Label is the first key of an action as people read it; empty where it has
// none.
func (a *Action) Label() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return Pretty(a.Keys[0])
}

// Pretty writes a key as people read it: ↑ for up.
func Pretty(k string) string {
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgdown":
		return "pgdn"
	}
	return k
}

// Label is the key of an action by name, for sentences that name a key; an
// action without a key is named as it is typed after the colon.
func (b *Bindings) Label(name string) string {
	if a := b.ByName[name]; a != nil && len(a.Keys) > 0 {
		return a.Label()
	}
	return ":" + name
}

// Letter is Label, of a key that is one letter where the action has such a one.
func (b *Bindings) Letter(name string) string {
	if a := b.ByName[name]; a != nil {
		for _, k := range a.Keys {
			if len(k) == 1 {
				return k
			}
		}
	}
	return b.Label(name)
}

// KeyOf is a key that does an action, as Bubble Tea names it.
func (b *Bindings) KeyOf(name string) string {
	if a := b.ByName[name]; a != nil && len(a.Keys) > 0 {
		return a.Keys[0]
	}
	return name
}

// NameOf is the name of the action on a key; empty where there is none.
func (b *Bindings) NameOf(key string) string {
	if a := b.ByKey[key]; a != nil {
		return a.Name
	}
	return ""
}
