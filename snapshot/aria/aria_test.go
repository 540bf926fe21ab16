package aria

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"snapscope/snapshot"
)

func TestDecode(t *testing.T) {
	raw := `{"url":"http://a/","title":"A","elements":7,"prefix":"f2","frames":[{"ref":"f2e3","line":1}],"notes":["cut: x"],"boxes":[1,0,0,1280,720,3,-5,10,100,50]}` +
		"\n- generic [ref=f2e1]:\n  - iframe [ref=f2e3]"
	got, err := Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	want := Answer{
		Text: "- generic [ref=f2e1]:\n  - iframe [ref=f2e3]", URL: "http://a/", Title: "A", Elements: 7,
		Frames: []Frame{{Ref: "f2e3", Line: 1}}, Notes: []string{"cut: x"},
		Boxes: map[string]snapshot.Box{"f2e1": {X: 0, Y: 0, W: 1280, H: 720}, "f2e3": {X: -5, Y: 10, W: 100, H: 50}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"nothing":                "",
		"no text":                `{"url":""}`,
		"no JSON":                "hello\n- button",
		"a list":                 "[]\n",
		"a frame past the end":   `{"frames":[{"ref":"e1","line":1}]}` + "\n- iframe",
		"a frame before the top": `{"frames":[{"ref":"e1","line":-1}]}` + "\n- iframe",
		"frames out of order":    `{"frames":[{"ref":"e1","line":1},{"ref":"e2","line":0}]}` + "\n- iframe\n- iframe",
		"two frames on a line":   `{"frames":[{"ref":"e1","line":0},{"ref":"e2","line":0}]}` + "\n- iframe",
		"half a box":             `{"boxes":[1,2,3]}` + "\n",
		"boxes of text":          `{"boxes":["1"]}` + "\n",
	} {
		if a, err := Decode(raw); err == nil {
			t.Errorf("%s: decoded to %+v", name, a)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error of several lines: %q", name, err)
		}
	}
}

func TestJoin(t *testing.T) {
	main := Answer{
		Text: "- generic [ref=e1]:\n  - iframe [ref=e2]\n  - iframe [ref=e3]: no frames\n  - iframe [ref=e4]\n  - iframe [ref=e5]", Elements: 5,
		Frames: []Frame{{"e2", 1}, {"e3", 2}, {"e4", 3}, {"e5", 4}}, Notes: []string{"one"},
		Boxes: map[string]snapshot.Box{"e1": {W: 1, H: 1}},
	}
	children := map[string]Answer{
		"e2": {Text: "- button \"a\" [ref=f1e1]\n- text: b", Elements: 2, Notes: []string{"two"}, Boxes: map[string]snapshot.Box{"f1e1": {W: 2, H: 2}}},
		"e3": {Text: "- text: c", Elements: 1},
		"e4": {Elements: 3},
	}
	got := Join(main, children)
	want := Answer{
		Text: "- generic [ref=e1]:\n  - iframe [ref=e2]:\n    - button \"a\" [ref=f1e1]\n    - text: b\n  - iframe [ref=e3]:\n    - text: c\n" +
			"  - iframe [ref=e4]\n  - iframe [ref=e5]",
		Elements: 11, Frames: main.Frames, Notes: []string{"one", "two"},
		Boxes: map[string]snapshot.Box{"e1": {W: 1, H: 1}, "f1e1": {W: 2, H: 2}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(main.Boxes) != 1 || len(main.Notes) != 1 {
		t.Error("Join changed its argument")
	}
	if diff := cmp.Diff(main, Join(main, nil)); diff != "" {
		t.Errorf("without children (-want +got):\n%s", diff)
	}
}

func TestMoved(t *testing.T) {
	a := Answer{Boxes: map[string]snapshot.Box{"e1": {X: 1, Y: 2, W: 3, H: 4}}}
	if got, want := a.Moved(10, -20).Boxes["e1"], (snapshot.Box{X: 11, Y: -18, W: 3, H: 4}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if a.Boxes["e1"].X != 1 {
		t.Error("Moved changed its argument")
	}
	if (Answer{}).Moved(1, 1).Boxes != nil {
		t.Error("an answer without boxes got some")
	}
}

// Joining keeps every line of every part: the child's once, two spaces deeper.
func TestJoinKeepsLines(t *testing.T) {
	line := rapid.StringMatching(`- [a-z]{1,6}( \[ref=e\d\])?`)
	rapid.Check(t, func(t *rapid.T) {
		mainLines := rapid.SliceOfN(line, 1, 8).Draw(t, "main")
		at := rapid.IntRange(0, len(mainLines)-1).Draw(t, "at")
		mainLines[at] = "- iframe [ref=e99]"
		childLines := rapid.SliceOfN(line, 1, 8).Draw(t, "child")
		got := Join(Answer{Text: strings.Join(mainLines, "\n"), Frames: []Frame{{"e99", at}}},
			map[string]Answer{"e99": {Text: strings.Join(childLines, "\n")}})
		want := append([]string(nil), mainLines[:at+1]...)
		want[at] += ":"
		for _, l := range childLines {
			want = append(want, "  "+l)
		}
		want = append(want, mainLines[at+1:]...)
		if diff := cmp.Diff(want, strings.Split(got.Text, "\n")); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"url":"u","title":"t","elements":1,"prefix":""}` + "\n- button")
	f.Add(`{"frames":[{"ref":"e1","line":0}],"boxes":[1,2,3,4,5]}` + "\n- iframe [ref=e1]")
	f.Add("\n")
	f.Fuzz(func(t *testing.T, raw string) {
		a, err := Decode(raw)
		if err != nil {
			return
		}
		if !strings.HasSuffix(raw, "\n"+a.Text) {
			t.Errorf("text %q is not the end of %q", a.Text, raw)
		}
		children := map[string]Answer{}
		for _, frame := range a.Frames {
			children[frame.Ref] = Answer{Text: "- text: child"}
		}
		joined := Join(a, children)
		if got, want := strings.Count(joined.Text, "\n"), strings.Count(a.Text, "\n")+len(a.Frames); got != want {
			t.Errorf("joined text has %d line ends, want %d", got, want)
		}
	})
}

// The script is one expression that leaves nothing but its one object: every
// file is inside the function, and node, where there is one, can read it.
func TestScript(t *testing.T) {
	if !strings.HasPrefix(Script, "(() => {") || !strings.HasSuffix(Script, "})();\n") {
		t.Error("the script is not one function call")
	}
	for _, name := range []string{"capture", "element", "describe", "find", "query", "closed"} {
		if !strings.Contains(Script, "function "+name+"(") {
			t.Errorf("the script has no function %s", name)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return // the browser's own tests evaluate it
	}
	cmd := exec.Command(node, "--check", "-")
	cmd.Stdin = strings.NewReader(Script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("node --check: %v\n%s", err, out)
	}
}
