package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/pflag"

	"snapscope/replay"
	"snapscope/replay/ab/lab"
	"snapscope/replay/proxy"
	"snapscope/replay/proxy/control"
	"snapscope/session/policy"
)

// seatFlags are the flags of every command that stands between an agent and
// something else.
type seatFlags struct {
	policies policyFlags
	record   string
	keep     int
	sync     string
	waits    proxy.Sync // sync, read by open
}

func (s *seatFlags) add(f *pflag.FlagSet) {
	s.policies.add(f, "none: every byte passes as it came")
	f.StringVar(&s.record, "record", "", "write the session to this recording (default: one of its own in the state folder; none: nothing is recorded)")
	f.StringVar(&s.sync, "sync", string(proxy.SyncStep), "what the agent's answer waits for: step (its step is on the disk), file (in the file: lost only with the machine) or none (recorded afterwards)")
	f.IntVar(&s.keep, "keep", proxy.MaxKept, "how many recordings of seats are kept in the state folder")
}

// openedSeat is a seat's recording and the place for its socket.
type openedSeat struct {
	id     string
	sink   *replay.Writer // nil: nothing is recorded
	path   string
	folder proxy.Folder
	log    func(string)
}

// open starts the recording. What cannot be had is said in one line, and the seat
// goes on without: an agent must not fail because somebody wanted to watch it.
func (s *seatFlags) open(kind proxy.Kind, stderr io.Writer) (*openedSeat, error) {
	var err error
	if s.waits, err = proxy.ParseSync(s.sync); err != nil {
		return nil, usagef("--sync: %w", err)
	}
	o := &openedSeat{
		id: proxy.NewID(kind), folder: proxy.FindFolder(os.Getenv),
		log: func(text string) { fmt.Fprintln(stderr, "snapscope: "+oneLine(text)) },
	}
	switch s.record {
	case "none":
	case "":
		if dir := os.Getenv(lab.EnvRecordings); dir != "" { // of a comparison
			o.folder.State = dir
		}
		if o.sink, o.path, err = o.folder.Record(o.id, time.Now(), s.keep); err != nil {
			o.sink, o.path = nil, ""
			o.log("nothing is recorded: " + err.Error())
		}
	default:
		if err := plainName(s.record); err != nil {
			return nil, err
		}
		w, err := replay.Create(s.record)
		if err != nil {
			return nil, err
		}
		o.sink, o.path = w, s.record
	}
	return o, nil
}

// socket is the path that the control socket will have; empty where there is no
// place for one.
func (o *openedSeat) socket() string {
	path, err := o.folder.Socket(o.id)
	if err != nil {
		o.log("no screen can attach: " + err.Error())
	}
	return path
}

// left are the files that a seat leaves when it is killed.
func left(socket string) []string {
	if socket == "" {
		return nil
	}
	return []string{socket}
}

// listen opens the control socket; nil where that cannot be done.
func (o *openedSeat) listen(path string, s control.Seat) io.Closer {
	if path == "" {
		return nil
	}
	srv, err := control.Listen(path, s)
	if err != nil {
		o.log("no screen can attach: " + err.Error())
		return nil
	}
	return srv
}

// onePolicy is the policy that flags name, nil for none.
func (a *app) onePolicy(p policyFlags) (*policy.Policy, error) {
	if name := os.Getenv(lab.EnvPolicy); name != "" && len(p.names) == 0 && len(p.sets) == 0 {
		p.names = []string{name}
	}
	if len(p.names) == 0 {
		if len(p.sets) > 0 {
			return nil, usageError{errors.New("--set turns a knob of a policy: name it with --policy")}
		}
		return nil, nil
	}
	ps, err := a.choose(p)
	if err != nil {
		return nil, err
	}
	if len(ps) != 1 {
		return nil, usagef("the wire is rewritten under one policy, not %d", len(ps))
	}
	return &ps[0], nil
}

// lazyCount is the session's tokenizer, loaded when it is first asked: a seat that
// only passes bytes on starts without it.
func (a *app) lazyCount() func(string) int {
	return func(text string) int {
		c, err := a.counter()
		if err != nil {
			return (len(text) + 3) / 4
		}
		return c.Count(text)
	}
}
