// Package setup puts "snapscope mcp --" before the server in the configuration of
// an agent, and takes it out again.
//
//	configuration ─▶ Wrap ─▶ the same with a few words before one command
//	configuration ─▶ Unwrap ─▶ the same without them
//
// Wrap only inserts: the server's own command moves behind the proxy's as it is
// written, its arguments stay where they are, whatever they are, and all else,
// comments and order among it, is left alone. So Unwrap gives back what was there to
// the byte. (A server without a list of arguments gets one, which Unwrap leaves empty:
// see Same.)
//
// A server that is reached over HTTP gets the proxy's address, with its own behind a
// #, which goes to no server.
//
// Where a configuration lies and how it holds its servers stands in session/agents.
// The functions are pure: files are read and written by whoever calls them.
package setup

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"snapscope/replay/proxy"
	"snapscope/session/agents"
)

// File is a configuration of an agent.
type File struct {
	Path   string
	Agent  agents.Agent
	Places []agents.Config // in this file, one a scope
	Cwd    string          // stands for agents.Here
}

// Proxy is what is put before a server.
type Proxy struct {
	Argv []string // the command, up to and with "--"
	// URL is the address at which the proxy will serve, for servers that are reached
	// over HTTP: http://127.0.0.1:8793; "": those are left alone.
	URL string
}

// Server is one server of a configuration.
type Server struct {
	Name  string
	Argv  []string // its command with the arguments, a proxy's among them; nil: reached over HTTP
	URL   string   // its address, the proxy's among it
	Proxy int      // words of Argv that are a proxy's; for an address 1 where there is one
	// Behind is the address that a proxy at URL stands before.
	Behind string

	spot spot
}

// ErrNothing is answered where there is nothing to change.
var ErrNothing = errors.New("there is nothing to change")

// ErrNoServer is answered for a name that no server has.
var ErrNoServer = errors.New("no such server is configured")

// Lines are what a person would write by hand to have a server stood before.
func Lines(a agents.Agent, server string, command, argv []string) string {
	p := agents.Config{Form: agents.JSON, Keys: []string{"mcpServers"}}
	if len(a.Configs) > 0 {
		p = a.Configs[0]
	}
	argv = append(slices.Clone(command), argv...)
	name, args := string(proxy.Quote(server)), proxy.List(argv[1:])
	switch {
	case p.Form == agents.TOML:
		return fmt.Sprintf("[%s.%s]\ncommand = %s\nargs = %s", p.Keys[0], server, proxy.Quote(argv[0]), args)
	case p.Whole:
		return fmt.Sprintf(`{"%s": {%s: {"type": "local", "command": %s}}}`, p.Keys[0], name, proxy.List(argv))
	}
	return fmt.Sprintf(`{"%s": {%s: {"command": %s, "args": %s}}}`, p.Keys[0], name, proxy.Quote(argv[0]), args)
}

// Servers are those of a configuration, in its order.
func (f File) Servers(data []byte) ([]Server, error) {
	var out []Server
	for _, p := range f.Places {
		read := readJSON
		if p.Form == agents.TOML {
			read = readTOML
		}
		keys := slices.Clone(p.Keys)
		if i := slices.Index(keys, agents.Here); i >= 0 {
			keys[i] = f.Cwd
		}
		got, err := read(data, p, keys)
		if err != nil {
			return nil, err
		}
		for _, s := range got {
			if s.Argv != nil {
				s.Proxy = proxied(s.Argv)
			} else if _, behind, ok := strings.Cut(s.URL, urlMark); ok {
				s.Proxy, s.Behind = 1, behind
			}
			if !slices.ContainsFunc(out, func(o Server) bool { return o.spot.at() == s.spot.at() }) { // two scopes may name one place
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// urlMark stands between a proxy's address and that of the server behind it.
const urlMark = "#snapscope="

// Wrap puts a proxy before the browser's servers in a configuration; server names the
// one that is meant, "" stands for all that are a browser's by their command, address
// or name. A proxy that is there already is changed to this one. It answers the
// servers that it changed, as they are then.
func (f File) Wrap(data []byte, server string, p Proxy) (out []byte, changed []Server, err error) {
	return f.each(data, server, func(data []byte, i int, s Server) []byte {
		switch {
		case server == "" && s.Proxy == 0 && !browsers(s), s.Argv == nil && p.URL == "":
			return nil
		case s.Argv != nil && slices.Equal(s.Argv[:s.Proxy], p.Argv), s.Argv == nil && s.Proxy > 0 && s.URL == p.before(s.Behind):
			return nil
		}
		if data, s = f.bare(data, i, s); data == nil {
			return nil
		}
		return s.spot.with(data, s, p)
	})
}

// before is the address that an agent gets for a server's.
func (p Proxy) before(url string) string {
	return strings.TrimSuffix(p.URL, "/") + pathOf(url) + urlMark + url
}

// bare is a configuration without any proxy before its i-th server; nil where that
// cannot be done.
func (f File) bare(data []byte, i int, s Server) ([]byte, Server) {
	for range len(s.Argv) + strings.Count(s.URL, urlMark) {
		if s.Proxy == 0 {
			break
		}
		data = s.spot.without(data, s.Proxy)
		all, err := f.Servers(data)
		if err != nil || i >= len(all) {
			return nil, s
		}
		s = all[i]
	}
	return data, s
}

// Unwrap takes every proxy out of a configuration, or that of one server.
func (f File) Unwrap(data []byte, server string) (out []byte, changed []Server, err error) {
	return f.each(data, server, func(data []byte, i int, s Server) []byte {
		if s.Proxy == 0 {
			return nil
		}
		data, _ = f.bare(data, i, s)
		return data
	})
}

// Proxied are the servers of a configuration that have a proxy before them.
func (f File) Proxied(data []byte) []Server {
	all, err := f.Servers(data)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(s Server) bool { return s.Proxy == 0 })
}

// Same reports whether a configuration is another one with the proxies put in that it
// has now, and nothing else: then taking them out gives the other to the byte.
func (f File) Same(was, now []byte) bool {
	after, err := f.Servers(now)
	if err != nil {
		return false
	}
	for i, s := range after {
		all, err := f.Servers(was)
		if err != nil || len(all) != len(after) {
			return false
		}
		if s.Proxy == 0 || all[i].Name == s.Name && slices.Equal(all[i].Argv, s.Argv) && all[i].URL == s.URL {
			continue
		}
		bare, o := f.bare(was, i, all[i])
		if bare == nil || (o.Argv == nil) != (s.Argv == nil) {
			return false
		}
		p := Proxy{Argv: s.Argv[:min(s.Proxy, len(s.Argv))]}
		if s.Argv == nil {
			p.URL = strings.TrimSuffix(strings.TrimSuffix(s.URL, urlMark+s.Behind), pathOf(s.Behind))
		}
		if was = o.spot.with(bare, o, p); was == nil {
			return false
		}
	}
	return bytes.Equal(was, now)
}

// each changes one server after the other: every change moves what comes after it.
func (f File) each(data []byte, server string, change func(data []byte, i int, s Server) []byte) ([]byte, []Server, error) {
	all, err := f.Servers(data)
	if err != nil {
		return nil, nil, err
	}
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	there := cmp.Or(strings.Join(names, ", "), "none")
	if server != "" && !slices.Contains(names, server) {
		return nil, nil, fmt.Errorf("%w: %q; there are: %s", ErrNoServer, server, there)
	}
	var changed []Server
	for i := range all {
		now, err := f.Servers(data)
		if err != nil || len(now) != len(all) {
			return nil, nil, fmt.Errorf("changing %s: the configuration reads otherwise afterwards: %w", all[i].Name, err)
		}
		if server != "" && now[i].Name != server {
			continue
		}
		next := change(data, i, now[i])
		if next == nil {
			continue
		}
		after, err := f.Servers(next)
		if err != nil || len(after) != len(all) || after[i].Name != all[i].Name || !related(now[i], after[i]) || bytes.Equal(next, data) {
			return nil, nil, fmt.Errorf("changing %s: %w", all[i].Name, errByHand)
		}
		data, changed = next, append(changed, after[i])
	}
	if changed == nil {
		return nil, nil, fmt.Errorf("%w: the servers are %s", ErrNothing, there)
	}
	return data, changed, nil
}

var errByHand = errors.New("it is written in a way that is not changed here; write it by hand")

// related reports whether two readings of a server have one server behind any proxy.
func related(a, b Server) bool {
	own := func(s Server) ([]string, string) {
		for argv := s.Argv; ; argv = argv[proxied(argv):] {
			if proxied(argv) == 0 {
				return argv, s.URL[strings.LastIndex(s.URL, urlMark)+1:]
			}
		}
	}
	argv, url := own(a)
	others, other := own(b)
	return slices.Equal(argv, others) && strings.TrimPrefix(url, urlMark[1:]) == strings.TrimPrefix(other, urlMark[1:])
}

// proxied is where the server's own command begins behind a proxy's; 0 where there
// is no proxy.
func proxied(argv []string) int {
	if len(argv) < 3 || strings.TrimSuffix(filepath.Base(argv[0]), ".exe") != "snapscope" || argv[1] != "mcp" {
		return 0
	}
	if n := slices.Index(argv, "--") + 1; n < len(argv) {
		return n
	}
	return 0
}

// browsers reports whether a server is a browser's.
func browsers(s Server) bool {
	line := strings.ToLower(strings.Join(s.Argv, " "))
	if s.Argv == nil {
		line = strings.ToLower(s.Name + " " + s.URL)
	}
	for _, w := range []string{"playwright", "chrome-devtools", "browser", "puppeteer"} {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

// pathOf is an address without its scheme and host.
func pathOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "/?"); ok && i >= 0 {
		return rest[i:]
	}
	return ""
}
