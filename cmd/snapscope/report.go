package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

func (a *app) reportCmd() *cobra.Command {
	var pf policyFlags
	var lf ledgerFlags
	var imf importFlags
	var asJSON, asMD, worth bool
	var html string
	c := &cobra.Command{
		Use:   "report REC...",
		Short: "Where a session's tokens went, and what each policy would have saved and lost",
		Long: `Works out recordings (or transcripts of other agents, as import reads them) as
they were sent and under one policy or several. The first line says what the
session used and of what, the policy that would have saved most while every
element that was acted on stayed readable, and the command that applies it. Then
for each policy: input tokens, prompt cache, cost, what expiry won or lost, and
each lost element with the rule that hid it, the knob that would have kept it,
and what bringing it back would cost.`,
		Example: "  snapscope report leads.jsonl --policy combined --policy compress\n" +
			"  snapscope report ~/.claude/projects/x/y.jsonl --set passmark.min_savings=0.4 --json",
		Args: args(1, -1, "one recording or more"),
		RunE: func(cmd *cobra.Command, files []string) error {
			ps, err := a.choose(pf, "full", "combined")
			if err != nil {
				return err
			}
			o, err := a.ledger(lf)
			if err != nil {
				return err
			}
			o.Fixes = true
			sheets := make([]ledger.Sheet, 0, len(files))
			for _, file := range files {
				s, err := a.sheet(cmd.Context(), file, ps, o, imf, cmd.ErrOrStderr(), worth || !asJSON)
				if err != nil {
					return err
				}
				sheets = append(sheets, s)
			}
			if html != "" {
				var b bytes.Buffer
				if err := ledger.WriteHTML(&b, sheets...); err != nil {
					return err
				}
				if err := writeWhole(html, b.Bytes()); err != nil {
					return fmt.Errorf("writing the report: %w", err)
				}
				if !asJSON && !asMD {
					fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s\n", html)
					return nil
				}
			}
			write := ledger.WriteText
			switch {
			case asJSON:
				write = ledger.WriteJSON
			case asMD:
				write = ledger.WriteMarkdown
			}
			return write(cmd.OutOrStdout(), sheets...)
		},
	}
	f := c.Flags()
	pf.add(f, "full and combined")
	lf.add(f)
	imf.add(f)
	f.BoolVar(&asJSON, "json", false, "print one JSON object a recording")
	f.BoolVar(&asMD, "md", false, "print Markdown")
	f.StringVar(&html, "html", "", "write a page of its own to this file")
	f.BoolVar(&worth, "worth", false, "with --json: also what the snapshots are worth")
	return c
}

// sheet reads one file and works it out.
func (a *app) sheet(ctx context.Context, file string, ps []policy.Policy, o ledger.Options, imf importFlags, stderr io.Writer, worth bool) (ledger.Sheet, error) {
	im, err := a.read(ctx, file, imf, stderr)
	if err != nil {
		return ledger.Sheet{}, err
	}
	t := session.NewTimeline(im.Events)
	own, err := a.policies()
	if err != nil {
		return ledger.Sheet{}, err
	}
	p := newProgress("working out " + filepath.Base(file))
	o.Progress = p.step
	s, err := ledger.Study(ctx, t, ps, append(policy.Builtin(), own...), o)
	p.end()
	if err != nil {
		return ledger.Sheet{}, err
	}
	count, err := a.counter()
	if err != nil {
		return ledger.Sheet{}, err
	}
	s.Recording, s.Encoding = file, count.Name()
	if o.Prices != nil {
		s.Prices = o.Prices.Date
	}
	if !worth {
		s.Worth = nil
	}
	return s, nil
}

// importFlags say how a transcript is read.
type importFlags struct {
	from     string
	secrets  bool
	unknowns bool
}

type flagSet interface {
	StringVar(*string, string, string, string)
	BoolVar(*bool, string, bool, string)
}

func (i *importFlags) add(f flagSet) {
	f.StringVar(&i.from, "from", "", "the transcript's format (default: told by its content)")
	f.BoolVar(&i.secrets, "keep-secrets", false, "leave typed passwords and keys as they stand")
	f.BoolVar(&i.unknowns, "debug-unknowns", false, "tell which entry kinds and fields were not understood")
}

// read reads a recording or a transcript and tells what it left out.
func (a *app) read(ctx context.Context, file string, imf importFlags, stderr io.Writer) (*transcript.Import, error) {
	o, err := a.importOptions(imf)
	if err != nil {
		return nil, err
	}
	im, err := transcript.Read(ctx, file, o)
	if err != nil {
		return nil, err
	}
	tell(stderr, im)
	return im, nil
}

// tell says on stderr what a reader should know of an import.
func tell(w io.Writer, im *transcript.Import) {
	say := func(format string, args ...any) {
		fmt.Fprintln(w, "snapscope: "+oneLine(im.Path+": "+fmt.Sprintf(format, args...)))
	}
	for _, n := range im.Notes {
		say("%s", n)
	}
	for _, s := range im.Skipped {
		say("skipped %d × %s, lines %v", s.Count, s.Kind, s.Lines)
	}
	for _, u := range im.Unknowns {
		say("not understood %d × %s %s, lines %v", u.Count, u.Kind, u.Field, u.Lines)
	}
	if im.Masked > 0 {
		say("masked %d secrets (--keep-secrets leaves them)", im.Masked)
	}
}

// writeWhole writes a file in one go: it is there whole or not at all.
func writeWhole(file string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".snapscope-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(data); err == nil {
		err = tmp.Close()
	} else {
		_ = tmp.Close()
	}
	if err != nil {
		return err
	}
	if err = os.Chmod(tmp.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
