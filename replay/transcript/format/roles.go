package format

import "snapscope/replay/tape"

func isMessage(v tape.Value) bool {
	role, content := roleOf(v)
	switch role {
	case "user", "assistant", "tool", "system", "developer", "function":
		return content.Kind() != tape.None || v.Has("tool_calls")
	}
	return false
}

// ofChat knows what only messages of OpenAI's Chat have: a system message among
// the others, a picture by its URL.
func ofChat(v tape.Value) bool {
	if !isMessage(v) {
		return false
	}
	role, content := roleOf(v)
	found := role == "system" || role == "developer"
	content.Items(func(b tape.Value) { found = found || b.Get("type").Str() == "image_url" })
	return found
}

// langChain are LangChain's names of roles.
var langChain = map[string]string{
	"human": "user", "ai": "assistant", "AIMessage": "assistant", "HumanMessage": "user", "SystemMessage": "system", "ToolMessage": "tool",
	"AIMessageChunk": "assistant",
}

// roleOf is a message's role and content. LangChain writes them as type and
// content, or below data or kwargs.
func roleOf(v tape.Value) (role string, content tape.Value) {
	if role = v.Get("role").Str(); role != "" {
		return role, v.Get("content")
	}
	in := inLangChain(v)
	role = firstOf(in, "type").Str()
	if id := v.Get("id"); id.Kind() == tape.Array {
		id.Items(func(x tape.Value) { role = x.Str() })
	}
	if role == "" || in.Kind() == v.Kind() && langChain[role] == "" && !v.Has("data") {
		role = v.Get("type").Str()
	}
	if r := langChain[role]; r != "" {
		return r, in.Get("content")
	}
	if (role == "system" || role == "tool") && (v.Has("data") || v.Has("kwargs") || v.Has("content")) {
		return role, in.Get("content")
	}
	return "", tape.Value{}
}

// inLangChain is where LangChain keeps a message's fields.
func inLangChain(v tape.Value) tape.Value {
	for _, key := range []string{"data", "kwargs"} {
		if x := v.Get(key); x.Kind() == tape.Object && x.Has("content") {
			return x
		}
	}
	return v
}
