package main

import (
	"os"
	"strings"

	"snapscope/replay/ab/lab"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/setup"
	"snapscope/session/agents"
)

// Codex takes no base URL from the environment and gives its servers almost none
// of its own: what other agents are told by variables it is told by flags.

// codexModel are the flags that point Codex at a model API.
func codexModel(url string) []string {
	return []string{
		"-c", "model_provider=snapscope", "-c",
		`model_providers.snapscope={name="snapscope", base_url=` + string(proxy.Quote(url+"/v1")) + `, env_key="OPENAI_API_KEY", wire_api="responses"}`,
	}
}

// codexPasses are the flags by which a server of Codex's gets variables.
func codexPasses(server string, names ...string) []string {
	return []string{"-c", "mcp_servers." + server + ".env_vars=" + string(proxy.List(names))}
}

// comparedAgent is an agent's command as a comparison runs it: Codex is told the
// model's seat, and to pass on what the seats before its servers are told by.
func comparedAgent(argv []string, getenv func(string) string) []string {
	if ag, _ := agents.Program(argv[0]); ag.Name != "codex" || strings.Contains(strings.Join(argv, " "), "{url}") {
		return argv
	}
	flags := codexModel("{url}")
	w, _ := here() // without a home nothing is found
	w.Getenv = getenv
	ag, _ := agents.Program(argv[0])
	for _, c := range ag.Configs {
		f := setup.File{Path: c.File.At(w), Agent: ag, Places: []agents.Config{c}, Cwd: w.Cwd}
		if conf, err := os.ReadFile(f.Path); err == nil {
			for _, s := range f.Proxied(conf) {
				flags = append(flags, codexPasses(s.Name, lab.EnvGroup, lab.EnvPolicy, lab.EnvRecordings, lab.EnvPolicies)...)
			}
		}
	}
	return append(append([]string{argv[0]}, flags...), argv[1:]...)
}
