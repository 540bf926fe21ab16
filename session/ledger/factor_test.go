package ledger_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"snapscope/session"
	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/token"
)

// vendorSession makes a session and the count that a vendor with a tokenizer of
// its own would give of each call: a system prompt and tools that no file holds,
// another factor for pages than for words, a frame around each message, thoughts
// that stay with the model, a reminder now and then, noise, a compaction and a cache.
func vendorSession(r *rand.Rand, count func(string) int) (tl *session.Timeline, page float64) {
	s := new(script)
	front := 4000 + r.Float64()*20000
	page, prose := 1.2+r.Float64()*0.4, 1.1+r.Float64()*0.3
	noise := func() float64 { return 1 + r.NormFloat64()*0.02 }
	body, cached := 0.0, 0.0
	s.user("find the cheapest lamp and put it into the basket")
	body += prose * 12
	steps := 16 + r.IntN(40)
	compact := -1
	if r.IntN(2) == 0 {
		compact = 4 + r.IntN(steps-6)
	}
	for i := range steps {
		if i == compact {
			s.put(session.Event{Kind: session.KindCompact, Compact: &session.Compaction{Text: "so far: the shop was opened, two lamps were looked at"}})
			body, cached = prose*14, front
		}
		in := front + body
		said := strings.Repeat("now the next one, it looks right ", 1+r.IntN(4))
		u := &session.Usage{Input: int(in), CacheRead: int(min(cached, in)), Output: 60}
		u.CacheWrite = u.Input - u.CacheRead
		s.call(said, u)
		cached = in
		text := linesFrom(r, 10+r.IntN(120))
		s.act(session.VerbClick, fmt.Sprintf("e%d", 1+r.IntN(9)), text)
		thoughts := 0.0
		if r.IntN(4) == 0 {
			thoughts = r.Float64() * 300
		}
		if r.IntN(6) == 0 {
			thoughts += 120 // a reminder
		}
		body += (page*float64(count(text))+prose*float64(count(said)+8))*noise() + 25 + thoughts
	}
	return s.timeline(), page
}

func linesFrom(r *rand.Rand, n int) string {
	words := []string{"Basket", "Lamp", "€ 12.90", "delivered by Tuesday", "Add to wish list", "Größe", "4.7 of 5 stars"}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- button \"%s %d\" [ref=e%d]\n", words[r.IntN(len(words))], r.IntN(900), i+1)
	}
	return b.String()
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// The factor that the first half of a session teaches foretells the vendor's
// count of the second half's calls.
func TestFactorOfTheFirstHalfForetellsTheSecond(t *testing.T) {
	count, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 11))
	var offs, plain, values []float64
	for range 60 {
		tl, page := vendorSession(r, count.Count)
		o := ledger.Options{Renderer: policy.NewRenderer(count.Count)}
		calls := tl.Calls()
		var real []int
		half := append([]session.Event(nil), tl.Events...)
		for i, c := range calls {
			real = append(real, c.Model.Usage.Input)
			if i >= len(calls)/2 {
				m := *c.Model
				m.Usage = nil
				half[c.Seq-1].Call = &m
			}
		}
		sent, err := ledger.AsSent(context.Background(), session.NewTimeline(half), o)
		if err != nil {
			t.Fatal(err)
		}
		if sent.Factor.From != ledger.FromReceipts || sent.Factor.Low > sent.Factor.Value || sent.Factor.High < sent.Factor.Value {
			t.Fatalf("factor %+v", sent.Factor)
		}
		values = append(values, math.Abs(sent.Factor.Value/page-1))
		var off, old []float64
		last := sent.Calls[len(calls)/2-1]
		for i := len(calls) / 2; i < len(calls); i++ {
			off = append(off, math.Abs(float64(sent.Calls[i].InputTokens)/float64(real[i])-1))
			one := last.InputTokens - last.By.Own + sent.Calls[i].By.Own // the difference held fast, at a factor of 1
			old = append(old, math.Abs(float64(one)/float64(real[i])-1))
		}
		offs, plain = append(offs, median(off)), append(plain, median(old))
	}
	t.Logf("median over the sessions: second half %.2f %% off (without a factor %.2f %%), the pages' factor %.2f %% off", 100*median(offs), 100*median(plain), 100*median(values))
	if m := median(offs); m > 0.02 {
		t.Errorf("the second half is foretold %.2f %% off", 100*m)
	}
	if m := median(values); m > 0.05 {
		t.Errorf("the pages' factor is %.2f %% off", 100*m)
	}
	if median(plain) < 2*median(offs) {
		t.Errorf("a factor is no better than none: %.4f, %.4f", median(plain), median(offs))
	}
}

// With a factor, what no file holds is the same in every call, and saved shares
// are of the whole as the vendor counts it.
func TestPartsAreInTheVendorsTokens(t *testing.T) {
	s := new(script)
	body := 0
	for i := range 8 {
		s.call("", &session.Usage{Input: 10000 + body*3/2})
		text := lines(1, 100+20*i)
		s.act(session.VerbGoto, "", text)
		body += words(text) + words("goto {}")
	}
	o := ledger.Options{Renderer: policy.NewRenderer(words), Prices: ledger.DefaultPrices(), Model: "claude-sonnet-4-5"}
	sheet, err := ledger.Study(context.Background(), s.timeline(), []policy.Policy{named("keep-one")}, []policy.Policy{}, o)
	if err != nil {
		t.Fatal(err)
	}
	f := sheet.Bill.Factor
	if math.Abs(f.Value-1.5) > 0.02 || f.From != ledger.FromReceipts || f.Increments != 7 {
		t.Fatalf("factor %+v, want 1.5 of 7 calls", f)
	}
	if u := *sheet.Bill.Uncounted; u < 9950 || u > 10050 {
		t.Errorf("%d tokens a call are told to be in no file, 10,000 are", u)
	}
	for _, c := range sheet.AsSent.Calls {
		if c.By.Uncounted < 9900 || c.By.Uncounted > 10100 {
			t.Errorf("call %d: %d in no file", c.Call, c.By.Uncounted)
		}
		if parts := sheet.AsSent.Parts(c.Call); len(parts) > 0 {
			sum := 0
			for _, p := range parts {
				sum += p.Tokens
			}
			if sum != c.InputTokens {
				t.Errorf("call %d: the parts are %d of %d", c.Call, sum, c.InputTokens)
			}
		}
	}
	var b strings.Builder
	if err := ledger.WriteText(&b, sheet); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"input in vendor tokens", "1.50 vendor tokens for one of ours", "learned from 7 calls"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not said:\n%s", want, b.String())
		}
	}
}

// Without receipts the published factor is paid, and named.
func TestPublishedFactorWithoutReceipts(t *testing.T) {
	s := new(script)
	for range 4 {
		s.call("", nil).act(session.VerbGoto, "", lines(1, 900))
	}
	for model, want := range map[string]ledger.Factor{
		"claude-sonnet-4-5": {Value: 1.4, Low: 1.3, High: 1.5, From: ledger.FromPublished},
		"gpt-5":             {Value: 1, Low: 1, High: 1, From: ledger.FromPublished},
	} {
		sheet := pricedOf(t, s.timeline(), model)
		if sheet.Bill.Factor != want {
			t.Errorf("%s: %+v", model, sheet.Bill.Factor)
		}
		p, _ := ledger.DefaultPrices().Find(model)
		cost := 0.0
		for _, c := range sheet.AsSent.Calls {
			cost += want.Value * p.Billed(session.Usage{Input: c.InputTokens, CacheRead: c.CachedTokens, CacheWrite: c.WrittenTokens})
			if c.InputTokens != c.By.Own {
				t.Errorf("%s: without receipts the tokens are ours: %d, %d", model, c.InputTokens, c.By.Own)
			}
		}
		if !near(*sheet.AsSent.Cost, cost) {
			t.Errorf("%s: cost %v, want %v", model, *sheet.AsSent.Cost, cost)
		}
	}
	if f := pricedOf(t, s.timeline(), "nobody-knows").Bill.Factor; f.From != ledger.FromNothing || f.Value != 1 {
		t.Errorf("%+v", f)
	}
}

// What is worked out once for many policies gives the figures that each policy gives by
// itself.
func TestReadyChangesNoFigure(t *testing.T) {
	count, err := token.New("")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	for range 10 {
		tl, _ := vendorSession(r, count.Count)
		o := ledger.Options{Renderer: policy.NewRenderer(count.Count), Prices: ledger.DefaultPrices(), Model: "claude-sonnet-4-5"}
		once, err := ledger.Ready(context.Background(), tl, o)
		if err != nil || once.AsSent == nil {
			t.Fatal(err)
		}
		for _, name := range []string{"full", "delta", "keep-one"} {
			a, b := simulate(tl, named(name), o), simulate(tl, named(name), once)
			if a.InputTokens != b.InputTokens || a.CachedTokens != b.CachedTokens || a.WrittenTokens != b.WrittenTokens || !near(*a.Cost, *b.Cost) || a.Factor != b.Factor {
				t.Errorf("%s: %d, %d, %d, $%v by itself; %d, %d, %d, $%v", name, a.InputTokens, a.CachedTokens, a.WrittenTokens, *a.Cost, b.InputTokens, b.CachedTokens, b.WrittenTokens, *b.Cost)
			}
		}
	}
	if o, err := ledger.Ready(context.Background(), new(script).call("", nil).act(session.VerbGoto, "", onePage).timeline(), options()); err != nil || o.AsSent != nil {
		t.Errorf("a session without receipts: %v, %v", o.AsSent, err)
	}
}
