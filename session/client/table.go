package client

import "time"

// table holds the measurements. The three programs ran whole agent loops from
// npm packages; the libraries' limits are their documented defaults.
var table = []Client{
	{
		Name: "claude-code", Title: "Claude Code", Command: "claude", Tried: "2.1.197, 2026",
		Aliases: []string{"claude", "claude code", "claude-cli"},
		Call:    Wait{Waited: 400 * time.Second, Setting: "MCP_TOOL_TIMEOUT (milliseconds) sets one"},
		Model:   Wait{Limit: 300 * time.Second, Again: true},
		// An environment variable, MAX_MCP_OUTPUT_TOKENS, does not lift this one.
		Text: Cut{Chars: 50_000, Kept: Head, Asked: true, Setting: `_meta["anthropic/maxResultSizeChars"] in the tool's entry of tools/list`},
	},
	{
		Name: "codex", Title: "Codex", Command: "codex", Tried: "0.169.0, 2026",
		Aliases: []string{"codex-mcp-client", "codex_cli_rs", "codex-cli"},
		Call:    Wait{Limit: 300 * time.Second, Setting: "tool_timeout_sec of the server's table in config.toml"},
		Model:   Wait{Waited: 330 * time.Second},
		Text:    Cut{Bytes: 12_000, Kept: HeadTail, Setting: "tool_output_token_limit in config.toml"},
	},
	{
		Name: "opencode", Title: "OpenCode", Command: "opencode", Tried: "1.18.33, 2026",
		Call:  Wait{Progress: true, Setting: "mcp.<server>.timeout (milliseconds) in opencode.json"},
		Model: Wait{Limit: 300 * time.Second, Again: true},
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI", Tried: "0.61.0, 2026, as its source says",
		Aliases: []string{"gemini", "gemini-cli-mcp-client"},
		Call:    Wait{Limit: 10 * time.Minute, Setting: "mcpServers.<server>.timeout (milliseconds) in settings.json"},
		// Near the end of the model's context the limit is lower.
		Text: Cut{Chars: 40_000, First: 8_000, Kept: HeadTail, Setting: "tools.truncateToolOutputThreshold in settings.json"},
	},
	{
		Name: "mcp-typescript-sdk", Title: "MCP TypeScript SDK", Aliases: []string{"typescript-sdk"},
		// Progress counts only with onprogress and resetTimeoutOnProgress: not to be relied on.
		Call: Wait{Limit: 60 * time.Second, Setting: "timeout of the request's options"},
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
