//go:build linux

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"snapscope/tui/safetext"
)

// views are ways into every view of the debugger: a command line on hostile text,
// and what is typed. A comma is a pause.
var views = []struct{ line, keys string }{
	{"replay FILE", ",l,,jj,"},
	{"replay FILE", ",l,,enter,jjj,kk,G,gg,"},
	{"replay FILE", ",l,,z,,z,tab,z,"},
	{"replay FILE", ",l,,o,++,--,,u,"},
	{"replay FILE", ",l,,v,jj,enter,,esc,"},
	{"replay FILE", ",l,,?,jjjj,,esc,"},
	{"replay FILE", ",l,,!,enter,,esc,"},
	{"replay FILE", ",l,,e,jjj,,esc,"},
	{"replay FILE", ",l,,b,,esc,"},
	{"replay FILE", ",l,,/red,,enter,nnN,"},
	{"replay FILE", ",l,,:click e2,,enter,,"},
	{"replay FILE", ",l,,:click \x1b[31m\u202e,,esc,"},
	{"replay FILE", ",l,,\x10,red,,esc,"},
	{"replay FILE", ",l,,s,s,[,],{,},c,"},
	{"replay FILE", ",l,,t,t,t,m,"},
	{"replay FILE", ",l,,y,,esc,"},
	{"replay FILE --theme contrast", ",l,,f,,u,,"},
	{"replay FOLDER", ",,jj,enter,,l,,"},
	{"replay FOLDER", ",,/red,,"},
	{"open URL", ",,,,,l,,,jj,,"},
	{"open URL", ",,,,,:goto URL,,enter,,,,l,"},
	{"open URL", ",,,,,:click role=button,,enter,,,,"},
	{"replay --plain FILE", ",,"},
	{"report FILE", ""},
	{"report --md FILE", ""},
	{"report --json FILE", ""},
	{"sweep FILE --knob compress.keep_n=1,2", ""},
	{"tokens FILE", ""},
	{"reduce full PAGE", ""},
	{"reduce full --json PAGE", ""},
	{"snapshot URL", ""},
	{"snapshot --json URL", ""},
	{"snapshot --strategy budget URL", ""},
	{"run RUN", ""},
	{"run RUN --json", ""},
	{"import FILE -o OUT", ""},
	{"tune FILE --time 3s", ""},
	{"report NONE", ""},
}

// streams runs commands on a terminal of their own and takes what they send apart.
func streams(f *field) {
	n := len(views)
	step := 1
	if f.short {
		step = 7
	}
	sizes := [][2]uint16{{80, 24}, {120, 36}}
	f.each(n*len(sizes)/step, 2, func(i int, _ *rand.Rand) (string, error) {
		i *= step
		v, size := views[i%n], sizes[i/n%len(sizes)]
		home, env := f.home()
		what := fmt.Sprintf("%s, %q, %d×%d", v.line, v.keys, size[0], size[1])
		args, err := f.hostileText(home, v.line)
		if err != nil {
			return what, err
		}
		keys := strings.ReplaceAll(v.keys, "URL", f.site.URL+"/page/escapes")
		data, status, err := onTerminal(f.bin, args, home, append(env, "TERM=xterm-256color"), size, keys)
		switch {
		case err != nil:
			return what, err
		case status < 0 || status > 2:
			return what, fmt.Errorf("status %d: %q", status, clip(string(data), 200))
		case len(data) < 40:
			return what, fmt.Errorf("it said only %q", data)
		}
		if err := safetext.CheckStream(data); err != nil {
			return what, err
		}
		return what, left(home, goneWithin)
	})
}

// hostileText writes what the command lines name, and answers their words.
func (f *field) hostileText(home, line string) ([]string, error) {
	page := "- main [ref=e1]:\n"
	for i, name := range []string{
		"\x1b[31mred", "\x1b]0;owned\x07", "\x1b[2J\x1b[H\x1b[3Jwiped", "\x1b[?1049lout", "\x1bP+q544e\x1b\\ask", "\x1b[6n\x1b[c", "\u009b31mcsi", "\u009d0;owned\u009c", "\x1b]52;c;ZWNobw==\x07",
		"\x1b]8;;http://x\x1b\\", "ring\x07\x07", "\u202efdp.exe", "a\bb\x7fc", "Z\u0351\u036b\u0313", "\U0001f468\u200d\U0001f469", "\u2028\u2029\ufeff\u00ad", "bad \xff\xfe",
	} {
		page += fmt.Sprintf("  - button \"%s\" [ref=e%d]\n  - text: %s\n", name, i+2, name)
	}
	folder := filepath.Join(home, "f")
	name := "red\x1b[31m\u202e.jsonl"
	text := rpc("### Page\n- Page URL: http://a.test/\u009b\u202e\n- Page Title: \x1b]0;owned\x07\u2028\n### Snapshot\n```yaml\n"+page+"```") +
		strings.ReplaceAll(strings.ReplaceAll(rpc("### Result\n\x1b[31m\u009b\u202e error\n### Page\n- Page URL: http://a.test/\n### Snapshot\n```yaml\n"+page+"- button [ref=e77]\n```"), "browser_navigate", "browser_click"), `"url":"http://a.test/"`, `"element":"\u001b[31m\u009b\u202e","ref":"e99"`)
	err := errors.Join(
		os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600),
		os.WriteFile(filepath.Join(home, "page"), []byte(page), 0o600),
		os.WriteFile(filepath.Join(home, "s.yaml"), []byte("- goto: "+f.site.URL+"/page/escapes\n- click: {role: button}\n- evaluate: \"'\\\\x1b[31m\\\\u009b\\\\u202e'\"\n- note: \"\\x1b[31m\\u009b\\u202e\"\n"), 0o600),
	)
	words := map[string]string{
		"FILE": filepath.Join(folder, name), "FOLDER": folder, "PAGE": filepath.Join(home, "page"), "RUN": filepath.Join(home, "s.yaml"),
		"URL": f.site.URL + "/page/escapes", "OUT": filepath.Join(home, "\x1b[31m\u202eout.jsonl"), "NONE": filepath.Join(home, "\x1b[31m\u009b\u202enone"),
	}
	args := strings.Fields(line)
	for i, a := range args {
		if w, ok := words[a]; ok {
			args[i] = w
		}
	}
	return args, err
}

// named are keys that are typed by a name.
var named = strings.NewReplacer("enter,", "\r,", "esc,", "\x1b,", "tab,", "\t,")

// onTerminal runs a command on a pseudo terminal, types the keys and answers all
// that it sent.
func onTerminal(bin string, args []string, dir string, env []string, size [2]uint16, keys string) ([]byte, int, error) {
	ours, theirs, err := openPTY(size)
	if err != nil {
		return nil, 0, err
	}
	defer ours.Close()
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		_ = theirs.Close()
		return nil, 0, err
	}
	_ = theirs.Close()
	var said tee
	read := make(chan struct{})
	go func() {
		defer close(read)
		b := make([]byte, 64<<10)
		for {
			n, err := ours.Read(b)
			_, _ = said.Write(b[:n])
			if err != nil { // EIO: nobody holds the other end any more
				return
			}
		}
	}()
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	for _, k := range splitKeys(keys) {
		if k == "," {
			time.Sleep(250 * time.Millisecond)
			continue
		}
		_, _ = ours.WriteString(k) // it may have ended
		time.Sleep(30 * time.Millisecond)
	}
	for tries := 0; !over(done, 0); tries++ {
		if keys != "" { // out of whatever is open, then out of the program
			_, _ = ours.WriteString("\x1b")
			time.Sleep(300 * time.Millisecond)
			_, _ = ours.WriteString("q")
		}
		if !over(done, 4*time.Second) && tries == 10 {
			_ = cmd.Process.Kill()
			<-done
			return nil, 0, fmt.Errorf("it did not end after %q: %q", keys, clip(said.String(), 100))
		}
	}
	select {
	case <-read:
	case <-time.After(time.Second):
	}
	return []byte(said.String()), cmd.ProcessState.ExitCode(), nil
}

// over waits for an end, at most d.
func over(done <-chan struct{}, d time.Duration) bool {
	if d <= 0 { // of two cases that are ready a select takes either
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

// splitKeys takes what is typed apart: named keys and pauses by themselves.
func splitKeys(keys string) []string {
	var out []string
	for _, part := range strings.SplitAfter(named.Replace(keys), ",") {
		if text := strings.TrimSuffix(part, ","); text != "" {
			out = append(out, text)
		}
		if strings.HasSuffix(part, ",") {
			out = append(out, ",")
		}
	}
	return out
}

// openPTY makes a pseudo terminal (man 4 pts).
func openPTY(size [2]uint16) (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	var n, unlock int32
	window := struct{ rows, cols, x, y uint16 }{size[1], size[0], 0, 0}
	for _, c := range []struct {
		request uintptr
		arg     unsafe.Pointer
	}{{syscall.TIOCSPTLCK, unsafe.Pointer(&unlock)}, {syscall.TIOCGPTN, unsafe.Pointer(&n)}, {syscall.TIOCSWINSZ, unsafe.Pointer(&window)}} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, ours.Fd(), c.request, uintptr(c.arg)); e != 0 {
			return nil, nil, errors.Join(e, ours.Close())
		}
	}
	theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, errors.Join(err, ours.Close())
	}
	return ours, theirs, nil
}
