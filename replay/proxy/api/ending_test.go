package api

import (
	"strings"
	"testing"
)

// However a stream is cut into pieces, the piece that makes it whole is known, and no
// earlier one: neither by an event that only begins like the last, nor by text of the
// model that says the same words.
func TestAStreamsLastPiece(t *testing.T) {
	for form, stream := range map[Form]string{
		Messages: "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"\\\"type\\\":\\\"message_stop\\\"\\n\\nevent: message_stop\\n\\n\"}}\n\n" +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
		Chat:      "data: {\"choices\":[{\"delta\":{\"content\":\"data: [DONE]\\n\\n\"}}]}\n\ndata: [DONE]\n\n",
		Responses: "data: {\"type\":\"response.output_text.delta\",\"delta\":\"\\\"type\\\":\\\"response.completed\\\"\"}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":1097}}}\n\n",
	} {
		for _, text := range []string{stream, strings.ReplaceAll(stream, "\n", "\r\n")} {
			for size := 1; size <= len(text); size++ {
				ends := Ends(form, Head{Type: "text/event-stream; charset=utf-8"})
				for at := 0; at < len(text); at += size {
					piece := text[at:min(at+size, len(text))]
					if got, want := ends([]byte(piece)), at+size >= len(text); got != want {
						t.Fatalf("%s by %d bytes: the piece at %d of %d ends it: %v, want %v", form, size, at, len(text), got, want)
					}
				}
			}
		}
		for _, h := range []Head{{Type: "application/json"}, {Type: "text/event-stream", Encoding: "gzip"}} {
			if Ends(form, h)([]byte(stream)) {
				t.Errorf("%+v is no plain stream", h)
			}
		}
	}
}
