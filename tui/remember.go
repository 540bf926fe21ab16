package tui

import (
	"encoding/json"
	"os"
	"path/filepath"

	"snapscope/session/atomicfile"
	"snapscope/session/ledger"
	"snapscope/tui/view"
)

// memory holds what the screen remembers over a restart: one small JSON file in
// the folder that it is handed. A file that cannot be read is as none: the
// screen is never held up by its own memory.
type memory struct {
	path  string
	known bool // the screen was used here before
	state state
}

// state is what is kept.
type state struct {
	Version  int                     `json:"version"`
	Theme    string                  `json:"theme,omitempty"` // only when it was chosen
	Mouse    *bool                   `json:"mouse,omitempty"`
	Fold     bool                    `json:"fold,omitempty"`
	Shown    []string                `json:"shown,omitempty"` // names of the shown panes
	Side     int                     `json:"side,omitempty"`
	History  []string                `json:"history,omitempty"`
	Sessions map[string]sessionState `json:"sessions,omitempty"`
}

// sessionState is what is kept for one session.
type sessionState struct {
	Breaks []savedBreak `json:"breaks,omitempty"`
	Notes  []view.Note  `json:"notes,omitempty"`
}

type savedBreak struct {
	At  string `json:"at"`
	Off bool   `json:"off,omitempty"`
}

const stateVersion = 1

// maxStateFile bounds what is read back; maxStateSessions what is kept.
const (
	maxStateFile     = 4 << 20
	maxStateSessions = 100
)

func loadMemory(cfg Config) memory {
	k := memory{state: state{Version: stateVersion}}
	if cfg.StateDir == "" {
		return k
	}
	k.path = filepath.Join(cfg.StateDir, "screen.json")
	info, err := os.Stat(k.path)
	k.known = err == nil
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxStateFile {
		return k
	}
	data, err := os.ReadFile(k.path)
	if err != nil {
		return k
	}
	var s state
	if json.Unmarshal(data, &s) == nil && s.Version == stateVersion {
		k.state = s
	}
	return k
}

// write puts the state in place of the old one in one move, so that a crash
// leaves either.
func (k *memory) write() error {
	if k.path == "" {
		return nil
	}
	data, err := json.MarshalIndent(k.state, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(k.path, data, 0o600)
}

// ofTerminal reports a theme that suits one background only: the next terminal
// may have another, so it is not kept.
func ofTerminal(theme string) bool { return theme == "dark" || theme == "light" }

// restore lays what was kept over the defaults; what the caller set stays.
func (m *Model) restore() {
	s := m.mem.state
	if m.cfg.Theme == "" && s.Theme != "" && !ofTerminal(s.Theme) {
		m.cfg.Theme = s.Theme
		m.setTheme(s.Theme)
	}
	if s.Mouse != nil && m.cfg.Mouse {
		m.s.Mouse = *s.Mouse
	}
	if m.cfg.Fresh {
		return
	}
	m.s.Fold = s.Fold
	if s.Side == int(view.SideKnobs) || s.Side == int(view.SideEvents) {
		m.s.Side = view.SideKind(s.Side)
	}
	if len(m.cfg.Panes) == 0 {
		m.s.RestorePanes(s.Shown)
	}
	own := s.Sessions[m.s.SessionKey()]
	m.s.Notes = own.Notes
	for _, b := range own.Breaks {
		if m.s.AddBreak(b.At) == nil {
			m.s.Breaks[len(m.s.Breaks)-1].Off = b.Off
		}
	}
}

// save keeps the screen's state. It is small and local: a failure is said, not
// fought.
func (m *Model) save() {
	if m.mem.path == "" || m.eng == nil {
		return
	}
	s := &m.mem.state
	s.Version, s.History = stateVersion, m.s.Hist
	if m.picked {
		s.Theme = m.cfg.Theme
	}
	if ofTerminal(s.Theme) {
		s.Theme = ""
	}
	mouse := m.s.Mouse
	s.Mouse = &mouse
	if !m.cfg.Fresh {
		m.saveLayout(s)
	}
	if err := m.mem.write(); err != nil {
		m.s.Say(view.LevelWarn, "the screen's state was not kept: "+err.Error())
	}
}

// saveLayout notes what is shown, and the session's own breakpoints and notes.
func (m *Model) saveLayout(s *state) {
	s.Fold, s.Side, s.Shown = m.s.Fold, int(m.s.Side), nil
	for _, i := range m.s.ShownPanes() {
		name := m.s.Panes[i].Origin.Name
		if name == ledger.AsSentName { // of this session alone: it stands where full pages would
			name = "full"
		}
		s.Shown = append(s.Shown, name)
	}
	if s.Sessions == nil {
		s.Sessions = map[string]sessionState{}
	}
	own := sessionState{Notes: m.s.Notes}
	for _, b := range m.s.Breaks {
		own.Breaks = append(own.Breaks, savedBreak{b.At.String(), b.Off})
	}
	delete(s.Sessions, m.s.SessionKey())
	if len(own.Notes)+len(own.Breaks) > 0 && len(s.Sessions) < maxStateSessions {
		s.Sessions[m.s.SessionKey()] = own
	}
}
