package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"snapscope/replay/proxy/mcp"
	"snapscope/replay/proxy/setup"
	"snapscope/session/agents"
	"snapscope/session/atomicfile"
)

// backupEnd is put behind a configuration's name for the copy of it as it was.
const backupEnd = ".before-snapscope"

type installFlags struct {
	file, server, scope, listen string
	policies                    policyFlags
}

func (a *app) mcpInstallCmd(install bool) *cobra.Command {
	var f installFlags
	use, short := "uninstall", "Take snapscope out of an agent's configuration"
	if install {
		use, short = "install", "Put snapscope before the browser's server in an agent's configuration"
	}
	c := &cobra.Command{
		Use: use + " AGENT", Short: short, Args: args(1, 1, "one agent"), ValidArgs: agents.Configured(),
		Long: short + `: ` + strings.Join(agents.Configured(), ", ") + `.
Only a few words before the server's command change; a copy of the file is kept beside it, and
uninstall gives the file back as it was, to the byte, where nobody changed it since.

The person's own configuration is meant, for all folders (user) and for this one
(local). --scope names one of these, project (the file of this folder that others
share) or plugin. With --policy the pages go to the agent as that policy makes
them. A server that the agent reaches over HTTP has to be named with --server:
then snapscope has to run beside it, by the command that is printed.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ag, ok := agents.Find(args[0])
			if !ok || len(ag.Configs) == 0 {
				return usagef("no agent %q; there are %s", args[0], strings.Join(agents.Configured(), ", "))
			}
			files, err := configurations(ag, f)
			if err != nil {
				return err
			}
			if !install {
				return uninstallSeat(files, f, cmd.OutOrStdout())
			}
			p, err := a.proxyOf(f)
			if err != nil {
				return err
			}
			return installSeat(files, f, p, cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&f.file, "file", "", "the configuration (default: the person's own)")
	c.Flags().StringVar(&f.server, "server", "", "the server (default: every one whose command is a browser's)")
	c.Flags().StringVar(&f.scope, "scope", "", "user, local, project or plugin (default: user and local)")
	if install {
		f.policies.add(c.Flags(), "none: every byte passes as it came")
		c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8793", "where snapscope will serve for a server that is reached over HTTP")
	}
	return c
}

// here is this machine as agents see it.
func here() (agents.Where, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return agents.Where{}, fmt.Errorf("finding the home folder: %w", err)
	}
	cwd, err := os.Getwd()
	return agents.Where{Home: home, Cwd: cwd, OS: runtime.GOOS, Getenv: os.Getenv}, err
}

// configurations are the files that flags mean, those that are there first; where
// none is, the first that could be.
func configurations(ag agents.Agent, f installFlags) ([]setup.File, error) {
	w, err := here()
	if err != nil && f.file == "" {
		return nil, err
	}
	var files, missing []setup.File
	known := false
	for _, c := range ag.Configs {
		if known = known || c.Scope == f.scope; f.scope != "" && c.Scope != f.scope || f.scope == "" && c.Asked && f.file == "" {
			continue
		}
		paths := []string{f.file}
		if f.file == "" {
			if paths, err = filepath.Glob(c.File.At(w)); err != nil {
				return nil, fmt.Errorf("finding the configuration: %w", err)
			}
		}
		if len(paths) == 0 {
			missing = append(missing, setup.File{Path: c.File.At(w), Agent: ag, Places: []agents.Config{c}, Cwd: w.Cwd})
		}
		for _, path := range paths {
			i := slices.IndexFunc(files, func(o setup.File) bool { return o.Path == path })
			if i < 0 {
				i = len(files)
				files = append(files, setup.File{Path: path, Agent: ag, Cwd: w.Cwd})
			}
			if !slices.ContainsFunc(files[i].Places, func(o agents.Config) bool { return slices.Equal(o.Keys, c.Keys) }) {
				files[i].Places = append(files[i].Places, c)
			}
		}
	}
	switch {
	case f.scope != "" && !known:
		return nil, usagef("%s has no configuration of scope %q", ag.Title, f.scope)
	case len(files) == 0:
		return missing[:1], nil
	}
	return files, nil
}

// seatCommand is how an agent starts the seat, whatever its PATH.
func seatCommand() ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	return []string{exe, "mcp", "--"}, nil
}

// proxyOf is what the flags put before a server.
func (a *app) proxyOf(f installFlags) (setup.Proxy, error) {
	command, err := seatCommand()
	if err != nil {
		return setup.Proxy{}, err
	}
	inline := slices.Contains(f.policies.names, mcp.Inline)
	f.policies.names = slices.DeleteFunc(f.policies.names, func(n string) bool { return n == mcp.Inline })
	pol, err := a.onePolicy(f.policies)
	if err != nil {
		return setup.Proxy{}, err
	}
	pages, history, err := seatWords(pol, f.policies)
	if err != nil {
		return setup.Proxy{}, err
	}
	if inline {
		pages = append([]string{"--policy", mcp.Inline}, pages...)
	}
	if history != nil {
		return setup.Proxy{}, usagef("policy %s clears the history, which the seat before the model API does: name a policy that only rewrites pages", pol.Name)
	}
	p := setup.Proxy{Argv: slices.Concat(command[:2], pages, command[2:])}
	if f.server != "" {
		p.URL = "http://" + f.listen
	}
	return p, nil
}

// inEach does something in every file: it is done where it was done in one of them, and
// else the first error that says why there was nothing to do counts.
func inEach(files []setup.File, do func(setup.File) error) error {
	var first error
	done := false
	for _, file := range files {
		err := do(file)
		done = done || err == nil
		switch {
		case errors.Is(err, setup.ErrNothing) || errors.Is(err, setup.ErrNoServer):
			first = cmp.Or(first, err)
		case err != nil:
			return err
		}
	}
	if done {
		return nil
	}
	return first
}

func installSeat(files []setup.File, f installFlags, p setup.Proxy, w io.Writer) error {
	return inEach(files, func(file setup.File) error { return installIn(file, f, p, w) })
}

func installIn(file setup.File, f installFlags, p setup.Proxy, w io.Writer) error {
	byHand := "by hand it is:\n" + setup.Lines(file.Agent, or(f.server, "playwright"), p.Argv, []string{"npx", "@playwright/mcp@latest"})
	st, err := os.Stat(file.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s; %s", file.Path, byHand)
	}
	if err != nil {
		return err
	}
	was, err := readFile(file.Path, maxSettings)
	if err != nil {
		return fmt.Errorf("reading the configuration of %s: %w", file.Agent.Title, err)
	}
	now, changed, err := file.Wrap(was, f.server, p)
	if errors.Is(err, setup.ErrNothing) {
		return fmt.Errorf("%s: no browser's server that snapscope is not before already (%w); name one with --server; %s", file.Path, err, byHand)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; %s", file.Path, err, byHand)
	}
	copied := file.Path + backupEnd
	if _, err := os.Lstat(copied); err != nil || len(file.Proxied(was)) == 0 { // a copy of the file with a proxy in it would take the place of the one without
		if err := writeCopy(copied, was, st); err != nil {
			return err
		}
	}
	if err := atomicfile.Write(file.Path, now, st.Mode().Perm()); err != nil {
		return fmt.Errorf("writing the configuration of %s: %w", file.Agent.Title, err)
	}
	_, err = fmt.Fprintf(w, "%s: %s now starts %s through snapscope. Restart it, then run: snapscope attach\n", file.Path, file.Agent.Title, serverNames(changed))
	for _, s := range changed {
		if s.Argv == nil && err == nil {
			_, err = fmt.Fprintf(w, "%s is reached over HTTP: keep this running: snapscope mcp %s\n", s.Name, overHTTP(f, p, s.Behind))
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(w, "The file as it was: %s\n", copied)
	}
	return err
}

// overHTTP are the arguments of the seat before a server that runs.
func overHTTP(f installFlags, p setup.Proxy, to string) string {
	words := append(slices.Clone(p.Argv[2:len(p.Argv)-1]), "--listen", f.listen, "--to", to)
	for i, word := range words {
		if strings.ContainsAny(word, " '\"$&|;<>()*?") {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

func serverNames(list []setup.Server) string {
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// writeCopy keeps a file as it was, for whoever the file is for. Only a copy of ours
// is replaced: through a link it would be written somewhere else.
func writeCopy(path string, data []byte, like fs.FileInfo) error {
	if err := ownCopy(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keeping a copy: %w", err)
	}
	c, err := atomicfile.Create(path, 0o600)
	if err != nil {
		return fmt.Errorf("keeping a copy: %w", err)
	}
	defer c.Abort()
	c.Like(like)
	if _, err := c.Write(data); err != nil {
		return fmt.Errorf("keeping a copy: %w", err)
	}
	return c.Commit()
}

// ownCopy is the error of a copy that is none of ours.
func ownCopy(path string) error {
	st, err := os.Lstat(path)
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%s is a link or a folder, not a copy that snapscope made: remove it first", path)
	}
	return err
}

func uninstallSeat(files []setup.File, f installFlags, w io.Writer) error {
	return inEach(files, func(file setup.File) error { return uninstallIn(file, f, w) })
}

func uninstallIn(file setup.File, f installFlags, w io.Writer) error {
	now, err := readFile(file.Path, maxSettings)
	if err != nil {
		return fmt.Errorf("reading the configuration of %s: %w", file.Agent.Title, err)
	}
	back, changed, err := file.Unwrap(now, f.server)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Path, err)
	}
	copied := file.Path + backupEnd
	var was []byte
	if ownCopy(copied) == nil {
		if was, err = readFile(copied, maxSettings); err != nil {
			return fmt.Errorf("reading the copy: %w", err)
		}
		if len(file.Proxied(back)) == 0 && file.Same(was, now) {
			back = was
		}
	}
	if err := atomicfile.Write(file.Path, back, 0o600); err != nil {
		return fmt.Errorf("writing the configuration of %s: %w", file.Agent.Title, err)
	}
	said := "the commands of " + serverNames(changed) + " are as they were; the rest of the file, which was changed since, is untouched"
	if was != nil && bytes.Equal(back, was) {
		said = "as it was, to the byte"
	}
	if was != nil && len(file.Proxied(back)) == 0 {
		if err := os.Remove(copied); err != nil {
			return fmt.Errorf("removing the copy: %w", err)
		}
	}
	_, err = fmt.Fprintf(w, "%s: %s\n", file.Path, said)
	return err
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
