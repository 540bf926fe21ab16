package script

import (
	"fmt"
	"strings"

	"snapscope/session"
)

// ParseCommand reads one action as it is typed on the command line: the verbs
// of a step script, an element by ref (e12), by role and quoted name (button
// "Save") or by CSS (css=#save), arguments in the order of the table or as
// key=value. Quotes keep blanks together.
//
//	click e12
//	fill textbox "Search" google
//	scroll to=bottom
func ParseCommand(line, base string) (session.Action, error) {
	words, err := Words(line)
	if err != nil {
		return session.Action{}, err
	}
	if len(words) == 0 {
		return session.Action{}, &Error{Msg: "nothing to do; type an action such as click e12, or ? for help"}
	}
	spec, ok := session.SpecOf(session.Verb(words[0].Text))
	if !ok {
		return session.Action{}, &Error{Msg: fmt.Sprintf("no action %q%s; there are %s", words[0].Text, nearest(words[0].Text), verbNames())}
	}
	a := session.Action{Verb: spec.Verb, Tool: string(spec.Verb)}
	c := commandParser{spec: spec, a: &a}
	if msg := c.words(words[1:]); msg != "" {
		return session.Action{}, &Error{Msg: msg}
	}
	if msg := finish(&a, spec, base); msg != "" {
		return session.Action{}, &Error{Msg: msg}
	}
	return a, nil
}

// Word is one word of a line; Quoted keeps it from being read as anything but
// text.
type Word struct {
	Text   string
	Quoted bool
}

type commandParser struct {
	spec session.VerbSpec
	a    *session.Action
}

func (c commandParser) words(ws []Word) string {
	var plain []Word
	for _, w := range ws {
		key, val, ok := strings.Cut(w.Text, "=")
		if ok && !w.Quoted {
			if arg, is := findArg(c.spec, key); is {
				if msg := c.put(arg, val); msg != "" {
					return msg
				}
				continue
			}
			if c.spec.Target != session.TargetNone && isTargetKey(key) {
				if err := c.element().Set(key, val); err != nil {
					return err.Error()
				}
				continue
			}
		}
		plain = append(plain, w)
	}
	plain = c.takeTarget(plain)
	return c.takeArgs(plain)
}

func (c commandParser) element() *session.Target {
	if c.a.Target == nil {
		c.a.Target = &session.Target{}
	}
	return c.a.Target
}

// takeTarget takes e12, or role "name", off the front.
func (c commandParser) takeTarget(ws []Word) []Word {
	if c.spec.Target == session.TargetNone || c.a.Target != nil || len(ws) == 0 {
		return ws
	}
	switch {
	case session.IsRef(ws[0].Text) && !ws[0].Quoted:
		c.element().Ref = ws[0].Text
		return ws[1:]
	case len(ws) > 1 && ws[1].Quoted && !ws[0].Quoted:
		*c.element() = session.Target{Role: ws[0].Text, Name: ws[1].Text}
		return ws[2:]
	case c.spec.Target == session.TargetRequired && !requiresArg(c.spec) && len(ws) == 1:
		c.element().Role = ws[0].Text
		return nil
	}
	return ws
}

// takeArgs gives the words that are left to the arguments in the table's order;
// the last text argument takes all that remain.
func (c commandParser) takeArgs(ws []Word) string {
	for i, arg := range c.spec.Args {
		if len(ws) == 0 {
			return ""
		}
		if _, set := c.a.Args[arg.Name]; set {
			continue
		}
		n := 1
		if arg.Kind == session.ArgText && len(arg.Choices) == 0 && (i == len(c.spec.Args)-1 || arg.Name == c.spec.Short && !c.spec.Args[i+1].Required) {
			n = len(ws)
		}
		texts := make([]string, n)
		for j := range texts {
			texts[j] = ws[j].Text
		}
		if msg := c.put(arg, strings.Join(texts, " ")); msg != "" {
			return msg
		}
		ws = ws[n:]
	}
	if len(ws) > 0 {
		return fmt.Sprintf("%s does not know what to do with %q; it takes %s", c.spec.Verb, ws[0].Text, usage(c.spec))
	}
	return ""
}

func (c commandParser) put(arg session.Arg, text string) string {
	if arg.Kind == session.ArgTarget {
		if !session.IsRef(text) {
			return fmt.Sprintf("%s takes a ref such as e12", arg.Name)
		}
		setArg(c.a, arg.Name, map[string]any{"ref": text})
		return ""
	}
	v, msg := parseArg(arg, text)
	if msg == "" {
		setArg(c.a, arg.Name, v)
	}
	return msg
}

// Words cuts a line at blanks; single or double quotes keep blanks, and a
// backslash keeps the next character.
func Words(line string) ([]Word, error) {
	var out []Word
	var cur strings.Builder
	in, quoted := false, false
	var quote rune
	esc := false
	flush := func() {
		if in {
			out = append(out, Word{cur.String(), quoted})
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
		return nil, &Error{Msg: fmt.Sprintf("a quote %c is not closed", quote)}
	}
	flush()
	return out, nil
}
