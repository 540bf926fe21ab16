package mask

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMasking(t *testing.T) {
	m := New(false)
	for in, want := range map[string]string{
		"key sk-" + "proj-0123456789abcdef0123 and ghp_" + "abcdefghij0123456789abcdef.": "key •••• and ••••",
		"AKIAIOSFODNN7EXAMPLE":                             "••••",
		"Bearer eyJhbGciOi.eyJzdWIiOiIx.SflKxwRJSMeKKF2QT": "Bearer ••••",
		"sk-learn-is-a-library-without-digits":             "sk-learn-is-a-library-without-digits",
		"a-long-word-0123456789-0123456789":                "a-long-word-0123456789-0123456789",
		"  - textbox \"Password\" [ref=e5]: hunter22":      "  - textbox \"Password\" [ref=e5]: ••••",
		"  - textbox \"Password\" [ref=e5]":                "  - textbox \"Password\" [ref=e5]",
		"- text: Password forgotten? ]: here":              "- text: Password forgotten? ]: here",
		"now hunter22 again":                               "now •••• again",
	} {
		if got := m.Text(in); in != "now hunter22 again" && got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
	if got := m.Text("now hunter22 again"); got != "now •••• again" {
		t.Errorf("a learnt secret: %q", got)
	}
	args := map[string]any{
		"element": "Password field", "text": "correct horse", "password": "x9", "pin": 4.0,
		"fields": []any{map[string]any{"name": "Passcode", "value": "0000-1"}, map[string]any{"name": "City", "value": "Bonn"}, "plain"},
	}
	m.Args(args, nil)
	want := map[string]any{
		"element": "Password field", "text": "••••", "password": "••••", "pin": 4.0,
		"fields": []any{map[string]any{"name": "Passcode", "value": "••••"}, map[string]any{"name": "City", "value": "Bonn"}, "plain"},
	}
	if diff := cmp.Diff(want, args); diff != "" {
		t.Error(diff)
	}
	if got := m.Text("typed correct horse"); got != "typed ••••" {
		t.Errorf("%q", got)
	}
	for name, secret := range map[string]bool{"Laptop": false, "OTP": true, "Enter otp code": true, "Secretary": false, "Client secret": true, "new_password": true, "Search": false} {
		if SaysSecret(name) != secret {
			t.Errorf("%s says secret: %v", name, !secret)
		}
	}
	m.Args(map[string]any{"element": "PIN code (otp)", "text": "1234"}, nil)
	if got := m.Text("fill('1234') of 1234 rows, \"1234\""); got != "fill('••••') of 1234 rows, \"••••\"" {
		t.Errorf("a short secret: %q", got)
	}
}
