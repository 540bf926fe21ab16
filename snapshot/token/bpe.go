package token

import (
	"container/heap"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// A codec of the library counts a piece rightly when its own expression takes
// the piece as one. It does, except for some white space around newlines, where
// the library (0.10.0) cuts "\n \n" in two; those few pieces are merged here
// with the vocabulary read back from the library.
type codec struct {
	lib   tokenizer.Codec
	blank func() map[string]int // the tokens white space can be made of, with their ranks
}

func newCodec(e tokenizer.Encoding) *codec {
	lib, err := tokenizer.Get(e)
	if err != nil { // the table names only encodings the library has
		panic("token: " + err.Error())
	}
	return &codec{lib: lib, blank: sync.OnceValue(func() map[string]int { return blankTokens(lib) })}
}

// blankTokens reads the tokens of a vocabulary that white space can be made of,
// halves of a rune such as U+3000 among them. Ranks are dense but for a few
// special tokens near the end, so a run of misses ends the walk.
func blankTokens(lib tokenizer.Codec) map[string]int {
	var in [256]bool
	for r := rune(0); r <= 0x3000; r++ {
		if unicode.IsSpace(r) {
			for _, b := range []byte(string(r)) {
				in[b] = true
			}
		}
	}
	out := map[string]int{}
	for id, misses := uint(0), 0; misses < 64; id++ {
		t, err := lib.Decode([]uint{id})
		if err != nil {
			misses++
			continue
		}
		misses = 0
		fits := true
		for i := 0; i < len(t) && fits; i++ {
			fits = in[t[i]]
		}
		if fits {
			out[t] = int(id)
		}
	}
	return out
}

// mixed reports white space that holds a newline and something else than one
// kind of newline: the pieces the library is not trusted with.
func mixed(s string) bool {
	if s[len(s)-1] > ' ' && s[len(s)-1] < utf8.RuneSelf || !strings.ContainsAny(s, "\r\n") {
		return false
	}
	for _, r := range s {
		if !unicode.IsSpace(r) {
			return false
		}
	}
	return strings.Trim(s, s[:1]) != ""
}

// longIndent is how many spaces or tabs the library counts; more of them are a page
// nested so deep that each of its lines would be worked on byte by byte.
const longIndent = 64

// indent reports a long piece of nothing but spaces, or of nothing but tabs.
func indent(p string) bool {
	return len(p) > longIndent && (p[0] == ' ' || p[0] == '\t') && strings.Count(p, p[:1]) == len(p)
}

// repeated is merge for one byte again and again. Parts of one length stand side by
// side there, and are joined all at once: what they become was learned after them, so
// no pair with one of them comes before the next two.
func repeated(p string, rank map[string]int) int {
	type run struct{ length, count int }
	runs := []run{{1, len(p)}}
	for {
		at, inside, lowest := -1, false, math.MaxInt
		for i, r := range runs {
			if k, ok := rank[p[:min(len(p), 2*r.length)]]; ok && r.count > 1 && k < lowest {
				at, inside, lowest = i, true, k
			}
			if i+1 < len(runs) {
				if k, ok := rank[p[:r.length+runs[i+1].length]]; ok && k < lowest {
					at, inside, lowest = i, false, k
				}
			}
		}
		if at < 0 {
			break
		}
		r := runs[at]
		joined := []run{{2 * r.length, r.count / 2}, {r.length, r.count % 2}}
		to := at + 1
		if !inside {
			next := runs[at+1]
			joined = []run{{r.length, r.count - 1}, {r.length + next.length, 1}, {next.length, next.count - 1}}
			to++
		}
		var out []run
		for _, r := range slices.Concat(runs[:at], joined, runs[to:]) {
			switch n := len(out); {
			case r.count == 0:
			case n > 0 && out[n-1].length == r.length:
				out[n-1].count += r.count
			default:
				out = append(out, r)
			}
		}
		runs = out
	}
	n := 0
	for _, r := range runs {
		n += r.count
	}
	return n
}

// piece answers the tokens of one piece.
func (c *codec) piece(p string) int {
	if len(p) == 1 {
		return 1
	}
	if indent(p) {
		return repeated(p, c.blank())
	}
	if mixed(p) {
		return merge(p, c.blank())
	}
	if strings.Contains(p, "\x7f") { // no token joins a DEL with anything, and the library loses it
		n := strings.Count(p, "\x7f")
		for _, part := range strings.Split(p, "\x7f") {
			if part != "" {
				n += c.piece(part)
			}
		}
		return n
	}
	n, err := c.lib.Count(p)
	if err != nil { // only the matcher's own time limit, which is not set
		return len(p)
	}
	return n
}

// pair is a candidate of merge: the parts that start at and after at, joined.
type pair struct{ rank, at, end int }

type pairs []pair

func (h pairs) Len() int { return len(h) }
func (h pairs) Less(a, b int) bool {
	return h[a].rank < h[b].rank || h[a].rank == h[b].rank && h[a].at < h[b].at
}
func (h pairs) Swap(a, b int) { h[a], h[b] = h[b], h[a] }
func (h *pairs) Push(x any)   { *h = append(*h, x.(pair)) }
func (h *pairs) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// merge counts the parts that remain of p when, again and again, the leftmost
// pair of lowest rank is joined.
func merge(p string, rank map[string]int) int {
	if _, ok := rank[p]; ok {
		return 1
	}
	next, prev := make([]int, len(p)+1), make([]int, len(p)+1) // starts of the neighbouring parts
	for i := range next {
		next[i], prev[i] = i+1, i-1
	}
	h := &pairs{}
	offer := func(i int) {
		if i < 0 || next[i] >= len(p) {
			return
		}
		end := next[next[i]]
		if r, ok := rank[p[i:end]]; ok {
			heap.Push(h, pair{r, i, end})
		}
	}
	for i := range len(p) {
		offer(i)
	}
	gone := make([]bool, len(p)+1)
	n := len(p)
	for h.Len() > 0 {
		x := heap.Pop(h).(pair)
		i := x.at
		if gone[i] || next[i] >= len(p) || next[next[i]] != x.end {
			continue // one of its parts has been joined elsewhere
		}
		gone[next[i]] = true
		next[i] = x.end
		prev[x.end] = i
		n--
		offer(i)
		offer(prev[i])
	}
	return n
}
