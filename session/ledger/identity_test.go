package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/snapshot/notation"
)

// A URL is loaded again and again, with the same refs, with shifted ones, or before the
// page is there: an element can be read where a readable load shows its ref, role and
// name as the load that is acted on does.
func TestLawOfReloads(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		var k talk
		shown := map[string]string{} // of the load at hand: ref to line
		var loads []map[string]string
		text := func(from, n int) string {
			shown = map[string]string{}
			out := "- main [ref=e1]:"
			for i := range n {
				ref := fmt.Sprintf("e%d", i+2)
				shown[ref] = fmt.Sprintf("- button \"row %d\"", from+i)
				out += "\n  " + shown[ref] + " [ref=" + ref + "]"
			}
			return "### Page\n- Page URL: http://heron.test/desk\n### Snapshot\n```yaml\n" + out + "\n```"
		}
		size, from := rapid.IntRange(3, 30).Draw(rt, "size"), 0
		full, one, acted := 0, 0, 0
		for range rapid.IntRange(1, 5).Draw(rt, "loads") {
			from += rapid.IntRange(0, 1).Draw(rt, "shift")
			seen := size
			if rapid.Bool().Draw(rt, "early") {
				seen = rapid.IntRange(0, size-1).Draw(rt, "there")
			}
			k.ask("browser_navigate", object{"url": "http://heron.test/desk"}, text(from, seen))
			loads = append(loads, shown)
			ref := fmt.Sprintf("e%d", rapid.IntRange(2, size+1).Draw(rt, "ref"))
			_, here := shown[ref]
			k.ask("browser_click", object{"element": "x", "target": ref}, text(from, size))
			acted++
			readable := here
			for _, l := range loads { // the page behind each click is the whole load's
				readable = readable || l[ref] == shown[ref]
			}
			loads = append(loads, shown)
			if readable {
				full++
			}
			if here {
				one++
			}
		}
		s := studied(t, k.timeline(rt, dir), "full", "keep-one")
		for i, want := range []int{full, one} {
			if v := s.Reports[i].Survival; v.Survived != want || v.Acted != acted {
				rt.Fatalf("%s: %d of %d, want %d of %d: %+v", s.Reports[i].Policy.Name, v.Survived, v.Acted, want, acted, v.Lost)
			}
		}
	})
}

// A server that sends changed parts closes and opens menus; what comes back as it was is
// named as unchanged. Every page is put together as it was, and what it shows can be read.
func TestLawOfWhatComesBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		var k talk
		menus := rapid.IntRange(1, 3).Draw(rt, "menus")
		version, last, open := make([]int, menus), make([]string, menus), make([]bool, menus)
		body := func(m int) string {
			return fmt.Sprintf("  - menu [ref=e%d00]:\n    - listitem [ref=e%d01]: entry %d\n    - listitem [ref=e%d02]: last", m+1, m+1, version[m], m+1)
		}
		fence := func(tree string) string {
			return "### Page state\n- Page URL: http://heron.test/lab\n- Page Title: Lab\n- Page Snapshot:\n```yaml\n" + tree + "\n```"
		}
		tools := "  - generic [ref=e1]:"
		for i := range 30 {
			tools += fmt.Sprintf("\n    - button \"%s %d\" [ref=e%d]", "Tool", i, i+2)
		}
		k.ask("browser_navigate", object{"url": "http://heron.test/lab"}, fence("- generic [active]:\n"+tools))
		truth := []string{"- generic [active]:\n" + tools}
		acted := 0
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			m := rapid.IntRange(0, menus-1).Draw(rt, "menu")
			args := object{"element": "x", "ref": "e3"}
			if open[m] && rapid.Bool().Draw(rt, "inside") {
				args["ref"] = fmt.Sprintf("e%d02", m+1)
			}
			acted++
			open[m] = !open[m]
			if open[m] && rapid.IntRange(0, 2).Draw(rt, "other") == 0 {
				version[m]++
			}
			whole, sent := "- generic:\n"+tools, "- <changed> generic:\n  - ref=e1 [unchanged]"
			for i := range menus {
				if !open[i] {
					continue
				}
				whole += "\n" + body(i)
				if last[i] == body(i) {
					sent += fmt.Sprintf("\n  - ref=e%d00 [unchanged]", i+1)
				} else {
					sent += "\n" + body(i)
				}
				last[i] = body(i)
			}
			truth = append(truth, whole)
			k.ask("browser_click", args, fence(sent))
		}
		tl := k.timeline(rt, dir)
		for i := range tl.Snaps {
			if got := tl.Snaps[i].Snap; got.Text != truth[i] || got.Partial {
				rt.Fatalf("page %d, partial %v %q:\n%s\nwant\n%s", i+1, got.Partial, got.Notes, got.Text, truth[i])
			}
		}
		s := studied(t, tl, "full", "delta", "playwright-incremental")
		for _, r := range append(s.Reports, s.AsSent) {
			if r.Survival.Survived != acted || r.Survival.Acted != acted {
				rt.Fatalf("%s: %d of %d: %+v", r.Policy.Name, r.Survival.Survived, acted, r.Survival.Lost)
			}
		}
	})
}

// Numbers that are given anew on every page name other elements on other pages.
func TestNumbersAreNoIdentities(t *testing.T) {
	for _, c := range []struct {
		name        string
		dialect     notation.Dialect
		older, page string
		want        string
	}{
		{"another element", notation.Index, "[5]<a>Home</a>", "[5]<button>Save</button>", "0/1"},
		{"the same element", notation.Index, "[5]<button>Save</button>", "[5]<button>Save</button>", "1/1"},
		{"another field", notation.Index, "[5]<input placeholder=Name />", "[5]<input placeholder=Search />", "0/1"},
		{"another node", notation.AXTree, "[5] link 'Home'", "[5] button 'Save'", "0/1"},
		{"the same node, now with the focus", notation.AXTree, "[5] button 'Save'", "[5] button 'Save' focused: True", "1/1"},
		{"agent-browser", notation.AgentBrowser, "- link \"Home\" [ref=e5]", "- button \"Save\" [ref=e5]", "0/1"},
		{"Playwright's refs stay", notation.Aria, "- button \"Save\" [ref=e5]", "- button \"Save (1)\" [ref=e5]", "1/1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := new(script)
			s.act(session.VerbGoto, "", c.older).act(session.VerbScroll, "", c.page)
			for i := range s.events {
				if r := s.events[i].Result; r != nil {
					r.Snapshot.Dialect = c.dialect
				}
			}
			s.put(session.Event{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: []string{"a2"}}})
			ref := "5"
			if strings.Contains(c.page, "e5") {
				ref = "e5"
			}
			s.act(session.VerbClick, ref, "")
			sheet := studied(t, s.timeline(), "full")
			if got := survives(sheet.AsSent); got != c.want {
				t.Errorf("as sent %s, want %s", got, c.want)
			}
			mustSurvive(t, sheet, "1/1")
		})
	}
}
