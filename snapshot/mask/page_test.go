package mask

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/snapshot/notation"
)

// told is what the notation says of a page besides the page's own words.
func told(text string, d notation.Dialect) (out []string) {
	for _, line := range strings.Split(text, "\n") {
		l := notation.ReadLine(line, d)
		var attrs []string
		for a := range l.Attrs() {
			key, _, has := strings.Cut(a.Of(line), "=")
			if d == notation.Index && !has && !flags[key] {
				continue // a value's further words
			}
			if saying[key] || isSecretName(key) {
				attrs = append(attrs, key)
				continue
			}
			attrs = append(attrs, a.Of(line))
		}
		out = append(out, fmt.Sprint(l.Kind, l.Indent, l.Role, " ", l.Ref, " ", l.HasName, l.HasValue, l.Whole, attrs))
		if l.Kind == notation.PropertyLine && l.Role == "url" {
			u, err := url.Parse(l.Value())
			if err != nil {
				out = append(out, err.Error())
				continue
			}
			out = append(out, u.Host+u.Path, fmt.Sprint(len(u.Query())))
		}
	}
	return out
}

// pageLines are lines of every dialect, with %s for a name or a value and %d for a
// number.
var pageLines = map[notation.Dialect][]string{
	notation.Aria: {
		"- generic [active] [ref=e%d]:", "  - button %q [ref=e%d] [cursor=pointer]", "  - textbox %q [ref=f1e%d]: %s", "  - heading %q [level=2] [ref=e%d]",
		"  - checkbox %q [checked] [ref=e%d]", "  - text: %s", "    - /url: /checkout/token%d/list?access_token=%s&page=2", "    - /url: https://shop.test/hidden/orders/%d#top",
		"  - 'link \"a: b\" [ref=e%d]': %s", "  - ref=e%d [unchanged]", "- <changed> row %q [selected] [ref=e%d]:", "  - textbox \"Password\" [ref=e%d]: %s", "  - paragraph [ref=e%d]: %s", "    - /placeholder: %s",
	},
	notation.UID:          {"uid=1_%d button %q focusable", "  uid=1_%d textbox \"Password\" value=%q", "  uid=1_%d link %q url=\"https://shop.test/orders?token=%s\""},
	notation.AgentBrowser: {"- button %q [ref=e%d]", "  - textbox %q [required, ref=e%d]: %s", "  - checkbox %q [checked=false, ref=e%d]"},
	notation.Index:        {"[%d]<button type=submit>%s</button>", "[%d]<input type=password value=%s />", "*[%d]<a role=link href=/orders>%s</a>"},
	notation.AXTree:       {"[%d] button '%s' focused: True", "\t[%d] textbox 'Password' required: True", "[%d] link '%s'"},
}

// Whatever a page says and whatever was typed before: masking keeps every role, ref
// and attribute, the tree, and the paths of addresses.
func TestMaskingKeepsTheNotation(t *testing.T) {
	words := []string{
		"button", "checked", "pointer", "generic", "unchanged", "active", "orders", "checkout", "hidden", "shop.test", "ref=e12", "[ref=e12]", "cursor=pointer", "textbox", "required", "focused: True",
		"12", "123", "120000", "1234567", "hunter22", "correct horse battery", "a=bcdefg", "sk-0123456789abcdef0123", "eyJhbGciOi.eyJzdWIiOiIx.SflKxwRJSMeKKF2QT", "-----BEGIN PRIVATE KEY-----",
		"-----END PRIVATE KEY-----", "Bearer abcdefghijklmnop0", "https://me:hunter22@shop.test/", `password=hunter22`, "Cookie: a=bcdef; c=defgh", "/checkout", "page", "two\nlines of a secret note", "submit", "link", "row",
	}
	masked, hidden := 0, 0
	law := func(t *rapid.T) {
		var dialects []notation.Dialect
		for d := range pageLines {
			dialects = append(dialects, d)
		}
		slices.Sort(dialects)
		d := rapid.SampledFrom(dialects).Draw(t, "dialect")
		word := rapid.SampledFrom(words)
		line := rapid.Custom(func(t *rapid.T) string {
			form := rapid.SampledFrom(pageLines[d]).Draw(t, "form")
			var args []any
			for i := strings.IndexByte(form, '%'); i >= 0 && i+1 < len(form); {
				if form[i+1] == 'd' {
					args = append(args, rapid.IntRange(1, 200).Draw(t, "number"))
				} else {
					w := strings.ReplaceAll(word.Draw(t, "word"), "\n", " ")
					if form[i+1] == 's' {
						if strings.Contains(form, "url") {
							w = url.QueryEscape(w)
						}
						w = strings.NewReplacer("[", "", "]", "", ":", "", "/", "", "<", "", ">", "", "'", "", `"`, "").Replace(w)
					}
					args = append(args, w)
				}
				next := strings.IndexByte(form[i+1:], '%')
				if next < 0 {
					break
				}
				i += 1 + next
			}
			return fmt.Sprintf(form, args...)
		})
		page := strings.Join(rapid.SliceOfN(line, 1, 12).Draw(t, "lines"), "\n")
		m := New(false)
		m.Args(map[string]any{"element": "Password", "text": word.Draw(t, "typed")}, nil)
		m.Args(map[string]any{"element": "Password", "text": word.Draw(t, "typed too")}, nil)
		before := m.Count()
		var got string
		if rapid.Bool().Draw(t, "cookies") {
			got = m.Answer(page, true)
		} else {
			got = m.Text(page)
		}
		want, is := told(page, d), told(got, d)
		if !slices.Equal(want, is) {
			t.Fatalf("%s page\n%s\nbecame\n%s\n%q\n%q", d, page, got, want, is)
		}
		if m.Count() > before {
			masked++
		}
		if strings.Contains(page, "hunter22") && !strings.Contains(got, "hunter22") {
			hidden++
		}
	}
	for range 20 {
		rapid.Check(t, law)
	}
	if masked < 100 || hidden < 5 {
		t.Errorf("only %d pages held a secret, %d the password", masked, hidden)
	}
}

// A secret does not hide behind the notation: lists in plain text look like pages.
func TestListsAreMasked(t *testing.T) {
	for in, want := range map[string]string{
		"- sk-0123456789abcdef0123":                                   "- ••••",
		"- ghp_abcdefghij0123456789: mine":                            "- ••••: mine",
		"- key [token=abcdef123456]":                                  "- key [token=••••]",
		"- hunter22":                                                  "- ••••",
		"- hunter22 is it [ref=e1]":                                   "- •••• is it [ref=e1]",
		"- cell \"hunter22\" [ref=e1]: hunter22":                      "- cell \"••••\" [ref=e1]: ••••",
		"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----": "-----BEGIN PRIVATE KEY-----••••-----END PRIVATE KEY-----",
		"- text: -----BEGIN PRIVATE KEY----- MII\n- button \"Go\" [ref=e1]\n- paragraph [ref=e2]: MIIB":                           "- text: -----BEGIN PRIVATE KEY-----••••\n- button \"Go\" [ref=e1]\n- paragraph [ref=e2]: MIIB",
		"- text: -----BEGIN PRIVATE KEY----- MII\n- button \"Go\" [ref=e1]\n- paragraph [ref=e2]: MIIB -----END PRIVATE KEY-----": "- text: -----BEGIN PRIVATE KEY-----••••\n- button \"••••\" [ref=e1]\n- paragraph [ref=e2]: ••••-----END PRIVATE KEY-----",

		"/a/hunter22/b https://me:hunter22@x.test/":                   "/a/••••/b https://me:••••@x.test/",
		"{\"password\": \"pass \\\"word\\\" 1\"} pass \\\"word\\\" 1": "{\"password\": \"••••\"} ••••",
		"q=pass+%22word%22+1&page=2":                                  "q=••••&page=2",
		"[3]<input type=password value=what I typed required />":      "[3]<input type=password value=•••• required />",
		"[3]<input type=text value=hunter22 disabled />":              "[3]<input type=text value=•••• disabled />",
		"the pin 120000 of 120000 rows":                               "the pin 120000 of 120000 rows",
		"fill('120000')":                                              "fill('••••')",
	} {
		m := New(false)
		for _, typed := range []string{"hunter22", `pass "word" 1`, "120000"} {
			m.Args(map[string]any{"element": "Password", "text": typed}, nil)
		}
		if got := m.Text(in); got != want {
			t.Errorf("%q\nbecame %q\nwant   %q", in, got, want)
		}
	}
}

// What was masked is said by kind.
func TestCounts(t *testing.T) {
	m := New(false)
	m.Answer("sid=abcdef123456; theme=dark\n- link \"Go\" [ref=e100]: a=bcdef", true)
	m.Text("https://x.test/?access_token=abcdef123456 ghp_abcdefghij0123456789 sk-0123456789abcdef0123")
	m.Args(map[string]any{"password": "hunter22"}, nil)
	if got := m.Counts().String(); got != "1 password, 2 cookies, 1 token, 2 keys" || m.Count() != 6 || m.Counts().ByName()["cookie"] != 2 {
		t.Errorf("%s, %d in all, %v", got, m.Count(), m.Counts().ByName())
	}
}

// A secret of a field is known in the languages that pages speak.
func TestSaysSecretInOtherLanguages(t *testing.T) {
	for _, name := range []string{"Clave", "Hasło", "Wachtwoord", "暗証番号", "Contraseña", "Mot de passe", "비밀번호", "ŞİFRE", "Пароль", "API key", "Private key"} {
		if !SaysSecret(name) {
			t.Errorf("%s says no secret", name)
		}
	}
	for _, name := range []string{"Enclave", "Autoclave", "Secretary", "Ciudad", "Adres", "Search"} {
		if SaysSecret(name) {
			t.Errorf("%s says secret", name)
		}
	}
}
