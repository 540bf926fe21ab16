package main

import (
	"context"
	"path/filepath"
)

// move is keys to press, one after the other, and what is on the screen once
// they have done their work: a regular expression, (?s) as the screen has lines.
type move struct {
	keys []string
	see  string
}

// shot is one picture.
type shot struct {
	name       string
	cols, rows int
	colours    colours
	args       []string
	moves      []move
}

// The demo as a replay of the recording that the program carries: the same
// picture each time. Live it is another port and another browser's answers.
var (
	recorded = []string{"demo", "--recorded"}
	live     = []string{"demo", "--record", "leads.jsonl"}
	finished = []string{"replay", embedded()}
)

// embedded is the recording that the program carries, as a file of the repository
// that the pictures are made in.
func embedded() string {
	path, err := filepath.Abs(filepath.Join("session", "demo", "recordings", "leads.jsonl.zst"))
	if err != nil {
		return "leads.jsonl.zst" // the replay says that it is not there
	}
	return path
}

// What the screen shows once a step has been taken and counted.
const (
	step1 = `(?s)step 1/15.*#1 ○○○.*calls? +full`
	step2 = `(?s)step 2/15.*#2 ○○○.*survival 1/1`
	step3 = `(?s)step 3/15.*#3 ○○○.*LOST 1( of |/)2`
)

// third goes to the step whose element the compressed pane has lost.
func third(then ...move) []move {
	return append([]move{{nil, step1}, {[]string{"s"}, step2}, {[]string{"s"}, step3}}, then...)
}

// loss is the line that was lost, where the step has led: the page has it, the
// compressed pane names it and says what hides it.
var loss = move{nil, `✗ LOST  checkbox`}

// compress goes to that pane; a small screen shows it alone, with its reason.
var compress = move{[]string{"Tab", "Tab"}, `▸compress|(?m:^ ✗ LOST e\d+)`}

// steps are the pictures of the list of steps, the screen that a finished session
// opens on, of every size in dark and light.
func steps() []shot {
	var out []shot
	opened := []move{{nil, `(?s)2 lost under compress.* did .*added.*step 1/15|(?s)step 1/15.*2 lost under compress.* did `}, {[]string{"j", "j"}, `(?s)step 3/15.*✗ step 3: compress hid it`}}
	for _, size := range []struct {
		name       string
		cols, rows int
	}{{"", 160, 45}, {"-medium", 120, 36}, {"-small", 80, 24}} {
		out = append(out,
			shot{"steps" + size.name, size.cols, size.rows, dark, finished, opened},
			shot{"steps" + size.name + "-light", size.cols, size.rows, light, finished, opened})
	}
	return out
}

func shots() []shot {
	return append(views(), steps()...)
}

// views are the pictures of the panes and of what lies over them.
func views() []shot {
	return []shot{
		{"demo-dark", 160, 45, dark, live, third(loss)},
		{"knobs", 160, 45, dark, recorded, third(
			compress, loss, move{[]string{"o"}, `▸ ?fire_threshold`}, move{[]string{"Down"}, `▸ ?keep_n`},
			move{[]string{"+"}, `keep_n .* 11(?s:.*)tokens +[\d,]+ → [\d,]+`},
		)},
		{"context", 160, 45, dark, recorded, []move{
			{nil, step1},
			{[]string{"c"}, `(?s)step 15/15.*LOST 2 of 10`},
			{[]string{"Tab", "Tab"}, `▸compress`},
			{[]string{"v"}, `(?s)context and cost.*e1721.*keep_n[= ]274`},
		}},
		{"reason", 160, 45, dark, recorded, third(
			move{[]string{"Tab"}, `▸passmark`}, move{[]string{"Enter"}, `why · passmark`},
		)},
		{"light", 160, 45, light, recorded, third(loss)},
		{"small", 80, 24, dark, recorded, third(compress, loss)},
		{"help", 160, 45, dark, recorded, []move{{nil, step1}, {[]string{"?"}, `keys and commands`}}},
	}
}

// picture makes the PNG.
func (sh shot) picture(ctx context.Context, s studio) ([]byte, error) {
	t, err := openTerminal(ctx, s, sh.cols, sh.rows, sh.colours, sh.args...)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.begin(); err != nil {
		return nil, err
	}
	for _, m := range sh.moves {
		for _, k := range m.keys {
			if err := t.press(k); err != nil {
				return nil, err
			}
		}
		if err := t.see(m.see); err != nil {
			return nil, err
		}
	}
	screen, err := t.atRest()
	if err != nil {
		return nil, err
	}
	grid, err := parse(screen, sh.cols, sh.rows)
	if err != nil {
		return nil, err
	}
	return photograph(ctx, s.browser, page(grid, sh.cols, sh.colours), width(sh.cols), height(sh.rows))
}
