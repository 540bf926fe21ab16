package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/session/ledger"
)

func (a *app) attachCmd() *cobra.Command {
	var sf screenFlags
	var asJSON, force, wait bool
	c := &cobra.Command{
		Use:   "attach [ID]",
		Short: "The debugger on an agent that runs; without an ID the list of them",
		Long: `Opens the debugger on a running agent: its session so far, what it does next, and
the call that is held, with the time that is left. Leave it, and everything goes on.

Without a terminal, or with --plain, commands are read from standard input, a line
each, and what is held is told on standard output:

` + consoleWords(),
		Args: args(0, 1, "at most one seat"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, folder := cmd.Context(), proxy.FindFolder(os.Getenv)
			if len(args) == 0 {
				return listRuns(ctx, folder, asJSON, cmd.OutOrStdout())
			}
			find := control.Find
			if wait {
				find = await
			}
			run, path, err := find(ctx, folder, args[0])
			if err != nil {
				return err
			}
			own, err := a.policies()
			if err != nil {
				return err
			}
			k, err := control.OpenConsole(ctx, path, force, own)
			if err != nil {
				return fmt.Errorf("attaching to %s: %w; --take takes it over", run.ID, err)
			}
			for _, b := range sf.breaks {
				if _, err := k.Do(ctx, "break "+b); err != nil {
					_ = k.Close()
					return usageError{err}
				}
			}
			if sf.plain || asJSON || sf.canShow() != nil {
				defer k.Close()
				return converse(ctx, k, cmd.InOrStdin(), cmd.OutOrStdout(), asJSON)
			}
			s := openBoth(ctx, folder, k, run, force, own)
			defer s.close()
			return a.showRun(ctx, s, sf)
		},
	}
	sf.add(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line, for programs")
	c.Flags().BoolVar(&wait, "wait", false, "wait until there is such a seat")
	c.Flags().BoolVar(&force, "take", false, "take it over from another screen")
	return c
}

// await is control.Find as soon as there is such a seat. The folder is looked at ten
// times a second; the seats in it are asked only when another one came or went, or
// after a while, for one that was there and did not answer yet.
func await(ctx context.Context, f proxy.Folder, id string) (proxy.Run, string, error) {
	const look, again = 100 * time.Millisecond, 3 * time.Second
	for {
		there, asked := f.Sockets(), time.Now()
		run, path, err := control.Find(ctx, f, id)
		if err == nil || ctx.Err() != nil {
			return run, path, err
		}
		for maps.Equal(there, f.Sockets()) && time.Since(asked) < again {
			select {
			case <-ctx.Done():
				return run, path, err
			case <-time.After(look):
			}
		}
	}
}

func consoleWords() string {
	var b strings.Builder
	for _, w := range control.Words {
		fmt.Fprintf(&b, "  %-28s %s\n", w.Usage, w.Doc)
	}
	return strings.TrimRight(b.String(), "\n")
}

// said is one line of a conversation without a screen.
type said struct {
	Event    control.Event   `json:"event,omitempty"`
	Hold     *proxy.Hold     `json:"hold,omitempty"`
	Decision *proxy.Decision `json:"decision,omitempty"`
	Said     string          `json:"said,omitempty"`
	Error    string          `json:"error,omitempty"`
	Run      *proxy.Run      `json:"run,omitempty"`
}

func (s said) text() string {
	switch {
	case s.Error != "":
		return "error: " + s.Error
	case s.Said != "":
		return s.Said
	case s.Event == control.Held:
		left := "as long as it takes"
		if !s.Hold.Until.IsZero() {
			left = time.Until(s.Hold.Until).Round(time.Second).String() + " left"
		}
		return fmt.Sprintf("%s held: %s of %s %s (%s; %s)", s.Hold.ID, s.Hold.What, s.Hold.Tool, s.Hold.Args, s.Hold.Why, left)
	case s.Event == control.Gone:
		return fmt.Sprintf("%s gone: %s, by %s", s.Hold.ID, s.Decision.Do, s.Decision.By)
	case s.Event == control.Ended:
		return "the seat has ended"
	case s.Event == control.Lapsed:
		return "this console was too slow: everything went on"
	}
	return fmt.Sprintf("attached to %s: %s before %s, %d steps", s.Run.ID, s.Run.Client, s.Run.Server, s.Run.Steps)
}

// converse reads commands and tells what is held, until the input or the seat ends.
func converse(ctx context.Context, k *control.Console, in io.Reader, out io.Writer, asJSON bool) error {
	tell := func(s said) error {
		if asJSON {
			return printJSON(out, s)
		}
		_, err := fmt.Fprintln(out, oneLine(s.text()))
		return err
	}
	st := k.State()
	if err := tell(said{Run: &st.Run}); err != nil {
		return err
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		sc := bufio.NewScanner(in)
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			select {
			case lines <- sc.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	beat := time.NewTicker(control.Renew)
	defer beat.Stop()
	for {
		var s said
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-beat.C:
			if err := k.Beat(ctx); err == nil || errors.Is(err, control.ErrEnded) {
				continue
			} else {
				s.Error = err.Error()
			}
		case line, ok := <-lines:
			if !ok {
				return nil
			}
			if strings.TrimSpace(line) == "" {
				continue
			}
			text, err := k.Do(ctx, line)
			if s.Said = text; err != nil {
				s = said{Error: err.Error()}
			}
		case n, ok := <-k.Notices():
			if !ok {
				return nil
			}
			s = said{Event: n.Event, Decision: n.Decision}
			if n.Hold.ID != "" {
				s.Hold = &n.Hold
			}
		}
		if err := tell(s); err != nil {
			return err
		}
	}
}

func listRuns(ctx context.Context, f proxy.Folder, asJSON bool, w io.Writer) error {
	runs := control.List(ctx, f)
	if asJSON {
		for _, r := range runs {
			if err := printJSON(w, r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(runs) == 0 {
		_, err := fmt.Fprintln(w, "no agent runs under snapscope. Put \"snapscope mcp --\" before the server in its configuration, or start it with snapscope live.")
		return err
	}
	rows := [][]string{{"id", "client", "server", "site", "steps", "state", "since"}}
	for _, r := range runs {
		rows = append(rows, []string{r.ID, cell(r.Client), cell(r.Server), cell(r.Site), fmt.Sprint(r.Steps), runState(r), time.Since(r.Started).Round(time.Second).String()})
	}
	var b strings.Builder
	ledger.WriteTable(&b, rows, 0, 1, 2, 3, 5)
	_, err := io.WriteString(w, b.String())
	return err
}

func runState(r proxy.Run) string {
	var out []string
	if r.Held > 0 {
		out = append(out, fmt.Sprintf("%d held", r.Held))
	} else {
		out = append(out, "running")
	}
	if r.Policy != "" {
		out = append(out, "under "+oneLine(r.Policy))
	}
	if r.Screen > 0 {
		out = append(out, fmt.Sprintf("attached by process %d", r.Screen))
	}
	return strings.Join(out, ", ")
}

func cell(s string) string {
	if s == "" {
		return "–"
	}
	if r := []rune(oneLine(s)); len(r) > 48 {
		return string(r[:47]) + "…"
	}
	return oneLine(s)
}
