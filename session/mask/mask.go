// Package mask takes secrets out of what is recorded or imported.
package mask

import (
	"slices"
	"strings"
)

// Masked is what stands where a secret stood.
const Masked = "••••"

// Masker takes secrets out of what is imported: what was typed into a password
// field, wherever it is repeated later, and words that have the form of a key.
type Masker struct {
	keep  bool
	count int
	known []string // typed secrets, to be found again in later texts
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

// secretWords are what the name of a field that holds a secret says.
var secretWords = []string{
	"password", "passwd", "passwort", "passphrase", "passcode", "kennwort", "mot de passe", "contraseña",
	"secret", "api key", "api-key", "apikey", "api_key", "access token", "auth token", "private key",
	"one-time code", "otp", "security code", "cvv", "cvc", "2fa", "verification code",
}

// saysSecret reports whether a name tells of a secret.
func saysSecret(name string) bool {
	n := strings.ToLower(name)
	for _, w := range secretWords {
		i := strings.Index(n, w)
		if i < 0 {
			continue
		}
		// "otp" is no part of a word, and a secretary no secret.
		if (len(w) > 3 && w != "secret") || (edge(n, i-1) && edge(n, i+len(w))) {
			return true
		}
	}
	return false
}

func edge(s string, i int) bool {
	return i < 0 || i >= len(s) || !isWordByte(s[i])
}

// Args masks an action's arguments in place: a secret's own key, and what is
// typed into an element whose name says secret.
func (m *Masker) Args(args map[string]any) {
	if m.keep {
		return
	}
	into := ""
	for _, k := range []string{"element", "name", "label", "selector", "description", "placeholder", "target"} {
		into += " " + word(args[k])
	}
	typed := saysSecret(into)
	for k, v := range args {
		switch v := v.(type) {
		case string:
			switch k {
			case "text", "value", "input", "inputText":
				if typed {
					args[k] = m.learn(v)
					continue
				}
			}
			if saysSecret(k) && !strings.ContainsAny(v, "\n") {
				args[k] = m.learn(v)
				continue
			}
			args[k] = m.Text(v)
		case map[string]any:
			m.Args(v)
		case []any:
			for i, x := range v {
				switch x := x.(type) {
				case map[string]any:
					m.Args(x)
				case string:
					v[i] = m.Text(x)
				}
			}
		}
	}
}

// learn masks a secret and remembers it.
func (m *Masker) learn(secret string) string {
	if secret == "" || secret == Masked {
		return secret
	}
	m.count++
	if len(secret) < 6 { // a short one stands in innocent text: only as it is quoted in code
		for _, q := range []string{"'", `"`} {
			m.remember(q + secret + q)
		}
		return Masked
	}
	m.remember(secret)
	return Masked
}

// maxKnown bounds the typed secrets that are looked for in later texts.
const maxKnown = 200

func (m *Masker) remember(word string) {
	if len(m.known) < maxKnown && !slices.Contains(m.known, word) {
		m.known = append(m.known, word)
	}
}

// Text masks every secret in a text.
func (m *Masker) Text(s string) string {
	if m.keep || s == "" {
		return s
	}
	for _, k := range m.known {
		if n := strings.Count(s, k); n > 0 {
			m.count += n
			with := Masked
			if c := k[0]; len(k) < 8 && (c == '\'' || c == '"') && k[len(k)-1] == c {
				with = string(c) + Masked + string(c)
			}
			s = strings.ReplaceAll(s, k, with)
		}
	}
	return m.fields(m.keys(s))
}

// fields masks the values of password fields in a tree:
// - textbox "Password" [ref=e5]: hunter2.
func (m *Masker) fields(s string) string {
	at := 0
	for {
		i := strings.Index(s[at:], "assword")
		if i < 0 {
			return s
		}
		at += i
		start := strings.LastIndexByte(s[:at], '\n') + 1
		end := lineEndAt(s, at)
		line := s[start:end]
		if v := passwordValue(line); v >= 0 && line[v:] != Masked {
			m.learn(strings.Trim(line[v:], `"`))
			s = s[:start+v] + Masked + s[end:]
		}
		at = lineEndAt(s, at)
		if at >= len(s) {
			return s
		}
	}
}

// passwordValue is where the value of a password field starts in a tree's line;
// -1 for any other line.
func passwordValue(line string) int {
	body := strings.TrimLeft(line, " ")
	if strings.HasPrefix(body, "uid=") {
		if i := strings.Index(body, ` value="`); i >= 0 && strings.Contains(body, " textbox ") {
			return len(line) - len(body) + i + len(" value=")
		}
		return -1
	}
	body = strings.TrimPrefix(strings.TrimPrefix(body, "- "), "<changed> ")
	if !strings.HasPrefix(body, `textbox "`) {
		return -1
	}
	name := quotedEnd(body[len("textbox "):]) + len("textbox ")
	if !saysSecret(body[:name]) {
		return -1
	}
	i := strings.Index(body[name:], "]: ")
	if i < 0 {
		return -1
	}
	return len(line) - len(body) + name + i + len("]: ")
}

// minKey is the shortest word that is looked at as a key.
const minKey = 20

// keyForms are the starts of words that are keys of well-known services.
var keyForms = []string{
	"sk-", "sk_live_", "sk_test_", "rk_live_", "ghp_", "gho_", "ghu_", "ghs_", "github_pat_", "glpat-",
	"xoxb-", "xoxp-", "xoxa-", "AKIA", "ASIA", "AIza", "npm_", "hf_", "eyJ", "ya29.", "SG.", "pypi-",
}

// keys masks words that have the form of a service's key. It looks at every
// twentieth byte first: a word that long cannot hide between two of them.
func (m *Masker) keys(s string) string {
	var out strings.Builder
	from := 0
	for i := minKey - 1; i < len(s); i += minKey {
		if !isKeyByte(s[i]) {
			continue
		}
		start := i
		for start > from && isKeyByte(s[start-1]) {
			start--
		}
		end := i + 1
		for end < len(s) && isKeyByte(s[end]) {
			end++
		}
		if end-start >= minKey && isKey(s[start:end]) {
			m.count++
			out.WriteString(s[from:start])
			out.WriteString(Masked)
			from = end
		}
		if end-1 > i {
			i = end - 1
		}
	}
	if from == 0 {
		return s
	}
	out.WriteString(s[from:])
	return out.String()
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func isKeyByte(c byte) bool { return isWordByte(c) || c == '-' || c == '.' }

func isKey(word string) bool {
	for _, f := range keyForms {
		if !strings.HasPrefix(word, f) {
			continue
		}
		switch f {
		case "AKIA", "ASIA":
			return len(word) == 20 && strings.ToUpper(word) == word
		case "eyJ": // a JWT has three parts
			return strings.Count(word, ".") == 2
		}
		return strings.ContainsAny(word[len(f):], "0123456789")
	}
	return false
}

func word(x any) string {
	s, _ := x.(string)
	return s
}

func lineEndAt(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// quotedEnd is where the JSON string at the start of s ends.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
