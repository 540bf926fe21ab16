package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"snapscope/session"
)

// Recording is a recording that was read.
type Recording struct {
	Name   string
	Events []session.Event
	Notes  []string // what a person should know: cut in mid-line, put right
	Cut    bool     // the last line was not whole and is left out
}

// Fault is damage in a recording: where, and what.
type Fault struct {
	Name   string
	Line   int // from 1
	Column int // in bytes, from 1; 0: the whole line
	What   string
}

// Error is "file:line:column: what".
func (f *Fault) Error() string {
	if f.Column > 0 {
		return fmt.Sprintf("%s:%d:%d: %s", f.Name, f.Line, f.Column, f.What)
	}
	return fmt.Sprintf("%s:%d: %s", f.Name, f.Line, f.What)
}

// ReadFile reads the recording in a file.
func ReadFile(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	defer f.Close()
	return Read(f, path)
}

// Read reads a recording to its end. name is what errors and notes call it.
// A recording that is cut in its last line is whole up to there; any other
// damage is a *Fault.
func Read(r io.Reader, name string) (*Recording, error) {
	d := NewDecoder(r, name)
	rec := &Recording{Name: name}
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			rec.Notes, rec.Cut = d.Notes(), d.cut
			return rec, nil
		}
		if err != nil {
			return nil, err
		}
		rec.Events = append(rec.Events, e)
	}
}

// Decoder reads a recording event by event.
type Decoder struct {
	name  string
	lines *Lines
	dec   *decoder
	head  bool
	seq   int
	cut   bool
	notes []string
	more  int // remarks beside notes
}

// NewDecoder reads from r, which errors and notes call name.
func NewDecoder(r io.Reader, name string) *Decoder {
	return &Decoder{name: name, lines: NewLines(r, 4*MaxLine), dec: newDecoder()}
}

// Notes lists what was put right or left out so far.
func (d *Decoder) Notes() []string {
	if d.more == 0 {
		return d.notes
	}
	return append(d.notes[:len(d.notes):len(d.notes)], fmt.Sprintf("%s: %d more such remarks", d.name, d.more))
}

// Next is the next event; io.EOF after the last whole one.
func (d *Decoder) Next() (session.Event, error) {
	if !d.head {
		if err := d.readHeader(); err != nil {
			return session.Event{}, err
		}
		d.head = true
	}
	for {
		l, err := d.lines.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				err = fmt.Errorf("read recording %s: %w", d.name, err)
			}
			return session.Event{}, err
		}
		if l.Long > 0 {
			return session.Event{}, d.fault(l, 0, fmt.Sprintf("a line of %d bytes, more than a recording may have", l.Long))
		}
		if len(bytes.TrimSpace(l.Bytes)) == 0 {
			continue
		}
		e, note, err := d.dec.event(l.Bytes)
		if err != nil {
			// What a power cut leaves: a line without its end, or zero bytes.
			if !l.Whole || len(bytes.Trim(l.Bytes, "\x00")) == 0 {
				d.cut = true
				d.notes = append(d.notes, fmt.Sprintf("%s:%d: the recording is cut in this line after %d bytes; everything before it is whole", d.name, l.N, len(l.Bytes)))
				return session.Event{}, io.EOF
			}
			return session.Event{}, d.fault(l, column(err), what(err))
		}
		d.note(l.N, note)
		d.note(l.N, e.Bound())
		d.seq++
		if e.Seq != d.seq && e.Seq != 0 {
			d.note(l.N, fmt.Sprintf("the event numbered %d is the %dth; numbered anew", e.Seq, d.seq))
		}
		e.Seq = d.seq
		return e, nil
	}
}

// maxNotes is how many remarks are kept one by one: where every line is odd, one
// says as much as a million.
const maxNotes = 50

// note keeps what a person should know of a line; "" is nothing.
func (d *Decoder) note(line int, text string) {
	switch {
	case text == "":
	case len(d.notes) < maxNotes:
		d.notes = append(d.notes, fmt.Sprintf("%s:%d: %s", d.name, line, text))
	default:
		d.more++
	}
}

func (d *Decoder) readHeader() error {
	l, err := d.lines.Next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty: nothing was recorded", d.name)
	}
	if err != nil {
		return fmt.Errorf("read recording %s: %w", d.name, err)
	}
	var h header
	if err := json.Unmarshal(l.Bytes, &h); err != nil || h.Format != Format {
		if !l.Whole && l.Long == 0 && isHeaderStart(l.Bytes) {
			return &Fault{Name: d.name, Line: 1, Column: len(l.Bytes) + 1, What: "the recording is cut in its first line: nothing was recorded"}
		}
		if bytes.IndexByte(l.Bytes[:min(len(l.Bytes), 8192)], 0) >= 0 {
			return fmt.Errorf("%s is a binary file, not a snapscope recording", d.name)
		}
		return &Fault{Name: d.name, Line: 1, Column: 1, What: "not a snapscope recording: the first line is not a recording's header"}
	}
	if h.Version > Version {
		return &Fault{Name: d.name, Line: 1, What: fmt.Sprintf("a recording of format version %d; this snapscope reads version %d: use a newer one", h.Version, Version)}
	}
	if h.Version < 1 {
		return &Fault{Name: d.name, Line: 1, What: fmt.Sprintf("a recording of format version %d, which there never was", h.Version)}
	}
	return nil
}

// IsHeader reports whether a file's first bytes are those of a recording, whole
// or cut.
func IsHeader(head []byte) bool {
	head = bytes.TrimPrefix(head, bom)
	line, _, whole := bytes.Cut(head, []byte("\n"))
	var h header
	if json.Unmarshal(line, &h) == nil {
		return h.Format == Format
	}
	return !whole && isHeaderStart(line)
}

func isHeaderStart(b []byte) bool {
	want := []byte(`{"format":"` + Format)
	n := min(len(b), len(want))
	return n > len(`{"form`) && bytes.Equal(b[:n], want[:n])
}

func (d *Decoder) fault(l Line, col int, what string) error {
	return &Fault{Name: d.name, Line: l.N, Column: col, What: what}
}

func column(err error) int {
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		return max(1, int(syn.Offset))
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return max(1, int(typ.Offset))
	}
	return 1
}

func what(err error) string {
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		return "not JSON: " + syn.Error()
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		var path []string
		for _, name := range strings.Split(typ.Field, ".") {
			if name != "" && !unicode.IsUpper(rune(name[0])) { // names of embedded Go types are no part of the file
				path = append(path, name)
			}
		}
		return fmt.Sprintf("the field %s holds a %s", strings.Join(path, "."), typ.Value)
	}
	return err.Error()
}

// Cut reports whether the last line was not whole and is left out.
func (d *Decoder) Cut() bool { return d.cut }
