// Package agents is the one table of agent programs: what each is called, where its
// configuration and its transcripts lie, which model API it calls, how long it waits
// for a tool call, how large a text it hands on to its model, and what lifts each
// limit.
//
//	its own name ─▶ Find ──────┐         ┌─▶ configuration files (Configs): install
//	its executable ─▶ Program ─┼─▶ Agent ┼─▶ model API (API), transcripts: live, ab, the session finder
//	all of them ─▶ All ────────┘         └─▶ limits (Call, Model, Text): holds, reports
//
// A snapshot has two enemies: the policy that shortens it and the agent's own program
// that cuts it. Only the first stands in a policy file, so the second is data here.
//
// A row's limits were measured by running the agent against a scripted model and a
// real MCP server, at the version and date that it names; a zero means that no limit
// was met, not that there is none. Rows without a version follow the program's
// documents. The package knows nothing of sessions and opens no file.
package agents

import (
	"path/filepath"
	"strings"
)

// Agent is one agent program, or the library that an agent was built with.
type Agent struct {
	Name    string   // key: "claude-code"
	Title   string   // for people: "Claude Code"
	Command string   // starts it, where snapscope live can: "claude"
	Aliases []string // other names: what it calls itself in MCP's clientInfo or a User-Agent, or a format of transcripts
	Tried   string   // version and date of the measurement; "" as its documents say

	Call  Wait // one MCP tool call
	Model Wait // one request to the model
	Text  Cut  // one tool result's text

	Configs     []Config
	Transcripts Transcripts
	API         API
}

// TellsReader reports whether a proxy before the agent's tool server knows which of its
// agents reads an answer: by the thread that it tells, or by its transcript.
func (a Agent) TellsReader() bool { return a.Transcripts.Session != "" || a.Transcripts.Thread != "" }

// API is the model API that an agent calls.
type API struct {
	URL  string // when nothing says otherwise; "" where that depends on its settings
	Env  string // the variable that names another
	Path string // what that variable's address has behind the API's own
}

// Address is the model API's address under an environment; "" where it is not known.
func (a API) Address(getenv func(string) string) string {
	if a.Env != "" {
		if url := strings.TrimSuffix(strings.TrimRight(getenv(a.Env), "/"), a.Path); url != "" {
			return url
		}
	}
	return a.URL
}

// Scopes of a configuration: whom it counts for.
const (
	User    = "user"    // the person, in every folder
	Local   = "local"   // the person, in the present folder
	Project = "project" // everybody who works in the present folder: the file is shared
	Plugin  = "plugin"  // a plugin's own file
)

// Form is how a configuration is written.
type Form string

// The forms. JSON may have comments, trailing commas and a byte order mark: what an
// agent takes of that is its own business, and all of it stays.
const (
	JSON Form = "json"
	TOML Form = "toml"
)

// Here stands in Config.Keys for the path of the present folder.
const Here = "\x00here"

// Config is a place where an agent's configuration holds MCP servers by name.
type Config struct {
	Scope string
	File  Place
	Form  Form
	Keys  []string // of the object that holds the servers, from the outermost
	Whole bool     // command is one list with the arguments in it
	URL   string   // key of an HTTP server's address; "": "url"
	Asked bool     // only where its scope is asked for
}

// Transcripts is where an agent keeps its sessions.
type Transcripts struct {
	Dir   Place
	Depth int // folders below Dir
	// File is a pattern of the files' names; "" there are none that are known.
	File string
	// Session, or Thread, finds one session's file by the id that the agent tells its
	// tool server: a pattern below Dir with %s for the id.
	Session, Thread string
}

// Base is a folder that places begin in.
type Base int

// The bases.
const (
	InHome     Base = iota // the person's home
	InSettings             // where the system's programs keep settings
	InProject              // the present folder
)

// Place is a file or folder of an agent, with slashes.
type Place struct {
	Base Base
	Env  string // a variable that names Dir; "" none does
	Dir  string // below the base
	Path string // below Dir; may hold * for any name
}

// Where is the machine as an agent sees it.
type Where struct {
	Home, Cwd string
	OS        string // as runtime.GOOS has it
	Getenv    func(string) string
}

// At is where a place lies; "" where its base is not known.
func (p Place) At(w Where) string {
	env := func(name string) string {
		if w.Getenv == nil || name == "" {
			return ""
		}
		return w.Getenv(name)
	}
	dir := env(p.Env)
	if dir == "" {
		base := w.Home
		switch {
		case p.Base == InProject:
			base = w.Cwd
		case p.Base == InSettings && base != "":
			base = settings(w.OS, base, env)
		}
		if base == "" {
			return ""
		}
		dir = filepath.Join(base, filepath.FromSlash(p.Dir))
	}
	return filepath.Join(dir, filepath.FromSlash(p.Path))
}

func settings(system, home string, env func(string) string) string {
	switch system {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	case "windows":
		if dir := env("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(home, "AppData", "Roaming")
	}
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home, ".config")
}

// All are the rows of the table.
func All() []Agent { return table }

// Configured are the names of the agents whose configuration is known.
func Configured() []string {
	var names []string
	for _, a := range table {
		if len(a.Configs) > 0 {
			names = append(names, a.Name)
		}
	}
	return names
}

// Program is the agent whose executable this is, by its path.
func Program(path string) (Agent, bool) {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	for _, a := range table {
		if a.Command != "" && a.Command == name {
			return a, true
		}
	}
	return Agent{}, false
}
