package ledger_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"snapscope/replay/replaytest"
	"snapscope/replay/transcript"
	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// withVariants studies a sample of testdata, and three variants of it in other words,
// under the policies that a person did not choose: full and combined, with all
// built-in ones to be advised.
func withVariants(t *testing.T, name string, check func(t *testing.T, s ledger.Sheet)) {
	t.Helper()
	source := filepath.Join("..", "..", "testdata", "transcripts", "truth", name+".json")
	files, err := replaytest.Make(t.Context(), t.TempDir(), []string{source}, 16)
	if err != nil {
		t.Fatal(err)
	}
	steps, seen := 0, 0
	for _, file := range append([]string{source}, files...) {
		im, err := transcript.Read(t.Context(), file, transcript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tl := session.NewTimeline(im.Events)
		if steps == 0 {
			steps = len(tl.Steps)
		}
		if len(tl.Steps) < steps || seen == 4 { // a variant that ends earlier is another session
			continue
		}
		seen++
		t.Run(filepath.Base(file), func(t *testing.T) { check(t, advisedOn(t, tl, false, "full", "combined")) })
	}
	if seen < 4 {
		t.Fatalf("%d variants of %s go to its end", seen, name)
	}
}

// advisedOn studies a session with every built-in policy as a candidate.
func advisedOn(t *testing.T, tl *session.Timeline, asked bool, policies ...string) ledger.Sheet {
	t.Helper()
	count, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	var ps []policy.Policy
	for _, name := range policies {
		ps = append(ps, named(name))
	}
	s, err := ledger.Study(t.Context(), tl, ps, nil, ledger.Options{Renderer: policy.NewRenderer(count.Count), Prices: ledger.DefaultPrices(), Asked: asked})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// jsonOf is a sheet as a program reads it.
func jsonOf(t *testing.T, s ledger.Sheet) (out struct {
	AsSent struct {
		Survival struct {
			Lost []struct {
				Step       int
				Ref, Cause string
			}
		}
	} `json:"as_sent"`
	Acts struct {
		Acted      int
		NeverShown []struct {
			Step int
			Ref  string
		} `json:"never_shown"`
		EarlyReads []int `json:"early_reads"`
	}
	Advice struct {
		Text, Policy, Command string
		Tested                struct {
			Acted  int
			Quotes int
		}
	}
},
) {
	t.Helper()
	var b strings.Builder
	if err := ledger.WriteJSON(&b, s); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b.String()), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTruthInvented(t *testing.T) {
	withVariants(t, "invented", func(t *testing.T, s ledger.Sheet) {
		j := jsonOf(t, s)
		if n := j.Acts.NeverShown; j.Acts.Acted != 2 || len(n) != 1 || n[0].Step != 2 || n[0].Ref != "e777" {
			t.Errorf("acts %+v", j.Acts)
		}
		if l := j.AsSent.Survival.Lost; len(l) != 1 || l[0].Cause != "never-shown" {
			t.Errorf("lost %+v", l)
		}
		if !strings.HasPrefix(s.Advice.Text, "Step 2 acted on e777: no earlier page showed it; the call failed: ") {
			t.Errorf("the act on what no page showed is not told first: %s", s.Advice.Text)
		}
		if len(s.AsSent.Troubles) != 1 || s.AsSent.Troubles[0].Kind != ledger.TroubleNever {
			t.Errorf("troubles %+v", s.AsSent.Troubles)
		}
		if j.Advice.Tested.Acted != 1 || j.Advice.Tested.Quotes != 0 || j.Advice.Policy != "" || !strings.Contains(j.Advice.Text, "but only 1 act tested it") {
			t.Errorf("advice %+v", j.Advice)
		}
		var text strings.Builder
		if err := ledger.WriteText(&text, s); err != nil {
			t.Fatal(err)
		}
		if got := text.String(); strings.Count(got, "  ! step 2, click") != 1 || strings.Contains(got, "✗") {
			t.Errorf("what went wrong is mixed with what would:\n%s", got)
		}
	})
}

func TestTruthReadNotTouched(t *testing.T) {
	withVariants(t, "read-not-touched", func(t *testing.T, s ledger.Sheet) {
		p, err := policy.Find(s.Advice.Policy, nil)
		if s.Advice.Policy != "" && (err != nil || !p.Exact()) {
			t.Errorf("advises %s, which no act tested: %s", s.Advice.Policy, s.Advice.Text)
		}
		if j := jsonOf(t, s); j.Advice.Tested.Acted != 0 || !strings.Contains(j.Advice.Text, "no act") && !strings.Contains(j.Advice.Text, "acted on nothing") {
			t.Errorf("it is not said that no act tested it: %+v", j.Advice)
		}
	})
}

// Of these sessions more is true than is told today; what is told may not be false:
// two acts speak for no policy that leaves something out.
func TestTruthIsNotMadeWorse(t *testing.T) {
	for _, name := range []string{"words-dropped", "moved", "no-effect"} {
		withVariants(t, name, func(t *testing.T, s ledger.Sheet) {
			if p, err := policy.Find(s.Advice.Policy, nil); s.Advice.Policy != "" && (err != nil || !p.Exact()) {
				t.Errorf("advises %s after two acts: %s", s.Advice.Policy, s.Advice.Text)
			}
			if got := survives(s.Full); got != "2/2" {
				t.Errorf("full keeps %s", got)
			}
			other := slices.ContainsFunc(s.AsSent.Troubles, func(x ledger.Trouble) bool { return x.Kind != ledger.TroubleMoved && x.Kind != ledger.TroubleNoEffect })
			if j := jsonOf(t, s); len(j.Acts.NeverShown)+len(j.Acts.EarlyReads) > 0 || other {
				t.Errorf("acts %+v, troubles %+v", j.Acts, s.AsSent.Troubles)
			}
			moved, none := map[string]int{"moved": 1}[name], map[string][]int{"words-dropped": {2, 3}, "moved": {3}, "no-effect": {2}}[name]
			if len(s.AsSent.Moved) != moved || !slices.Equal(s.AsSent.NoEffect, none) || len(s.AsSent.Troubles) != moved+len(none) {
				t.Errorf("moved %+v, no effect %v, troubles %+v", s.AsSent.Moved, s.AsSent.NoEffect, s.AsSent.Troubles)
			}
		})
	}
}

// Under the policy of a session with enough acts one that leaves something out wins
// only where it saves clearly more than an exact one.
func TestAnExactPolicyWinsOverOneThatSavesLittleMore(t *testing.T) {
	im, err := transcript.Read(t.Context(), filepath.Join("..", "demo", "recordings", "leads.jsonl.zst"), transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tl := session.NewTimeline(im.Events)
	s := advisedOn(t, tl, false, "full", "combined")
	if s.Advice.Tested.Acted < 10 || s.Advice.Policy != "delta" {
		t.Errorf("advice %+v", s.Advice)
	}
	best := 0.0
	for _, r := range s.Candidates {
		if r.Survival.Survived == s.Full.Survival.Survived {
			best = max(best, r.NetSavedOfSent)
		}
	}
	if d := best - s.Advice.Report.NetSavedOfSent; d < 0 || d > 0.10 {
		t.Errorf("the best saves %.3f more than %s", d, s.Advice.Policy)
	}
}

// combined is advised to nobody who did not name it.
func TestCombinedIsNotAdvisedUnasked(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", shop(300))
	for range 12 {
		s.act(session.VerbClick, "e3", shop(300))
	}
	for _, asked := range []bool{false, true} {
		sheet := advisedOn(t, s.timeline(), asked, "full", "combined")
		for _, r := range sheet.Candidates {
			switch r.Policy.Name { // as if it were the only one that loses nothing
			case "combined":
				r.Survival.Survived, r.NetSavedOfSent = sheet.Full.Survival.Survived, 0.5
			case "full":
			default:
				r.Survival.Survived = 0
			}
		}
		a := ledger.Advise(sheet.AsSent, sheet.Full, sheet.Bill, sheet.Candidates, ledger.Options{Asked: asked})
		if want := map[bool]string{true: "combined"}[asked]; a.Policy != want {
			t.Errorf("asked %v: advises %q: %s", asked, a.Policy, a.Text)
		}
		if asked && !strings.HasPrefix(a.Command, "snapscope live --policy combined --one-agent -- ") {
			t.Errorf("command %s", a.Command)
		}
	}
}

// A page that an agent's program cut is told first where it may have decided the run,
// with what shows it whole.
func TestAPageThatTheClientCutIsMendedFirst(t *testing.T) {
	for name, c := range map[string]struct {
		agent   string
		rows    int
		command string
		says    string
	}{
		"fold fits":         {"codex", 150, "snapscope mcp --policy fold -- MCP-SERVER…", "policy fold makes it fit, tool_output_token_limit in config.toml lifts the limit"},
		"fold does not fit": {"codex", 4000, "codex -c tool_output_token_limit=", "characters are missing); tool_output_token_limit in config.toml lifts the limit"},
		"a server can ask":  {"claude-code", 4000, "snapscope mcp --lift ", "anthropic/maxResultSizeChars"},
	} {
		t.Run(name, func(t *testing.T) {
			page := shop(c.rows)
			s := &script{events: []session.Event{{Kind: session.KindStart, Start: &session.Start{Source: c.agent}}}}
			s.act(session.VerbGoto, "", page)
			r := s.events[2].Result
			r.Seen, r.Shown = session.SeenCut, page[:3000]+"…900 tokens truncated…"+page[len(page)-3000:]
			sheet := advisedOn(t, s.timeline(), false, "full", "combined")
			a := sheet.Advice
			if !strings.HasPrefix(a.Text, "Step 1: ") || !strings.Contains(a.Wrong, " cut this page (") || !strings.Contains(a.Wrong, c.says) {
				t.Errorf("first line %s", a.Text)
			}
			if !strings.HasPrefix(a.Command, c.command) || (c.command == "") != (a.Command == "") {
				t.Errorf("command %q, want %q", a.Command, c.command)
			}
			if n := slices.IndexFunc(sheet.AsSent.Troubles, func(t ledger.Trouble) bool { return t.Step == 1 && t.Kind == ledger.TroubleCut }); n != 0 {
				t.Errorf("troubles %+v", sheet.AsSent.Troubles)
			}
		})
	}
}

// A page that doubled when it was only read again was read before it was complete; one
// that an act changed was not.
func TestAnEarlyReadIsTold(t *testing.T) {
	small, large := "- main [ref=e1]:\n  - text: Loading\n  - button \"Stop\" [ref=e2]", shop(40)
	for name, c := range map[string]struct {
		verb  session.Verb
		after string
		want  []int
	}{
		"read again":   {session.VerbSnapshot, large, []int{1}},
		"waited":       {session.VerbWait, large, []int{1}},
		"clicked":      {session.VerbClick, large, nil},
		"grew little":  {session.VerbSnapshot, small + "\n  - link \"More\" [ref=e3]", nil},
		"did not grow": {session.VerbSnapshot, small, nil},
	} {
		s := new(script).act(session.VerbGoto, "", small).act(c.verb, "", c.after)
		for i := range s.events {
			if r := s.events[i].Result; r != nil && r.Snapshot != nil {
				r.Seen = session.SeenInline
			}
		}
		if got := jsonOf(t, advisedOn(t, s.timeline(), false, "full")).Acts.EarlyReads; !slices.Equal(got, c.want) {
			t.Errorf("%s: early reads %v, want %v", name, got, c.want)
		}
	}
}

// A policy that compares pages saves nothing before a tool server whose client does not
// say which agent reads an answer: the advised command says that there is one, where
// what was counted takes that, and only there.
func TestTheAdvisedCommandSaysWhoReads(t *testing.T) {
	const one = " --one-agent"
	for name, c := range map[string]struct {
		start  session.Start
		reader string
		says   bool
	}{
		"a library":                     {session.Start{Source: "openai-responses"}, "", true},
		"OpenCode":                      {session.Start{Agent: "opencode 1.18.33"}, "", true},
		"Claude Code, by its file":      {session.Start{Source: "claude-code"}, "", false},
		"Codex, by its thread":          {session.Start{Agent: "codex-mcp-client 0.169.0"}, "t-1", false},
		"threads of a client not known": {session.Start{Agent: "odd 1"}, "t-1", false},
		"recorded with nobody named":    {session.Start{Agent: "odd 1"}, session.Stranger, false},
	} {
		s := &script{events: []session.Event{{Kind: session.KindStart, Start: &c.start}}}
		for i := range 3 {
			s.act(session.VerbClick, "", shop(80+i))
		}
		for _, e := range s.events {
			if e.Result != nil {
				e.Result.Reader = c.reader
			}
		}
		tl := s.timeline()
		for policyName, want := range map[string]bool{"delta": c.says, "fold": false, "keep-one": false, "combined": c.says} {
			command := ledger.Command(named(policyName), "--policy "+policyName, "", tl)
			if got := strings.Contains(command, one); got != want {
				t.Errorf("%s: %s", name, command)
			}
		}
		if a := advisedOn(t, tl, true, "delta").Advice; a.Policy == "delta" && strings.Contains(a.Command, one) != c.says || a.Policy == "" && c.reader != session.Stranger {
			t.Errorf("%s: advised %s: %s", name, a.Policy, a.Command)
		}
	}
}
