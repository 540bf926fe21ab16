package browser

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// pipe is the connection of a browser we started ourselves: two pipes with
// messages that end in a zero byte. Nobody else on the machine can reach it,
// and a browser whose pipe closes ends by itself: should this program be
// killed, none is left behind.
type pipe struct {
	in  *os.File // what the browser writes
	out *os.File // what the browser reads
	r   *bufio.Reader
}

func newPipe(in, out *os.File) *pipe {
	return &pipe{in: in, out: out, r: bufio.NewReaderSize(in, 1<<16)}
}

// Send writes one message.
func (p *pipe) Send(msg []byte) error {
	_, err := p.out.Write(append(msg, 0))
	return err
}

// Read reads one message.
func (p *pipe) Read() ([]byte, error) {
	var big []byte
	for {
		part, err := p.r.ReadSlice(0)
		switch {
		case err == nil && big == nil:
			return bytes.Clone(part[:len(part)-1]), nil
		case err == nil:
			big = append(big, part...)
			return big[:len(big)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
			if big == nil {
				big = make([]byte, 0, 8*len(part))
			}
			big = append(big, part...)
		default:
			return nil, io.EOF
		}
	}
}

// Close closes both ends.
func (p *pipe) Close() error {
	return errors.Join(p.out.Close(), p.in.Close())
}
