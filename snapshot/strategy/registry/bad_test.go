package registry

import (
	"fmt"
	"strings"
	"testing"

	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/budget"
	"snapscope/snapshot/strategy/internal/strategytest"
	"snapscope/snapshot/strategy/published"
)

// rewrites are the strategies the general tests hold to the common laws.
func rewrites() []*strategy.Strategy {
	var out []*strategy.Strategy
	for _, s := range all {
		if s.Apply != nil {
			out = append(out, s)
		}
	}
	return out
}

// Whatever the text is, every strategy answers, describes its answer line by
// line, and says what it could not use.
func TestBadInput(t *testing.T) {
	texts := strategytest.Bad()
	for _, s := range rewrites() {
		for name, text := range texts {
			for _, v := range strategytest.Settings(s) {
				t.Run(s.Name+"/"+name, func(t *testing.T) {
					in := strategytest.Page(text)
					strategytest.Check(t, in, s.Apply(in, v))
					for _, before := range []string{"", text + "\nx", "- main [ref=e1]:\n  - button \"Go\" [ref=e2]"} {
						in := strategytest.Against(before, text)
						in.Prev = &strategy.Page{Text: before}
						in.Visited = []string{"a\nb", "\x1b[31m"}
						strategytest.Check(t, in, s.Apply(in, v))
					}
				})
			}
		}
	}
}

func TestBadInputIsNamed(t *testing.T) {
	for name, want := range map[string]string{
		"empty": "the text is empty", "html": "reads as HTML", "json": "reads as JSON", "uid": "uid handles",
		"agent-browser": "agent-browser tree", "binary": "not valid UTF-8", "invalid utf-8": "not valid UTF-8",
	} {
		text := strategytest.Bad()[name]
		for _, s := range []*strategy.Strategy{published.Passmark, published.Compress, budget.Strategy, published.ResponseDiff, published.Incremental, published.AgentBrowser} {
			if got := s.Apply(strategytest.Page(text), strategytest.Settings(s)[0]).Reason(); !strings.Contains(got, want) {
				t.Errorf("%s on %s: %q says nothing of %q", s.Name, name, got, want)
			}
		}
	}
	if got := strategy.Odd(strategy.Page{Text: "- main [ref=e1]:\n  - text: <p>"}); got != "" {
		t.Errorf("aria text is called odd: %q", got)
	}
	if got := strategy.Odd(strategy.Page{Text: "url: https://example.com/\n\n- main [ref=e1]"}); got != "" {
		t.Errorf("composed text is called odd: %q", got)
	}
}

// A line of 10 MB and a page of 200,000 lines are answered by every strategy
// without work that grows faster than the text.
func TestLargeInput(t *testing.T) {
	line := strings.Repeat("- button 'x' \"y\" [ref=e1] 12 ", 10<<20/29)
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, "- row \"r %d\" [ref=e%d]\n", i%1000, i)
	}
	rows := b.String()
	turned := rows[len(rows)/2:] + rows[:len(rows)/2]
	for _, s := range rewrites() {
		if s.Name == "delta" || s.Name == "fold" {
			continue // held to their own bounds where they are made
		}
		v := strategytest.Settings(s)[0]
		for _, in := range []strategy.Input{strategytest.Page(line), strategytest.Against(line, line+"x"), strategytest.Against("x", line), strategytest.Against(rows, turned)} {
			strategytest.Check(t, in, s.Apply(in, v))
		}
	}
}

// The registry is what help, docs, config and the screen are read off.
func TestRegistry(t *testing.T) {
	names := map[string]bool{}
	for _, s := range All() {
		if s.Name == "" || s.Title == "" || s.Source == "" || s.Doc == "" || names[s.Name] {
			t.Errorf("%q is incomplete or twice", s.Name)
		}
		names[s.Name] = true
		if (s.Apply == nil) == (s.Retain == nil) {
			t.Errorf("%s is a rewrite or a retention rule, not both", s.Name)
		}
		keys := map[string]bool{}
		for _, k := range s.Knobs {
			if k.Key == "" || k.Label == "" || k.Doc == "" || keys[k.Key] {
				t.Errorf("%s.%s is incomplete or twice", s.Name, k.Key)
			}
			keys[k.Key] = true
			if k.Min > k.Default || k.Default > k.Max || k.Step <= 0 || k.Clamp(k.Default) != k.Default {
				t.Errorf("%s.%s: default %g of %g to %g by %g", s.Name, k.Key, k.Default, k.Min, k.Max, k.Step)
			}
			if k.Type == strategy.Choice && int(k.Max) != len(k.Choices)-1 {
				t.Errorf("%s.%s: %d choices, max %g", s.Name, k.Key, len(k.Choices), k.Max)
			}
			if got, err := k.Parse(k.Format(k.Default)); err != nil || got != k.Default {
				t.Errorf("%s.%s: %g is written %q and read %g, %v", s.Name, k.Key, k.Default, k.Format(k.Default), got, err)
			}
			for _, x := range k.Sweep {
				if k.Clamp(x) != x {
					t.Errorf("%s.%s: a sweep tries %g", s.Name, k.Key, x)
				}
			}
		}
	}
	if _, err := Get("nothing"); err == nil || !strings.Contains(err.Error(), "there are full, passmark, compress, budget") {
		t.Errorf("%v", err)
	}
}

// A verdict is a function of its input: the same again, and the input is left
// as it was.
func TestVerdictsAreStable(t *testing.T) {
	for _, s := range rewrites() {
		for _, v := range strategytest.Settings(s) {
			in := strategytest.Against(strategytest.Homes(), strings.Replace(strategytest.Homes(), "Springfield", "Shelbyville", 3))
			before := in.Page.Text
			a, b := s.Apply(in, v), s.Apply(in, v)
			if a.Text != b.Text || a.Reason() != b.Reason() || in.Page.Text != before {
				t.Errorf("%s: two answers to one question", s.Name)
			}
		}
	}
}
