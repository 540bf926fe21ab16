package tui

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// keeper holds what the screen remembers over a restart: one small JSON file in
// the folder that it is handed. A file that cannot be read is as none: the
// screen is never held up by its own memory.
type keeper struct {
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
	Notes  []note       `json:"notes,omitempty"`
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

func loadKeeper(cfg Config) keeper {
	k := keeper{state: state{Version: stateVersion}}
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
func (k *keeper) write() error {
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
	tmp, err := os.CreateTemp(filepath.Dir(k.path), "screen-*.json")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), k.path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the state is only a comfort
	}
	return err
}

// sessionKey names the session whose breakpoints and notes are kept.
func (m *Model) sessionKey() string {
	switch {
	case m.info.Name != "":
		return m.info.Name
	case m.info.Recording != "":
		return m.info.Recording
	}
	return string(m.info.Mode)
}

// ofTerminal reports a theme that suits one background only: the next terminal
// may have another, so it is not kept.
func ofTerminal(theme string) bool { return theme == "dark" || theme == "light" }

// restore lays what was kept over the defaults; what the caller set stays.
func (m *Model) restore() {
	s := m.keep.state
	if m.cfg.Theme == "" && s.Theme != "" && !ofTerminal(s.Theme) {
		m.cfg.Theme = s.Theme
		m.setTheme(s.Theme)
	}
	if s.Mouse != nil && m.cfg.Mouse {
		m.mouse = *s.Mouse
	}
	m.fold = s.Fold
	if s.Side == int(sideKnobs) || s.Side == int(sideEvents) {
		m.side = sideKind(s.Side)
	}
	if len(m.cfg.Panes) == 0 {
		m.restorePanes(s.Shown)
	}
	own := s.Sessions[m.sessionKey()]
	m.notes = own.Notes
	for _, b := range own.Breaks {
		if m.addBreak(b.At) == nil {
			m.breaks[len(m.breaks)-1].off = b.Off
		}
	}
}

func (m *Model) restorePanes(names []string) {
	want := map[string]bool{}
	for _, n := range names {
		want[n] = true
	}
	any := false
	for i := range m.panes {
		any = any || want[m.panes[i].policy.Name]
	}
	if !any {
		return
	}
	for i := range m.panes {
		m.panes[i].shown = want[m.panes[i].policy.Name]
	}
	m.focus = m.shownPanes()[0]
}

// save keeps the screen's state. It is small and local: a failure is said, not
// fought.
func (m *Model) save() {
	if m.keep.path == "" || m.eng == nil {
		return
	}
	s := &m.keep.state
	s.Version, s.Fold, s.History, s.Side = stateVersion, m.fold, m.hist, int(m.side)
	if m.picked {
		s.Theme = m.cfg.Theme
	}
	if ofTerminal(s.Theme) {
		s.Theme = ""
	}
	mouse := m.mouse
	s.Mouse = &mouse
	s.Shown = nil
	for _, i := range m.shownPanes() {
		s.Shown = append(s.Shown, m.panes[i].origin.Name)
	}
	if s.Sessions == nil {
		s.Sessions = map[string]sessionState{}
	}
	own := sessionState{Notes: m.notes}
	for _, b := range m.breaks {
		own.Breaks = append(own.Breaks, savedBreak{b.at.String(), b.off})
	}
	delete(s.Sessions, m.sessionKey())
	if len(own.Notes)+len(own.Breaks) > 0 && len(s.Sessions) < maxStateSessions {
		s.Sessions[m.sessionKey()] = own
	}
	if err := m.keep.write(); err != nil {
		m.say(levelWarn, "the screen's state was not kept: "+err.Error())
	}
}
