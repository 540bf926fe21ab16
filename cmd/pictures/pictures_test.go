package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// pictures is where they are kept.
var pictures = filepath.Join("..", "..", "testdata", "pictures")

// TestEveryPictureIsThere holds what is committed against the tables it is made from.
func TestEveryPictureIsThere(t *testing.T) {
	for _, sh := range shots() {
		data, err := os.ReadFile(filepath.Join(pictures, sh.name+".png"))
		if err != nil {
			t.Errorf("%v: run make pictures", err)
			continue
		}
		got, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s.png: %v", sh.name, err)
		}
		if w, h := width(sh.cols)*sharpness, height(sh.rows)*sharpness; got.Width != w || got.Height != h {
			t.Errorf("%s.png is %d×%d, not %d×%d: run make pictures", sh.name, got.Width, got.Height, w, h)
		}
		if len(data) > 300_000 {
			t.Errorf("%s.png has %d bytes, too many to load with a README", sh.name, len(data))
		}
	}
}

// TestTheTourIsWhole reads the committed cast as a player does.
func TestTheTourIsWhole(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(pictures, "tour.cast"))
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 1_500_000 {
		t.Errorf("%d bytes are too many", len(data))
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data))
	lines.Scan()
	var header struct{ Version, Width, Height int }
	if err := json.Unmarshal(lines.Bytes(), &header); err != nil || header.Version != 2 ||
		header.Width != tourCols || header.Height != tourRows {
		t.Errorf("header %+v, %v", header, err)
	}
	var all strings.Builder
	last := 0.0
	for n := 2; lines.Scan(); n++ {
		var at float64
		var what, text string
		if err := json.Unmarshal(lines.Bytes(), &[]any{&at, &what, &text}); err != nil || what != "o" || at < last {
			t.Fatalf("line %d: %v, %q at %v after %v", n, err, what, at, last)
		}
		last = at
		all.WriteString(text)
	}
	if last < 45 || last > 120 {
		t.Errorf("the tour takes %.0f s", last)
	}
	// Only what is drawn in one go: the program repaints no cell that stays.
	for _, want := range []string{"\x1b[?1049h", "LOST", "\x1b[?1049l", "snapscope replay"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("the tour does not show %q", want)
		}
	}
	if text, left := silent([]byte(all.String())); string(text) != all.String() || len(left) > 0 {
		t.Error("the tour asks the player's terminal something, or breaks off")
	}
}

func TestSilent(t *testing.T) {
	const in = "\x1b[?1049h\x1b[?25l\x1b]11;?\a\x1b[?2026$p\x1b[c\x1b[>4;1m\x1b[>1u\x1b[?1002;1006h\x1b[1;31m日\x1b[2K\r\n" +
		"\x1bP+q524742\x1b\\\x1b]0;title\a\x1b[6n\x1b[2 q\x1b[3;4Hx\x1b[?1049l\x1b[?25h\x1b[2"
	const want = "\x1b[?1049h\x1b[?25l\x1b[1;31m日\x1b[2K\r\n\x1b[3;4Hx\x1b[?1049l\x1b[?25h"
	got, left := silent([]byte(in))
	if string(got) != want || string(left) != "\x1b[2" {
		t.Errorf("got %q and %q, want %q", got, left, want)
	}
}

func TestCast(t *testing.T) {
	got, err := cast("t", 80, 24, dark, []frame{
		{0, []byte("<a>\xe6")},
		{1500 * time.Millisecond, []byte("\x97\xa5\x1b[")}, // both cut off
		{2 * time.Second, []byte("31mb")},
		{3 * time.Second, []byte("\x1b[6n")}, // nothing to see
	})
	if err != nil {
		t.Fatal(err)
	}
	_, events, _ := strings.Cut(string(got), "\n")
	want := `[0.000,"o","<a>"]` + "\n" + `[1.500,"o","日"]` + "\n" + `[2.000,"o","\u001b[31mb"]` + "\n"
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := cast("t", 80, 24, dark, []frame{{0, []byte("\x1b[3")}}); err == nil {
		t.Error("a film that breaks off passes")
	}
}

func TestPageStandsOnTheGrid(t *testing.T) {
	grid, err := parse("a \x1b[1m<b\x1b[m日─\x1b[7m \x1b[m", 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := page(grid, 8, dark)
	for _, want := range []string{
		`<i style="left:10px;top:10px;width:18px;">a </i>`,
		`<i style="left:28px;top:10px;width:18px;font-weight:bold">&lt;b</i>`,
		`<i class="alone" style="left:46px;top:10px;width:18px;">日</i>`,
		`<i class="alone line" style="left:64px;top:10px;width:9px;">─</i>`,
		`<i style="left:73px;top:10px;width:9px;color:#1e1e1e;background:#d4d4d4"> </i>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestSqueezeKeepsFewColoursExactly(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for i := range 1600 {
		// Many shades of grey, and one red dot that must stay red.
		img.Set(i%40, i/40, color.RGBA{uint8(i / 7), uint8(i / 8), uint8(i / 9), 255})
	}
	red := color.RGBA{255, 0, 0, 255}
	img.Set(3, 3, red)
	data, err := squeeze(img)
	if err != nil {
		t.Fatal(err)
	}
	out, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := out.(*image.Paletted); !ok {
		t.Errorf("%T has no palette", out)
	}
	if got := rgba(out.At(3, 3)); got != red {
		t.Errorf("the red dot is %v", got)
	}
	for i := range 1600 {
		x, y := i%40, i/40
		if _, d := closest([]color.RGBA{rgba(img.At(x, y))}, rgba(out.At(x, y))); d > 300 {
			t.Fatalf("at %d,%d %v became %v", x, y, img.At(x, y), out.At(x, y))
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct {
		args  []string
		want  string
		usage bool
	}{
		{[]string{"-only", "nope", "-out", "."}, `there is no "nope", only demo-dark, `, true},
		{[]string{"more"}, `unexpected argument "more"`, true},
		{[]string{"-out", "nowhere"}, "nowhere is no folder", false},
		{[]string{"-out", ".", "-bin", "nowhere"}, "there is no program nowhere: run make build", false},
	} {
		err := run(context.Background(), c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, errUsage) != c.usage {
			t.Errorf("%v: %v", c.args, err)
		}
	}
}

func TestPalette(t *testing.T) {
	for n, want := range map[ansi.IndexedColor]string{0: base[0], 15: base[15], 16: "#000000", 21: "#0000ff", 231: "#ffffff", 244: "#808080"} {
		if got := hex(n); got != want {
			t.Error(fmt.Sprint(n), got, want)
		}
	}
}
