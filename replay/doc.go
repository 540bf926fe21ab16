// Package replay writes recordings, reads them back and plays them.
//
// # The recording, format version 1
//
// A recording is append-only JSON lines in UTF-8. The first line is the header,
//
//	{"format":"snapscope-recording","version":1}
//
// and every further line is one complete session.Event, in the order in which
// it happened, its seq counting from 1 without gaps:
//
//	{"seq":4,"time":"…","kind":"action","action":{"id":"a2","verb":"click",…}}
//	{"seq":5,"time":"…","kind":"result","result":{"action":"a2","ok":true,"snapshot":{…}}}
//
// What is large is written once. A snapshot's text stands inline where it first
// occurs; a later snapshot with the same "hash" has no "text". Boxes, where a
// snapshot has them, stand beside a "boxes_hash"; a later snapshot with the
// same boxes has only that. A reader therefore needs the lines before a line,
// never those after it.
//
// # What holds after a crash
//
// The writer puts whole lines into the file and calls fsync after each step. A
// process that is killed leaves at most one line without its end; the reader
// keeps every whole line and says in Recording.Notes where the cut is. A line
// that is whole but not an event is damage, and an error with file, line and
// column.
//
// Fields that a reader does not know are skipped, so a version grows fields
// without a new number. A change that an older reader would misread raises it.
//
// # Playing
//
// A recording becomes a session.Engine in three ways, the same to whoever
// looks: a Player has all events already, a Feed is given them by a source that
// runs beside it (a big file being read), and Follow is a Feed on a file that
// another program is still writing.
package replay
