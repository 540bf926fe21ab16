package browser

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// page is the address of a page with this body.
func page(body string) string { return "/html?b=" + url.QueryEscape(body) }

// serve is the test site: /html shows the body it is asked for; the rest are
// servers' manners.
func serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/html":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := strings.NewReplacer("$SITE", site.URL, "$OTHER", other).Replace(r.URL.Query().Get("b"))
		fmt.Fprintf(w, "<!doctype html><title>test</title>%s", body)
	case "/one", "/two":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%[1]s</title><button>%[1]s</button>", r.URL.Path[1:])
	case "/sandboxed":
		w.Header().Set("Content-Security-Policy", "sandbox")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>sandboxed</title><h1>Alone</h1><details><summary>More</summary><p>inside</p></details><input aria-label=q><script>document.title = "ran"</script>`)
	case "/hang", "/halfway", "/slow.json", "/stream.json", "/slow.js", "/late":
		dawdle(w, r)
	case "/report.csv":
		w.Header().Set("Content-Type", "text/csv")
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		fmt.Fprint(w, "a,b\n1,2\n")
	case "/nothing":
		w.WriteHeader(http.StatusNoContent)
	case "/redirect":
		http.Redirect(w, r, "/one", http.StatusFound)
	case "/clientredirect":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<script>location.href = "/two"</script><button>before</button>`)
	case "/broken":
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, "it broke")
	case "/plain.txt", "/data.json", "/pic.svg", "/doc.xml", "/empty":
		kind := map[string][2]string{
			"/plain.txt": {"text/plain", "plain words"}, "/data.json": {"application/json", `{"leads": 3}`},
			"/pic.svg": {"image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"><text>drawn</text></svg>`},
			"/doc.xml": {"text/xml", "<a><b>tree</b></a>"}, "/empty": {"text/html", ""},
		}[r.URL.Path]
		w.Header().Set("Content-Type", kind[0])
		fmt.Fprint(w, kind[1])
	default:
		http.NotFound(w, r)
	}
}

// dawdle is servers that take their time.
func dawdle(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/hang":
		select {
		case <-r.Context().Done():
		case <-time.After(ample):
		}
	case "/halfway": // a document that begins and does not end
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>half</title><button>Half</button>")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(ample):
		}
	case "/slow.js", "/late": // after so many milliseconds
		ms, _ := strconv.Atoi(r.URL.Query().Get("ms")) // 0 where it is none
		select {
		case <-r.Context().Done():
		case <-time.After(time.Duration(ms) * time.Millisecond):
		}
		if r.URL.Path == "/late" {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>late</title>", r.URL.Query().Get("b"))
		}
	case "/slow.json":
		time.Sleep(400 * time.Millisecond)
		fmt.Fprint(w, `{"leads":3}`)
	case "/stream.json":
		w.Header().Set("Content-Type", "application/json")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(ample):
		}
	}
}
