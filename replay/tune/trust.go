package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"snapscope/session/ledger"
	"snapscope/session/policy"
	"snapscope/snapshot/wording"
)

// Trust says what a search is worth on sessions that it did not see. The search
// is done again without each part of the sessions in turn, and what it then finds
// is measured on the part left out.
type Trust struct {
	Folds    int     // parts the sessions were divided into; 0: too few sessions
	Measured int     // sessions that were measured while left out
	Saved    float64 // over them
	Kept     float64 // over them
	Losses   int     // over them
	Runs     ledger.Runs
	Low      float64   // see Interval, for as many sessions again
	High     float64   // likewise
	Warnings []string  // why the figures deserve less trust, a sentence each
	savings  []ratioOf // of the measured sessions
}

// ratioOf is one session's value under the policy and under full.
type ratioOf struct{ policy, full float64 }

const (
	confidence  = 0.95
	draws       = 2000
	fewSessions = 5  // below this an interval says little
	fewActs     = 10 // below this a policy that hides every tenth element is found out less than twice in three times
)

// trust measures the search on what it did not see.
func trust(ctx context.Context, m *memo, o Options) *Trust {
	t := &Trust{}
	n := len(m.sessions)
	if n < fewSessions {
		t.warn("there " + sessions(n) + ": their savings say little about other sessions")
	}
	acted := 0
	for _, f := range m.base {
		acted += f.Kept - f.Quotes
	}
	if acted < fewActs {
		t.warn(fmt.Sprintf("%s of these sessions tested it: another session may act on what it leaves out", wording.Plural(acted, "act")))
	}
	if site, one := oneSite(m.sessions); one && n > 1 {
		t.warn("all sessions are of one site, " + site + ": other pages may differ")
	}
	if n < 2 {
		return t
	}
	folds := o.Folds
	if folds <= 0 {
		folds = 5
	}
	t.Folds = min(max(2, folds), n)
	order := rand.New(rand.NewPCG(o.Seed, 1)).Perm(n)
	var kept, could int
	for f := range t.Folds {
		var in, out []int
		for i, s := range order {
			if i%t.Folds == f {
				out = append(out, s)
			} else {
				in = append(in, s)
			}
		}
		slices.Sort(in)
		slices.Sort(out)
		found := t.fold(ctx, m, in, o)
		if found == nil {
			t.warn("there was no time to test every part")
			break
		}
		if m.evaluate(ctx, []policy.Policy{found.Policy}, out) != nil {
			t.warn("there was no time to test every part")
			break
		}
		for _, s := range out {
			fig, _ := m.known(found.Policy, s)
			t.savings = append(t.savings, ratioOf{fig.value(o.Minimize), m.base[s].value(o.Minimize)})
			kept += min(fig.Kept, m.base[s].Kept)
			t.Runs.Count(fig.beyond(m.base[s]))
			could += m.base[s].Kept
		}
	}
	t.sum(kept, could, o)
	return t
}

// fold is the whole search again without the part that is left out. Policy full
// stands where nothing is better; nil when ctx ended it.
func (t *Trust) fold(ctx context.Context, m *memo, in []int, o Options) *Candidate {
	m.say("without a part of the sessions", nil)
	s := newSearch(m, in, o)
	s.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if c := s.best(); c != nil {
		return c
	}
	c, _ := m.candidate(policy.Full(), in)
	return &c
}

func (t *Trust) sum(kept, could int, o Options) {
	t.Measured, t.Losses, t.Kept = len(t.savings), could-kept, 1
	if could > 0 {
		t.Kept = float64(kept) / float64(could)
	}
	t.Saved = saving(t.savings)
	t.Low, t.High = t.Interval(len(t.savings), o.Seed)
}

func (t *Trust) warn(s string) {
	if !slices.Contains(t.Warnings, s) {
		t.Warnings = append(t.Warnings, s)
	}
}

// Interval is where the saving over n further sessions will lie in 95 of 100
// cases, as far as the measured ones stand for them: a bootstrap of both what was
// measured and what is to come, widened by Student's t for few sessions.
func (t *Trust) Interval(n int, seed uint64) (low, high float64) {
	if len(t.savings) < 2 || n < 1 {
		return t.Saved, t.Saved
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	got := make([]float64, draws)
	pool, future := make([]ratioOf, len(t.savings)), make([]ratioOf, n)
	for d := range got {
		draw(rng, t.savings, pool)
		draw(rng, pool, future)
		got[d] = saving(future)
	}
	slices.Sort(got)
	tail := (1 - confidence) / 2
	wide := student(len(t.savings)-1) / student(math.MaxInt) * math.Sqrt(float64(len(t.savings))/float64(len(t.savings)-1))
	low = t.Saved - (t.Saved-got[int(tail*draws)])*wide
	high = t.Saved + (got[int((1-tail)*draws)]-t.Saved)*wide
	return min(low, t.Saved), min(1, max(high, t.Saved))
}

func draw(rng *rand.Rand, from, to []ratioOf) {
	for i := range to {
		to[i] = from[rng.IntN(len(from))]
	}
}

func saving(of []ratioOf) float64 {
	var p, f float64
	for _, r := range of {
		p += r.policy
		f += r.full
	}
	if f == 0 {
		return 0
	}
	return 1 - p/f
}

// student is the 97.5 % point of Student's t with df degrees of freedom, by
// Hill's expansion (Abramowitz and Stegun 26.7.5), exact to about one percent
// from two on.
func student(df int) float64 {
	const z = 1.959964
	if df > 1000 {
		return z
	}
	if df == 1 {
		return 12.706
	}
	if df == 2 {
		return 4.303
	}
	n := float64(df)
	z3, z5 := z*z*z, z*z*z*z*z
	return z + (z3+z)/(4*n) + (5*z5+16*z3+3*z)/(96*n*n)
}

// oneSite reports that all sessions whose site is known are of the same one.
func oneSite(of []Session) (string, bool) {
	site := ""
	for _, s := range of {
		if s.Site == "" || site != "" && s.Site != site {
			return "", false
		}
		site = s.Site
	}
	return site, site != ""
}

func sessions(n int) string {
	if n == 1 {
		return "is only one session"
	}
	return fmt.Sprintf("are only %d sessions", n)
}
