package tui

import (
	"testing"

	"snapscope/session"
)

// vendorEngine is a session whose calls bear a vendor's count, most of which is not
// in the recording, and a cache that is never read.
func vendorEngine() *fakeEngine {
	steps := leadsSteps(40)
	for i := range steps {
		u := &session.Usage{Input: 30_000 + 2700*i, Output: 20}
		steps[i] = append([]session.Event{{Kind: session.KindCall, Call: &session.ModelCall{Model: "claude-sonnet-4-5", Usage: u}}}, steps[i]...)
	}
	return &fakeEngine{info: session.Info{Mode: session.ModeReplay, Name: "seat.jsonl"}, steps: steps}
}

func TestTheContextViewOnWhatTheVendorCounted(t *testing.T) {
	d := newDriver(t, Config{Engine: vendorEngine(), AutoSteps: -1}, 200, 60)
	d.press("v")
	d.wants("vendor: 220,500 in, 0 of it cached, 120 out, over 6 calls", "our count −", "our model of its cache",
		"cache +100.0 %: the vendor read nothing from its cache in any call", "tokens of each call are not in the recording", "that only the vendor counts", "vendor: 43,500 in, 0 cached; ours")
	d.press("esc")
	narrow := newDriver(t, Config{Engine: vendorEngine(), AutoSteps: -1}, 84, 40)
	narrow.press("v")
	narrow.wants("over 6 calls · our count −", "our model") // what does not fit goes on in the next row
	e := newDriver(t, Config{Engine: leadsEngine(40), AutoSteps: -1}, 200, 60)
	e.press("v")
	e.wants("context and cost")
	e.lacks("vendor:")
}
