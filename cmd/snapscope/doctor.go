package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"snapscope/session/browser"
)

// finding is one thing doctor looked at.
type finding struct {
	Name  string `json:"name"`
	OK    bool   `json:"ok"`
	Found string `json:"found"`
	Fix   string `json:"fix,omitempty"` // what to do about it; set where OK is false
}

func (a *app) doctorCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what was found: browser, terminal, config, versions",
		Args:  args(0, 0, "no arguments"),
		// A broken config is one of the things to tell of, not a reason to stop.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, _ []string) error {
			found := a.examine(cmd.Context())
			bad := 0
			for _, f := range found {
				if !f.OK {
					bad++
				}
				if asJSON {
					continue
				}
				mark := "ok   "
				if !f.OK {
					mark = "wrong"
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s  %-10s %s\n", mark, f.Name, oneLine(f.Found))
				if f.Fix != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "%18s%s\n", "", oneLine(f.Fix))
				}
			}
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), found); err != nil {
					return err
				}
			}
			if bad > 0 {
				return fmt.Errorf("%d of %d things need a hand: see above", bad, len(found))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return c
}

func (a *app) examine(ctx context.Context) []finding {
	return []finding{
		a.examineConfig(), a.examineBrowser(ctx), a.examineState(),
		examineTerminal(), examineColour(a.noColor),
		{Name: "versions", OK: true, Found: fmt.Sprintf("snapscope %s, %s %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)},
	}
}

func (a *app) examineConfig() finding {
	f := finding{Name: "config", OK: true}
	settings := "settings: " + strings.Join(settingNames(), ", ")
	if err := a.load(&pflag.FlagSet{}, func(err error) error { return err }); err != nil {
		return finding{Name: "config", Found: err.Error(), Fix: "correct the line that is named; " + settings}
	}
	f.Found = a.conf.path
	if f.Found == "" {
		f.Found = "none, which is fine; " + settings
	}
	if _, err := a.counter(); err != nil {
		return finding{Name: "config", Found: err.Error(), Fix: "set encoding to one of these"}
	}
	return f
}

func settingNames() []string {
	t := reflect.TypeFor[config]()
	var out []string
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("toml"); tag != "" {
			out = append(out, tag)
		}
	}
	return out
}

func (a *app) examineBrowser(ctx context.Context) finding {
	path, err := browser.Find(a.conf.Browser)
	if err != nil {
		return finding{Name: "browser", Found: "none", Fix: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return finding{Name: "browser", Found: path + " does not start: " + err.Error(), Fix: "install Chromium again, or name another with --browser or SNAPSCOPE_BROWSER"}
	}
	return finding{Name: "browser", OK: true, Found: path + ", " + strings.TrimSpace(string(out))}
}

func (a *app) examineState() finding {
	dir, err := stateDir()
	if err != nil {
		return finding{Name: "state", Found: err.Error(), Fix: "set XDG_STATE_HOME to a folder that can be written"}
	}
	return finding{Name: "state", OK: true, Found: dir}
}

func examineTerminal() finding {
	if !terminal(os.Stdout) {
		return finding{Name: "terminal", OK: true, Found: "standard output is no terminal: run, report and --plain work"}
	}
	w, h, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		return finding{Name: "terminal", Found: "its size cannot be read: " + err.Error(), Fix: "try another terminal"}
	}
	f := finding{Name: "terminal", OK: w >= 80 && h >= 24, Found: fmt.Sprintf("%s, %d×%d", os.Getenv("TERM"), w, h)}
	if !f.OK {
		f.Fix = "the debugger needs 80×24: make the window larger"
	}
	return f
}

func examineColour(off bool) finding {
	found := "as many as the terminal says (TERM " + os.Getenv("TERM") + ")"
	switch {
	case off:
		found = "off by NO_COLOR: signs and bold tell things apart"
	case os.Getenv("COLORTERM") == "truecolor" || os.Getenv("COLORTERM") == "24bit":
		found = "true colour"
	}
	return finding{Name: "colours", OK: true, Found: found}
}
