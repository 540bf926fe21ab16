package mask

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A pass that finds something is always among the suspects: the quick look spares
// work, it never lets a secret through.
func TestNoSecretEscapesTheQuickLook(t *testing.T) {
	pieces := []string{
		"- textbox \"Password\" [ref=e1]: ", "- checkbox \"", "searchbox", "<input type=password value=", "[3]<input ", "hunter2hunter2", "box", "check",
		"Authorization: ", "authorization: Basic ", "Bearer ", "bearer ", "cookie: ", "Set-Cookie: ", "sid=", "abcdefghijklmnop0123", ".fill(", ".type(",
		".send_keys(", ".pressSequentially(", ".value = ", "'", `"`, `\"`, "password", "token=", "&api_key=", `"secret": `, `"`, ":", "://user:", "@host",
		"-----BEGIN PRIVATE KEY-----", "\n", " ", ";", ",", "=", "ghp_", "ghp_abcdefghij0123456789 ", "é", `"api_secret":"hunter2hunter2"`, `\"secret\": \"hunter2hunter2\"`, "https://me:hunter2@host/", "\x00",
	}
	found := map[int]int{}
	one := func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 12).Draw(t, "pieces"), "")
		set := suspects(s)
		for i, pass := range passes {
			hits := 0
			pass(s, func(int, int, bool) { hits++ })
			found[i] += hits
			if hits > 0 && set>>i&1 == 0 {
				t.Fatalf("pass %d finds something in %q and is no suspect", i, s)
			}
		}
	}
	for range 20 {
		rapid.Check(t, one)
	}
	for i := range passes {
		if i != ofPrivateKeys && found[i] == 0 {
			t.Errorf("pass %d never found anything", i)
		}
	}
}

func FuzzSuspects(f *testing.F) {
	f.Add("- textbox \"Password\": hunter2\nAuthorization: Bearer abcdefghijklmnopqrst")
	f.Fuzz(func(t *testing.T, s string) {
		set := suspects(s)
		for i, pass := range passes {
			pass(s, func(int, int, bool) {
				if set>>i&1 == 0 {
					t.Errorf("pass %d finds something in %q and is no suspect", i, s)
				}
			})
		}
	})
}
