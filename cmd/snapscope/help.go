package main

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// docs are the project's documents. They are read as files in the repository and
// as help topics in the program; a test runs their command lines and writes what
// the program answers into them.
//
//go:embed docs/*.md
var docs embed.FS

// topics lists the documents by name, the first line of each as its title.
func topics() (names []string, titles map[string]string) {
	titles = map[string]string{}
	files, err := fs.Glob(docs, "docs/*.md")
	if err != nil {
		return nil, titles
	}
	for _, file := range files {
		text, err := docs.ReadFile(file)
		if err != nil {
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(file, "docs/"), ".md")
		first, _, _ := strings.Cut(string(text), "\n")
		names = append(names, name)
		titles[name] = strings.TrimPrefix(first, "# ")
	}
	slices.Sort(names)
	return names, titles
}

// helpCmd is cobra's help command with the documents as further topics. Where a
// topic has a command's name, the document is shown: the command has --help.
func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [TOPIC or COMMAND]",
		Short: "Help about a topic or a command",
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			names, titles := topics()
			for i, name := range names {
				names[i] = name + "\t" + titles[name]
			}
			for _, sub := range c.Root().Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(c *cobra.Command, args []string) error {
			out := c.OutOrStdout()
			if len(args) == 0 {
				if err := c.Root().Help(); err != nil {
					return err
				}
				return listTopics(out)
			}
			if len(args) == 1 {
				if text, err := docs.ReadFile("docs/" + args[0] + ".md"); err == nil {
					_, err := out.Write(text)
					return err
				}
			}
			sub, rest, err := c.Root().Find(args)
			if err != nil || sub == nil || len(rest) > 0 || sub == c.Root() {
				names, _ := topics()
				return usagef("no topic or command %q; the topics are %s", strings.Join(args, " "), strings.Join(names, ", "))
			}
			sub.InitDefaultHelpFlag()
			return sub.Help()
		},
	}
}

func listTopics(w io.Writer) error {
	names, titles := topics()
	var b strings.Builder
	b.WriteString("\nTopics (snapscope help TOPIC):\n")
	for _, name := range names {
		fmt.Fprintf(&b, "  %-13s %s\n", name, titles[name])
	}
	_, err := io.WriteString(w, b.String())
	return err
}
