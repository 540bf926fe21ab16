package main

import (
	"fmt"
	"os"
	"path/filepath"

	"snapscope/replay"
	"snapscope/replay/proxy/join"
	"snapscope/session"
)

// The sources of the two seats' recordings.
const (
	apiHalf = "api-seat"
	mcpHalf = "mcp-seat"
)

// maxHalves is how many recordings of a folder are looked at for another half.
const maxHalves = 1000

// joinHalves joins a recording of one seat with those of the agent's other seat that
// lie beside it: started with one SNAPSCOPE_GROUP, they bear its name. said is
// empty where there is nothing to join.
func joinHalves(path string, events []session.Event) (out []session.Event, said string) {
	start := startOf(events)
	if start.Group == "" || start.Source != apiHalf && start.Source != mcpHalf {
		return events, ""
	}
	halves := map[string][]session.Event{start.Source: events}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.jsonl"))
	n := 0
	for _, name := range names[max(0, len(names)-maxHalves):] {
		if same(name, path) {
			continue
		}
		head := headOf(name)
		if head.Group != start.Group || head.Source == start.Source || head.Source != apiHalf && head.Source != mcpHalf {
			continue
		}
		rec, err := replay.ReadFile(name)
		if err != nil {
			continue
		}
		halves[head.Source] = append(halves[head.Source], rec.Events...)
		n++
	}
	if n == 0 {
		return events, ""
	}
	j := join.Join(halves[apiHalf], halves[mcpHalf])
	said = fmt.Sprintf("joined with %d recordings of the agent's other seat: %d tool calls stand in both", n, j.Pairs)
	if j.Lone > 0 {
		said += fmt.Sprintf(", %d on the MCP side alone, left out", j.Lone)
	}
	return j.Events, said
}

func startOf(events []session.Event) session.Start {
	for _, e := range events {
		if e.Start != nil {
			return *e.Start
		}
	}
	return session.Start{}
}

// headOf is the head of a recording; the zero Start where there is none.
func headOf(path string) session.Start {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() { // a pipe would be waited for
		return session.Start{}
	}
	f, err := os.Open(path)
	if err != nil {
		return session.Start{}
	}
	defer f.Close()
	e, err := replay.NewDecoder(f, path).Next()
	if err != nil || e.Start == nil {
		return session.Start{}
	}
	return *e.Start
}

func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// openHalves plays a recording of one seat with that of the other; nil where
// there is no other, or the file is none of a seat.
func openHalves(path string) session.Engine {
	head := headOf(path)
	if head.Group == "" {
		return nil
	}
	rec, err := replay.ReadFile(path)
	if err != nil {
		return nil
	}
	events, said := joinHalves(path, rec.Events)
	if said == "" {
		return nil
	}
	events = append(events, session.Event{Seq: len(events) + 1, Kind: session.KindNote, Note: &session.Note{Text: said}})
	return replay.NewPlayer(path, events)
}
