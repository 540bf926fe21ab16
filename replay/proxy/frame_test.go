package proxy

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFramesGiveEveryByteBack(t *testing.T) {
	long := strings.Repeat("x", 70<<10)
	for name, in := range map[string]string{
		"empty": "", "one": "a\n", "no end": "a\nb", "carriage returns": "a\r\n\r\nb\r", "blank": "\n\n\n",
		"line separator": "{\"a\":\"\u2028\u0085\"}\nb\n", "long": long + "\n" + long, "not text": "\xff\x00\n\xfe",
	} {
		for _, r := range []io.Reader{strings.NewReader(in), iotest.OneByteReader(strings.NewReader(in)), iotest.DataErrReader(strings.NewReader(in))} {
			f := NewFrames(r)
			var all []byte
			for {
				m, _, err := f.Next()
				all = append(all, m...)
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Fatal(err)
					}
					break
				}
				if i := bytes.IndexByte(m, '\n'); i >= 0 && i != len(m)-1 {
					t.Errorf("%s: a message of two lines: %q", name, m)
				}
			}
			if string(all) != in {
				t.Errorf("%s: %d bytes became %d", name, len(in), len(all))
			}
		}
	}
}

func TestFramesTellTheReadersError(t *testing.T) {
	f := NewFrames(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("ab"))))
	if m, _, err := f.Next(); string(m) != "a" || err != nil {
		t.Fatalf("first: %q, %v", m, err)
	}
}

// A message that is too long is given as a reader of it; the next one follows it.
func TestFramesOfAnyLength(t *testing.T) {
	for _, end := range []string{"\n{\"next\":1}\n", "\n", ""} {
		in := strings.Repeat("x", 300<<10) + end
		f := NewFrames(strings.NewReader(in))
		f.most = 100 << 10
		msg, long, err := f.Next()
		if err != nil || long == nil || msg != nil {
			t.Fatalf("%d bytes, a long one %v, %v", len(msg), long != nil, err)
		}
		all, err := io.ReadAll(long)
		if err != nil {
			t.Fatal(err)
		}
		first, others, _ := strings.Cut(in, "\n")
		if got := strings.TrimSuffix(string(all), "\n"); got != first {
			t.Errorf("%d bytes came as %d", len(first), len(got))
		}
		next, long, _ := f.Next()
		if long != nil || string(next) != others {
			t.Errorf("after it: %q, want %q", next, others)
		}
	}
}
