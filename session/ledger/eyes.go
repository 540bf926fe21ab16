package ledger

import (
	"encoding/json"
	"strings"

	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/strategy"
)

// want is an element looked for in the history.
type want struct {
	ref        string
	role, name string
	nth        int
	quoted     string // role "name" as it stands in a line
}

func wanted(t *session.Target) (want, bool) {
	if t == nil || (t.Ref == "" && t.Role == "") {
		return want{}, false
	}
	w := want{ref: t.Ref, role: t.Role, name: t.Name, nth: t.Nth, quoted: t.Role}
	if t.Name != "" {
		q, err := json.Marshal(t.Name)
		if err == nil {
			w.quoted += " " + string(q)
		}
	}
	return w, true
}

// label is how the element is called in a report.
func (w want) label() string {
	if w.ref != "" {
		return w.ref
	}
	return w.quoted
}

// find answers where a text shows the element, from a byte on: the position of
// its ref, or of its role and name; -1 nowhere.
func (w want) find(text string, from int) int {
	if w.ref != "" {
		return findRef(text, w.ref, from)
	}
	return findRole(text, w.quoted, from)
}

// findRef finds a ref as any of the dialects writes it: [ref=e12], [checked,
// ref=e12], uid=1_21, [12]<. A bare "ref=e4 [unchanged]" only names an element
// without saying what it is, so it does not count.
func findRef(text, ref string, from int) int {
	for _, lead := range [...]string{"ref=", "uid=", "["} {
		for at := from; ; {
			i := strings.Index(text[at:], lead+ref)
			if i < 0 {
				break
			}
			i += at
			end := i + len(lead) + len(ref)
			if (end == len(text) || !wordByte(text[end])) && leads(text, i, lead) {
				return i + len(lead)
			}
			at = i + 1
		}
	}
	return -1
}

// leads reports whether what stands before a handle makes it one.
func leads(text string, i int, lead string) bool {
	switch lead {
	case "ref=":
		return i > 0 && (text[i-1] == '[' || (text[i-1] == ' ' && i > 1 && text[i-2] == ','))
	case "uid=":
		return i == 0 || text[i-1] == ' ' || text[i-1] == '\n'
	}
	return true
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// findRole finds `role "name"` at the start of a line's key.
func findRole(text, quoted string, from int) int {
	doubled := quoted
	if strings.Contains(quoted, "'") {
		doubled = strings.ReplaceAll(quoted, "'", "''")
	}
	for _, q := range [...]string{quoted, doubled} {
		for at := from; ; {
			i := strings.Index(text[at:], q)
			if i < 0 {
				break
			}
			i += at
			end := i + len(q)
			if (end == len(text) || !wordByte(text[end])) && startsKey(text, i) {
				return i
			}
			at = i + 1
		}
		if doubled == quoted {
			break
		}
	}
	return -1
}

// startsKey reports whether a key begins at byte i: after a line's dash and
// quote, after a uid, or at the start of the line.
func startsKey(text string, i int) bool {
	if i > 0 && text[i-1] == '\'' {
		i--
	}
	if i == 0 || text[i-1] == '\n' {
		return true
	}
	if text[i-1] != ' ' {
		return false
	}
	start := strings.LastIndexByte(text[:i], '\n') + 1
	before := strings.TrimLeft(text[start:i], "+-*~ ")
	return before == "" || strings.HasPrefix(before, "uid=") && !strings.Contains(strings.TrimSpace(before), " ")
}

// lineAt is the number of the line that holds byte pos, from 0, and its text.
func lineAt(text string, pos int) (n int, line string) {
	n = strings.Count(text[:pos], "\n")
	start := strings.LastIndexByte(text[:pos], '\n') + 1
	end := strings.IndexByte(text[pos:], '\n')
	if end < 0 {
		return n, text[start:]
	}
	return n, text[start : pos+end]
}

// eyes read the history as the model does.
type eyes struct{ h *history }

func newEyes(h *history) *eyes { return &eyes{h} }

// sight is one look for one element: what was looked at is not looked at again.
type sight struct {
	*eyes
	w    want
	done map[int]bool
	// blind takes a snapshot as readable although it is cleared: to tell which of
	// two rules hid an element.
	blind bool
}

// readable reports whether the history as it stands shows the element. Newer
// items come first: a delta that takes a line away outweighs its base.
func (e *eyes) readable(w want) bool {
	s := sight{eyes: e, w: w, done: map[int]bool{}}
	for i := len(e.h.items) - 1; i >= 0; i-- {
		if !s.done[i] && s.item(i) {
			return true
		}
	}
	return false
}

// item reports whether item i shows the element to a reader of the history.
func (s *sight) item(i int) bool {
	s.done[i] = true
	it := &s.h.items[i]
	if it.result == nil || it.gone || it.expired && !s.blind {
		return false
	}
	if s.w.ref != "" && s.w.find(resultText(it.result), 0) >= 0 {
		return true
	}
	switch {
	case !seen(it.result).Readable() || seen(it.result) == "":
		return s.w.ref != "" && s.w.find(it.result.Shown, 0) >= 0
	case it.asStood:
		return s.stood(it)
	}
	return s.rewritten(it)
}

// stood reads a snapshot part as the source had it. An incremental one is read
// on top of the one before, as far as the rebuilt tree says the element is
// still there.
func (s *sight) stood(it *item) bool {
	if s.w.find(it.shown(), 0) >= 0 {
		return true
	}
	if it.prior < 0 || s.done[it.prior] {
		return false
	}
	if it.snap >= 0 && !s.pageHas(it.snap) {
		return false
	}
	return s.item(it.prior)
}

// rewritten reads what the policy made of a snapshot.
func (s *sight) rewritten(it *item) bool {
	base := -1
	if it.rendered.Base >= 0 {
		if b, ok := s.h.bySnap[it.rendered.Base]; ok {
			base = b
		}
	}
	has := s.pageHas(it.snap)
	if has && shows(&it.rendered, s.w) {
		return true
	}
	if base < 0 || s.done[base] {
		return false
	}
	if !has || s.w.find(deltaInput(s.h.t, it), 0) < 0 {
		s.supersede(base)
		return false
	}
	return s.item(base)
}

// supersede leaves out the chain below a delta that no longer has the element:
// what its base says is taken back.
func (s *sight) supersede(i int) {
	for i >= 0 && !s.done[i] {
		s.done[i] = true
		i = s.h.baseItem(i)
	}
}

// deltaInput is the text that the last comparing stage was given.
func deltaInput(t *session.Timeline, it *item) string {
	st := it.rendered.Stages
	for k := len(st) - 1; k > 0; k-- {
		if st[k].Verdict.NeedsBase {
			return st[k-1].Verdict.Text
		}
	}
	return t.Snaps[it.snap].Snap.Text
}

// shows reports whether a rendering shows the element by itself: in a line that
// is not one taken away.
func shows(r *session.Rendered, w want) bool {
	lines := linesOf(r)
	for at := 0; ; {
		i := w.find(r.Text, at)
		if i < 0 {
			break
		}
		if lines == nil {
			return true
		}
		if n, _ := lineAt(r.Text, i); n >= len(lines) || lines[n].Mark != strategy.Removed {
			return true
		}
		at = i + 1
	}
	return w.ref != "" && bare(r.Text, w.ref, lines)
}

// bare finds a ref written without brackets, as a strategy with a notation of
// its own may: after a space, a comma, a bracket or an @. A line that only says
// that an element is unchanged does not show it.
func bare(text, ref string, lines []strategy.Line) bool {
	if lines == nil {
		return false
	}
	for at := 0; ; {
		i := strings.Index(text[at:], ref)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(ref)
		at = i + 1
		if end < len(text) && wordByte(text[end]) || i > 0 && !strings.ContainsRune(" ,[(@|\t\n", rune(text[i-1])) {
			continue
		}
		n, line := lineAt(text, i)
		if n < len(lines) && lines[n].Mark == strategy.Removed || strings.Contains(strings.ToLower(line), "unchanged") {
			continue
		}
		return true
	}
}

// linesOf is what relates the final text to its page: the last stage's that
// changed the text. nil: the text is the page's own.
func linesOf(r *session.Rendered) []strategy.Line {
	for k := len(r.Stages) - 1; k >= 0; k-- {
		v := &r.Stages[k].Verdict
		if v.Lines != nil && v.Text == r.Text {
			return v.Lines
		}
	}
	return nil
}

// pageHas reports whether snapshot i's page holds the element.
func (s *sight) pageHas(i int) bool {
	sn := s.h.t.Snaps[i].Snap
	if s.w.ref == "" {
		return s.w.find(sn.Text, 0) >= 0
	}
	return s.refs(sn).has(s.w.ref)
}

type refsKey struct{ hash string }

// refs is the set of a page's refs, made once for each text.
func (e *eyes) refs(sn *snapshot.Snapshot) *refSet {
	return e.h.r.Cached(refsKey{sn.Hash}, func() any { return refsOf(sn.Text) }).(*refSet)
}

// refSet is the refs of a text: those of the main frame as bits, others by name.
type refSet struct {
	bits  []uint64
	other map[string]struct{}
}

// maxBit bounds the memory that a ref with a huge number takes.
const maxBit = 1 << 20

func refsOf(text string) *refSet {
	s := &refSet{}
	for _, lead := range [...]string{"ref=", "uid=", "["} {
		for at := 0; ; {
			i := strings.Index(text[at:], lead)
			if i < 0 {
				break
			}
			at += i + len(lead)
			end := at
			for end < len(text) && wordByte(text[end]) {
				end++
			}
			if end > at && leads(text, at-len(lead), lead) {
				s.add(text[at:end])
			}
		}
	}
	return s
}

func (s *refSet) add(ref string) {
	if n, ok := plainRef(ref); ok {
		for len(s.bits) <= n/64 {
			s.bits = append(s.bits, make([]uint64, n/64+1-len(s.bits))...)
		}
		s.bits[n/64] |= 1 << (n % 64)
		return
	}
	if s.other == nil {
		s.other = map[string]struct{}{}
	}
	s.other[ref] = struct{}{}
}

func (s *refSet) has(ref string) bool {
	if n, ok := plainRef(ref); ok {
		return n/64 < len(s.bits) && s.bits[n/64]&(1<<(n%64)) != 0
	}
	_, ok := s.other[ref]
	return ok
}

// plainRef reads e<N>.
func plainRef(ref string) (n int, ok bool) {
	if len(ref) < 2 || len(ref) > 8 || ref[0] != 'e' || ref[1] == '0' && len(ref) > 2 {
		return 0, false
	}
	for i := 1; i < len(ref); i++ {
		if ref[i] < '0' || ref[i] > '9' {
			return 0, false
		}
		n = n*10 + int(ref[i]-'0')
	}
	return n, n < maxBit
}
