package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"snapscope/session"
	"snapscope/snapshot"
	"snapscope/snapshot/strategy"
	"snapscope/snapshot/strategy/registry"
	"snapscope/snapshot/token"
)

func words(s string) int { return len(strings.Fields(s)) }

// visit is one snapshot of a hand-made session.
type visit struct {
	url, doc, text string
	seen           session.Seen
	user           bool // a user message stands before it
}

func visits(vs ...visit) *session.Timeline {
	t := &session.Timeline{}
	for i, v := range vs {
		if v.user {
			t.Append(session.Event{Kind: session.KindUser, User: &session.Message{Text: "go on"}})
		}
		id := fmt.Sprint(i)
		t.Append(session.Event{Kind: session.KindAction, Action: &session.Action{ID: id, Verb: session.VerbClick, Tool: "click"}})
		t.Append(session.Event{Kind: session.KindResult, Result: &session.Result{Action: id, OK: true, Seen: v.seen, Snapshot: &snapshot.Snapshot{
			URL: v.url, Title: "T" + v.url, Document: v.doc, Text: v.text, Hash: snapshot.HashText(v.text),
		}}})
	}
	return t
}

func buttons(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "- button \"b%d\" [ref=e%d]\n", i, i)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func single(t *testing.T, name string) Policy {
	t.Helper()
	s, err := registry.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return Single(s)
}

// What was only linked to is nobody's base.
func TestABaseIsWhatTheModelCouldRead(t *testing.T) {
	tl := visits(
		visit{"/a", "1", buttons(30), session.SeenInline, false},
		visit{"/a", "1", buttons(31), session.SeenLink, false},
		visit{"/a", "1", buttons(32), session.SeenInline, false},
	)
	r := NewRenderer(words).Render(tl, 2, single(t, "passmark"))
	if r.Kind != strategy.KindDelta || r.Base != 0 || !strings.Contains(r.Text, `+ - button "b31"`) {
		t.Errorf("base %d, %s:\n%s", r.Base, r.Kind, r.Text)
	}
}

// One renderer serves several timelines: what stood before a snapshot is part
// of what it is remembered by.
func TestARendererTellsTimelinesApart(t *testing.T) {
	p := single(t, "passmark")
	first := visit{"/a", "1", buttons(30), session.SeenInline, false}
	last := visit{"/a", "1", buttons(31), session.SeenInline, false}
	r := NewRenderer(words)
	delta := r.Render(visits(first, last), 1, p)
	reset := last
	reset.user = true
	full := r.Render(visits(first, reset), 1, p)
	other := first
	other.text = buttons(20)
	grown := r.Render(visits(other, last), 1, p)
	if delta.Kind != strategy.KindDelta || full.Kind != strategy.KindFull || grown.Kind == strategy.KindDelta && grown.Text == delta.Text {
		t.Errorf("%s, %s, %s", delta.Kind, full.Kind, grown.Text)
	}
}

func TestHistoryOfAPage(t *testing.T) {
	tl := visits(
		visit{"/a", "1", "a", session.SeenInline, false},
		visit{"/a", "1", "a2", session.SeenInline, false},
		visit{"/b", "2", "b", session.SeenInline, false},
		visit{"/b", "2", "b2", session.SeenInline, false},
		visit{"/a", "3", "a3", session.SeenInline, false},
	)
	for i, want := range []struct {
		visited []string
		prev    int
	}{
		{nil, -1}, {nil, -1}, {[]string{"T/a"}, 1}, {[]string{"T/a"}, 1}, {[]string{"T/a", "T/b"}, 3},
	} {
		p := tl.Past(i)
		if got := p.Visited; len(got) != len(want.visited) || len(got) > 0 && !cmp.Equal(got, want.visited) || p.Prev != want.prev {
			t.Errorf("snapshot %d: visited %v, prev %d, want %v, %d", i, got, p.Prev, want.visited, want.prev)
		}
	}
}

func TestTheRendererForgetsWhatWasNotAskedForLongest(t *testing.T) {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "- listitem [ref=e%d]: item %d\n", i, i)
	}
	tl := visits(visit{"/a", "1", b.String(), session.SeenInline, false}, visit{"/a", "1", b.String() + "- list", session.SeenInline, false})
	r := NewRenderer(words)
	r.limit = 40_000
	p := single(t, "compress")
	want := map[int]string{}
	for round := range 2 {
		for keep := range 40 {
			if err := p.Set(fmt.Sprintf("keep_n=%d", keep)); err != nil {
				t.Fatal(err)
			}
			got := r.Render(tl, 1, p).Text
			if round == 1 && got != want[keep] {
				t.Fatalf("keep_n %d is rendered otherwise the second time", keep)
			}
			want[keep] = got
			if r.bytes > r.limit+10_000 || len(r.memo) > 39 {
				t.Fatalf("%d bytes in %d rows are kept with a limit of %d", r.bytes, len(r.memo), r.limit)
			}
		}
	}
}

func TestRenderersAreSafeForConcurrentUse(t *testing.T) {
	var vs []visit
	for i := range 20 {
		vs = append(vs, visit{"/a", "1", buttons(30 + i), session.SeenInline, false})
	}
	tl, r, p := visits(vs...), NewRenderer(words), single(t, "passmark")
	want := NewRenderer(words)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range vs {
				if got := r.Render(tl, i, p); got.Text != want.Render(tl, i, p).Text {
					t.Errorf("snapshot %d differs", i)
				}
			}
		})
	}
	wg.Wait()
}

// Whoever waits for the text alone gets the one that the figures lead to.
func TestDecidingWithoutFigures(t *testing.T) {
	files, err := filepath.Glob("../../testdata/snapshots/*.aria")
	if err != nil || len(files) < 5 {
		t.Fatal(err, files)
	}
	var vs []visit
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimRight(string(b), "\n")
		half, _, _ := strings.Cut(text[len(text)/2:], "\n")
		for _, x := range []string{text, strings.ReplaceAll(text, "e", "é"), text[:len(text)/2] + half, strings.ToUpper(text), text + "\n- button \"漢字 漢字\" [ref=e9999]"} {
			vs = append(vs, visit{url: f, doc: f, text: x, seen: session.SeenInline})
		}
	}
	exact, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	count := func(s string) int { counted++; return exact.Count(s) }
	all := 0
	for _, name := range []string{"fold", "delta"} {
		for _, least := range []float64{0, 0.1, 0.3, 0.6} {
			p := single(t, name)
			p.Stages[0].Knobs = strategy.Values{"min_savings": least}
			tl := visits(vs...)
			full, quick := NewRenderer(exact.Count), NewDeciding(count)
			for i := range tl.Snaps {
				all++
				a, b := full.Render(tl, i, p), quick.Render(tl, i, p)
				if a.Text != b.Text || a.Kind != b.Kind || a.Base != b.Base {
					t.Errorf("%s at %v, %s: %s with figures, %s without", name, least, vs[i].url, a.Kind, b.Kind)
				}
				if b.Tokens != 0 {
					t.Error("tokens were counted")
				}
			}
		}
	}
	if counted >= 2*all {
		t.Errorf("%d texts were counted for %d decisions", counted, all)
	}
}
