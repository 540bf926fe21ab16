package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// acting are the characters that a terminal may obey or that hide and reorder text.
const acting = "\x1b[31m\x07\u009b31m\u009d0;x\u009c\x7f\u202e\u2066\u2028\u2029\u200f\ufeff\u00ad\U000e0041"

func TestSafeWriter(t *testing.T) {
	const want = "a\tb\n␛[31m␇‹csi›31m"
	var b bytes.Buffer
	s := &safeWriter{w: &b}
	for _, part := range []string{"a\tb\n\x1b[31m\x07\xc2", "\u009b31m"[1:], "日\xe6\x97"} { // cut inside characters
		if n, err := io.WriteString(s, part); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}
	if got := b.String(); !strings.HasPrefix(got, want) || !strings.Contains(got, "日‹x") {
		t.Errorf("%q", got)
	}
	b.Reset()
	_, _ = io.WriteString(s, acting)
	for _, r := range b.String() {
		if r != '\n' && (r < 0x20 || acts(r)) {
			t.Errorf("%U got through", r)
		}
	}
}

// Text that is a program's input stays as it is, but on a terminal.
func TestExactWhereNoTerminalIs(t *testing.T) {
	for _, tty := range []bool{false, true} {
		var b bytes.Buffer
		_, _ = io.WriteString(exactTo(&safeWriter{w: &b, tty: tty}), acting)
		if (b.String() == acting) == tty {
			t.Errorf("terminal %t: %q", tty, b.String())
		}
	}
}

func TestJSONEscapesWhatActs(t *testing.T) {
	var b bytes.Buffer
	in := map[string]string{acting + "é日🚀" + "k": acting}
	if err := printJSON(&safeWriter{w: &b}, in); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r != '\n' && (r < 0x20 || acts(r)) {
			t.Errorf("%U got through", r)
		}
	}
	if !strings.Contains(b.String(), "é日🚀") || !strings.Contains(b.String(), `\u009b`) {
		t.Errorf("%s", b.String())
	}
	var out map[string]string
	if err := json.Unmarshal(b.Bytes(), &out); err != nil || out[acting+"é日🚀k"] != acting {
		t.Errorf("%v %q", err, out)
	}
}

func FuzzOutput(f *testing.F) {
	f.Add(acting, 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		cut = max(0, min(cut, len(text)))
		var safe, js bytes.Buffer
		s := &safeWriter{w: &safe}
		_, _ = io.WriteString(s, text[:cut])
		_, _ = io.WriteString(s, text[cut:])
		_ = s.end()
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		j := jsonTo(&js)
		at := max(0, min(cut, len(data)))
		_, _ = j.Write(data[:at])
		_, _ = j.Write(data[at:])
		for _, out := range []string{safe.String(), js.String()} {
			if !utf8.ValidString(out) {
				t.Fatalf("not UTF-8: %q", out)
			}
			for _, r := range out {
				if r != '\n' && r != '\t' && (r < 0x20 || acts(r) && !joinsEmoji(r)) {
					t.Fatalf("%U got through in %q", r, out)
				}
			}
		}
		var back, want string
		if err := json.Unmarshal(js.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(data, &want)
		if back != want {
			t.Fatalf("%q became %q", want, back)
		}
	})
}

// joinsEmoji reports the format characters that pass inside a joined emoji or a
// syllable, where they join what stands beside them and act on nothing else.
func joinsEmoji(r rune) bool { return r == 0x200c || r == 0x200d || r >= 0xe0020 && r <= 0xe007f }

// A command that does not look at what writing gave fails all the same.
func TestLostOutputIsAnError(t *testing.T) {
	s := &safeWriter{w: lost{}}
	_, _ = io.WriteString(s, "words\n")
	if err := s.end(); err == nil {
		t.Error("writing to nowhere is no error")
	}
}

type lost struct{}

func (lost) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
