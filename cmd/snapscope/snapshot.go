package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"snapscope/session"
	"snapscope/session/browser"
	"snapscope/snapshot"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
)

func (a *app) snapshotCmd() *cobra.Command {
	var bf browserFlags
	var boxes, asJSON, exact bool
	var name string
	var sets []string
	var times int
	c := &cobra.Command{
		Use:   "snapshot PAGE",
		Short: "Print the aria snapshot of a URL or a local .html file",
		Example: "  snapscope snapshot page.html\n" +
			"  snapscope snapshot https://example.com --strategy budget --json",
		Args: args(1, 1, "one page"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if times < 1 || times > 1000 {
				return usagef("--time is %d; it takes 1 to 1000 captures", times)
			}
			var s *strategy.Strategy
			var v strategy.Values
			if name != "" {
				var err error
				if s, err = registry.Get(name); err != nil {
					return usageError{err}
				}
				if s.Apply == nil {
					return usagef("%s decides over a session, not over one snapshot", name)
				}
				if v, err = knobs(s, sets); err != nil {
					return usageError{err}
				}
			} else if len(sets) > 0 {
				return usagef("--set goes with --strategy")
			}
			count, err := a.counter()
			if err != nil {
				return err
			}
			url, err := pageURL(args[0])
			if err != nil {
				return err
			}
			br, size, err := a.startWith(cmd.Context(), bf, browser.Options{Boxes: boxes || s != nil, Marks: boxes, Exact: exact || a.conf.Exact})
			if err != nil {
				return err
			}
			defer br.Close()
			shot, took, err := capture(cmd.Context(), br, url, browser.CaptureOptions{Boxes: boxes, Rects: s != nil, Exact: exact || a.conf.Exact}, times)
			if err != nil {
				return err
			}
			for _, n := range shot.Notes {
				fmt.Fprintln(cmd.ErrOrStderr(), "snapscope: "+oneLine(n))
			}
			text := shot.Text
			var verdict *strategy.Verdict
			if s != nil {
				in := strategy.Input{Count: count.Count, Page: strategy.Page{
					URL: shot.URL, Title: shot.Title, Text: text, Elements: shot.Elements, Viewport: size, Boxes: shot.Boxes,
				}}
				got := s.Apply(in, v)
				verdict, text = &got, got.Text
			}
			if asJSON {
				j := snapshotJSON{
					URL: shot.URL, Title: shot.Title, Elements: shot.Elements, Text: text,
					Tokens:    map[string]int{count.Name(): count.Count(text)},
					CaptureMS: millis(took), Notes: shot.Notes,
				}
				if verdict != nil {
					j.Strategy, j.Kind, j.Reason = s.Name, verdict.Kind, verdict.Reason()
				}
				return printJSON(cmd.OutOrStdout(), j)
			}
			if _, err := io.WriteString(exactTo(cmd.OutOrStdout()), text+"\n"); err != nil {
				return err
			}
			if times > 1 {
				fmt.Fprintf(cmd.ErrOrStderr(), "captured in %.1f ms, median of %d\n", millis(took), times)
			}
			return nil
		},
	}
	f := c.Flags()
	bf.add(f)
	f.BoolVar(&boxes, "boxes", false, "print each element's box: [box=x,y,w,h]")
	f.BoolVar(&exact, "exact", false, "print what an agent's Playwright prints: passwords in clear, nothing of closed shadow roots")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	f.StringVar(&name, "strategy", "", "apply this strategy to it")
	f.StringArrayVar(&sets, "set", nil, "knob=value of the strategy, repeatable")
	f.IntVar(&times, "time", 1, "capture this often and tell the median time")
	return c
}

type snapshotJSON struct {
	URL       string         `json:"url"`
	Title     string         `json:"title"`
	Elements  int            `json:"elements"`
	Text      string         `json:"text"`
	Tokens    map[string]int `json:"tokens"`
	CaptureMS float64        `json:"capture_ms"`
	Strategy  string         `json:"strategy,omitempty"`
	Kind      strategy.Kind  `json:"kind,omitempty"`
	Reason    string         `json:"reason,omitempty"`
	Notes     []string       `json:"notes,omitempty"`
}

// capture opens the page and captures it: once, or so many times more, with the
// median of their times. The duration is that of the capture alone.
func capture(ctx context.Context, br *browser.Browser, url string, o browser.CaptureOptions, times int) (*snapshot.Snapshot, time.Duration, error) {
	var res *session.Result
	var err error
	telling(br.Progress, func() {
		res, err = br.Do(ctx, session.Action{Verb: session.VerbGoto, Tool: string(session.VerbGoto), Args: map[string]any{"url": url}})
	})
	if err != nil {
		return nil, 0, err
	}
	if !res.OK {
		return nil, 0, errors.New(res.Error)
	}
	shot := res.Snapshot
	if times == 1 && shot != nil { // one look at the page, so that its refs are those of a first look
		return shot, br.CaptureTime(), nil
	}
	took := make([]time.Duration, times)
	for i := range took {
		if shot, took[i], err = br.Snapshot(ctx, o); err != nil {
			return nil, 0, err
		}
	}
	if res.Snapshot != nil {
		shot.Notes = slices.Compact(append(res.Snapshot.Notes, shot.Notes...))
	}
	slices.Sort(took)
	return shot, took[len(took)/2], nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
