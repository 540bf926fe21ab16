package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// The grid of a picture, in CSS pixels. Whole numbers, so that grounds and lines
// of neighbouring cells meet without a seam.
const (
	cellWidth  = 9
	cellHeight = 18
	fontSize   = 15
	lineSize   = 15.5 // for lines and bars: as high as a cell, so that they join
	margin     = 10
	// sharpness is how many pixels of the picture a CSS pixel has on each side.
	sharpness = 2
)

// page draws the cells as HTML. Every run of characters stands at the column it
// has in the terminal, whatever the font makes of its width.
func page(grid [][]cell, cols int, c colours) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><meta charset="utf-8"><style>
html,body{margin:0;background:%s}
body{position:relative;overflow:hidden;width:%dpx;height:%dpx;color:%s;
font:%dpx/%dpx "DejaVu Sans Mono","Liberation Mono",Menlo,monospace;font-variant-ligatures:none}
i{position:absolute;height:%dpx;font-style:normal;white-space:pre;overflow:hidden;letter-spacing:calc(%dpx - 1ch)}
i.alone{letter-spacing:0;text-align:center}
i.line{font-size:%.1fpx}
</style><body>`, c.ground, width(cols), height(len(grid)), c.text, fontSize, cellHeight, cellHeight, cellWidth, lineSize)
	for y, row := range grid {
		x := 0
		for i := 0; i < len(row); {
			j := i + 1
			for letter(row[i]) && j < len(row) && letter(row[j]) && row[j].style == row[i].style {
				j++
			}
			cellsWide, text := 0, ""
			for _, r := range row[i:j] {
				cellsWide += r.width
				text += r.text
			}
			class := ""
			switch {
			case line(row[i]):
				class = ` class="alone line"`
			case !letter(row[i]):
				class = ` class="alone"`
			}
			if look := css(row[i].style, c); look != "" || strings.TrimSpace(text) != "" {
				fmt.Fprintf(&b, `<i%s style="left:%dpx;top:%dpx;width:%dpx;%s">%s</i>`, class,
					margin+x*cellWidth, margin+y*cellHeight, cellsWide*cellWidth, look, html.EscapeString(text))
			}
			x += cellsWide
			i = j
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// letter says that a cell can share a run: every fixed-width font has it, and
// at the same width.
func letter(c cell) bool {
	return len(c.text) == 1 && c.text[0] >= 0x20 && c.text[0] < 0x7f
}

// line says that a cell holds a box-drawing or a block character.
func line(c cell) bool {
	r, _ := utf8.DecodeRuneInString(c.text)
	return r >= 0x2500 && r <= 0x259f
}

func width(cols int) int  { return cols*cellWidth + 2*margin }
func height(rows int) int { return rows*cellHeight + 2*margin }

func css(st style, c colours) string {
	text, ground := st.text, st.ground
	if st.reverse {
		text, ground = or(ground, c.ground), or(text, c.text)
	}
	var out []string
	if st.dim {
		text = fmt.Sprintf("color-mix(in srgb,%s 60%%,%s)", or(text, c.text), or(ground, c.ground))
	}
	if text != "" {
		out = append(out, "color:"+text)
	}
	if ground != "" {
		out = append(out, "background:"+ground)
	}
	if st.bold {
		out = append(out, "font-weight:bold")
	}
	if st.italic {
		out = append(out, "font-style:italic")
	}
	var lines []string
	if st.underline {
		lines = append(lines, "underline")
	}
	if st.strike {
		lines = append(lines, "line-through")
	}
	if lines != nil {
		out = append(out, "text-decoration:"+strings.Join(lines, " "))
	}
	return strings.Join(out, ";")
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// photograph lets the browser make a PNG of a page of the given size in CSS
// pixels, and holds the size of what it made against that.
func photograph(ctx context.Context, chromium, doc string, w, h int) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	src, dst := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.png")
	if err := os.WriteFile(src, []byte(doc), 0o600); err != nil {
		return nil, err
	}
	args := []string{
		"--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + dir,
		fmt.Sprintf("--force-device-scale-factor=%d", sharpness),
		fmt.Sprintf("--window-size=%d,%d", w, h), "--screenshot=" + dst, "file://" + src,
	}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // Chromium refuses to run as root otherwise
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, args...)
	cmd.WaitDelay = 5 * time.Second // its children may hold on to the output
	out, err := cmd.CombinedOutput()
	data, missing := os.ReadFile(dst)
	if missing != nil {
		return nil, fmt.Errorf("%s made no picture (%w): %s", chromium, errors.Join(err, missing), lastLine(out))
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the browser's picture: %w", err)
	}
	if got, want := img.Bounds().Size(), image.Pt(w*sharpness, h*sharpness); got != want {
		return nil, fmt.Errorf("the browser's picture is %v pixels, not %v", got, want)
	}
	return squeeze(img)
}

func lastLine(out []byte) string {
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return string(lines[len(lines)-1])
}
