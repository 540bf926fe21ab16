// Package reply reads what browser tools answer. It is the one place that knows
// the dialects of servers: Playwright MCP's eras, chrome-devtools-mcp,
// fast-playwright, agent-browser, browser-use, passmark, OpenClaw.
//
//	tool, arguments ─▶ Explain ─▶ Call    what the call means: verb, element, tab
//	content blocks  ─▶ Content ─▶ text
//	Call, text      ─▶ Read    ─▶ Reply   what the answer says, by itself
//	Call, Answer    ─▶ Pages   ─▶ session.Result
//	                              the same with what the answers before it told:
//	                              full trees of incremental answers, tabs,
//	                              documents, linked files
//
// Read is pure. Pages holds what a row of answers of one server has told so far
// and reads files only through the function it is given. Importers of session
// files and the seat beside a running server are its two users.
package reply

import (
	"snapscope/session"
	"snapscope/snapshot/notation"
)

// Reply is a tool's answer taken apart: Before + Snap + After is its text as it
// came, to the byte.
type Reply struct {
	Before, Snap, After string
	Tree                string // the snapshot's text where Snap is another form of it, as JSON is

	Found   bool // Snap is a snapshot, or the part of one; it may be empty
	Part    bool // Snap holds only what changed; Pages has the whole
	Cut     bool // the snapshot's end is missing
	Modal   bool // a dialog or a file chooser waits
	Dialect notation.Dialect

	// Seen is what the model sees of a snapshot: inline, incremental, excerpt, link,
	// cut, expired, spilled or dropped; empty where the answer tells of none.
	Seen session.Seen
	Link string // the snapshot lies in this file, or the whole answer does

	URL, Title string
	Tab        int    // the current tab, -1 where it is not told
	Error      string // what the server says went wrong
	Console    []string
	Events     []string // dialogs, downloads, files

	announced bool // a heading or a fence of the server's says that Snap is the page

	foreign bool // in a notation that is not rebuilt
	same    bool // the answer says that nothing changed
	delta   []string
	splice  *splice
	notice  *notice // what the client put in place of the answer
	revised bool    // one of a row of revisions, each told by what it changes in the one before
}

// Read says what a tool's answer tells by itself. text is its text content
// (Content), c what was asked (Explain; the zero Call where that is not known).
func Read(c Call, text string) Reply { return read(c, text, false) }

// read is Read; direct says that the text comes from the server itself: no client has
// cut it, whatever words of such a cut stand in it.
func read(c Call, text string, direct bool) Reply {
	switch {
	case isPlaceholder(text) && (c.Browser || holdsSnapshotWord(text)):
		return Reply{Before: text, Tab: -1, Seen: session.SeenExpired}
	case c.Reads != "":
		return Reply{Before: text, Tab: -1}
	}
	if n, ok := readNotice(text); ok && !direct {
		r := Reply{Before: text, Tab: -1, Link: n.file, notice: &n}
		switch {
		case n.to > n.from:
			r.Seen = session.SeenCut
		case n.file != "":
			r.Seen = session.SeenSpilled
		default:
			r.Seen = session.SeenDropped
		}
		return r
	}
	r := Parse(text)
	r.asExcerpt(c, text)
	switch {
	case r.Seen == session.SeenExcerpt:
	case !r.Found && r.Link != "":
		r.Seen = session.SeenLink
	case !r.Found || r.Snap == "" || r.Snap == "null":
	case !direct && r.cutInside():
		r.Seen = session.SeenCut
	case r.Part:
		r.Seen = session.SeenIncremental
	default:
		r.Seen = session.SeenInline
	}
	return r
}

// cutInside reports whether a client left something out of the page.
func (r *Reply) cutInside() bool {
	if _, ok := cutMark(r.Snap); ok {
		return true
	}
	_, ok := cutMark(r.After)
	return ok && r.Cut
}

// read is the page's text, read once.
func (r *Reply) read() *notation.Text {
	switch {
	case r.Tree != "":
		return notation.Read(r.Tree, r.Dialect)
	}
	return notation.Read(r.Snap, r.Dialect)
}
