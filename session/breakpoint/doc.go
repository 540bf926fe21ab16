// Package breakpoint holds the conditions at which a session stops: read from
// text, asked after every step, pure. The table Forms is what help, completion
// and errors are read off.
package breakpoint
