// Package demo is the demo site with its server, and what goes with it: step
// scripts and recordings, all embedded, so that the program can show itself on a machine
// that has nothing prepared.
//
//	site/        our own pages: static HTML, CSS and JavaScript, nothing fetched from elsewhere
//	scripts/     step scripts that drive them
//	recordings/  sessions recorded from those scripts
//
// Every page is deterministic: fixed data, no clock, no randomness, no timers
// that change what a reader sees. What must take time (a slow answer, a page
// that never gets quiet) is the server's or the page's declared behaviour and
// leaves the page's text alone. So two captures of one page are equal, and a
// difference between two snapshots is always the action's doing.
package demo

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
)

//go:embed site
var site embed.FS

//go:embed scripts
var scripts embed.FS

//go:embed recordings
var recordings embed.FS

// Site is the demo site's files as they lie in site/: leads.html, site.css, …
func Site() fs.FS {
	sub, err := fs.Sub(site, "site")
	if err != nil {
		panic(err) // the name is a constant of this file
	}
	return sub
}

// Script answers a step script by its file name without ".yaml": "leads",
// "tour". The scripts name pages by path ("goto: /leads") so that one file
// works on any host; baseURL ("http://127.0.0.1:41877") is put before each such
// path. An empty baseURL leaves the paths for the caller to resolve.
func Script(name, baseURL string) (string, error) {
	b, err := fs.ReadFile(scripts, path.Join("scripts", name+".yaml"))
	if err != nil {
		return "", fmt.Errorf("no step script %q; there are %s", name, strings.Join(names(scripts, "scripts", ".yaml"), ", "))
	}
	return rebase(string(b), baseURL), nil
}

// LeadsScript is the script "leads": one agent step of ten actions on the leads
// table, the session that demo plays.
func LeadsScript(baseURL string) string {
	s, err := Script("leads", baseURL)
	if err != nil {
		panic(err) // the file is embedded; a test reads it
	}
	return s
}

// rebase puts baseURL before the path of every goto and every url argument that
// is a path of the site. It works by line, so comments and places in the file stay.
func rebase(script, baseURL string) string {
	if baseURL == "" {
		return script
	}
	baseURL = strings.TrimSuffix(baseURL, "/")
	for _, key := range []string{"goto: ", "url: "} {
		script = strings.ReplaceAll(script, key+"/", key+baseURL+"/")
	}
	return script
}

// ErrNoRecording says that a recording was not there when the program was built.
var ErrNoRecording = errors.New("no embedded recording")

// packed is the ending of an embedded recording: its pages repeat themselves,
// so zstd makes it twenty times smaller.
const packed = ".jsonl.zst"

// Recording answers an embedded recording by its name: "leads". The error wraps
// ErrNoRecording and names those there are.
func Recording(name string) ([]byte, error) {
	b, err := fs.ReadFile(recordings, path.Join("recordings", name+packed))
	if err == nil {
		return Unpack(b)
	}
	have := names(recordings, "recordings", packed)
	if len(have) == 0 {
		return nil, fmt.Errorf("%w %q: this program was built without any", ErrNoRecording, name)
	}
	return nil, fmt.Errorf("%w %q; there are %s", ErrNoRecording, name, strings.Join(have, ", "))
}

// Unpack answers what an embedded recording holds.
func Unpack(b []byte) ([]byte, error) {
	r, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.DecodeAll(b, nil)
}

// names lists the files of a folder that end in ext, without it.
func names(from fs.FS, dir, ext string) []string {
	entries, err := fs.ReadDir(from, dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ext); ok {
			out = append(out, name)
		}
	}
	return out
}
