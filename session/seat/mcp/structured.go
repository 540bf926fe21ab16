package mcp

import (
	"strings"

	"snapscope/session/seat"
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
	at   []seat.Span
	text []string
}

// holding finds the texts of a value that hold a page.
func holding(msg []byte, v seat.Span, page string) (out beside) {
	var walk func(at, depth int) (end int)
	walk = func(at, depth int) (end int) {
		if depth > maxDepth || at >= len(msg) {
			return seat.End(msg, at)
		}
		if msg[at] != '"' {
			return seat.Walk(msg, at, func(_ seat.Span, at int) int { return walk(at, depth+1) })
		}
		s := seat.Span{From: at, To: seat.End(msg, at)}
		if text, ok := seat.Text(msg, s); ok && strings.Contains(text, page) {
			out.at, out.text = append(out.at, s), append(out.text, text)
		}
		return s.To
	}
	walk(v.From, 0)
	return out
}

// instead are the changes that put other texts in their places, where make says what.
func (b beside) instead(make func(text string) string) []seat.Change {
	var out []seat.Change
	for i, at := range b.at {
		out = append(out, seat.Change{Span: at, With: seat.Quote(make(b.text[i]))})
	}
	return out
}
