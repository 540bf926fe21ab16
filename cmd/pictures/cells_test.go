package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// inside lets cmp look into cells.
var inside = cmp.AllowUnexported(cell{}, style{})

func run1(text string, st style) []cell {
	var out []cell
	for _, r := range text {
		out = append(out, cell{string(r), 1, st})
	}
	return out
}

func join(parts ...[]cell) []cell {
	var out []cell
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestParse(t *testing.T) {
	none := style{}
	for _, c := range []struct {
		name, in string
		want     []cell
	}{
		{"plain", "ab", run1("ab", none)},
		{"attributes", "\x1b[1;3ma\x1b[22mb\x1b[0mc", join(
			run1("a", style{bold: true, italic: true}), run1("b", style{italic: true}), run1("c", none))},
		{"an empty reset", "\x1b[2;4;7;9ma\x1b[mb", join(
			run1("a", style{dim: true, underline: true, reverse: true, strike: true}), run1("b", none))},
		{"each off alone", "\x1b[2;4;7;9ma\x1b[22;24;27;29mb", join(
			run1("a", style{dim: true, underline: true, reverse: true, strike: true}), run1("b", none))},
		{"sixteen", "\x1b[31;42ma\x1b[97;100mb\x1b[39;49mc", join(
			run1("a", style{text: base[1], ground: base[2]}), run1("b", style{text: base[15], ground: base[8]}), run1("c", none))},
		{"256", "\x1b[38;5;9ma\x1b[38;5;196mb\x1b[48;5;232mc\x1b[38;5;255;49md", join(
			run1("a", style{text: base[9]}), run1("b", style{text: "#ff0000"}),
			run1("c", style{text: "#ff0000", ground: "#080808"}), run1("d", style{text: "#eeeeee"}))},
		{"true colour", "\x1b[38;2;1;2;3;48;2;255;0;16;1ma", run1("a", style{text: "#010203", ground: "#ff0010", bold: true})},
		{"sub-parameters", "\x1b[38:2::1:2:3ma\x1b[38:2:4:5:6mb\x1b[48:5:16mc", join(
			run1("a", style{text: "#010203"}), run1("b", style{text: "#040506"}),
			run1("c", style{text: "#040506", ground: "#000000"}))},
		{"kinds of underline", "\x1b[4:3ma\x1b[4:0mb", join(run1("a", style{underline: true}), run1("b", none))},
		{"a colour of underlines is passed over", "\x1b[58;2;1;2;3;1ma\x1b[58:5:1mb", run1("ab", style{bold: true})},
		{"unknown codes", "\x1b[51;73;1ma\x1b[>4;3mb", run1("ab", style{bold: true})},
		{"wide", "日a", []cell{{"日", 2, none}, {"a", 1, none}}},
		{"links, charsets, other sequences", "\x1b]8;;http://x\x1b\\a\x1b]8;;\ab\x1b(B\x1b[2K\x0fc", run1("abc", none)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parse(c.in, 80, 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got[0], inside); diff != "" {
				t.Errorf("%q (-want +got)\n%s", c.in, diff)
			}
		})
	}
}

func TestParseKeepsTheGrid(t *testing.T) {
	got, err := parse("\x1b[1ma\nb\n", 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]cell{run1("a", style{bold: true}), run1("b", style{bold: true}), nil}
	if diff := cmp.Diff(want, got, inside); diff != "" {
		t.Errorf("a style holds over lines, a row is there for each (-want +got)\n%s", diff)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a\nb\nc", "the screen has 3 lines, the terminal 2 rows"},
		{"ok\nabc日", "line 2 is 5 columns wide, the terminal 4"},
		{"ab\x1b[3", "line 1 ends within an escape sequence"},
		{"ok\n\x1b]8;;http://x", "line 2 ends within an escape sequence"},
		{"\xe6\x97", "line 1 ends within an escape sequence or a character"},
	} {
		_, err := parse(c.in, 4, 2)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, not %q", c.in, err, c.want)
		}
	}
}

func FuzzPieces(f *testing.F) {
	for _, s := range []string{"a", "\x1b[1;38;2;1;2;3mx", "\x1b]0;t\a", "\x1bP+q\x1b\\", "\x1b(B日\xff\r\n", "\x1b[?25l\x1b[", "\xe6\x97"} {
		f.Add([]byte(s), 1)
	}
	f.Fuzz(func(t *testing.T, b []byte, at int) {
		// The pieces are the input, whole and in order.
		var all []byte
		rest := pieces(b, func(raw []byte, _ *ansi.Parser) { all = append(all, raw...) })
		if !bytes.Equal(append(all, rest...), b) {
			t.Fatalf("%q comes out as %q and %q", b, all, rest)
		}
		if rows, err := parse(string(b), 80, 50); err == nil && len(rows) != 50 {
			t.Fatalf("%q: %d rows", b, len(rows))
		}
		// Where the output is cut into two writes makes no difference.
		whole, left := silent(bytes.Clone(b))
		at = max(0, min(at, len(b)))
		first, carry := silent(bytes.Clone(b[:at]))
		second, end := silent(append(carry, b[at:]...))
		if got := append(first, second...); !bytes.Equal(got, whole) || !bytes.Equal(end, left) {
			t.Fatalf("%q cut at %d: %q and %q, not %q and %q", b, at, got, end, whole, left)
		}
	})
}
