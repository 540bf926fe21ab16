package snapshot

import "testing"

// The answers are those of new TextDecoder('utf-8', {ignoreBOM: true}).
func TestDecodeUTF8(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain é 😀":                "plain é 😀",
		"\xef\xbb\xbfmark":         "\ufeffmark",
		"a\xffb":                   "a\ufffdb",
		"\xff\xff":                 "\ufffd\ufffd",
		"\x80\x80":                 "\ufffd\ufffd",
		"\xe2\x80":                 "\ufffd",
		"\xe2\x80x":                "\ufffdx",
		"\xf0\x9f\x98 \xf0\x9f":    "\ufffd \ufffd",
		"\xed\xa0\x80":             "\ufffd\ufffd\ufffd",
		"\xe0\x80\x80":             "\ufffd\ufffd\ufffd",
		"\xc0\xaf":                 "\ufffd\ufffd",
		"\xf4\x90\x80\x80":         "\ufffd\ufffd\ufffd\ufffd",
		"\xf5\x80\x80\x80":         "\ufffd\ufffd\ufffd\ufffd",
		"\xe2\xe2\x80\xa6":         "\ufffd…",
		"\xf0\x90\x80\xe0\xa0\xff": "\ufffd\ufffd\ufffd",
	} {
		if got := DecodeUTF8([]byte(in)); got != want {
			t.Errorf("%x: %q, want %q", in, got, want)
		}
	}
}
