package main

import (
	"net/url"
	"strings"

	"snapscope/replay/ab/lab"
	"snapscope/session/agents"
)

// The variables by which agents are told their model API, and whose keys go there.
var (
	anthropicVar, anthropicAPI = vendorOf("claude-code")
	openaiVar, openaiAPI       = vendorOf("codex")
)

// vendorOf is how an agent is told its model API, and which it is by default.
func vendorOf(agent string) (lab.Variable, string) {
	a, _ := agents.Find(agent)
	return lab.Variable{Name: a.API.Env, Path: a.API.Path}, a.API.URL
}

// setAPI is the API that a variable names now; "" none.
func setAPI(v lab.Variable, getenv func(string) string) string {
	return strings.TrimSuffix(strings.TrimRight(getenv(v.Name), "/"), v.Path)
}

// agentAPI is the model API that an agent calls as it is set up now; "" is not
// known. An agent without a row of its own is known by the variable that is set.
func agentAPI(program string, getenv func(string) string) string {
	anthropic, openai := setAPI(anthropicVar, getenv), setAPI(openaiVar, getenv)
	if ag, ok := agents.Program(program); ok && ag.API.URL != "" {
		return ag.API.Address(getenv)
	}
	if anthropic != "" && openai != "" && anthropic != openai {
		return ""
	}
	return or(anthropic, openai)
}

// pointed are the variables that may be changed to lead an agent's calls to an
// API through a proxy: those whose keys go there anyway. What belongs to another
// vendor stays as it is, or its key would go to this one.
func pointed(argv []string, to *url.URL, getenv func(string) string) []lab.Variable {
	if ag, ok := agents.Program(argv[0]); ok && ag.API.Env != "" {
		return []lab.Variable{{Name: ag.API.Env, Path: ag.API.Path}}
	}
	var out []lab.Variable
	for i, v := range []lab.Variable{anthropicVar, openaiVar} {
		own := []string{anthropicAPI, openaiAPI}[i]
		if or(setAPI(v, getenv), own) == strings.TrimRight(to.String(), "/") {
			out = append(out, v)
		}
	}
	if len(out) > 0 || strings.Contains(strings.Join(argv, " "), "{url}") || to.String() == anthropicAPI || to.String() == openaiAPI {
		return out
	}
	// An API that a person named and that no variable names: an unset one is for it.
	for _, v := range []lab.Variable{anthropicVar, openaiVar} {
		if getenv(v.Name) == "" {
			out = append(out, v)
		}
	}
	return out
}
