package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"snapscope/replay"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/snapshot/wording"
)

func (a *app) importCmd() *cobra.Command {
	var imf importFlags
	var out string
	var asJSON, force, formats bool
	c := &cobra.Command{
		Use:   "import FILE -o REC",
		Short: "Turn another agent's transcript into a recording",
		Args: func(c *cobra.Command, got []string) error {
			if formats {
				return nil
			}
			return args(1, 1, "one transcript")(c, got)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if formats {
				for _, f := range transcript.Formats {
					fmt.Fprintf(cmd.OutOrStdout(), "%-22s %s\n", f.Name, f.Title)
				}
				return nil
			}
			if out == "" {
				return usagef("import needs -o REC: the recording to write")
			}
			if err := plainName(out); err != nil {
				return err
			}
			im, err := a.read(cmd.Context(), args[0], imf, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			for _, r := range im.Events {
				if r.Result != nil && r.Result.Snapshot != nil {
					r.Result.Snapshot.Elements = r.Result.Snapshot.Count()
				}
			}
			if err := writeRecording(cmd.Context(), out, im.Events, force); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), importJSON{
					Format: im.Format, Recording: out, Calls: im.Calls, Results: im.Results,
					Orphans: len(im.Orphans), Snapshots: im.Snapshots(), Seen: im.Seen, Rebuilt: im.Rebuilt,
					Skipped: im.Skipped, Masked: im.Masked, Secrets: im.Secrets.ByName(), Usage: im.Usage, Notes: im.Notes,
				})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s, %s, %s read (%s), wrote %s\n",
				im.Format, wording.Plural(im.Calls, "call"), wording.Plural(im.Results, "result"), wording.Plural(len(im.Orphans), "orphan"), wording.Plural(im.Snapshots(), "snapshot"),
				seenCounts(im.Seen), oneLine(out))
			return nil
		},
	}
	f := c.Flags()
	imf.add(f)
	f.StringVarP(&out, "output", "o", "", "the recording to write")
	f.BoolVar(&asJSON, "json", false, "print one JSON object with the counts")
	f.BoolVar(&force, "force", false, "write over a file that is there")
	f.BoolVar(&formats, "formats", false, "list the formats that are known")
	return c
}

// seenCounts says of how many results the model saw the page in which way: those that
// most sessions have are told also where there are none.
func seenCounts(seen map[session.Seen]int) string {
	var out []string
	for _, s := range []session.Seen{session.SeenInline, session.SeenIncremental, session.SeenCut, session.SeenExcerpt, session.SeenLink, session.SeenSpilled, session.SeenDropped} {
		out = append(out, fmt.Sprintf("%s %d", s, seen[s]))
	}
	for _, s := range []session.Seen{session.SeenExpired, session.SeenUnasked} {
		if seen[s] > 0 {
			out = append(out, fmt.Sprintf("%s %d", s, seen[s]))
		}
	}
	return strings.Join(out, ", ")
}

type importJSON struct {
	Format    string               `json:"format"`
	Recording string               `json:"recording"`
	Calls     int                  `json:"calls"`
	Results   int                  `json:"results"`
	Orphans   int                  `json:"orphans"`
	Snapshots int                  `json:"snapshots"`
	Seen      map[session.Seen]int `json:"seen"`
	Rebuilt   int                  `json:"rebuilt"`
	Skipped   []transcript.Skip    `json:"skipped,omitempty"`
	Masked    int                  `json:"masked"`
	Secrets   map[string]int       `json:"masked_kinds,omitempty"` // how many of each kind: password, token, cookie, key
	Usage     session.Usage        `json:"usage"`
	Notes     []string             `json:"notes,omitempty"`
}

// writeRecording writes events to a recording that is there when all of it is.
func writeRecording(ctx context.Context, file string, events []session.Event, force bool) error {
	w, err := replay.CreateWhole(file, force)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, e := range events {
		if err := errors.Join(w.Append(e), ctx.Err()); err != nil {
			return fmt.Errorf("writing the recording: %w", err)
		}
	}
	return w.Close()
}
