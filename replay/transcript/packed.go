package transcript

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"snapscope/replay/transcript/format"
)

// A long recording is a page written again and again, and packs to a twentieth.
// Whatever is told by its content is so inside a gzip or zstd file as well.

// packedSuffixes are the endings that an unpacked file's name loses.
var packedSuffixes = []string{".gz", ".zst"}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }
func isZstd(head []byte) bool { return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// packedFile reports whether a file begins as a packed one does.
func packedFile(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	return isGzip(head[:n]) || isZstd(head[:n])
}

// withoutPacking is the name that an unpacked file has.
func withoutPacking(path string) string {
	for _, s := range packedSuffixes {
		path = strings.TrimSuffix(path, s)
	}
	return path
}

// unpack gives what the gzip or zstd file at path, which begins with head, holds.
// More than its bounds is an error, and so is a file that is cut off.
func unpack(r io.Reader, head []byte, path string, opt Options) (io.Reader, error) {
	var err error
	in := &format.Counted{R: r}
	b := &bounded{left: opt.Raise(format.MaxUnpacked), ratio: opt.Raise(format.MaxRatio), packed: in, path: path}
	if isGzip(head) {
		b.r, err = gzip.NewReader(in)
	} else {
		b.r, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	}
	if err != nil {
		return nil, b.fault(err)
	}
	return b, nil
}

// bounded reads what a packed file holds, up to a number of bytes, and up to a
// multiple of what is packed.
type bounded struct {
	r           io.Reader
	left, ratio int64
	read        int64
	packed      *format.Counted
	path        string
}

func (b *bounded) Read(p []byte) (int, error) {
	switch {
	case b.left <= 0:
		return 0, fmt.Errorf("unpack %s: it holds more than %d MB, more than is read; --limits raises the bound", b.path, b.read>>20)
	case b.read > format.FreeUnpacked && b.read > b.packed.N*b.ratio:
		return 0, fmt.Errorf("unpack %s: it unpacks to more than %d times its size, more than is read; --limits raises the bound", b.path, b.ratio)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	b.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.fault(err)
	}
	return n, err
}

// fault says what is wrong with a packed file. A reader further on takes an
// unexpected end for that of a growing file, so it does not see one.
func (b *bounded) fault(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("unpack %s: the file is cut off", b.path)
	}
	return fmt.Errorf("unpack %s: %w", b.path, err)
}
