// Package snapshot holds the value everything else works on: the text an agent
// reads of one page at one moment, with what else is known of the page then. How
// that text is written is package notation's matter.
//
// Nothing here touches a browser, a file or a clock.
package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"unsafe"

	"snapscope/snapshot/notation"
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
	URL      string           `json:"url,omitempty"`
	Title    string           `json:"title,omitempty"`
	Text     string           `json:"text,omitempty"` // no final newline; empty in a recording where Hash stood before
	Hash     string           `json:"hash"`           // HashText(Text): the key under which a recording stores the text once
	Dialect  notation.Dialect `json:"dialect,omitempty"`
	Elements int              `json:"elements,omitempty"` // of the page, as who captured or imported it counted them; 0: see Count

	Tab      int    `json:"tab,omitempty"`      // 0 is the first tab
	Document string `json:"document,omitempty"` // changes with every document the main frame loads

	Viewport Size           `json:"viewport,omitzero"`
	Boxes    map[string]Box `json:"boxes,omitempty"` // by ref; nil where not asked for

	Rebuilt bool `json:"rebuilt,omitempty"` // put together from an incremental reply
	// Partial: only a part of the page is known, for the rest was never sent, could not be put together, or was cut
	// off by the agent's client. What another policy would have shown of such a page is not known.
	Partial bool     `json:"partial,omitempty"`
	Notes   []string `json:"notes,omitempty"` // what the reader should know: never quiet, cut, frame out of reach
}

// Count is the number of the page's elements: Elements, or where nobody counted
// them the lines with a ref.
func (s *Snapshot) Count() int {
	if s.Elements > 0 {
		return s.Elements
	}
	return notation.Read(s.Text, s.Dialect).Elements()
}

// HashText is the content key of a snapshot's text: 128 bits of SHA-256 in hex.
func HashText(text string) string {
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(text), len(text))) // only read: a copy of every page for nothing
	return hex.EncodeToString(sum[:16])
}
