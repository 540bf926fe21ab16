package ledger_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot"
	"snapscope/snapshot/token"
)

// sentSession makes any session as agents' programs send them: pages whole, as
// changed parts, cut by the client or put into a file, cleared later, and told
// model calls with the vendor's count. changed is whether anything was sent
// otherwise than whole.
func sentSession(t *rapid.T) (tl *session.Timeline, vendor int, changed bool) {
	s := new(script)
	page := rapid.IntRange(3, 40).Draw(t, "page")
	for n := range rapid.IntRange(1, 12).Draw(t, "steps") {
		u := &session.Usage{Input: rapid.IntRange(1, 4000).Draw(t, "vendor")}
		vendor += u.Input
		u.CacheRead = rapid.IntRange(0, u.Input).Draw(t, "read")
		u.CacheWrite = rapid.IntRange(0, u.Input-u.CacheRead).Draw(t, "written")
		u.CacheHour = rapid.IntRange(0, u.CacheWrite).Draw(t, "for an hour")
		s.call("then", u)
		page = max(3, page+rapid.IntRange(-2, 6).Draw(t, "grow"))
		s.act(session.VerbClick, fmt.Sprintf("e%d", rapid.IntRange(1, 45).Draw(t, "ref")), lines(1, page))
		r := s.events[len(s.events)-1].Result
		switch rapid.IntRange(0, 6).Draw(t, "as") {
		case 0:
			r.Seen, r.Shown = session.SeenIncremental, "- <changed> button \"b1\" [active] [ref=e1]"
		case 1:
			r.Seen, r.Shown = session.SeenCut, lines(1, page/2)+"\n…\n"+lines(page-1, page)
		case 2:
			r.Seen, r.Shown = session.SeenSpilled, "saved elsewhere\n"+lines(1, 2)
		case 3:
			r.Seen, r.Shown, r.Snapshot = session.SeenLink, "- [Snapshot](a.yml)", nil
			continue
		case 4:
			s.put(session.Event{Kind: session.KindExpiry, Expiry: &session.Expiry{IDs: []string{fmt.Sprintf("a%d", n+1)}}})
		default:
			continue
		}
		changed = true
	}
	return s.timeline(), vendor, changed
}

// notesOf is how many tokens a rewrite may add to one page by saying what it did.
const notesOf = 80

func TestLawsOfWhatWasSent(t *testing.T) {
	count, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	prices := handPrices(t)
	rapid.Check(t, func(rt *rapid.T) {
		tl, vendor, changed := sentSession(rt)
		p := anyPolicy(rt)
		o := ledger.Options{Renderer: policy.NewRenderer(count.Count), Prices: prices, Model: rapid.SampledFrom([]string{"", "writer"}).Draw(rt, "model")}
		s, err := ledger.Study(context.Background(), tl, []policy.Policy{p}, []policy.Policy{}, o)
		if err != nil {
			rt.Fatal(err)
		}
		// The vendor's count to the token, of the whole and of its parts.
		if s.AsSent.InputTokens != vendor || s.Bill.Vendor == nil || *s.Bill.Vendor != vendor || s.Bill.Parts.Sum() != vendor {
			rt.Fatalf("the vendor counted %d: as sent %d, bill %+v", vendor, s.AsSent.InputTokens, s.Bill)
		}
		if b := s.Bill; b.Fresh+b.Repeated != b.Parts.Snapshots || b.NeverActed > b.Parts.Snapshots {
			rt.Fatalf("bill %+v", b)
		}
		// As sent is full where everything was sent whole.
		if !changed && (s.AsSent.InputTokens != s.Full.InputTokens || s.AsSent.AppendedTokens != s.Full.AppendedTokens) {
			rt.Fatalf("as sent %d, full %d", s.AsSent.InputTokens, s.Full.InputTokens)
		}
		if o.Model != "" {
			asBilled(rt, tl, s, prices, changed)
		}
		for _, r := range append(s.Reports, s.AsSent, s.Full) {
			uses, tokens := 0, 0
			for _, l := range r.Survival.Lost {
				uses += l.Uses
				tokens += l.Price
				if l.Price > 0 && (l.Never || l.Uses == 0) {
					rt.Fatalf("%s: %+v has a price", r.Policy.Name, l)
				}
			}
			if uses+r.Survival.Survived != r.Survival.Acted || tokens != r.Recovery {
				rt.Fatalf("%s: %d survived, %d lost of %d; %d of %d tokens", r.Policy.Name, r.Survival.Survived, uses, r.Survival.Acted, tokens, r.Recovery)
			}
			if r.NetSavedRatio > r.SavedRatio || r.NetSavedOfSent > r.SavedOfSent {
				rt.Fatalf("%s: saved %v, net %v", r.Policy.Name, r.SavedRatio, r.NetSavedRatio)
			}
		}
		// What only rewrites costs no more than full, but for its own notes.
		r := s.Reports[0]
		if _, clears := p.Retention(); clears {
			return
		}
		for i, c := range r.Calls {
			if most := s.Full.Calls[i].InputTokens + len(tl.Snaps)*notesOf*len(p.Stages); c.InputTokens > most {
				rt.Fatalf("call %d: %d, full %d", c.Call, c.InputTokens, s.Full.Calls[i].InputTokens)
			}
		}
		if len(p.Stages) == 0 && (r.InputTokens != s.Full.InputTokens || r.SavedRatio != 0) {
			rt.Fatalf("a policy that changes nothing sends %d, full %d", r.InputTokens, s.Full.InputTokens)
		}
	})
}

// asBilled holds what a session cost as sent against its receipts, and a policy
// that changes nothing against that.
func asBilled(rt *rapid.T, tl *session.Timeline, s ledger.Sheet, prices *ledger.Prices, changed bool) {
	price, _ := prices.Find("writer")
	sum := 0.0
	for _, c := range tl.Calls() {
		sum += price.Billed(*c.Model.Usage)
	}
	if !near(*s.AsSent.Cost, sum) {
		rt.Fatalf("as sent costs %v, the receipts %v", *s.AsSent.Cost, sum)
	}
	if !changed && !near(*s.Full.Cost, sum) {
		rt.Fatalf("full, which changes nothing, costs %v, the receipts %v", *s.Full.Cost, sum)
	}
	for _, r := range append(s.Reports, s.Full) {
		for _, c := range r.Calls {
			if c.CachedTokens < 0 || c.WrittenTokens < 0 || c.PlainTokens < 0 || c.HourTokens < 0 || c.HourTokens > c.WrittenTokens ||
				c.CachedTokens+c.WrittenTokens+c.PlainTokens != c.InputTokens {
				rt.Fatalf("%s call %d: %+v", r.Policy.Name, c.Call, c)
			}
		}
	}
}

// near reports whether two costs are one, apart from the order of a sum.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9+1e-9*math.Abs(b) }

// A client's cut loses exactly what stood in the part that was left out, and
// nothing under full.
func TestACutLosesWhatStoodInItsMiddle(t *testing.T) {
	const page = 200
	for name, c := range map[string]struct {
		source, says string
		seen         session.Seen
		shown        func(text string) string
	}{
		"Claude Code": {"claude-code", "anthropic/maxResultSizeChars", session.SeenSpilled, func(text string) string {
			return "<persisted-output>\nOutput too large (60KB). Full output saved to: /x/t1.txt\n\nPreview (first 2KB):\n" + text[:2000] + "\n...\n</persisted-output>"
		}},
		"Codex": {"codex", "tool_output_token_limit", session.SeenCut, func(text string) string {
			return text[:2000] + "…1234 tokens truncated…" + text[len(text)-2000:]
		}},
		"Codex, inside JSON": {"codex", "tool_output_token_limit", session.SeenCut, func(text string) string {
			text = strings.ReplaceAll(strings.ReplaceAll(text, `"`, `\"`), "\n", `\n`)
			return text[:2000] + "…1234 tokens truncated…" + text[len(text)-2000:]
		}},
	} {
		t.Run(name, func(t *testing.T) {
			text := lines(1, page)
			shown := c.shown(text)
			s := &script{events: []session.Event{{Kind: session.KindStart, Start: &session.Start{Source: c.source}}}}
			s.act(session.VerbGoto, "", text)
			r := s.events[2].Result
			r.Seen, r.Shown = c.seen, shown
			want := map[string]bool{}
			for i := 1; i <= page; i++ {
				ref := fmt.Sprintf("e%d", i)
				s.act(session.VerbHover, ref, "")
				line := fmt.Sprintf("- button \"b%d\" [ref=e%d]", i, i)
				stood := strings.ReplaceAll(strings.ReplaceAll(shown, `\n`, "\n"), `\"`, `"`)
				want[ref] = !strings.Contains("\n"+stood+"\n", "\n"+line+"\n")
			}
			tl := s.timeline()
			sheet := studied(t, tl, "full")
			lost := map[string]bool{}
			for _, l := range sheet.AsSent.Survival.Lost {
				lost[l.Ref] = true
				if l.Cured || !strings.Contains(l.Why, c.says) {
					t.Fatalf("lost %+v", l)
				}
			}
			n := 0
			for ref, is := range want {
				n += map[bool]int{true: 1}[is]
				if lost[ref] != is {
					t.Errorf("%s is lost: %v, its line was cut: %v", ref, lost[ref], is)
				}
			}
			if n == 0 || n == page {
				t.Errorf("%d of %d lines were cut: nothing is tested", n, page)
			}
			if sheet.Full.Survival.Survived != page || !strings.Contains(sheet.Advice.Text, c.says) {
				t.Errorf("under full %d of %d survive, advice %q", sheet.Full.Survival.Survived, page, sheet.Advice.Text)
			}
		})
	}
}

func TestOneElementUsedFiveTimesIsOneLoss(t *testing.T) {
	s := new(script).act(session.VerbGoto, "", shop(150))
	for range 5 {
		s.act(session.VerbClick, "e280", "")
	}
	p := named("compress")
	if err := p.Set("fire_threshold=1"); err != nil {
		t.Fatal(err)
	}
	if err := p.Set("keep_n=0"); err != nil {
		t.Fatal(err)
	}
	o := options()
	full := simulate(s.timeline(), policy.Full(), o)
	o.Full = full
	r := simulate(s.timeline(), p, o)
	if l := r.Survival.Lost; len(l) != 5 || l[0].Uses != 5 || l[0].Cured || l[1].Uses != 0 || l[1].Price != 0 || r.Recovery != l[0].Price {
		t.Errorf("lost %+v", l)
	}
	// One more call with the 2 + page words before it, then the page in the five
	// calls that are left.
	page := words(s.events[1].Result.Snapshot.Text)
	if got, want := r.Survival.Lost[0].Price, r.Calls[1].InputTokens+5*page; got != want {
		t.Errorf("the loss costs %d, want %d", got, want)
	}
	whole := float64(full.InputTokens)
	if got, want := r.NetSavedRatio, 1-float64(r.InputTokens+r.Recovery)/whole; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("net saved %v, want %v", got, want)
	}
}

// The difference to the vendor's count is a part of each call and of the base of
// every share.
func TestTheWholeBillIsTheBase(t *testing.T) {
	s := new(script).user("one two three").call("", &session.Usage{Input: 1003}).
		act(session.VerbGoto, "", lines(1, 30)).call("", &session.Usage{Input: 1125}).
		act(session.VerbClick, "e1", lines(1, 30)).call("", nil).
		act(session.VerbClick, "e2", "")
	sheet := studyWords(t, s.timeline(), "full", "keep-one")
	// 3 words; 3 + 2 + 120; 3 + 2 + 120 + 2 + 120, and 1,000 that only the vendor
	// counts, in the last call as in the one before it.
	if b := sheet.Bill; *b.Vendor != 2128 || b.Counted != 128 || *b.Uncounted != 1000 || b.Calls != 2 || b.Of != 3 {
		t.Errorf("bill %+v, vendor %d, uncounted %d", b, *b.Vendor, *b.Uncounted)
	}
	full, keep := sheet.Reports[0], sheet.Reports[1]
	if full.InputTokens != 1003+1125+1247 || full.Uncounted != 3000 {
		t.Errorf("full %d, of it %d not counted", full.InputTokens, full.Uncounted)
	}
	cleared := keep.Calls[2].By.Cleared - keep.Calls[2].By.Expired
	if got, want := keep.SavedRatio, float64(cleared)/float64(full.InputTokens); got < want-1e-9 || got > want+1e-9 {
		t.Errorf("saved %v, want %v", got, want)
	}
	if p := sheet.Bill.Parts; p.SystemTools != 2000 || p.User != 6 || p.Model != 2 || p.Snapshots != 120 {
		t.Errorf("parts %+v", p)
	}
}

func studyWords(t *testing.T, tl *session.Timeline, names ...string) ledger.Sheet {
	t.Helper()
	var ps []policy.Policy
	for _, n := range names {
		ps = append(ps, named(n))
	}
	s, err := ledger.Study(context.Background(), tl, ps, ps, options())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestACodingSessionIsSaidToBeOne(t *testing.T) {
	s := new(script).user("fix the bug")
	for range 5 {
		s.act("", "", "")
		s.events[len(s.events)-1].Result.Text = strings.Repeat("a line of code ", 50)
	}
	s.act(session.VerbGoto, "", onePage).act(session.VerbClick, "e1", "")
	if text := studyWords(t, s.timeline(), "full").Advice.Text; !strings.HasPrefix(text, "Most of this session is not browsing: of ") {
		t.Errorf("advice %q", text)
	}
}

func TestPicturesAreAPartOfTheBill(t *testing.T) {
	s := &script{events: []session.Event{{Kind: session.KindStart, Start: &session.Start{Model: "claude-sonnet-4-5"}}}}
	s.act(session.VerbScreenshot, "", "").act(session.VerbGoto, "", onePage).act(session.VerbClick, "e1", "")
	s.events[2].Result.Images = []snapshot.Size{{W: 750, H: 100}, {}}
	sheet := studyWords(t, s.timeline(), "full")
	if got := sheet.Bill.Parts.Screenshots; got != 200 { // 100 tokens in two calls
		t.Errorf("screenshots %d", got)
	}
	if !said(sheet.AsSent, "1 picture counted by the rule of Anthropic") || !said(sheet.AsSent, "1 picture not counted: their size is not known") {
		t.Errorf("notes %q", sheet.AsSent.Notes)
	}
}
