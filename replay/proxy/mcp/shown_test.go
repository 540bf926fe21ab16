package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay/proxy"
	"snapscope/snapshot/mask"
)

// A page's address and title are masked wherever they stand in the recording.
func TestAddressesAndTitlesAreMasked(t *testing.T) {
	t.Parallel()
	secrets := []string{"opensesame1", "abcdef123456", "sk-0123456789abcdef0123"}
	for _, title := range []string{"Orders", "Orders of sk-0123456789abcdef0123"} {
		for _, address := range []string{"https://me:opensesame1@shop.test/orders", "https://shop.test/orders?access_token=abcdef123456&page=2", "https://me:opensesame1@shop.test/cb#id_token=abcdef123456"} {
			w := newWire(t, "", "t", Options{})
			w.ask("browser_navigate", "### Page\n- Page URL: "+address+"\n- Page Title: "+title+"\n### Snapshot\n```yaml\n- generic [ref=e1]:\n  - button \"Go\" [ref=e2]\n```", "")
			rec := finish(t, w.odd)
			for _, secret := range secrets {
				if strings.Contains(rec, secret) {
					t.Errorf("%s %s: %s stands in the recording", address, title, secret)
				}
			}
			if !strings.Contains(rec, "shop.test") || !strings.Contains(rec, "Orders") || !strings.Contains(rec, "[ref=e2]") {
				t.Errorf("%s: more is gone than the secret:\n%s", address, rec)
			}
			if site := w.p.Run().Site; strings.Contains(site, "opensesame1") || strings.Contains(site, "abcdef123456") {
				t.Errorf("the list of proxies shows %s", site)
			}
		}
	}
}

// Whoever watches a held call does not see what is typed into a field for secrets;
// what he leaves masked goes to the server as it came.
func TestAHeldCallHidesItsSecrets(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"by its description": `{"element":"Password","ref":"e9","text":"opensesame1","n":12345678901234567890}`,
		"by the page":        `{"ref":"e2","text":"opensesame1","n":12345678901234567890}`,
		"unknown":            `{"ref":"e99","text":"opensesame1","n":12345678901234567890}`,
	} {
		w := newWire(t, "", "t", Options{})
		w.ask("browser_snapshot", inPage("- generic [ref=e1]:\n  - textbox \"Passcode\" [ref=e2]"), "")
		w.p.Holds().SetRules(proxy.Rules{All: true})
		w.send(callLine("6", "echo", args))
		h := held(t, w.odd)
		if strings.Contains(string(h.Args), "opensesame1") || !strings.Contains(string(h.Args), mask.Masked) {
			t.Errorf("%s: held: %s", name, h.Args)
		}
		edited := strings.Replace(string(h.Args), `"ref":"`, `"more":"x","ref":"`, 1)
		decide(t, w.odd, proxy.Decision{Do: proxy.Go, Args: json.RawMessage(edited)})
		got := w.line()
		for _, want := range []string{`\"text\":\"opensesame1\"`, `\"more\":\"x\"`, `12345678901234567890`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the server lacks %s: %s", name, want, got)
			}
		}
		w.p.Holds().SetRules(proxy.Rules{})
		if rec := finish(t, w.odd); strings.Contains(rec, "opensesame1") {
			t.Errorf("%s: it stands in the recording:\n%s", name, rec)
		}
	}
}

// Whoever watches a held result does not see the secrets in it either. The agent gets the
// answer to the byte, and where a person changed another line of it, the secrets as they came.
func TestAHeldResultHidesItsSecrets(t *testing.T) {
	t.Parallel()
	const page = "- generic [ref=e1]:\n  - textbox \"Password\" [ref=e2]: opensesame1\n  - text: token sk-0123456789abcdef0123\n  - button \"Go <1>\" [ref=e3]"
	secrets := []string{"opensesame1", "sk-0123456789abcdef0123"}
	for name, edit := range map[string]func(shown string) string{
		"let go":  nil,
		"changed": func(shown string) string { return strings.Replace(shown, "Go <1>", "Stop", 1) },
	} {
		w := newWire(t, "", "t", Options{})
		w.p.Holds().SetRules(proxy.Rules{Results: true})
		if err := os.WriteFile(filepath.Join(w.dir, "browser_snapshot"), []byte(inPage(page)), 0o600); err != nil {
			t.Fatal(err)
		}
		w.send(callLine("6", "browser_snapshot", "{}"))
		h := held(t, w.odd)
		if h.What != proxy.HeldResult {
			t.Fatalf("%s: %+v", name, h)
		}
		for _, secret := range secrets {
			if strings.Contains(string(h.Result), secret) {
				t.Errorf("%s: %s is shown: %s", name, secret, h.Result)
			}
		}
		if !strings.Contains(string(h.Result), mask.Masked) || !strings.Contains(string(h.Result), "Go <1>") {
			t.Errorf("%s: held: %s", name, h.Result)
		}
		d := proxy.Decision{Do: proxy.Go}
		if edit != nil {
			d.Result = json.RawMessage(edit(string(h.Result)))
		}
		decide(t, w.odd, d)
		got := w.line()
		for _, secret := range secrets {
			if !strings.Contains(got, secret) {
				t.Errorf("%s: the agent lacks %s: %s", name, secret, got)
			}
		}
		if want := map[bool]string{true: "Go <1>", false: "Stop"}[edit == nil]; !strings.Contains(got, want) || strings.Contains(got, mask.Masked) {
			t.Errorf("%s: the agent got %s", name, got)
		}
		w.p.Holds().SetRules(proxy.Rules{})
		rec := finish(t, w.odd)
		for _, secret := range secrets {
			if strings.Contains(rec, secret) {
				t.Errorf("%s: %s stands in the recording", name, secret)
			}
		}
	}
}
