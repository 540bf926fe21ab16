package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"snapscope/session/atomicfile"
	"snapscope/session/seat/setup"
)

// backupEnd is put behind a configuration's name for the copy of it as it was.
const backupEnd = ".before-snapscope"

type installFlags struct{ file, server string }

func (a *app) mcpInstallCmd(install bool) *cobra.Command {
	var f installFlags
	use, short := "uninstall", "Take snapscope out of an agent's configuration"
	if install {
		use, short = "install", "Put snapscope before the browser's server in an agent's configuration"
	}
	var names []string
	for _, ag := range setup.Agents {
		names = append(names, ag.Name)
	}
	c := &cobra.Command{
		Use: use + " AGENT", Short: short, Args: args(1, 1, "one agent"), ValidArgs: names,
		Long: short + `: ` + strings.Join(names, ", ") + `.
Only the command of the server changes; a copy of the file is kept beside it, and
uninstall gives the file back as it was, to the byte, where nobody changed it since.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ag, err := setup.Find(args[0])
			if err != nil {
				return usageError{err}
			}
			if f.file == "" {
				home, err := os.UserHomeDir()
				if err != nil {
					return fmt.Errorf("finding the configuration: %w", err)
				}
				f.file = ag.File(home, os.Getenv)
			}
			if install {
				return installSeat(ag, f, cmd.OutOrStdout())
			}
			return uninstallSeat(ag, f, cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&f.file, "file", "", "the configuration (default: the person's own)")
	c.Flags().StringVar(&f.server, "server", "", "the server (default: every one whose command is a browser's)")
	return c
}

// seatCommand is how an agent starts the seat, whatever its PATH.
func seatCommand() ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	return []string{exe, "mcp", "--"}, nil
}

func installSeat(ag setup.Agent, f installFlags, w io.Writer) error {
	seat, err := seatCommand()
	if err != nil {
		return err
	}
	name := or(f.server, "playwright")
	byHand := "by hand it is:\n" + ag.Lines(name, seat, []string{"npx", "@playwright/mcp@latest"})
	st, err := os.Stat(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no %s; %s", f.file, byHand)
	}
	if err != nil {
		return err
	}
	was, err := readFile(f.file, maxSettings)
	if err != nil {
		return fmt.Errorf("reading the configuration of %s: %w", ag.Title, err)
	}
	now, changed, err := ag.Wrap(was, f.server, seat)
	if errors.Is(err, setup.ErrNothing) {
		return fmt.Errorf("%s: no browser's server that snapscope is not before already (%w); name one with --server; %s", f.file, err, byHand)
	}
	if err != nil {
		return fmt.Errorf("%s: %w; %s", f.file, err, byHand)
	}
	if err := atomicfile.Write(f.file+backupEnd, was, st.Mode().Perm()); err != nil {
		return fmt.Errorf("keeping a copy: %w", err)
	}
	if err := atomicfile.Write(f.file, now, st.Mode().Perm()); err != nil {
		return fmt.Errorf("writing the configuration of %s: %w", ag.Title, err)
	}
	_, err = fmt.Fprintf(w, "%s: snapscope stands before %s. Start %s anew, then: snapscope attach\nThe file as it was: %s\n",
		f.file, strings.Join(changed, ", "), ag.Title, f.file+backupEnd)
	return err
}

func uninstallSeat(ag setup.Agent, f installFlags, w io.Writer) error {
	st, err := os.Stat(f.file)
	if err != nil {
		return fmt.Errorf("reading the configuration of %s: %w", ag.Title, err)
	}
	now, err := readFile(f.file, maxSettings)
	if err != nil {
		return fmt.Errorf("reading the configuration of %s: %w", ag.Title, err)
	}
	back, changed, err := ag.Unwrap(now, f.server)
	if err != nil {
		return fmt.Errorf("%s: %w", f.file, err)
	}
	said := "the commands of " + strings.Join(changed, ", ") + " are as they were; the rest of the file, which was changed since, is untouched"
	if was, err := readFile(f.file+backupEnd, maxSettings); err == nil && untouched(ag, was, now, f.server) {
		back, said = was, "as it was, to the byte"
	}
	if err := atomicfile.Write(f.file, back, st.Mode().Perm()); err != nil {
		return fmt.Errorf("writing the configuration of %s: %w", ag.Title, err)
	}
	if err := os.Remove(f.file + backupEnd); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the copy: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s: %s\n", f.file, said)
	return err
}

// untouched reports whether a file is what install made of its copy: then the copy
// is what it was, to the byte.
func untouched(ag setup.Agent, was, now []byte, server string) bool {
	seats := [][]string{}
	if s, err := seatCommand(); err == nil {
		seats = append(seats, s)
	}
	for _, s := range seats {
		if again, _, err := ag.Wrap(was, server, s); err == nil && bytes.Equal(again, now) {
			return true
		}
	}
	return false
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
