package tui

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
)

var goldenSizes = []struct{ w, h int }{{80, 24}, {120, 36}, {200, 60}}

// views are the keys that open each view of the screen.
var views = []struct {
	name string
	keys []string
}{
	{"start", nil},
	{"main", []string{"s", "s", "s", "s"}},
	{"past", []string{"s", "s", "s", "s", "s", "[", "["}},
	{"failed", []string{"s", "s", "s", "s", "s", "i"}},
	{"zoom", []string{"s", "s", "s", "tab", "z"}},
	{"fold", []string{"s", "s", "s", "s", "f"}},
	{"search", []string{"s", "s", "s", "s", "/", "R", "a", "v", "i", "enter", "n"}},
	{"knobs", []string{"s", "s", "s", "s", "tab", "o", "+", "+"}},
	{"why", []string{"s", "s", "s", "s", "tab", "enter"}},
	{"context", []string{"s", "s", "s", "s", "s", "s", "v", "down"}},
	{"help", []string{"s", "?"}},
	{"palette", []string{"s", "ctrl+p", "k", "n"}},
	{"command", []string{"s", ":", "c", "l"}},
	{"break", []string{"s", "b", "t", "o"}},
	{"copy", []string{"s", "s", "s", "s", "y"}},
	{"list", []string{"c", "c", "l", "up"}},
	{"list-sorted", []string{"c", "c", "l", "s"}},
}

// TestGoldenText holds every view at three sizes, without styles.
func TestGoldenText(t *testing.T) {
	for _, v := range views {
		for _, s := range goldenSizes {
			t.Run(fmt.Sprintf("%s-%dx%d", v.name, s.w, s.h), func(t *testing.T) {
				d := newDriver(t, Config{Engine: leadsEngine(130), Theme: "dark"}, s.w, s.h)
				d.press(v.keys...)
				golden.RequireEqual(t, []byte(d.screen()+"\n"))
			})
		}
	}
}

// TestGoldenLook holds the styles: the three themes at three sizes, with every
// escape sequence.
func TestGoldenLook(t *testing.T) {
	for _, theme := range []string{"dark", "light", "none"} {
		for _, s := range goldenSizes {
			t.Run(fmt.Sprintf("%s-%dx%d", theme, s.w, s.h), func(t *testing.T) {
				d := newDriver(t, Config{Engine: leadsEngine(130), Theme: theme, NoColor: theme == "none"}, s.w, s.h)
				d.press("s", "s", "s", "s")
				golden.RequireEqual(t, []byte(d.m.View().Content+"\n"))
			})
		}
	}
	for _, v := range views[6:10] {
		t.Run("contrast-"+v.name, func(t *testing.T) {
			d := newDriver(t, Config{Engine: leadsEngine(130), Theme: "contrast"}, 120, 36)
			d.press(v.keys...)
			golden.RequireEqual(t, []byte(d.m.View().Content+"\n"))
		})
	}
}
