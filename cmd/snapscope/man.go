package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"snapscope/tui"
	"snapscope/tui/keymap"
)

func (a *app) manCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the man pages into a folder",
		Args:  args(1, 1, "one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("writing man pages: %w", err)
			}
			head := &doc.GenManHeader{Title: "SNAPSCOPE", Section: "1", Source: "snapscope " + version(), Date: builtOn()}
			if err := doc.GenManTree(cmd.Root(), head, args[0]); err != nil {
				return fmt.Errorf("writing man pages: %w", err)
			}
			if err := addKeys(filepath.Join(args[0], "snapscope.1")); err != nil {
				return fmt.Errorf("writing man pages: %w", err)
			}
			return nil
		},
	}
}

// addKeys adds the debugger's keys and words to its man page.
func addKeys(page string) error {
	f, err := os.OpenFile(page, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(manKeys())
	return errors.Join(err, f.Close())
}

// manKeys is the debugger's table of keys as a man page has it.
func manKeys() string {
	var b strings.Builder
	roff := strings.NewReplacer(`\`, `\e`, "-", `\-`)
	row := func(left, right string) {
		fmt.Fprintf(&b, ".TP\n\\&\\fB%s\\fR\n\\&%s\n", roff.Replace(left), roff.Replace(right))
	}
	b.WriteString("\n.SH KEYS OF THE DEBUGGER\n")
	group := ""
	for _, a := range tui.Actions() {
		if a.Group != group {
			fmt.Fprintf(&b, ".SS %s\n", roff.Replace(a.Group))
			group = a.Group
		}
		keys := make([]string, len(a.Keys))
		for i, k := range a.Keys {
			keys[i] = keymap.Pretty(k)
		}
		row(strings.Join(keys, " ")+"  ("+a.Name+")", a.Doc)
	}
	b.WriteString(".SS Words to type after the colon\n")
	for _, w := range tui.Words() {
		row(w.Word+" "+w.Args, w.Doc)
	}
	return b.String()
}
