package proxy

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

const call = `{ "jsonrpc":"2.0","id" : 0, "params":{"name":"click","x":[1,{"y":"a\"}"},null],"arg\u0075ments":{"ref":"e1"}}, "odd":1e400 }` + "\n"

func TestFind(t *testing.T) {
	for _, c := range []struct {
		path []any
		want string
	}{
		{[]any{"id"}, "0"},
		{[]any{"params", "name"}, `"click"`},
		{[]any{"params", "x", 1, "y"}, `"a\"}"`},
		{[]any{"params", "x", 2}, "null"},
		{[]any{"params", "arguments"}, `{"ref":"e1"}`},
		{[]any{"odd"}, "1e400"},
		{[]any{"params", "x", 3}, ""},
		{[]any{"id", "name"}, ""},
		{[]any{"nothing"}, ""},
	} {
		s, ok := Find([]byte(call), c.path...)
		if ok != (c.want != "") || ok && string(s.Of([]byte(call))) != c.want {
			t.Errorf("%v: %q, want %q", c.path, s.Of([]byte(call)), c.want)
		}
	}
	if s, _ := Find([]byte(`{"a":1,"a":2}`), "a"); s.From != 11 {
		t.Errorf("the last of two equal keys counts, found at %d", s.From)
	}
}

func TestSpliceLeavesTheRest(t *testing.T) {
	msg := []byte(call)
	s, _ := Find(msg, "params", "arguments")
	out, err := Splice(msg, Change{s, []byte(`{"ref":"e<2>"}`)})
	if err != nil {
		t.Fatal(err)
	}
	if want := string(msg[:s.From]) + `{"ref":"e<2>"}` + string(msg[s.To:]); string(out) != want {
		t.Errorf("got %s, want %s", out, want)
	}
	for name, c := range map[string]Change{
		"no JSON":    {s, []byte("{")},
		"two lines":  {s, []byte("{\n}")},
		"outside":    {Span{5, len(msg) + 1}, []byte("1")},
		"wrong side": {Span{9, 5}, []byte("1")},
	} {
		if _, err := Splice(msg, c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPut(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, `{"k":1}`},
		{`{ "a" : 2 }`, `{ "a" : 2 ,"k":1}`},
		{`{"k":{"x":[]},"z":0}`, `{"k":1,"z":0}`},
	} {
		ch, err := Put([]byte(c.in), Span{0, len(c.in)}, "k", []byte("1"))
		if err != nil {
			t.Fatal(err)
		}
		if out, err := Splice([]byte(c.in), ch); err != nil || string(out) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.in, out, err, c.want)
		}
	}
	if _, err := Put([]byte("[]"), Span{0, 2}, "k", []byte("1")); err == nil {
		t.Error("an array has no keys")
	}
}

// Every value of a document is found where encoding/json finds it, and a splice of
// it changes nothing else.
func TestFindAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := genValue(3).Draw(t, "doc")
		raw, err := json.MarshalIndent(doc, "", rapid.SampledFrom([]string{"", " "}).Draw(t, "indent"))
		if err != nil {
			t.Skip()
		}
		raw = bytes.ReplaceAll(raw, []byte("\n"), []byte(" "))
		var walk func(v any, path []any)
		walk = func(v any, path []any) {
			s, ok := Find(raw, path...)
			var got any
			if !ok || json.Unmarshal(s.Of(raw), &got) != nil || !reflect.DeepEqual(got, v) {
				t.Fatalf("%v in %s: found %q", path, raw, s.Of(raw))
			}
			out, err := Splice(raw, Change{s, []byte(`"new"`)})
			if err != nil || !bytes.HasPrefix(out, raw[:s.From]) || !bytes.HasSuffix(out, raw[s.To:]) {
				t.Fatalf("splicing %v: %s, %v", path, out, err)
			}
			switch v := v.(type) {
			case map[string]any:
				for k, x := range v {
					walk(x, append(path[:len(path):len(path)], k))
				}
			case []any:
				for i, x := range v {
					walk(x, append(path[:len(path):len(path)], i))
				}
			}
		}
		var norm any
		_ = json.Unmarshal(raw, &norm)
		walk(norm, nil)
	})
}

func genValue(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.String().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil))
	if depth == 0 {
		return leaf
	}
	inner := genValue(depth - 1)
	return rapid.OneOf(leaf, rapid.SliceOfN(inner, 0, 4).AsAny(), rapid.MapOfN(rapid.String(), inner, 0, 4).AsAny())
}

func FuzzFind(f *testing.F) {
	f.Add([]byte(call), "params")
	f.Add([]byte(`{"a":[[[[`), "a")
	f.Add([]byte(`{"a":"\`), "a")
	f.Fuzz(func(t *testing.T, msg []byte, key string) {
		if s, ok := Find(msg, key, 0, key); ok && (s.From < 0 || s.To > len(msg) || s.From >= s.To) {
			t.Fatalf("span %v of %d bytes", s, len(msg))
		}
	})
}

func TestQuoteReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		q := Quote(s)
		if got, ok := Text(q, Span{0, len(q)}); !ok || got != s || bytes.IndexByte(q, '\n') >= 0 {
			t.Fatalf("%q became %s", s, q)
		}
	})
	if got := string(Quote("<a>&\x01\xff")); got != `"<a>&\u0001`+"\uFFFD"+`"` {
		t.Errorf("got %s", got)
	}
}

// A text is read as encoding/json reads it, by whichever way.
func TestTextAgreesWithEncodingJSON(t *testing.T) {
	agree := func(t interface{ Fatalf(string, ...any) }, b []byte) {
		var want string
		ok := json.Valid(b) && json.Unmarshal(b, &want) == nil
		if got, gotOK := Text(b, Span{0, len(b)}); len(b) > 1 && b[0] == '"' && (gotOK != ok || ok && got != want) {
			t.Fatalf("%q: %q, %v, want %q, %v", b, got, gotOK, want, ok)
		}
	}
	for _, s := range []string{
		`"\"\\\/\b\f\n\r\t"`, `"\u00e4\u0000é"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ud83dx"`, `"\q"`, `"\u12"`, `"\u+123"`, `"\u1_23"`, "\"\x01\"", "\"\xff\"",
		`"a\"`, `"a\\"`, `"a"b"`, `"\`, `"\u00e`, `""`, `"`, `"a" `,
	} {
		agree(t, []byte(s))
	}
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(`"` + rapid.StringOfN(rapid.RuneFrom([]rune(`\"/bu0d8e1 ä😀`+"\n\x01")), 0, 12, -1).Draw(t, "body") + `"`)
		agree(t, b)
		if whole := isString(b); whole && !json.Valid(b) {
			t.Fatalf("%q is no string", b)
		}
	})
}

func TestWalk(t *testing.T) {
	var got []string
	end := Walk([]byte(call), 0, func(k Span, at int) int {
		end := End([]byte(call), at)
		got = append(got, string(k.Of([]byte(call)))+call[at:end])
		return end
	})
	want := []string{`"jsonrpc""2.0"`, `"id"0`, `"params"{"name":"click","x":[1,{"y":"a\"}"},null],"arg\u0075ments":{"ref":"e1"}}`, `"odd"1e400`}
	if !reflect.DeepEqual(got, want) || end != len(call)-1 {
		t.Errorf("%q, to %d of %d", got, end, len(call))
	}
}

// A walk that looks into every value ends where one ends that looks into none, and what
// is no JSON ends it as well.
func FuzzWalk(f *testing.F) {
	for _, s := range []string{call, `[[[[`, `{"a":`, `{"a":1,"b"`, `[1,2}`, `{"a":[1,{"b":[]},"]"],"c":{}} `, `[,,]`, `{,}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		var deep func(at, depth int) int
		deep = func(at, depth int) int {
			if depth > 100 {
				return End(msg, at)
			}
			return Walk(msg, at, func(_ Span, at int) int { return deep(at, depth+1) })
		}
		end := deep(0, 0)
		if end < 0 || end > len(msg) || json.Valid(msg) && len(msg) > 0 && skipSpace(msg, 0) == 0 && end != End(msg, 0) {
			t.Fatalf("%q ends at %d, or at %d", msg, end, End(msg, 0))
		}
	})
}

// A value that is no JSON is found out though it stands for a long string.
func TestSpliceChecksStrings(t *testing.T) {
	msg := []byte(`{"a":"x","b":1}`)
	s, _ := Find(msg, "a")
	for with, ok := range map[string]bool{
		`"y\n\"\\"`: true, `"\u0001"`: true, `"y`: false, `"y"z"`: false, `"\q"`: false, `"y\"`: false, "\"\x01\"": false, `"y","c":"z"`: true, `"`: false,
	} {
		out, err := Splice(msg, Change{s, []byte(with)})
		if (err == nil) != ok || ok != json.Valid([]byte(`{"a":`+with+`,"b":1}`)) {
			t.Errorf("%s: %s, %v", with, out, err)
		}
	}
}
