package main

import (
	"path/filepath"
	"strings"
	"testing"

	"snapscope/replay/transcript"
)

// The list of sessions says of each what did go wrong in it, first of all.
func TestTheListOfSessionsSaysWhatWentWrong(t *testing.T) {
	for file, want := range map[string]string{
		"truth/invented.json":                          "step 2: acted on e777: no earlier page showed it; the call failed: ",
		"truth/find-is-an-excerpt.json":                "",
		"codex/rollout-2026-03-01T10-00-00-0300.jsonl": " cut this page",
		"truth/reopened-unchanged.json":                "",
	} {
		m, err := measure(transcript.Options{})(t.Context(), filepath.Join("../../testdata/transcripts", filepath.FromSlash(file)))
		if err != nil || m.Steps == 0 || want == "" && m.Wrong != "" || !strings.Contains(m.Wrong, want) {
			t.Errorf("%s: %+v, %v, want %q", file, m, err, want)
		}
	}
}
