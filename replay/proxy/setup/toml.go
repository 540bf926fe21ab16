package setup

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"github.com/BurntSushi/toml"

	"snapscope/replay/proxy"
	"snapscope/session/agents"
)

type tomlServer struct {
	Command string `toml:"command"`
	Args    []any  `toml:"args"`
	URL     string `toml:"url"`
}

// readTOML reads the tables [KEY.NAME] with command and args, or url.
func readTOML(data []byte, _ agents.Config, keys []string) ([]Server, error) {
	var c map[string]toml.Primitive
	meta, err := toml.Decode(string(data), &c)
	if err != nil {
		return nil, fmt.Errorf("reading the TOML: %w", err)
	}
	var all map[string]tomlServer
	if table, ok := c[keys[0]]; ok {
		if err := meta.PrimitiveDecode(table, &all); err != nil {
			return nil, fmt.Errorf("reading the servers in the TOML: %w", err)
		}
	}
	var out []Server
	for name, t := range all {
		s := Server{Name: name, URL: t.URL}
		if t.Command != "" {
			s.URL, s.Argv = "", []string{t.Command}
			for _, a := range t.Args {
				s.Argv = append(s.Argv, fmt.Sprint(a))
			}
		} else if t.URL == "" {
			continue
		}
		s.spot = tomlSpot(data, keys[0], name)
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Server) int {
		if d := a.spot.at() - b.spot.at(); d != 0 {
			return d
		}
		return bytes.Compare([]byte(a.Name), []byte(b.Name))
	})
	return out, nil
}

var (
	tomlTable = regexp.MustCompile(`(?m)^[ \t]*\[`)
	tomlKey   = func(key string) *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*` + key + `[ \t]*=[ \t]*`) }
	tomlKeys  = map[string]*regexp.Regexp{"command": tomlKey("command"), "args": tomlKey("args"), "url": tomlKey("url")}
)

// tomlSpot finds the values in the server's own table. It may be wrong about a text
// that is written in an odd way: what a change makes of it is read again.
func tomlSpot(data []byte, table, name string) (s spot) {
	head := regexp.MustCompile(`(?m)^(?:\x{FEFF})?[ \t]*\[[ \t]*` + regexp.QuoteMeta(table) + `[ \t]*\.[ \t]*["']?` + regexp.QuoteMeta(name) + `["']?[ \t]*\][^\n]*\n?`)
	at := head.FindIndex(data)
	if at == nil {
		return s
	}
	end := len(data)
	if next := tomlTable.FindIndex(data[at[1]:]); next != nil {
		end = at[1] + next[0]
	}
	body := data[at[1]:end]
	find := func(key string) proxy.Span {
		k := tomlKeys[key].FindIndex(body)
		if k == nil {
			return proxy.Span{}
		}
		n, _ := tomlValue(body[k[1]:])
		return proxy.Span{From: at[1] + k[1], To: at[1] + k[1] + n}
	}
	if s.command = find("command"); s.command.To == 0 {
		s.url = find("url")
		return s
	}
	s.args, s.argsAt = "\nargs = %s", len(data)
	if eol := bytes.IndexByte(data[s.command.To:], '\n'); eol >= 0 {
		s.argsAt = s.command.To + eol
	}
	if data[s.argsAt-1] == '\r' {
		s.args, s.argsAt = "\r\nargs = %s", s.argsAt-1
	}
	if s.list = find("args"); s.list.To > 0 {
		_, words := tomlValue(data[s.list.From:s.list.To])
		for _, w := range words {
			s.words = append(s.words, proxy.Span{From: s.list.From + w.From, To: s.list.From + w.To})
		}
	}
	return s
}

// tomlValue is how long the value at the start of a text is: a text, a list, or a word
// such as a number; and the values that a list holds.
func tomlValue(s []byte) (n int, words []proxy.Span) {
	depth, word := 0, -1
	ends := func(i int) {
		if word >= 0 && depth == 1 {
			words = append(words, proxy.Span{From: word, To: i})
			word = -1
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		begins := depth == 1 && word < 0 && c != ']' && c != ',' && c != '#' && c != ' ' && c != '\t' && c != '\r' && c != '\n'
		if begins {
			word = i
		}
		switch {
		case c == '"' || c == '\'':
			for i++; i < len(s) && s[i] != c; i++ {
				if c == '"' && s[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(s)), nil
			}
			ends(min(i+1, len(s)))
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth == 1 {
				ends(i)
				return i + 1, words
			}
			if depth--; depth == 1 {
				ends(i + 1)
			}
		case c == '#':
			ends(i)
			for i < len(s) && s[i] != '\n' {
				i++
			}
			if depth == 0 {
				return i, nil
			}
		case c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n':
			if depth == 0 && (c == '\n' || c == '\r') {
				return i, nil
			}
			ends(i)
		}
	}
	return len(s), words
}
