package relay

import (
	"net/http"

	"snapscope/replay/proxy/api"
)

// parse reads a request whose path may name the model.
func parse(form api.Form, raw []byte, model string) (*api.Request, error) {
	req, err := api.Parse(form, raw)
	if err == nil && req.Model == "" {
		req.Model = model
	}
	return req, err
}

// passOnly says once of each model API whose requests are not read that they are not.
func (p *Proxy) passOnly(r *http.Request) {
	name, ok := api.PassedOnly(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		return
	}
	if _, said := p.passed.LoadOrStore(name, true); said {
		return
	}
	p.o.Log(name + " is passed on only: its calls are not in the recording, and no policy applies to them (read are Anthropic Messages, OpenAI Chat, OpenAI Responses and Gemini's GenerateContent)")
}
