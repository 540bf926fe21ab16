// Package api reads the requests and answers of model APIs for a proxy that
// stands between an agent and its model, and takes expired tool results out of
// requests. It is pure: bytes in, bytes out. The proxy itself is replay/proxy/api/relay.
//
//	request ─▶ Parse ─▶ Blocks ─▶ Expiry (a retention rule) ─▶ Splice ─▶ request
//	answer  ─▶ ReadAnswer ─▶ text, tool calls, usage
//
// Four wire forms are known: Anthropic Messages, OpenAI Chat Completions, OpenAI
// Responses and Gemini's GenerateContent, each with its way to count tokens beforehand.
//
// # What is never touched
//
// A splice changes the text inside tool results and nothing else: content of a
// tool_result block, output of a *_call_output item, content of a message with
// role tool, the response of a functionResponse. Every other byte of the request stays as the client wrote it: ids,
// order, cache_control, tools, system prompt, and the model's own turns, whose
// thinking blocks carry a signature over their exact form. The request is
// therefore never decoded and encoded again; the source is cut at the places of
// the text's own JSON strings. If what comes out is no JSON, the original goes.
//
// # Expiry
//
// Which results are expired is a function of the request alone: the history in
// it is run through the retention rule from its start, one model call for each
// of the model's turns. A request that only grew is therefore rewritten as the
// one before it was, and the prefix that the vendor has cached stays equal to
// the byte. Above that an expiry is remembered by the block's hash: a history
// that the client shortens in the middle brings nothing back.
package api
