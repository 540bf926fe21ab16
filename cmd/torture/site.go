//go:build linux

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// site serves the pages under attack on loopback: the corpus by its files' names,
// and what takes a server to be hostile.
type site struct {
	*httptest.Server
	pages []string // paths of all hostile pages
	asked atomic.Int64
}

// plainPage is the page to which a session must always find back.
const plainPage = `<!doctype html><title>Plain</title><h1>Plain</h1><button id=b onclick="n.textContent = ++k; l.append(Object.assign(document.createElement('li'), {textContent: 'entry ' + k})); if (l.children.length > 50) l.firstChild.remove()">Press</button><p id=n>0</p><ul id=l></ul><script>let k = 0</script>`

// soakPage changes a part of a large page with every press, and titles, addresses
// and elements come and go.
const soakPage = `<!doctype html><title>Soak</title><button id=b>Press</button><table><tbody id=t></tbody></table><script>
let k = 0;
const fill = () => { t.innerHTML = Array.from({length: 200}, (_, i) => '<tr><td>row ' + i + '<td>' + (i % 10 ? i : k + i) + '<td><button>Open ' + (i + k) + '</button></tr>').join('') };
fill();
b.onclick = () => { k++; fill(); document.title = 'Soak ' + k; history.replaceState({}, '', '?k=' + k); console.log('pressed', k) };
</script>`

// served are hostile answers that a file cannot give.
var served = map[string]http.HandlerFunc{
	"/served/sandbox": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox")
		fmt.Fprint(w, "<!doctype html><title>Sandbox</title><button>in a sandbox</button>")
	},
	"/served/nothing-allowed": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox; require-trusted-types-for 'script'; trusted-types 'none'")
		fmt.Fprint(w, "<!doctype html><button>nothing is allowed</button>")
	},
	"/served/endless": func(w http.ResponseWriter, r *http.Request) { // a document that never ends
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Endless</title>")
		for i := 0; r.Context().Err() == nil && i < 100_000; i++ {
			if _, err := fmt.Fprintf(w, "<p>line %d</p>\n", i); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	},
	"/served/redirects": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/served/redirects?"+r.URL.RawQuery+"x", http.StatusFound)
	},
	"/served/hang":        func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"/served/no-content":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
	"/served/attachment":  attachment,
	"/served/refresh":     refresh,
	"/served/wrong-bytes": wrongBytes,
	"/served/cut": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		fmt.Fprint(w, "<!doctype html><title>Cut</title><button>half a pa")
		panic(http.ErrAbortHandler)
	},
	"/served/xml": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(w, `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;">]><a>&e;</a>`)
	},
	"/served/svg": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"><title>S</title><a href="/plain"><text y="20">link</text></a><script>for(;;)document.title</script></svg>`)
	},
	"/served/text": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, strings.Repeat("\x1b[31m\u009b\u202e text of no page\n", 20_000))
	},
}

func attachment(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Disposition", `attachment; filename="../../../etc/passwd"`)
	w.Header().Set("Content-Type", "application/octet-stream")
	fmt.Fprint(w, "data")
}

func refresh(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Refresh", "0")
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<!doctype html><title>Refresh</title><button>again</button>")
}

func wrongBytes(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><title>\xff\xfe\xc3</title><button>\xed\xa0\x80\xf8\x88\x80\x80 \x00 bytes</button>")
}

// newSite serves a folder of pages.
func newSite(folder string) (*site, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no page lies in %s", folder)
	}
	if err != nil {
		return nil, err
	}
	s := &site{}
	mux := http.NewServeMux()
	mux.HandleFunc("/plain", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, plainPage)
	})
	mux.HandleFunc("/soak", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, soakPage)
	})
	mux.HandleFunc("/secrets", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, secretPage())
	})
	mux.HandleFunc("/v1/messages", func(w http.ResponseWriter, r *http.Request) { // a model's API
		s.asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // the answer is the same whatever was asked
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":2}}`)
	})
	for _, file := range files {
		at := "/page/" + strings.TrimSuffix(filepath.Base(file), ".html")
		s.pages = append(s.pages, at)
		mux.HandleFunc(at, func(w http.ResponseWriter, _ *http.Request) {
			data, err := os.ReadFile(file)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(data) // a page that goes away takes its answer with it
		})
	}
	for at, h := range served {
		mux.HandleFunc(at, h)
		s.pages = append(s.pages, at)
	}
	s.Server = httptest.NewServer(mux)
	return s, nil
}

func (s *site) close() {
	s.CloseClientConnections()
	s.Close()
}
