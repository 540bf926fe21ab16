package proxy

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// MayCall is the guard of a proxy's port: nil where a request comes from a program,
// or from a page of this machine, else why it is refused. A browser sends requests
// for any page that it shows, and tells of it in headers that the page cannot
// change: those of other sites' pages are refused, and those for a host that is not
// this machine, for a page can make its own name point here (DNS rebinding). anyone
// also admits requests from other machines, which call this one by some name; pages
// of other sites are refused even then.
func MayCall(r *http.Request, anyone bool) error {
	if !anyone && !thisMachine(r.Host) {
		return fmt.Errorf("requests for %q are refused: this port is for programs of this machine, under localhost or 127.0.0.1", r.Host)
	}
	switch origin, site := r.Header.Values("Origin"), r.Header.Get("Sec-Fetch-Site"); {
	case len(origin) > 1:
		return fmt.Errorf("a request with %d Origin headers is refused", len(origin))
	case len(origin) == 1:
		if u, err := url.Parse(origin[0]); err != nil || !thisMachine(u.Host) {
			return fmt.Errorf("web pages of %q may not call this port", origin[0])
		}
	case site != "" && site != "none" && site != "same-origin":
		return fmt.Errorf("web pages of other sites (Sec-Fetch-Site: %s) may not call this port", site)
	}
	return nil
}

// thisMachine reports whether a host, with a port or without, is a name of this
// machine that nobody else can own.
func thisMachine(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
