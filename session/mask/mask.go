// Package mask takes secrets out of what is recorded or imported. One Masker
// goes with one session: what was typed into a password field is found again in
// every later text.
//
//	tool arguments ─▶ Args ─┬▶ masked arguments
//	                        └▶ what was typed is learnt
//	any text       ─▶ Text ─▶ masked text
//
// What counts as a secret:
//
//   - what is typed into a field whose name, label or type says so (names.go),
//     and the value that a password field shows in a page's text
//   - the values of parameters of a URL or a form, of JSON fields, and of code
//     that fills a field, where their name says so
//   - passwords in URLs, Authorization and cookie headers, bearer tokens, private keys
//   - words in the form of a well-known service's key (forms.go)
//
// A mask is no proof that nothing is left: a secret that looks like any other
// word, in a field that does not say what it is, stays. Everything is pure, and
// takes time linear in the text.
package mask

import (
	"encoding/json"
	"strings"
)

// Masked is what stands where a secret stood.
const Masked = "••••"

// Masker masks the secrets of one session. It is not safe for concurrent use.
type Masker struct {
	keep  bool
	count int
	known known
}

// New makes a masker; with keep it lets everything stand.
func New(keep bool) *Masker { return &Masker{keep: keep} }

// Count is how many secrets were masked.
func (m *Masker) Count() int { return m.count }

// Again masks another form of a text that was masked before: its secrets are
// not counted a second time.
func (m *Masker) Again(s string) string {
	n := m.count
	s = m.Text(s)
	m.count = n
	return s
}

// Text masks every secret in a text.
func (m *Masker) Text(s string) string {
	if m.keep || s == "" {
		return s
	}
	s = m.known.mask(s, &m.count)
	set := suspects(s)
	for i, pass := range passes {
		if set>>i&1 != 0 {
			s = m.run(pass, s)
		}
	}
	return s
}

// Answer masks a tool's answer; cookies says that the tool was asked for
// cookies or a page's storage (AsksForCookies), whose values are secrets
// whatever their names.
func (m *Masker) Answer(s string, cookies bool) string {
	if m.keep || !cookies {
		return m.Text(s)
	}
	return m.Cookies(m.Text(s))
}

// Cookies masks the value of everything that looks like a cookie or a stored
// value.
func (m *Masker) Cookies(s string) string {
	if m.keep || s == "" {
		return s
	}
	return m.run(cookieValues, s)
}

// Typed is a copy of an action's arguments with its secrets masked; secret says
// that what is typed is one.
func (m *Masker) Typed(args map[string]any, secret bool) map[string]any {
	if m.keep || args == nil {
		return args
	}
	out := make(map[string]any, len(args))
	for k, v := range args {
		out[k] = m.value(k, clone(v), secret, nil)
	}
	return out
}

// clone copies what value may change in place.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = clone(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = clone(x)
		}
		return out
	}
	return v
}

// pass finds secrets in a text: it calls cut for each, from front to back.
// learn says that the secret is to be found again in later texts.
type pass func(s string, cut func(from, to int, learn bool))

var passes = [...]pass{
	ofFields: fieldValues, ofKeyWords: keyWords, ofParameters: parameters, ofJSON: jsonValues,
	ofHeaders: headers, ofUserInfo: userInfo, ofCode: filledInCode, ofPrivateKeys: privateKeys,
}

func (m *Masker) run(find pass, s string) string {
	var out strings.Builder
	done := 0
	find(s, func(from, to int, learn bool) {
		if from < done || from >= to || strings.HasPrefix(s[from:to], Masked) {
			return
		}
		m.count++
		if learn {
			m.known.learn(s[from:to])
		}
		out.WriteString(s[done:from])
		out.WriteString(Masked)
		done = to
	})
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// Args masks an action's arguments in place: a secret's own key, and what is
// typed into an element whose description says secret. shown tells how the page
// shows the element of a handle ("e5"), its line for instance; nil where no
// page is known.
func (m *Masker) Args(args map[string]any, shown func(handle string) string) {
	if m.keep {
		return
	}
	typed := SaysSecret(describe(args, shown))
	for k, v := range args {
		args[k] = m.value(k, v, typed, shown)
	}
}

// describe is all that arguments say of the element they act on.
func describe(args map[string]any, shown func(string) string) string {
	into := ""
	for _, k := range []string{"element", "name", "label", "selector", "description", "placeholder", "target", "type"} {
		into += " " + word(args[k])
	}
	if shown == nil {
		return into
	}
	for _, k := range []string{"ref", "uid", "target", "selector", "index"} {
		if h := handle(args[k]); h != "" {
			into += " " + shown(h)
		}
	}
	return into
}

// value masks one argument; typed says that the arguments beside it name an
// element that takes a secret.
func (m *Masker) value(key string, v any, typed bool, shown func(string) string) any {
	switch v := v.(type) {
	case string:
		switch {
		case typed && isTyped(key), SaysSecret(key) && !strings.Contains(v, "\n"):
			return m.secret(v)
		}
		return m.Text(v)
	case map[string]any:
		if typed && (key == "request" || key == "arguments") {
			for k, x := range v {
				v[k] = m.value(k, x, true, shown)
			}
		}
		m.Args(v, shown)
	case []any:
		for i, x := range v {
			v[i] = m.value("", x, false, shown)
		}
	}
	return v
}

// isTyped reports whether an argument of this name is what is typed.
func isTyped(key string) bool {
	switch key {
	case "text", "value", "input", "inputText", "keys":
		return true
	}
	return false
}

// secret masks what is known to be one, and remembers it.
func (m *Masker) secret(s string) string {
	if s == "" || s == Masked {
		return s
	}
	m.count++
	m.known.learn(s)
	return Masked
}

func word(x any) string {
	s, _ := x.(string)
	return s
}

// handle is an element's handle as an argument: a word, or an index.
func handle(x any) string {
	switch v := x.(type) {
	case string:
		return v
	case float64, int, json.Number:
		b, _ := json.Marshal(v)
		return string(b)
	}
	return ""
}

// AsksForCookies reports whether a tool call reads cookies or a page's storage.
func AsksForCookies(tool string, args map[string]any) bool {
	if t := strings.ToLower(tool); strings.Contains(t, "cookie") || strings.Contains(t, "storage_state") || strings.Contains(t, "storagestate") {
		return true
	}
	return anyText(args, func(s string) bool {
		for _, w := range []string{"document.cookie", "cookieStore", ".cookies(", "localStorage", "sessionStorage", "storageState"} {
			if strings.Contains(s, w) {
				return true
			}
		}
		return false
	})
}

func anyText(v any, f func(string) bool) bool {
	switch v := v.(type) {
	case string:
		return f(v)
	case map[string]any:
		for _, x := range v {
			if anyText(x, f) {
				return true
			}
		}
	case []any:
		for _, x := range v {
			if anyText(x, f) {
				return true
			}
		}
	}
	return false
}
