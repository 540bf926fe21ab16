package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"

	"snapscope/replay/proxy"
	"snapscope/session/agents"
)

// readJSON reads the servers of the object at some keys.
func readJSON(data []byte, p agents.Config, keys []string) ([]Server, error) {
	plain := plainJSON(data)
	if !json.Valid(plain) {
		if len(bytes.TrimSpace(plain)) == 0 {
			return nil, nil
		}
		return nil, errors.New("it is no JSON, so it is left alone")
	}
	path := make([]any, len(keys))
	for i, k := range keys {
		path[i] = k
	}
	all, ok := proxy.Find(plain, path...)
	if !ok {
		return nil, nil
	}
	var out []Server
	for key, at := range proxy.Members(plain, all.From) {
		name, _ := proxy.Text(plain, key)
		if s, ok := serverOf(plain, name, proxy.Span{From: at, To: proxy.End(plain, at)}, p); ok {
			out = append(out, s)
		}
	}
	return out, nil
}

func serverOf(plain []byte, name string, obj proxy.Span, p agents.Config) (Server, bool) {
	s := Server{Name: name}
	find := func(key string) proxy.Span {
		in, ok := proxy.Find(plain[obj.From:obj.To], key)
		if !ok {
			return proxy.Span{}
		}
		return proxy.Span{From: obj.From + in.From, To: obj.From + in.To}
	}
	command := find("command")
	if p.Whole && command.To > 0 {
		s.spot.list = command
	} else if program, ok := proxy.Text(plain, command); ok && program != "" {
		s.spot.command, s.spot.list, s.Argv = command, find("args"), []string{program}
		s.spot.args, s.spot.argsAt = `, "args": %s`, command.To
		if i := bytes.LastIndexByte(plain[:command.From], ':'); i+1 == command.From {
			s.spot.args = `,"args":%s`
		}
	} else if command.To == 0 {
		return httpServer(plain, s, find, p)
	} else {
		return s, false
	}
	if s.spot.list.To == 0 {
		return s, len(s.Argv) > 0
	}
	if plain[s.spot.list.From] != '[' {
		return httpServer(plain, s, find, p)
	}
	for at := range proxy.Elements(plain, s.spot.list.From) {
		w := proxy.Span{From: at, To: proxy.End(plain, at)}
		s.spot.words = append(s.spot.words, w)
		word, ok := proxy.Text(plain, w)
		if !ok {
			word = string(w.Of(plain)) // a number, such as a port
		}
		s.Argv = append(s.Argv, word)
	}
	return s, len(s.Argv) > 0
}

// httpServer is a server that is reached over streamable HTTP. The older transport,
// with a stream of events and a second address, is left alone.
func httpServer(plain []byte, s Server, find func(string) proxy.Span, p agents.Config) (Server, bool) {
	s.spot = spot{url: find(cmp.Or(p.URL, "url"))}
	url, ok := proxy.Text(plain, s.spot.url)
	kind, _ := proxy.Text(plain, find("type"))
	s.Argv, s.URL = nil, url
	return s, ok && kind != "sse"
}

// plainJSON is a text of the same length with spaces for what JSON does not have: the
// byte order mark, comments, and a comma before a closing bracket.
func plainJSON(data []byte) []byte {
	out := bytes.Clone(data)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	if bytes.HasPrefix(out, []byte("\xef\xbb\xbf")) {
		blank(0, 3)
	}
	comma := -1 // of the last thing that is no space
	for i := 0; i < len(out); {
		rest := out[i:]
		switch c := out[i]; {
		case c == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			i, comma = i+1, -1
			continue
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			blank(i, i+end)
			i += end
			continue
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return out // no comment, and no JSON
			}
			blank(i, i+end+4)
			i += end + 4
			continue
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma] = ' '
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
		i++
	}
	return out
}
