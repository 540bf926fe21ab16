// Package sidefile reads the files that a transcript or a reply points to, as
// far as they lie in a folder that may be read.
package sidefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"snapscope/replay/tape"
)

// MaxSize is the largest file that is read, in bytes.
const MaxSize = 64 << 20

// Reader reads the files a transcript points to, as far as they lie in a folder
// that may be read: the transcript's own, and those the user named. A path
// that leaves its folder, by itself or through a symbolic link, is not followed.
type Reader struct {
	Roots []string
	// Fetch, if set, is asked to bring a file into the first root that is not there
	// yet, by its path from that folder, which never leaves it. Whether it could is
	// seen by looking again.
	Fetch func(name string)
	texts map[string]string // by link: a file that is linked again is not read again
	bytes int64
}

// maxSides bounds all side files together, in bytes.
const maxSides = 1 << 30

// ErrOutside says that a path leaves the folders that may be read.
var ErrOutside = errors.New("it points outside the transcript's folder, so it was not followed")

// Read is a file's text.
func (l *Reader) Read(name string) (string, error) {
	if text, ok := l.texts[name]; ok {
		return text, nil
	}
	if l.bytes > maxSides {
		return "", fmt.Errorf("%s was not read: the files before it hold more than 1 GB", path.Base(Slashed(name)))
	}
	text, err := l.find(name)
	if err != nil {
		return "", err
	}
	if l.texts == nil {
		l.texts = map[string]string{}
	}
	l.texts[name] = text
	l.bytes += int64(len(text))
	return text, nil
}

func (l *Reader) find(name string) (string, error) {
	tries := candidates(name)
	if len(tries) == 0 {
		return "", ErrOutside
	}
	for i, root := range l.Roots {
		r, err := os.OpenRoot(root)
		if err != nil {
			continue
		}
		for _, try := range tries {
			text, err := readIn(r, try)
			if i == 0 && l.Fetch != nil && errors.Is(err, fs.ErrNotExist) {
				l.Fetch(filepath.ToSlash(try))
				text, err = readIn(r, try)
			}
			if err == nil || !errors.Is(err, fs.ErrNotExist) {
				r.Close()
				return text, err
			}
		}
		r.Close()
	}
	if clean := path.Clean(Slashed(name)); path.IsAbs(clean) && !l.holds(clean) {
		return "", ErrOutside
	}
	return "", fmt.Errorf("%s is not there", path.Base(Slashed(name)))
}

// holds reports whether an absolute path lies in a folder that may be read, or
// would have on the machine it was written on.
func (l *Reader) holds(name string) bool {
	for _, root := range l.Roots {
		if abs, err := filepath.Abs(root); err == nil && strings.HasPrefix(name, Slashed(abs)+"/") {
			return true
		}
	}
	return strings.Contains(name, "/tool-results/") || strings.Contains(name, "/tool-outputs/") || strings.Contains(name, "/.playwright-mcp/")
}

func readIn(r *os.Root, name string) (string, error) {
	st, err := r.Stat(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return "", ErrOutside
		}
		return "", err
	}
	if !st.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file", path.Base(name))
	}
	if st.Size() > MaxSize {
		return "", fmt.Errorf("%s has %d bytes, more than is read", path.Base(name), st.Size())
	}
	f, err := r.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxSize))
	return tape.ValidText(strings.TrimPrefix(string(b), "\uFEFF")), err
}

// candidates are the places in a folder where a link's file may lie. A link
// that is absolute on the machine it was written on is looked for by its last
// parts: the file moved with the transcript, its folders above did not.
func candidates(name string) []string {
	name = Slashed(name)
	clean := path.Clean(name)
	abs := path.IsAbs(clean) || (len(clean) > 1 && clean[1] == ':')
	if !abs {
		if clean == ".." || strings.HasPrefix(clean, "../") || clean == "." {
			return nil
		}
		return []string{filepath.FromSlash(clean), filepath.FromSlash(path.Join("cwd", clean))}
	}
	parts := strings.Split(strings.Trim(clean, "/"), "/")
	var out []string
	for n := min(3, len(parts)); n >= 1; n-- {
		tail := path.Join(parts[len(parts)-n:]...)
		if n == 1 && !strings.Contains(name, "/tool-results/") && !strings.Contains(name, ".playwright-mcp") {
			break // a bare name is too little to know a file by
		}
		out = append(out, filepath.FromSlash(tail))
	}
	return out
}

// Slashed is a path with forward slashes, without file://.
func Slashed(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "file://"), `\`, "/")
}

// Reason says in a few words why a file was not read.
func Reason(err error) string {
	if errors.Is(err, ErrOutside) {
		return "it points outside the folder"
	}
	return "the file is missing"
}
