package proxy

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"snapscope/replay"
	"snapscope/session/atomicfile"
)

// MaxKept is how many recordings of seats are kept unless told otherwise; the
// oldest go first.
const MaxKept = 200

// maxSocket is how long the path of a unix socket may be, in bytes, on every
// system: macOS has 104 with the zero at the end.
const maxSocket = 103

// Folder is where seats keep their recordings and sockets.
type Folder struct {
	State string   // recordings lie below it
	Runs  []string // where sockets may lie, in order of preference
}

// FindFolder answers where seats keep things, from the environment. Agents start
// their servers with little of it (Codex gives HOME, PATH and TERM), so whoever
// looks for seats looks in every place that one may have chosen.
func FindFolder(getenv func(string) string) Folder {
	var f Folder
	if d := getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		f.add(filepath.Join(d, "snapscope"))
	}
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	if home != "" {
		f.add(filepath.Join(home, ".local", "state", "snapscope"))
	}
	f.Runs = append(f.Runs, filepath.Join(shortTemp(), "snapscope-"+strconv.Itoa(os.Getuid())))
	return f
}

func (f *Folder) add(dir string) {
	if f.State == "" {
		f.State = dir
	}
	f.Runs = append(f.Runs, filepath.Join(dir, "run"))
}

// shortTemp is a folder for temporary files whose name is short and the same for
// every process of a user, whatever its environment.
func shortTemp() string {
	if os.PathSeparator == '/' {
		return "/tmp"
	}
	return os.TempDir()
}

// NewID names a run: the seat's kind and six hexadecimal digits.
func NewID(kind Kind) string {
	var b [3]byte
	_, _ = rand.Read(b[:]) // never fails
	return string(kind) + "-" + hex.EncodeToString(b[:])
}

// Socket answers a path for a run's socket, in a folder that only its owner can
// enter, and makes the folder. The error tells why there is no such place.
func (f Folder) Socket(id string) (string, error) {
	var why []error
	for _, dir := range f.Runs {
		path := filepath.Join(dir, id+".sock")
		if len(path) > maxSocket {
			why = append(why, fmt.Errorf("%s is longer than the %d bytes of a socket's path", path, maxSocket))
			continue
		}
		err := ownFolder(dir)
		if err == nil {
			return path, nil
		}
		why = append(why, err)
	}
	return "", errors.Join(why...)
}

// ownFolder makes a folder with mode 0700, or checks that it is one of ours.
func ownFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !st.IsDir() || !ownedBy(st, os.Getuid()) {
		return fmt.Errorf("%s belongs to somebody else", dir)
	}
	if st.Mode().Perm()&0o077 != 0 {
		return os.Chmod(dir, 0o700)
	}
	return writable(dir)
}

// Sockets lists the sockets there are, of living and dead runs, by run.
func (f Folder) Sockets() map[string]string {
	out := map[string]string{}
	for _, dir := range f.Runs {
		st, err := os.Lstat(dir)
		if err != nil || !ownedBy(st, os.Getuid()) {
			continue
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if id, ok := strings.CutSuffix(e.Name(), ".sock"); ok {
				out[id] = filepath.Join(dir, e.Name())
			}
		}
	}
	return out
}

// Record starts the recording of a run, with mode 0600, and answers its path. Of
// the older ones at most keep-1 stay (0: MaxKept); those that are still written
// always do.
func (f Folder) Record(id string, now time.Time, keep int) (*replay.Writer, string, error) {
	if f.State == "" {
		return nil, "", errors.New("there is no folder to record in: HOME is not set")
	}
	dir := filepath.Join(f.State, "recordings")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", err
	}
	if keep <= 0 {
		keep = MaxKept
	}
	f.prune(dir, keep-1)
	path := filepath.Join(dir, "seat-"+now.Format("20060102-150405")+"-"+id+".jsonl")
	w, err := replay.Create(path)
	return w, path, err
}

// prune removes the oldest recordings of seats until keep are left.
func (f Folder) prune(dir string, keep int) {
	names, err := filepath.Glob(filepath.Join(dir, "seat-*.jsonl"))
	if err != nil || len(names) <= keep {
		return
	}
	sort.Strings(names) // by time, for it stands first
	for _, name := range names[:len(names)-keep] {
		_ = atomicfile.RemoveLeft(name) // somebody writes it, or it is not ours to remove
	}
}
