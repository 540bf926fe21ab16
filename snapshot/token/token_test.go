package token

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// The counts in testdata/reference.jsonl are those of the encodings' reference
// implementation, special tokens taken as ordinary text.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for sc := bufio.NewScanner(bytes.NewReader(data)); sc.Scan(); rows++ {
		var row struct {
			Text   string
			Tokens map[string]int
		}
		if err := json.Unmarshal(sc.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		for name, want := range row.Tokens {
			if got := counter(t, name).Count(row.Text); got != want {
				t.Errorf("%s counts %q as %d, want %d", name, row.Text, got, want)
			}
		}
	}
	if rows < 300 {
		t.Fatalf("only %d rows of reference", rows)
	}
}

func TestSnapshotCounts(t *testing.T) {
	for _, tt := range []struct {
		file, encoding string
		want           int
	}{
		{"table500.aria", "o200k_base", 67284},
		{"table500.aria", "cl100k_base", 67485},
		{"table.uid", "o200k_base", 1370},
		{"table.uid", "cl100k_base", 1376},
	} {
		text := corpus(t)[tt.file]
		if got := counter(t, tt.encoding).Count(text); got != tt.want {
			t.Errorf("%s of %s is %d, want %d", tt.encoding, tt.file, got, tt.want)
		}
	}
}

func TestOddTexts(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"\n", 1},
		{"a", 1},
		{"<|endoftext|>", 7},
		{"\x7f", 1},
		{"a \x7fb\x7f\x7f\" c", 8},            // a DEL is joined with nothing
		{"\xff", 1},                           // as U+FFFD
		{"\xe2\x82x", 2},                      // one maximal part
		{strings.Repeat("a", 1<<20), 1 << 17}, // eight to a token
	} {
		if got := counter(t, Default).Count(tt.text); got != tt.want {
			t.Errorf("%.20q counts %d, want %d", tt.text, got, tt.want)
		}
	}
}

// The law behind the memo of lines: cutting changes no count, whatever was
// remembered before.
func TestLinesSumToTheWhole(t *testing.T) {
	atom := rapid.SampledFrom([]string{
		" ", "  ", "\n", "\n\n", "\r\n", "\r", "\t", "/", "- ", ":", "\"", "'s", "'LL", "'ſ", "a", "Foo", "HTML", "é",
		"e\u0301", "中文", "1", "1234", "!", "[ref=e12]", "\u00a0", "\u3000", "\u2028", "\u0085", "😀", "𝒜", "    \n", "\n \n", "\xff", "\xe2\x82",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(atom, 0, 40).Draw(t, "atoms"), "")
		if rapid.Bool().Draw(t, "any") {
			text = rapid.String().Draw(t, "text")
		}
		for _, e := range encodings {
			if !e.Exact {
				continue
			}
			x := newCounterFor(e)
			want := x.whole(ReplaceInvalid(text))
			for range 2 {
				if got := x.Count(text); got != want {
					t.Fatalf("%s: by lines %d, whole %d, of %q", e.Name, got, want, text)
				}
			}
		}
	})
}

func TestLinesSumToTheWholeOnSnapshots(t *testing.T) {
	for name, text := range corpus(t) {
		for _, e := range encodings {
			if !e.Exact {
				continue
			}
			x := newCounterFor(e)
			if got, want := x.Count(text), x.whole(text); got != want {
				t.Errorf("%s of %s: by lines %d, whole %d", e.Name, name, got, want)
			}
		}
	}
}

func TestMemoIsBounded(t *testing.T) {
	x := newCounterFor(encodings[0])
	line := strings.Repeat("word ", 400)
	for i := range 3 * maxHeld / len(line) {
		x.remember([]string{fmt.Sprint(line, i)}, []int32{1})
	}
	if held := len(x.young) + len(x.old); held > 2*maxHeld/len(line)+2 {
		t.Errorf("%d lines of %d bytes are held", held, len(line))
	}
	if got, want := x.Count("a b c\n"), x.whole("a b c\n"); got != want {
		t.Errorf("after a turn of generations %d, want %d", got, want)
	}
}

func TestConcurrentCounts(t *testing.T) {
	text := corpus(t)["table.uid"]
	x := newCounterFor(encodings[0])
	want := x.whole(text)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := x.Count(text); got != want {
				t.Errorf("%d, want %d", got, want)
			}
		})
	}
	wg.Wait()
}

func TestNew(t *testing.T) {
	c, err := New("")
	if err != nil || c.Name() != Default || !c.Exact() {
		t.Errorf("New(\"\") is %v, %v", c, err)
	}
	if _, err := New("o300k"); err == nil || !strings.Contains(err.Error(), "o200k_base, cl100k_base") {
		t.Errorf("the error for an unknown name is %v", err)
	}
	for _, e := range encodings {
		c := counter(t, e.Name)
		if c.Exact() != e.Exact || e.Doc == "" || (e.Error == "") != e.Exact {
			t.Errorf("the row of %s is not whole: %+v", e.Name, e)
		}
	}
}

func TestEstimators(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"chars4", "", 0},
		{"chars4", "abcd", 1},
		{"chars4", "abcde", 2},
		{"chars4", "😀😀", 1},
		{"chars2", "abc", 2},
		{"chars2", "é", 1},
	} {
		if got := counter(t, tt.name).Count(tt.text); got != tt.want {
			t.Errorf("%s of %q is %d, want %d", tt.name, tt.text, got, tt.want)
		}
	}
}

// The labels of the estimators hold on the repository's own snapshots.
func TestEstimatorErrors(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from, to float64
	}{{"chars4", -0.31, 0.15}, {"chars2", 0.35, 1.30}} {
		for file, text := range corpus(t) {
			if !strings.HasSuffix(file, ".aria") {
				continue
			}
			e := float64(counter(t, tt.name).Count(text))/float64(counter(t, Default).Count(text)) - 1
			if e < tt.from || e > tt.to {
				t.Errorf("%s errs by %+.0f %% on %s", tt.name, e*100, file)
			}
		}
	}
}

func newCounterFor(e Encoding) *exact {
	shared, _ := New(e.Name)
	x := newExact(e)
	x.codec = shared.(*exact).codec // loading a vocabulary is the dear part
	fillClasses()
	return x
}

func counter(t testing.TB, name string) Counter {
	t.Helper()
	c, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func corpus(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/snapshots/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no snapshots: %v", err)
	}
	out := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = string(data)
	}
	return out
}

// The answers are those of new TextDecoder('utf-8', {ignoreBOM: true}).
func TestReplaceInvalid(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain é 😀":                "plain é 😀",
		"\xef\xbb\xbfmark":         "\ufeffmark",
		"a\xffb":                   "a\ufffdb",
		"\xff\xff":                 "\ufffd\ufffd",
		"\x80\x80":                 "\ufffd\ufffd",
		"\xe2\x80":                 "\ufffd",
		"\xe2\x80x":                "\ufffdx",
		"\xf0\x9f\x98 \xf0\x9f":    "\ufffd \ufffd",
		"\xed\xa0\x80":             "\ufffd\ufffd\ufffd",
		"\xe0\x80\x80":             "\ufffd\ufffd\ufffd",
		"\xc0\xaf":                 "\ufffd\ufffd",
		"\xf4\x90\x80\x80":         "\ufffd\ufffd\ufffd\ufffd",
		"\xf5\x80\x80\x80":         "\ufffd\ufffd\ufffd\ufffd",
		"\xe2\xe2\x80\xa6":         "\ufffd…",
		"\xf0\x90\x80\xe0\xa0\xff": "\ufffd\ufffd\ufffd",
	} {
		if got := ReplaceInvalid(in); got != want {
			t.Errorf("%x: %q, want %q", in, got, want)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, s := range []string{"- row \"a\" [ref=e12]:\n", " \r\n\n x", "\x7f\xff\xe2\x82", "'ſ 中文 😀 1234"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x := newCounterFor(encodings[0])
		want := x.whole(ReplaceInvalid(text))
		for range 2 {
			if got := x.Count(text); got != want {
				t.Fatalf("by lines %d, whole %d, of %q", got, want, text)
			}
		}
	})
}
