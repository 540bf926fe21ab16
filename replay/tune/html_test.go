package tune

import (
	"strings"
	"testing"
)

// The page holds the answer, a point a policy of the front, and names that
// cannot become markup.
func TestHTML(t *testing.T) {
	r := &Result{
		Sessions: []Session{{Name: "a", Site: "<b>x</b>"}, {Name: "b"}}, Full: Figures{Input: 1000, Kept: 10, Acted: 10}, Evaluations: 7, Stopped: true,
		PerFull: []Figures{{Input: 500, Kept: 5}, {Input: 500, Kept: 5}}, Options: Options{Minimize: Input, Keep: 0.9},
		Trust: &Trust{Folds: 2, Measured: 2, Saved: 0.4, Low: 0.3, High: 0.5, Kept: 1, Warnings: []string{"two sessions are few"}},
	}
	for i, saved := range []float64{0.9, 0.5, 0.1} {
		c := Candidate{Total: Figures{Input: 100 * (i + 1)}, Saved: saved, Kept: 0.8 + 0.1*float64(i), Losses: 2 - i, Session: make([]Figures, 2), Knee: i == 1}
		r.Front = append(r.Front, c)
	}
	r.Best, r.Each = &r.Front[2], r.Front[:1]
	var b strings.Builder
	if err := WriteHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	for tag, want := range map[string]int{"<circle": 3, "<table": 3, "<b>": 0, "<script": 0} {
		if n := strings.Count(b.String(), tag); n != want {
			t.Errorf("%d of %s", n, tag)
		}
	}
	for _, want := range []string{r.answer(), r.Trust.says(), "two sessions are few", "stopped early", "&lt;b&gt;x", "8/10", `class="knee"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q", want)
		}
	}
}
