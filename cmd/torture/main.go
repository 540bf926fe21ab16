//go:build linux

// Command torture attacks a built snapscope from outside and counts what held:
//
//	go run ./cmd/torture -bin dist/snapscope [-only kill,soak] [-short] [-readme README.md]
//	go run ./cmd/torture -mutants
//
//	attack ──▶ field: a folder, an environment and a site of its own
//	             │
//	             ├─▶ runs of the program, each with a bound on time and memory
//	             └─▶ what each left: status, words, files, processes, profile folders
//
// An attack is a row: what was tried, how often, and how often it did not hold.
// Every try has a seed, so that one that failed can be tried again alone. It needs
// Linux, for it looks at /proc, and a Chromium.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"snapscope/session/atomicfile"
)

// attack is one row of the campaign.
type attack struct {
	name string // as -only takes it
	doc  string // what is tried, and what must hold
	run  func(f *field)
}

// attacks are the rows, cheapest first.
var attacks = []attack{
	{"links", "links of transcripts that lead out of their folder: no byte of the file there is read", links},
	{"names", "every command with hostile file names and arguments: nothing raw, one sentence", names},
	{"transcripts", "hostile transcripts: bombs, cuts, mutations; bounded in time and memory", transcripts},
	{"recordings", "random recordings within the format (numbers at their bounds, names of 1 MB, times and events out of order), by every command that reads one", recordings},
	{"growth", "recordings that grow in one way each, at three sizes, each twice the one before: computing and memory grow with them, and no faster (exponent below 1.2)", growth},
	{"install", "random configurations of agents, the proxy put in and taken out, once and again: as before to the byte, with mode and link", install},
	{"keys", "random keys at random and changing sizes of the terminal, over every recording there is and generated ones: no panic, no hang, no control but the program's own", keys},
	{"streams", "byte streams of every view and command on a terminal: no control but the program's own", streams},
	{"attach", "what no screen says, on the socket of a running proxy: the agent's calls go on, and it is still listed", attach},
	{"check", "files that are almost policies, in every command that takes one: one sentence with file and line", check},
	{"ab", "comparisons of agents that fail, talk, sleep and lie: one table or one sentence, and nothing is left", ab},
	{"live", "kill -9 of what starts both proxies and an agent: what it left is gone by the next start", live},
	{"signals", "INT, TERM and HUP, once and twice, in the middle of work: ends within a second", signals},
	{"disk", "a disk that is full: what is told to be recorded is recorded, what was there stays", disk},
	{"secrets", "secrets in every place of a session, typed, passed and imported: none is said or kept, every ref of the page is", secrets},
	{"ports", "requests that pages of other sites send to every port, and addresses that other machines reach: refused, not passed on, not recorded", ports},
	{"modes", "what only its person may read, written under a umask that forbids nothing: no other may read a file of it", modes},
	{"pages", "hostile pages: bounded, told, and the session goes on", pages},
	{"kill", "kill -9 at random moments: every step told is recorded, no process and no folder is left", kill},
	{"soak", "a long session: memory after it as after step 200 (± 10 %)", soak},
}

func main() {
	bin := flag.String("bin", "dist/snapscope", "the program under attack")
	only := flag.String("only", "", "these attacks, separated by commas")
	short := flag.Bool("short", false, "few tries of each: under a minute in all")
	readme := flag.String("readme", "", "a document into which the rows of a whole campaign are written, between its marks")
	seed := flag.Uint64("seed", 1, "of the random moments and mutations")
	testdata := flag.String("testdata", "testdata", "the repository's folder of test data")
	planted := flag.Bool("mutants", false, "plant defects into copies of the program and see whether the attacks find them")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := 0
	if *planted {
		code = plant(ctx, *testdata, *only)
	} else {
		code = campaign(ctx, *bin, *testdata, *only, *seed, *short, *readme)
	}
	stop()
	os.Exit(code)
}

// campaign runs the attacks that are asked for and answers the exit status.
func campaign(ctx context.Context, bin, testdata, only string, seed uint64, short bool, readme string) int {
	bin, err := filepath.Abs(bin)
	if err == nil {
		_, err = os.Stat(bin)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "torture: %v (run make build first)\n", err)
		return 2
	}
	var chosen []attack
	for _, a := range attacks {
		if only == "" || slices.Contains(strings.Split(only, ","), a.name) {
			chosen = append(chosen, a)
		}
	}
	if len(chosen) == 0 {
		fmt.Fprintf(os.Stderr, "torture: no attack %q\n", only)
		return 2
	}
	var rows []row
	begun := time.Now()
	for _, a := range chosen {
		if ctx.Err() != nil {
			break
		}
		r, err := run(ctx, a, bin, testdata, seed, short)
		if err != nil {
			fmt.Fprintf(os.Stderr, "torture: %s: %v\n", a.name, err)
			return 2
		}
		rows = append(rows, r)
		fmt.Printf("%-12s %5d tried %4d failed  %6.1f s  %s\n", r.name, r.tried, len(r.failed), r.took.Seconds(), r.note)
		for i, why := range r.failed {
			if i == 20 {
				fmt.Printf("    … and %d more\n", len(r.failed)-i)
				break
			}
			fmt.Println("    " + why)
		}
	}
	tried, failed := 0, 0
	for _, r := range rows {
		tried, failed = tried+r.tried, failed+len(r.failed)
	}
	fmt.Printf("%-12s %5d tried %4d failed  %6.1f s\n", "all", tried, failed, time.Since(begun).Seconds())
	if readme != "" && !short && ctx.Err() == nil {
		if err := intoReadme(readme, rows); err != nil {
			fmt.Fprintf(os.Stderr, "torture: %v\n", err)
			return 2
		}
	}
	if failed > 0 || tried == 0 || ctx.Err() != nil {
		return 1
	}
	return 0
}

// The marks between which the README has the table.
const tableFrom, tableTo = "<!-- make torture writes this -->\n", "<!-- to here -->"

// notCounted begins the line that names attacks of which the table has no row.
const notCounted = "Only their short form has been run so far: "

// intoReadme writes the rows into the README; those of attacks that were not run
// stay.
func intoReadme(path string, rows []row) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(data), tableFrom)
	_, tail, ended := strings.Cut(rest, tableTo)
	if !ok || !ended {
		return fmt.Errorf("%s has no place for the table: %s…%s", path, strings.TrimSpace(tableFrom), tableTo)
	}
	middle, _, _ := strings.Cut(rest, tableTo)
	return atomicfile.Write(path, []byte(head+tableFrom+table(rows, strings.SplitAfter(middle, "\n"))+tableTo+tail), 0o666)
}

// table is the rows as the README has them, in the order of the attacks; old are the
// lines of the table that was there. What neither has is named below it.
func table(rows []row, old []string) string {
	var b strings.Builder
	var missing []string
	b.WriteString("| attack, and what must hold | tried | failed |\n| --- | ---: | ---: |\n")
	for _, a := range attacks {
		if i := slices.IndexFunc(rows, func(r row) bool { return r.name == a.name }); i >= 0 {
			doc := a.doc
			if rows[i].note != "" {
				doc += " (" + rows[i].note + ")"
			}
			fmt.Fprintf(&b, "| %s | %d | %d |\n", doc, rows[i].tried, len(rows[i].failed))
			continue
		}
		i := slices.IndexFunc(old, func(line string) bool { return strings.HasPrefix(line, "| "+a.doc) })
		if i < 0 {
			missing = append(missing, a.name)
			continue
		}
		b.WriteString(old[i])
	}
	if missing != nil {
		b.WriteString("\n" + notCounted + strings.Join(missing, ", ") + ".\n")
	}
	return b.String()
}
