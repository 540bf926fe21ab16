package ab

import (
	"bytes"
	"encoding/json"
)

// Receipt is what the client itself says that a run cost.
type Receipt struct {
	Client string   `json:"client"` // whose form it was read in
	USD    *float64 `json:"usd,omitempty"`
	Input  int      `json:"input_tokens,omitempty"` // cached and written included
	Output int      `json:"output_tokens,omitempty"`
}

// ReadReceipt finds a client's receipt in what it printed: the result of Claude
// Code's --output-format json or stream-json, the turns of codex exec --json, the
// finished steps of opencode run --format json. nil: there is none.
func ReadReceipt(output []byte) *Receipt {
	var r Receipt
	for _, line := range bytes.Split(output, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] != '{' && line[0] != '[' {
			continue
		}
		r.line(line)
	}
	if r.Client == "" {
		r.line(bytes.TrimSpace(output)) // one value over several lines
	}
	if r.Client == "" {
		return nil
	}
	return &r
}

type receiptLine struct {
	Type  string   `json:"type"`
	Cost  *float64 `json:"total_cost_usd"`
	Usage *struct {
		Input      int `json:"input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
		Output     int `json:"output_tokens"`
	} `json:"usage"`
	Part *struct {
		Cost   *float64 `json:"cost"`
		Tokens struct {
			Input  int `json:"input"`
			Output int `json:"output"`
			Cache  struct {
				Read  int `json:"read"`
				Write int `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
}

func (r *Receipt) line(b []byte) {
	var list []receiptLine
	if json.Unmarshal(b, &list) != nil {
		var one receiptLine
		if json.Unmarshal(b, &one) != nil {
			return
		}
		list = []receiptLine{one}
	}
	for _, l := range list {
		switch {
		case l.Cost != nil && l.Usage != nil:
			u := l.Usage // the last one counts the whole session
			*r = Receipt{Client: "Claude Code", USD: l.Cost, Input: u.Input + u.CacheRead + u.CacheWrite, Output: u.Output}
		case l.Type == "turn.completed" && l.Usage != nil: // its input counts the cached part
			r.Client = "Codex"
			r.Input += l.Usage.Input
			r.Output += l.Usage.Output
		case l.Type == "step_finish" && l.Part != nil:
			r.Client = "OpenCode"
			k := l.Part.Tokens
			r.Input += k.Input + k.Cache.Read + k.Cache.Write
			r.Output += k.Output
			if l.Part.Cost != nil {
				sum := *l.Part.Cost
				if r.USD != nil {
					sum += *r.USD
				}
				r.USD = &sum
			}
		}
	}
}
