package session

import (
	"fmt"
	"strings"
)

// ParseCommand reads one action as it is typed on the command line: the verbs
// of a step script, an element by ref (e12), by role and quoted name (button
// "Save") or by CSS (css=#save), arguments in the order of the table or as
// key=value. Quotes keep blanks together.
//
//	click e12
//	fill textbox "Search" google
//	scroll to=bottom
func ParseCommand(line, base string) (Action, error) {
	words, err := splitWords(line)
	if err != nil {
		return Action{}, err
	}
	if len(words) == 0 {
		return Action{}, &ScriptError{Msg: "nothing to do; type an action such as click e12, or ? for help"}
	}
	spec, ok := SpecOf(Verb(words[0].text))
	if !ok {
		return Action{}, &ScriptError{Msg: fmt.Sprintf("no action %q%s; there are %s", words[0].text, nearest(words[0].text), verbNames())}
	}
	a := Action{Verb: spec.Verb, Tool: string(spec.Verb)}
	c := commandParser{spec: spec, a: &a}
	if msg := c.words(words[1:]); msg != "" {
		return Action{}, &ScriptError{Msg: msg}
	}
	if msg := a.finish(spec, base); msg != "" {
		return Action{}, &ScriptError{Msg: msg}
	}
	return a, nil
}

type word struct {
	text   string
	quoted bool
}

type commandParser struct {
	spec VerbSpec
	a    *Action
}

func (c commandParser) words(ws []word) string {
	var plain []word
	for _, w := range ws {
		key, val, ok := strings.Cut(w.text, "=")
		if ok && !w.quoted {
			if arg, is := c.spec.arg(key); is {
				if msg := c.put(arg, val); msg != "" {
					return msg
				}
				continue
			}
			if c.spec.Target != TargetNone && isTargetKey(key) {
				if msg := c.element().set(key, val); msg != "" {
					return msg
				}
				continue
			}
		}
		plain = append(plain, w)
	}
	plain = c.takeTarget(plain)
	return c.takeArgs(plain)
}

func (c commandParser) element() *Target {
	if c.a.Target == nil {
		c.a.Target = &Target{}
	}
	return c.a.Target
}

// takeTarget takes e12, or role "name", off the front.
func (c commandParser) takeTarget(ws []word) []word {
	if c.spec.Target == TargetNone || c.a.Target != nil || len(ws) == 0 {
		return ws
	}
	switch {
	case IsRef(ws[0].text) && !ws[0].quoted:
		c.element().Ref = ws[0].text
		return ws[1:]
	case len(ws) > 1 && ws[1].quoted && !ws[0].quoted:
		*c.element() = Target{Role: ws[0].text, Name: ws[1].text}
		return ws[2:]
	case c.spec.Target == TargetRequired && !requiresArg(c.spec) && len(ws) == 1:
		c.element().Role = ws[0].text
		return nil
	}
	return ws
}

// takeArgs gives the words that are left to the arguments in the table's order;
// the last text argument takes all that remain.
func (c commandParser) takeArgs(ws []word) string {
	for i, arg := range c.spec.Args {
		if len(ws) == 0 {
			return ""
		}
		if _, set := c.a.Args[arg.Name]; set {
			continue
		}
		n := 1
		if arg.Kind == ArgText && len(arg.Choices) == 0 && (i == len(c.spec.Args)-1 || arg.Name == c.spec.Short && !c.spec.Args[i+1].Required) {
			n = len(ws)
		}
		texts := make([]string, n)
		for j := range texts {
			texts[j] = ws[j].text
		}
		if msg := c.put(arg, strings.Join(texts, " ")); msg != "" {
			return msg
		}
		ws = ws[n:]
	}
	if len(ws) > 0 {
		return fmt.Sprintf("%s does not know what to do with %q; it takes %s", c.spec.Verb, ws[0].text, usage(c.spec))
	}
	return ""
}

func (c commandParser) put(arg Arg, text string) string {
	if arg.Kind == ArgTarget {
		if !IsRef(text) {
			return fmt.Sprintf("%s takes a ref such as e12", arg.Name)
		}
		c.a.set(arg.Name, map[string]any{"ref": text})
		return ""
	}
	v, msg := arg.parse(text)
	if msg == "" {
		c.a.set(arg.Name, v)
	}
	return msg
}

// splitWords cuts a line at blanks; single or double quotes keep blanks, and a
// backslash keeps the next character.
func splitWords(line string) ([]word, error) {
	var out []word
	var cur strings.Builder
	in, quoted := false, false
	var quote rune
	esc := false
	flush := func() {
		if in {
			out = append(out, word{cur.String(), quoted})
		}
		cur.Reset()
		in, quoted = false, false
	}
	for _, r := range line {
		switch {
		case esc:
			cur.WriteRune(r)
			esc = false
		case r == '\\' && quote != '\'':
			in, esc = true, true
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				cur.WriteRune(r)
			}
		case (r == '"' || r == '\'') && cur.Len() == 0:
			quote, in, quoted = r, true, true
		case (r == '"' || r == '\'') && strings.HasSuffix(cur.String(), "="):
			quote = r
		case r == ' ' || r == '\t':
			flush()
		default:
			in = true
			cur.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, &ScriptError{Msg: fmt.Sprintf("a quote %c is not closed", quote)}
	}
	flush()
	return out, nil
}
