package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"snapscope/replay/proxy"
)

// events reads a stream of server-sent events and lets each message in it be
// looked at. An event whose message stays as it is keeps every byte: its ids, its
// comments and its line ends. A message that is held keeps no other waiting, and
// the stream ends when none is held any more.
type events struct {
	p     *Proxy
	in    io.ReadCloser
	judge func(msg []byte) Passage
	r     *bufio.Reader
	// long is set amid an event that is too long to be kept, midline amid a line of it.
	long, midline bool
	tooLong       func() // notes it

	out  *io.PipeReader // what goes on
	to   *io.PipeWriter
	wait sync.WaitGroup // the held messages

	mu   sync.Mutex
	held map[int]func() // gives them up
	n    int
	over bool
}

// newEvents reads a stream and passes it on to whoever reads the result.
func (p *Proxy) newEvents(in io.ReadCloser, judge func(msg []byte) Passage, tooLong func()) *events {
	e := &events{p: p, in: in, judge: judge, tooLong: tooLong, r: bufio.NewReaderSize(in, 64<<10), held: map[int]func(){}}
	e.out, e.to = io.Pipe()
	go e.run()
	return e
}

func (e *events) Read(b []byte) (int, error) { return e.out.Read(b) }

// Close ends the stream: nobody waits for what is held.
func (e *events) Close() error {
	e.giveUp()
	_ = e.out.Close()
	return e.in.Close()
}

func (e *events) giveUp() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	for _, f := range e.held {
		f()
	}
}

func (e *events) run() {
	for {
		ev, err := e.next()
		e.pass(ev)
		if err == nil {
			continue
		}
		if !errors.Is(err, io.EOF) {
			e.giveUp()
		}
		e.wait.Wait()
		_ = e.to.CloseWithError(err)
		return
	}
}

// pass sends an event on, now or when its hold is over.
func (e *events) pass(ev event) {
	if len(ev.data) == 0 {
		_, _ = e.to.Write(ev.raw)
		return
	}
	is := e.judge(ev.data)
	if is.Ready != nil {
		is.Ready()
	}
	if is.Wait == nil {
		_, _ = e.to.Write(ev.with(is.Forward))
		return
	}
	e.mu.Lock()
	e.n++
	n := e.n
	e.held[n] = is.GiveUp
	if e.over {
		is.GiveUp()
	}
	e.mu.Unlock()
	e.wait.Add(1)
	go func() {
		defer e.wait.Done()
		stop := e.p.beats(heldYet(is.Beat), func(b []byte) { _, _ = e.to.Write(b) })
		msg, _ := is.Wait()
		stop()
		e.mu.Lock()
		delete(e.held, n)
		e.mu.Unlock()
		_, _ = e.to.Write(ev.with(msg))
	}()
}

// heldYet is what a client is sent while a message is held: the call's progress where
// it asked for that, else a comment, which keeps the connection from looking dead.
func heldYet(beat func() []byte) func() []byte {
	if beat == nil {
		return func() []byte { return []byte(": held in the debugger\n\n") }
	}
	return func() []byte { return asEvent(beat()) }
}

// asEvent is a message as an event of its own.
func asEvent(msg []byte) []byte {
	out := dataLines([]byte("event: message\n"), msg)
	return append(out, '\n')
}

// dataLines writes a message as an event's data: a line of it, a line there.
func dataLines(out, msg []byte) []byte {
	for line := range bytes.SplitSeq(bytes.TrimRight(msg, "\r\n"), []byte("\n")) {
		out = append(append(append(out, "data: "...), bytes.TrimRight(line, "\r")...), '\n')
	}
	return out
}

// event is one event of a stream.
type event struct {
	raw   []byte   // as it came, up to and with its empty line
	data  []byte   // the message in it; empty: it is none
	other [][]byte // the lines that are no data, with their ends
}

// with is the event with another message; nil for none: it was given up by its
// client.
func (ev event) with(msg []byte) []byte {
	if bytes.Equal(msg, ev.data) {
		return ev.raw
	}
	if msg == nil {
		return nil
	}
	var out []byte
	for i, l := range ev.other {
		if i == len(ev.other)-1 { // before the empty line that ends the event
			out = dataLines(out, msg)
		}
		out = append(out, l...)
	}
	return out
}

// next is the next event. One that the end of the stream cut off is no event, and
// neither is one of more than proxy.MaxMessage bytes: it passes in pieces.
func (e *events) next() (event, error) {
	var raw []byte
	line := 0 // where the line begins that is being read
	for {
		part, err := e.r.ReadSlice('\n')
		raw = append(raw, part...)
		whole := !errors.Is(err, bufio.ErrBufferFull)
		if err != nil && whole {
			return event{raw: raw}, err
		}
		blank := whole && !e.midline && len(bytes.TrimRight(raw[line:], "\r\n")) == 0
		switch {
		case e.long || len(raw) > proxy.MaxMessage:
			if !e.long {
				e.tooLong()
			}
			e.long, e.midline = !blank, !whole
			return event{raw: raw}, nil
		case blank:
			return parsed(raw), nil
		case whole:
			line = len(raw)
		}
	}
}

// parsed tells an event's message from its other lines.
func parsed(raw []byte) event {
	ev := event{raw: raw}
	n := 0
	for line := range bytes.Lines(raw) {
		value, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:"))
		if !ok {
			ev.other = append(ev.other, line)
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		switch n++; n {
		case 1: // as it lies there: a message is one line, and may be large
			ev.data = value[:len(value):len(value)]
		default:
			ev.data = append(append(ev.data, '\n'), value...)
		}
	}
	return ev
}
