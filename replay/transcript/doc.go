// Package transcript reads the session files of other agents.
//
// A format knows how its file is laid out, and no more: it finds the calls and
// the results and hands them on. Everything else is done once for all of them:
//
//	format ─▶ importer (pairs by id) ─▶ explain    what a call means: verb, element
//	                                 ─▶ parseReply where the snapshot is, in any server's dialect
//	                                 ─▶ rebuild    the full tree of an incremental reply
//	                                 ─▶ links      side files, never outside the folder
//	                                 ─▶ masker     secrets
//	                                 ─▶ session.Event
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
