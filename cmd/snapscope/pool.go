package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/spf13/pflag"

	"snapscope/session/browser"
	"snapscope/session/policy"
)

// poolFlags name the browsers that a session may be carried out on.
type poolFlags struct {
	cdp     []string
	file    string
	headers []string
	shared  bool
}

func (p *poolFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&p.cdp, "cdp", nil, "attach to a running browser at this DevTools address (http://127.0.0.1:9222); repeatable: another one when one is gone")
	f.StringVar(&p.file, "cdp-pool", "", "attach to one of the browsers that this TOML file lists: [[endpoint]] with url and headers")
	f.BoolVar(&p.shared, "cdp-shared", false, "attached: work in the browser's own profile, with its cookies, not in a context apart")
}

// addHeaders adds the flag for what opens an endpoint.
func addHeaders(f *pflag.FlagSet, to *[]string) {
	f.StringArrayVar(to, "cdp-header", nil, "send this header to the browser's address, such as 'Authorization: Bearer …'; repeatable")
}

// poolFile is a list of browsers.
type poolFile struct {
	Endpoint []struct {
		URL     string            `toml:"url"`
		Headers map[string]string `toml:"headers"`
	} `toml:"endpoint"`
}

// pool is the browsers that were named; nil: none, one is launched.
func (p *poolFlags) pool() (*browser.Pool, error) {
	head, err := headersOf(p.headers)
	if err != nil {
		return nil, err
	}
	var ends []browser.Endpoint
	for _, address := range p.cdp {
		ends = append(ends, browser.Endpoint{Address: address, Header: head})
	}
	if p.file != "" {
		listed, err := p.listed(head)
		if err != nil {
			return nil, err
		}
		ends = append(ends, listed...)
	}
	if len(ends) == 0 {
		return nil, nil
	}
	return browser.NewPool(ends...), nil
}

// listed reads the pool file. Every program begins somewhere else in it, so that
// many of them do not all take the first.
func (p *poolFlags) listed(head http.Header) ([]browser.Endpoint, error) {
	data, err := readFile(p.file, maxSettings)
	if err != nil {
		return nil, fmt.Errorf("reading the list of browsers: %w", err)
	}
	var list poolFile
	if err := policy.DecodeTOML(p.file, data, &list); err != nil {
		return nil, usageError{err}
	}
	var out []browser.Endpoint
	for i, e := range list.Endpoint {
		if e.URL == "" {
			return nil, usagef("%s: endpoint %d has no url", p.file, i+1)
		}
		h := head.Clone()
		for name, value := range e.Headers {
			if h == nil {
				h = http.Header{}
			}
			h.Set(name, value)
		}
		out = append(out, browser.Endpoint{Address: e.URL, Header: h})
	}
	if len(out) == 0 {
		return nil, usagef("%s lists no browser: it takes [[endpoint]] with url = \"http://…\"", p.file)
	}
	at := rand.IntN(len(out))
	return append(out[at:], out[:at]...), nil
}

// headersOf reads headers as they stand in a request. What is wrong with one is
// said without its value.
func headersOf(lines []string) (http.Header, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	h := http.Header{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if name = textproto.TrimString(name); !ok || name == "" || strings.ContainsAny(name, " \t\r\n") || strings.ContainsAny(value, "\r\n") {
			return nil, usagef("--cdp-header takes 'Name: value'")
		}
		h.Add(name, strings.TrimSpace(value))
	}
	return h, nil
}

// held is an output that can be taken back until it is let go.
type held struct {
	to   io.Writer
	hold bool
	kept strings.Builder
}

func (h *held) Write(p []byte) (int, error) {
	if h.hold {
		return h.kept.Write(p)
	}
	return h.to.Write(p)
}

// letGo writes what was kept.
func (h *held) letGo() error {
	_, err := io.WriteString(h.to, h.kept.String())
	h.kept.Reset()
	return err
}
