package registry

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"snapscope/snapshot/notation"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/token"
)

// benchPage is 170 KB of a table's snapshot with its refs moved on by shift, and
// the page before it: other lines each time, so that no memo knows them.
func benchPage(b *testing.B, shift int) strategy.Input {
	b.Helper()
	data, err := os.ReadFile("../../../testdata/snapshots/table500.aria")
	if err != nil {
		b.Fatal(err)
	}
	text := string(data)[:170<<10]
	text = text[:strings.LastIndexByte(text, '\n')]
	if shift > 0 {
		text = shiftRefs(text, shift)
	}
	lines := strings.Split(text, "\n")
	for i := 30; i < len(lines); i += 200 {
		lines[i] += " "
	}
	counter, err := token.New("")
	if err != nil {
		b.Fatal(err)
	}
	in := strategy.Input{Page: strategy.Page{Text: text, URL: "http://127.0.0.1/leads", Title: "Leads"}, Tool: "click", Count: counter.Count}
	in.Base = &strategy.Page{Text: strings.Join(lines, "\n"), URL: in.Page.URL, Title: in.Page.Title}
	return in
}

func shiftRefs(text string, shift int) string {
	var b strings.Builder
	last := 0
	for r := range notation.Read(text, notation.Aria).Refs() {
		n, _ := strconv.Atoi(r.Ref[1:])
		b.WriteString(text[last:r.Start])
		fmt.Fprintf(&b, "e%d", n+shift)
		last = r.End
	}
	b.WriteString(text[last:])
	return b.String()
}

// run applies one strategy as a session would and counts what it answers.
func run(in strategy.Input, s *strategy.Strategy, v strategy.Values) int {
	if s.Compose != nil {
		base := *in.Base
		in.Page.Text, base.Text = s.Compose(in.Page), s.Compose(base)
		in.Base = &base
	}
	return in.Count(s.Apply(in, v).Text)
}

func benchValues(s *strategy.Strategy) strategy.Values {
	v := s.Values(nil)
	if _, ok := s.Knob("enabled"); ok {
		v["enabled"] = 1
	}
	return v
}

// BenchmarkAllCold applies every strategy to a page never seen before and
// counts the tokens of each answer exactly.
func BenchmarkAllCold(b *testing.B) {
	run(benchPage(b, 0), full, nil) // loads the vocabulary
	shift := 0
	for b.Loop() {
		b.StopTimer()
		shift += 5000
		in := benchPage(b, shift)
		b.StartTimer()
		for _, s := range all {
			if s.Apply != nil {
				run(in, s, benchValues(s))
			}
		}
	}
}

// BenchmarkKnob turns one knob of one strategy on a page that is already shown.
func BenchmarkKnob(b *testing.B) {
	in := benchPage(b, 0)
	for _, s := range all {
		if s.Apply == nil || len(s.Knobs) == 0 {
			continue
		}
		b.Run(s.Name, func(b *testing.B) {
			v := benchValues(s)
			run(in, s, v)
			k := s.Knobs[len(s.Knobs)-1]
			for b.Loop() {
				if v[k.Key] += k.Step; v[k.Key] > k.Max {
					v[k.Key] = k.Min
				}
				run(in, s, v)
			}
		})
	}
}
