package policy

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// DecodeTOML reads a TOML file into v and refuses keys that v does not have.
// Every error is one sentence with the file's name and the line.
func DecodeTOML(name string, data []byte, v any) error {
	md, err := toml.Decode(string(data), v)
	var pe toml.ParseError
	switch {
	case errors.As(err, &pe):
		return fmt.Errorf("%s:%d:%d: %s", name, pe.Position.Line, max(1, pe.Position.Col), pe.Message)
	case err != nil:
		return misfit(name, data, err)
	}
	unknown := md.Undecoded()
	if len(unknown) == 0 {
		return nil
	}
	path := strings.Join(unknown[0], ".")
	return fmt.Errorf("%s:%d: unknown key %q", name, TOMLLine(data, path), path)
}

// badType is how the TOML library tells of a value of the wrong type.
var badType = regexp.MustCompile(`^toml: (?:line (\d+) )?(?:\(last key "(.*?)"\): )?(?s)(.*)$`)

// misfit says where a value does not fit.
func misfit(name string, data []byte, err error) error {
	m := badType.FindStringSubmatch(err.Error())
	if m == nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	line, _ := strconv.Atoi(m[1])
	if line == 0 {
		line = TOMLLine(data, m[2])
	}
	return fmt.Errorf("%s:%d: %s: %s", name, line, m[2], m[3])
}

// TOMLLine is the line, from 1, at which a key of a TOML file stands: rule.x.step,
// or policy[1].stage[0].keep_n for the tables of arrays. Without indexes the
// first such key is taken; 1 where there is none.
func TOMLLine(data []byte, path string) int {
	for _, k := range tomlKeys(string(data)) {
		if k.path == path || k.bare == path {
			return k.line
		}
	}
	if i := strings.LastIndexByte(path, '.'); i > 0 { // a key of an inline table
		return TOMLLine(data, path[:i])
	}
	return 1
}

type tomlKey struct {
	path, bare string // with and without the indexes of arrays
	line       int
}

// tomlKeys lists the headers and keys of a valid TOML file with their lines.
func tomlKeys(text string) []tomlKey {
	var out []tomlKey
	counts := map[string]int{}
	current := map[string]string{} // bare path of an array to its path with the last index
	table, tableBare := "", ""
	long := ""
	for n, line := range strings.Split(text, "\n") {
		if long != "" {
			if strings.Contains(line, long) {
				long = ""
			}
			continue
		}
		s := strings.TrimSpace(line)
		switch {
		case s == "" || s[0] == '#':
			continue
		case s[0] == '[':
			array := strings.HasPrefix(s, "[[")
			bare := strings.Join(tomlPath(strings.Trim(cutComment(s), "[] \t\r")), ".")
			path := indexed(bare, current)
			if array {
				path = strings.TrimSuffix(path, lastIndex(path))
				path += "[" + strconv.Itoa(counts[path]) + "]"
				counts[strings.TrimSuffix(path, lastIndex(path))]++
				current[bare] = path
			}
			table, tableBare = path+".", bare+"."
			out = append(out, tomlKey{path, bare, n + 1})
		default:
			key, val, ok := strings.Cut(s, "=")
			if !ok {
				continue
			}
			k := strings.Join(tomlPath(key), ".")
			out = append(out, tomlKey{table + k, tableBare + k, n + 1})
			for _, q := range [...]string{`"""`, "'''"} {
				if strings.Count(val, q) == 1 {
					long = q
				}
			}
		}
	}
	return out
}

func cutComment(s string) string {
	s, _, _ = strings.Cut(s, "#")
	return strings.TrimSpace(s)
}

// indexed puts the current index to every array on a path.
func indexed(bare string, current map[string]string) string {
	for b := bare; b != ""; {
		if p, ok := current[b]; ok {
			return p + bare[len(b):]
		}
		i := strings.LastIndexByte(b, '.')
		if i < 0 {
			break
		}
		b = b[:i]
	}
	return bare
}

// lastIndex is the index that a path ends in: "[2]", or "".
func lastIndex(path string) string {
	if i := strings.LastIndexByte(path, '['); i >= 0 && strings.HasSuffix(path, "]") {
		return path[i:]
	}
	return ""
}

// tomlPath splits a dotted key; quotes are taken off.
func tomlPath(key string) []string {
	parts := strings.Split(strings.TrimSpace(key), ".")
	for i, p := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(p), `"'`)
	}
	return parts
}
