// Command dist makes what a release is made of and tries it, without publishing
// anything.
//
//	.goreleaser.yaml ─▶ binaries ─┬▶ archives, SBOMs ─┬▶ checksums.txt ─▶ check, try
//	                              └▶ npm packages ────┘
//
// goreleaser reads the same file when a tag is pushed; a key in it that dist does
// not know is an error, so that what is tried here is what is released there.
// Every byte follows from the commit and the Go version: no clock is read, and
// -again builds once more, in another folder with an empty cache, and compares.
//
//	go run ./cmd/dist                  everything, into dist/release
//	go run ./cmd/dist -extras FOLDER   only the completions and the man pages
//	go run ./cmd/dist -sbom BINARY -o FILE   only one binary's bill of materials
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("dist", flag.ContinueOnError)
	out := f.String("o", filepath.Join("dist", "release"), "folder of the release, or the file of -sbom")
	only := f.String("extras", "", "write the completions and man pages into this folder and no more")
	bill := f.String("sbom", "", "write this binary's bill of materials to -o and no more")
	again := f.Bool("again", false, "build this system's binary once more, elsewhere, and compare")
	try := f.Bool("try", false, "run the demo from the archive and from the npm packages, in tmux")
	if err := f.Parse(args); err != nil {
		return err
	}
	switch {
	case *bill != "":
		return writeBill(*bill, *out)
	case *only != "":
		st, err := readStamp(ctx)
		if err != nil {
			return err
		}
		return extras(ctx, st, *only)
	}
	return release(ctx, *out, *again, *try)
}

// release makes everything and checks it.
func release(ctx context.Context, out string, again, try bool) error {
	p, err := readPlan(".goreleaser.yaml")
	if err != nil {
		return err
	}
	st, err := readStamp(ctx)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	say("snapscope %s, commit %.12s of %s", st.Version, st.FullCommit, st.CommitDate)
	if err := extras(ctx, st, extrasFolder); err != nil {
		return err
	}
	var made []target
	for _, t := range p.targets(st, filepath.Join(out, "bin")) {
		start := time.Now()
		if err := p.build(ctx, t); err != nil {
			return err
		}
		say("built  %s/%s in %s", t.Os, t.Arch, time.Since(start).Round(time.Second))
		made = append(made, t)
	}
	if err := pack(p, made, out); err != nil {
		return err
	}
	if err := check(ctx, p, made, out); err != nil {
		return err
	}
	if again {
		if err := buildAgain(ctx, p, made); err != nil {
			return err
		}
	}
	if try {
		return tryDemos(ctx, made, out)
	}
	return nil
}

// pack puts the binaries into archives and npm packages, and says what is in
// them.
func pack(p *plan, made []target, out string) error {
	for _, t := range made {
		if err := p.archive(t, out); err != nil {
			return err
		}
		if err := writeBill(t.binary, filepath.Join(out, t.name(p)+".spdx.json")); err != nil {
			return err
		}
	}
	if err := writeNpm(made, filepath.Join(out, "npm")); err != nil {
		return err
	}
	return writeSums(out)
}

func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
