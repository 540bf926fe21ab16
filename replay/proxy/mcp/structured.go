package mcp

import (
	"strings"

	"snapscope/replay/proxy"
)

// What is said where a server sends structuredContent beside the text. A client shows
// its model one of the two, and nobody knows which: they must agree.
const (
	besideRewritten = "the server sends structuredContent beside the text: pages are rewritten in both"
	besideApart     = "the server sends structuredContent beside the text, and the page does not stand in it as it does in the text: nothing is rewritten, for the two must agree"
)

// maxDepth is how deep structuredContent is looked into.
const maxDepth = 64

// beside are the texts of structuredContent that hold a page.
type beside struct {
	at   []proxy.Span
	text []string
}

// holding finds the texts of a value that hold a page.
func holding(msg []byte, v proxy.Span, page string) (out beside) {
	var walk func(at, depth int) (end int)
	walk = func(at, depth int) (end int) {
		if depth > maxDepth || at >= len(msg) {
			return proxy.End(msg, at)
		}
		if msg[at] != '"' {
			return proxy.Walk(msg, at, func(_ proxy.Span, at int) int { return walk(at, depth+1) })
		}
		s := proxy.Span{From: at, To: proxy.End(msg, at)}
		if text, ok := proxy.Text(msg, s); ok && strings.Contains(text, page) {
			out.at, out.text = append(out.at, s), append(out.text, text)
		}
		return s.To
	}
	walk(v.From, 0)
	return out
}

// instead are the changes that put other texts in their places, where make says what.
func (b beside) instead(make func(text string) string) []proxy.Change {
	var out []proxy.Change
	for i, at := range b.at {
		out = append(out, proxy.Change{Span: at, With: proxy.Quote(make(b.text[i]))})
	}
	return out
}
