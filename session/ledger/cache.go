package ledger

// Rule is how one provider's prompt cache works, in tokens. It comes from the
// price table; the zero Rule with Step 1 is the bare longest identical prefix.
type Rule struct {
	Name string `toml:"-"`
	// MinPrefix is the shortest prefix the provider keeps.
	MinPrefix int `toml:"min_prefix"`
	// Step is the block size that a hit is rounded down to; 1 where every part
	// boundary counts.
	Step int `toml:"step"`
	// LookBack is how many messages before the end of a request a hit is looked
	// for; beyond it only the fixed head (system prompt and definitions) can hit.
	// 0: no bound.
	LookBack int `toml:"look_back"`
	// Marked: only what ends where an earlier request ended (or its fixed head) is
	// found again; else every equal prefix is.
	Marked bool `toml:"marked"`
	// Write, WriteHour (what is kept for an hour) and Read are multipliers of the
	// price of a plain input token.
	Write     float64 `toml:"write"`
	WriteHour float64 `toml:"write_hour"`
	Read      float64 `toml:"read"`
	// Tokens is how many of the model's tokens one of o200k_base is, as published,
	// with the least and the most that were published; 0: not known.
	Tokens    float64 `toml:"tokens"`
	TokensMin float64 `toml:"tokens_min"`
	TokensMax float64 `toml:"tokens_max"`
}

// bareRule is used where the model, and so its provider, is unknown: nothing is
// guessed, the longest identical prefix is cached as it is.
func bareRule() Rule { return Rule{Name: "longest identical prefix", Step: 1} }

// prefix is the part of a request that is identical to the request before it.
type prefix struct {
	tokens int // of the identical parts
	behind int // messages of this request after them
	head   int // tokens of the fixed head, always a breakpoint of its own
	before int // tokens of the whole request before: what it could leave in the cache
}

// mark is where an earlier call ended.
type mark struct {
	tokens int // without what the vendor counted beside us
	order  int // entries in history.order
}

// atMark shortens the prefix to the last place that the cache knows, where the
// rule asks for one: the end of an earlier call that still stands as it was.
func (m *machine) atMark(p *prefix, front int) {
	n := len(m.marks)
	for n > 0 && m.marks[n-1].tokens+front > p.tokens {
		n--
	}
	cut := n < len(m.marks)
	m.marks = m.marks[:n]
	if !cut {
		return
	}
	if n == 0 {
		p.tokens = min(p.tokens, p.head)
		return
	}
	p.tokens, p.behind = m.marks[n-1].tokens+front, m.h.messages(m.marks[n-1].order)
}

// hit answers how many tokens of the prefix the provider reads from its cache.
func (r Rule) hit(p prefix) int {
	if p.before < r.MinPrefix || p.before == 0 {
		return 0
	}
	n := p.tokens
	if r.LookBack > 0 && p.behind > r.LookBack {
		n = min(n, p.head)
	}
	n = r.floor(n)
	if n < r.MinPrefix {
		return 0
	}
	return n
}

// written answers how many tokens of a request are written to the cache, when
// cached of them were read from it.
func (r Rule) written(input, cached int) int {
	if input < r.MinPrefix {
		return 0
	}
	return max(0, r.floor(input)-cached)
}

func (r Rule) floor(n int) int {
	if r.Step > 1 {
		return n / r.Step * r.Step
	}
	return n
}
