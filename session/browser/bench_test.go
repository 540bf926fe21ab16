package browser

import (
	"fmt"
	"testing"

	"snapscope/session"
)

// rows is a table of n rows with eight cells, a checkbox and a button each.
func rows(n int) string {
	return fmt.Sprintf(`<table id=t></table><script>let s = '<tr><th>Pick<th>Name<th>Company<th>Stage<th>Value<th>Owner<th>Due<th>Do';
		for (let i = 0; i < %d; i++) s += '<tr><td><input type=checkbox aria-label="Select ' + i + '"><td>Lead ' + i + '<td>Company ' + i + '<td>Won<td>' + i * 10 + '<td><a href="#' + i + '">Owner ' + i + '</a><td>2026-01-01<td><button>Edit ' + i + '</button>';
		t.innerHTML = s</script>`, n)
}

// BenchmarkStep is a whole step on a table of 500 rows: a click, the wait for
// quiet (100 ms of it are the wait itself) and the capture.
func BenchmarkStep(b *testing.B) {
	br, err := Launch(b.Context(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer br.Close()
	step := func(a session.Action) {
		if res, err := br.Do(b.Context(), a); err != nil || !res.OK {
			b.Fatalf("%v %+v", err, res)
		}
	}
	step(act(session.VerbGoto, "url", site.URL+page(rows(500))))
	for b.Loop() {
		step(act(session.VerbClick, "css", "[type=checkbox]", "nth", 3))
	}
}

// BenchmarkCapture is the capture alone.
func BenchmarkCapture(b *testing.B) {
	for _, n := range []int{50, 500, 1000} {
		b.Run(fmt.Sprint(n, " rows"), func(b *testing.B) {
			if res, err := shared.Do(b.Context(), act(session.VerbGoto, "url", site.URL+page(rows(n)))); err != nil || !res.OK {
				b.Fatalf("%v %+v", err, res)
			}
			for b.Loop() {
				if _, _, err := shared.Snapshot(b.Context(), CaptureOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
