// Package token counts the tokens of a text: exactly, with the encodings of
// public models, or by estimators that say they are estimates. It is the only
// importer of the tokenizer.
//
// An exact count is made in three layers, each there for speed alone; none may
// change a figure:
//
//	text ─▶ lines that no piece straddles   (lines.go: one memo of line counts)
//	     ─▶ pieces                           (split.go: the encoding's own rule, by hand)
//	     ─▶ tokens of a piece                (bpe.go: the library's byte-pair merges)
//
// A page that changes a little is mostly memo hits: its lines were counted
// before, and because no piece of text runs across the places where lines are
// cut, the sum over lines is the count of the whole.
package token

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// Default is the encoding used where none is named.
const Default = "o200k_base"

// Counter counts tokens. It is safe for concurrent use.
type Counter interface {
	Name() string // o200k_base, chars4, …
	Exact() bool  // false: an estimator
	Count(text string) int
}

// Encoding is one row of the table of encodings and estimators.
type Encoding struct {
	Name  string
	Exact bool
	Doc   string // which models use it, or what is assumed; one sentence
	Error string // an estimator's measured error against o200k_base; empty where exact

	family  family
	library tokenizer.Encoding
	ratio   int // UTF-16 units a token, for an estimator
}

// The errors were measured on 40 aria snapshots of real pages, which hold 2.7
// to 4.6 characters a token; grids of short cells are the dense end.
var encodings = []Encoding{
	{
		Name: "o200k_base", Exact: true, Doc: "GPT-4o, GPT-4.1, GPT-5, o1, o3, o4-mini",
		family: o200k, library: tokenizer.O200kBase,
	},
	{
		Name: "cl100k_base", Exact: true, Doc: "GPT-4, GPT-3.5 Turbo, text-embedding-3",
		family: cl100k, library: tokenizer.Cl100kBase,
	},
	{
		Name: "chars4", Doc: "one token for every four characters, the usual rule of thumb",
		Error: "−31 % to +15 % on aria snapshots", ratio: 4,
	},
	{
		Name: "chars2", Doc: "one token for every two characters, a cautious upper bound",
		Error: "+35 % to +130 % on aria snapshots", ratio: 2,
	},
}

// Names lists the names New takes, in the order of the table.
func Names() []string {
	out := make([]string, len(encodings))
	for i, e := range encodings {
		out[i] = e.Name
	}
	return out
}

var made sync.Map // name → Counter: counters share one memo per process

// New answers the counter of an encoding or estimator; an empty name is
// Default. Counters of one name are one and the same, so that everyone in the
// process gains from its memo. The vocabulary is loaded at the first count. The
// error lists the names there are.
func New(name string) (Counter, error) {
	if name == "" {
		name = Default
	}
	if c, ok := made.Load(name); ok {
		return c.(Counter), nil
	}
	for _, e := range encodings {
		if e.Name != name {
			continue
		}
		var c Counter = estimator{e}
		if e.Exact {
			c = newExact(e)
		}
		c2, _ := made.LoadOrStore(name, c)
		return c2.(Counter), nil
	}
	return nil, fmt.Errorf("no encoding %q; there are %s", name, strings.Join(Names(), ", "))
}

// NewPassing is New for a session that is looked at as it goes by: a counter of its
// own, whose memo holds the lines of the last pages and not those of a session.
func NewPassing(name string) (Counter, error) {
	c, err := New(name)
	if x, ok := c.(*exact); ok {
		own := newExact(x.enc)
		own.codec, own.most = x.codec, passingHeld
		return own, nil
	}
	return c, err
}

// Chars is the length of text in UTF-16 units, the characters that JavaScript
// counts and that the documents' savings and estimators are written in. An
// invalid byte counts as one.
func Chars(text string) int {
	n := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			n++
			i++
			continue
		}
		r, w := utf8.DecodeRuneInString(text[i:])
		n++
		if r > 0xFFFF {
			n++
		}
		i += w
	}
	return n
}

// estimator divides the characters and rounds up.
type estimator struct{ enc Encoding }

func (e estimator) Name() string { return e.enc.Name }
func (e estimator) Exact() bool  { return false }
func (e estimator) Count(text string) int {
	return (Chars(text) + e.enc.ratio - 1) / e.enc.ratio
}
