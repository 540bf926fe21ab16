package mask

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is taken for a secret, and what stands beside it and is none.
func TestForms(t *testing.T) {
	for in, want := range map[string]string{
		"GET https://x.test/cb?state=1&access_token=abc123DEF456&tab=2":          "GET https://x.test/cb?state=1&access_token=••••&tab=2",
		"- /url: https://s3.test/f?X-Amz-Signature=00ff00ff00ff#top":             "- /url: https://s3.test/f?X-Amz-Signature=••••#top",
		"https://x.test/list?token=3&page=2":                                     "https://x.test/list?token=3&page=2",
		"- button \"Go\" [ref=e1] [cursor=pointer]":                              "- button \"Go\" [ref=e1] [cursor=pointer]",
		"max_tokens=4096 and tokens=12345678":                                    "max_tokens=4096 and tokens=12345678",
		"user=ada&password=pw1":                                                  "user=ada&password=••••",
		"https://ada:pw1@x.test:8080/a":                                          "https://ada:••••@x.test:8080/a",
		"http://127.0.0.1:8080/a@b:c":                                            "http://127.0.0.1:8080/a@b:c",
		`{"user": "ada", "password" : "x"}`:                                      `{"user": "ada", "password" : "x"}`,
		`{"user": "ada", "password": "x", "access_token":"abcdef123456"}`:        `{"user": "ada", "password": "••••", "access_token":"••••"}`,
		`{\"refreshToken\":\"abc\\\"def12345\",\"n\":1}`:                         `{\"refreshToken\":\"••••\",\"n\":1}`,
		`{"token": true, "secret": 5}`:                                           `{"token": true, "secret": 5}`,
		"Authorization: Bearer abcdef0123456789abcdef":                           "Authorization: Bearer ••••",
		"a bearer token is a word, Bearer of news":                               "a bearer token is a word, Bearer of news",
		"Authorization: Basic YWRhOnB3MTIzNDU2Nzg=":                              "Authorization: Basic ••••",
		"Set-Cookie: sid=abcdef; Path=/\nx":                                      "Set-Cookie: ••••\nx",
		"Cookie: none here":                                                      "Cookie: none here",
		"await page.getByLabel('Password').fill('hunter22');":                    "await page.getByLabel('Password').fill('••••');",
		"await page.fill('#password', 'pw1')":                                    "await page.fill('#password', '••••')",
		"await page.getByLabel('City').fill('Bonn');":                            "await page.getByLabel('City').fill('Bonn');",
		"document.querySelector('[type=password]').value = 'pw1'":                "document.querySelector('[type=password]').value = '••••'",
		"-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nx": "-----BEGIN RSA PRIVATE KEY-----••••-----END RSA PRIVATE KEY-----\nx",
		"uid=1_5 textbox \"Password\" value=\"hunter22\"":                        "uid=1_5 textbox \"Password\" value=\"••••\"",
	} {
		m := New(false)
		got := m.Text(in)
		if got != want {
			t.Errorf("%q\nbecame %q\nwant   %q", in, got, want)
		}
		if (m.Count() > 0) != (in != want) {
			t.Errorf("%q: %d counted", in, m.Count())
		}
		if again := m.Text(got); again != got {
			t.Errorf("%q is masked a second time: %q", got, again)
		}
		if kept := New(true).Text(in); kept != in {
			t.Errorf("kept: %q became %q", in, kept)
		}
	}
}

// A field that says nothing itself is known by what the page shows of it.
func TestTypedByRef(t *testing.T) {
	shown := func(handle string) string {
		return map[string]string{"e5": `- textbox "Password" [ref=e5]`, "3": "[3]<input type=password />", "e7": `- textbox "City" [ref=e7]`}[handle]
	}
	for _, c := range []struct{ in, want map[string]any }{
		{map[string]any{"ref": "e5", "text": "hunter22"}, map[string]any{"ref": "e5", "text": Masked}},
		{map[string]any{"ref": "e7", "text": "hunter33"}, map[string]any{"ref": "e7", "text": "hunter33"}},
		// Of what no page shows nobody knows what it takes, unless the call says so.
		{map[string]any{"ref": "e6", "text": "hunter33"}, map[string]any{"ref": "e6", "text": Masked}},
		{map[string]any{"ref": "e6", "element": "the text field", "text": "hunter33"}, map[string]any{"ref": "e6", "element": "the text field", "text": Masked}},
		{map[string]any{"ref": "e6", "element": "City", "text": "hunter33"}, map[string]any{"ref": "e6", "element": "City", "text": "hunter33"}},
		{map[string]any{"index": 3.0, "text": "hunter44"}, map[string]any{"index": 3.0, "text": Masked}},
		{
			map[string]any{"action": "act", "ref": "e5", "request": map[string]any{"kind": "type", "text": "hunter55"}},
			map[string]any{"action": "act", "ref": "e5", "request": map[string]any{"kind": "type", "text": Masked}},
		},
		{
			map[string]any{"fields": []any{map[string]any{"ref": "e5", "value": "hunter66"}, map[string]any{"ref": "e7", "value": "Bonn"}}},
			map[string]any{"fields": []any{map[string]any{"ref": "e5", "value": Masked}, map[string]any{"ref": "e7", "value": "Bonn"}}},
		},
	} {
		m := New(false)
		m.Args(c.in, shown)
		if diff := cmp.Diff(c.want, c.in); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCookies(t *testing.T) {
	if !AsksForCookies("browser_evaluate", map[string]any{"function": "() => document.cookie"}) ||
		!AsksForCookies("browser_cookie_list", nil) || AsksForCookies("browser_evaluate", map[string]any{"function": "() => 1"}) {
		t.Error("who asks for cookies")
	}
	const answer = `"sid=abcd1234; theme=dark" {"name": "sid", "value": "abcd1234"} a = 5`
	if got := New(false).Answer(answer, true); strings.Contains(got, "abcd1234") || strings.Contains(got, "dark") || !strings.Contains(got, "theme=") {
		t.Errorf("%q", got)
	}
	if got := New(false).Answer("a=b c=dark", false); got != "a=b c=dark" {
		t.Errorf("%q", got)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"?token=abcdefgh", `"password":"x"`, "Bearer 0123456789abcdefg", "://a:b@c", ".fill('password','x')", "-----BEGIN PRIVATE KEY-----x-----END", "- textbox \"Password\" [ref=e1]: x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m := New(false)
		out := m.Answer(s, true)
		if m.Count() == 0 && out != s {
			t.Fatalf("%q became %q and nothing was counted", s, out)
		}
		if strings.Count(out, "\n") != strings.Count(s, "\n") && !strings.Contains(s, "PRIVATE KEY") {
			t.Fatalf("%q lost lines: %q", s, out)
		}
	})
}
