package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"snapscope/replay"
	"snapscope/session"
	"snapscope/session/browser"
	"snapscope/session/demo"
	"snapscope/session/script"
)

var rerecord = flag.Bool("record", false, "record the embedded recordings again")

// TestEmbeddedRecordingIsOfTheScript holds the recording that the demo falls
// back to against the script the demo runs: the same actions, all of them done.
func TestEmbeddedRecordingIsOfTheScript(t *testing.T) {
	if *rerecord {
		recordLeads(t)
	}
	data, err := demo.Recording("leads")
	if *rerecord {
		var packed []byte
		if packed, err = os.ReadFile("../../session/demo/recordings/leads.jsonl.zst"); err == nil {
			data, err = demo.Unpack(packed)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	rec, err := replay.Read(bytes.NewReader(data), "leads")
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.Notes) > 0 {
		t.Errorf("notes: %q", rec.Notes)
	}
	tl := session.NewTimeline(rec.Events)
	script, err := script.Parse("leads.yaml", []byte(demo.LeadsScript("")), "")
	if err != nil {
		t.Fatal(err)
	}
	var want []session.Action
	for _, a := range script {
		if a.Verb != session.VerbUser && a.Verb != session.VerbNote {
			want = append(want, a)
		}
	}
	if len(tl.Steps) != len(want) {
		t.Fatalf("%d steps, the script has %d: run make recordings", len(tl.Steps), len(want))
	}
	for i, s := range tl.Steps {
		if !s.Result.OK || s.Result.Snapshot == nil {
			t.Errorf("step %d: ok %v, %s", s.N, s.Result.OK, s.Result.Error)
		}
		if s.Action.Verb != want[i].Verb || s.Action.Target.String() != want[i].Target.String() {
			t.Errorf("step %d is %s, the script says %s: run make recordings", s.N, s.Action.Label(), want[i].Label())
		}
	}
}

func recordLeads(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	base, stop, err := demo.Serve(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	script, err := script.Parse("leads.yaml", []byte(demo.LeadsScript(base)), base)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "leads.jsonl")
	sink, err := replay.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	br, err := browser.Launch(ctx, browser.Options{Boxes: true})
	if err != nil {
		t.Fatal(err)
	}
	live, err := session.NewLive(session.LiveOptions{
		Driver: br, Script: script, Sink: sink, Clock: time.Now, Start: session.Start{Name: "leads demo", Agent: "snapscope"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for len(live.Pending()) > 0 {
		if _, err := live.Step(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := pack(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../../session/demo/recordings/leads.jsonl.zst", packed, 0o644); err != nil {
		t.Fatal(err)
	}
}

// pack makes of a recording what is embedded.
func pack(recording []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(recording, nil), w.Close()
}
