package ledger_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot"
)

func said(r *ledger.Report, what string) bool {
	for _, n := range r.Notes {
		if strings.Contains(n, what) {
			return true
		}
	}
	return false
}

func TestEmptySession(t *testing.T) {
	for _, p := range policy.Builtin() {
		r := simulate(session.NewTimeline(nil), p, options())
		if r.ModelCalls != 0 || r.InputTokens != 0 || r.Survival.Ratio() != 1 || r.Parts(1) != nil {
			t.Errorf("%s: %+v", p.Name, r)
		}
	}
}

func TestWithoutModelCallsOneIsTakenBeforeEachAction(t *testing.T) {
	tl := new(script).act(session.VerbGoto, "", onePage).act(session.VerbClick, "e1", "").timeline()
	r := simulate(tl, policy.Full(), options())
	if !r.Implied || r.ModelCalls != 2 || !said(r, "the file has no model calls") {
		t.Errorf("implied %v, calls %d, notes %q", r.Implied, r.ModelCalls, r.Notes)
	}
}

func TestARefThatNeverWasShownIsLostUnderEveryPolicy(t *testing.T) {
	tl := new(script).act(session.VerbGoto, "", onePage).act(session.VerbClick, "e99", "").timeline()
	for _, p := range []policy.Policy{policy.Full(), named("openclaw"), named("passmark")} {
		o := options()
		o.Fixes = true
		r := simulate(tl, p, o)
		l := r.Survival.Lost
		if len(l) != 1 || !l[0].Never || l[0].Keep != nil || l[0].Ref != "e99" || !said(r, "no earlier page showed") {
			t.Errorf("%s: lost %+v, notes %q", p.Name, l, r.Notes)
		}
	}
}

func TestResultsBeforeTheirCalls(t *testing.T) {
	s := new(script)
	s.put(session.Event{Kind: session.KindResult, Result: &session.Result{
		Action: "later", OK: true, Text: "an orphan", Seen: session.SeenInline, Snapshot: s.snap(onePage),
	}})
	tl := s.act(session.VerbClick, "e1", "").timeline()
	r := simulate(tl, named("openclaw"), options())
	// The orphan is 2 + 4 words, carried as it stands; its snapshot can be read.
	if r.Steps != 1 || r.Calls[0].InputTokens != 6 || r.Survival.Survived != 1 || !said(r, "1 result belongs to no call") {
		t.Errorf("steps %d, calls %+v, survival %+v, notes %q", r.Steps, r.Calls, r.Survival, r.Notes)
	}
}

func TestTwoTabs(t *testing.T) {
	tab := func(s *script, n int) *script {
		s.events[len(s.events)-1].Result.Snapshot.Tab = n
		s.events[len(s.events)-1].Result.Snapshot.Document = fmt.Sprint("d", n)
		return s
	}
	s := new(script).act(session.VerbGoto, "", lines(1, 30))
	tab(s, 0).act(session.VerbTab, "", lines(100, 130))
	tab(s, 1).act(session.VerbClick, "e5", lines(1, 30))
	tl := tab(s, 0).act(session.VerbClick, "e105", "").timeline()
	for _, p := range []policy.Policy{policy.Full(), named("passmark")} {
		if r := simulate(tl, p, options()); r.Survival.Survived != 2 {
			t.Errorf("%s: survival %+v", p.Name, r.Survival)
		}
	}
	if r := simulate(tl, named("keep-one"), options()); r.Survival.Survived != 0 {
		t.Errorf("keep-one keeps the other tab's snapshot: %+v", r.Survival)
	}
}

// lines is a page of buttons with refs from..to.
func lines(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "- button \"b%d\" [ref=e%d]\n", i, i)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestACompactedHistory(t *testing.T) {
	s := new(script).
		user("one two three").                  // 3
		act(session.VerbGoto, "", lines(1, 5)). // 2 + 20
		act(session.VerbClick, "e1", "").       // 2
		act(session.VerbSnapshot, "", lines(6, 10))
	s.put(session.Event{Kind: session.KindCompact, Compact: &session.Compaction{Keep: 1, Text: "it went well"}})
	tl := s.act(session.VerbClick, "e7", "").act(session.VerbClick, "e1", "").timeline()
	o := options()
	o.System = 10
	r := simulate(tl, named("openclaw"), o)
	var got, cached []int
	for _, c := range r.Calls {
		got, cached = append(got, c.InputTokens), append(cached, c.CachedTokens)
	}
	// The fourth call: head 10, summary 3, the kept call and snapshot 2 + 20.
	if want := []int{13, 35, 37, 35, 37}; !cmp.Equal(got, want) {
		t.Errorf("calls carry %v, want %v", got, want)
	}
	if want := []int{0, 13, 35, 10, 35}; !cmp.Equal(cached, want) {
		t.Errorf("cached %v, want %v", cached, want)
	}
	if l := r.Survival.Lost; len(l) != 1 || l[0].Step != 5 || !strings.Contains(l[0].Why, "compaction") {
		t.Errorf("lost %+v", l)
	}
	for _, c := range r.Calls {
		sum := 0
		for _, p := range r.Parts(c.Call) {
			sum += p.Tokens
		}
		if sum != c.InputTokens || sum != c.By.Sum() {
			t.Errorf("call %d: parts %d, by kind %d, input %d", c.Call, sum, c.By.Sum(), c.InputTokens)
		}
	}
	for _, p := range policy.Builtin() { // no rule minds that what it counted is gone
		simulate(tl, p, options())
	}
}

func TestNoticesStayNotices(t *testing.T) {
	s := new(script)
	add := func(seen session.Seen, shown, page string) {
		s.act(session.VerbClick, "", "")
		r := s.events[len(s.events)-1].Result
		r.Seen, r.Shown = seen, shown
		if page != "" {
			r.Snapshot = s.snap(page)
		}
	}
	add(session.SeenLink, "see a.yml", lines(1, 30))       // 2
	add(session.SeenDropped, "too large", "")              // 2
	add(session.SeenSpilled, "it was saved elsewhere", "") // 4
	add(session.SeenInline, "", lines(1, 30))              // 120
	s.act(session.VerbClick, "e3", "")
	tl := s.timeline()
	r := simulate(tl, policy.Full(), options())
	if r.AppendedTokens != 2+2+4+120 || r.Snapshots != 1 {
		t.Errorf("appended %d, snapshots %d", r.AppendedTokens, r.Snapshots)
	}
	// The link is no base: passmark's first snapshot is the inline one, in full
	// below its line with the URL.
	if r := simulate(tl, named("passmark"), options()); r.AppendedTokens != 2+2+4+122 {
		t.Errorf("under passmark appended %d", r.AppendedTokens)
	}
	var states []ledger.State
	for _, p := range r.Parts(5) {
		if p.Kind == ledger.PartSnapshot {
			states = append(states, p.State)
		}
	}
	if want := []ledger.State{ledger.Linked, ledger.Dropped, ledger.Spilled, ledger.Live}; !cmp.Equal(states, want) {
		t.Errorf("states %v", states)
	}
}

func TestIncrementalCountsAsItStandsAndNeedsItsBase(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", lines(1, 30)).act(session.VerbClick, "e1", "")
	r := s.events[len(s.events)-1].Result
	r.Seen, r.Shown, r.Snapshot = session.SeenIncremental, "- <changed> button \"b1\" [pressed] [ref=e1]", s.snap(lines(1, 30))
	r.Snapshot.Rebuilt = true
	tl := s.act(session.VerbClick, "e20", "").timeline()
	sent := asSent(t, tl)
	if sent.AppendedTokens != 120+6 || sent.Survival.Survived != 2 || sent.Snapshots != 2 {
		t.Errorf("appended %d, survival %+v", sent.AppendedTokens, sent.Survival)
	}
	full := simulate(tl, policy.Full(), options())
	if full.AppendedTokens != 120+120 || full.Survival.Survived != 2 || full.Snapshots != 2 {
		t.Errorf("full: appended %d, survival %+v", full.AppendedTokens, full.Survival)
	}
	// Under a policy the page comes in full, so the base is not needed.
	if r := simulate(tl, named("openclaw"), options()); len(r.Survival.Lost) != 0 {
		t.Errorf("with its base expired: %+v", r.Survival.Lost)
	}
	// What the session's own agent cleared is cleared as it was sent.
	s.events = slices.Insert(s.events, len(s.events)-2, session.Event{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: []string{"a1"}}})
	if l := asSent(t, s.timeline()).Survival.Lost; len(l) != 1 || l[0].Ref != "e20" || !l[0].Cured || !strings.Contains(l[0].Why, "on which the delta of step 2 builds") {
		t.Errorf("with its base cleared: %+v", l)
	}
}

func asSent(t *testing.T, tl *session.Timeline) *ledger.Report {
	t.Helper()
	r, err := ledger.AsSent(context.Background(), tl, options())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTargetsByRoleAndName(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", "- list [ref=e1]:\n  - 'checkbox \"Rock: ''n'' roll\" [ref=e2]'\n  - button \"Save\\\"d\" [ref=e3]")
	for _, tg := range []session.Target{
		{Role: "checkbox", Name: "Rock: 'n' roll"},
		{Role: "button", Name: `Save"d`},
		{Role: "button"},
		{Role: "button", Name: "Save"},
		{Role: "box"},
	} {
		s.act(session.VerbClick, "", "")
		s.events[len(s.events)-2].Action.Target = &tg
	}
	r := simulate(s.timeline(), policy.Full(), options())
	var lost []string
	for _, l := range r.Survival.Lost {
		lost = append(lost, l.Ref)
	}
	if want := []string{`button "Save"`, "box"}; r.Survival.Acted != 5 || !cmp.Equal(lost, want) {
		t.Errorf("acted %d, lost %q, want %q", r.Survival.Acted, lost, want)
	}
}

func TestOtherDialectsKeepTheirHandles(t *testing.T) {
	for _, c := range []struct{ text, ref string }{
		{"uid=1_20 RootWebArea\n  uid=1_21 checkbox \"a\" checked", "1_21"},
		{"- checkbox \"a\" [checked=false, ref=e30]", "e30"},
		{"[12]<button>Go</button>", "12"},
		{"- iframe [ref=e1]:\n  - button [ref=f1e63]", "f1e63"},
	} {
		tl := new(script).act(session.VerbGoto, "", c.text).act(session.VerbClick, c.ref, "").act(session.VerbClick, c.ref[:len(c.ref)-1], "").timeline()
		if r := simulate(tl, policy.Full(), options()); r.Survival.Acted != 2 || r.Survival.Survived != 1 {
			t.Errorf("%q: %+v", c.text, r.Survival)
		}
	}
}

func TestALossNamesTheRefOfARoleAndName(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", shop(150)+"\n- link \"Cart\" [ref=e900]").act(session.VerbClick, "", "").act(session.VerbClick, "", "")
	s.events[2].Action.Target = &session.Target{Role: "link", Name: "Cart"}
	s.events[4].Action.Target = &session.Target{Role: "button", Name: "Buy", Nth: 20}
	p := named("compress")
	if err := p.Set("fire_threshold=1"); err != nil {
		t.Fatal(err)
	}
	if err := p.Set("keep_n=0"); err != nil {
		t.Fatal(err)
	}
	l := simulate(s.timeline(), p, options()).Survival.Lost
	if len(l) != 1 || l[0].Ref != "e41" || l[0].Target != `button "Buy"` || l[0].Knob != "keep_n" {
		t.Errorf("lost %+v", l)
	}
}

func TestALinkOnlySnapshotIsSaidToBeOne(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", onePage)
	s.events[1].Result.Seen, s.events[1].Result.Shown = session.SeenLink, "- [Snapshot](a.yml)"
	l := simulate(s.act(session.VerbClick, "e1", "").timeline(), policy.Full(), options()).Survival.Lost
	if len(l) != 1 || !l[0].Never || l[0].Why != "the agent had only a link to the snapshot of step 1, which shows it" {
		t.Errorf("lost %+v", l)
	}
}

// What a text says is no handle: a page may say anything.
func TestARefInATextIsNoHandle(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", "- paragraph [ref=e1]: press [ref=e7] or - button \"b\" [ref=e7]").act(session.VerbEvaluate, "", "")
	s.events[3].Result.Text = "found: - button \"b\" [ref=e7]"
	r := simulate(s.act(session.VerbClick, "e7", "").act(session.VerbClick, "e1", "").timeline(), policy.Full(), options())
	if r.Survival.Acted != 2 || r.Survival.Survived != 1 || !r.Survival.Lost[0].Never {
		t.Errorf("survival %+v", r.Survival)
	}
}

func TestRealUsageStandsBesideOurs(t *testing.T) {
	tl := new(script).
		user("a b c").call("", &session.Usage{Input: 4, CacheRead: 1, Output: 2}).
		act(session.VerbGoto, "", onePage).call("I see", nil).
		act(session.VerbClick, "e1", "").timeline()
	r := simulate(tl, policy.Full(), options())
	if r.Implied || r.Usage == nil || *r.Usage != (ledger.Usage{Calls: 1, Usage: session.Usage{Input: 4, CacheRead: 1, Output: 2}, Own: 3}) || r.Usage.Difference() != -0.25 {
		t.Errorf("usage %+v", r.Usage)
	}
}

func TestImagesAndForeignExpiryAreSaid(t *testing.T) {
	s := new(script).act(session.VerbScreenshot, "", "").act(session.VerbGoto, "", onePage)
	s.events[1].Result.Image = "a.png"
	s.put(session.Event{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: []string{"a2"}}})
	r := simulate(s.act(session.VerbClick, "e1", "").timeline(), policy.Full(), options())
	if !said(r, "1 picture not counted") || !said(r, "cleared 1 snapshot") || r.Survival.Survived != 1 {
		t.Errorf("notes %q, survival %+v", r.Notes, r.Survival)
	}
}

func TestUpToStepEndsTheSession(t *testing.T) {
	s := new(script).user("go")
	for i := range 6 {
		s.act(session.VerbSnapshot, "", lines(i*10+1, i*10+10))
	}
	whole := simulate(s.timeline(), named("openclaw"), options())
	for n := 1; n <= 6; n++ {
		o := options()
		o.UpToStep = n
		r := simulate(s.timeline(), named("openclaw"), o)
		if r.Steps != n || r.ModelCalls != n || !cmp.Equal(r.Calls, whole.Calls[:n]) {
			t.Errorf("up to step %d: %d steps, %d calls", n, r.Steps, r.ModelCalls)
		}
	}
}

func TestRunStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if r, err := ledger.Run(ctx, new(script).act(session.VerbGoto, "", onePage).timeline(), policy.Full(), options()); err != context.Canceled || r != nil {
		t.Errorf("a stopped run answers %v, %v", r, err)
	}
}

func TestADeltaTakesBackWhatItRemoves(t *testing.T) {
	pages := []string{lines(1, 60), strings.Replace(lines(1, 60), "- button \"b30\" [ref=e30]\n", "", 1)}
	tl := new(script).act(session.VerbSnapshot, "", pages[0]).act(session.VerbClick, "e30", pages[1]).
		act(session.VerbClick, "e31", "").act(session.VerbClick, "e30", "").timeline()
	r := simulate(tl, named("passmark"), options())
	if l := r.Survival.Lost; len(l) != 1 || l[0].Step != 4 || !strings.Contains(l[0].Why, "the page no longer has it") {
		t.Errorf("lost %+v", l)
	}
	if r := simulate(tl, policy.Full(), options()); r.Survival.Survived != 3 {
		t.Errorf("full: %+v", r.Survival)
	}
}

func TestSnapshotWithoutTextIsNoTrouble(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", "")
	s.events[1].Result.Snapshot, s.events[1].Result.Seen = &snapshot.Snapshot{Hash: snapshot.HashText("")}, session.SeenInline
	tl := s.act(session.VerbClick, "e1", "").timeline()
	for _, p := range policy.Builtin() {
		r := simulate(tl, p, options())
		if r.Survival.Survived != 0 || r.Snapshots != 1 {
			t.Errorf("%s: %+v", p.Name, r)
		}
	}
}

func TestExpiriesWithoutPricesAreOneLine(t *testing.T) {
	s := new(script)
	for i := range 30 {
		s.act(session.VerbSnapshot, "", lines(i+1, i+5))
	}
	var b strings.Builder
	r := simulate(s.timeline(), named("openclaw"), options())
	if err := ledger.WriteText(&b, ledger.Sheet{Recording: "r", Reports: []*ledger.Report{r}}); err != nil {
		t.Fatal(err)
	}
	want := "cleared under openclaw: 28 times, 560 tokens in all; 168 tokens after them were sent again; without prices it is not known whether that paid\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s\nlacks %s", b.String(), want)
	}
}
