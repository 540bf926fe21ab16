package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode"
	"unicode/utf8"

	"snapscope/tui/safetext"
)

// Words of a page, a transcript or a file's name reach people through one of two
// writers, whatever the command that prints them:
//
//	text ──▶ safeWriter ──▶ stdout, stderr    what could move a cursor, hide or reverse is spelled out
//	JSON ──▶ jsonWriter ──▶ stdout            the same characters as \u escapes: the value is as it was
//
// A command whose text is a program's input (snapshot, reduce) writes to exactTo:
// the bytes as they are, but on a terminal.

// safeWriter spells out what is not safe to print. Line ends and tabs pass.
type safeWriter struct {
	mu   sync.Mutex
	w    io.Writer
	tty  bool
	rest []byte // the start of a character whose end has not come yet
	err  error  // the first that writing gave
}

func newSafeWriter(f *os.File) *safeWriter { return &safeWriter{w: f, tty: terminal(f)} }

// Write prints p. The count is of p, not of what was printed for it.
func (s *safeWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rest) == 0 && plain(p) {
		n, err := s.w.Write(p)
		return n, s.note(err)
	}
	text := append(s.rest, p...)
	cut := len(text) - unfinished(text)
	s.rest = append([]byte(nil), text[cut:]...)
	_, err := io.WriteString(s.w, safeText(string(text[:cut])))
	return len(p), s.note(err)
}

// note remembers the first error, for a command that does not look at it.
func (s *safeWriter) note(err error) error {
	if s.err == nil {
		s.err = err
	}
	return err
}

// end prints what was kept back for want of its end and answers the first error of
// all writing.
func (s *safeWriter) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rest) > 0 {
		_, err := io.WriteString(s.w, safeText(string(s.rest)))
		_ = s.note(err)
		s.rest = nil
	}
	return s.err
}

// plain reports that p holds nothing but ASCII that can be printed, line ends and
// tabs.
func plain(p []byte) bool {
	for _, c := range p {
		if c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// unfinished is the number of bytes at the end of p that begin a character and do
// not end it.
func unfinished(p []byte) int {
	for n := 1; n <= min(len(p), utf8.UTFMax-1); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// safeText is text in safe pieces; its lines and tabs stay.
func safeText(text string) string {
	var b bytes.Buffer
	for len(text) > 0 {
		at := 0
		for at < len(text) && text[at] != '\n' && text[at] != '\t' {
			at++
		}
		b.WriteString(safetext.Line(text[:at]))
		if at < len(text) {
			b.WriteByte(text[at])
			at++
		}
		text = text[at:]
	}
	return b.String()
}

// exactTo is where bytes go that are somebody's input: as they are into files and
// pipes, spelled out on a terminal.
func exactTo(w io.Writer) io.Writer {
	if s, ok := w.(*safeWriter); ok && !s.tty {
		return s.w
	}
	return w
}

// jsonWriter writes JSON in which every character that could act on a terminal is
// an escape (RFC 8259, section 7). Such a character stands in JSON only inside a
// string, where its escape means the same.
type jsonWriter struct {
	w    io.Writer
	rest []byte
}

// jsonTo is where JSON goes that a command prints to w.
func jsonTo(w io.Writer) io.Writer {
	switch s := w.(type) {
	case *jsonWriter:
		return s
	case *safeWriter:
		w = s.w // it would change values
	}
	return &jsonWriter{w: w}
}

// Write prints p. The count is of p, not of what was printed for it.
func (j *jsonWriter) Write(p []byte) (int, error) {
	text := append(j.rest, p...)
	cut := len(text) - unfinished(text)
	j.rest = append([]byte(nil), text[cut:]...)
	_, err := j.w.Write(escapeJSON(text[:cut]))
	return len(p), err
}

// escapeJSON writes the characters of JSON that acts as escapes.
func escapeJSON(text []byte) []byte {
	if plain(text) {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out = append(out, `\ufffd`...)
		case !acts(r):
			out = append(out, text[:n]...)
		case r > 0xffff:
			hi, lo := surrogates(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[n:]
	}
	return out
}

// acts reports characters that a terminal may obey, or that hide or reorder what
// stands beside them: controls beyond ASCII's, formats, separators of lines.
func acts(r rune) bool {
	return r >= 0x7f && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029)
}

func surrogates(r rune) (hi, lo rune) {
	r -= 0x10000
	return 0xd800 + r>>10, 0xdc00 + r&0x3ff
}
