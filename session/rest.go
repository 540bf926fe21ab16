package session

// Rest says how the wait between an action and the capture of the page ended.
// Code goes by it; Result.Waited is the same in words.
type Rest string

// How a wait ended. The last five mean that the page was captured before it
// had come to rest.
const (
	RestQuiet     Rest = "quiet"     // nothing in the page changed for a while
	RestTimed     Rest = "timed"     // the fixed times of the profile were waited
	RestAtOnce    Rest = "at once"   // the profile waits for nothing after this action
	RestDialog    Rest = "dialog"    // a dialog opened and holds the page: no capture
	RestFailed    Rest = "failed"    // the page did not answer, or is gone: no capture
	RestChanging  Rest = "changing"  // something still changed when the bound was reached
	RestRequests  Rest = "requests"  // a request of the page was still open then
	RestFrame     Rest = "frame"     // a frame in the page was still loading then
	RestLoading   Rest = "loading"   // the document itself was still loading then
	RestReloading Rest = "reloading" // the page loaded itself again and again and was stopped
)

// Early reports a page that was captured before it had come to rest.
func (r Rest) Early() bool {
	switch r {
	case RestChanging, RestRequests, RestFrame, RestLoading, RestReloading:
		return true
	}
	return false
}

// Teller is a driver that says what the running step is doing.
type Teller interface {
	Progress() string // one phrase with the time and its bound, "" when no step runs
}

// Progress says what the running step is doing, "" when none runs or the
// driver does not tell. It may be called while Do runs.
func (l *Live) Progress() string {
	if t, ok := l.driver().(Teller); ok {
		return t.Progress()
	}
	return ""
}
