package format

import (
	"snapscope/session"
	"snapscope/snapshot/mask"
)

// MaxRecord is the largest piece of a transcript that is held, in bytes: one
// line, one message, one side file. A larger one is read past and counted.
const MaxRecord = 64 << 20

// Options say how a transcript is read.
type Options struct {
	// Format names the format; empty: it is detected.
	Format string
	// KeepSecrets leaves typed passwords and keys as they stand.
	KeepSecrets bool
	// Unknowns collects the entry kinds and fields that were not understood.
	Unknowns bool
	// Roots are folders besides the transcript's own in which a link may be
	// followed.
	Roots []string
	// Fetch, if set, brings a linked file that is not there yet into the
	// transcript's own folder, by its slashed path from there.
	Fetch func(name string)
	// Alone: no file besides the transcript itself is read.
	Alone bool
	// Count counts tokens of the system prompt and the tool definitions, where
	// the transcript holds them. nil: they are not counted.
	Count func(string) int
	// MaxRecord is the largest piece that is held; 0 means MaxRecord.
	MaxRecord int
	// Limits raises every bound so many times; below 1 means 1.
	Limits int
}

// The bounds of what is read, so that a small file made for it takes neither
// all memory nor all time. Options.Limits raises them.
const (
	MaxEvents    = 1_000_000 // events of a session
	MaxUnpacked  = 1 << 30   // bytes that a packed file or an archive holds
	MaxRatio     = 400       // unpacked to packed, beyond the first FreeUnpacked bytes
	FreeUnpacked = 64 << 20
	maxValues    = 4_000_000 // values in one line or entry
)

// Raise is a bound under these options.
func (o Options) Raise(bound int64) int64 { return bound * int64(max(1, o.Limits)) }

// Import is a transcript as it was read, with what a person should know of the
// reading.
type Import struct {
	Path   string
	Format string // a name in Formats
	Events []session.Event

	Calls    int // tool calls
	Results  int // results paired with a call
	Orphans  []Orphan
	Seen     map[session.Seen]int // results with a snapshot by what the model saw of it
	Rebuilt  int                  // snapshots put together from incremental replies
	Images   int                  // pictures in results, which are not kept
	Skipped  []Skip
	Unknowns []Unknown   // with Options.Unknowns
	Masked   int         // secrets masked
	Secrets  mask.Counts // the same by kind
	Usage    session.Usage
	Notes    []string
	Bytes    int64
	Cut      bool // the file ends inside an entry
}

// Orphan is a result whose call does not stand before it, or a call that never
// got its result.
type Orphan struct {
	Line int    `json:"line"`
	ID   string `json:"id"`
	What string `json:"what"` // "result without a call", "call without a result"
}

// Skip counts entries that were left out for one reason.
type Skip struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	Lines []int  `json:"lines"` // the first twenty
}

// Unknown is an entry kind, or a field of one, that the importer does not know.
type Unknown struct {
	Kind  string `json:"kind"`
	Field string `json:"field,omitempty"`
	Count int    `json:"count"`
	Lines []int  `json:"lines"` // the first twenty
}

// Snapshots is how many results the model saw snapshot text in.
func (im *Import) Snapshots() int {
	return im.Seen[session.SeenInline] + im.Seen[session.SeenIncremental] + im.Seen[session.SeenCut]
}

func (im *Import) skip(kind string, line int) {
	for i := range im.Skipped {
		if s := &im.Skipped[i]; s.Kind == kind {
			s.Count++
			s.Lines = addLine(s.Lines, line)
			return
		}
	}
	if len(im.Skipped) == maxKinds { // a file of nothing but unknown kinds is still read in its own time
		kind = otherKinds
	} else if len(im.Skipped) > maxKinds {
		im.skip(otherKinds, line)
		return
	}
	im.Skipped = append(im.Skipped, Skip{Kind: kind, Count: 1, Lines: []int{line}})
}

// The reasons that are told apart; the rest is counted as one.
const (
	maxKinds   = 200
	otherKinds = "entry left out for one of very many other reasons"
)

func (im *Import) unknown(kind, field string, line int) {
	for i := range im.Unknowns {
		if u := &im.Unknowns[i]; u.Kind == kind && u.Field == field {
			u.Count++
			u.Lines = addLine(u.Lines, line)
			return
		}
	}
	if len(im.Unknowns) < 5*maxKinds {
		im.Unknowns = append(im.Unknowns, Unknown{Kind: kind, Field: field, Count: 1, Lines: []int{line}})
	}
}

func addLine(lines []int, n int) []int {
	if len(lines) < 20 {
		lines = append(lines, n)
	}
	return lines
}
