package ledger

import (
	"encoding/json"
	"regexp"
	"strings"

	"snapscope/session"
	"snapscope/session/policy"
	"snapscope/snapshot/strategy"
)

// want is an element looked for in the history.
type want struct {
	ref        string
	role, name string
	nth        int
	quoted     string // role "name" as it stands in a line
}

// wants are the elements an action names that can be looked for.
func wants(a *session.Action) []want {
	var out []want
	if w, ok := wanted(a.Target); ok {
		out = append(out, w)
	}
	for i := range a.Others {
		if w, ok := wanted(&a.Others[i]); ok {
			out = append(out, w)
		}
	}
	return out
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
	at := findRole(text, w.quoted, from)
	for n := 1; from == 0 && n < w.nth && at >= 0; n++ {
		at = findRole(text, w.quoted, at+1)
	}
	return at
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

// eyes read the history as the model does. Sets of refs are made once for an
// item, and for a page once for all simulations.
type eyes struct {
	h    *history
	look int   // the look at hand
	seen []int // by item: the last look that went over it
}

func newEyes(h *history) *eyes { return &eyes{h: h} }

// readable reports whether the history as it stands shows the element. Newer
// items come first: a delta that takes a line away outweighs its base.
func (e *eyes) readable(w want) bool {
	e.look++
	for len(e.seen) < len(e.h.items) {
		e.seen = append(e.seen, 0)
	}
	for i := len(e.h.items) - 1; i >= 0; i-- {
		if e.seen[i] != e.look && e.item(i, w) {
			return true
		}
	}
	return false
}

// item reports whether item i shows the element to a reader of the history.
func (e *eyes) item(i int, w want) bool {
	e.seen[i] = e.look
	it := &e.h.items[i]
	if it.result == nil || it.gone || it.expired {
		return false
	}
	if w.ref != "" && e.said(it).has(w.ref) {
		return true
	}
	switch {
	case !it.seen.Readable() || it.seen == "":
		return false
	case it.asStood:
		return e.stood(it, w)
	}
	return e.rewritten(it, w)
}

// stood reads a snapshot part as the source had it. An incremental one is read
// on top of the one before, as far as the rebuilt tree says the element is
// still there.
func (e *eyes) stood(it *item, w want) bool {
	if e.own(it, w) {
		return true
	}
	if it.prior < 0 || e.seen[it.prior] == e.look || it.snap >= 0 && !e.pageHas(it, w) {
		return false
	}
	return e.item(it.prior, w)
}

// rewritten reads what the policy made of a snapshot.
func (e *eyes) rewritten(it *item, w want) bool {
	if w.ref == "" { // by what it is called in this very page
		if w = w.on(e.h.t.Snaps[it.snap].Snap.Text); w.ref == "" {
			return w.role != "" && shows(&it.rendered, w)
		}
	}
	has := e.pageHas(it, w)
	if has && e.own(it, w) {
		return true
	}
	base := -1
	if it.rendered.Base >= 0 {
		if b, ok := e.h.bySnap[it.rendered.Base]; ok {
			base = b
		}
	}
	if base < 0 || e.seen[base] == e.look {
		return false
	}
	if !has || !e.given(it, w) {
		for i := base; i >= 0 && e.seen[i] != e.look; i = e.h.baseItem(i) {
			e.seen[i] = e.look // what its base says is taken back
		}
		return false
	}
	return e.item(base, w)
}

// on answers the element as a page's own ref names it: strategies rewrite names
// but keep refs. Without a ref, or not on the page, it stays as it is; role ""
// says that the page does not have it.
func (w want) on(page string) want {
	at := w.find(page, 0)
	if at < 0 {
		return want{}
	}
	_, line := lineAt(page, at)
	if r := handle.FindStringSubmatch(line); r != nil {
		w.ref = r[1] + r[2]
	}
	return w
}

var handle = regexp.MustCompile(`[\[ ]ref=([^\],\s]+)|\buid=(\S+)`)

// own reports whether an item shows the element by itself.
func (e *eyes) own(it *item, w want) bool {
	if w.ref == "" {
		return w.find(it.shown(), 0) >= 0
	}
	if it.own == nil {
		it.own = e.ownRefs(it)
	}
	return it.own.has(w.ref)
}

func (e *eyes) ownRefs(it *item) *refSet {
	if it.asStood {
		if it.snap >= 0 && it.shown() == e.h.t.Snaps[it.snap].Snap.Text {
			return e.page(it)
		}
		return refsOf(it.shown())
	}
	page := e.h.t.Snaps[it.snap].Snap.Text
	if it.rendered.Base < 0 && strings.HasSuffix(it.rendered.Text, page) {
		return e.page(it)
	}
	return visibleRefs(it.rendered.Text, linesOf(&it.rendered))
}

// said is the refs in a result's other text, and in the notice that stands for a
// snapshot.
func (e *eyes) said(it *item) *refSet {
	if it.said == nil {
		text := resultText(it.result)
		if !it.seen.Readable() {
			text += "\n" + it.result.Shown
		}
		it.said = refsOf(text)
	}
	return it.said
}

// given reports whether the last comparing stage was given the element: an
// earlier stage may have left it out.
func (e *eyes) given(it *item, w want) bool {
	st := it.rendered.Stages
	for k := len(st) - 1; k > 0; k-- {
		if !st[k].Verdict.NeedsBase {
			continue
		}
		if it.given == nil {
			if text := st[k-1].Verdict.Text; text == e.h.t.Snaps[it.snap].Snap.Text {
				it.given = e.page(it)
			} else {
				it.given = visibleRefs(text, st[k-1].Verdict.Lines)
			}
		}
		return it.given.has(w.ref)
	}
	return true
}

// pageHas reports whether an item's page holds the element.
func (e *eyes) pageHas(it *item, w want) bool {
	if it.snap < 0 {
		return false
	}
	if w.ref == "" {
		return w.find(e.h.t.Snaps[it.snap].Snap.Text, 0) >= 0
	}
	return e.page(it).has(w.ref)
}

type refsKey struct{ hash string }

// page is the set of a page's refs, made once for each text.
func (e *eyes) page(it *item) *refSet {
	if it.page == nil {
		sn := e.h.t.Snaps[it.snap].Snap
		it.page = e.h.r.Cached(refsKey{sn.Hash}, func() any { return refsOf(sn.Text) }).(*refSet)
	}
	return it.page
}

// shows reports whether a rendering shows the element by itself: in a line that
// is not one taken away.
func shows(r *policy.Rendered, w want) bool {
	lines := linesOf(r)
	if w.ref != "" {
		return visibleRefs(r.Text, lines).has(w.ref)
	}
	for at := 0; ; {
		i := w.find(r.Text, at)
		if i < 0 {
			return false
		}
		if n, _ := lineAt(r.Text, i); n >= len(lines) || lines[n].Mark != strategy.Removed {
			return true
		}
		at = i + 1
	}
}

// linesOf is what relates the final text to its page: the last stage's that
// changed the text. nil: the text is the page's own.
func linesOf(r *policy.Rendered) []strategy.Line {
	for k := len(r.Stages) - 1; k >= 0; k-- {
		v := &r.Stages[k].Verdict
		if v.Lines != nil && v.Text == r.Text {
			return v.Lines
		}
	}
	return nil
}
