// Package snapshot holds the text an agent reads: the accessibility ("aria")
// snapshot of one page at one moment, its parser and its printer.
//
// The text format is the one Playwright's AI mode prints. Two spaces a level,
// "- ", a key (role, quoted name, bracketed states, ref), then nothing, or
// ": text", or ":" and children. Everything else in snapscope takes this text
// as a value; nothing in this package touches a browser, a file or a clock.
package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
)

// Dialect names the notation a snapshot's text is written in.
type Dialect string

// The dialects snapscope tells apart. Only Aria text is parsed into nodes;
// the others keep their own text and handles.
const (
	Aria         Dialect = "aria"          // Playwright's AI mode: [ref=e12]
	UID          Dialect = "uid"           // chrome-devtools-mcp: uid=1_21
	AgentBrowser Dialect = "agent-browser" // agent-browser: [checked=false, ref=e30]
	Index        Dialect = "index"         // browser-use: [12]<button>
	Loose        Dialect = "loose"         // anything else that shows a page, told by LooksLikeSnapshot alone
)

// Box is an element's border box in CSS pixels, relative to the viewport.
type Box struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Size is a viewport's width and height in CSS pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

// Touches reports whether any part of the box lies in a viewport of size v.
func (b Box) Touches(v Size) bool {
	return b.W > 0 && b.H > 0 && b.X < v.W && b.Y < v.H && b.X+b.W > 0 && b.Y+b.H > 0
}

// Snapshot is the aria text of one page at one moment with what else is known
// of the page then.
type Snapshot struct {
	URL      string  `json:"url,omitempty"`
	Title    string  `json:"title,omitempty"`
	Text     string  `json:"text,omitempty"` // no final newline; empty in a recording where Hash stood before
	Hash     string  `json:"hash"`           // HashText(Text): the key under which a recording stores the text once
	Dialect  Dialect `json:"dialect,omitempty"`
	Elements int     `json:"elements,omitempty"` // elements of the page when counted there, else lines with a ref

	Tab      int    `json:"tab,omitempty"`      // 0 is the first tab
	Document string `json:"document,omitempty"` // changes with every document the main frame loads

	Viewport Size           `json:"viewport,omitzero"`
	Boxes    map[string]Box `json:"boxes,omitempty"` // by ref; nil where not asked for

	Rebuilt bool     `json:"rebuilt,omitempty"` // put together from an incremental reply
	Notes   []string `json:"notes,omitempty"`   // what the reader should know: never quiet, cut, frame out of reach
}

// HashText is the content key of a snapshot's text: 128 bits of SHA-256 in hex.
func HashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
