package mask

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Two megabytes of whatever is looked for take less than the seconds that one
// of them took when each find copied the text.
func TestMaskingTakesLinearTime(t *testing.T) {
	fields := func(line string) string {
		var b strings.Builder
		for i := range 40_000 {
			fmt.Fprintf(&b, line, i, i, i)
		}
		return b.String()
	}
	texts := map[string]string{
		"password fields": fields("- textbox \"Password %d\" [ref=e%d]: secret-%d\n"),
		"uid fields":      fields("uid=1_%d textbox \"Password %d\" value=\"secret-%d\"\n"),
	}
	for _, part := range []string{
		"token=abcdefgh&", `"password":"abcdefgh",`, `\"password\":\"x\",`, "Bearer abcdefghijklmnopqrst ", "Cookie: a=b ", "Authorization: ",
		"://", "://a:b@", ".fill('Password', 'x')", "-----BEGIN PRIVATE KEY-----", "PRIVATE KEY-----END", "=", `":`, "ghp_", "sk-0123456789abcdefghij ",
	} {
		texts[part] = strings.Repeat(part, 2<<20/len(part))
	}
	for name, text := range texts {
		m := New(false)
		for i := range 300 { // with as many typed secrets as are remembered
			m.known.learn(fmt.Sprintf("secret-%d!", i))
		}
		began := time.Now()
		m.Answer(text, true)
		if d := time.Since(began); d > 8*time.Second {
			t.Errorf("%s: %d bytes took %s", name, len(text), d.Round(time.Millisecond))
		} else {
			t.Logf("%s: %s", name, d.Round(time.Millisecond))
		}
	}
}

func BenchmarkText(b *testing.B) {
	var s strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&s, "    - row \"Order %d Ada Abel\" [ref=e%d]:\n      - link \"Open\" [ref=e%d] [cursor=pointer]:\n        - /url: /orders/%d?tab=1&sort=name\n", i, i, i+1, i)
	}
	text := s.String()
	m := New(false)
	m.known.learn("correct horse battery")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Text(text)
	}
}
