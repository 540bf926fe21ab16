package setup

import (
	"bytes"
	"slices"
	"strings"

	"snapscope/replay/proxy"
)

// spot is where a server's command or address stands in a configuration's text.
type spot struct {
	command proxy.Span   // the program, as a text; empty: it is the first of words
	list    proxy.Span   // the list of arguments, or of the whole command; empty: there is none
	words   []proxy.Span // of the list
	url     proxy.Span   // of a server that is reached over HTTP; else empty
	args    string       // what makes a list of arguments at argsAt, %s for it
	argsAt  int
}

// at is where the spot begins: no two servers have one.
func (s spot) at() int { return max(s.command.From, s.list.From, s.url.From) }

// with is the text with a proxy before the server.
func (s spot) with(data []byte, of Server, p Proxy) []byte {
	if of.Argv == nil {
		raw := s.url.Of(data)
		if !strings.Contains(of.URL, "://") || len(raw) < 2 {
			return nil
		}
		before, _, _ := strings.Cut(p.before(of.URL), urlMark)
		now := append(bytes.TrimSuffix(proxy.Quote(before+urlMark), []byte{'"'}), raw[1:]...)
		now[0] = raw[0] // the quote that its end has
		return splice(data, proxy.Change{Span: s.url, With: now})
	}
	var first []string
	var changes []proxy.Change
	for _, w := range p.Argv {
		first = append(first, string(proxy.Quote(w)))
	}
	if s.command.To > 0 {
		changes = append(changes, proxy.Change{Span: s.command, With: []byte(first[0])})
		first = append(first[1:], string(s.command.Of(data)))
	}
	switch {
	case s.list.To == 0:
		all := strings.Replace(s.args, "%s", "["+strings.Join(first, ", ")+"]", 1)
		changes = append(changes, proxy.Change{Span: proxy.Span{From: s.argsAt, To: s.argsAt}, With: []byte(all)})
	case len(s.words) == 0:
		at := s.list.From + 1
		changes = append(changes, proxy.Change{Span: proxy.Span{From: at, To: at}, With: []byte(strings.Join(first, ", "))})
	default:
		at := s.words[0].From
		between := ", "
		if space := indent(data[s.list.From+1 : at]); space != "" { // a word a line
			between = "," + space
		}
		changes = append(changes, proxy.Change{Span: proxy.Span{From: at, To: at}, With: []byte(strings.Join(first, between) + between)})
	}
	return splice(data, changes...)
}

// without is the text without the first n words, which are a proxy's.
func (s spot) without(data []byte, n int) []byte {
	if s.url.To > 0 {
		raw := s.url.Of(data)
		i := bytes.Index(raw, []byte(urlMark))
		if i < 0 {
			return nil
		}
		return splice(data, proxy.Change{Span: s.url, With: append([]byte{raw[0]}, raw[i+len(urlMark):]...)})
	}
	if len(s.words) < n {
		return nil
	}
	var changes []proxy.Change
	if s.command.To > 0 { // the n-th word of all is the n-1st of the list; the next is the server's own program
		changes = append(changes, proxy.Change{Span: s.command, With: s.words[n-1].Of(data)})
	}
	gone := proxy.Span{From: s.words[0].From, To: s.words[n-1].To}
	if n < len(s.words) {
		gone.To = s.words[n].From
	} else if s.command.To == 0 {
		return nil // a command of nothing
	} else if len(bytes.TrimSpace(data[s.list.From+1:gone.From])) == 0 && bytes.ContainsRune(data[s.list.From:gone.From], '\n') {
		gone = proxy.Span{From: s.list.From + 1, To: s.list.To - 1} // what was a word a line is empty
	}
	return splice(data, append(changes, proxy.Change{Span: gone})...)
}

// indent is the line break and the spaces at the end of a text; "" where it has none.
func indent(b []byte) string {
	i := bytes.LastIndexByte(b, '\n')
	if i < 0 || len(bytes.TrimSpace(b[i:])) > 0 {
		return ""
	}
	if i > 0 && b[i-1] == '\r' {
		i--
	}
	return string(b[i:])
}

func splice(data []byte, changes ...proxy.Change) []byte {
	slices.SortStableFunc(changes, func(a, b proxy.Change) int { return a.From - b.From })
	var out []byte
	at := 0
	for _, c := range changes {
		out = append(append(out, data[at:c.From]...), c.With...)
		at = c.To
	}
	return append(out, data[at:]...)
}
