package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"snapscope/replay/ab"
	"snapscope/replay/sweep"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/atomicfile"
	"snapscope/session/guard"
	"snapscope/session/ledger"
	"snapscope/session/policy"
)

func (a *app) reportCmd() *cobra.Command {
	var pf policyFlags
	var lf ledgerFlags
	var imf importFlags
	var asJSON, asMD, worth, hold bool
	var html string
	c := &cobra.Command{
		Use:   "report REC...",
		Short: "Where a session's tokens went, and what each policy would have saved and lost",
		Long: `Works out recordings (or transcripts of other agents, as import reads them) as
they were sent and under one policy or several. The first line says what went wrong
(an act on an element that no page showed, a page that the agent's program cut), what
the session used and of what, the policy that would have saved most, as far as the
session's acts tested it, and the command that applies it. Then what went wrong, step
by step, and for each policy: input tokens, prompt cache, cost, what expiry won or lost, and
each lost element with the rule that hid it, the knob that would have kept it,
and what bringing it back would cost.

` + inputDoc + ` One that cannot be read is named and left out; the status is 1 then.`,
		Example: "  snapscope report leads.jsonl --policy combined --policy compress\n" +
			"  snapscope report ~/.claude/projects/x/y.jsonl --set passmark.min_savings=0.4 --json",
		Args: args(1, -1, "one recording or more"),
		RunE: func(cmd *cobra.Command, names []string) error {
			if hold {
				return a.check(cmd, names, checkFlags{policy: pf, ledger: lf, imports: imf, asJSON: asJSON})
			}
			ps, err := a.choose(pf, "full", "combined")
			if err != nil {
				return err
			}
			r := reporter{a: a, ps: ps, imports: imf, worth: worth || !asJSON, out: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr(), html: html}
			if r.o, err = a.ledger(lf); err != nil {
				return err
			}
			r.o.Fixes, r.o.Named, r.o.Asked = true, a.naming(pf), len(pf.names) > 0
			if r.files, err = inputs(cmd.Context(), names, cmd.InOrStdin()); err != nil {
				return err
			}
			switch {
			case asJSON:
				r.write, r.out = ledger.WriteJSON, jsonTo(r.out)
			case asMD:
				r.write, r.between, r.end = ledger.WriteMarkdown, "\n", r.sum.writeMarkdown
			case html == "":
				r.write, r.between, r.end = ledger.WriteText, "\n\n", r.sum.writeText
			}
			r.json = asJSON
			return r.run(cmd.Context())
		},
	}
	f := c.Flags()
	pf.add(f, "full and combined")
	lf.add(f)
	imf.add(f)
	f.BoolVar(&asJSON, "json", false, "print one JSON object a recording")
	f.BoolVar(&asMD, "md", false, "print Markdown")
	f.StringVar(&html, "html", "", "write an HTML page to this file")
	f.BoolVar(&hold, "check", false, "test the one policy as the command check does; the status is 1 when it loses something")
	f.BoolVar(&worth, "worth", false, "with --json: also what the snapshots are worth")
	return c
}

// reporter reports on many recordings: several are worked out at a time, each is
// printed when it is its turn, and one that cannot be read does not end the rest.
type reporter struct {
	a       *app
	files   []string
	ps      []policy.Policy
	o       ledger.Options
	imports importFlags
	worth   bool
	out     io.Writer
	stderr  io.Writer
	write   func(io.Writer, ...ledger.Sheet) error // nil: only the page is written
	between string
	end     func(io.Writer) error // what follows all of them; nil nothing
	json    bool
	html    string

	sheets  []ledger.Sheet // kept for the page
	sum     summary
	printed int
	failed  int
	first   error
}

// reported is one recording worked out: what is printed of it and what is summed.
// The session itself is let go, since others may be waited for before its turn.
type reported struct {
	text  bytes.Buffer
	sum   summary
	sheet *ledger.Sheet // kept for the page alone
	said  bytes.Buffer
	err   error
}

func (r *reporter) run(ctx context.Context) error {
	frugal()
	bar := newProgress("working out recordings")
	err := inOrder(ctx, len(r.files), r.work, func(i int, got *reported) error {
		if len(r.files) > 1 {
			bar.step(i+1, len(r.files))
		}
		return r.emit(r.files[i], got)
	})
	bar.end()
	switch {
	case err != nil:
		return err
	case r.failed == 1 && len(r.files) == 1:
		return r.first
	}
	if r.end != nil {
		if err := r.end(r.out); err != nil {
			return err
		}
	}
	if r.html != "" {
		if err := r.page(); err != nil {
			return err
		}
	}
	if r.failed > 0 {
		return fmt.Errorf("%d of %d recordings could not be read; the first: %w", r.failed, len(r.files), r.first)
	}
	return nil
}

// work reads and works out one recording. Whatever goes wrong is that recording's
// error.
func (r *reporter) work(ctx context.Context, i int) *reported {
	out := &reported{}
	out.err = guard.Do("working out "+r.files[i], func() error { return r.workOut(ctx, r.files[i], out) })
	return out
}

func (r *reporter) workOut(ctx context.Context, file string, out *reported) error {
	o := r.o
	o.Renderer = policy.NewBatch(r.o.Renderer.Count)
	if len(r.files) == 1 {
		bar := newProgress("working out " + filepath.Base(file))
		defer bar.end()
		o.Progress = bar.step
	}
	sheet, err := r.a.sheet(ctx, file, r.ps, o, r.imports, &out.said, r.worth)
	if err != nil {
		return err
	}
	out.sum.add(sheet)
	if r.html != "" {
		out.sheet = &sheet
	}
	if r.write == nil {
		return nil
	}
	return r.write(&out.text, sheet)
}

func (r *reporter) emit(file string, got *reported) error {
	if _, err := got.said.WriteTo(r.stderr); err != nil {
		return err
	}
	if got.err != nil {
		r.failed++
		if r.first == nil {
			r.first = got.err
		}
		if len(r.files) == 1 {
			return nil
		}
		if r.json {
			return printJSON(r.out, map[string]string{"recording": file, "error": got.err.Error()})
		}
		_, err := fmt.Fprintf(r.stderr, "snapscope: %s\n", oneLine(got.err.Error()))
		return err
	}
	r.sum.join(got.sum)
	if got.sheet != nil {
		r.sheets = append(r.sheets, *got.sheet)
	}
	if r.write == nil {
		return nil
	}
	if r.printed++; r.printed > 1 {
		if _, err := io.WriteString(r.out, r.between); err != nil {
			return err
		}
	}
	_, err := got.text.WriteTo(r.out)
	return err
}

// page writes the report that a browser shows.
func (r *reporter) page() error {
	var b bytes.Buffer
	if err := ledger.WriteHTML(&b, r.sheets...); err != nil {
		return err
	}
	if err := atomicfile.Write(r.html, b.Bytes(), 0o644); err != nil {
		return err
	}
	_, err := fmt.Fprintf(r.stderr, "wrote %s\n", oneLine(r.html))
	return err
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
	s, err := ledger.Study(ctx, t, ps, append(policy.Builtin(), own...), o)
	if err != nil {
		return ledger.Sheet{}, fmt.Errorf("%s: %w", file, err)
	}
	k, ok, err := ab.CheckCache(ctx, t, o)
	if err != nil {
		return ledger.Sheet{}, fmt.Errorf("%s: %w", file, err)
	}
	var notes []string
	if ok {
		notes = append(notes, "cache model against the vendor: "+k.String())
	}
	if o.Asked {
		notes = append(notes, policy.Idle("in snapscope mcp", ps...)...)
	}
	if len(notes) > 0 && len(s.Reports) > 0 { // the foot of a sheet is its first report's
		first := *s.Reports[0]
		first.Notes = append(slices.Clone(first.Notes), notes...)
		s.Reports[0] = &first
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
	limits   int
}

// words are the flags again, a space before each; empty where a transcript is read
// in the usual way.
func (i importFlags) words() string { return sweep.ReadingFlags(i.from, i.limits, i.secrets) }

type flagSet interface {
	StringVar(*string, string, string, string)
	BoolVar(*bool, string, bool, string)
	IntVar(*int, string, int, string)
}

func (i *importFlags) add(f flagSet) {
	f.StringVar(&i.from, "from", "", "the transcript's format (default: recognised by content)")
	f.IntVar(&i.limits, "limits", 1, "multiply every limit on what is read (unpacked size, events, one line) by this")
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
	events, said := joinHalves(file, im.Events)
	if said != "" {
		im.Events = events
		im.Notes = append(im.Notes, said)
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
		say("masked: %s (--keep-secrets leaves them)", im.Secrets)
	}
}
