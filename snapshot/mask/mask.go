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
// A mask takes values and leaves notation: of a page it changes names, values and
// texts, never a role, a ref, an attribute or the path of an address (page.go).
//
// A mask is no proof that nothing is left: a secret that looks like any other
// word, in a field that does not say what it is, stays. Everything is pure, and
// takes time linear in the text.
package mask

import (
	"encoding/json"
	"strings"
	"unicode"

	"snapscope/snapshot/wording"
)

// Masked is what stands where a secret stood.
const Masked = "••••"

// Masker masks the secrets of one session. It is not safe for concurrent use.
type Masker struct {
	keep  bool
	count Counts
	known known
}

// Kind is what sort of secret was masked.
type Kind uint8

// The kinds of secrets.
const (
	Password Kind = iota // typed into a field for secrets, or shown by one
	Token                // by the name of a parameter, a field or a header
	Cookie
	Key // in the form of a service's key, or a private key
	kinds
)

var kindNames = [kinds]string{Password: "password", Token: "token", Cookie: "cookie", Key: "key"}

// Counts is how many secrets of each kind were masked.
type Counts [kinds]int

// Sum is how many were masked in all.
func (c Counts) Sum() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// String is the counts in words: 2 cookies, 1 token.
func (c Counts) String() string {
	var out []string
	for _, k := range []Kind{Password, Cookie, Token, Key} {
		if c[k] > 0 {
			out = append(out, wording.Plural(c[k], kindNames[k]))
		}
	}
	return strings.Join(out, ", ")
}

// ByName is the counts by the kind's name, without those that are zero.
func (c Counts) ByName() map[string]int {
	out := map[string]int{}
	for k, n := range c {
		if n > 0 {
			out[kindNames[k]] = n
		}
	}
	return out
}

// New makes a masker; with keep it lets everything stand.
func New(keep bool) *Masker { return &Masker{keep: keep} }

// Count is how many secrets were masked.
func (m *Masker) Count() int { return m.count.Sum() }

// Counts is how many secrets were masked, by kind.
func (m *Masker) Counts() Counts { return m.count }

// Again masks another form of a text that was masked before: its secrets are
// not counted a second time.
func (m *Masker) Again(s string) string {
	n := m.count
	s = m.Text(s)
	m.count = n
	return s
}

// Keeps reports whether the masker lets everything stand.
func (m *Masker) Keeps() bool { return m.keep }

// Texts masks every secret in some texts, in a copy.
func (m *Masker) Texts(in []string) []string {
	if m.keep || len(in) == 0 {
		return in
	}
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = m.Text(s)
	}
	return out
}

// Text masks every secret in a text.
func (m *Masker) Text(s string) string {
	if m.keep || s == "" {
		return s
	}
	s = m.known.mask(s, &m.count[Password])
	set := suspects(s)
	for i, pass := range passes {
		if set>>i&1 != 0 {
			s = m.run(pass, passKinds[i], s)
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
	return m.Text(m.Cookies(s))
}

// Shown is a JSON value as somebody may look at it, each text in it masked as Answer
// does, and whether anything was. It is not counted: what is shown is recorded, too.
func (m *Masker) Shown(v any, cookies bool) (shown any, masked bool) {
	n := m.count
	defer func() { m.count = n }()
	return m.shown(v, cookies)
}

func (m *Masker) shown(v any, cookies bool) (any, bool) {
	some := false
	switch v := v.(type) {
	case string:
		s := m.Answer(v, cookies)
		return s, s != v
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			s, masked := m.shown(x, cookies)
			out[k], some = s, some || masked
		}
		return out, some
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			s, masked := m.shown(x, cookies)
			out[i], some = s, some || masked
		}
		return out, some
	}
	return v, false
}

// Cookies masks the value of everything that looks like a cookie or a stored
// value. The page that stands beside the cookies is no cookie.
func (m *Masker) Cookies(s string) string {
	if m.keep || s == "" {
		return s
	}
	return m.run(cookieValues, Cookie, s)
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

var passKinds = [...]Kind{
	ofFields: Password, ofKeyWords: Key, ofParameters: Token, ofJSON: Token,
	ofHeaders: Token, ofUserInfo: Password, ofCode: Password, ofPrivateKeys: Key,
}

func (m *Masker) run(find pass, kind Kind, s string) string {
	e := editor{s: s}
	find(s, func(from, to int, learn bool) {
		if from < e.done || from >= to || strings.HasPrefix(s[from:to], Masked) {
			return
		}
		if e.mask(from, to, Masked) == 0 {
			return
		}
		m.count[kind]++
		if learn {
			m.known.learn(s[from:to])
		}
	})
	return e.text()
}

// Args masks an action's arguments in place: a secret's own key, and what is
// typed into an element whose description says secret. shown tells how the page
// shows the element of a handle ("e5"), its line for instance; nil where no
// page is known.
func (m *Masker) Args(args map[string]any, shown func(handle string) string) {
	if m.keep {
		return
	}
	typed := SaysSecret(describe(args, shown)) || unknown(args, shown)
	for k, v := range args {
		args[k] = m.value(k, v, typed, shown)
	}
}

// handles are the arguments that name an element as a page shows it.
var handles = []string{"ref", "uid", "target", "selector", "index"}

// describe is all that arguments say of the element they act on.
func describe(args map[string]any, shown func(string) string) string {
	into := ""
	for _, k := range []string{"element", "name", "label", "selector", "description", "placeholder", "target", "type"} {
		into += " " + word(args[k])
	}
	if shown == nil {
		return into
	}
	for _, k := range handles {
		if h := handle(args[k]); h != "" {
			into += " " + shown(h)
		}
	}
	return into
}

// unknown reports whether nobody can say what an element is that is typed into: no
// page shows it, and the call does not describe it.
func unknown(args map[string]any, shown func(string) string) bool {
	if shown == nil {
		return false
	}
	named := false
	for _, k := range handles {
		h := handle(args[k])
		if h != "" && shown(h) != "" {
			return false
		}
		named = named || h != ""
	}
	if !named {
		return false
	}
	for _, k := range []string{"element", "name", "label", "description", "placeholder"} {
		if says(word(args[k])) {
			return false
		}
	}
	return !says(strings.Join([]string{word(args["selector"]), word(args["target"])}, " "))
}

// says reports whether a description tells more than that there is a field.
func says(description string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(description), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		switch w {
		case "field", "input", "text", "textbox", "textarea", "box", "element", "form", "area", "the", "an", "a", "this", "ref", "aria", "uid":
		default:
			if !strings.ContainsAny(w, "0123456789") {
				return true
			}
		}
	}
	return false
}

// value masks one argument; typed says that the arguments beside it name an
// element that takes a secret.
func (m *Masker) value(key string, v any, typed bool, shown func(string) string) any {
	switch v := v.(type) {
	case string:
		switch {
		case typed && isTyped(key), SaysSecret(key) && !strings.Contains(v, "\n"):
			return m.secret(v)
		case (key == "ref" || key == "uid") && len(v) <= longState: // names an element
			return v
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
	m.count[Password]++
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
