package guard

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
)

func explode(what []int) int { return what[len(what)] }

func TestDoNamesWhatBroke(t *testing.T) {
	err := Do("reading leads.jsonl", func() error { explode(nil); return nil })
	var broke *Broke
	if !errors.As(err, &broke) {
		t.Fatalf("%v is no panic that was caught", err)
	}
	got := err.Error()
	for _, want := range []string{"reading leads.jsonl: internal error at guard/guard_test.go:", "index out of range [0]", "(please report)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
	if err := Do("x", func() error { panic("by hand") }); !strings.Contains(err.Error(), "guard_test.go") {
		t.Errorf("a panic of our own: %v", err)
	}
	if want := errors.New("plain"); !errors.Is(Do("x", func() error { return want }), want) || Do("x", func() error { return nil }) != nil {
		t.Error("what returns is changed")
	}
}

func TestEach(t *testing.T) {
	for _, goroutines := range []int{0, 1, 3, 50} {
		var sum atomic.Int64
		if err := Each(t.Context(), goroutines, 20, "adding", func(i int) error { sum.Add(int64(i)); return nil }); err != nil || sum.Load() != 190 {
			t.Errorf("%d goroutines: %d, %v", goroutines, sum.Load(), err)
		}
		err := Each(t.Context(), goroutines, 1_000_000, "adding", func(i int) error {
			if i == 7 {
				explode(nil)
			}
			sum.Add(1)
			return nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), "adding: internal error") || sum.Load() > 900_000 {
			t.Errorf("%d goroutines: %v after %d", goroutines, err, sum.Load())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Each(ctx, 2, 1000, "adding", func(i int) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What answers no error hands a panic on: the guard around tells it as it was met.
func TestRaise(t *testing.T) {
	inner := Do("counting", func() error { explode(nil); return nil })
	Raise(errors.New("plain"))
	Raise(nil)
	if err := Do("drawing", func() error { Raise(inner); return nil }); err != inner {
		t.Errorf("%v, want %v", err, inner)
	}
}
