package main

import (
	"bytes"
	"unicode/utf8"
)

// kind tells the pieces of a terminal's output apart.
type kind int

const (
	plain   kind = iota // letters, whole code points
	control             // one C0 byte: a newline, a tab
	csi                 // ESC [ parameters final: colours, cursor, modes
	str                 // ESC ] … or ESC P …: titles, links, questions to the terminal
	esc                 // ESC and what else may follow
)

// piece is one of them. For csi, params are the bytes before the final one.
type piece struct {
	kind   kind
	raw    []byte
	params []byte
	final  byte
}

// private says that a csi is a terminal's own, no standard's: CSI > 4 m is no colour.
func (p piece) private() bool {
	return len(p.params) > 0 && p.params[0] >= '<' && p.params[0] <= '?'
}

// next takes the first piece off b, which must not be empty. It answers ok =
// false where b ends within a piece: what follows may complete it.
func next(b []byte) (p piece, rest []byte, ok bool) {
	size := 0
	switch {
	case b[0] == 0x1b:
		p, size = escape(b)
	case b[0] < 0x20 || b[0] == 0x7f:
		p, size = piece{kind: control}, 1
	default:
		size = letters(b)
	}
	if size == 0 {
		return piece{}, b, false
	}
	p.raw = b[:size]
	return p, b[size:], true
}

// letters is the length of the text that b begins with, without a code point
// that is cut off; 0 where there is nothing else. A byte that is no UTF-8 counts
// as a letter.
func letters(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= 0x20 && b[n] != 0x7f {
		if !utf8.FullRune(b[n:]) {
			break
		}
		_, size := utf8.DecodeRune(b[n:])
		n += size
	}
	return n
}

func escape(b []byte) (piece, int) {
	if len(b) < 2 {
		return piece{}, 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return piece{kind: csi, params: b[2:i], final: b[i]}, i + 1
			}
		}
		return piece{}, 0
	case ']', 'P', '_', '^', 'X':
		bell, st := bytes.IndexByte(b, 7), bytes.Index(b, []byte("\x1b\\"))
		switch {
		case b[1] == ']' && bell >= 0 && (st < 0 || bell < st):
			return piece{kind: str}, bell + 1
		case st >= 0:
			return piece{kind: str}, st + 2
		}
		return piece{}, 0
	case '(', ')', '#', ' ':
		if len(b) < 3 {
			return piece{}, 0
		}
		return piece{kind: esc}, 3
	}
	return piece{kind: esc}, 2
}
