package browser

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unicode/utf8"
)

// key is a key of the keyboard as the protocol wants it.
type key struct {
	Key  string // what it gives: "a", "Enter"
	Code string // where it is: "KeyA"
	VK   int    // the Windows virtual key code
	Text string // what it types, "" nothing
}

// named are the keys with names (UI Events KeyboardEvent key Values), by name
// in lower case.
var named = map[string]key{
	"enter": {"Enter", "Enter", 13, "\r"}, "tab": {"Tab", "Tab", 9, ""}, "escape": {"Escape", "Escape", 27, ""},
	"backspace": {"Backspace", "Backspace", 8, ""}, "delete": {"Delete", "Delete", 46, ""},
	"insert": {"Insert", "Insert", 45, ""}, "space": {" ", "Space", 32, " "},
	"arrowup": {"ArrowUp", "ArrowUp", 38, ""}, "arrowdown": {"ArrowDown", "ArrowDown", 40, ""},
	"arrowleft": {"ArrowLeft", "ArrowLeft", 37, ""}, "arrowright": {"ArrowRight", "ArrowRight", 39, ""},
	"home": {"Home", "Home", 36, ""}, "end": {"End", "End", 35, ""},
	"pageup": {"PageUp", "PageUp", 33, ""}, "pagedown": {"PageDown", "PageDown", 34, ""},
	"capslock": {"CapsLock", "CapsLock", 20, ""}, "contextmenu": {"ContextMenu", "ContextMenu", 93, ""},
	"printscreen": {"PrintScreen", "PrintScreen", 44, ""}, "pause": {"Pause", "Pause", 19, ""},
	"shift": {"Shift", "ShiftLeft", 16, ""}, "control": {"Control", "ControlLeft", 17, ""},
	"alt": {"Alt", "AltLeft", 18, ""}, "meta": {"Meta", "MetaLeft", 91, ""},
	"numlock": {"NumLock", "NumLock", 144, ""}, "scrolllock": {"ScrollLock", "ScrollLock", 145, ""},
}

// aliases are other words people use for keys.
var aliases = map[string]string{
	"esc": "escape", "return": "enter", "del": "delete", "ins": "insert", "up": "arrowup", "down": "arrowdown",
	"left": "arrowleft", "right": "arrowright", "ctrl": "control", "cmd": "meta", "command": "meta", "option": "alt",
	"spacebar": "space", "pgup": "pageup", "pgdn": "pagedown",
}

// signs are the keys that type signs: code, virtual key code, what each gives
// plain and with Shift (US layout).
var signs = []struct {
	code        string
	vk          int
	plain, with rune
}{
	{"Minus", 189, '-', '_'},
	{"Equal", 187, '=', '+'},
	{"BracketLeft", 219, '[', '{'},
	{"BracketRight", 221, ']', '}'},
	{"Backslash", 220, '\\', '|'},
	{"Semicolon", 186, ';', ':'},
	{"Quote", 222, '\'', '"'},
	{"Backquote", 192, '`', '~'},
	{"Comma", 188, ',', '<'},
	{"Period", 190, '.', '>'},
	{"Slash", 191, '/', '?'},
	{"Space", 32, ' ', ' '},
}

const shiftedDigits = ")!@#$%^&*("

// ofRune is the key that types r on a US keyboard; ok is false where none does.
func ofRune(r rune) (key, bool) {
	switch {
	case r >= 'a' && r <= 'z':
		return key{string(r), "Key" + string(r-32), int(r - 32), string(r)}, true
	case r >= 'A' && r <= 'Z':
		return key{string(r), "Key" + string(r), int(r), string(r)}, true
	case r >= '0' && r <= '9':
		return key{string(r), "Digit" + string(r), int(r), string(r)}, true
	case r == '\n' || r == '\r':
		return named["enter"], true
	case r == '\t':
		return named["tab"], true
	}
	if i := strings.IndexRune(shiftedDigits, r); i >= 0 {
		return key{string(r), fmt.Sprintf("Digit%d", i), '0' + i, string(r)}, true
	}
	for _, s := range signs {
		if r == s.plain || r == s.with {
			return key{string(r), s.code, s.vk, string(r)}, true
		}
	}
	return key{}, false
}

// keyNamed finds a key by name or by the character it types.
func keyNamed(name string) (key, error) {
	if utf8.RuneCountInString(name) == 1 {
		r, _ := utf8.DecodeRuneInString(name)
		if k, ok := ofRune(r); ok {
			return k, nil
		}
		return key{Key: name, Text: name}, nil
	}
	low := strings.ToLower(name)
	if a := aliases[low]; a != "" {
		low = a
	}
	if low == "controlormeta" {
		low = "control"
		if runtime.GOOS == "darwin" {
			low = "meta"
		}
	}
	if k, ok := named[low]; ok {
		return k, nil
	}
	var n int
	if _, err := fmt.Sscanf(low, "f%d", &n); err == nil && n >= 1 && n <= 24 && low == fmt.Sprintf("f%d", n) {
		name := fmt.Sprintf("F%d", n)
		return key{name, name, 111 + n, ""}, nil
	}
	for r := 'a'; r <= 'z'; r++ { // KeyA is a code, and some write it
		if k, _ := ofRune(r); strings.EqualFold(k.Code, name) {
			return k, nil
		}
	}
	return key{}, fmt.Errorf("there is no key %q; keys are single characters or names like Enter, Tab, Escape, ArrowDown, F5, with Control+, Shift+, Alt+ or Meta+ before them", name)
}

// modifier bits of input events.
var modifierBits = map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}

// chord reads "Control+Shift+a" into the keys held and the one struck.
func chord(s string) (held []key, last key, err error) {
	if s == "" {
		return nil, key{}, errors.New("press needs a key")
	}
	var names []string
	for rest := s; ; {
		i := strings.IndexByte(rest, '+')
		if i <= 0 || i == len(rest)-1 { // "+" itself, or "Control++"
			names = append(names, rest)
			break
		}
		names = append(names, rest[:i])
		rest = rest[i+1:]
	}
	for _, n := range names[:len(names)-1] {
		k, err := keyNamed(strings.TrimSpace(n))
		if err != nil {
			return nil, key{}, err
		}
		if modifierBits[k.Key] == 0 {
			return nil, key{}, fmt.Errorf("%q cannot be held: only Control, Shift, Alt and Meta can (in %q)", n, s)
		}
		held = append(held, k)
	}
	name := names[len(names)-1]
	if name != " " {
		name = strings.TrimSpace(name)
	}
	last, err = keyNamed(name)
	return held, last, err
}

// keyEvent is one Input.dispatchKeyEvent.
type keyEvent struct {
	Type      string   `json:"type"`
	Modifiers int      `json:"modifiers,omitempty"`
	Key       string   `json:"key"`
	Code      string   `json:"code,omitempty"`
	VK        int      `json:"windowsVirtualKeyCode,omitempty"`
	NativeVK  int      `json:"nativeVirtualKeyCode,omitempty"`
	Text      string   `json:"text,omitempty"`
	Plain     string   `json:"unmodifiedText,omitempty"`
	Location  int      `json:"location,omitempty"`
	Commands  []string `json:"commands,omitempty"`
}

func (k key) event(down bool, mods int) keyEvent {
	e := keyEvent{Type: "keyUp", Modifiers: mods, Key: k.Key, Code: k.Code, VK: k.VK, NativeVK: k.VK}
	if strings.HasSuffix(k.Code, "Left") && modifierBits[k.Key] != 0 {
		e.Location = 1
	}
	if !down {
		return e
	}
	e.Type = "rawKeyDown"
	if k.Text != "" && mods&^modifierBits["Shift"] == 0 {
		e.Type, e.Text, e.Plain = "keyDown", k.Text, k.Text
	}
	if runtime.GOOS == "darwin" && mods&modifierBits["Meta"] != 0 {
		e.Commands = macCommands[strings.ToLower(k.Key)]
	}
	return e
}

// macCommands are the editing commands that the Mac's system, not the browser,
// makes of shortcuts.
var macCommands = map[string][]string{
	"a": {"selectAll"}, "c": {"copy"}, "x": {"cut"}, "v": {"paste"}, "z": {"undo"},
}

// strike is a key going down and up, with others held.
func strike(held []key, last key) []any {
	var out []any
	mods := 0
	for _, h := range held {
		mods |= modifierBits[h.Key]
		out = append(out, h.event(true, mods))
	}
	if mods&modifierBits["Shift"] != 0 {
		last = shifted(last)
	}
	out = append(out, last.event(true, mods|modifierBits[last.Key]), last.event(false, mods))
	for i := len(held) - 1; i >= 0; i-- {
		mods &^= modifierBits[held[i].Key]
		out = append(out, held[i].event(false, mods))
	}
	return out
}

// shifted is what a key gives with Shift held.
func shifted(k key) key {
	r, n := utf8.DecodeRuneInString(k.Key)
	if n != len(k.Key) {
		return k
	}
	switch {
	case r >= 'a' && r <= 'z':
		k.Key = string(r - 32)
	case r >= '0' && r <= '9':
		k.Key = string(shiftedDigits[r-'0'])
	default:
		for _, s := range signs {
			if s.plain == r {
				k.Key = string(s.with)
			}
		}
	}
	if k.Text != "" {
		k.Text = k.Key
	}
	return k
}

func (s *stepping) pressKey(ctx context.Context) (string, error) {
	held, last, err := chord(s.a.Text("key"))
	if err != nil {
		return "", err
	}
	if err := s.focusTarget(ctx); err != nil {
		return "", err
	}
	return "", s.send(ctx, "Input.dispatchKeyEvent", strike(held, last)...)
}

// typeText types key by key; what no key types is put in as a whole.
func (s *stepping) typeText(ctx context.Context) (string, error) {
	if err := s.focusTarget(ctx); err != nil {
		return "", err
	}
	text := s.a.Text("text")
	if on, _ := s.a.Args["submit"].(bool); on {
		text += "\n"
	}
	var batch []any
	flush := func() error {
		err := s.send(ctx, "Input.dispatchKeyEvent", batch...)
		batch = nil
		return err
	}
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		if k, ok := ofRune(r); ok {
			batch = append(batch, k.event(true, 0), k.event(false, 0))
			if len(batch) < 64 {
				continue
			}
		}
		if err := flush(); err != nil {
			return "", err
		}
		if _, ok := ofRune(r); !ok {
			if err := s.insert(ctx, string(r)); err != nil {
				return "", err
			}
		}
	}
	return "", flush()
}

// insert puts text in at the caret, as an input method does.
func (s *stepping) insert(ctx context.Context, text string) error {
	_, err := s.b.link.call(ctx, s.t.session, "Input.insertText", struct {
		Text string `json:"text"`
	}{text})
	return err
}

// focusTarget puts the focus on the action's element, where it names one.
func (s *stepping) focusTarget(ctx context.Context) error {
	if s.a.Target == nil {
		return nil
	}
	el, err := s.find(ctx, s.a.Target)
	if err != nil {
		return err
	}
	return s.able(ctx, el, "focus", nil)
}
