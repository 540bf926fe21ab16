package agents

import "time"

// sdkWait is how long the MCP TypeScript SDK waits where nobody tells it otherwise:
// the rule for agents that are built with it and were not measured.
var sdkWait = Wait{Limit: 60 * time.Second}

// mcpServers is where most agents keep their servers.
var mcpServers = []string{"mcpServers"}

// The folder of Visual Studio Code's settings, which its extensions use too.
const code = "Code/User"

// table holds what is known. Claude Code, Codex and OpenCode ran whole agent loops
// from npm packages; the libraries' limits are their documented defaults.
var table = []Agent{
	{
		Name: "claude-code", Title: "Claude Code", Command: "claude", Tried: "2.1.330, 2026",
		Aliases: []string{"claude", "claude code", "claude-cli"},
		Call:    Wait{Waited: 400 * time.Second, Setting: "MCP_TOOL_TIMEOUT (milliseconds) sets one"},
		Model:   Wait{Limit: 300 * time.Second, Again: true},
		// An environment variable, MAX_MCP_OUTPUT_TOKENS, does not lift this one.
		Text: Cut{Chars: 50_000, Kept: Head, Asked: true, Setting: `_meta["anthropic/maxResultSizeChars"] in the tool's entry of tools/list`},
		Configs: []Config{
			{Scope: User, Form: JSON, Keys: mcpServers, File: Place{Env: "CLAUDE_CONFIG_DIR", Path: ".claude.json"}},
			{Scope: Local, Form: JSON, Keys: []string{"projects", Here, "mcpServers"}, File: Place{Env: "CLAUDE_CONFIG_DIR", Path: ".claude.json"}},
			{Scope: Project, Form: JSON, Keys: mcpServers, File: Place{Base: InProject, Path: ".mcp.json"}, Asked: true},
			// A plugin's file has the servers in an object of their own, or at its top.
			{Scope: Plugin, Form: JSON, Keys: mcpServers, File: Place{Env: "CLAUDE_CONFIG_DIR", Dir: ".claude", Path: "plugins/cache/*/*/*/.mcp.json"}, Asked: true},
			{Scope: Plugin, Form: JSON, File: Place{Env: "CLAUDE_CONFIG_DIR", Dir: ".claude", Path: "plugins/cache/*/*/*/.mcp.json"}, Asked: true},
		},
		Transcripts: Transcripts{Dir: Place{Env: "CLAUDE_CONFIG_DIR", Dir: ".claude", Path: "projects"}, Depth: 2, File: "*.jsonl", Session: "*/%s.jsonl"},
		API:         API{URL: "https://api.anthropic.com", Env: "ANTHROPIC_BASE_URL"},
	},
	{
		Name: "codex", Title: "Codex", Command: "codex", Tried: "0.169.0, 2026",
		Aliases:     []string{"codex-mcp-client", "codex_cli_rs", "codex-cli", "codex_exec", "codex-tui"},
		Call:        Wait{Limit: 300 * time.Second, Setting: "tool_timeout_sec of the server's table in config.toml"},
		Model:       Wait{Waited: 330 * time.Second},
		Text:        Cut{Bytes: 12_000, Kept: HeadTail, Setting: "tool_output_token_limit in config.toml", Words: "-c tool_output_token_limit=%d", Each: 4},
		Configs:     []Config{{Scope: User, Form: TOML, Keys: []string{"mcp_servers"}, File: Place{Env: "CODEX_HOME", Dir: ".codex", Path: "config.toml"}}},
		Transcripts: Transcripts{Dir: Place{Env: "CODEX_HOME", Dir: ".codex", Path: "sessions"}, Depth: 4, File: "*.jsonl", Thread: "*/*/*/rollout-*%s.jsonl"},
		API:         API{URL: "https://api.openai.com", Env: "OPENAI_BASE_URL", Path: "/v1"},
	},
	{
		Name: "opencode", Title: "OpenCode", Command: "opencode", Tried: "1.18.33, 2026",
		Call:  Wait{Progress: true, Setting: "mcp.<server>.timeout (milliseconds) in opencode.json"},
		Model: Wait{Limit: 300 * time.Second, Again: true},
		// It cuts over 2,000 lines, too. A page of so many lines is larger than this as well,
		// so that limit has no field of its own.
		Text: Cut{Bytes: 51_200, Kept: Lines, Setting: "tool_output.max_bytes and max_lines in opencode.json"},
		Configs: []Config{
			{Scope: User, Form: JSON, Keys: []string{"mcp"}, Whole: true, File: Place{Env: "XDG_CONFIG_HOME", Dir: ".config", Path: "opencode/opencode.json"}},
			{Scope: User, Form: JSON, Keys: []string{"mcp"}, Whole: true, File: Place{Env: "XDG_CONFIG_HOME", Dir: ".config", Path: "opencode/opencode.jsonc"}},
			{Scope: Project, Form: JSON, Keys: []string{"mcp"}, Whole: true, File: Place{Base: InProject, Path: "opencode.json"}, Asked: true},
		},
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI", Tried: "0.61.0, 2026",
		Aliases: []string{"gemini", "gemini-cli-mcp-client", "geminicli-tui"},
		Call:    Wait{Limit: 10 * time.Minute, Setting: "mcpServers.<server>.timeout (milliseconds) in settings.json"},
		// Near the end of the model's context the limit is lower.
		Text: Cut{Chars: 40_000, First: 8_000, Kept: HeadTail, Setting: "tools.truncateToolOutputThreshold in settings.json"},
		Configs: []Config{
			{Scope: User, Form: JSON, Keys: mcpServers, URL: "httpUrl", File: Place{Dir: ".gemini", Path: "settings.json"}},
			{Scope: Project, Form: JSON, Keys: mcpServers, URL: "httpUrl", File: Place{Base: InProject, Path: ".gemini/settings.json"}, Asked: true},
		},
		Transcripts: Transcripts{Dir: Place{Dir: ".gemini", Path: "tmp"}, Depth: 2, File: "session-*"},
	},
	{
		Name: "cursor", Title: "Cursor", Aliases: []string{"cursor-vscode"}, Call: sdkWait,
		Configs: []Config{
			{Scope: User, Form: JSON, Keys: mcpServers, File: Place{Dir: ".cursor", Path: "mcp.json"}},
			{Scope: Project, Form: JSON, Keys: mcpServers, File: Place{Base: InProject, Path: ".cursor/mcp.json"}, Asked: true},
		},
	},
	{
		Name: "vscode", Title: "VS Code", Aliases: []string{"visual studio code"}, Call: sdkWait,
		Configs: []Config{
			{Scope: User, Form: JSON, Keys: []string{"servers"}, File: Place{Base: InSettings, Dir: code, Path: "mcp.json"}},
			{Scope: Project, Form: JSON, Keys: []string{"servers"}, File: Place{Base: InProject, Path: ".vscode/mcp.json"}, Asked: true},
		},
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop", Aliases: []string{"claude-ai"}, Call: sdkWait,
		Configs: []Config{{Scope: User, Form: JSON, Keys: mcpServers, File: Place{Base: InSettings, Dir: "Claude", Path: "claude_desktop_config.json"}}},
	},
	{
		Name: "cline", Title: "Cline",
		Call:        Wait{Limit: 60 * time.Second, Setting: "timeout (seconds) of the server in cline_mcp_settings.json"},
		Configs:     []Config{{Scope: User, Form: JSON, Keys: mcpServers, File: Place{Base: InSettings, Dir: code + "/globalStorage/saoudrizwan.claude-dev", Path: "settings/cline_mcp_settings.json"}}},
		Transcripts: Transcripts{Dir: Place{Base: InSettings, Dir: code + "/globalStorage/saoudrizwan.claude-dev", Path: "tasks"}, Depth: 1, File: "api_conversation_history.json"},
	},
	{
		Name: "windsurf", Title: "Windsurf", Call: sdkWait,
		Configs: []Config{{Scope: User, Form: JSON, Keys: mcpServers, URL: "serverUrl", File: Place{Dir: ".codeium/windsurf", Path: "mcp_config.json"}}},
	},
	{
		Name: "pi", Title: "pi", Call: sdkWait,
		Transcripts: Transcripts{Dir: Place{Dir: ".pi/agent", Path: "sessions"}, Depth: 3, File: "*.jsonl"},
	},
	{
		Name: "openclaw", Title: "OpenClaw", Call: sdkWait,
		Transcripts: Transcripts{Dir: Place{Dir: ".openclaw", Path: "agents"}, Depth: 4, File: "*.jsonl"},
	},
	{
		Name: "mcp-typescript-sdk", Title: "MCP TypeScript SDK", Aliases: []string{"typescript-sdk"},
		// Progress counts only with onprogress and resetTimeoutOnProgress: not to be relied on.
		Call: Wait{Limit: sdkWait.Limit, Setting: "timeout of the request's options"},
	},
	{
		Name: "openai-agents", Title: "OpenAI Agents SDK (Python)", Aliases: []string{"openai-agents-python"},
		Call: Wait{Limit: 5 * time.Second, Setting: "client_session_timeout_seconds of the MCP server"},
	},
	{
		Name: "google-adk", Title: "Google ADK (Python)", Aliases: []string{"adk-python", "google-adk-python"},
		Call: Wait{Limit: 5 * time.Second, Setting: "timeout of the connection parameters"},
	},
}
