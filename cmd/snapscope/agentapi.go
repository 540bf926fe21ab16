package main

import (
	"net/url"
	"strings"

	"snapscope/session/ab/lab"
)

// The variables by which agents are told their model API, and whose keys go there.
var (
	anthropicVar = lab.Variable{Name: "ANTHROPIC_BASE_URL"}
	openaiVar    = lab.Variable{Name: "OPENAI_BASE_URL", Path: "/v1"}
)

const (
	anthropicAPI = "https://api.anthropic.com"
	openaiAPI    = "https://api.openai.com"
)

// setAPI is the API that a variable names now; "" none.
func setAPI(v lab.Variable, getenv func(string) string) string {
	return strings.TrimSuffix(strings.TrimRight(getenv(v.Name), "/"), v.Path)
}

// agentAPI is the model API that an agent calls as it is set up now; "" is not
// known. An agent without a row of its own is known by the variable that is set.
func agentAPI(program string, getenv func(string) string) string {
	anthropic, openai := setAPI(anthropicVar, getenv), setAPI(openaiVar, getenv)
	switch isAgent(program) {
	case "claude":
		return or(anthropic, anthropicAPI)
	case "codex":
		return or(openai, openaiAPI)
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
	switch isAgent(argv[0]) {
	case "claude":
		return []lab.Variable{anthropicVar}
	case "codex":
		return []lab.Variable{openaiVar}
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
