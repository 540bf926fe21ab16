// Package format holds the formats of session files, one a file. A format knows
// how its file is laid out, and no more: it finds the calls and the results and
// hands them to the importer (pair.go), which pairs them and reads the answers.
package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"snapscope/replay"

	"snapscope/replay/tape"
)

// Format is one kind of transcript.
type Format struct {
	Name  string // what --from takes
	Title string
	Doc   string // whose it is, where it lies, what is special

	detect func(h *head) bool
	read   func(ctx context.Context, p *importer, r io.Reader) error
	// Rewritten: the program writes the file anew each time, so following it
	// means reading it again.
	Rewritten bool
}

// All is the one table of formats, in the order in which a file is tried.
var All = []*Format{
	recordingFormat, traceFormat, geminiFormat, copilotFormat, claudeFormat, codexFormat, rpcFormat, openclawFormat,
	sessionMDFormat, openFleetFormat, openCodeMDFormat, ampFormat,
	browserUseFormat, openOperatorFormat, stagehandFormat, openCodeFormat, contentFormat,
	responsesFormat, chatFormat, clineFormat, anthropicFormat,
	replyFormat,
}

// Find finds a format by name; the error lists the names there are.
func Find(name string) (*Format, error) {
	var names []string
	for _, f := range All {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("no transcript format %q; there are %s", name, strings.Join(names, ", "))
}

// HeadSize is how much of a file is looked at to tell its format, in bytes.
const HeadSize = 256 << 10

// head is the start of a file, parsed as far as it goes.
type head struct {
	raw   []byte
	lines []tape.Value // whole first lines that are JSON objects, at most 20
	open  byte         // '{' or '[' of a document, else 0
	keys  []string     // first fields of a document's object
	list  []tape.Value // first elements of its array, or of a field's array
	of    string       // the field the elements are of
}

func newHead(raw []byte) *head {
	h := &head{raw: bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF"))}
	body := bytes.TrimLeft(h.raw, " \t\r\n")
	if len(body) == 0 {
		return h
	}
	for _, l := range bytes.Split(body, []byte("\n")) {
		if len(h.lines) == 20 {
			break
		}
		if l = bytes.TrimSpace(l); len(l) == 0 || l[0] != '{' {
			continue
		}
		var t tape.Tape
		if v, err := t.Parse(l); err == nil && v.Kind() == tape.Object {
			h.lines = append(h.lines, v)
		}
	}
	if body[0] == '{' || body[0] == '[' {
		h.open = body[0]
		h.document(body)
	}
	return h
}

func (h *head) document(body []byte) {
	d := tape.NewDocument(bytes.NewReader(body), HeadSize)
	for len(h.list) < 8 {
		p, err := d.Next()
		if d.Key() != "" && (len(h.keys) == 0 || h.keys[len(h.keys)-1] != d.Key()) {
			h.keys = append(h.keys, d.Key()) // also of a field that is cut
		}
		if err != nil {
			return
		}
		if p.Key != "" && (len(h.keys) == 0 || h.keys[len(h.keys)-1] != p.Key) {
			h.keys = append(h.keys, p.Key)
		}
		if !p.List || p.Key == "tools" {
			continue
		}
		var t tape.Tape
		if v, err := t.Parse(bytes.Clone(p.Raw)); err == nil {
			h.list, h.of = append(h.list, v), p.Key
		}
	}
}

// anyLine reports whether one of the first lines satisfies f.
func (h *head) anyLine(f func(v tape.Value) bool) bool {
	for _, v := range h.lines {
		if f(v) {
			return true
		}
	}
	return false
}

// anyItem reports whether one of the first elements satisfies f.
func (h *head) anyItem(f func(v tape.Value) bool) bool {
	for _, v := range h.list {
		if f(v) {
			return true
		}
	}
	return false
}

func (h *head) key(name string) bool {
	for _, k := range h.keys {
		if k == name {
			return true
		}
	}
	return false
}

func (h *head) contains(words ...string) bool {
	for _, w := range words {
		if bytes.Contains(h.raw, []byte(w)) {
			return true
		}
	}
	return false
}

// ErrUnknown is what Detect's errors wrap.
var ErrUnknown = errors.New("no known kind of transcript")

// Detect tells a file's format from its first bytes. name is what the error
// calls the file.
func Detect(first []byte, name string) (*Format, error) {
	h := newHead(first[:min(len(first), HeadSize)])
	if len(bytes.TrimSpace(h.raw)) == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	for _, f := range All {
		if f.detect(h) {
			return f, nil
		}
	}
	if bytes.IndexByte(h.raw[:min(len(h.raw), 8192)], 0) >= 0 {
		return nil, fmt.Errorf("%s is a binary file: %w", name, ErrUnknown)
	}
	return nil, fmt.Errorf("%s: %w; it looks like %s; name its format with --from if it is one", name, ErrUnknown, h.looksLike())
}

// looksLike says what a file is that no format knows.
func (h *head) looksLike() string {
	fields := func(v tape.Value) string {
		var names []string
		v.Fields(func(k string, _ tape.Value) {
			if len(names) < 6 {
				names = append(names, plainName(k))
			}
		})
		return strings.Join(names, ", ")
	}
	switch {
	case len(h.lines) > 1:
		return "lines of JSON with the fields " + fields(h.lines[0])
	case len(h.list) > 0 && h.list[0].Kind() == tape.Object:
		in := ""
		if h.of != "" {
			in = " in the field " + plainName(h.of)
		}
		return "a JSON list" + in + " of objects with the fields " + fields(h.list[0])
	case len(h.list) > 0, h.open == '[':
		return "a JSON list"
	case h.open == '{' && len(h.keys) > 0:
		var names []string
		for _, k := range h.keys[:min(6, len(h.keys))] {
			names = append(names, plainName(k))
		}
		return "a JSON object with the fields " + strings.Join(names, ", ")
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(h.raw[:min(len(h.raw), 400)])), "\n")
	return "text that begins " + strconv.QuoteToASCII(line[:min(len(line), 40)])
}

// eachLine calls f for every line that is a JSON object or array.
func eachLine(ctx context.Context, p *importer, r io.Reader, f func(line int, v tape.Value)) error {
	lines := replay.NewLines(r, p.max())
	t := tape.Tape{Most: int(p.opt.Raise(maxValues))}
	for {
		if p.full() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		l, err := lines.Next()
		if err != nil {
			return endOf(err)
		}
		p.im.Bytes += int64(len(l.Bytes)) + 1
		switch body := bytes.TrimSpace(l.Bytes); {
		case l.Long > 0:
			p.im.Bytes += l.Long
			p.im.skip("line of more than "+sizeText(p.max())+" (--limits raises the bound)", l.N)
		case len(body) == 0:
		default:
			v, err := t.Parse(body)
			switch {
			case err == nil:
				f(l.N, v)
			case !l.Whole:
				p.im.Cut = true
				p.im.skip("cut last line", l.N)
			default:
				p.im.skip("line that is "+err.Error(), l.N)
			}
		}
	}
}

// eachPiece calls f for every piece of a JSON document.
func eachPiece(ctx context.Context, p *importer, r io.Reader, f func(x tape.Piece, v tape.Value)) error {
	counted := &Counted{R: r}
	d := tape.NewDocument(counted, p.max())
	t := tape.Tape{Most: int(p.opt.Raise(maxValues))}
	for {
		if p.full() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		x, err := d.Next()
		p.im.Bytes = counted.N
		switch {
		case errors.Is(err, tape.ErrCut):
			p.im.Cut = true
			p.im.skip("cut last entry", d.Line())
			return nil
		case errors.Is(err, tape.ErrJSON):
			p.im.Cut = true
			p.im.skip("text that is not JSON; reading ended there", d.Line())
			return nil
		case err != nil:
			return endOf(err)
		case x.Long > 0:
			p.im.skip("entry of more than "+sizeText(p.max())+" (--limits raises the bound)", x.Line)
			continue
		}
		v, err := t.Parse(x.Raw)
		if err != nil {
			p.im.skip("entry that is "+err.Error(), x.Line)
			continue
		}
		f(x, v)
	}
}

// eachText calls f for every line of a text.
func eachText(ctx context.Context, p *importer, r io.Reader, f func(line int, text string)) error {
	lines := replay.NewLines(r, p.max())
	for {
		if p.full() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		l, err := lines.Next()
		if err != nil {
			return endOf(err)
		}
		p.im.Bytes += int64(len(l.Bytes)) + 1
		if l.Long > 0 {
			p.im.skip("line of more than "+sizeText(p.max())+" (--limits raises the bound)", l.N)
			continue
		}
		f(l.N, tape.ValidText(string(l.Bytes)))
	}
}

func endOf(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Counted counts the bytes that are read through it.
type Counted struct {
	R io.Reader
	N int64
}

func (c *Counted) Read(b []byte) (int, error) {
	n, err := c.R.Read(b)
	c.N += int64(n)
	return n, err
}

func sizeText(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
