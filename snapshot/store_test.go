package snapshot

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// pages makes n texts of about size bytes, each a little different from the one
// before.
func pages(n, size, changes int) []string {
	rng := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for i, held := 1, 0; held < size; i++ {
		l := fmt.Sprintf("      - cell \"Order %d of customer %d\" [ref=e%d]", rng.IntN(9000), rng.IntN(500), i)
		lines = append(lines, l)
		held += len(l) + 1
	}
	out := make([]string, n)
	for i := range out {
		for range changes {
			k := rng.IntN(len(lines))
			lines[k] = fmt.Sprintf("      - cell \"Changed %d at %d\" [ref=e%d]", rng.IntN(9000), i, k)
		}
		out[i] = strings.Join(lines, "\n")
	}
	return out
}

func TestStoreKeepsEveryText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewStore()
		want := map[string]string{}
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.IntRange(0, 30), func(n int) string { return strings.Repeat("- row\n", n) + "x" }))
		for _, x := range rapid.SliceOfN(text, 0, 20).Draw(t, "texts") {
			h, err := s.Put(x)
			if err != nil || h != HashText(x) {
				t.Fatalf("%q: %s, %v", x, h, err)
			}
			want[h] = x
		}
		for h, x := range want {
			if got, ok := s.Get(h); !ok || got != x {
				t.Fatalf("%q, %v, want %q", got, ok, x)
			}
		}
		if s.Len() != len(want) {
			t.Fatalf("%d texts, want %d", s.Len(), len(want))
		}
	})
}

func TestStoreIsSmall(t *testing.T) {
	s := NewStore()
	texts := pages(300, 80<<10, 20)
	other := pages(1, 40<<10, 0)[0]
	for i, x := range texts {
		if _, err := s.Put(x); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(fmt.Sprint(other, i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, limit := s.Bytes(), 3<<20; got > limit {
		t.Errorf("%d bytes for %d texts, want at most %d", got, s.Len(), limit)
	}
	for _, i := range []int{0, 1, 150, 299} {
		if got, ok := s.Get(HashText(texts[i])); !ok || got != texts[i] {
			t.Errorf("text %d is not what was put", i)
		}
	}
	if _, ok := s.Get("none"); ok {
		t.Error("a hash that was never put has a text")
	}
}

func TestStoreConcurrently(t *testing.T) {
	s := NewStore()
	texts := pages(24, 4<<10, 5)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, x := range texts {
				h, err := s.Put(x)
				if got, ok := s.Get(h); err != nil || !ok || got != x {
					t.Errorf("%v, %v", ok, err)
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkStore holds 1,000 snapshots of 80 KB with 20 changed lines each.
func BenchmarkStore(b *testing.B) {
	texts := pages(1000, 80<<10, 20)
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := NewStore()
		for _, x := range texts {
			if _, err := s.Put(x); err != nil {
				b.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(s.Bytes()), "text-bytes")
		b.ReportMetric(float64(after.HeapAlloc)-float64(before.HeapAlloc), "heap-bytes")
		runtime.KeepAlive(s)
	}
}

// BenchmarkStoreGet reads one of 1,000 snapshots of 80 KB back.
func BenchmarkStoreGet(b *testing.B) {
	s := NewStore()
	var hashes []string
	for _, x := range pages(1000, 80<<10, 20) {
		h, err := s.Put(x)
		if err != nil {
			b.Fatal(err)
		}
		hashes = append(hashes, h)
	}
	for i := 0; b.Loop(); i++ {
		if _, ok := s.Get(hashes[i*7919%len(hashes)]); !ok {
			b.Fatal("a text is missing")
		}
	}
}
