package api

import "encoding/json"

// anthropicError is an error of Anthropic's form: docs.claude.com, "Errors".
type anthropicError struct {
	Type  string `json:"type"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// openAIError is an error of OpenAI's form: platform.openai.com, "Error codes".
type openAIError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	} `json:"error"`
}

// geminiError is an error of Google's form: google.aip.dev/193.
type geminiError struct {
	Error struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Status  string `json:"status"`
	} `json:"error"`
}

// ErrorBody is an error as the vendor would write it, so that a client treats it
// as one of the vendor's. status is the HTTP status it goes with.
func ErrorBody(form Form, status int, message string) []byte {
	kind := "invalid_request_error" // Anthropic and OpenAI both have this one
	var v any
	switch form {
	case Messages:
		if status >= 500 {
			kind = "api_error"
		}
		e := anthropicError{Type: "error"}
		e.Error.Type, e.Error.Message = kind, message
		v = e
	case Gemini:
		var e geminiError
		e.Error.Code, e.Error.Message, e.Error.Status = status, message, "INVALID_ARGUMENT"
		if status >= 500 {
			e.Error.Status = "INTERNAL"
		}
		v = e
	default:
		if status >= 500 {
			kind = "server_error"
		}
		var e openAIError
		e.Error.Type, e.Error.Message = kind, message
		v = e
	}
	out, _ := json.Marshal(v) // it holds texts alone
	return out
}
