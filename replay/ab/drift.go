package ab

import (
	"context"
	"fmt"
	"math"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/snapshot/wording"
)

// Drift sets our count of a session's calls, as they were sent, beside the
// vendor's.
type Drift struct {
	Calls  int // that bear a count
	Ours   int // tokens, their sum
	Vendor int
	Off    float64 // (ours − vendor) / vendor
	Cause  string  // the likely cause where Off is more than 2 %; else ""
	Fit    Fit
	Each   map[int]CallDrift // by the call's number
	Cache  CacheCheck
	Cached bool // Cache could be checked: two calls bear a count
}

// CallDrift is the same for one call.
type CallDrift struct {
	Ours  int
	Real  session.Usage
	Off   float64
	Cause string // where Off is more than 2 %, and it is not the session's cause alone
}

// CheckDrift compares every call. ok is false where no call bears a count.
func CheckDrift(ctx context.Context, t *session.Timeline, o ledger.Options) (d Drift, ok bool, err error) {
	o.Fixes, o.CountOnly, o.Full, o.AsSent = false, true, nil, nil
	sent, err := ledger.AsSent(ctx, t, o)
	if err != nil {
		return d, false, err
	}
	if d.Fit, ok = Learn(sent); !ok {
		return d, false, nil
	}
	d.Each = map[int]CallDrift{}
	frames := 0
	for _, c := range sent.Calls {
		if c.Real == nil || c.Real.Input <= 0 {
			continue
		}
		parts := len(sent.Parts(c.Call))
		d.Calls++
		d.Ours += c.InputTokens
		d.Vendor += c.Real.Input
		frames += parts
		one := CallDrift{Ours: c.InputTokens, Real: *c.Real, Off: off(float64(c.InputTokens), float64(c.Real.Input))}
		if rest := float64(c.Real.Input) - d.Fit.Vendor(float64(c.InputTokens), parts); math.Abs(rest) > drift*float64(c.Real.Input) {
			one.Cause = unlike(rest)
		}
		d.Each[c.Call] = one
	}
	d.Off = off(float64(d.Ours), float64(d.Vendor))
	if math.Abs(d.Off) > drift {
		d.Cause = d.Fit.cause(d.Calls, d.Ours, frames)
	}
	d.Cache, d.Cached, err = CheckCache(ctx, t, o)
	return d, true, err
}

// unlike says what sets one call apart from the others of its session.
func unlike(rest float64) string {
	if rest > 0 {
		return fmt.Sprintf("%s tokens more than calls of this session weigh otherwise: pictures, thoughts or tools that the recording does not hold", whole(rest))
	}
	return fmt.Sprintf("%s tokens fewer than calls of this session weigh otherwise: the vendor or the agent left something out", whole(-rest))
}

// cause names the largest part of what the vendor counts otherwise than we do.
func (f Fit) cause(calls, ours, frames int) string {
	base, text, frame := f.Base*float64(calls), (f.Slope-1)*float64(ours), f.Frame*float64(frames)
	switch most := max(math.Abs(base), math.Abs(text), math.Abs(frame)); {
	case most == math.Abs(base) && base > 0:
		return fmt.Sprintf("%s tokens of each call are not in the recording: system prompt and tool definitions", whole(f.Base))
	case most == math.Abs(base):
		return fmt.Sprintf("the vendor counts %s tokens of each call fewer: the agent sends less in front of its history than the recording holds", whole(-f.Base))
	case most == math.Abs(frame):
		return fmt.Sprintf("the form of each message, call and result weighs %.1f tokens", f.Frame)
	}
	return fmt.Sprintf("the vendor's tokenizer makes %.3f tokens of one of ours", f.Slope)
}

// String is the drift in words: the sums, and the cause where it matters.
func (d Drift) String() string {
	s := fmt.Sprintf("%s tokens counted here, %s by the vendor, %s", wording.Count(d.Ours), wording.Count(d.Vendor), signed(d.Off))
	if d.Cause != "" {
		s += ": " + d.Cause
	}
	return s
}
