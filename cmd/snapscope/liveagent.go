package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"snapscope/replay/ab/lab"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/setup"
	"snapscope/session/agents"
	"snapscope/session/atomicfile"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

type liveFlags struct {
	policies policyFlags
	server   string
	one      bool
	noAPI    bool
	noTmux   bool
}

func (a *app) liveCmd() *cobra.Command {
	var f liveFlags
	c := &cobra.Command{
		Use:   "live [flags] -- AGENT [ARGUMENT]...",
		Short: "Start an agent with snapscope in its way, and the debugger beside it",
		Long: `Starts Claude Code (claude), Codex (codex) or OpenCode (opencode) with temporary
configuration: snapscope stands before the browser's MCP server and, where that can
be told by a flag or the environment, before the model API. No file of yours is
changed. In tmux the debugger opens beside the agent; elsewhere its command is
printed. For other agents the lines to paste are printed.

With --policy the pages go to the agent as that policy makes them, and what its
retention rule clears is taken out of the model calls.`,
		Example: `  snapscope live -- claude -p "tick the first two leads on http://127.0.0.1:8080/leads"
  snapscope live --policy combined -- claude
  snapscope live --server "npx @playwright/mcp@latest --headless" -- codex`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("live needs the agent's command, for example: snapscope live -- claude")
			}
			return a.runLive(cmd.Context(), f, args, cmd.ErrOrStderr())
		},
	}
	fl := c.Flags()
	f.policies.add(fl, "none: every byte passes as it came")
	fl.StringVar(&f.server, "server", "npx @playwright/mcp@latest", "the MCP server's command, words apart by spaces")
	addOneAgent(fl, &f.one)
	fl.BoolVar(&f.noAPI, "no-api", false, "stay out of the model calls")
	fl.BoolVar(&f.noTmux, "no-tmux", false, "print the command of the debugger, even in tmux")
	return c
}

// launch is an agent's command with what puts snapscope in its way.
type launch struct {
	argv []string
	env  []string
	api  string // the model API that it would call; empty: no seat before it
	set  func(l *launch, url string)
	note string
}

// launchOf makes the launch of a known agent; dir is for temporary files.
func launchOf(argv, server []string, dir string, getenv func(string) string) (launch, error) {
	l := launch{argv: argv}
	ag, _ := agents.Program(argv[0])
	switch ag.Name {
	case "claude-code":
		file := filepath.Join(dir, "mcp.json")
		if err := os.WriteFile(file, []byte(setup.Lines(ag, "playwright", server, nil)), 0o600); err != nil {
			return l, err
		}
		l.argv = append([]string{argv[0], "--mcp-config", file, "--strict-mcp-config"}, argv[1:]...)
		// The first model call waits for the server, and tools are offered as they are
		// without a base URL of one's own.
		l.env = []string{"MCP_CONNECTION_NONBLOCKING=0"}
		if getenv("ENABLE_TOOL_SEARCH") == "" { // a person's own choice stays
			l.env = append(l.env, "ENABLE_TOOL_SEARCH=true")
		}
		l.api = agentAPI(argv[0], getenv)
		l.set = func(l *launch, url string) { l.env = append(l.env, "ANTHROPIC_BASE_URL="+url) }
	case "codex":
		l.argv = append([]string{
			argv[0], "-c", "mcp_servers.playwright.command=" + string(proxy.Quote(server[0])),
			"-c", "mcp_servers.playwright.args=" + string(proxy.List(server[1:])), "-c", "mcp_servers.playwright.startup_timeout_sec=60",
			"-c", "mcp_servers.playwright.tool_timeout_sec=3600", "-c", "mcp_servers.playwright.required=true", // exec waits for no other
		}, append(codexPasses("playwright", lab.EnvGroup), argv[1:]...)...)
		if getenv("OPENAI_API_KEY") == "" {
			l.note = "Codex's own login is not passed through a seat: model calls are not watched; set OPENAI_API_KEY to have them"
			break
		}
		l.api = agentAPI(argv[0], getenv)
		l.set = func(l *launch, url string) {
			l.argv = append(append([]string{l.argv[0]}, codexModel(url)...), l.argv[1:]...)
		}
	case "opencode":
		file := filepath.Join(dir, "opencode.json")
		text := `{"mcp": {"playwright": {"type": "local", "timeout": 600000, "command": ` + string(proxy.List(server)) + `}}}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return l, err
		}
		l.env = []string{"OPENCODE_CONFIG=" + file}
		l.note = "OpenCode names its model API in a provider's baseURL: model calls are not watched"
	default:
		return l, errUnknownAgent
	}
	return l, nil
}

var errUnknownAgent = errors.New("no agent that snapscope can configure")

// pasteLines are for an agent that is not known.
func pasteLines(server, history []string) string {
	api := "snapscope api"
	for _, w := range history {
		api += " " + ledger.Word(w)
	}
	return "put this into its MCP configuration, start it, and open the debugger with snapscope attach:\n" + setup.Lines(agents.Agent{}, "playwright", server, nil) +
		"\nfor its model calls run " + api + " --to URL, and point the agent's base URL at the address that is printed"
}

func (a *app) runLive(ctx context.Context, f liveFlags, argv []string, stderr io.Writer) error {
	say := func(text string) { fmt.Fprintln(stderr, "snapscope: "+oneLine(text)) }
	if strings.TrimSpace(f.server) == "" {
		return usagef("--server is empty; it takes the MCP server's command")
	}
	command, err := seatCommand()
	if err != nil {
		return err
	}
	pol, err := a.onePolicy(f.policies)
	if err != nil {
		return err
	}
	pages, history, err := seatWords(pol, f.policies)
	if err != nil {
		return err
	}
	if f.one {
		pages = append(slices.Clip(pages), "--one-agent")
	}
	server := slices.Concat(command[:2], pages, command[2:], strings.Fields(f.server))
	atomicfile.SweepFolders(os.TempDir(), liveFolder)
	dir := atomicfile.FolderName(os.TempDir(), liveFolder)
	guard := proxy.StartGuard(dir) // before there is anything to be left behind
	defer guard.Dismiss()
	owner, err := atomicfile.MakeFolder(dir)
	if err != nil {
		return fmt.Errorf("making temporary configuration: %w", err)
	}
	defer func() { _ = owner.Close(); _ = os.RemoveAll(dir) }()
	l, err := launchOf(argv, server, dir, os.Getenv)
	if errors.Is(err, errUnknownAgent) {
		return usagef("%s is no agent that snapscope can configure; %s", filepath.Base(argv[0]), pasteLines(server, history))
	}
	if err != nil {
		return err
	}
	if l.note != "" {
		say(l.note)
	}
	if history != nil && (l.api == "" || f.noAPI) {
		return usagef("policy %s clears the history, which takes a seat before the model API, and this agent would run without one; name a policy that only rewrites pages", pol.Name)
	}
	group := proxy.NewID("live")
	l.env = append(l.env, "SNAPSCOPE_GROUP="+group)
	if l.api != "" && !f.noAPI {
		url, stop, err := startAPI(ctx, command[0], l.api, group, history)
		if err != nil {
			return err
		}
		defer stop()
		l.set(&l, url)
	}
	openBeside(command[0], group, !f.noTmux, say)
	return runAgentCommand(ctx, l, guard)
}

// liveFolder begins the names of the folders of temporary configuration.
const liveFolder = "snapscope-live-"

// seatWords are the flags that give a policy to the two seats: the one before the
// server rewrites pages, the one before the model API clears the history. nil: there
// is nothing for that one to do.
func seatWords(pol *policy.Policy, f policyFlags) (pages, history []string, err error) {
	words, err := f.words()
	if pol == nil || err != nil {
		return nil, nil, err
	}
	if pol.Rewrites() {
		pages = words
	}
	if _, ok := pol.Retention(); ok {
		history = words
	}
	return pages, history, nil
}

// startAPI starts the seat before the model API and answers its address.
func startAPI(ctx context.Context, exe, to, group string, policy []string) (url string, stop func(), err error) {
	cmd := exec.CommandContext(ctx, exe, slices.Concat([]string{"api", "--to", to, "--listen", "127.0.0.1:0", "--until-input-ends"}, policy)...)
	cmd.Env = append(os.Environ(), "SNAPSCOPE_GROUP="+group)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if _, err := cmd.StdinPipe(); err != nil { // it ends with us
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, fmt.Errorf("starting the seat before %s: %w", to, err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	stop = func() {
		_ = cmd.Cancel()
		_ = cmd.Wait()
	}
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the seat before %s did not start", to)
	}
	return strings.TrimSpace(line), stop, nil
}

// openBeside opens the debugger beside the agent in tmux, or says how to.
func openBeside(exe, group string, tmux bool, say func(string)) {
	if tmux && os.Getenv("TMUX") != "" {
		// A pane has tmux's own environment, which may name another home than ours.
		split := []string{"split-window", "-d", "-h"}
		for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
			if v, ok := os.LookupEnv(name); ok {
				split = append(split, "-e", name+"="+v)
			}
		}
		if exec.Command("tmux", append(split, exe, "attach", "--wait", group)...).Run() == nil {
			return
		}
	}
	say("the debugger, in another terminal: snapscope attach --wait " + group)
}

// runAgentCommand runs the agent in this terminal until it ends.
func runAgentCommand(ctx context.Context, l launch, guard *proxy.Guard) error {
	cmd := exec.CommandContext(ctx, l.argv[0], l.argv[1:]...)
	cmd.Env = append(os.Environ(), l.env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Start()
	if err == nil {
		guard.WatchChild(cmd.Process.Pid)
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return &agentExit{exit.ExitCode(), filepath.Base(l.argv[0])}
	}
	if err != nil {
		return fmt.Errorf("running %s: %w", l.argv[0], err)
	}
	return nil
}

// agentExit is an agent that ended with a status of its own.
type agentExit struct {
	code int
	name string
}

func (e *agentExit) Error() string { return fmt.Sprintf("%s ended with status %d", e.name, e.code) }
