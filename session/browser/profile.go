package browser

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"snapscope/session"
)

// Settle says how long a page is given between an action and its capture: a
// named profile and its times. One without a name is Quick with the times that
// are set; one with a name is taken as it is.
//
// The two ways differ in what they go by. A profile with After waits fixed
// times, as an agent's tool does, so that the page is captured at the moment
// when that agent would have seen it. One without watches the page until
// nothing in it changes.
type Settle struct {
	Name string

	After       time.Duration // after an action that may change the page; 0: watch the page instead
	Again       time.Duration // once more when the action set off requests, after they were answered
	Arrived     time.Duration // after a document that came later than After
	QuietFor    time.Duration // without a change in the page before it counts as quiet
	QuietMax    time.Duration // a page that is still changing then is captured early
	RequestsMax time.Duration // for the requests that the action set off
	NavigateMax time.Duration // for the first byte of a document, and again until it has been read
	LoadMax     time.Duration // from then until its load event: goto, back, forward, reload
	FollowMax   time.Duration // the same for a document that any other action led to, reading included
}

// The profiles. PlaywrightMCP's times were measured from outside on
// "playwright mcp" 1.65.1 (npm), by pages that print the milliseconds since the
// click into the snapshot that answers it:
//
//   - click, double click, drag, typing key by key, Enter, evaluate: 500 ms;
//     with requests (of any type, but for documents of frames) until they are
//     answered, at most 5 s, and 500 ms more (a fetch of 800 ms: 1,330 ms; one
//     that never ends: 6,020 ms); requests that begin after the first 500 ms
//     are not waited for;
//   - an action that led to a document within the 500 ms: its load event, at
//     most 10 s more; a document that comes later: 1,000 ms after it came;
//   - goto: until the document is read (60 s, --timeout-navigation), then its
//     load event, at most 5 s, and nothing after it;
//   - select, hover, fill and keys other than Enter: nothing.
var (
	PlaywrightMCP = Settle{
		Name: "playwright-mcp", After: 500 * time.Millisecond, Again: 500 * time.Millisecond, Arrived: time.Second,
		QuietFor: 100 * time.Millisecond, QuietMax: 2 * time.Second,
		RequestsMax: 5 * time.Second, NavigateMax: time.Minute, LoadMax: 5 * time.Second, FollowMax: 10 * time.Second,
	}
	Quick = Settle{
		Name: "quick", QuietFor: 100 * time.Millisecond, QuietMax: 2 * time.Second,
		RequestsMax: 3 * time.Second, NavigateMax: 30 * time.Second, LoadMax: 5 * time.Second, FollowMax: 5 * time.Second,
	}
)

// Profiles lists the named ways to wait, the default of the command line first.
func Profiles() []Settle { return []Settle{PlaywrightMCP, Quick} }

// knobs are a profile's times by the names that people type.
func (s *Settle) knobs() []settleKnob {
	return []settleKnob{
		{"after", &s.After},
		{"again", &s.Again},
		{"arrived", &s.Arrived},
		{"quiet", &s.QuietFor},
		{"quiet-max", &s.QuietMax},
		{"requests-max", &s.RequestsMax},
		{"navigate-max", &s.NavigateMax},
		{"load-max", &s.LoadMax},
		{"follow-max", &s.FollowMax},
	}
}

type settleKnob struct {
	name string
	d    *time.Duration
}

// ParseSettle reads a profile's name, with other times behind it if wanted:
// "quick", "playwright-mcp,after=300ms,requests-max=2s".
func ParseSettle(text string) (Settle, error) {
	name, rest, more := strings.Cut(strings.TrimSpace(text), ",")
	i := slices.IndexFunc(Profiles(), func(p Settle) bool { return p.Name == strings.TrimSpace(name) })
	if i < 0 {
		var names []string
		for _, p := range Profiles() {
			names = append(names, p.Name)
		}
		return Settle{}, fmt.Errorf("there is no settle profile %q; there are %s", name, strings.Join(names, " and "))
	}
	s := Profiles()[i]
	for more {
		var one string
		one, rest, more = strings.Cut(rest, ",")
		key, value, _ := strings.Cut(strings.TrimSpace(one), "=")
		knobs := s.knobs()
		k := slices.IndexFunc(knobs, func(k settleKnob) bool { return k.name == key })
		if k < 0 {
			var names []string
			for _, k := range knobs {
				names = append(names, k.name)
			}
			return Settle{}, fmt.Errorf("a settle profile has no time %q; it has %s", key, strings.Join(names, ", "))
		}
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 || d > 10*time.Minute {
			return Settle{}, fmt.Errorf("%s=%s of a settle profile is no time from 0s to 10m", key, value)
		}
		*knobs[k].d = d
	}
	return s, nil
}

// String is the profile's name, and the times that are not the profile's own;
// ParseSettle reads it again.
func (s Settle) String() string {
	s = s.filled()
	base, err := ParseSettle(s.Name)
	if err != nil { // a name of somebody's own
		base = Settle{}
	}
	out := s.Name
	own, theirs := s.knobs(), base.knobs()
	for i, k := range own {
		if *k.d != *theirs[i].d {
			out += fmt.Sprintf(",%s=%s", k.name, k.d)
		}
	}
	return out
}

// filled gives one without a name the times of Quick where it has none.
func (s Settle) filled() Settle {
	if s.Name != "" {
		return s
	}
	base := Quick
	s.Name = base.Name
	own, theirs := s.knobs(), base.knobs()
	for i := range own {
		if *own[i].d == 0 {
			*own[i].d = *theirs[i].d
		}
	}
	return s
}

// manner is what an action makes a profile with fixed times wait for.
type manner int

const (
	mannerNothing manner = iota // the page is captured as it is
	mannerAct                   // the fixed times
	mannerArrive                // the document that was asked for
)

// mannerOf tells what an agent's tool waits for after an action.
func mannerOf(a session.Action) manner {
	switch a.Verb {
	case session.VerbGoto, session.VerbBack, session.VerbForward, session.VerbReload:
		return mannerArrive
	case session.VerbTab:
		return mannerArrive
	case session.VerbClick, session.VerbDblClick, session.VerbDrag, session.VerbType, session.VerbCheck, session.VerbUncheck,
		session.VerbUpload, session.VerbDialog, session.VerbEvaluate:
		return mannerAct
	case session.VerbPress:
		if key := a.Text("key"); key == "Enter" || strings.HasSuffix(key, "+Enter") || key == "NumpadEnter" {
			return mannerAct
		}
	}
	return mannerNothing
}
