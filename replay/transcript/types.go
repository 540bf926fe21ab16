package transcript

import (
	"snapscope/replay/transcript/format"
	"snapscope/session"
)

// The kinds of transcripts and what is known of one that was read are told by
// the package format; these are its names here.
type (
	// Options say how a transcript is read.
	Options = format.Options
	// Import is a transcript as it was read.
	Import = format.Import
	// Orphan is a call or a result whose other half is missing.
	Orphan = format.Orphan
	// Skip counts entries that were left out for one reason.
	Skip = format.Skip
	// Unknown is an entry kind or field that the importer does not know.
	Unknown = format.Unknown
	// Told makes events of what a proxy is told, one thing after another.
	Told = format.Told
	// Answer is a tool's answer as Told takes it.
	Answer = format.Answer
	// Format is one kind of transcript.
	Format = format.Format
)

// Formats is the table of formats, in the order in which a file is tried.
var Formats = format.All

// ErrUnknown is what the error wraps where a file is of no known kind.
var ErrUnknown = format.ErrUnknown

// FindFormat finds a format by name; the error lists the names there are.
func FindFormat(name string) (*Format, error) { return format.Find(name) }

// Tell begins a session that is told event by event; put gets its events in order.
func Tell(start session.Start, o Options, put func(session.Event)) *Told {
	return format.Tell(start, o, put)
}

// ShowsPage reports whether a tool's answer shows a page, whole or in part.
func ShowsPage(tool string, args []byte, text string) bool { return format.ShowsPage(tool, args, text) }
