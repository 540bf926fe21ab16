package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/snapshot/wording"
	"snapscope/tui/dialog"
	"snapscope/tui/view"
)

// editHeld lets a person change what is held: in the line where it fits into one,
// else in an editor. What was changed and not sent is there again at the next try.
func (m *holding) editHeld(ask func(dialog.InputKind, string, string) tea.Cmd) tea.Cmd {
	st := m.cfg.Seat.State()
	if len(st.Holds) == 0 {
		m.s.Say(view.LevelInfo, "nothing is held; "+m.s.Keys.Label("step")+" holds the next call")
		return nil
	}
	h := st.Holds[0]
	word, raw := "args", h.Args
	if h.What == proxy.HeldResult {
		word, raw = "give", h.Result
	}
	if m.unsent.hold == h.ID {
		return m.inEditor(h, m.unsent.word, m.unsent.text)
	}
	if line := word + " " + string(raw); len(line) <= dialog.MaxInput {
		return ask(dialog.InputCommand, ":", line)
	}
	if text, ok := onlyText(h.Result); ok && word == "give" {
		return m.inEditor(h, "text", text)
	}
	var text bytes.Buffer
	if json.Indent(&text, raw, "", "  ") != nil {
		text.Reset()
		text.Write(raw)
	}
	return m.inEditor(h, word, text.String())
}

// onlyText is the text of a result that holds nothing else: it is edited as it reads,
// not as JSON writes it.
func onlyText(result json.RawMessage) (string, bool) {
	var all map[string]json.RawMessage
	var blocks []map[string]json.RawMessage
	if json.Unmarshal(result, &all) != nil || len(all) != 1 || json.Unmarshal(all["content"], &blocks) != nil || len(blocks) != 1 || len(blocks[0]) != 2 {
		return "", false
	}
	var kind, text string
	if json.Unmarshal(blocks[0]["type"], &kind) != nil || kind != "text" || json.Unmarshal(blocks[0]["text"], &text) != nil {
		return "", false
	}
	return text, true
}

// unsent is what a person made of a held message and could not send.
type unsent struct{ hold, word, text string }

// edited says that the person has left the editor.
type edited struct {
	hold proxy.Hold
	word string // args and give are followed by JSON, text is what a result says
	was  string
	now  string
	err  error
}

// inEditor gives a text to the person's editor. The screen stands still meanwhile, so
// the lease on what is held is renewed beside it.
func (m *holding) inEditor(h proxy.Hold, word, text string) tea.Cmd {
	name, err := editorOf(os.Getenv)
	if err != nil {
		m.s.Say(view.LevelWarn, fmt.Sprintf("this has %s, more than a line takes: %v", wording.Plural(len(text), "character"), err))
		return nil
	}
	run, done, err := m.editing(name, h, word, text)
	if err != nil {
		m.s.Say(view.LevelWarn, err.Error())
		return nil
	}
	return tea.Exec(run, done)
}

// editing is the editor on a file of its own, and what comes of it; the file goes with
// the editor, for what a call bears may be a secret.
func (m *holding) editing(name []string, h proxy.Hold, word, text string) (tea.ExecCommand, tea.ExecCallback, error) {
	f, err := os.CreateTemp("", "snapscope-edit-*.json") // 0600
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, nil, fmt.Errorf("writing what is to be edited: %w", err)
	}
	s, ctx := m.cfg.Seat, m.ctx
	run := &beating{Cmd: exec.CommandContext(ctx, name[0], append(name[1:], f.Name())...), beat: func() {
		ctx, cancel := context.WithTimeout(ctx, control.Lease)
		defer cancel()
		_ = s.Beat(ctx) // a lease that was lost is told when the message is sent
	}}
	return run, func(err error) tea.Msg {
		data, rerr := os.ReadFile(f.Name())
		rerr = errors.Join(rerr, os.Remove(f.Name()))
		if err != nil {
			rerr = fmt.Errorf("%s ended with an error (%w)", name[0], err)
		}
		return edited{hold: h, word: word, was: text, now: string(data), err: rerr}
	}, nil
}

func (e edited) apply(m *Model) tea.Cmd {
	now := strings.TrimRight(e.now, "\r\n")
	switch {
	case e.err != nil:
		m.s.Say(view.LevelWarn, e.err.Error()+": it is still held")
		return nil
	case now == strings.TrimRight(e.was, "\r\n") && m.unsent.hold == "":
		m.s.Say(view.LevelInfo, "nothing was changed: it is still held")
		return nil
	}
	word, line := e.word, ""
	if word == "text" {
		word, line = "give", `{"content":[{"type":"text","text":`+string(proxy.Quote(now))+`}]}`
	} else {
		var one bytes.Buffer
		err := json.Unmarshal([]byte(now), new(json.RawMessage)) // Compact does not tell where
		if err == nil {
			err = json.Compact(&one, []byte(now))
		}
		if err != nil {
			m.unsent = unsent{e.hold.ID, e.word, now}
			m.s.Say(view.LevelWarn, fmt.Sprintf("%s; still held, %s opens it again", placed(now, err), m.s.Keys.Label("edit")))
			return nil
		}
		line = one.String()
	}
	m.unsent = unsent{}
	return m.seatDo(word + " " + line)
}

// placed is what is wrong with a JSON text, with line and column.
func placed(text string, err error) string {
	var at *json.SyntaxError
	if !errors.As(err, &at) {
		return err.Error()
	}
	before := text[:min(max(int(at.Offset)-1, 0), len(text))]
	return fmt.Sprintf("line %d, column %d: %v", 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n'), err)
}

// editorOf is the person's editor with its arguments: $VISUAL, $EDITOR, vi.
func editorOf(env func(string) string) ([]string, error) {
	for _, name := range []string{env("VISUAL"), env("EDITOR"), "vi"} {
		words := strings.Fields(name)
		if len(words) == 0 {
			continue
		}
		if _, err := exec.LookPath(words[0]); err != nil {
			if name == "vi" {
				break
			}
			return nil, fmt.Errorf("the editor %s is not there; set $EDITOR", words[0])
		}
		return words, nil
	}
	return nil, errors.New("set $EDITOR to change it")
}

// beating is a program that has the terminal while the lease on what is held is
// renewed.
type beating struct {
	*exec.Cmd
	beat func()
}

func (b *beating) SetStdin(r io.Reader)  { b.Stdin = r }
func (b *beating) SetStdout(w io.Writer) { b.Stdout = w }
func (b *beating) SetStderr(w io.Writer) { b.Stderr = w }

func (b *beating) Run() error {
	if err := b.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- b.Wait() }()
	tick := time.NewTicker(control.Renew)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			b.beat()
		}
	}
}
