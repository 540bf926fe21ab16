package proxy

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// What browsers and programs send, and who is let in.
func TestMayCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		host, heads string
		anyone      bool
		why         string // part of the refusal; empty: let in
	}{
		"a program":                               {host: "127.0.0.1:8790"},
		"a program, by name":                      {host: "localhost:8790"},
		"a program, by a name below it":           {host: "seat.localhost:8790"},
		"a program, IPv6":                         {host: "[::1]:8790"},
		"a program, no port":                      {host: "LOCALHOST."},
		"Node's fetch":                            {host: "127.0.0.1:1", heads: "Sec-Fetch-Mode: cors"},
		"an address that a person typed":          {host: "127.0.0.1:1", heads: "Sec-Fetch-Site: none"},
		"a page of this machine":                  {host: "127.0.0.1:1", heads: "Origin: http://localhost:3000\nSec-Fetch-Site: cross-site"},
		"a page of this very port":                {host: "127.0.0.1:1", heads: "Sec-Fetch-Site: same-origin"},
		"a rebound name":                          {host: "evil.example", why: "this machine"},
		"a name that looks like an address":       {host: "127.0.0.1.evil.example", why: "this machine"},
		"a name that ends like this machine's":    {host: "evillocalhost", why: "this machine"},
		"no host":                                 {host: "", why: "this machine"},
		"another site's page, POST":               {host: "127.0.0.1:1", heads: "Origin: https://evil.example", why: "evil.example"},
		"another site's page, named like this":    {host: "127.0.0.1:1", heads: "Origin: https://localhost.evil.example", why: "web pages"},
		"a sandboxed page":                        {host: "127.0.0.1:1", heads: "Origin: null", why: "web pages"},
		"an empty Origin":                         {host: "127.0.0.1:1", heads: "Origin: ", why: "web pages"},
		"an Origin that is none":                  {host: "127.0.0.1:1", heads: "Origin: ://%", why: "web pages"},
		"two Origins":                             {host: "127.0.0.1:1", heads: "Origin: http://localhost\nOrigin: https://evil.example", why: "2 Origin"},
		"another site's page, GET without Origin": {host: "127.0.0.1:1", heads: "Sec-Fetch-Site: cross-site", why: "other sites"},
		"a page of a neighbour":                   {host: "127.0.0.1:1", heads: "Sec-Fetch-Site: same-site", why: "other sites"},
		"another machine, allowed":                {host: "seat.internal:8790", anyone: true},
		"another site's page, anyone allowed":     {host: "seat.internal:8790", heads: "Origin: https://evil.example", anyone: true, why: "evil.example"},
		"its GET, anyone allowed":                 {host: "seat.internal:8790", heads: "Sec-Fetch-Site: cross-site", anyone: true, why: "other sites"},
	} {
		r := httptest.NewRequest("POST", "/v1/messages", nil)
		r.Host = c.host
		for line := range strings.Lines(c.heads) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			r.Header.Add(key, value)
		}
		err := MayCall(r, c.anyone)
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
	}
}
