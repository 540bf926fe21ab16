package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// burst is how close together two writes belong to one frame of the cast.
const burst = 8 * time.Millisecond

// frame is what the program wrote at one moment of the cast.
type frame struct {
	at   time.Duration
	data []byte
}

// camera takes down what a program writes to its terminal, and when. tmux hands
// the bytes over as they come from the program.
type camera struct {
	terminal *terminal
	frames   []frame
	done     chan error // one answer, at the film's end
}

// film puts a camera on a terminal whose program has not begun.
func film(t *terminal) (*camera, error) {
	path := filepath.Join(t.dir, "film")
	if err := namedPipe(path); err != nil {
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	c := &camera{terminal: t, done: make(chan error, 1)}
	go func() { c.done <- c.roll(path) }()
	// tmux runs it where its server was started; the folder's name is ours and
	// holds no quote.
	_, err := t.do("pipe-pane", "-O", "-t", "t", "exec cat >'"+path+"'")
	return c, err
}

// roll reads until the writer ends.
func (c *camera) roll(path string) error {
	pipe, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = pipe.Close() }()
	start, buf := time.Time{}, make([]byte, 64<<10)
	for {
		n, err := pipe.Read(buf)
		if n > 0 {
			if start.IsZero() {
				start = time.Now() // the cast begins with the first thing to be seen
			}
			at := time.Since(start)
			if last := len(c.frames) - 1; last >= 0 && at-c.frames[last].at < burst {
				c.frames[last].data = append(c.frames[last].data, buf[:n]...)
			} else {
				c.frames = append(c.frames, frame{at, bytes.Clone(buf[:n])})
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// cut ends the film and answers it.
func (c *camera) cut() ([]frame, error) {
	if _, err := c.terminal.do("pipe-pane", "-t", "t"); err != nil {
		return nil, err
	}
	select {
	case err := <-c.done:
		if err != nil {
			return nil, fmt.Errorf("reading what the program writes: %w", err)
		}
	case <-time.After(patience):
		return nil, errors.New("what the program writes does not come to an end")
	}
	if len(c.frames) == 0 {
		return nil, errors.New("nothing came of what the program writes")
	}
	return c.frames, nil
}

// cast writes frames as asciicast v2: a header, then an event a line, [seconds,
// "o", text]. (docs.asciinema.org/manual/asciicast/v2)
func cast(title string, cols, rows int, c colours, frames []frame) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	type theme struct {
		FG      string `json:"fg"`
		BG      string `json:"bg"`
		Palette string `json:"palette"`
	}
	header := struct {
		Version int               `json:"version"`
		Width   int               `json:"width"`
		Height  int               `json:"height"`
		Title   string            `json:"title"`
		Env     map[string]string `json:"env"`
		Theme   theme             `json:"theme"`
	}{2, cols, rows, title, map[string]string{"TERM": "xterm-256color"}, theme{c.text, c.ground, strings.Join(base[:], ":")}}
	if err := enc.Encode(header); err != nil {
		return nil, err
	}
	var left []byte
	for _, f := range frames {
		var text []byte
		text, left = silent(append(left, f.data...))
		if len(text) == 0 {
			continue
		}
		seconds := json.RawMessage(fmt.Sprintf("%.3f", f.at.Seconds()))
		if err := enc.Encode([]any{seconds, "o", string(text)}); err != nil {
			return nil, err
		}
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("the program's last words break off: %q", left)
	}
	return b.Bytes(), nil
}

// silent leaves out of a program's output what a player's terminal would answer
// or remember after the cast: questions about colours and modes, the mouse, the
// keyboard, the title. All that is to be seen stays. It answers what is left
// over at the end, cut off within a sequence or a character.
func silent(b []byte) (text, left []byte) {
	left = pieces(b, func(raw []byte, p *ansi.Parser) {
		if seen(raw, ansi.Cmd(p.Command())) {
			text = append(text, raw...)
		}
	})
	return text, bytes.Clone(left)
}

// seen says whether a piece of output shows on the screen.
func seen(raw []byte, cmd ansi.Cmd) bool {
	switch {
	case !csi(raw): // letters and short sequences show; titles, links and questions do not
		return len(raw) < 2 || raw[0] != 0x1b || !bytes.ContainsAny(raw[1:2], "]P_^X")
	case cmd.Prefix() != 0 && (cmd.Final() == 'h' || cmd.Final() == 'l'):
		mode := string(raw[3 : len(raw)-1])
		return mode == "25" || mode == "1049" // the cursor, the second screen
	case cmd.Prefix() != 0, bytes.IndexByte([]byte("cntq"), cmd.Final()) >= 0:
		return false
	}
	return cmd.Intermediate() != '$' // $p asks for a mode
}
