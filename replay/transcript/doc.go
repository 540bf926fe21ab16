// Package transcript reads the session files of other agents.
//
// The rooms below it do the reading, each one part:
//
//	tape      JSON as transcripts hold it: long, cut, growing
//	format    one file a format: finds the calls and the results, pairs them
//	reply     what a tool call means and what a server's answer says
//	sidefile  the files that a transcript points to, never outside its folder
//
//	format ─▶ pair by id ─▶ reply.Explain   what a call means: verb, element
//	                    ─▶ snapshot/mask    secrets
//	                    ─▶ reply.Pages     the snapshot in an answer, rebuilt where it came in parts
//	                    ─▶ session.Event
//
// For each result an importer says what the model really saw (session.Seen).
// Result.Text and the snapshot's part together are the reply as it came, so
// that counting the two counts the whole.
//
// A file is read once, from front to back: line by line, or a JSON document
// element by element, and never more than one of them is held. So a file that
// is cut gives everything whole before the cut, one that is still being written
// can be followed, and the first steps of a large one are there at once. What
// an importer does not know it counts, with line numbers.
//
// Read reads a file, Open plays it while it is read, Follow plays it while it
// is written, Find lists the sessions of the agents on this machine. Recordings
// of snapscope are one of the formats, so all of these take them as well.
package transcript
