package transcript

import (
	"strings"
	"testing"

	"snapscope/session"
)

// A reader that breaks is the error of the file that it read.
func TestAReaderThatBreaks(t *testing.T) {
	const name = "../../testdata/sessions/recorded/forms-1.jsonl.zst"
	n := 0
	im, err := Stream(t.Context(), name, Options{}, func(session.Event) {
		if n++; n == 5 {
			panic("a planted defect")
		}
	})
	if im != nil || err == nil || !strings.HasPrefix(err.Error(), "reading "+name+": internal error") {
		t.Errorf("%v, %v", im, err)
	}
}
