package setup

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"snapscope/session/seat"
)

// tomlForm is Codex's config.toml: a table [mcp_servers.NAME] with command and
// args.
type tomlForm struct{}

type tomlServer struct {
	Command string   `toml:"command"`
	Args    []string `toml:"args"`
}

func (f tomlForm) read(data []byte) (map[string]tomlServer, error) {
	var c struct {
		Servers map[string]tomlServer `toml:"mcp_servers"`
	}
	if _, err := toml.Decode(string(data), &c); err != nil {
		return nil, fmt.Errorf("reading the TOML: %w", err)
	}
	return c.Servers, nil
}

func (f tomlForm) servers(data []byte) ([]entry, error) {
	all, err := f.read(data)
	if err != nil {
		return nil, err
	}
	var names []string
	for n, s := range all {
		if s.Command != "" {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	var out []entry
	for _, n := range names {
		out = append(out, entry{n, append([]string{all[n].Command}, all[n].Args...), func(argv []string) ([]byte, error) {
			return f.set(data, n, argv)
		}})
	}
	return out, nil
}

var (
	tomlTable = regexp.MustCompile(`(?m)^[ \t]*\[`)
	tomlKey   = map[string]*regexp.Regexp{
		"command": regexp.MustCompile(`(?m)^[ \t]*command[ \t]*=[ \t]*`),
		"args":    regexp.MustCompile(`(?m)^[ \t]*args[ \t]*=[ \t]*`),
	}
)

// set replaces the two values in the server's own table, and checks that the file
// then says what it should and nothing else.
func (f tomlForm) set(data []byte, name string, argv []string) ([]byte, error) {
	head := regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?` + regexp.QuoteMeta(name) + `["']?[ \t]*\][^\n]*\n?`)
	at := head.FindIndex(data)
	if at == nil {
		return nil, errByHand
	}
	end := len(data)
	if next := tomlTable.FindIndex(data[at[1]:]); next != nil {
		end = at[1] + next[0]
	}
	body := string(data[at[1]:end])
	body, ok := put(body, "command", string(seat.Quote(argv[0])))
	if !ok {
		return nil, errByHand
	}
	if with, ok := put(body, "args", string(quoted(argv[1:]))); ok {
		body = with
	} else {
		at := tomlKey["command"].FindStringIndex(body)
		eol := at[1] + strings.IndexByte(body[at[1]:]+"\n", '\n')
		body = body[:eol] + "\nargs = " + string(quoted(argv[1:])) + body[eol:]
	}
	out := []byte(string(data[:at[1]]) + body + string(data[end:]))
	now, err := f.read(out)
	if err != nil || !slices.Equal(append([]string{now[name].Command}, now[name].Args...), argv) {
		return nil, errByHand
	}
	return out, nil
}

var errByHand = errors.New("its table is written in a way that is not changed here; write it by hand")

// put replaces a key's value in the text of a table.
func put(body, key, value string) (string, bool) {
	at := tomlKey[key].FindStringIndex(body)
	if at == nil {
		return body, false
	}
	end := at[1] + tomlValue(body[at[1]:])
	return body[:at[1]] + value + body[end:], true
}

// tomlValue is how long the value at the start of a text is: a string, or a list
// of them.
func tomlValue(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"', '\'':
			for i++; i < len(s) && s[i] != c; i++ {
				if c == '"' && s[i] == '\\' {
					i++
				}
			}
		case '[':
			depth++
			continue
		case ']':
			depth--
		case '#':
			for i < len(s) && s[i] != '\n' {
				i++
			}
			continue
		case '\n':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return min(i+1, len(s))
		}
	}
	return len(s)
}

func (f tomlForm) lines(name string, argv []string) string {
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s", name, seat.Quote(argv[0]), quoted(argv[1:]))
}
