package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// events reads a stream of server-sent events and lets each message in it be
// looked at. An event whose message stays as it is keeps every byte: its ids, its
// comments and its line ends.
type events struct {
	in   io.ReadCloser
	each func(msg []byte) []byte

	r    *bufio.Reader
	out  []byte
	fail error
}

func (e *events) Read(p []byte) (int, error) {
	if e.r == nil {
		e.r = bufio.NewReaderSize(e.in, 64<<10)
	}
	for len(e.out) == 0 && e.fail == nil {
		e.out, e.fail = e.event()
	}
	n := copy(p, e.out)
	e.out = e.out[n:]
	if n == 0 && e.fail != nil {
		return 0, e.fail
	}
	return n, nil
}

// Close ends the stream.
func (e *events) Close() error { return e.in.Close() }

// event is the next event as it goes on: lines up to and with an empty one.
func (e *events) event() ([]byte, error) {
	var raw, data []byte
	var lines [][]byte
	for {
		line, err := e.line()
		raw = append(raw, line...)
		body := bytes.TrimRight(line, "\r\n")
		if value, ok := bytes.CutPrefix(body, []byte("data:")); ok {
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
			if data == nil {
				data = []byte{}
			}
		} else {
			lines = append(lines, line)
		}
		if err != nil {
			return raw, err // an event that was cut off is none
		}
		if len(body) == 0 {
			break
		}
	}
	if len(data) == 0 {
		return raw, nil
	}
	msg := e.each(data)
	if bytes.Equal(msg, data) {
		return raw, nil
	}
	if msg == nil {
		return nil, nil // given up by its client
	}
	var out []byte
	for i, l := range lines {
		if i == len(lines)-1 { // before the empty line that ends the event
			out = append(append(append(out, "data: "...), bytes.TrimRight(msg, "\n")...), '\n')
		}
		out = append(out, l...)
	}
	return out, nil
}

func (e *events) line() ([]byte, error) {
	var out []byte
	for {
		part, err := e.r.ReadSlice('\n')
		out = append(out, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return out, err
		}
	}
}
