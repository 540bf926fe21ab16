package sweep

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Row is one line of a part: one recording under one setting, or a recording
// that has no figures, with why. Part files of every kind have these columns.
type Row struct {
	Index     int    `json:"index"`             // the recording's place in the input, from 0
	Recording string `json:"recording"`         // its file, as the manifest names it
	Site      string `json:"site,omitempty"`    // host of the first page; missing: not known
	Model     string `json:"model,omitempty"`   // model that prices are of; missing: not known
	Format    string `json:"format,omitempty"`  // whose session file it is; live: a recording of our own
	Full      int    `json:"full_input_tokens"` // tokens that all model calls carried under policy full
	Setting   string `json:"setting,omitempty"` // the knobs, strategy.knob=value, a space between two
	*Figures         // missing in a row with an error or of a recording that is left out
	Error     string `json:"error,omitempty"`   // why there are no figures
	Partial   int    `json:"partial,omitempty"` // pages known in part only: the recording is left out, since full is not known either
}

// Figures are what one setting comes to on one recording: whole numbers only.
type Figures struct {
	Point    int    `json:"point"`           // the setting's place in the grid, from 0
	Input    int    `json:"input_tokens"`    // tokens that all model calls carried
	Appended int    `json:"appended_tokens"` // tokens that all results added once
	Peak     int    `json:"peak_tokens"`     // tokens of the largest call
	Cached   int    `json:"cached_tokens"`   // of input_tokens, read from the prompt cache
	Acted    int    `json:"acted"`           // elements that the agent acted on
	Survived int    `json:"survived"`        // of these, readable when it acted
	Lost     int    `json:"lost"`            // elements that a page had shown and that were lost, each once
	Quotes   int    `json:"quotes"`          // pieces of page text that the agent used
	Read     int    `json:"quotes_kept"`     // of these, readable when it used them
	Nano     *int64 `json:"cost_nano_usd"`   // input tokens in billionths of a US dollar; null: the model has no price
}

// Outcome is what became of one recording: all of its rows.
type Outcome struct {
	Index     int // its place in the input, from 0
	Recording string
	Site      string
	Model     string
	Format    string
	Full      int       // under policy full
	Figures   []Figures // one a point, in their order
	Error     string    // why there are none
	Partial   int       // pages known in part only
}

// Name is the setting on one line: strategy.knob=value, a space between two.
func (p Point) Name() string {
	names := make([]string, len(p.Settings))
	for i, s := range p.Settings {
		names[i] = s.Key + "=" + s.Value
	}
	return strings.Join(names, " ")
}

// Names are the settings of points.
func Names(points []Point) []string {
	out := make([]string, len(points))
	for i, p := range points {
		out[i] = p.Name()
	}
	return out
}

// Rows are the outcome's rows; settings are the names of the grid's points.
func (o Outcome) Rows(settings []string) []Row {
	row := Row{
		Index: o.Index, Recording: o.Recording, Site: o.Site, Model: o.Model, Format: o.Format, Full: o.Full,
		Error: o.Error, Partial: o.Partial,
	}
	if len(o.Figures) == 0 {
		return []Row{row}
	}
	rows := make([]Row, len(o.Figures))
	for i := range o.Figures {
		rows[i] = row
		rows[i].Setting, rows[i].Figures = settings[o.Figures[i].Point], &o.Figures[i]
	}
	return rows
}

// WriteRows writes outcomes as JSON lines.
func WriteRows(w io.Writer, outs []Outcome, settings []string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, o := range outs {
		for _, row := range o.Rows(settings) {
			if err := enc.Encode(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxRow bounds a line of a part: far more than any name or error takes.
const maxRow = 16 << 20

// ReadRows reads JSON lines of rows and hands over an outcome for each recording.
// Every recording's rows stand together, one for each of so many points. The
// error names the line.
func ReadRows(r io.Reader, points int, each func(Outcome) error) error {
	g := Gather{Points: points, Each: each}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxRow)
	n := 0
	for lines.Scan() {
		n++
		var row Row
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := g.Add(row); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	if err := g.End(); err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	return nil
}

// Gather makes outcomes of rows that come in order, whatever file they stand in.
type Gather struct {
	Points int // of the grid
	Each   func(Outcome) error

	at   Outcome
	open bool
}

// Add takes the next row.
func (g *Gather) Add(r Row) error {
	if g.open && r.Index != g.at.Index {
		if err := g.End(); err != nil {
			return err
		}
	}
	if !g.open {
		g.open, g.at = true, Outcome{
			Index: r.Index, Recording: r.Recording, Site: r.Site, Model: r.Model, Format: r.Format, Full: r.Full,
			Error: r.Error, Partial: r.Partial,
		}
	}
	switch {
	case r.Recording != g.at.Recording:
		return fmt.Errorf("%q and %q have one index", g.at.Recording, r.Recording)
	case r.Figures == nil && (r.Error != "" || r.Partial > 0) && len(g.at.Figures) == 0:
		return nil
	case r.Figures == nil || r.Point != len(g.at.Figures) || r.Error != "":
		return fmt.Errorf("a row of %q is missing, or in a wrong place", r.Recording)
	}
	g.at.Figures = append(g.at.Figures, *r.Figures)
	return nil
}

// End hands over the last recording.
func (g *Gather) End() error {
	if !g.open {
		return nil
	}
	g.open = false
	if n := len(g.at.Figures); n != g.Points && g.at.Error == "" && g.at.Partial == 0 {
		return fmt.Errorf("%q has %d of %d rows", g.at.Recording, n, g.Points)
	}
	return g.Each(g.at)
}
