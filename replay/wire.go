package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"snapscope/replay/tape"
	"snapscope/session"
	"snapscope/snapshot"
)

// Format and Version stand in a recording's first line.
const (
	Format  = "snapscope-recording"
	Version = 1
)

type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// wireEvent is session.Event as it stands in a file: the outer result shadows
// the inner one and adds what storing boxes once needs.
type wireEvent struct {
	session.Event
	Result *wireResult `json:"result,omitempty"`
}

type wireResult struct {
	session.Result
	Snapshot *wireSnapshot `json:"snapshot,omitempty"`
}

type wireSnapshot struct {
	snapshot.Snapshot
	BoxesHash string `json:"boxes_hash,omitempty"`
}

// encoder turns events into lines and remembers which texts stand before.
type encoder struct {
	texts map[string]bool // snapshot hashes written
	boxes map[string]bool // box table hashes written
	seq   int
}

func newEncoder() *encoder {
	return &encoder{texts: map[string]bool{}, boxes: map[string]bool{}}
}

// bulk is from how many bytes on a page's text is written apart from its line.
const bulk = 4 << 10

// instead stands for such a text until then. The last of these in a line is the
// page's: behind it are only names and numbers.
const (
	instead   = "\x00"
	insteadIn = `"text":"\u0000"`
)

// line appends one event with its newline to buf. Seq is put in order: a file has no
// gaps. A page's text, which is nearly all of a line, goes straight to its place.
func (c *encoder) line(buf []byte, e session.Event) ([]byte, error) {
	c.seq++
	e.Seq = c.seq
	w := wireEvent{Event: e}
	w.Event.Result = nil
	text := ""
	if e.Result != nil {
		w.Result = c.result(*e.Result)
		if s := w.Result.Snapshot; s != nil && len(s.Text) >= bulk && !strings.Contains(s.Text, "\u2028") && !strings.Contains(s.Text, "\u2029") {
			text, s.Text = s.Text, instead
		}
	}
	b := bytes.NewBuffer(buf)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false) // <changed> stays readable
	if err := enc.Encode(w); err != nil {
		return buf, fmt.Errorf("event %d: %w", e.Seq, err)
	}
	out := b.Bytes()
	if text == "" {
		return out, nil
	}
	at := len(buf) + bytes.LastIndex(out[len(buf):], []byte(insteadIn))
	behind := bytes.Clone(out[at+len(insteadIn):])
	out = tape.AppendEscaped(append(out[:at], `"text":"`...), text)
	return append(append(out, '"'), behind...), nil
}

func (c *encoder) result(r session.Result) *wireResult {
	w := &wireResult{Result: r}
	w.Result.Snapshot = nil
	if r.Snapshot == nil {
		return w
	}
	s := &wireSnapshot{Snapshot: *r.Snapshot}
	if !utf8.ValidString(s.Text) { // JSON holds none, and the hash must be of what is read back
		s.Text = strings.ToValidUTF8(s.Text, "\uFFFD")
		s.Hash = ""
	}
	if s.Hash == "" {
		s.Hash = snapshot.HashText(s.Text)
	}
	if c.texts[s.Hash] {
		s.Text = ""
	}
	c.texts[s.Hash] = true
	if len(s.Boxes) > 0 {
		s.BoxesHash = hashBoxes(s.Boxes)
		if c.boxes[s.BoxesHash] {
			s.Boxes = nil
		}
		c.boxes[s.BoxesHash] = true
	}
	w.Snapshot = s
	return w
}

// decoder turns lines back into events.
type decoder struct {
	texts map[string]string
	boxes map[string]map[string]snapshot.Box
	empty string // hash of the empty text, which needs no line of its own
}

func newDecoder() *decoder {
	return &decoder{
		texts: map[string]string{}, boxes: map[string]map[string]snapshot.Box{},
		empty: snapshot.HashText(""),
	}
}

// event reads one line. note is what a reader should be told, when something
// could be put right.
func (d *decoder) event(line []byte) (e session.Event, note string, err error) {
	var w wireEvent
	if err := json.Unmarshal(line, &w); err != nil {
		return e, "", err
	}
	e = w.Event
	e.Result = nil
	if w.Result != nil {
		r := w.Result.Result
		if w.Result.Snapshot != nil {
			if r.Snapshot, note, err = d.snapshot(w.Result.Snapshot); err != nil {
				return e, "", err
			}
		}
		e.Result = &r
	}
	return e, note, complete(e)
}

func (d *decoder) snapshot(w *wireSnapshot) (s *snapshot.Snapshot, note string, err error) {
	s = &w.Snapshot
	switch {
	case s.Text != "":
		if h := snapshot.HashText(s.Text); h != s.Hash {
			if s.Hash != "" {
				note = fmt.Sprintf("the snapshot's text does not have the hash %s that stands beside it", s.Hash)
				d.texts[s.Hash] = s.Text
			}
			s.Hash = h
		}
		if old, ok := d.texts[s.Hash]; ok {
			s.Text = old // one copy in memory
		}
		d.texts[s.Hash] = s.Text
	case s.Hash != "" && s.Hash != d.empty:
		text, ok := d.texts[s.Hash]
		if !ok {
			return nil, "", fmt.Errorf("the snapshot's text (hash %s) stands in no line before", s.Hash)
		}
		s.Text, s.Hash = text, snapshot.HashText(text)
	default:
		s.Hash = d.empty
	}
	if w.BoxesHash != "" {
		if len(s.Boxes) > 0 {
			d.boxes[w.BoxesHash] = s.Boxes
		} else if b, ok := d.boxes[w.BoxesHash]; ok {
			s.Boxes = b
		} else {
			return nil, "", fmt.Errorf("the snapshot's boxes (hash %s) stand in no line before", w.BoxesHash)
		}
	}
	return s, note, nil
}

// complete says what is missing of an event.
func complete(e session.Event) error {
	has := map[session.Kind]bool{
		session.KindStart: e.Start != nil, session.KindUser: e.User != nil,
		session.KindCall: e.Call != nil, session.KindAction: e.Action != nil,
		session.KindResult: e.Result != nil, session.KindNote: e.Note != nil,
		session.KindExpiry: e.Expiry != nil, session.KindCompact: e.Compact != nil,
	}
	ok, known := has[e.Kind]
	switch {
	case e.Kind == "":
		return fmt.Errorf("the line is not an event: it has no kind")
	case !known:
		return fmt.Errorf("unknown kind of event %q", e.Kind)
	case !ok:
		return fmt.Errorf("an event of kind %q without its field %q", e.Kind, e.Kind)
	}
	for k, set := range has {
		if set && k != e.Kind {
			return fmt.Errorf("an event of kind %q with a field %q", e.Kind, k)
		}
	}
	return nil
}

func hashBoxes(boxes map[string]snapshot.Box) string {
	refs := make([]string, 0, len(boxes))
	for r := range boxes {
		refs = append(refs, r)
	}
	sort.Strings(refs)
	h := sha256.New()
	for _, r := range refs {
		b := boxes[r]
		fmt.Fprintf(h, "%q %d %d %d %d\n", r, b.X, b.Y, b.W, b.H)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
