package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func parsed(t *testing.T, s string) Value {
	t.Helper()
	v, err := new(Tape).Parse([]byte(s))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func TestTape(t *testing.T) {
	v := parsed(t, `{"a":{"b":[1,-2.5e3,"x\"\\\/\n\u00e9\ud83d\ude00"]},"k\u0061":true,"n":null,"empty":{},"id":7}`)
	if got := v.Get("a", "b").Any(); !cmp.Equal(got, []any{1.0, -2500.0, "x\"\\/\né😀"}) {
		t.Errorf("%#v", got)
	}
	if !v.Get("ka").Bool() || v.Get("n").OK() || v.Get("nowhere").OK() || !v.Has("n", "empty") || v.Get("id").IDText() != "7" {
		t.Error("fields")
	}
	if v.Get("empty").Object() != nil || v.Get("a", "b", "c").Str() != "" {
		t.Error("of nothing comes nothing")
	}
	for _, bad := range []string{"", "{", `{"a"}`, `{"a":}`, `[1`, `"x`, `"x\"`, "nul", "{}x", `{a:1}`, "]"} {
		if _, err := new(Tape).Parse([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if _, err := new(Tape).Parse([]byte(strings.Repeat("[", 100_000))); !errors.Is(err, ErrDeep) {
		t.Errorf("deep nesting: %v", err)
	}
}

func TestHalvesOfPairs(t *testing.T) {
	for in, want := range map[string]string{
		`"\ud83d"`: "\uFFFD", `"\ud83dx"`: "\uFFFDx", `"\udc00\ud83d"`: "\uFFFD\uFFFD", `"\u12"`: "\uFFFD12", "\"a\xffb\"": "a\uFFFDb",
		`"\ud83d\u0041"`: "\uFFFDA",
	} {
		if got := parsed(t, in).Str(); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
}

// What encoding/json reads, the tape reads the same.
func FuzzTape(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x\n",{"b":null}],"c":"\u00e9\ud83d\ude00"}`))
	f.Add([]byte(`["\\","\"",0.5e-3,true]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := new(Tape).Parse(data)
		var want any
		if json.Unmarshal(data, &want) != nil {
			return // the tape lets pass what cannot be misread
		}
		if err != nil {
			if errors.Is(err, ErrDeep) {
				return
			}
			t.Fatalf("%q: %v", data, err)
		}
		a, _ := json.Marshal(normal(want))
		b, err := json.Marshal(normal(v.Any()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) && !twice(data) {
			t.Fatalf("%s is read as %s", a, b)
		}
	})
}

// normal makes the one value that the two readers may give in two forms: an
// empty object.
func normal(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return nil
		}
		for k, x := range v {
			v[k] = normal(x)
		}
		return v
	case []any:
		for i, x := range v {
			v[i] = normal(x)
		}
		return v
	}
	return v
}

// twice reports whether an object may have a key twice, of which either may be
// meant.
func twice(data []byte) bool { return bytes.Count(data, []byte(":")) > 1 }

// Escaping and unescaping are each other's inverse, wherever the bytes lie that do not
// stand for themselves.
func TestEscapeLaw(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("aaaaaaaaaaaaaaaa\"\\\n\t\b\x01 !#[]\x7fé\u2028😀")), 0, 100, -1))
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "s")
		if got := Unescape([]byte(Escape(s))); got != s {
			t.Fatalf("%q came back as %q", s, got)
		}
		var std string
		if err := json.Unmarshal([]byte(`"`+Escape(s)+`"`), &std); err != nil || std != s {
			t.Fatalf("%q is no JSON: %v", s, err)
		}
		if got, ok := Text([]byte(`"` + Escape(s) + `"`)); got != s || !ok {
			t.Fatalf("%q was read as %q, %v", s, got, ok)
		}
		before := text.Draw(t, "before")
		if got := AppendEscaped([]byte(before), s); string(got) != before+Escape(s) {
			t.Fatalf("%q behind %q is %q", s, before, got)
		}
	})
}

// What is no JSON string, or needs a closer look, is told from the others; what is
// taken apart all the same is taken apart to the end.
func TestOddStrings(t *testing.T) {
	for _, pad := range []string{"", "seven..", "eight...", strings.Repeat("x", 100)} {
		for _, in := range []string{`"`, `\`, `\q`, `\u12`, `\u+123`, `\ud83d`, `\ud83d\ude00`, `\ud83dx`, "\x00", "\x1f", "\n", "\xff", `\\\`, strings.Repeat(`\u`, 300)} {
			if got, ok := Text([]byte(`"` + pad + in + pad + `"`)); ok && (pad != "" || in != `\`) { // \" is a whole quote
				t.Errorf("%q was read as %q", pad+in+pad, got)
			}
			if got := Unescape([]byte(pad + in + pad)); !strings.HasPrefix(got, pad) || !strings.HasSuffix(got, pad[min(len(pad), 4):]) {
				t.Errorf("%q became %q", pad+in+pad, got)
			}
		}
	}
}

func pieces(r io.Reader, max int) (out []string, err error) {
	d := NewDocument(r, max)
	for {
		p, err := d.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if p.Long > 0 {
			out = append(out, p.Key+":long")
			continue
		}
		out = append(out, p.Key+":"+string(p.Raw))
	}
}

// oneByte gives its bytes one at a time, so that every value crosses a buffer.
type oneByte struct{ r io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:1]) }

func TestDocument(t *testing.T) {
	in := "\xEF\xBB\xBF {\"a\": 1, \"list\": [ {\"x\":\"]}\"} , [2,[3]], \"s\\\"\" ],\r\n \"b\":{\"c\":[]},\"none\":[]} [4]"
	want := []string{"a:1", `list:{"x":"]}"}`, "list:[2,[3]]", `list:"s\""`, `b:{"c":[]}`, ":4"}
	for _, r := range []io.Reader{strings.NewReader(in), oneByte{strings.NewReader(in)}} {
		got, err := pieces(r, 1000)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v %q", err, got)
		}
	}
	if got, err := pieces(strings.NewReader(`["`+strings.Repeat("x", 1<<20)+`",1]`), 1000); err != nil || !cmp.Equal(got, []string{":long", ":1"}) {
		t.Errorf("%v %q", err, got)
	}
	for n := 1; n < len(in)-4; n++ {
		got, err := pieces(strings.NewReader(in[:n]), 1000)
		if err != nil && !errors.Is(err, ErrCut) && !errors.Is(err, ErrJSON) {
			t.Fatalf("%q: %v", in[:n], err)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%q gives %q", in[:n], got)
			}
		}
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"a":1,"messages":[{"role":"user"},2]}`), 3)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		whole, err := pieces(bytes.NewReader(data), 1<<20)
		slow, err2 := pieces(oneByte{bytes.NewReader(data)}, 1<<20)
		if (err == nil) != (err2 == nil) || !cmp.Equal(whole, slow) {
			t.Fatalf("%q in one buffer gives %q %v, byte by byte %q %v", data, whole, err, slow, err2)
		}
	})
}

// What is compared in place is what Escape would have made.
func TestEscapedInPlace(t *testing.T) {
	some := rapid.StringOf(rapid.RuneFrom([]rune("ab\"\\\n\t\x01\x1fé")))
	rapid.Check(t, func(t *rapid.T) {
		s, more := some.Draw(t, "s"), some.Draw(t, "more")
		src := Escape(s) + more
		if rapid.Bool().Draw(t, "changed") && src != "" {
			b := []byte(src)
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 1
			src = string(b)
		}
		want := -1
		if e := Escape(s); strings.HasPrefix(src, e) {
			want = len(e)
		}
		if got := Escaped(src, s); got != want {
			t.Fatalf("Escaped(%q, %q) = %d, want %d", src, s, got, want)
		}
		if cut := src[:rapid.IntRange(0, len(src)).Draw(t, "cut")]; Escaped(cut, s) > len(cut) {
			t.Fatalf("%q holds no %q", cut, s)
		}
	})
}
