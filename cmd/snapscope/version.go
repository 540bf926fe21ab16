package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"snapscope/replay/sweep"

	"github.com/spf13/cobra"
)

// The build's own stamp, set by the linker (-X main.builtVersion=…): make build,
// make dist and the release job all set the three. A plain go build leaves them
// empty, and the module and version control facts that Go embeds stand in.
var (
	builtVersion string // a semantic version without "v"
	builtCommit  string // the full commit hash
	builtDate    string // when that commit was made, RFC 3339 in UTC: the same in every build of it
)

// unstamped is the version of a build that nothing stamped.
const unstamped = "devel"

// stamp says what this program was made from, as version --json prints it.
type stamp struct {
	Version string  `json:"version"`
	Commit  *string `json:"commit"` // null when the build did not know it
	Date    *string `json:"date"`   // of the commit
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	Arch    string  `json:"arch"`
}

// built reads the linker's stamp, and where it is silent what Go embedded.
func built() stamp {
	version, commit, date := builtVersion, builtCommit, builtDate
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := info.Main.Version; version == "" && v != "(devel)" {
			version = v
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && commit == "":
				commit = s.Value
			case s.Key == "vcs.time" && date == "":
				date = s.Value
			}
		}
	}
	if version == "" {
		version = unstamped
	}
	known := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return stamp{version, known(commit), known(date), runtime.Version(), runtime.GOOS, runtime.GOARCH}
}

// version is what a recording names its maker by.
func version() string {
	return built().Version
}

// countedBy is what a sweep's parts name this program by.
func countedBy() string {
	b := built()
	if b.Commit == nil {
		return b.Version
	}
	return sweep.Program(b.Version, *b.Commit)
}

// builtOn is the day the program's commit was made; without a stamp it is nil.
func builtOn() *time.Time {
	b := built()
	if b.Date == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, *b.Date)
	if err != nil {
		return nil
	}
	return &at
}

func (a *app) versionCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, of which commit, built how",
		Args:  args(0, 0, "no arguments"),
		// A broken config is no reason not to say which version found it so.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, out := built(), cmd.OutOrStdout()
			if asJSON {
				return printJSON(out, b)
			}
			or := func(s *string) string {
				if s == nil {
					return "not known"
				}
				return *s
			}
			_, err := fmt.Fprintf(out, "snapscope %s\ncommit    %s\ndate      %s\nbuilt     %s, %s/%s\n",
				b.Version, or(b.Commit), or(b.Date), b.Go, b.OS, b.Arch)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
