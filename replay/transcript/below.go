package transcript

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// endings are the endings under which a folder's sessions are looked for. A file
// that is named by itself may have any.
var endings = []string{".jsonl", ".json", ".md", ".jsonl.zst", ".json.zst", ".jsonl.gz", ".json.gz", ".zip"}

// Below lists the sessions below a folder, by name. What lies beside a session
// (files that its tools wrote) is in folders of its own and read with it.
func Below(ctx context.Context, dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case d.IsDir() && name != dir && beside(d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				return err
			}
			if IsBelow(filepath.ToSlash(rel)) {
				out = append(out, name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", dir, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no session below %s; a session ends in %s", dir, strings.Join(endings, ", "))
	}
	return out, nil
}

// IsBelow reports whether Below lists a file, by its slashed path from the folder:
// stores that have names and no folders ask it, too.
func IsBelow(name string) bool {
	dir := path.Dir(name)
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) }) &&
		(dir == "." || !slices.ContainsFunc(strings.Split(dir, "/"), beside))
}

// beside reports whether a folder holds what lies beside sessions.
func beside(folder string) bool {
	return strings.HasPrefix(folder, ".") || folder == "tool-results" || folder == "subagents"
}
