package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

func parse(t testing.TB, form Form, src string) *Request {
	t.Helper()
	r, err := Parse(form, []byte(src))
	if err != nil {
		t.Fatalf("%s: %v in %.200s", form, err, src)
	}
	return r
}

// piece is one token of a JSON text with what stands before it.
type piece struct{ lead, token string }

// pieces cuts a JSON text at its tokens with the standard library's reader, which
// Splice does not use.
func pieces(t testing.TB, src []byte) []piece {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var out []piece
	at := 0
	for {
		_, err := d.Token()
		if err != nil {
			return append(out, piece{lead: string(src[at:])})
		}
		end := int(d.InputOffset())
		s := string(src[at:end])
		n := len(s) - len(strings.TrimLeft(s, " \t\r\n,:"))
		out = append(out, piece{s[:n], s[n:]})
		at = end
	}
}

// results are the texts of the tool results in a request, by generic decoding:
// how many strings of them a rewriting may have touched.
func results(t testing.TB, form Form, src []byte) map[string]bool {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(src, &root); err != nil {
		t.Fatalf("not JSON: %v", err)
	}
	out := map[string]bool{}
	var strs func(v any)
	strs = func(v any) {
		switch v := v.(type) {
		case string:
			out[v] = true
		case []any:
			for _, x := range v {
				strs(x)
			}
		case map[string]any:
			if s, ok := v["text"].(string); ok {
				out[s] = true
			}
		}
	}
	list, _ := root["messages"].([]any)
	switch form {
	case Responses:
		list, _ = root["input"].([]any)
	case Gemini:
		list, _ = root["contents"].([]any)
	}
	for _, m := range list {
		m, _ := m.(map[string]any)
		switch {
		case form == Chat && m["role"] == "tool":
			strs(m["content"])
		case form == Responses && m["output"] != nil:
			strs(m["output"])
		case form == Gemini:
			parts, _ := m["parts"].([]any)
			for _, p := range parts {
				p, _ := p.(map[string]any)
				f, _ := p["functionResponse"].(map[string]any)
				r, _ := f["response"].(map[string]any)
				strs(r["output"])
				strs(r["content"])
			}
		case form == Messages:
			blocks, _ := m["content"].([]any)
			for _, b := range blocks {
				if b, _ := b.(map[string]any); b["type"] == "tool_result" {
					strs(b["content"])
				}
			}
		}
	}
	return out
}

// checkUntouched fails where anything but the text of a tool result changed.
func checkUntouched(t testing.TB, form Form, before, after []byte) {
	t.Helper()
	if !json.Valid(after) {
		t.Fatalf("no longer JSON: %.300s", after)
	}
	may := results(t, form, before)
	a, b := pieces(t, before), pieces(t, after)
	if len(a) != len(b) {
		t.Fatalf("%d tokens became %d", len(a), len(b))
	}
	for i := range a {
		if a[i].lead != b[i].lead {
			t.Fatalf("token %d: %q stands before it, was %q", i, b[i].lead, a[i].lead)
		}
		if a[i].token == b[i].token {
			continue
		}
		var text string
		if json.Unmarshal([]byte(a[i].token), &text) != nil || !may[text] {
			t.Fatalf("token %d is no tool result and changed: %.100q became %.100q", i, a[i].token, b[i].token)
		}
	}
}

func rule(t testing.TB, name string, sets ...string) Rule {
	t.Helper()
	s, err := registry.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	v := strategy.Values{}
	for _, set := range sets {
		if err := s.Set(v, set); err != nil {
			t.Fatal(err)
		}
	}
	return Rule{
		Strategy: s, Values: s.Values(v), Count: func(s string) int { return len(s) / 4 },
		Shows: func(_ string, _ []byte, text string) bool { return strings.Contains(text, "[ref=") },
	}
}

var rules = [][]string{
	{"openclaw"},
	{"openclaw", "tool_calls=1"},
	{"keep-one"},
	{"clear-tool-uses", "trigger=1000", "keep=1"},
	{"openclaw", "sticky=false"},
}

func TestParseReadsTheClients(t *testing.T) {
	for _, c := range clients {
		r := parse(t, c.form, c.make(4, func(i int) string { return page(3, fmt.Sprint("turn ", i)) }))
		var calls, res, users []Block
		for _, k := range r.Blocks {
			switch k.Role {
			case Call:
				calls = append(calls, k)
			case Result:
				res = append(res, k)
			case User:
				users = append(users, k)
			}
		}
		if len(calls) != 4 || len(res) != 4 {
			t.Fatalf("%s: %d calls and %d results", c.name, len(calls), len(res))
		}
		for i := range calls {
			if calls[i].ID != res[i].ID || !strings.Contains(calls[i].Name, "browser_click") || !json.Valid(calls[i].Args) || !bytes.Contains(calls[i].Args, []byte(`"ref"`)) {
				t.Errorf("%s: call %d is %+v", c.name, i, calls[i])
			}
			if !strings.Contains(res[i].Text, fmt.Sprint("turn ", i)) {
				t.Errorf("%s: result %d is %.80q", c.name, i, res[i].Text)
			}
		}
		if inPath := c.form == Gemini; r.Stream == inPath || (r.Model == "") != inPath || len(r.Tools) == 0 || users[len(users)-1].Text != "take over the two leads" {
			t.Errorf("%s: read as %+v", c.name, r)
		}
	}
}

func TestSpliceTouchesOnlyResults(t *testing.T) {
	for _, c := range clients {
		for _, rl := range rules {
			src := []byte(c.make(7, func(i int) string { return page(40, fmt.Sprint("turn ", i)) }))
			out, cleared := NewExpiry(rule(t, rl[0], rl[1:]...)).Apply(parse(t, c.form, string(src)))
			checkUntouched(t, c.form, src, out)
			if len(cleared) == 0 || bytes.Equal(src, out) {
				t.Errorf("%s under %v: nothing was cleared", c.name, rl)
			}
			for i, k := range parse(t, c.form, string(out)).Blocks {
				for _, x := range cleared {
					if x.Block == i && strings.Contains(k.Text, "[ref=") {
						t.Errorf("%s under %v: the result of %s still shows its page", c.name, rl, x.ID)
					}
				}
			}
		}
	}
}

// A growing history must keep the prefix that the vendor has cached: what a call
// carried stays as it was up to the first result that expires now.
func TestExpiryKeepsThePrefix(t *testing.T) {
	for _, c := range clients {
		for _, rl := range rules {
			e := NewExpiry(rule(t, rl[0], rl[1:]...))
			var before map[string]string
			for n := 1; n <= 9; n++ {
				out, cleared := e.Apply(parse(t, c.form, c.make(n, func(i int) string {
					if i%3 == 1 {
						return "### Result\nok"
					}
					return page(4+i, fmt.Sprint("turn ", i))
				})))
				fresh := map[string]bool{}
				for _, x := range cleared {
					fresh[x.ID] = x.New
				}
				now := map[string]string{}
				for _, k := range parse(t, c.form, string(out)).Blocks {
					if k.Role != Result {
						continue
					}
					now[k.ID] = k.Text
					if was, ok := before[k.ID]; ok && was != k.Text && !fresh[k.ID] && rl[len(rl)-1] != "sticky=false" {
						t.Fatalf("%s under %v, call %d: the result of %s was %.60q and is %.60q", c.name, rl, n, k.ID, was, k.Text)
					}
				}
				before = now
			}
		}
	}
}

// The request that counts tokens, sent before the real one, is rewritten alike;
// so is a retry.
func TestSameRequestSameBytes(t *testing.T) {
	for _, c := range clients {
		e := NewExpiry(rule(t, "openclaw"))
		src := c.make(6, func(i int) string { return page(5, fmt.Sprint("turn ", i)) })
		first, _ := e.Apply(parse(t, c.form, src))
		again, cleared := e.Apply(parse(t, c.form, src))
		if !bytes.Equal(first, again) {
			t.Errorf("%s: a retry is rewritten in another way", c.name)
		}
		for _, x := range cleared {
			if x.New {
				t.Errorf("%s: %s expires anew in a retry", c.name, x.ID)
			}
		}
	}
}

// A client that shortens its history in the middle brings nothing back.
func TestExpiredStaysExpired(t *testing.T) {
	e := NewExpiry(rule(t, "openclaw"))
	text := func(i int) string { return page(5, fmt.Sprint("turn ", i)) }
	e.Apply(parse(t, Messages, claudeCode(3, text)))
	// The newer snapshots are gone from the history: alone, the first would be live.
	out, cleared := e.Apply(parse(t, Messages, claudeCode(3, func(i int) string {
		if i > 0 {
			return "[Old tool result content cleared]"
		}
		return text(i)
	})))
	if len(cleared) != 1 || cleared[0].ID != "toolu_00" || cleared[0].New || bytes.Contains(out, []byte("turn 0 1")) {
		t.Errorf("cleared %+v", cleared)
	}
}

func TestNoEditGivesTheRequestItself(t *testing.T) {
	src := []byte(openCode(2, func(int) string { return "ok" }))
	r, err := Parse(Chat, src)
	if err != nil {
		t.Fatal(err)
	}
	out, cleared := NewExpiry(rule(t, "openclaw")).Apply(r)
	if &out[0] != &src[0] || len(out) != len(src) || cleared != nil {
		t.Error("a request without snapshots is not the same bytes")
	}
}

func TestParseRefusesWhatIsNoRequest(t *testing.T) {
	for _, src := range []string{"", "{", "[]", "null", `"x"`, `{"messages":3}`, `{}`, "\x00\x01", `{"messages":[}`} {
		for _, c := range clients {
			if r, err := Parse(c.form, []byte(src)); err == nil {
				t.Errorf("%s: %q was read as %+v", c.form, src, r)
			}
		}
	}
}

// odd writes any text as a JSON string in a way of its own: other escapes than
// ours, or none.
func odd(rt *rapid.T, text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch n := rapid.IntRange(0, 9).Draw(rt, "way"); {
		case r == '"' || r == '\\':
			fmt.Fprintf(&b, `\%c`, r)
		case r == '/' && n < 5:
			b.WriteString(`\/`)
		case r < 0x20, n == 0 && r < 0x10000:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func TestSpliceLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom(clients).Draw(rt, "client")
		rl := rapid.SampledFrom(rules).Draw(rt, "rule")
		texts := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) string {
			s := rapid.StringMatching(`[a-z/"\\ é—😀<>&\n\t]{0,20}`).Draw(rt, "text")
			if rapid.Bool().Draw(rt, "page") {
				s += "\n- button \"x\" [ref=e2]"
			}
			return s
		}), 1, 8).Draw(rt, "texts")
		src := c.make(len(texts), func(i int) string { return fmt.Sprintf("@%d@", i) })
		for i, text := range texts {
			src = strings.ReplaceAll(src, fmt.Sprintf(`"@%d@"`, i), odd(rt, text))
		}
		e := NewExpiry(rule(t, rl[0], rl[1:]...))
		out, _ := e.Apply(parse(t, c.form, src))
		checkUntouched(t, c.form, []byte(src), out)
	})
}

func FuzzSplice(f *testing.F) {
	for i, c := range clients {
		f.Add(uint8(i), []byte(c.make(4, func(i int) string { return page(2, fmt.Sprint(i)) })))
	}
	f.Add(uint8(0), []byte(`{"messages":[{"role":"user","content":[{"type":"tool_result","content":["[ref=e1]",{"text":"a"}]}]},{"role":"user","content":[{"type":"tool_result","content":"[ref=e1]"}]}]}`))
	f.Add(uint8(1), []byte(`{"input":"x","input":[{"type":"a_call_output","output":"[ref=e1]","output":[]}],"a":1e5,"b":[1,2 ,3]}`))
	f.Add(uint8(2), []byte("{\"messages\":[{\"role\":\"tool\",\"content\":\"[ref=\xff\\ud800\"}]}"))
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		c := clients[int(which)%len(clients)]
		r, err := Parse(c.form, src)
		if err != nil {
			return
		}
		for _, rl := range rules[1:4] {
			out, _ := NewExpiry(rule(t, rl[0], rl[1:]...)).Apply(r)
			if !json.Valid(out) {
				t.Fatalf("valid in, not valid out: %q", out)
			}
		}
		var edits []Edit
		for i := range r.Blocks {
			edits = append(edits, Edit{i, "<gone> \"&\" \u2028"})
		}
		out := r.Splice(edits)
		if !json.Valid(out) {
			t.Fatalf("valid in, not valid out: %q", out)
		}
		a, b := pieces(t, src), pieces(t, out)
		if len(a) != len(b) {
			t.Fatalf("%d tokens became %d: %q", len(a), len(b), out)
		}
		for i := range a {
			if a[i].lead != b[i].lead || a[i].token != b[i].token && !strings.HasPrefix(a[i].token, `"`) {
				t.Fatalf("token %d: %q became %q", i, a[i], b[i])
			}
		}
	})
}

func BenchmarkApply(b *testing.B) {
	src := claudeCode(4, func(i int) string { return page(1300, fmt.Sprint("turn ", i)) })
	b.Logf("%d bytes", len(src))
	for _, rl := range rules[:1] {
		e := NewExpiry(rule(b, rl[0], rl[1:]...))
		b.SetBytes(int64(len(src)))
		for b.Loop() {
			r, err := Parse(Messages, []byte(src))
			if err != nil {
				b.Fatal(err)
			}
			e.Apply(r)
		}
	}
}

// Strings are read as the standard library reads them.
func FuzzText(f *testing.F) {
	for _, s := range []string{`"a\n\t\"\\\/\b\f\r"`, `"\ud83d\ude00 \ud83d x \ude00\ud83d"`, "\"\xff\xc3\"", `"\u0000\u00e9é"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var want string
		if len(src) == 0 || src[0] != '"' || json.Unmarshal(src, &want) != nil {
			return
		}
		b := body(bytes.TrimRight(src, " \t\r\n"))
		if got := b.text(span{0, len(b)}); strings.Count(got, "\uFFFD") == strings.Count(want, "\uFFFD") && got != want ||
			strings.ReplaceAll(got, "\uFFFD", "") != strings.ReplaceAll(want, "\uFFFD", "") {
			t.Fatalf("%q is read as %q, want %q", src, got, want)
		}
	})
}
