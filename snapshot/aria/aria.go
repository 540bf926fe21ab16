// Package aria holds the script that reads a page from inside and the decoder
// of its answer.
//
// The script is evaluated once per document in an isolated world, where the
// page cannot see or patch it. It leaves one object (Object) with a few
// functions; a capture is one call a frame and one compact string back: a line
// of JSON, a newline, and the aria text. Frames inside a document are left as
// bare "- iframe [ref=…]" lines and named in the answer, so that whoever can
// reach them may nest their own answers there (Join).
//
// Inside the page one capture is four moves. Each element's style is read once
// into a flat tree that follows slots, shadow roots and aria-owns (10_dom.js, 20_pseudo.js).
// Roles (30_role.js), names (40_name.js) and states (50_state.js) are worked out
// over that tree. One walk gives refs on the way down and distils on the way
// up (60_tree.js), and one pass prints the lines (70_print.js). 80_api.js is what
// the world outside calls:
//
//	capture(options) string        see Options and Decode
//	element(ref) Element|null      the element a ref names, if it is still there
//	describe(ref) string           what a ref was, "" when it never was
//	find(role, name, nth) []Element
//	query(css, nth) []Element      through shadow roots
//	closed(host, root)             tells of a closed shadow root
//	reader(prototype, name)        a DOM property or method that no name on the page shadows
package aria

import "snapscope/snapshot"

// Options of one capture of one frame. They are handed to the script as JSON.
type Options struct {
	Prefix string `json:"prefix"`          // stands before each ref: "", "f3"
	Boxes  bool   `json:"boxes,omitempty"` // print [box=…]
	Rects  bool   `json:"rects,omitempty"` // answer the boxes of elements with a ref apart from the text
	Exact  bool   `json:"exact,omitempty"` // passwords in clear and closed shadow roots left out, as the oracle has them
	Millis int    `json:"ms,omitempty"`    // of reading after which the walk ends with a note
	Max    int    `json:"max,omitempty"`   // characters of text after which the walk ends with a note
}

// Frame is an iframe the script saw and did not enter.
type Frame struct {
	Ref  string `json:"ref"`
	Line int    `json:"line"` // 0-based line of the text
}

// Answer is what one capture of one frame gives.
type Answer struct {
	Text     string                  `json:"-"`
	URL      string                  `json:"url"`
	Title    string                  `json:"title"`
	Elements int                     `json:"elements"` // elements in the document, shadow trees included
	Frames   []Frame                 `json:"frames,omitempty"`
	Boxes    map[string]snapshot.Box `json:"-"` // by ref with its prefix; nil where not asked for
	Notes    []string                `json:"notes,omitempty"`
}
