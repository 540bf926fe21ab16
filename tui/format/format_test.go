package format

import (
	"testing"
	"time"
)

func TestFormat(t *testing.T) {
	for got, want := range map[string]string{
		Short(950): "950", Short(12_410): "12.4 k", Short(213_400): "213 k", Short(1_234_567): "1.2 M", Short(99_960): "100 k", Short(999_960_000): "1.0 G", Short(31_791_900_000): "31.8 G",
		Delta(0.977): "−97.7 %", Delta(0.99999): "−99.9 %", Delta(1): "−100.0 %", Delta(0): "±0.0 %", Delta(-0.03): "+3.0 %", Delta(0.00001): "±0.0 %",
		ShellWord("a/b.jsonl"): "a/b.jsonl", ShellWord("a b"): "'a b'", ShellWord("it's"): `'it'\''s'`, ShellWord(""): "''", ShellWord("~x"): "'~x'",
		Bar(1, 4): "████", Bar(0.5, 4): "██", Bar(0, 4): "", Bar(0.001, 4): "", Bar(0.03, 4): "▏", Bar(2, 3): "███",
		Duration(300 * time.Millisecond): "0.3 s", Duration(75 * time.Second): "1 min 15 s", Duration(181 * time.Minute): "3 h 1 min",
		Brief(300 * time.Millisecond): "0.3 s", Brief(75 * time.Second): "1 min", Brief(181 * time.Minute): "3.0 h",
		Spark([]int{0, 1, 8}, 8): " ▁█", Spark([]int{1, 2, 3}, 2): "▆█",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
